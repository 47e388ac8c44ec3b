// SPDX-License-Identifier: LGPL-2.1-or-later
#include "program.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <optional>
#include <utility>

#include "binarycache.h"
#include "compilertask.h"
#include "error.h"
#include "flaws.h"
#include "poclcache.h"
#include "stop.h"

namespace glcl {

namespace {

std::atomic<unsigned> compiled{0};

/// A thread's wait for a program. recent() is true while such a wait exists and shortly after it.
class UrgentBuild {
 public:
  UrgentBuild() { count++; }
  ~UrgentBuild() {
    soon();
    count--;
  }
  UrgentBuild(const UrgentBuild &) = delete;

  /// Reports that a thread may need a program soon.
  static void soon() { last = now(); }
  /// A thread that needs one program often needs another after the first launch.
  static bool recent() { return count || now() - last.load() < std::chrono::milliseconds(100); }

 private:
  using Clock = std::chrono::steady_clock;
  static Clock::duration now() { return Clock::now().time_since_epoch(); }

  static inline std::atomic<int> count{0};
  static inline std::atomic<Clock::duration> last{std::chrono::hours(-1)};
};

/// PoCL compiles every kernel before it returns the binary, and caches builds on disk anyway.
bool gives_binaries(const Device &device) { return !is_pocl(device); }

/// The compiler's log, or the reason why it is unknown.
std::string build_log(const cl::Program &program, const cl::Device &device) {
  try {
    return program.getBuildInfo<CL_PROGRAM_BUILD_LOG>(device);
  } catch (const cl::Error &error) {
    return "no build log: " + error_name(error.err());
  }
}

thread_local ProgramRecorder *recorder = nullptr;

}  // namespace

class Program::Build : public std::enable_shared_from_this<Build> {
 public:
  Build(cl::Context context, Device device, std::string path, std::string text, std::string options,
        std::shared_ptr<void> keep)
      : keep_(std::move(keep)),
        context_(std::move(context)),
        device_(std::move(device)),
        path_(std::move(path)),
        text_(std::move(text)),
        options_(std::move(options)) {}

  const Device &device() const { return device_; }

  const cl::Program &get() {
    for (std::optional<UrgentBuild> need;;) {
      std::unique_lock lock(mutex_);
      if (program_()) return program_;
      if (!need) need.emplace();
      const std::shared_ptr<CompilerTask> task = begin();
      lock.unlock();
      try {
        finish(task);
      } catch (const Stopped &) {
        if (!task->dropped() || Stop::should_stop()) throw;  // else it was dropped before: retry
      }
    }
  }

  void build_ahead() {
    std::unique_lock lock(mutex_);
    if (program_() || (task_ && !task_->dropped())) return;
    const std::shared_ptr<CompilerTask> task = begin();
    lock.unlock();
    try {
      task->get();
    } catch (...) {
      return;  // get() throws the error
    }
    finish(task);
  }

 private:
  std::shared_ptr<CompilerTask> begin() {
    if (!task_ || task_->dropped())
      task_ = std::make_shared<CompilerTask>(path_, context_, device_,
                                             [self = shared_from_this()] { return self->build(); });
    return task_;
  }

  /// Waits for the task. After a failure the next call of get() compiles again.
  void finish(const std::shared_ptr<CompilerTask> &task) {
    cl::Program program;
    try {
      program = task->get();
    } catch (const Stopped &) {
      throw;
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (task_ == task) task_.reset();
      throw;
    }
    const std::lock_guard lock(mutex_);
    if (!program_()) program_ = program;
    task_.reset();
  }

  cl::Program build() const {
    if (!gives_binaries(device_)) return compile();
    const auto binary = BinaryCache::of_process().get(device_.device(), options_ + "\n" + text_);
    const std::lock_guard lock(binary->mutex);
    if (!binary->bytes.empty()) {
      try {
        cl::Program program(context_, {device_.device}, {binary->bytes});
        program.build({device_.device}, options_.c_str());
        return program;
      } catch (const cl::Error &) {
        return compile();  // the driver rejects its own binary
      }
    }
    cl::Program program = compile();
    auto made = program.getInfo<CL_PROGRAM_BINARIES>();
    if (made.size() == 1) binary->bytes = std::move(made.front());
    return program;
  }

