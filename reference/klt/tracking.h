// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "reference/klt/point.h"
#include "reference/klt/pyramid.h"
#include "reference/noise/noise.h"

namespace reference::klt {

/// Follows a point from `steps` frames before; false where it is lost. `usual`: the mean of
/// Point::residual in the previous frame.
bool track(const Pyramid &before, const Pyramid &after, const Settings &settings,
           const NoiseTable &noise, int usual, int steps, Point &point);

}  // namespace reference::klt
