// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "cl.h"
#include "device.h"
#include "program.h"

namespace glcl {

/// An OpenCL context of one device and the programs built in it. Safe to use from several threads.
class Context : public std::enable_shared_from_this<Context> {
 public:
  /// The number of programs above which it drops those that are not in use: GLCL_KEPT_PROGRAMS, or
  /// 32.
  static size_t max_programs();

  /// The context of a device without OpenGL; the whole process shares one while it is in use. That
  /// of a CPU remains until the process ends, so later pipelines start without a compilation; not
  /// if max_programs() is 0.
  static std::shared_ptr<Context> of_device(const Device &device);

  /// Creates a context with these properties, for example those of a GL context (without the
  /// terminating 0; CL_CONTEXT_PLATFORM is added). It keeps `keep` alive. Throws Error::failed.
  explicit Context(const Device &device, std::vector<cl_context_properties> properties = {},
                   std::shared_ptr<void> keep = {});
  /// The same with a given number of threads that compile programs in advance.
  Context(const Device &device, std::vector<cl_context_properties> properties,
          std::shared_ptr<void> keep, unsigned compilers);

  /// The program of a kernel file (see kernel_source) with build options, one per context. Returns
  /// at once: the program compiles in the background, in parallel with others if the driver
  /// supports it, otherwise on first use. Throws Error::failed if the file does not exist.
  Program program(const std::string &path, const std::string &options = {});
  /// Waits until all background compilation has finished.
  void finish_programs() { compiler_pool_.finish(); }

  /// A queue for releases: they wait only for their own events, not for later kernels.
  const cl::CommandQueue &releasing_queue();

  const Device &device() const { return device_; }
  const cl::Context &cl() const { return context_; }
  /// Object that it keeps alive, or null.
  const std::shared_ptr<void> &keep() const { return keep_; }

 private:
  struct Entry {
    Program program;
    uint64_t last_request;
  };

  /// Drops the programs that were not requested for the longest time, except those in use.
  void drop_unused();

  std::shared_ptr<void> keep_;
  Device device_;
  cl::Context context_;
  std::mutex mutex_;  // guards the next three
  uint64_t requests_ = 0;
  std::map<std::string, Entry> programs_;
  cl::CommandQueue releasing_queue_;
  CompilerPool compiler_pool_;
};

}  // namespace glcl
