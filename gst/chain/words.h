// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <string>

namespace glcl::chain {

/// True if a filter's text may use a word of the language or of the chain. These are keywords,
/// types, functions that depend only on their arguments, constants, members of vectors, PIXEL,
/// HERE, at, earlier, x, y, width and height.
bool is_allowed(const std::string &word);

}  // namespace glcl::chain
