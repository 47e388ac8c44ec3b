// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstdint>
#include <vector>

#include "hough/linefinder.h"
#include "opencl/rect.h"

namespace reference {

using glcl::hough::FoundLine;
using glcl::hough::LineSegment;
using glcl::hough::LineSettings;

/// The search for straight lines as glcl::hough::LineFinder defines it.
class Lines {
 public:
  /// In the edges of a frame, see glcl::hough::Canny::edges().
  Lines(const std::vector<uint16_t> &edges, int width, int height, bool weak,
        const glcl::Rect &region, const LineSettings &settings);

  std::vector<LineSegment> segments;  ///< one per seed
  std::vector<FoundLine> found;       ///< strongest first
};

}  // namespace reference
