// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <chrono>
#include <future>
#include <memory>
#include <optional>
#include <utility>

#include "stop.h"

namespace glcl {

/// Makes values on a thread of its own, one at a time. The destructor waits for that thread, but
/// not for the programs that it waits for.
template <class Value>
class AsyncTask {
 public:
  AsyncTask() = default;
  AsyncTask(AsyncTask &&other) noexcept = default;
  AsyncTask &operator=(AsyncTask &&other) noexcept {
    leave();
    stop_ = std::move(other.stop_);
    future_ = std::move(other.future_);
    return *this;
  }
  ~AsyncTask() { leave(); }

  /// Has a value made that take() or wait() gives, once. What `make` throws they throw.
  template <class Make>
  void start(const Make &make) {
    stop_ = std::make_shared<Stop>();
    future_ = std::async(std::launch::async, [stop = stop_, make] {
      const Stop::Scope scope(*stop);
      return make();
    });
  }
  /// Whether one was started whose value has not been taken yet.
  bool is_running() const { return future_.valid(); }
  /// The value, if it is there.
  std::optional<Value> take() {
    if (!is_running() || future_.wait_for(std::chrono::seconds(0)) != std::future_status::ready)
      return std::nullopt;
    return future_.get();
  }
  /// The value of a started one, waited for. Throws Stopped where the work of this thread is to end
  /// first.
  Value wait() {
    constexpr std::chrono::milliseconds often{20};
    while (future_.wait_for(often) != std::future_status::ready) Stop::check();
    return future_.get();
  }

 private:
  void leave() {
    if (!is_running()) return;
    stop_->request();
    future_.wait();
  }

  std::shared_ptr<Stop> stop_;  // of the thread
  std::future<Value> future_;
};

}  // namespace glcl
