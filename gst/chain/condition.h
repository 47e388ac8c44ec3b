// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "expression.h"
#include "preprocess.h"

namespace glcl::chain {

/// Whether the condition of an #if holds: whole numbers and C's operators, but for ?:. A name that
/// is left is 0; one of the compiler's own throws Error::settings, as does what is no condition.
bool condition_holds(const std::vector<Token> &condition, const Place &place);

}  // namespace glcl::chain
