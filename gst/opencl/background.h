// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <chrono>
#include <future>
#include <optional>

namespace glcl {

/// A value that takes long to make, such as a program: made in the background, on a thread of its
/// own, while frames go on without it, or at once. The destructor waits for that thread.
template <class Value>
class Background {
 public:
  /// The value once it is there, null until then; the first call has it made. Throws what `make`
  /// threw, once; the value then stays away.
  template <class Make>
  Value *poll(const Make &make) {
    if (!asked_) {
      asked_ = true;
      coming_ = std::async(std::launch::async, make);
    }
    if (coming_.valid() && coming_.wait_for(std::chrono::seconds(0)) == std::future_status::ready)
      value_ = coming_.get();
    return value();
  }

  /// The value, made here or waited for. Throws what `make` throws.
  template <class Make>
  Value &get(const Make &make) {
    if (coming_.valid()) value_ = coming_.get();
    if (!value_) value_ = make();
    asked_ = true;
    return *value_;
  }

  /// The value if poll() or get() has given it, else null.
  Value *value() { return value_ ? &*value_ : nullptr; }
  const Value *value() const { return value_ ? &*value_ : nullptr; }

 private:
  bool asked_ = false;
  std::future<Value> coming_;
  std::optional<Value> value_;
};

}  // namespace glcl
