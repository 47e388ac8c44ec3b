// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "cl.h"
#include "device.h"

namespace glcl {

/// Compiles a program on a separate thread. Threads that wait for it stop waiting on request, or if
/// the compiler works on one program longer than five times GLCL_DEVICE_TIMEOUT (waiting.h). Any
/// thread.
class CompilerTask {
 public:
  /// Starts `compile`, which must own everything it needs; it is queued if the driver should
  /// compile one program at a time. `name` is used in errors.
  CompilerTask(std::string name, const cl::Context &context, const Device &device,
               std::function<cl::Program()> compile);

  /// Throws the exceptions of `compile`, Error::failed if the compiler timed out and the context
  /// was abandoned, and Stopped if the work of this thread should end first.
  cl::Program get() const;
  /// True if it never started because all waiting threads left; get() then throws Stopped.
  bool dropped() const;

 private:
  struct Progress;
  std::shared_ptr<Progress> progress_;
};

/// True if programs should be compiled one at a time: PoCL's compiler serialises those of a context
/// anyway. PoCL and rusticl share LLVM's global state among all contexts.
bool compiles_serially(const Device &device);

}  // namespace glcl
