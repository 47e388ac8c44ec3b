// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <string>
#include <vector>

#include "expression.h"

namespace glcl::chain {

/// What stands in a filter's OpenCL text outside of functions: the names of functions, tables and
/// types, which become others for each use of the filter. Throws Error::settings with the line for
/// unbalanced brackets and for words that a filter has no use for: a filter computes one pixel, and
/// reads no file beside its own.
std::vector<std::string> global_names(const std::string &source, const std::string &file);

}  // namespace glcl::chain
