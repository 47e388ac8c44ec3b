// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <map>
#include <vector>

#include "reference/klt/pyramid.h"

namespace reference::klt {

/// Weights of neighbouring texels, by their distance.
using Taps = std::map<int, double>;

const std::vector<double> smooth_taps{0.0096200556, 0.20542368, 0.56991249, 0.20542368,
                                      0.0096200556};

/// Taps on both axes, at every `step`-th texel.
Plane filtered(const Plane &in, const std::vector<double> &along, const std::vector<double> &down,
               int width, int height, int step = 1);
/// Taps of one filter after another, whose taps have a distance of `spacing` texels.
Taps convolved(const Taps &a, const std::vector<double> &b, int spacing);
/// The sum of squares.
double energy(const Taps &taps);

}  // namespace reference::klt
