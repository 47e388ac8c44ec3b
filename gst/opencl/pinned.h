// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "context.h"

namespace glcl {

/// Host memory with direct access for the device's transfers, mapped during its lifetime. With
/// other memory, drivers block in calls that should not block.
class Pinned {
 public:
  Pinned(const cl::Context &context, const cl::CommandQueue &mapping, size_t bytes);
  ~Pinned();
  Pinned(const Pinned &) = delete;

  size_t bytes() const { return bytes_; }
  void *data() const { return data_; }

 private:
  cl::CommandQueue queue_;
  cl::Buffer memory_;
  size_t bytes_;
  void *data_;
};

/// A pool of pinned memory of one size, reused after the last user has released it. From any
/// thread.
class PinnedPool {
 public:
  PinnedPool(Context &context, size_t bytes);

  size_t bytes() const { return bytes_; }
  const cl::Context &context() const { return context_; }

  /// Allocates until there are `count`. Throws cl::Error.
  void reserve(size_t count);
  /// Allocates more memory if all is in use. Throws cl::Error.
  std::shared_ptr<Pinned> take();

 private:
  void add();

  std::mutex mutex_;
  cl::Context context_;
  cl::CommandQueue mapping_;  // used for mapping only
  size_t bytes_;
  std::vector<std::shared_ptr<Pinned>> all_;
};

}  // namespace glcl
