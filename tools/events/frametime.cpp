// SPDX-License-Identifier: LGPL-2.1-or-later
#include "frametime.h"

#include <cmath>

namespace glcl::events {

namespace {

/// Changes of the measured start that the scatter of clocks explains, µs.
constexpr gint64 scatter = 10000;

}  // namespace

/// The time of day at running time 0 by the clocks, µs.
gint64 FrameFactsFinder::utc_of_start() const {
  const gint64 now = g_get_real_time();
  GstClock *clock = gst_element_get_clock(pipeline_);
  if (!clock) return now;  // before it plays
  const GstClockTimeDiff since_start =
      GST_CLOCK_DIFF(gst_element_get_base_time(pipeline_), gst_clock_get_time(clock));
  gst_object_unref(clock);
  return now - since_start / static_cast<GstClockTimeDiff>(GST_USECOND);
}

/// The time of day of a frame, µs. All messages of a frame get the same.
gint64 FrameFactsFinder::utc_at(GstClockTime running_time) {
  if (!GST_CLOCK_TIME_IS_VALID(running_time)) return g_get_real_time();
  const auto since_start = static_cast<gint64>(GST_TIME_AS_USECONDS(running_time));
  if (start_) return *start_ + since_start;
  const gint64 start = utc_of_start();
  const std::lock_guard lock(mutex_);
  if (!measured_start_ || std::abs(start - *measured_start_) > scatter) measured_start_ = start;
  return *measured_start_ + since_start;
}

FrameFacts FrameFactsFinder::facts_of(GstMessage *message) {
  guint64 running_time = GST_CLOCK_TIME_NONE;
  if (const GstStructure *fields = gst_message_get_structure(message))
    gst_structure_get_uint64(fields, "running-time", &running_time);
  FrameFacts facts;
  facts.utc = utc_at(running_time);
  GstObject *from = GST_MESSAGE_SRC(message);
  GstPad *pad =
      GST_IS_ELEMENT(from) ? gst_element_get_static_pad(GST_ELEMENT(from), "sink") : nullptr;
  if (!pad) return facts;
  if (GstCaps *caps = gst_pad_get_current_caps(pad)) {
    const GstStructure *format = gst_caps_get_structure(caps, 0);
    gst_structure_get_int(format, "width", &facts.width);
    gst_structure_get_int(format, "height", &facts.height);
    gst_caps_unref(caps);
  }
  gst_object_unref(pad);
  return facts;
}

std::string utc_text(gint64 utc) {
  GDateTime *zero = g_date_time_new_from_unix_utc(0), *time = g_date_time_add(zero, utc);
  g_date_time_unref(zero);
  if (!time) return "9999-12-31T23:59:59.999999Z";
  gchar *date = g_date_time_format(time, "%Y-%m-%dT%H:%M:%S"),
        *text = g_strdup_printf("%s.%06dZ", date, g_date_time_get_microsecond(time));
  std::string copy = text;
  g_free(text);
  g_free(date);
  g_date_time_unref(time);
  return copy;
}

std::optional<gint64> utc_of(const char *text) {
  GTimeZone *zone = g_time_zone_new_utc();
  GDateTime *time = g_date_time_new_from_iso8601(text, zone);
  g_time_zone_unref(zone);
  if (!time) return {};
  const gint64 utc = g_date_time_to_unix(time) * G_USEC_PER_SEC + g_date_time_get_microsecond(time);
  g_date_time_unref(time);
  return utc;
}

}  // namespace glcl::events
