// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "framefeatures.h"

namespace glcl::histogram {

/// Whether frames between `from` and `to` are a gradual transition between these two, by the luma
/// of the cells. `margin` frames before and after are in `frames` too.
constexpr int gradual_margin = 6;

/// In a dissolve every cell goes linearly from its first value to its last. In a wipe, of 7 frames
/// and more, every cell changes once, in an order along a direction of the frame.
enum class GradualFit { none, dissolve, wipe };
GradualFit fit_gradual(const History &frames, int from, int to);
/// As GradualFit::dissolve, with less certainty, for shots that move.
bool may_be_dissolve(const History &frames, int from, int to);

}  // namespace glcl::histogram
