// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pinned.h"

#include <atomic>

#include "waiting.h"

namespace glcl {

Pinned::Pinned(const cl::Context &context, const cl::CommandQueue &mapping, size_t bytes)
    : queue_(mapping),
      memory_(context, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, bytes),
      bytes_(bytes),
      data_(queue_.enqueueMapBuffer(memory_, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, bytes)) {}

Pinned::~Pinned() {
  clEnqueueUnmapMemObject(queue_(), memory_(), data_, 0, nullptr, nullptr);
  wait_noexcept(queue_);
}

PinnedPool::PinnedPool(Context &context, size_t bytes)
    : context_(context.cl()), mapping_(context_, context.device().device), bytes_(bytes) {}

void PinnedPool::add() { all_.push_back(std::make_shared<Pinned>(context_, mapping_, bytes_)); }

void PinnedPool::reserve(size_t count) {
  const std::lock_guard lock(mutex_);
  while (all_.size() < count) add();
}

std::shared_ptr<Pinned> PinnedPool::take() {
  const std::lock_guard lock(mutex_);
  for (const auto &pinned : all_)
    if (pinned.use_count() == 1) {
      std::atomic_thread_fence(std::memory_order_acquire);
      return pinned;
    }
  add();
  return all_.back();
}

}  // namespace glcl
