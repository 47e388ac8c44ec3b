// SPDX-License-Identifier: LGPL-2.1-or-later
#include "glclrealtime.h"

namespace glcl {

namespace {

constexpr GstClockTime ntp_epoch =
    G_GUINT64_CONSTANT(2208988800) * GST_SECOND;  // before that of Unix

/// Finds the time that a frame carries. Returns false without one.
bool carried_time(GstBuffer *frame, guint64 &time) {
  gpointer state = nullptr;
  while (GstMeta *meta = gst_buffer_iterate_meta_filtered(frame, &state,
                                                          GST_REFERENCE_TIMESTAMP_META_API_TYPE)) {
    const auto *reference = reinterpret_cast<GstReferenceTimestampMeta *>(meta);
    if (!GST_CLOCK_TIME_IS_VALID(reference->timestamp)) continue;
    const GstStructure *kind = gst_caps_get_structure(reference->reference, 0);
    time = reference->timestamp;
    if (gst_structure_has_name(kind, "timestamp/x-unix")) return true;
    if (gst_structure_has_name(kind, "timestamp/x-ntp") && time >= ntp_epoch) {
      time -= ntp_epoch;
      return true;
    }
  }
  return false;
}

}  // namespace

guint64 real_time(GstElement *element, GstBuffer *frame, GstClockTime running_time) {
  guint64 time = 0;
  if (carried_time(frame, time)) return time;
  const auto now = static_cast<gint64>(g_get_real_time()) * GST_USECOND;
  GstClock *clock = gst_element_get_clock(element);
  if (!clock) return guint64(now);
  const GstClockTimeDiff since =
      GST_CLOCK_TIME_IS_VALID(running_time)
          ? GST_CLOCK_DIFF(gst_element_get_base_time(element) + running_time,
                           gst_clock_get_time(clock))
          : 0;
  gst_object_unref(clock);
  return guint64(MAX(now - since, 0));
}

}  // namespace glcl
