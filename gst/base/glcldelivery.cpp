// SPDX-License-Identifier: LGPL-2.1-or-later
#include "glcldelivery.h"

#include <algorithm>
#include <chrono>
#include <system_error>

namespace glcl {

namespace {

// Polls, because some drivers keep a core busy while they wait.
constexpr std::chrono::milliseconds shortest_pause(1), longest_pause(8);

}  // namespace

bool Delivery::deliver(size_t max_pending) {
  return guard_([&] { reads_.deliver(max_pending); }) && !reads_.failed();
}

bool Delivery::deliver_as_it_arrives() {
  bool left = false;
  const bool good = guard_([&] {
    reads_.deliver(~size_t(0));
    left = reads_.poll();
  });
  if (!good || reads_.failed()) return false;
  if (!left) return true;
  const std::lock_guard lock(mutex_);
  pending_ = true;
  try {
    if (!thread_.joinable()) thread_ = std::thread([this] { run(); });
  } catch (const std::system_error &) {
    return true;  // a later frame delivers them
  }
  wake_.notify_one();
  return true;
}

void Delivery::run() {
  std::unique_lock lock(mutex_);
  auto pause = shortest_pause;
  while (!stopping_) {
    if (!pending_) {
      pause = shortest_pause;
      wake_.wait(lock, [&] { return pending_ || stopping_; });
      continue;
    }
    if (wake_.wait_for(lock, pause, [&] { return stopping_; })) break;
    pause = std::min(2 * pause, longest_pause);
    pending_ = false;
    lock.unlock();
    bool left = true;
    guard_([&] { left = reads_.poll(); });
    lock.lock();
    pending_ = pending_ || left;
  }
}

void Delivery::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    wake_.notify_one();
  }
  if (thread_.joinable()) thread_.join();
  const std::lock_guard lock(mutex_);
  stopping_ = pending_ = false;
}

}  // namespace glcl
