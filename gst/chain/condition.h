// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "expression.h"
#include "preprocess.h"

namespace glcl::chain {

/// Whether the condition of a directive holds: whole numbers and C's operators, but for ?:. An
/// unknown name is 0. One of the compiler's own throws Error::settings, as does what is no
/// condition.
bool condition_holds(const std::vector<Token> &condition, const SourceLocation &place);

}  // namespace glcl::chain
