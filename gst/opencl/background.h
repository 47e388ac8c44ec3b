// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <chrono>
#include <future>
#include <memory>
#include <optional>
#include <utility>

#include "program.h"
#include "stop.h"

namespace glcl {

/// A value that takes long to make, such as an engine with its programs: made in the background, on
/// a thread of its own, while frames go on without it, or at once. The destructor waits for that
/// thread, but not for the programs that it waits for.
template <class Value>
class Background {
 public:
  Background() = default;
  Background(Background &&other) noexcept = default;
  Background &operator=(Background &&other) noexcept {
    leave();
    asked_ = other.asked_;
    frame_seen_ = other.frame_seen_;
    stop_ = std::move(other.stop_);
    coming_ = std::move(other.coming_);
    value_ = std::move(other.value_);
    return *this;
  }
  ~Background() { leave(); }

  /// Has the value made, with its programs built, for poll() or get() to tell of. Called for every
  /// frame, it leaves the first one the compiler for what that can't do without.
  template <class Make>
  void ask(const Make &make) {
    if (asked_ || !std::exchange(frame_seen_, true)) return;
    asked_ = true;
    begin([make] {
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
    if (is_coming() && is_there()) value_ = coming_.get();
    return value();
  }

  /// The value, waited for or made here; its programs are then built where they are needed. Throws
  /// what `make` throws, and Stopped where the work of this thread is to end first.
  template <class Make>
  Value &get(const Make &make) {
    if (is_coming()) value_ = waited();
    if (!value_) value_ = make();
    asked_ = true;
    return *value_;
  }

  /// Has a value made that take() gives, once; one at a time. What `make` throws take() throws.
  template <class Make>
  void begin(const Make &make) {
    stop_ = std::make_shared<Stop>();
    coming_ = std::async(std::launch::async, [stop = stop_, make] {
      const Stop::Scope scope(*stop);
      return make();
    });
  }
  /// Whether one that was begun has not been taken yet.
  bool is_coming() const { return coming_.valid(); }
  /// What was begun, if it is there; `wait`: as soon as it is.
  std::optional<Value> take(bool wait = false) {
    if (!is_coming() || !(wait || is_there())) return std::nullopt;
    return waited();
  }

  /// The value if poll() or get() has given it, else null.
  Value *value() { return value_ ? &*value_ : nullptr; }
  const Value *value() const { return value_ ? &*value_ : nullptr; }

 private:
  bool is_there() const {
    return coming_.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
  }

  Value waited() {
    constexpr std::chrono::milliseconds often{20};
    while (coming_.wait_for(often) != std::future_status::ready) Stop::check();
    return coming_.get();
  }

  void leave() {
    if (!is_coming()) return;
    stop_->request();
    coming_.wait();
  }

  bool asked_ = false, frame_seen_ = false;
  std::shared_ptr<Stop> stop_;  // of the thread
  std::future<Value> coming_;
  std::optional<Value> value_;
};

}  // namespace glcl
