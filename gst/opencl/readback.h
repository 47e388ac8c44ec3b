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

/// Small results on their way from the device to the host, without anybody waiting for them: a read
/// is enqueued into pinned memory (into any other, drivers wait inside a call that says it does
/// not), and whoever asks later takes what has arrived. May be used from several threads: results
/// are handed on in order, one at a time, and no lock is held meanwhile.
class Readback {
 public:
  /// Sees the bytes of a read; they are gone when it returns. May throw, on who called deliver().
  using Take = std::function<void(const void *bytes)>;

  Readback();
  ~Readback();
  Readback(const Readback &) = delete;

  /// Makes room for `slots` reads of up to `bytes` each. Reads under way stay under way.
  void allocate(Context &context, size_t bytes, int slots);

  /// Enqueues a read of the buffer's first `bytes`. Never waits; allocates only where more reads
  /// are under way than there is room for.
  void read(Queue &queue, const cl::Buffer &from, size_t bytes, Take take);

  /// Asks `deferred_error` when the queue has come to here, and before anything read later is
  /// handed on. Counts as a read. Never waits.
  void check_deferred(Queue &queue, std::shared_ptr<const DeferredError> deferred_error);

  /// Hands on what has arrived, in the order of read(), and waits for the oldest while more than
  /// `under_way` are left. Throws cl::Error where a read failed, and deferred errors; of
  /// what is under way then nothing is handed on. A Take that calls it waits for nothing.
  void deliver(size_t under_way);
  /// Hands on what has arrived of what deliver() has seen, and waits for nothing; true while some
  /// of that is left. Throws as deliver() does.
  bool poll();
  /// Whether a read has failed since drop().
  bool failed();
  /// Whatever has not been handed on never is: waits for a Take on another thread.
  void drop();
  /// Drops everything, waits for the device to be done with the memory and frees it.
  void clear();

 private:
  struct Read {
    std::unique_ptr<Pinned> slot;
    cl::Event arrived;
    Take take;
    std::shared_ptr<const DeferredError> deferred_error;
  };

  std::unique_ptr<Pinned> slot(size_t bytes);
  void wait(const Read &read);
  void hand_on(std::unique_lock<std::mutex> &lock, size_t under_way);
  void hand_on_first(std::unique_lock<std::mutex> &lock);

  std::mutex mutex_;
  std::condition_variable handed_on_;
  std::thread::id delivering_;  // at a Take, or none
  bool failed_ = false;
  cl::Context context_;
  cl::CommandQueue mapping_;  // maps pinned memory, nothing else
  size_t bytes_ = 0;
  std::vector<std::unique_ptr<Pinned>> free_;
  std::deque<Read> reads_;
  size_t seen_ = 0;  // by deliver(), of `reads_`
};

}  // namespace glcl
