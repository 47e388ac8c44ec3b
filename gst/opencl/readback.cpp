// SPDX-License-Identifier: LGPL-2.1-or-later
#include "readback.h"

#include <algorithm>
#include <utility>

#include "waiting.h"

namespace glcl {

Readback::Readback() = default;
Readback::~Readback() { clear(); }

void Readback::allocate(Context &context, size_t bytes, int slots) {
  const std::lock_guard lock(mutex_);
  bytes = std::max<size_t>(bytes, 1);
  if (!pool_ || pool_->context()() != context.cl()() || pool_->bytes() != bytes)
    pool_ = std::make_unique<PinnedPool>(context, bytes);
  pool_->reserve(size_t(slots));
}

void Readback::read(Queue &queue, const cl::Buffer &from, size_t bytes, Take take) {
  const std::lock_guard lock(mutex_);
  if (!pool_ || bytes > pool_->bytes())
    pool_ = std::make_unique<PinnedPool>(queue.context(), bytes);
  Read read{pool_->take(), {}, std::move(take), {}};
  queue.cl().enqueueReadBuffer(from, CL_FALSE, 0, bytes, read.slot->data(), nullptr, &read.arrived);
  reads_.push_back(std::move(read));
}

void Readback::check_deferred(Queue &queue, std::shared_ptr<const DeferredError> deferred_error) {
  const std::lock_guard lock(mutex_);
  Read read{{}, {}, {}, std::move(deferred_error)};
  queue.cl().enqueueMarkerWithWaitList(nullptr, &read.arrived);
  reads_.push_back(std::move(read));
}

void Readback::wait(const Read &read) {
  try {
    glcl::wait(read.arrived);
    if (read.deferred_error) read.deferred_error->check();
  } catch (...) {
    // After a failed wait the device may still use the memory.
    wait_noexcept(read.arrived);
    throw;
  }
}

void Readback::deliver_first(std::unique_lock<std::mutex> &lock) {
  Read read = std::move(reads_.front());
  reads_.pop_front();
  deliverable_--;
  delivering_ = std::this_thread::get_id();
  lock.unlock();
  std::exception_ptr failure;
  try {
    wait(read);
    if (read.take) read.take(read.slot->data());
  } catch (...) {
    failure = std::current_exception();
  }
  lock.lock();
  delivering_ = {};
  delivered_.notify_all();
  if (!failure) return;
  failed_ = true;
  for (Read &other : reads_) other.take = nullptr;
  std::rethrow_exception(failure);
}

void Readback::deliver_arrived(std::unique_lock<std::mutex> &lock, size_t max_pending) {
  if (delivering_ == std::this_thread::get_id()) return;
  for (;;) {
    const bool busy = delivering_ != std::thread::id();
    const bool may_stay = deliverable_ + busy <= max_pending;
    if (!busy) {
      if (!deliverable_) return;
      const auto status = reads_.front().arrived.getInfo<CL_EVENT_COMMAND_EXECUTION_STATUS>();
      if (status > CL_COMPLETE && may_stay) return;
      deliver_first(lock);
    } else if (may_stay) {
      return;  // that thread delivers the rest
    } else {
      delivered_.wait(lock);
    }
  }
}

void Readback::deliver(size_t max_pending) {
  std::unique_lock lock(mutex_);
  deliverable_ = reads_.size();
  deliver_arrived(lock, max_pending);
}

bool Readback::poll() {
  std::unique_lock lock(mutex_);
  deliver_arrived(lock, ~size_t(0));
  return deliverable_ > 0;
}

bool Readback::failed() {
  const std::lock_guard lock(mutex_);
  return failed_;
}

void Readback::drop() {
  std::unique_lock lock(mutex_);
  for (Read &read : reads_) read.take = nullptr;
  const auto self = std::this_thread::get_id();
  delivered_.wait(lock, [&] { return delivering_ == std::thread::id() || delivering_ == self; });
  failed_ = false;
}

void Readback::clear() {
  const std::lock_guard lock(mutex_);
  for (const Read &read : reads_) wait_noexcept(read.arrived);
  reads_.clear();
  deliverable_ = 0;
  pool_.reset();
}

}  // namespace glcl
