// SPDX-License-Identifier: LGPL-2.1-or-later
#include "compiling.h"

#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "ending.h"
#include "flaws.h"
#include "program.h"
#include "stop.h"

namespace glcl {

std::unique_lock<std::mutex> alone_on(const Device &device) {
  static auto *mutex = new std::mutex;
  return builds_singly(device) ? std::unique_lock(*mutex) : std::unique_lock<std::mutex>();
}

struct Compiling::Task {
  std::mutex mutex;  // of all below
  std::condition_variable done;
  int waiting = 0;
  bool is_left = false, is_dropped = false, is_done = false;
  cl::Program program;
  std::exception_ptr failure;

  /// Whether nobody wants any more what has not begun yet.
  bool drop() {
    const std::lock_guard lock(mutex);
    return is_dropped = is_left;
  }

  void finish(cl::Program made, std::exception_ptr thrown) {
    const std::lock_guard lock(mutex);
    program = std::move(made);
    failure = std::move(thrown);
    is_done = true;
    done.notify_all();
  }
};

namespace {

template <class Task>
void run(std::shared_ptr<Task> task, const Device &device, std::function<cl::Program()> compile) {
  try {
    const auto alone = alone_on(device);
    if (task->drop()) throw Stopped();
    const DriverWork work;
    task->finish(compile(), nullptr);
    compile = nullptr;
    task.reset();
  } catch (...) {
    task->finish({}, std::current_exception());
  }
}

}  // namespace

Compiling::Compiling(const Device &device, std::function<cl::Program()> compile)
    : task_(std::make_shared<Task>()) {
  try {
    std::thread([task = task_, device, compile]() mutable {
      run(std::move(task), device, std::move(compile));
    }).detach();
  } catch (const std::system_error &) {
    run(task_, device, std::move(compile));  // no thread can be had
  }
}

cl::Program Compiling::get() const {
  constexpr std::chrono::milliseconds often{20};
  std::unique_lock lock(task_->mutex);
  task_->waiting++;
  task_->is_left = false;
  // exit() takes OpenGL away too, so nothing goes on with it then, but for a stop.
  const auto may_go_on = [this] { return task_->is_done && !process_ends(); };
  while (!may_go_on() && !Stop::wanted()) task_->done.wait_for(lock, often, may_go_on);
  if (--task_->waiting == 0) task_->is_left = true;
  if (!task_->is_done) throw Stopped();
  if (task_->failure) std::rethrow_exception(task_->failure);
  return task_->program;
}

bool Compiling::dropped() const {
  const std::lock_guard lock(task_->mutex);
  return task_->is_dropped;
}

bool builds_singly(const Device &device) {
  return is_pocl(device) || device.platform_name == "rusticl";
}

}  // namespace glcl
