// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <chrono>
#include <future>
#include <optional>
#include <utility>

#include "program.h"

namespace glcl {

/// A value that takes long to make, such as an engine with its programs: made in the background, on
/// a thread of its own, while frames go on without it, or at once. The destructor waits for that
/// thread.
template <class Value>
class Background {
 public:
  /// Has the value made, with its programs built, for poll() or get() to tell of. Called for every
  /// frame, it leaves the first one the compiler for what that can't do without.
  template <class Make>
  void ask(const Make &make) {
    if (asked_ || !std::exchange(frame_seen_, true)) return;
    asked_ = true;
    coming_ = std::async(std::launch::async, [make] {
      const ProgramsAsked programs;
      Value value = make();
      programs.build();
      return value;
    });
  }

  /// The value once it is there, null until then; asks for it. Throws what `make` threw or why a
  /// program does not build, once; the value then stays away.
  template <class Make>
  Value *poll(const Make &make) {
    ask(make);
    if (coming_.valid() && coming_.wait_for(std::chrono::seconds(0)) == std::future_status::ready)
      value_ = coming_.get();
    return value();
  }

  /// The value, waited for or made here; its programs are then built where they are needed. Throws
  /// what `make` throws.
  template <class Make>
  Value &get(const Make &make) {
    if (coming_.valid()) value_ = coming_.get();
    if (!value_) value_ = make();
    asked_ = true;
    return *value_;
  }

  /// Has a value made that take() gives, once; one at a time. What `make` throws take() throws.
  template <class Make>
  void begin(const Make &make) {
    coming_ = std::async(std::launch::async, make);
  }
  /// Whether one that was begun has not been taken yet.
  bool is_coming() const { return coming_.valid(); }
  /// What was begun, if it is there; `wait`: as soon as it is.
  std::optional<Value> take(bool wait = false) {
    const bool there = is_coming() && (wait || coming_.wait_for(std::chrono::seconds(0)) ==
                                                   std::future_status::ready);
    return there ? std::optional<Value>(coming_.get()) : std::nullopt;
  }

  /// The value if poll() or get() has given it, else null.
  Value *value() { return value_ ? &*value_ : nullptr; }
  const Value *value() const { return value_ ? &*value_ : nullptr; }

 private:
  bool asked_ = false, frame_seen_ = false;
  std::future<Value> coming_;
  std::optional<Value> value_;
};

}  // namespace glcl
