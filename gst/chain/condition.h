// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "expression.h"
#include "preprocess.h"

namespace glcl::chain {

/// Evaluates the condition of a directive: whole numbers and C's operators except ?:. An unknown
/// name is 0. Throws Error::settings for operators of the compiler and for invalid conditions.
bool condition_holds(const std::vector<Token> &condition, const SourceLocation &location);

}  // namespace glcl::chain
