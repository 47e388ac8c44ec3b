// SPDX-License-Identifier: LGPL-2.1-or-later
#include "mode.h"

#include <algorithm>
#include <cstring>

namespace glcl::bench {

namespace {

std::vector<const Mode *> &registered() {
  static std::vector<const Mode *> all;
  return all;
}

}  // namespace

Mode::Mode(const char *option, const char *help, bool (*run)(const Request &))
    : option(option), help(help), run(run) {
  std::vector<const Mode *> &all = registered();
  const auto after = [](const Mode *a, const Mode *b) {
    return std::strcmp(a->option, b->option) < 0;
  };
  all.insert(std::upper_bound(all.begin(), all.end(), this, after), this);
}

const std::vector<const Mode *> &modes() { return registered(); }

}  // namespace glcl::bench
