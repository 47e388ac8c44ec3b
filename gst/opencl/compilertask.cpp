// SPDX-License-Identifier: LGPL-2.1-or-later
#include "compilertask.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "error.h"
#include "flaws.h"
#include "processexit.h"
#include "stop.h"
#include "waiting.h"

namespace glcl {

namespace {

using Clock = std::chrono::steady_clock;

/// Compiles for a device, one program at a time.
class Compiler {
 public:
  /// One compiler for all devices that compile serially, never destroyed; otherwise one per
  /// program.
  static std::shared_ptr<Compiler> of(const Device &device) {
    static auto *shared = new auto(std::make_shared<Compiler>());
    return compiles_serially(device) ? *shared : std::make_shared<Compiler>();
  }

  /// A turn of the compiler: waits until earlier turns have ended.
  class Turn {
   public:
    explicit Turn(Compiler &compiler) : compiler_(compiler), lock_(compiler.one_) {
      compiler_.begun_ = Clock::now();
    }
    ~Turn() { compiler_.begun_ = Clock::time_point::max(); }
    Turn(const Turn &) = delete;

   private:
    Compiler &compiler_;
    const std::lock_guard<std::mutex> lock_;
  };

  /// True if it has worked on the current program for longer than `time`.
  bool works_longer_than(std::chrono::duration<double> time) const {
    const Clock::time_point begun = begun_;
    return begun != Clock::time_point::max() && Clock::now() - begun > time;
  }

 private:
  std::mutex one_;
  std::atomic<Clock::time_point> begun_{Clock::time_point::max()};
};

/// Time limit of a compiler: five times that of other work. Kernels compile in seconds, but in
/// minutes on a small, busy machine.
std::chrono::duration<double> compiler_timeout() { return 5 * device_timeout(); }

}  // namespace

struct CompilerTask::Progress {
  const std::string name;
  const cl::Context context;
  const Device device;
  const std::shared_ptr<Compiler> compiler;
  std::mutex mutex;  // guards the members below
  std::condition_variable done;
  int waiting = 0;
  bool nobody_waits = false, is_dropped = false, is_done = false;
  cl::Program program;
  std::exception_ptr failure;

  /// True if all waiters for pending work are gone, or the process exits.
  bool drop() {
    const std::lock_guard lock(mutex);
    return is_dropped = nobody_waits || process_exits();
  }

  void finish(cl::Program made, std::exception_ptr thrown) {
    const std::lock_guard lock(mutex);
    program = std::move(made);
    failure = std::move(thrown);
    is_done = true;
    done.notify_all();
  }

  Error timeout_error() const {
    return {Error::Kind::failed,
            "Compiling " + name + " did not finish in time. The OpenCL device " + device.name +
                " is no longer used. Restart the application to use it again.",
            "the limit was " + std::to_string(compiler_timeout().count()) +
                " s; set the environment variable GLCL_DEVICE_TIMEOUT to raise it"};
  }
};

namespace {

template <class Progress>
void run(std::shared_ptr<Progress> progress, std::function<cl::Program()> compile) {
  try {
    const std::shared_ptr<Compiler> compiler = progress->compiler;
    const Compiler::Turn turn(*compiler);
    if (progress->drop()) throw Stopped();
    progress->finish(compile(), nullptr);
    compile = nullptr;
    progress.reset();
  } catch (...) {
    progress->finish({}, std::current_exception());
  }
}

}  // namespace

CompilerTask::CompilerTask(std::string name, const cl::Context &context, const Device &device,
                           std::function<cl::Program()> compile)
    : progress_(new Progress{std::move(name), context, device, Compiler::of(device)}) {
  if (is_abandoned(context)) throw progress_->timeout_error();
  try {
    // `work` ends last, so that the compiler's data is released before the process exits.
    std::thread([progress = progress_, compile, work = std::make_unique<PendingWork>()]() mutable {
      run(std::move(progress), std::move(compile));
      work.reset();
    }).detach();
  } catch (const std::system_error &) {
    const PendingWork work;
    run(progress_, std::move(compile));  // no thread could be started
  }
}

cl::Program CompilerTask::get() const {
  constexpr std::chrono::milliseconds often{20};
  std::unique_lock lock(progress_->mutex);
  progress_->waiting++;
  progress_->nobody_waits = false;
  // During exit() OpenGL is gone too: a waiting thread then continues only for a stop.
  const auto may_go_on = [this] { return progress_->is_done && !process_exits(); };
  const auto is_late = [this] {
    return progress_->compiler->works_longer_than(compiler_timeout());
  };
  while (!may_go_on() && !Stop::should_stop() && !is_late())
    progress_->done.wait_for(lock, often, may_go_on);
  if (--progress_->waiting == 0) progress_->nobody_waits = true;
  if (!progress_->is_done && !Stop::should_stop() && is_late()) {
    abandon(progress_->context);
    throw progress_->timeout_error();
  }
  if (!progress_->is_done) throw Stopped();
  if (progress_->failure) std::rethrow_exception(progress_->failure);
  return progress_->program;
}

bool CompilerTask::dropped() const {
  const std::lock_guard lock(progress_->mutex);
  return progress_->is_dropped;
}

bool compiles_serially(const Device &device) {
  return is_pocl(device) || device.platform_name == "rusticl";
}

}  // namespace glcl
