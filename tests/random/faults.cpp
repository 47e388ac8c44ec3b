// SPDX-License-Identifier: LGPL-2.1-or-later
#include "faults.h"

#include <dlfcn.h>
#include <glib.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "layer/control.h"

namespace {

template <class Function>
Function *find(const char *name) {
  auto *found = reinterpret_cast<Function *>(dlsym(RTLD_DEFAULT, name));
  if (!found) g_error("faults need the checker layer, which tests/random/random.sh preloads");
  return found;
}

using Counts = std::map<std::string, long>;

void add_to(const char *function, long calls, void *data) {
  const std::string name = function;
  // A mapped object keeps its context with all programs.
  if (name.rfind("clRetain", 0) == 0 || name.rfind("clRelease", 0) == 0 ||
      name == "clEnqueueUnmapMemObject")
    return;
  long &highest = (*static_cast<Counts *>(data))[name];
  highest = std::max(highest, calls);
}

}  // namespace

uint64_t plan_faults(Random *random) {
  static auto *const plan = find<decltype(glcl_layer_plan)>("glcl_layer_plan");
  static auto *const counts = find<decltype(glcl_layer_counts)>("glcl_layer_counts");
  static auto *const injected = find<decltype(glcl_layer_injected)>("glcl_layer_injected");
  static auto *const highest = new Counts;
  static uint64_t failed = 0;
  const std::string last = injected();
  failed += static_cast<uint64_t>(std::count(last.begin(), last.end(), '\n'));
  counts(add_to, highest);
  if (highest->empty() || !random) {
    plan(nullptr);
    return failed;
  }
  std::vector<std::string> functions;
  for (const auto &one : *highest) functions.push_back(one.first);
  const std::string &function = random->of(functions);
  const int most = static_cast<int>(std::clamp((*highest)[function], 1L, 20L));
  plan((function + ":" + std::to_string(random->between(1, most)) + (random->chance(30) ? "+" : ""))
           .c_str());
  return failed;
}
