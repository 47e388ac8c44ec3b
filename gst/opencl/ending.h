// SPDX-License-Identifier: LGPL-2.1-or-later
// The end of the process. exit() destroys what drivers hold while other threads still compile and
// compute with it, so the main thread waits for those first, 10 s at most, and nothing new begins.
#pragma once

#include "cl.h"

namespace glcl {

/// Work of a driver that the main thread waits for at its end.
class DriverWork {
 public:
  /// Throws Error::failed once the process ends.
  DriverWork();
  ~DriverWork();
  DriverWork(const DriverWork &) = delete;
};

/// A queue whose work it waits for, while this lives.
class QueueWork {
 public:
  explicit QueueWork(const cl::CommandQueue &queue);
  ~QueueWork();
  QueueWork(const QueueWork &) = delete;

 private:
  const cl_command_queue queue_;
};

/// Whether the main thread has come to its end: work is held, and later refused.
bool process_ends();

/// Has the calling thread wait at its end, where it is the main one. A handler of atexit() would
/// come too late: what a compiler sets up while it runs is destroyed before that.
void wait_at_end();
/// Has nothing begin any more once exit() comes to what drivers set up when they were loaded;
/// called when they are.
void refuse_at_exit();

}  // namespace glcl
