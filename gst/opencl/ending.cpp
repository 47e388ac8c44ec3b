// SPDX-License-Identifier: LGPL-2.1-or-later
#include "ending.h"

#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <future>
#include <memory>
#include <mutex>
#include <set>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "error.h"

namespace glcl {

namespace {

constexpr std::chrono::seconds longest_wait(10);

struct State {
  const pid_t process = getpid();
  std::mutex mutex;  // of all below
  std::condition_variable done;
  int working = 0;
  bool ending = false;
  std::multiset<cl_command_queue> queues;
};

/// Never destroyed: threads go on until the very end.
State &state() {
  static auto *all = new State;
  return *all;
}

/// Of this thread: who calls exit() amid work does not wait for that.
thread_local int own_work = 0;

/// Waits for the queues, on a thread, because clFinish knows no bound.
void finish(std::vector<cl::CommandQueue> queues, std::chrono::steady_clock::time_point deadline) {
  const auto finished = std::make_shared<std::promise<void>>();
  try {
    std::thread([queues = std::move(queues), finished] {
      for (const cl::CommandQueue &queue : queues) clFinish(queue());
      finished->set_value();
    }).detach();
  } catch (const std::system_error &) {
    return;  // the process has no thread left
  }
  finished->get_future().wait_until(deadline);
}

void end() {
  State &all = state();
  if (getpid() != all.process) return;  // a fork has none of the threads
  const auto deadline = std::chrono::steady_clock::now() + longest_wait;
  std::unique_lock lock(all.mutex);
  if (std::exchange(all.ending, true)) return;
  all.done.wait_until(lock, deadline, [&] { return all.working <= own_work; });
  std::vector<cl::CommandQueue> queues;
  for (const cl_command_queue queue : all.queues) queues.emplace_back(queue, true);
  lock.unlock();
  if (!queues.empty()) finish(std::move(queues), deadline);
}

}  // namespace

DriverWork::DriverWork() {
  const std::lock_guard lock(state().mutex);
  if (state().ending) throw Error(Error::Kind::failed, "The process ends.");
  state().working++;
  own_work++;
}

DriverWork::~DriverWork() {
  const std::lock_guard lock(state().mutex);
  own_work--;
  if (--state().working == 0 || state().ending) state().done.notify_all();
}

QueueWork::QueueWork(const cl::CommandQueue &queue) : queue_(queue()) {
  const std::lock_guard lock(state().mutex);
  state().queues.insert(queue_);
}

QueueWork::~QueueWork() {
  const std::lock_guard lock(state().mutex);
  state().queues.erase(state().queues.find(queue_));
}

void wait_at_exit() {
  state();
  std::atexit(end);
}

}  // namespace glcl
