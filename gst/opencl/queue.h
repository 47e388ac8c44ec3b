// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cl.h"
#include "context.h"

namespace glcl {

/// Mean and maximum of the times under one name, in ns.
struct Timing {
  uint64_t count = 0, sum = 0, max = 0;
  void add(uint64_t ns);
  uint64_t mean() const { return count ? sum / count : 0; }
};

/// An in-order command queue. With `profile` every kernel is timed by an OpenCL event.
class Queue : public std::enable_shared_from_this<Queue> {
 public:
  explicit Queue(std::shared_ptr<Context> context, bool profile = false);

  Context &context() const { return *context_; }
  const cl::CommandQueue &cl() const { return queue_; }
  bool profiles() const { return profile_; }

  /// The event for a kernel of this name; null without profiling. `continues`: the launch continues
  /// the previous one.
  cl::Event *event(const std::string &kernel, bool continues = false);
  /// Adds the times of all kernels since the last call to `timings`; waits for these kernels.
  void collect(std::map<std::string, Timing> &timings);

 private:
  /// A timed launch: its kernel, and an event for each of its parts.
  struct Launch {
    std::string kernel;
    std::vector<std::unique_ptr<cl::Event>> parts;
  };

  std::shared_ptr<Context> context_;
  cl::CommandQueue queue_;
  bool profile_;
  std::vector<Launch> launches_;
};

}  // namespace glcl
