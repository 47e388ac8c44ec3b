// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

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
  /// The context of a device without relation to OpenGL, one for the whole process while in use.
  static std::shared_ptr<Context> of_device(const Device &device);

  /// A context with properties of its own, for instance those of a GL context (without the
  /// terminating 0; CL_CONTEXT_PLATFORM is added). It needs `keep`. Throws Error::failed.
  explicit Context(const Device &device, std::vector<cl_context_properties> properties = {},
                   std::shared_ptr<void> keep = {});
  /// The same with another number of threads that build programs ahead.
  Context(const Device &device, std::vector<cl_context_properties> properties,
          std::shared_ptr<void> keep, unsigned compilers);

  /// The program of a kernel file (see kernel_source) with build options, one per context. Returns
  /// at once: it is built in the background, side by side with others, where the driver can do
  /// that, else where it is first needed. Throws Error::failed where there is no such file.
  Program program(const std::string &path, const std::string &options = {});
  /// Waits until no program is built in the background any more.
  void finish_programs() { compiler_pool_.finish(); }

  const Device &device() const { return device_; }
  const cl::Context &cl() const { return context_; }
  /// What it needs for as long as it lives; null where that is nothing.
  const std::shared_ptr<void> &keep() const { return keep_; }

 private:
  std::shared_ptr<void> keep_;
  Device device_;
  cl::Context context_;
  std::mutex mutex_;
  std::map<std::string, Program> programs_;
  CompilerPool compiler_pool_;
};

}  // namespace glcl
