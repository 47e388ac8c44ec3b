// SPDX-License-Identifier: LGPL-2.1-or-later
// The pipelines to run, and how.
#pragma once

#include <string>
#include <vector>

namespace runner {

/// From the command line.
struct Options {
  bool all = false, soak = false, first = false;
  int sample = 12, one_in = 5000, run = 7;
  long frames = 1000;
  unsigned seed = 1;
  std::string plan;
  std::vector<std::string> names;
};
extern Options options;

constexpr int patience = 90;  // s until a run counts as hanging

/// A property set before a frame arrives.
struct Change {
  int frame;
  std::string element, property, value;
};

/// A line of a list.
struct Scenario {
  std::string name, elements;
  std::vector<Change> changes;
};

/// The pipelines of a list, or those with the names that the options give.
std::vector<Scenario> read_list(const char *path);

}  // namespace runner
