// SPDX-License-Identifier: LGPL-2.1-or-later
#include "readback.h"

#include <algorithm>
#include <utility>

namespace glcl {

Readback::Readback() = default;
Readback::~Readback() { clear(); }

void Readback::allocate(Context &context, size_t bytes, int slots) {
  const std::lock_guard lock(mutex_);
  if (context_() != context.cl()()) {
    context_ = context.cl();
    mapping_ = cl::CommandQueue(context_, context.device().device);
    free_.clear();
  }
  bytes_ = std::max<size_t>(bytes, 1);
  free_.erase(std::remove_if(free_.begin(), free_.end(),
                             [&](const auto &slot) { return slot->bytes() != bytes_; }),
              free_.end());
  while (free_.size() < size_t(slots))
    free_.push_back(std::make_unique<Pinned>(context_, mapping_, bytes_));
}

std::unique_ptr<Pinned> Readback::slot(size_t bytes) {
  if (free_.empty() || bytes > bytes_)
    return std::make_unique<Pinned>(context_, mapping_, std::max(bytes, bytes_));
  std::unique_ptr<Pinned> slot = std::move(free_.back());
  free_.pop_back();
  return slot;
}

void Readback::read(Queue &queue, const cl::Buffer &from, size_t bytes, Take take) {
  const std::lock_guard lock(mutex_);
  Read read{slot(bytes), {}, std::move(take), {}};
  queue.cl().enqueueReadBuffer(from, CL_FALSE, 0, bytes, read.slot->data(), nullptr, &read.arrived);
  reads_.push_back(std::move(read));
}

void Readback::follow(Queue &queue, std::shared_ptr<const Outcome> outcome) {
  const std::lock_guard lock(mutex_);
  Read read{{}, {}, {}, std::move(outcome)};
  queue.cl().enqueueMarkerWithWaitList(nullptr, &read.arrived);
  reads_.push_back(std::move(read));
}

void Readback::wait(const Read &read) {
  try {
    read.arrived.wait();
    if (read.outcome) read.outcome->check();
  } catch (...) {
    // A wait may fail before the device is done with the memory.
    clWaitForEvents(1, &read.arrived());
    drop();
    throw;
  }
}

void Readback::deliver(size_t under_way) {
  std::unique_lock lock(mutex_);
  while (!reads_.empty()) {
    const cl_int status = reads_.front().arrived.getInfo<CL_EVENT_COMMAND_EXECUTION_STATUS>();
    if (status > CL_COMPLETE && reads_.size() <= under_way) return;
    Read read = std::move(reads_.front());
    reads_.pop_front();
    lock.unlock();
    wait(read);
    if (read.take) read.take(read.slot->data());
    lock.lock();
    if (read.slot && read.slot->mapping()() == mapping_() && read.slot->bytes() == bytes_)
      free_.push_back(std::move(read.slot));
  }
}

void Readback::drop() {
  const std::lock_guard lock(mutex_);
  for (Read &read : reads_) read.take = nullptr;
}

void Readback::clear() {
  const std::lock_guard lock(mutex_);
  for (const Read &read : reads_) clWaitForEvents(1, &read.arrived());
  reads_.clear();
  free_.clear();
  context_ = {};
  mapping_ = {};
  bytes_ = 0;
}

}  // namespace glcl
