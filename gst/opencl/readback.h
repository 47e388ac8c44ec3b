// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "deferrederror.h"
#include "pinned.h"
#include "queue.h"

namespace glcl {

/// Downloads small results without waiting: a read is enqueued into pinned memory (with other
/// memory drivers block), and a later call delivers the results that have arrived. Any thread.
/// Results are delivered in order, one at a time, without holding a lock.
class Readback {
 public:
  /// Receives the bytes of a read, which are valid during the call. Its exceptions reach the caller
  /// of deliver().
  using Take = std::function<void(const void *bytes)>;

  Readback();
  ~Readback();
  Readback(const Readback &) = delete;

  /// Allocates memory for `slots` reads of up to `bytes` each. Pending reads continue.
  void allocate(Context &context, size_t bytes, int slots);

  /// Enqueues a read of the buffer's first `bytes`. Never waits; allocates memory only if more
  /// reads are pending than there are slots.
  void read(Queue &queue, const cl::Buffer &from, size_t bytes, Take take);

  /// Checks `deferred_error` when the queue reaches this point, before any later read is delivered.
  /// Counts as a read. Never waits.
  void check_deferred(Queue &queue, std::shared_ptr<const DeferredError> deferred_error);

  /// Delivers the results that have arrived, in the order of read(), and waits for the oldest while
  /// more than `max_pending` are pending. Throws cl::Error if a read failed, and deferred errors;
  /// then pending results are not delivered. Called from a Take it does not wait.
  void deliver(size_t max_pending);
  /// Delivers results that have arrived among those known to deliver(), without waiting; true while
  /// some of these are pending. Throws like deliver().
  bool poll();
  /// True if a read has failed since drop().
  bool failed();
  /// Discards all pending reads; waits for a Take on another thread.
  void drop();
  /// Discards everything, waits until the device no longer uses the memory, and frees it.
  void clear();

 private:
  /// A pending download.
  struct Read {
    std::shared_ptr<Pinned> slot;
    cl::Event arrived;
    Take take;
    std::shared_ptr<const DeferredError> deferred_error;
  };

  void wait(const Read &read);
  void deliver_arrived(std::unique_lock<std::mutex> &lock, size_t max_pending);
  void deliver_first(std::unique_lock<std::mutex> &lock);

  std::mutex mutex_;
  std::condition_variable delivered_;
  std::thread::id delivering_;  // thread inside a Take, if any
  bool failed_ = false;
  std::unique_ptr<PinnedPool> pool_;
  std::deque<Read> reads_;
  size_t deliverable_ = 0;  // number of the first reads that deliver() and poll() may deliver
};

}  // namespace glcl
