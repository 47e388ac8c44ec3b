// SPDX-License-Identifier: LGPL-2.1-or-later
#include "ending.h"

#include <unistd.h>

#include <atomic>
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
/// Until exit() has come to its handlers. Where the main thread has ended alone, work goes on then.
constexpr std::chrono::seconds longest_hold(2);

using Clock = std::chrono::steady_clock;

struct ProcessState {
  const pid_t process = getpid();
  std::mutex mutex;  // of all below
  std::condition_variable done;
  int working = 0;
  Clock::time_point held_until{};  // nothing begins before
  bool ending = false;             // nothing begins any more
  std::multiset<cl_command_queue> queues;
};

/// Never destroyed, because threads run until the very end. A fork has none of them and starts
/// again.
ProcessState &state() {
  static std::atomic<ProcessState *> all{new ProcessState};
  ProcessState *now = all;
  if (now->process != getpid()) {
    auto own = std::make_unique<ProcessState>();
    if (all.compare_exchange_strong(now, own.get())) now = own.release();
  }
  return *now;
}

/// This thread's; it does not wait for itself.
thread_local int own_work = 0;

/// Waits for the queues, on a thread, because clFinish knows no bound.
void finish(std::vector<cl::CommandQueue> queues, Clock::time_point deadline) {
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

void wait_for_work() {
  ProcessState &all = state();
  const auto deadline = Clock::now() + longest_wait;
  std::unique_lock lock(all.mutex);
  all.held_until = deadline + longest_hold;
  all.done.wait_until(lock, deadline, [&] { return all.working <= own_work; });
  std::vector<cl::CommandQueue> queues;
  for (const cl_command_queue queue : all.queues) queues.emplace_back(queue, true);
  lock.unlock();
  if (!queues.empty()) finish(std::move(queues), deadline);
  lock.lock();
  all.held_until = Clock::now() + longest_hold;
  all.done.notify_all();
}

void end_work() {
  const std::lock_guard lock(state().mutex);
  state().working--;
  if (state().held_until != Clock::time_point()) state().done.notify_all();
}

void refuse() {
  const std::lock_guard lock(state().mutex);
  state().ending = true;
  state().done.notify_all();
}

/// exit() destroys thread-local objects of its thread first.
struct ExitHandler {
  ~ExitHandler() {
    if (gettid() == getpid()) wait_for_work();
  }
};

}  // namespace

DriverWork::DriverWork() {
  ProcessState &all = state();
  std::unique_lock lock(all.mutex);
  while (!all.ending && Clock::now() < all.held_until)
    all.done.wait_until(lock, Clock::time_point(all.held_until));
  if (all.ending) throw Error(Error::Kind::failed, "The process ends.");
  all.working++;
  own_work++;
}

DriverWork::~DriverWork() {
  own_work--;
  end_work();
}

PendingWork::PendingWork() {
  const std::lock_guard lock(state().mutex);
  state().working++;
}

PendingWork::~PendingWork() { end_work(); }

QueueWork::QueueWork(const cl::CommandQueue &queue) : queue_(queue()) {
  const std::lock_guard lock(state().mutex);
  state().queues.insert(queue_);
}

QueueWork::~QueueWork() {
  const std::lock_guard lock(state().mutex);
  const auto known = state().queues.find(queue_);
  if (known != state().queues.end()) state().queues.erase(known);  // else of before a fork
}

bool process_ends() {
  const std::lock_guard lock(state().mutex);
  return state().ending || Clock::now() < state().held_until;
}

void wait_at_end() {
  state();
  static thread_local const ExitHandler end;
  (void)end;
}

void refuse_at_exit() { std::atexit(refuse); }

}  // namespace glcl
