// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace glcl::bench {

/// The options of glcl-bench for a mode.
struct Request {
  std::string device = "auto";             ///< in the format of the elements' property
  std::string devices;                     ///< a list of devices; may be empty
  std::vector<std::pair<int, int>> sizes;  ///< px; empty: the mode's own sizes
  double seconds = 0.4;                    ///< approximate time per measurement
};

/// A separate table that glcl-bench prints for an option, "conflicts" for `--conflicts`. A static
/// object registers it.
struct Mode {
  /// `run` prints the table; it returns false if a result is wrong, and may throw.
  Mode(const char *option, const char *help, bool (*run)(const Request &request));

  const char *option, *help;
  bool (*run)(const Request &request);
};

/// All modes by name.
const std::vector<const Mode *> &modes();

}  // namespace glcl::bench
