// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <chrono>
#include <future>
#include <memory>
#include <optional>
#include <utility>

#include "stop.h"

namespace glcl {

/// Computes values on its own thread, one at a time. The destructor waits for that thread, but not
/// for programs that are still compiling.
template <class Value>
class AsyncTask {
 public:
  AsyncTask() = default;
  AsyncTask(AsyncTask &&other) noexcept = default;
  AsyncTask &operator=(AsyncTask &&other) noexcept {
    abandon();
    stop_ = std::move(other.stop_);
    future_ = std::move(other.future_);
    return *this;
  }
  ~AsyncTask() { abandon(); }

  /// Starts to compute a value, which take() or wait() returns once. They also throw the exceptions
  /// of `make`.
  template <class Make>
  void start(const Make &make) {
    stop_ = std::make_shared<Stop>();
    future_ = std::async(std::launch::async, [stop = stop_, make] {
      const Stop::Scope scope(*stop);
      return make();
    });
  }
  /// True if a value was started and not taken yet.
  bool is_running() const { return future_.valid(); }
  /// The value, if it is ready.
  std::optional<Value> take() {
    if (!is_running() || future_.wait_for(std::chrono::seconds(0)) != std::future_status::ready)
      return std::nullopt;
    return future_.get();
  }
  /// Waits for the started value. Throws Stopped if the work of this thread should end first.
  Value wait() {
    constexpr std::chrono::milliseconds often{20};
    while (future_.wait_for(often) != std::future_status::ready) Stop::check();
    return future_.get();
  }

 private:
  void abandon() {
    if (!is_running()) return;
    stop_->request();
    future_.wait();
  }

  std::shared_ptr<Stop> stop_;  // ends the thread's work
  std::future<Value> future_;
};

}  // namespace glcl
