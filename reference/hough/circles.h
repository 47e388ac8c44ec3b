// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "hough/circlefinder.h"
#include "opencl/rect.h"

namespace reference {

using glcl::hough::CircleSettings;
using glcl::hough::FoundCircle;

/// The search for circles as glcl::hough::CircleFinder defines it.
class Circles {
 public:
  /// In the edges of a frame, see glcl::hough::Canny::edges().
  Circles(const std::vector<uint16_t> &edges, int width, int height, bool weak,
          const glcl::Rect &region, const CircleSettings &settings);

  using Four = std::array<int, 4>;
  std::vector<uint32_t> votes;      ///< by cell
  std::vector<Four> seeds, fitted;  ///< see CircleFinder
  std::vector<FoundCircle> found;   ///< best first
};

}  // namespace reference
