// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <optional>
#include <utility>

#include "asynctask.h"
#include "program.h"

namespace glcl {

/// A value that takes long to create, such as an engine with its programs: created on a background
/// thread while frames pass without it, or at once.
template <class Value>
class Lazy {
 public:
  /// Starts to create the value and to compile its programs, for poll() or get(). Call it for every
  /// frame: during the first frame it leaves the compiler to programs that are needed at once.
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

  /// Requests the value; returns null until it is ready. Throws the exception of `make` or of the
  /// compiler once; after that it returns null.
  template <class Make>
  Value *poll(const Make &make) {
    request(make);
    if (std::optional<Value> made = task_.take()) value_ = std::move(made);
    return value();
  }

  /// Waits for the value or creates it on this thread; its programs then compile on first use.
  /// Throws the exceptions of `make`, and Stopped if the work of this thread should end first.
  template <class Make>
  Value &get(const Make &make) {
    requested_ = true;
    if (task_.is_running()) value_ = task_.wait();
    if (!value_) value_ = make();
    return *value_;
  }

  /// The value if poll() or get() has returned it, else null.
  Value *value() { return value_ ? &*value_ : nullptr; }
  const Value *value() const { return value_ ? &*value_ : nullptr; }

 private:
  bool requested_ = false, frame_seen_ = false;
  AsyncTask<Value> task_;
  std::optional<Value> value_;
};

}  // namespace glcl
