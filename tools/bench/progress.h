// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <string>

namespace glcl::bench {

/// Prints the progress on standard error: a bar on a terminal, otherwise a line now and then.
class Progress {
 public:
  explicit Progress(size_t steps) : steps_(steps), shown_(isatty(STDERR_FILENO)) {}
  ~Progress() {
    if (shown_) std::fprintf(stderr, "\r\033[K");
  }

  /// Reports that the step `what` begins.
  void step(const std::string &what) {
    const auto now = std::chrono::steady_clock::now();
    if (!shown_ && (done_ == 0 || now - printed_ > std::chrono::seconds(5))) {
      std::fprintf(stderr, "%zu/%zu %s\n", done_, steps_, what.c_str());
      printed_ = now;
    } else if (shown_) {
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
  std::chrono::steady_clock::time_point printed_;  // the last line
};

}  // namespace glcl::bench
