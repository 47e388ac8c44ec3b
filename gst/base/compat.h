// SPDX-License-Identifier: LGPL-2.1-or-later
// Features of newer GStreamer versions. With older versions these functions do nothing.
#pragma once

#include <gst/gst.h>

#include <algorithm>
#include <initializer_list>

#include "config.h"
#if HAVE_ANALYTICS
#include <gst/analytics/analytics.h>
#endif
#if HAVE_TENSOR_META
#include <gst/analytics/gstanalyticssegmentationmtd.h>
#include <gst/analytics/gsttensormeta.h>
#include <gst/video/gstvideometa.h>
#endif

namespace glcl {

/// A tensor of GStreamer 1.26: float32 in row-major order.
struct Tensor {
  const char *id;
  GstBuffer *data;  ///< contains only the numbers; borrowed
  std::initializer_list<gsize> dims;
};

/// GStreamer 1.26: attaches a GstTensorMeta with these tensors. Mapping their buffers downloads
/// them.
inline void attach_tensors([[maybe_unused]] GstBuffer *to,
                           [[maybe_unused]] std::initializer_list<Tensor> tensors) {
#if HAVE_TENSOR_META
  GstTensor **list = g_new(GstTensor *, tensors.size());
  std::transform(tensors.begin(), tensors.end(), list, [](const Tensor &from) {
    GstTensor *tensor = gst_tensor_alloc(from.dims.size());
    tensor->id = g_quark_from_string(from.id);
    tensor->layout = GST_TENSOR_LAYOUT_CONTIGUOUS;
    tensor->data_type = GST_TENSOR_DATA_TYPE_FLOAT32;
    tensor->data = gst_buffer_ref(from.data);
    tensor->dims_order = GST_TENSOR_DIM_ORDER_ROW_MAJOR;
    std::copy(from.dims.begin(), from.dims.end(), tensor->dims);
    return tensor;
  });
  gst_tensor_meta_set(gst_buffer_add_tensor_meta(to), guint(tensors.size()), list);
#endif
}

/// GStreamer 1.24: adds an object at (x, y), width × height px, to the frame's
/// GstAnalyticsRelationMeta.
inline void attach_detection([[maybe_unused]] GstBuffer *to, [[maybe_unused]] const char *kind,
                             [[maybe_unused]] const int (&place)[4], [[maybe_unused]] float score) {
#if HAVE_ANALYTICS
  GstAnalyticsODMtd detection;
  gst_analytics_relation_meta_add_od_mtd(gst_buffer_add_analytics_relation_meta(to),
                                         g_quark_from_string(kind), place[0], place[1], place[2],
                                         place[3], score, &detection);
#endif
}

/// GStreamer 1.24: adds an object at (x, y), width × height px, with a tracking number to
/// the frame's GstAnalyticsRelationMeta. The object was first seen at `first_seen` and is
/// visible now.
inline void attach_detection([[maybe_unused]] GstBuffer *to, [[maybe_unused]] const char *kind,
                             [[maybe_unused]] const int (&place)[4], [[maybe_unused]] float score,
                             [[maybe_unused]] guint64 id, [[maybe_unused]] GstClockTime first_seen,
                             [[maybe_unused]] GstClockTime now) {
#if HAVE_ANALYTICS
  GstAnalyticsRelationMeta *meta = gst_buffer_add_analytics_relation_meta(to);
  GstAnalyticsODMtd detection;
  GstAnalyticsTrackingMtd tracking;
  if (gst_analytics_relation_meta_add_od_mtd(meta, g_quark_from_string(kind), place[0], place[1],
                                             place[2], place[3], score, &detection) &&
      gst_analytics_relation_meta_add_tracking_mtd(meta, id, first_seen, &tracking)) {
    gst_analytics_tracking_mtd_update_last_seen(&tracking, now);
    gst_analytics_relation_meta_set_relation(meta, GST_ANALYTICS_REL_TYPE_RELATE_TO, detection.id,
                                             tracking.id);
  }
#endif
}

/// GStreamer 1.26: adds a segmentation to the frame's GstAnalyticsRelationMeta: segment 0 is
/// background, 1 moving objects, 2 shadows, 3 overlays. `mask` has columns × rows bytes and covers
/// width × height px.
inline void attach_mask([[maybe_unused]] GstBuffer *to, [[maybe_unused]] GstBuffer *mask,
                        [[maybe_unused]] int columns, [[maybe_unused]] int rows,
                        [[maybe_unused]] int width, [[maybe_unused]] int height) {
#if HAVE_TENSOR_META
  gsize offsets[GST_VIDEO_MAX_PLANES] = {0};
  gint strides[GST_VIDEO_MAX_PLANES] = {columns};
  gst_buffer_add_video_meta_full(mask, GST_VIDEO_FRAME_FLAG_NONE, GST_VIDEO_FORMAT_GRAY8,
                                 guint(columns), guint(rows), 1, offsets, strides);
  guint segments[] = {0, 1, 2, 3};
  GstAnalyticsSegmentationMtd segmentation;
  gst_analytics_relation_meta_add_segmentation_mtd(
      gst_buffer_add_analytics_relation_meta(to), gst_buffer_ref(mask),
      GST_SEGMENTATION_TYPE_SEMANTIC, G_N_ELEMENTS(segments), segments, 0, 0, guint(width),
      guint(height), &segmentation);
#endif
}

/// GStreamer 1.24: adds a status text that gst-inspect-1.0 prints for the plugin.
inline void add_status([[maybe_unused]] GstPlugin *plugin, [[maybe_unused]] const char *text) {
#if GST_CHECK_VERSION(1, 24, 0)
  gst_plugin_add_status_info(plugin, text);
#endif
}

}  // namespace glcl
