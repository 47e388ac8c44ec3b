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
  begun_ = Clock::now();
  careful_ = std::exchange(slow_, false);
  if (!end_()) return;
  const bool late = !is_done(end_);
  if (late && begun_ - ended_ < band) return;
  careful_ = careful_ || late;
  if (late) settle(end_);  // the frame itself reports a failure
  end_ = {};
}

void LaunchThrottle::end(Queue &queue) {
  const auto now = Clock::now();
  if (careful_) slow_ = now - begun_ > band;
  // One marker per band's time is enough to notice late frames, so quick frames share it.
  if (slow_ || end_() || now - ended_ < band) return;
  // If the marker fails, the next frame counts as quick.
  if (clEnqueueMarkerWithWaitList(queue.cl()(), 0, nullptr, &end_()) == CL_SUCCESS) ended_ = now;
}

/// Waits for the launch and returns its time; the queue runs in order.
LaunchThrottle::Seconds LaunchThrottle::wait_for(const cl::Event &event,
                                                 Clock::time_point enqueued) {
  wait(event);
  const auto now = Clock::now(), start = std::max(enqueued, free_);
  free_ = now;
  return now - start;
}

void LaunchThrottle::launched(Queue &queue, const cl::Event &event, const LaunchWork &work) {
  queue.cl().flush();
  const auto now = Clock::now();
  if (before_()) {
    const Seconds took = wait_for(before_, enqueued_);
    if (work_.speed) *work_.speed = took / work_.amount;
  }
  before_ = event, work_ = work, enqueued_ = now;
  Stop::check();
}

LaunchThrottle::Seconds LaunchThrottle::time(Queue &queue, const cl::Event &band) {
  before_ = {};
  queue.cl().flush();
  const Seconds took = wait_for(band, Clock::now());
  Stop::check();
  return took;
}

}  // namespace glcl
