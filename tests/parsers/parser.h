// SPDX-License-Identifier: LGPL-2.1-or-later
// Targets that read user input. Each file in this folder is a program: by itself it reads its
// corpus and changes of it (main.cpp); with -Dfuzzers=true libFuzzer searches for more.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

inline std::string text_of(const uint8_t *data, size_t size) {
  return {reinterpret_cast<const char *>(data), size};
}

/// Ends the process where something does not hold.
inline void check(bool holds, const std::string &what) {
  if (holds) return;
  std::fprintf(stderr, "%s\n", what.c_str());
  std::abort();
}
