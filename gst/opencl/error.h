// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <stdexcept>
#include <string>

namespace cl {
class Error;
}

namespace glcl {

/// The text in UTF-8, which drivers' names and logs and users' paths may not be: what is none of it
/// becomes U+FFFD.
std::string utf8(const std::string &text);

/// A failure with a text for the user and a detail (error name, build log) for whoever debugs it,
/// both in UTF-8.
class Error : public std::runtime_error {
 public:
  enum class Kind {
    not_found,  ///< no platform, no such device, a way of sharing that can't be had
    settings,   ///< a value that can't be used on this device
    failed,     ///< OpenCL or OpenGL refused a call
  };

  Error(Kind kind, const std::string &message, const std::string &detail = {})
      : std::runtime_error(utf8(message)), kind_(kind), detail_(utf8(detail)) {}

  /// A call of OpenCL that failed; it and its error's name become the detail.
  Error(const std::string &message, const cl::Error &cause);

  Kind kind() const { return kind_; }
  const std::string &detail() const { return detail_; }
  /// Both: "MESSAGE (DETAIL)".
  std::string text() const { return what() + (detail_.empty() ? "" : " (" + detail_ + ")"); }

 private:
  Kind kind_;
  std::string detail_;
};

/// "CL_OUT_OF_RESOURCES" for -5; the number where the name is not known.
std::string error_name(int code);

}  // namespace glcl
