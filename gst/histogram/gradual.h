// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "framefeatures.h"

namespace glcl::histogram {

/// Tests whether the frames between `from` and `to` are a gradual transition between these two, by
/// the luma of the cells. `frames` must contain this many frames before and after.
constexpr int gradual_margin = 6;

/// In a dissolve, every cell changes linearly from its first value to its last. In a wipe, every
/// cell changes once, ordered along a direction of the frame; a wipe has at least 7 frames.
enum class GradualFit { none, dissolve, wipe };
GradualFit fit_gradual(const History &frames, int from, int to);
/// Like GradualFit::dissolve, but with wider tolerances, for shots that move.
bool may_be_dissolve(const History &frames, int from, int to);

}  // namespace glcl::histogram
