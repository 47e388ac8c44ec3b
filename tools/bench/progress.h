// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <unistd.h>

#include <cstdio>
#include <string>

namespace glcl::bench {

/// A bar on standard error, where that is a terminal, that tells how far the work has come.
class Progress {
 public:
  explicit Progress(size_t steps) : steps_(steps), shown_(isatty(STDERR_FILENO)) {}
  ~Progress() {
    if (shown_) std::fprintf(stderr, "\r\033[K");
  }

  /// `what` is begun.
  void step(const std::string &what) {
    if (shown_) {
      constexpr size_t width = 30;
      const size_t filled = width * done_ / steps_;
      std::fprintf(stderr, "\r\033[K[%s%s] %zu/%zu %s", std::string(filled, '#').c_str(),
                   std::string(width - filled, ' ').c_str(), done_, steps_, what.c_str());
    }
    done_++;
  }

 private:
  size_t steps_, done_ = 0;
  bool shown_;
};

}  // namespace glcl::bench
