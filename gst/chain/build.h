// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <string>

#include "opencl/context.h"

namespace glcl::chain {

/// Compiles a generated text. Throws Error::settings with file, line and text of the first error,
/// and with the log as detail. Throws Stopped if the work of this thread should end first.
cl::Program compile(Context &context, const std::string &text, const std::string &options);

/// The first error of a source's build log, "FILE:LINE: TEXT"; empty if the log has none.
std::string first_error(const std::string &log, const std::string &source);

}  // namespace glcl::chain
