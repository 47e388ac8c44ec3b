// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <chrono>
#include <memory>

#include "cl.h"

namespace glcl {

class Queue;

/// Limits the pending work of a queue, so that a stop waits only briefly. In long frames, or if the
/// duration is unknown, a launch is enqueued once the last but one is done, and long launches are
/// split into bands. Other launches are enqueued without waiting. One thread.
class LaunchThrottle {
 public:
  using Clock = std::chrono::steady_clock;
  using Seconds = std::chrono::duration<double>;

  /// Target duration of a band, and the limit above which a frame counts as long.
  static constexpr Seconds band{0.05};

  /// The throttle of this thread, or null.
  static LaunchThrottle *current();

  /// A launch: its work in any unit, and where to store the measured time per unit, or null.
  struct LaunchWork {
    double amount = 1;
    std::shared_ptr<Seconds> speed;
  };

  /// Encloses the launches of a frame on this thread.
  class FrameScope {
   public:
    FrameScope(LaunchThrottle &throttle, Queue &queue);
    ~FrameScope();
    FrameScope(const FrameScope &) = delete;

   private:
    LaunchThrottle &throttle_;
    Queue &queue_;
    LaunchThrottle *outer_;
  };

  /// Throttles the rest of the frame, because its launches were not measured yet.
  void throttle_frame() { frame_throttled_ = true; }
  bool is_throttled() const { return frame_throttled_; }
  /// Call after a throttled launch: waits for the previous launch and measures it.
  void launched(Queue &queue, const cl::Event &event, const LaunchWork &work);
  /// Waits until a band is done and returns its duration.
  Seconds time(Queue &queue, const cl::Event &band);

 private:
  void begin();
  void end(Queue &queue);
  Seconds wait_for(const cl::Event &event, Clock::time_point enqueued);

  bool frame_throttled_ = false;  // launches of this frame wait
  bool frame_was_slow_ = false;   // the last throttled frame took longer than `band`
  cl::Event last_launch_;         // of a throttled frame
  LaunchWork last_work_;
  Clock::time_point last_enqueued_;
  cl::Event end_marker_;  // after a frame that was not throttled
  Clock::time_point frame_begin_, marker_enqueued_;
  Clock::time_point device_free_;  // when the last measured launch was done
};

}  // namespace glcl
