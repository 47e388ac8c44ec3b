// SPDX-License-Identifier: LGPL-2.1-or-later
// The end of the process. exit() destroys data of drivers while other threads still compile and
// compute with it. So the main thread first waits for those threads, up to 10 s, and no new work
// starts.
#pragma once

#include <functional>

#include "cl.h"

namespace glcl {

/// Work of a driver; the main thread waits for it at exit.
class DriverWork {
 public:
  /// Throws Error::failed once the process exits.
  DriverWork();
  ~DriverWork();
  DriverWork(const DriverWork &) = delete;
};

/// Work that waits for its turn on its own thread, and may end on another thread. The main thread
/// waits for it at exit; once process_exits(), it should end at once.
class PendingWork {
 public:
  PendingWork();
  ~PendingWork();
  PendingWork(const PendingWork &) = delete;
};

/// A queue; the main thread waits for its work at exit while this object lives.
class QueueWork {
 public:
  explicit QueueWork(const cl::CommandQueue &queue);
  ~QueueWork();
  QueueWork(const QueueWork &) = delete;

 private:
  const cl_command_queue queue_;
};

/// True if the main thread exits: new work is held, and later refused.
bool process_exits();

/// Makes the main thread wait at its end; does nothing on other threads. A handler of atexit()
/// would run too late: data that a compiler creates at run time is destroyed before.
void wait_at_exit();
/// Calls a function when the main thread has waited at its end, but not if some work still runs
/// then.
void call_at_exit(std::function<void()> function);
/// Refuses new work once exit() reaches the data that drivers created when loaded; call it after
/// loading them.
void refuse_at_exit();

}  // namespace glcl
