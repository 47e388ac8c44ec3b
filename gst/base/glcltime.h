// SPDX-License-Identifier: LGPL-2.1-or-later
// The times of frames in segments that may be of another format than time, as appsrc's of bytes
// are.
#pragma once

#include <gst/gst.h>

namespace glcl {

/// GST_CLOCK_TIME_NONE outside of the segment and where that is not one of times.
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
