// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <functional>
#include <vector>

#include "opticalflow/signatures.h"

namespace reference {

using Match = glcl::opticalflow::Signatures::Match;

/// Matches pixels of two planes of grey, as glcl::opticalflow::Signatures defines it, in the order
/// of its list. The functions give the grey of pixels inside the frame.
std::vector<Match> signature_matches(int width, int height,
                                     const std::function<float(int x, int y)> &before,
                                     const std::function<float(int x, int y)> &after);

}  // namespace reference
