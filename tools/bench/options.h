// SPDX-License-Identifier: LGPL-2.1-or-later
// The options of glcl-bench.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "mode.h"
#include "subject.h"

namespace glcl::bench {

struct Options {
  std::string command;  ///< the command line without --costs
  std::vector<std::string> elements;
  std::string device = "auto", devices, only, json, csv, costs, decode;
  std::vector<std::string> methods{"gl", "external", "egl", "copy"};
  std::vector<std::pair<int, int>> sizes{{1920, 1080}};
  std::vector<Content> contents{Content::natural};
  bool chosen = false, kernels = false, ablation = false, sweep = false, pipeline = false,
       start = false;
  const Mode *mode = nullptr;
  std::vector<int> parallel;  ///< numbers of streams
  bool sizes_chosen = false;
  int frames = 500;
  double seconds = 0.4;
};

/// Parses the command line. Throws Error::settings.
Options parse(int argc, char **argv);

}  // namespace glcl::bench
