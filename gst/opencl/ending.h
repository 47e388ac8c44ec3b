// SPDX-License-Identifier: LGPL-2.1-or-later
// The end of the process. exit() destroys what drivers hold while other threads still compile and
// compute with it, so it waits for those first, 10 s at most, and nothing new begins.
#pragma once

#include "cl.h"

namespace glcl {

/// Work of a driver that exit() waits for.
class DriverWork {
 public:
  /// Throws Error::failed once the process ends.
  DriverWork();
  ~DriverWork();
  DriverWork(const DriverWork &) = delete;
};

/// A queue whose work exit() waits for, while this lives.
class QueueWork {
 public:
  explicit QueueWork(const cl::CommandQueue &queue);
  ~QueueWork();
  QueueWork(const QueueWork &) = delete;

 private:
  const cl_command_queue queue_;
};

/// Has exit() wait. What drivers set up before is destroyed after that, what they set up later is
/// not: to be called again when they have.
void wait_at_exit();

}  // namespace glcl
