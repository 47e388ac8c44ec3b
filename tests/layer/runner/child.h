// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>

namespace runner {

/// The lines of a child process.
class Child {
 public:
  explicit Child(const std::function<void()> &main);
  ~Child();
  Child(const Child &) = delete;

  /// False at the end, with the last line as it is, and where nothing came for long; such a child
  /// is ended.
  bool next(std::string &line);

  /// How it ended; empty for well.
  std::string end();

 private:
  pid_t pid_;
  int from_;
  bool hangs_ = false;
  std::string buffer_;
};

}  // namespace runner
