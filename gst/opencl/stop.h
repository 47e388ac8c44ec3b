// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <atomic>
#include <functional>
#include <utility>

namespace glcl {

/// Thrown when work ends early because its results are no longer needed. It is not a failure.
struct Stopped {};

/// A request to end work early. Any thread.
class Stop {
 public:
  Stop() = default;
  /// `other_request` reports further requests, on the working thread.
  explicit Stop(std::function<bool()> other_request) : other_request_(std::move(other_request)) {}
  Stop(const Stop &) = delete;

  void request() { requested_ = true; }
  void withdraw() { requested_ = false; }
  bool requested() const { return requested_ || (other_request_ && other_request_()); }

  /// True if the work of this thread should end; the other function then throws Stopped.
  static bool should_stop();
  static void check() {
    if (should_stop()) throw Stopped();
  }

  /// Connects the work of this thread to a request during its lifetime.
  class Scope {
   public:
    explicit Scope(const Stop &stop);
    ~Scope();
    Scope(const Scope &) = delete;

   private:
    const Stop *outer_;
  };

 private:
  std::atomic<bool> requested_{false};
  std::function<bool()> other_request_;
};

}  // namespace glcl
