// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <stdexcept>
#include <string>

namespace cl {
class Error;
}

namespace glcl {

/// Converts a text to valid UTF-8, because names and logs of drivers and paths of users may be
/// invalid; invalid bytes become U+FFFD.
std::string utf8(const std::string &text);

/// An error with a text for the user and a detail for debugging (error name, build log), both in
/// UTF-8.
class Error : public std::runtime_error {
 public:
  enum class Kind {
    not_found,  ///< no platform, no such device, a sharing method that is not available
    settings,   ///< a value that this device does not support
    failed,     ///< OpenCL or OpenGL refused a call
  };

  Error(Kind kind, const std::string &message, const std::string &detail = {})
      : std::runtime_error(utf8(message)), kind_(kind), detail_(utf8(detail)) {}

  /// A failed OpenCL call; the call and the name of its error become the detail.
  Error(const std::string &message, const cl::Error &cause);

  Kind kind() const { return kind_; }
  const std::string &detail() const { return detail_; }
  /// Both: "MESSAGE (DETAIL)".
  std::string text() const { return what() + (detail_.empty() ? "" : " (" + detail_ + ")"); }

 private:
  Kind kind_;
  std::string detail_;
};

/// The name of an error, "CL_OUT_OF_RESOURCES" for -5; the number if the name is unknown.
std::string error_name(int code);

}  // namespace glcl
