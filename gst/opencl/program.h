// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "cl.h"
#include "device.h"
#include "stop.h"

namespace glcl {

/// A program that is built where it is first needed, unless somebody has built it ahead of that.
/// Copies are of one program. Safe to use from several threads.
class Program {
 public:
  Program() = default;
  /// `text` is that of the kernel file `path` (see kernel_source); the context needs `keep`, which
  /// lives until the compiler is done.
  Program(const cl::Context &context, const Device &device, const std::string &path,
          const std::string &text, const std::string &options, std::shared_ptr<void> keep = {});

  explicit operator bool() const { return build_ != nullptr; }

  /// The built program: waits for the thread that builds it. Compiled from source once per process
  /// and device: other contexts reuse the binary, but for PoCL's, which keeps what it has built
  /// itself. Throws Error::failed with the build log as detail, and Stopped where the work of this
  /// thread is to end before the compiler has.
  const cl::Program &get() const;
  const Device &device() const;

  /// Builds it unless that has been done or begun; get() tells of a failure.
  void build_ahead() const;

 private:
  class Build;
  std::shared_ptr<Build> build_;
};

/// Threads of a context that build programs ahead, side by side. One alone leaves the driver to
/// those who need a program now.
class CompilerPool {
 public:
  /// As many as the device's driver has use for: one where its compiler takes one program at a
  /// time, none where even that would keep those waiting whose program is needed now.
  static unsigned wanted(const Device &device);

  explicit CompilerPool(unsigned most) : max_threads_(most) {}
  /// Leaves the programs that are being built to the compiler; others stay unbuilt.
  ~CompilerPool();
  CompilerPool(const CompilerPool &) = delete;

  void add(const Program &program);
  /// Waits until there is nothing left to build.
  void finish();

 private:
  void work();
  void leave_to_needed(std::unique_lock<std::mutex> &lock);

  const unsigned max_threads_;
  Stop stop_;
  std::mutex mutex_;  // of all below
  std::condition_variable wake_, done_;
  std::deque<Program> waiting_;
  unsigned idle_ = 0;
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

/// Notes the programs that its thread asks contexts for while it lives.
class ProgramRecorder {
 public:
  ProgramRecorder();
  ~ProgramRecorder();
  ProgramRecorder(const ProgramRecorder &) = delete;

  /// Waits until all of them are built. Throws what the first failure threw.
  void build() const;

  static void note(const Program &program);

 private:
  std::vector<Program> programs_;
  ProgramRecorder *outer_;
};

/// How often a program was compiled from source in this process.
unsigned programs_compiled();

}  // namespace glcl
