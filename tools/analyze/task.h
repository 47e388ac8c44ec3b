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
inline const std::vector<std::string> all_elements{"shots",   "histogram", "motion", "flow",
                                                   "objects", "tracks",    "scope"};

/// The work on one file.
struct Task {
  std::string file, folder;  ///< absolute paths; results go into the folder, which must exist
  std::vector<std::string> elements;
  std::string device = "auto";
  std::vector<std::string> settings;  ///< element.property=value
  std::string rules;                  ///< JSON for the property of glclmotion; empty: none
  GstClockTime from = 0, to = GST_CLOCK_TIME_NONE;  ///< stream time, ns; `to` is exclusive
  bool part = false;                                ///< joined later: no sheet, no page

  bool has(const char *element) const;
  Json json() const;
  static Task of(const Json &json);
};

/// Serialises JSON as valid UTF-8: invalid bytes become U+FFFD.
std::string dump(const Json &json, int indent = -1);

/// Paths may contain any bytes but JSON only UTF-8: invalid bytes, and %, become %XX.
std::string escaped(const std::string &path);
std::string unescaped(const std::string &text);

/// A path for messages: in one line, without terminal codes.
std::string shown(const std::string &path);

/// A whole number, at least 0, from a user's JSON. Throws for any other value.
guint64 whole(const Json &json);

/// Parses JSON; the result is discarded() if the text is invalid or nested deeper than results are.
Json parsed(const std::string &text);

}  // namespace glcl::analyze
