// SPDX-License-Identifier: LGPL-2.1-or-later
#include "launchthrottle.h"

#include <algorithm>
#include <utility>

#include "queue.h"
#include "stop.h"
#include "waiting.h"

namespace glcl {

namespace {

thread_local LaunchThrottle *current_throttle = nullptr;

bool is_done(const cl::Event &event) {
  return event.getInfo<CL_EVENT_COMMAND_EXECUTION_STATUS>() <= CL_COMPLETE;
}

}  // namespace

LaunchThrottle *LaunchThrottle::current() { return current_throttle; }

LaunchThrottle::FrameScope::FrameScope(LaunchThrottle &throttle, Queue &queue)
    : throttle_(throttle), queue_(queue), outer_(std::exchange(current_throttle, &throttle)) {
  try {
    throttle_.begin();
  } catch (...) {
    current_throttle = outer_;
    throw;
  }
}

LaunchThrottle::FrameScope::~FrameScope() {
  current_throttle = outer_;
  throttle_.end(queue_);
}

/// The previous frame predicts whether this one takes long.
void LaunchThrottle::begin() {
  frame_begin_ = Clock::now();
  frame_throttled_ = std::exchange(frame_was_slow_, false);
  if (!end_marker_()) return;
  const bool late = !is_done(end_marker_);
  if (late && frame_begin_ - marker_enqueued_ < band) return;
  frame_throttled_ = frame_throttled_ || late;
  if (late) wait_noexcept(end_marker_);  // the frame itself reports a failure
  end_marker_ = {};
}

void LaunchThrottle::end(Queue &queue) {
  const auto now = Clock::now();
  if (frame_throttled_) frame_was_slow_ = now - frame_begin_ > band;
  // One marker per band's time is enough to notice late frames, so quick frames share it.
  if (frame_was_slow_ || end_marker_() || now - marker_enqueued_ < band) return;
  // If the marker fails, the next frame counts as quick.
  if (clEnqueueMarkerWithWaitList(queue.cl()(), 0, nullptr, &end_marker_()) == CL_SUCCESS)
    marker_enqueued_ = now;
}

/// Waits for the launch and returns its time; the queue runs in order.
LaunchThrottle::Seconds LaunchThrottle::wait_for(const cl::Event &event,
                                                 Clock::time_point enqueued) {
  wait(event);
  const auto now = Clock::now(), start = std::max(enqueued, device_free_);
  device_free_ = now;
  return now - start;
}

void LaunchThrottle::launched(Queue &queue, const cl::Event &event, const LaunchWork &work) {
  queue.cl().flush();
  const auto now = Clock::now();
  if (last_launch_()) {
    const Seconds took = wait_for(last_launch_, last_enqueued_);
    if (last_work_.speed) *last_work_.speed = took / last_work_.amount;
  }
  last_launch_ = event, last_work_ = work, last_enqueued_ = now;
  Stop::check();
}

LaunchThrottle::Seconds LaunchThrottle::time(Queue &queue, const cl::Event &band) {
  last_launch_ = {};
  queue.cl().flush();
  const Seconds took = wait_for(band, Clock::now());
  Stop::check();
  return took;
}

}  // namespace glcl
