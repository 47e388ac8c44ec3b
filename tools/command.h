// SPDX-License-Identifier: LGPL-2.1-or-later
// Shared by the command lines of all tools.
#pragma once

#include <poll.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <iostream>

#include "config.h"

namespace glcl {

/// Prints the version if --version is the only argument.
inline bool prints_version(const char *program, int argc, char **argv) {
  if (argc != 2 || std::strcmp(argv[1], "--version") != 0) return false;
  std::cout << program << ' ' << PACKAGE_VERSION << '\n';
  return true;
}

/// The exit status of a program: 1 with a message if its output could not be written, unless the
/// reader closed the pipe.
inline int exit_status(const char *program, int status) {
  std::cout.flush();
  if (std::cout && std::fflush(stdout) == 0) return status;
  pollfd output{STDOUT_FILENO, POLLOUT, 0};
  if (poll(&output, 1, 0) < 0 || !(output.revents & POLLERR))
    std::cerr << program << ": standard output can't be written\n";
  return status ? status : 1;
}

}  // namespace glcl
