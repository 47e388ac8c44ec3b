// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/video/video.h>

#include <atomic>

namespace glcl {

/// Checks the frames that arrive at an element: whether each follows the previous one, and whether
/// it is valid. Each kind of warning is posted once per start. Streaming thread, except `late`, and
/// `warn_of_pixels` on the GL thread.
class FrameContinuity {
 public:
  /// A new start.
  void start();
  /// A flush.
  void flush() { late_until_ = 0; }

  /// True if the frame does not follow the previous one in the direction of playback; with
  /// `gaps_break`, also after a gap in time.
  bool breaks(const GstSegment &segment, GstBuffer *buffer, bool gaps_break);
  /// QoS from downstream: the frame at this running time was late (negative: early), so upstream
  /// may start dropping frames. Any thread.
  void late(GstClockTime time, GstClockTimeDiff late);

  /// True for an interlaced frame if no warning was posted yet.
  bool has_fields(const GstVideoInfo &info, GstBuffer *buffer) const;
  /// Posts the warning about interlaced frames.
  void warn_of_fields(GstElement *element, const GstVideoInfo &info);
  /// Warns if pixels are not square although `what` is computed as if they were. GL thread.
  void warn_of_pixels(GstElement *element, const GstVideoInfo &info, const char *what);
  /// True if a frame has the size of its caps; warns otherwise. GStreamer 1.22 passes wrong frames
  /// when caps change during a restart; later ones are right again.
  bool has_size_of_caps(GstElement *element, const GstVideoInfo &info, GstBuffer *buffer);

 private:
  std::atomic<GstClockTime> late_until_{0};  // running time
  GstClockTime last_ = GST_CLOCK_TIME_NONE;
  bool warned_of_fields_ = false, warned_of_sizes_ = false, warned_of_pixels_ = false;
};

}  // namespace glcl
