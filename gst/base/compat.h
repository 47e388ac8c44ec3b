// SPDX-License-Identifier: LGPL-2.1-or-later
// What newer versions of GStreamer have. Where this one has not, these do nothing.
#pragma once

#include <gst/gst.h>

#include <algorithm>
#include <initializer_list>

#include "config.h"
#if HAVE_ANALYTICS
#include <gst/analytics/analytics.h>
#endif
#if HAVE_TENSOR_META
#include <gst/analytics/gsttensormeta.h>
#endif

namespace glcl {

/// GStreamer 1.26: attaches a GstTensorMeta with one tensor, float32 in row-major order, which is
/// what `data` begins with. It is read back when it is mapped, as `data` is.
inline void attach_tensor([[maybe_unused]] GstBuffer *to, [[maybe_unused]] const char *id,
                          [[maybe_unused]] GstBuffer *data,
                          [[maybe_unused]] std::initializer_list<gsize> dims) {
#if HAVE_TENSOR_META
  // gst_tensor_new_simple() wants a buffer that holds nothing else.
  GstTensor *tensor = gst_tensor_alloc(dims.size());
  tensor->id = g_quark_from_string(id);
  tensor->layout = GST_TENSOR_LAYOUT_CONTIGUOUS;
  tensor->data_type = GST_TENSOR_DATA_TYPE_FLOAT32;
  tensor->data = gst_buffer_ref(data);
  tensor->dims_order = GST_TENSOR_DIM_ORDER_ROW_MAJOR;
  std::copy(dims.begin(), dims.end(), tensor->dims);
  GstTensor **list = g_new(GstTensor *, 1);
  *list = tensor;
  gst_tensor_meta_set(gst_buffer_add_tensor_meta(to), 1, list);
#endif
}

/// GStreamer 1.24: adds to the frame's GstAnalyticsRelationMeta something that was found at (x, y),
/// width × height px, and that it is followed under a number.
inline void attach_detection([[maybe_unused]] GstBuffer *to, [[maybe_unused]] const char *kind,
                             [[maybe_unused]] const int (&place)[4], [[maybe_unused]] float score,
                             [[maybe_unused]] guint64 id,
                             [[maybe_unused]] GstClockTime first_seen) {
#if HAVE_ANALYTICS
  GstAnalyticsRelationMeta *meta = gst_buffer_add_analytics_relation_meta(to);
  GstAnalyticsODMtd detection;
  GstAnalyticsTrackingMtd tracking;
  if (gst_analytics_relation_meta_add_od_mtd(meta, g_quark_from_string(kind), place[0], place[1],
                                             place[2], place[3], score, &detection) &&
      gst_analytics_relation_meta_add_tracking_mtd(meta, id, first_seen, &tracking))
    gst_analytics_relation_meta_set_relation(meta, GST_ANALYTICS_REL_TYPE_RELATE_TO, detection.id,
                                             tracking.id);
#endif
}

/// GStreamer 1.24: what gst-inspect-1.0 says of the plugin beside its description.
inline void add_status([[maybe_unused]] GstPlugin *plugin, [[maybe_unused]] const char *text) {
#if GST_CHECK_VERSION(1, 24, 0)
  gst_plugin_add_status_info(plugin, text);
#endif
}

}  // namespace glcl
