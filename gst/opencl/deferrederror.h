// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <exception>
#include <mutex>
#include <utility>

namespace glcl {

/// Deferred error of work done on other queues or threads. The queue's commands continue in any
/// case, because OpenCL does not define behaviour after a failed user event. So the error is
/// checked before results are read. From any thread.
class DeferredError {
 public:
  /// The first failure counts.
  void set_failure(std::exception_ptr failure) {
    const std::lock_guard lock(mutex_);
    if (!failure_) failure_ = std::move(failure);
  }
  /// Throws the error, if any. It is known once the queue has passed the work.
  void check() const {
    const std::lock_guard lock(mutex_);
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  mutable std::mutex mutex_;
  std::exception_ptr failure_;
};

}  // namespace glcl
