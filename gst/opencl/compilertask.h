// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "cl.h"
#include "device.h"

namespace glcl {

/// A program that a thread of its own compiles. Who waits for it may leave, and does where the
/// compiler has worked on one program for five times GLCL_DEVICE_TIMEOUT (waiting.h). Any thread.
class CompilerTask {
 public:
  /// Begins with `compile`, which keeps alive what it needs; after others, where the driver is to
  /// compile one program at a time. `name` names it in errors.
  CompilerTask(std::string name, const cl::Context &context, const Device &device,
               std::function<cl::Program()> compile);

  /// Throws what `compile` throws, Error::failed where the compiler is given up, and the context
  /// left, and Stopped where the work of this thread is to end first.
  cl::Program get() const;
  /// Whether it never began since all who waited for it have left; get() throws Stopped then.
  bool dropped() const;

 private:
  struct Progress;
  std::shared_ptr<Progress> progress_;
};

/// Whether programs are to be built one at a time: PoCL's compiler keeps others of the context
/// waiting in any case. It and rusticl's share LLVM's global state among all contexts.
bool builds_singly(const Device &device);

}  // namespace glcl
