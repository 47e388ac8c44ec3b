// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace glcl::bench {

/// The options of glcl-bench for a mode.
struct Request {
  std::string device = "auto";             ///< as for the elements' property
  std::string devices;                     ///< a list of them; may be empty
  std::vector<std::pair<int, int>> sizes;  ///< px; none: the mode's own
  double seconds = 0.4;                    ///< for each measurement, about
};

/// A table of its own that glcl-bench prints for an option, "conflicts" for `--conflicts`. A static
/// object makes it known.
struct Mode {
  /// `run` prints it; false where a result is wrong. It may throw.
  Mode(const char *option, const char *help, bool (*run)(const Request &request));

  const char *option, *help;
  bool (*run)(const Request &request);
};

/// All of them, by name.
const std::vector<const Mode *> &modes();

}  // namespace glcl::bench
