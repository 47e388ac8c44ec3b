// SPDX-License-Identifier: LGPL-2.1-or-later
#include "lumahistory.h"

#include "opencl/queuesync.h"

namespace glcl::motion {

LumaHistory::LumaHistory(Context &context, int width, int height, const FrameFormat &frame)
    : converter_(context, frame) {
  for (int i = 0; i < 2; i++) planes_.push_back(make_plane(context.cl(), width, height));
}

void LumaHistory::keep(const cl::Context &context, size_t count) {
  while (planes_.size() < count)
    planes_.push_back(make_plane(context, planes_[0].width, planes_[0].height));
  plane_ends_.resize(planes_.size());
}

/// Makes the queue wait until the plane for this frame is free. Also marks the end of the use of
/// the last frame.
void LumaHistory::wait_for_plane(Queue &queue) {
  const size_t count = planes_.size();
  if (last_queue_) {
    last_queue_->cl().enqueueMarkerWithWaitList(nullptr, &plane_ends_[(number_ - 1) % count]);
    last_queue_->cl().flush();
  }
  // The earlier frame in this plane was also the reference of its successor.
  const std::vector<cl::Event> end{plane_ends_[(number_ + 1) % count]};
  if (end[0]()) queue.cl().enqueueBarrierWithWaitList(&end);
}

void LumaHistory::add(Queue &queue, Queue &results, const Picture &in) {
  if (!plane_ends_.empty()) wait_for_plane(queue);
  converter_.run(queue, in, current());
  wait_for(results, queue);
  if (plane_ends_.empty()) return;
  if (last_queue_) wait_for(results, *last_queue_);  // differs from `results` if that changed
  last_queue_ = results.shared_from_this();
}

}  // namespace glcl::motion
