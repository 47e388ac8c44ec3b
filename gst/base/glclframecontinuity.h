// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/video/video.h>

#include <atomic>

namespace glcl {

/// The frames that arrive at an element: whether each follows the one before it, and warnings, each
/// once a start, of those that are not as they should be. Streaming thread, but for `late`, and
/// for `warn_of_pixels` on the GL thread.
class FrameContinuity {
 public:
  /// A new start.
  void start();
  /// A flush.
  void flush() { late_until_ = 0; }

  /// Whether the frame does not follow the one that arrived before it, in the direction of
  /// playback; with `gaps_break` not across a gap in time either.
  bool breaks(const GstSegment &segment, GstBuffer *buffer, bool gaps_break);
  /// Those behind had a frame of this running time so late, or that early where it is negative:
  /// elements ahead may drop frames. Any thread.
  void late(GstClockTime time, GstClockTimeDiff late);

  /// Whether a frame's lines are from two moments, which nobody has been told of.
  bool has_fields(const GstVideoInfo &info, GstBuffer *buffer) const;
  /// Warns of such frames.
  void warn_of_fields(GstElement *element, const GstVideoInfo &info);
  /// Warns where pixels are not square that `what` count as if they were; GL thread.
  void warn_of_pixels(GstElement *element, const GstVideoInfo &info, const char *what);
  /// Whether a frame has the size of its caps; warns of one that has not. GStreamer 1.22 lets such
  /// frames through when caps change while a pipeline restarts; the next ones are right again.
  bool has_size_of_caps(GstElement *element, const GstVideoInfo &info, GstBuffer *buffer);

 private:
  std::atomic<GstClockTime> late_until_{0};  // running time
  GstClockTime last_ = GST_CLOCK_TIME_NONE;
  bool warned_of_fields_ = false, warned_of_sizes_ = false, warned_of_pixels_ = false;
};

}  // namespace glcl
