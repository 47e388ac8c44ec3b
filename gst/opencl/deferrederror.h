// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <exception>
#include <mutex>
#include <utility>

namespace glcl {

/// What became of work that others do for a queue. The queue's commands go on in any case, because
/// OpenCL leaves open what works after one that was made to fail; so whoever takes results asks
/// here first. From any thread.
class DeferredError {
 public:
  /// The first failure counts.
  void set_failure(std::exception_ptr failure) {
    const std::lock_guard lock(mutex_);
    if (!failure_) failure_ = std::move(failure);
  }
  /// Throws what went wrong, if anything did. Known once the queue has come past the work.
  void check() const {
    const std::lock_guard lock(mutex_);
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  mutable std::mutex mutex_;
  std::exception_ptr failure_;
};

}  // namespace glcl
