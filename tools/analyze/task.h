// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/gst.h>

#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

namespace glcl::analyze {

using Json = nlohmann::ordered_json;

/// The message for a file that can't be analysed.
struct Failure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The names in --elements.
inline const std::vector<std::string> all_elements{"shots", "histogram", "motion",
                                                   "flow",  "objects",   "tracks"};

/// The work on one file.
struct Task {
  std::string file, folder;  ///< absolute; the results go into the folder, which is there
  std::vector<std::string> elements;
  std::string device = "auto";
  GstClockTime from = 0, to = GST_CLOCK_TIME_NONE;  ///< stream time, ns; `to` is not in it
  bool part = false;                                ///< joined later: no sheet, no page

  bool has(const char *element) const;
  Json json() const;
  static Task of(const Json &json);
};

/// Text as JSON, valid UTF-8 whatever came: other bytes become U+FFFD.
std::string dump(const Json &json, int indent = -1);

/// Paths may contain any bytes but JSON only UTF-8: invalid bytes, and %, become %XX.
std::string escaped(const std::string &path);
std::string unescaped(const std::string &text);

/// A path as messages show it: in one line, without codes for terminals.
std::string shown(const std::string &path);

/// A whole number, 0 or above, that a text of users has: any other can't become one, and fails.
guint64 whole(const Json &json);

/// A text as JSON; discarded if it is invalid or nests deeper than results do.
Json parsed(const std::string &text);

}  // namespace glcl::analyze
