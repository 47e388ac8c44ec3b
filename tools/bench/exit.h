// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstdio>
#include <cstdlib>
#include <iostream>

namespace glcl::bench {

/// Exits without destructors. Even after all commands PoCL's threads may still release
/// events, and crash if the library is unloaded meanwhile.
[[noreturn]] inline void exit_at_once(int status) {
  std::cout.flush();
  std::fflush(nullptr);
  std::_Exit(status);
}

}  // namespace glcl::bench
