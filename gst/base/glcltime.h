// SPDX-License-Identifier: LGPL-2.1-or-later
// Times of frames in segments that may have another format than time, such as appsrc's byte
// segments.
#pragma once

#include <gst/gst.h>

namespace glcl {

/// GST_CLOCK_TIME_NONE outside the segment and in segments of other formats than time.
inline GstClockTime stream_time(const GstSegment &segment, GstClockTime time) {
  return segment.format == GST_FORMAT_TIME
             ? gst_segment_to_stream_time(&segment, GST_FORMAT_TIME, time)
             : GST_CLOCK_TIME_NONE;
}

inline GstClockTime running_time(const GstSegment &segment, GstClockTime time) {
  return segment.format == GST_FORMAT_TIME
             ? gst_segment_to_running_time(&segment, GST_FORMAT_TIME, time)
             : GST_CLOCK_TIME_NONE;
}

}  // namespace glcl
