// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <optional>
#include <utility>

#include "asynctask.h"
#include "program.h"

namespace glcl {

/// A value that takes long to make, such as an engine with its programs: made in the background, on
/// a thread of its own, while frames go on without it, or at once.
template <class Value>
class Lazy {
 public:
  /// Has the value made, with its programs built, for poll() or get() to give. Called for every
  /// frame, it leaves the first one the compiler for what that can't do without.
  template <class Make>
  void request(const Make &make) {
    if (requested_ || !std::exchange(frame_seen_, true)) return;
    requested_ = true;
    task_.start([make] {
      const ProgramRecorder programs;
      Value value = make();
      programs.build();
      return value;
    });
  }

  /// The value once it is there, null until then; requests it. Throws what `make` threw or why a
  /// program does not build, once; the value then stays away.
  template <class Make>
  Value *poll(const Make &make) {
    request(make);
    if (std::optional<Value> made = task_.take()) value_ = std::move(made);
    return value();
  }

  /// The value, waited for or made here; its programs are then built where they are needed. Throws
  /// what `make` throws, and Stopped where the work of this thread is to end first.
  template <class Make>
  Value &get(const Make &make) {
    if (task_.is_running()) value_ = task_.wait();
    if (!value_) value_ = make();
    requested_ = true;
    return *value_;
  }

  /// The value if poll() or get() has given it, else null.
  Value *value() { return value_ ? &*value_ : nullptr; }
  const Value *value() const { return value_ ? &*value_ : nullptr; }

 private:
  bool requested_ = false, frame_seen_ = false;
  AsyncTask<Value> task_;
  std::optional<Value> value_;
};

}  // namespace glcl
