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

/// A program that is compiled on first use, unless it was compiled in advance. Copies share one
/// program. Safe to use from several threads.
class Program {
 public:
  Program() = default;
  /// `text` is the source of the kernel file `path` (see kernel_source); `keep` stays alive until
  /// the compiler is done.
  Program(const cl::Context &context, const Device &device, const std::string &path,
          const std::string &text, const std::string &options, std::shared_ptr<void> keep = {});

  explicit operator bool() const { return build_ != nullptr; }

  /// The compiled program; waits for the compiling thread. Each source is compiled once per process
  /// and device: other contexts reuse the binary, except with PoCL, which has its own cache. Throws
  /// Error::failed with the build log as detail, and Stopped if the work of this thread should end
  /// first.
  const cl::Program &get() const;
  const Device &device() const;
  /// True if other copies of it exist.
  bool is_shared() const { return build_.use_count() > 1; }

  /// Compiles the program unless that is done or running; get() throws a failure.
  void build_ahead() const;

 private:
  class Build;
  std::shared_ptr<Build> build_;
};

/// The threads of a context that build programs ahead, in parallel. A single one leaves the driver
/// to threads that need a program now.
class CompilerPool {
 public:
  /// The useful number of threads for the driver: one if its compiler takes one program at a time,
  /// 0 if even that would delay urgent programs.
  static unsigned useful_threads(const Device &device);

  explicit CompilerPool(unsigned most) : max_threads_(most) {}
  /// Does not wait for running compilers; programs not yet started stay uncompiled.
  ~CompilerPool();
  CompilerPool(const CompilerPool &) = delete;

  void add(const Program &program);
  /// Waits until everything is compiled.
  void finish();

 private:
  void work();
  void wait_for_urgent(std::unique_lock<std::mutex> &lock);

  const unsigned max_threads_;
  Stop stop_;
  std::mutex mutex_;  // guards the members below
  std::condition_variable wake_, done_;
  std::deque<Program> waiting_;
  unsigned idle_ = 0;
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

/// Records the programs that this thread requests from contexts during its lifetime.
class ProgramRecorder {
 public:
  ProgramRecorder();
  ~ProgramRecorder();
  ProgramRecorder(const ProgramRecorder &) = delete;

  /// Waits until all recorded programs are compiled. Rethrows the first failure.
  void build() const;

  static void record(const Program &program);

 private:
  std::vector<Program> programs_;
  ProgramRecorder *outer_;
};

/// The build option that defines a macro, after a blank.
inline std::string define(const std::string &name, int value) {
  return " -D" + name + "=" + std::to_string(value);
}

/// Number of programs compiled from source in this process.
unsigned programs_compiled();

}  // namespace glcl
