// SPDX-License-Identifier: LGPL-2.1-or-later
#include "glclmetaboxes.h"

#include <gst/video/gstvideometa.h>

#include <algorithm>

#include "config.h"
#if HAVE_ANALYTICS
#include <gst/analytics/analytics.h>
#endif

namespace glcl {

namespace {

bool same(const RectF &a, const RectF &b) {
  return a.left == b.left && a.top == b.top && a.right == b.right && a.bottom == b.bottom;
}

void add(std::vector<MetaBox> &list, const MetaBox &box) {
  const bool known = std::any_of(list.begin(), list.end(),
                                 [&](const MetaBox &other) { return same(other.box, box.box); });
  if (!known && box.box.width() > 0 && box.box.height() > 0) list.push_back(box);
}

#if HAVE_ANALYTICS
void add_detections(std::vector<MetaBox> &list, GstBuffer *frame) {
  GstAnalyticsRelationMeta *relations = gst_buffer_get_analytics_relation_meta(frame);
  if (!relations) return;
  gpointer state = nullptr;
  GstAnalyticsODMtd detection;
  while (gst_analytics_relation_meta_iterate(relations, &state, gst_analytics_od_mtd_get_mtd_type(),
                                             &detection)) {
    gint x = 0, y = 0, width = 0, height = 0;
    gfloat sure = 0;
    if (!gst_analytics_od_mtd_get_location(&detection, &x, &y, &width, &height, &sure)) continue;
    guint64 id = 0;
    GstAnalyticsTrackingMtd tracking;
    GstClockTime first = 0, last = 0;
    gboolean lost = FALSE;
    if (gst_analytics_relation_meta_get_direct_related(
            relations, detection.id, GST_ANALYTICS_REL_TYPE_ANY,
            gst_analytics_tracking_mtd_get_mtd_type(), nullptr, &tracking))
      gst_analytics_tracking_mtd_get_info(&tracking, &id, &first, &last, &lost);
    if (!lost)
      add(list, {{float(x), float(y), float(x) + float(width), float(y) + float(height)},
                 id,
                 gst_analytics_od_mtd_get_obj_type(&detection)});
  }
}
#endif

}  // namespace

std::vector<MetaBox> meta_boxes(GstBuffer *frame) {
  std::vector<MetaBox> list;
#if HAVE_ANALYTICS
  add_detections(list, frame);
#endif
  gpointer state = nullptr;
  while (GstMeta *meta = gst_buffer_iterate_meta_filtered(
             frame, &state, GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE)) {
    const auto *region = reinterpret_cast<GstVideoRegionOfInterestMeta *>(meta);
    // Elements store places on the left of the frame or above it as negative numbers.
    const auto x = static_cast<float>(static_cast<gint>(region->x)),
               y = static_cast<float>(static_cast<gint>(region->y));
    add(list, {{x, y, x + float(region->w), y + float(region->h)},
               guint64(MAX(region->id, 0)),
               region->roi_type});
  }
  return list;
}

}  // namespace glcl
