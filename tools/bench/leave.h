// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstdio>
#include <cstdlib>
#include <iostream>

namespace glcl::bench {

/// Ends the program without destructors: PoCL's threads may still drop the last events, though all
/// commands are complete, and crash where its library goes meanwhile.
[[noreturn]] inline void leave(int status) {
  std::cout.flush();
  std::fflush(nullptr);
  std::_Exit(status);
}

}  // namespace glcl::bench
