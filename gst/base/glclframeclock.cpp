// SPDX-License-Identifier: LGPL-2.1-or-later
#include "glclframeclock.h"

#include "glcltime.h"

namespace glcl {

void FrameClock::count(const GstSegment &segment, const GstBuffer *frame,
                       const GstVideoInfo &info) {
  const GstClockTime time = running_time(segment, GST_BUFFER_PTS(frame));
  const auto n = static_cast<guint64>(GST_VIDEO_INFO_FPS_N(&info)),
             d = static_cast<guint64>(GST_VIDEO_INFO_FPS_D(&info));
  if (GST_CLOCK_TIME_IS_VALID(time))
    time_ = time;
  else if (frames_ > 0 && n > 0)
    time_ += gst_util_uint64_scale_round(GST_SECOND, d, n);
  frames_++;
}

}  // namespace glcl