  cl::Program compile() const {
    const cl::Device &device = device_.device;
    cl::Program program(context_, text_);
    // Suppress warnings: PoCL prints their number, and those of the optimiser do not help users.
    const std::string quiet = options_ + " -w";
    // Do not use CLHPP's build(): it also fetches the log of a successful build, and throws if that
    // fails.
    const cl_int status = clBuildProgram(program(), 1, &device(), quiet.c_str(), nullptr, nullptr);
    if (status != CL_SUCCESS) {
      const std::string obstacle = is_pocl(device_) ? pocl_cache_obstacle() : "";
      throw Error(Error::Kind::failed,
                  "The kernels of " + path_ + " do not compile on " + device_.name +
                      (obstacle.empty()
                           ? ". Please report this together with the build log in the debug text."
                           : ": " + obstacle + "."),
                  error_name(status) + " with options \"" + options_ + "\":\n" +
                      build_log(program, device));
    }
    compiled++;
    return program;
  }

  const std::shared_ptr<void> keep_;  // object that the context needs
  const cl::Context context_;
  const Device device_;
  const std::string path_, text_, options_;
  std::mutex mutex_;                    // guards the members below
  cl::Program program_;                 // never changes once set
  std::shared_ptr<CompilerTask> task_;  // until the result is taken
};

Program::Program(const cl::Context &context, const Device &device, const std::string &path,
                 const std::string &text, const std::string &options, std::shared_ptr<void> keep)
    : build_(std::make_shared<Build>(context, device, path, text, options, std::move(keep))) {}

const cl::Program &Program::get() const { return build_->get(); }
const Device &Program::device() const { return build_->device(); }
void Program::build_ahead() const { build_->build_ahead(); }

unsigned CompilerPool::useful_threads(const Device &device) {
  if (compiles_serially(device)) return 0;
  if (device.platform_name == "NVIDIA CUDA") return 1;  // one program at a time, in any order
  constexpr unsigned most = 8;
  return std::clamp(std::thread::hardware_concurrency(), 1U, most);
}

CompilerPool::~CompilerPool() {
  {
    const std::lock_guard lock(mutex_);
    waiting_.clear();
    stopping_ = true;
  }
  stop_.request();
  wake_.notify_all();
  for (std::thread &thread : threads_) thread.join();
}

void CompilerPool::add(const Program &program) {
  if (!max_threads_) return;
  UrgentBuild::soon();
  const std::lock_guard lock(mutex_);
  waiting_.push_back(program);
  if (waiting_.size() > idle_ && threads_.size() < max_threads_) {
    threads_.emplace_back([this] { work(); });
    idle_++;
  }
  wake_.notify_one();
}

void CompilerPool::finish() {
  std::unique_lock lock(mutex_);
  done_.wait(lock, [this] { return waiting_.empty() && idle_ == threads_.size(); });
}

/// Waits until no thread needs a program urgently.
void CompilerPool::wait_for_urgent(std::unique_lock<std::mutex> &lock) {
  do wake_.wait_for(lock, std::chrono::milliseconds(10), [this] { return stopping_; });
  while (UrgentBuild::recent() && !stopping_);
}

void CompilerPool::work() {
  const Stop::Scope scope(stop_);
  std::unique_lock lock(mutex_);
  for (;;) {
    wake_.wait(lock, [this] { return stopping_ || !waiting_.empty(); });
    if (max_threads_ == 1) wait_for_urgent(lock);
    if (stopping_) return;
    const Program program = std::move(waiting_.front());
    waiting_.pop_front();
    idle_--;
    lock.unlock();
    program.build_ahead();
    lock.lock();
    idle_++;
    done_.notify_all();
  }
}

ProgramRecorder::ProgramRecorder() : outer_(std::exchange(recorder, this)) {}
ProgramRecorder::~ProgramRecorder() { recorder = outer_; }

void ProgramRecorder::build() const {
  for (const Program &program : programs_) program.get();
}

void ProgramRecorder::record(const Program &program) {
  if (recorder) recorder->programs_.push_back(program);
}

unsigned programs_compiled() { return compiled; }

}  // namespace glcl
