// SPDX-License-Identifier: LGPL-2.1-or-later
#include "record.h"

#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "contract.h"
#include "control.h"
#include "faults.h"

namespace glcl_layer {

namespace {

constexpr int exit_status = 99;
constexpr int printed_at_most = 20;
std::atomic<int> violations{0};

/// Runs after the program's own exit handlers. The drivers may be gone already: nothing of them is
/// called.
__attribute__((destructor)) void at_exit() {
  {
    const std::lock_guard lock(state_mutex());
    report_leaks();
  }
  print_counts();
  if (!violations) return;
  if (violations > printed_at_most)
    std::fprintf(stderr, "glcl-checker: %d violations, the first %d printed\n", violations.load(),
                 printed_at_most);
  std::fflush(nullptr);
  _exit(exit_status);
}

}  // namespace

std::mutex &state_mutex() {
  static auto *mutex = new std::mutex;
  return *mutex;
}

void violation(const std::string &call, const std::string &object, const std::string &rule) {
  if (++violations <= printed_at_most)
    std::fprintf(stderr, "glcl-checker: %s: %s: %s\n", call.c_str(), object.c_str(), rule.c_str());
  const char *mode = std::getenv("GLCL_CHECKER");
  if (mode && std::strcmp(mode, "abort") == 0) std::abort();
}

std::string hex(const void *handle) {
  char text[32];
  std::snprintf(text, sizeof text, "%p", handle);
  return text;
}

}  // namespace glcl_layer

#define GLCL_EXPORT extern "C" __attribute__((visibility("default")))

GLCL_EXPORT long glcl_layer_objects(const char *creator) {
  const std::lock_guard lock(glcl_layer::state_mutex());
  return glcl_layer::living(creator ? creator : "");
}

GLCL_EXPORT int glcl_layer_violations() { return glcl_layer::violations; }
