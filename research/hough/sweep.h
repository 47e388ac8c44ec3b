// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "hough/edgepairs.h"

namespace glcl::research {

/// The form that Gómez Luna (2012, section 5.4) takes for sub-lists of so many tuples: balanced for
/// short ones, saving for those that fill five stretches of 128. Between these it is saving if the
/// last stretch is full enough. Only a figure shows how full; here it is half.
hough::EdgePairs::Form thesis_form(size_t tuples);

/// Prints how long both forms take for the votes for scales of an evenly divided list, and which
/// one the rule takes. Sub-lists have 55 numbers of tuples, of up to six stretches. False if votes
/// are wrong.
bool print_sweep(Context &context, double seconds);

}  // namespace glcl::research
