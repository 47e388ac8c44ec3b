// SPDX-License-Identifier: LGPL-2.1-or-later
#include "child.h"

#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "scenario.h"

namespace runner {

Child::Child(const std::function<void()> &main) {
  int ends[2];
  if (pipe(ends) != 0) std::exit(2);
  pid_ = fork();
  if (pid_ == 0) {
    dup2(ends[1], STDOUT_FILENO);
    close(ends[0]);
    close(ends[1]);
    main();
    std::fflush(nullptr);
    _exit(0);  // the memory of lost queries is known
  }
  close(ends[1]);
  from_ = ends[0];
}

Child::~Child() { close(from_); }

bool Child::next(std::string &line) {
  for (;;) {
    const size_t end = buffer_.find('\n');
    if (end != std::string::npos) {
      line = buffer_.substr(0, end);
      buffer_.erase(0, end + 1);
      return true;
    }
    pollfd ready{from_, POLLIN, 0};
    if (poll(&ready, 1, 4 * patience * 1000) <= 0) {
      hangs_ = true;
      kill(pid_, SIGABRT);
      return false;
    }
    char bytes[4096];
    const ssize_t count = read(from_, bytes, sizeof bytes);
    if (count <= 0) return false;
    buffer_.append(bytes, count);
  }
}

std::string Child::end() {
  int status = 0;
  waitpid(pid_, &status, 0);
  if (hangs_) return "hangs";
  if (WIFSIGNALED(status)) return std::string("dies: ") + strsignal(WTERMSIG(status));
  return WEXITSTATUS(status) == 0 ? "" : "status " + std::to_string(WEXITSTATUS(status));
}

}  // namespace runner
