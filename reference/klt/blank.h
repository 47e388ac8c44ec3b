// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <vector>

#include "reference/klt/point.h"
#include "reference/klt/pyramid.h"
#include "reference/noise/noise.h"

namespace reference::klt {

/// A scene that may return: its points, and the frames since it.
struct KeptScene {
  Pyramid pyramid;  ///< empty without one
  std::vector<Point> points;
  int age = 0;
};

/// As glcl::klt::BlankFrames finds it.
struct Blank {
  bool blank = false;
  bool returns = false;  ///< the points are those of the kept scene
  int row = 0;           ///< blank frames before, or the age of the kept scene
  bool stays = false;    ///< most points are lost, but the scene is the same
};

/// After so many blank frames in a row; `saved`: the points before they were tracked.
Blank find_blank(const Pyramid &previous, const Pyramid &after, const NoiseTable &noise, int row,
                 const std::vector<Point> &saved, const std::vector<Point> &points,
                 const KeptScene &kept);

}  // namespace reference::klt
