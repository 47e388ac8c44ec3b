// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/video/video.h>

namespace glcl {

/// The running time and the number of the frames that arrive at an element. Streaming thread;
/// restart() also in a state change.
class FrameClock {
 public:
  /// Call it at a start, and at a flush that resets the running time.
  void restart() { *this = {}; }
  /// Call it for every frame. A frame without a running time comes one frame of the caps' rate
  /// after the previous frame; without a rate it has the same time. The first one has time 0.
  void count(const GstSegment &segment, const GstBuffer *frame, const GstVideoInfo &info);

  /// The running time of the last frame, s.
  double seconds() const { return static_cast<double>(time_) / GST_SECOND; }
  /// The number of the last frame. The first frame is 0; after G_MAXINT, 0 follows.
  int number() const { return static_cast<int>((frames_ - 1) & G_MAXINT); }

 private:
  guint64 frames_ = 0;
  GstClockTime time_ = 0;
};

}  // namespace glcl
