// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <vector>

#include "reference/klt/point.h"
#include "reference/klt/pyramid.h"
#include "reference/noise/noise.h"

namespace reference::klt {

/// True if a frame is blank, as glcl::klt::BlankFrames has it, after so many blank ones in a row;
/// `saved`: the points before they were tracked.
bool is_blank(const Plane &before, const Plane &after, const NoiseTable &noise, int row,
              const std::vector<Point> &saved, const std::vector<Point> &points);

}  // namespace reference::klt
