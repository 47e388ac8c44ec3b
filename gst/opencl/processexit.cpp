// SPDX-License-Identifier: LGPL-2.1-or-later
#include "processexit.h"

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
/// Time for exit() to reach its handlers. Work continues after it, because then only the main
/// thread has ended.
constexpr std::chrono::seconds longest_hold(2);

using Clock = std::chrono::steady_clock;

struct ProcessState {
  const pid_t process = getpid();
  std::mutex mutex;  // guards the members below
  std::condition_variable done;
  int working = 0;
  Clock::time_point held_until{};  // no work begins before this time
  bool ending = false;             // no work begins any more
  std::multiset<cl_command_queue> queues;
  std::vector<std::function<void()>> functions;
};

/// Never destroyed, because threads run until the very end. A forked process has none of these
/// threads and gets a new state.
ProcessState &state() {
  static std::atomic<ProcessState *> all{new ProcessState};
  ProcessState *now = all;
  if (now->process != getpid()) {
    auto own = std::make_unique<ProcessState>();
    if (all.compare_exchange_strong(now, own.get())) now = own.release();
  }
  return *now;
}

/// Work of this thread: a thread does not wait for itself.
thread_local int own_work = 0;

/// Waits for the queues until the deadline, on another thread because clFinish has no time limit.
/// Returns whether they have ended.
bool finish(std::vector<cl::CommandQueue> queues, Clock::time_point deadline) {
  const auto finished = std::make_shared<std::promise<void>>();
  try {
    std::thread([queues = std::move(queues), finished] {
      for (const cl::CommandQueue &queue : queues) clFinish(queue());
      finished->set_value();
    }).detach();
  } catch (const std::system_error &) {
    return false;  // no thread could be started
  }
  return finished->get_future().wait_until(deadline) == std::future_status::ready;
}

void wait_for_work() {
  ProcessState &all = state();
  const auto deadline = Clock::now() + longest_wait;
  std::unique_lock lock(all.mutex);
  all.held_until = deadline + longest_hold;
  bool ended = all.done.wait_until(lock, deadline, [&] { return all.working <= own_work; });
  std::vector<cl::CommandQueue> queues;
  for (const cl_command_queue queue : all.queues) queues.emplace_back(queue, true);
  const std::vector<std::function<void()>> functions = std::exchange(all.functions, {});
  lock.unlock();
  if (!queues.empty()) ended = finish(std::move(queues), deadline) && ended;
  if (ended)
    for (const std::function<void()> &function : functions) function();
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

/// Its destructor runs early in exit(), which first destroys the thread-local objects of its
/// thread.
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
  if (known != state().queues.end()) state().queues.erase(known);  // else from before a fork
}

bool process_exits() {
  const std::lock_guard lock(state().mutex);
  return state().ending || Clock::now() < state().held_until;
}

void wait_at_exit() {
  state();
  static thread_local const ExitHandler end;
  (void)end;
}

void call_at_exit(std::function<void()> function) {
  const std::lock_guard lock(state().mutex);
  state().functions.push_back(std::move(function));
}

void refuse_at_exit() { std::atexit(refuse); }

}  // namespace glcl
