// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "hough/edgepairs.h"

namespace glcl::research {

/// Which form Gómez Luna (2012, section 5.4) takes for sub-lists of so many tuples: the balanced
/// one where they are short, the saving one where they fill five stretches of 128, and between
/// where the last stretch is full enough; how full is in a figure only, here half.
hough::EdgePairs::Form thesis_form(size_t tuples);

/// The votes for sizes of an evenly divided list, with 55 numbers of tuples a sub-list, of up to
/// six stretches: how long both forms take, and which one the rule takes. False where votes are
/// wrong.
bool print_sweep(Context &context, double seconds);

}  // namespace glcl::research
