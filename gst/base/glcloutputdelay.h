// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/video/video.h>

#include <atomic>
#include <functional>
#include <utility>

#include "glclwaitingframes.h"
#include "gstglclfilter.h"

namespace glcl {

/// The delay of an element's output by WaitingClass::delay: frames that wait, events between
/// them, and the latency that the element reports. Streaming thread, unless noted.
class OutputDelay {
 public:
  /// Renders and pushes a frame. Takes ownership.
  using Push = std::function<GstFlowReturn(const WaitingFrames::WaitingFrame &frame)>;

  /// `forget`: drops the element's own copies of the frames that wait.
  OutputDelay(GstGLCLFilter *element, Push push, std::function<void()> forget)
      : element_(element), push_(std::move(push)), forget_(std::move(forget)) {}

  /// A new start.
  void start();
  /// Keeps the mark of a discontinuity with its frame if that may wait: the base class would set it
  /// on the next frame that leaves. Call it for every frame that arrives.
  void take_discontinuity(GstPadProbeInfo *info);
  /// The caps of the next frames.
  void set_info(const GstVideoInfo &info);

  /// Call it before each frame: takes its delay, and makes the pipeline ask for the latency if that
  /// has changed.
  void begin_frame(GstBuffer *frame);
  /// The delay of the current frame, frames.
  int frames() const { return frames_; }
  /// True if the current frame waits or earlier ones do.
  bool is_active() const { return frames_ > 0 || !waiting_.empty(); }

  /// Sets the mark of the current frame, which leaves at once.
  void restore_discontinuity(GstBuffer **frame);
  /// Adds a processed frame, and pushes those that are due. `with_metas`: the frame with its
  /// timestamps, flags and metas.
  GstFlowReturn add(GstBuffer *with_metas, WaitingFrames::Clock::time_point arrival);
  /// Pushes those that are due although the frame with this timestamp was dropped.
  GstFlowReturn skip(GstClockTime timestamp);
  /// Pushes everything.
  GstFlowReturn drain();
  /// Drops everything.
  void drop();
  /// The element has lost the frames that wait: drops them later. Any thread.
  void lose() { lost_ = true; }
  /// Keeps an event that follows a waiting frame; false if none waits. Takes ownership if true.
  bool keep(GstEvent *event);

  /// The delay in time; 0 if the duration of a frame is unknown. Any thread.
  GstClockTime latency() const;
  /// Adds the latency to the answer of a query. Any thread.
  void add_to(GstQuery *query);
  /// Returns the QoS event for elements before the delay: the lateness of a frame is that of the
  /// frame which arrives as it leaves. Takes ownership. Any thread.
  GstEvent *before_delay(GstEvent *qos) const;

 private:
  int current_delay() const;
  GstFlowReturn release(const std::function<bool()> &is_due);

  GstGLCLFilter *element_;
  const Push push_;
  const std::function<void()> forget_;
  WaitingFrames waiting_;
  int frames_ = 0;
  bool discontinuous_ = false;             // the current frame
  bool has_rate_ = false;                  // in the caps
  std::atomic<bool> lost_{false};          // the frames that wait
  std::atomic<GstClockTime> duration_{0};  // of a frame; 0: unknown
  std::atomic<GstClockTime> reported_{0};  // latency in the last answer or message
};

}  // namespace glcl
