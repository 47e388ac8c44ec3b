// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <chrono>
#include <memory>

#include "cl.h"

namespace glcl {

class Queue;

/// Keeps short what a queue has been given for one user and has not done yet, so that who stops
/// waits for little of it. Where a frame takes long, or what it takes is not known yet, a launch is
/// enqueued when the last but one is done, and long ones in bands; all others as they come, without
/// a wait. One thread.
class LaunchThrottle {
 public:
  using Clock = std::chrono::steady_clock;
  using Seconds = std::chrono::duration<double>;

  /// That a band is to take, and from which on a frame takes long.
  static constexpr Seconds band{0.05};

  /// The one that launches of this thread keep, or null.
  static LaunchThrottle *current();

  /// A launch: how much work it is, in any unit, and where to put what a unit takes, if anywhere.
  struct LaunchWork {
    double amount = 1;
    std::shared_ptr<Seconds> speed;
  };

  /// Around the launches of a frame on this thread.
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

  /// For the rest of the frame: what is launched next was never measured.
  void be_careful() { careful_ = true; }
  bool is_careful() const { return careful_; }
  /// A launch of a careful frame has been enqueued: waits for the one before it, and measures that.
  void launched(Queue &queue, const cl::Event &event, const LaunchWork &work);
  /// Waits until a band is done, and gives the time it took.
  Seconds time(Queue &queue, const cl::Event &band);

 private:
  void begin();
  void end(Queue &queue);
  Seconds wait_for(const cl::Event &event, Clock::time_point enqueued);

  bool careful_ = false, slow_ = false;
  cl::Event before_;                 // the last launch of a careful frame
  LaunchWork work_;                  // what it does
  Clock::time_point enqueued_;       // and since when
  cl::Event end_;                    // of a frame that went without waits
  Clock::time_point begun_, ended_;  // the frame; the last `end_`
  Clock::time_point free_;           // until when the device is known to have been busy
};

}  // namespace glcl
