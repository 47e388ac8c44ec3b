// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <atomic>
#include <functional>
#include <utility>

namespace glcl {

/// Thrown where work ends early because nobody wants its results any more. It is no failure.
struct Stopped {};

/// A wish that work ends early. Any thread.
class Stop {
 public:
  Stop() = default;
  /// `also` says, on the thread that works, whether somebody else has the wish.
  explicit Stop(std::function<bool()> also) : also_(std::move(also)) {}
  Stop(const Stop &) = delete;

  void request() { requested_ = true; }
  void withdraw() { requested_ = false; }
  bool requested() const { return requested_ || (also_ && also_()); }

  /// Whether the work of this thread is to end; and the same, which throws Stopped then.
  static bool wanted();
  static void check() {
    if (wanted()) throw Stopped();
  }

  /// Lets the work of this thread look at a wish while it lives.
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
