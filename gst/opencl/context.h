// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "cl.h"
#include "device.h"

namespace glcl {

/// An OpenCL context of one device and the programs built in it. Safe to use from several threads.
class Context : public std::enable_shared_from_this<Context> {
 public:
  /// The context of a device without relation to OpenGL, one for the whole process while in use.
  static std::shared_ptr<Context> of_device(const Device &device);

  /// A context with properties of its own, for instance those of a GL context (without the
  /// terminating 0; CL_CONTEXT_PLATFORM is added). Throws Error::failed.
  explicit Context(const Device &device, std::vector<cl_context_properties> properties = {});

  /// The program of a kernel file (see kernel_source) with build options. Built at the first call
  /// only: once per context, and compiled from source once per process and device (other contexts
  /// reuse the binary; on PoCL they reuse its own cache). Throws Error::failed with the build log
  /// as detail.
  cl::Program program(const std::string &path, const std::string &options = {});

  const Device &device() const { return device_; }
  const cl::Context &cl() const { return context_; }

 private:
  Device device_;
  cl::Context context_;
  std::mutex mutex_;
  std::map<std::string, cl::Program> programs_;
};

/// How often a program was compiled from source in this process.
unsigned programs_compiled();

}  // namespace glcl
