// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "context.h"

namespace glcl {

/// Host memory that a device's transfers reach directly, mapped for as long as it lives: to and
/// from any other, drivers wait inside a call that says it does not.
class Pinned {
 public:
  Pinned(const cl::Context &context, const cl::CommandQueue &mapping, size_t bytes);
  ~Pinned();
  Pinned(const Pinned &) = delete;

  size_t bytes() const { return bytes_; }
  void *data() const { return data_; }
  /// Where it was mapped.
  const cl::CommandQueue &mapping() const { return queue_; }

 private:
  cl::CommandQueue queue_;
  cl::Buffer memory_;
  size_t bytes_;
  void *data_;
};

/// Pinned memory of one size, used again where the last user has let go of it. From any thread.
class PinnedPool {
 public:
  PinnedPool(Context &context, size_t bytes);

  /// Allocates where all that there is is in use. Throws cl::Error.
  std::shared_ptr<Pinned> take();

 private:
  std::mutex mutex_;
  cl::Context context_;
  cl::CommandQueue mapping_;  // nothing else
  size_t bytes_;
  std::vector<std::shared_ptr<Pinned>> all_;
};

}  // namespace glcl
