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
  /// `also` reports further requests, on the working thread.
  explicit Stop(std::function<bool()> also) : also_(std::move(also)) {}
  Stop(const Stop &) = delete;

  void request() { requested_ = true; }
  void withdraw() { requested_ = false; }
  bool requested() const { return requested_ || (also_ && also_()); }

  /// True if the work of this thread should end; the other function then throws Stopped.
  static bool wanted();
  static void check() {
    if (wanted()) throw Stopped();
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
  std::function<bool()> also_;
};

}  // namespace glcl
