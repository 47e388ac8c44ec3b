// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <vector>

#include "geometry.h"

namespace glcl::rules {

/// A zone with a value of its own, where it is in a frame.
struct ZoneArea {
  std::vector<RulePoint> corners;  ///< px
  bool inverse = false;            ///< everything but the area
  float value = 0;

  bool operator==(const ZoneArea &other) const;
};

/// Cells over a frame, row by row.
struct ZoneCells {
  int columns = 0, rows = 0;
  double side = 1;  ///< px
};

/// The value of each cell: that of the last area that has its centre, else -1.
std::vector<float> cell_values(const std::vector<ZoneArea> &areas, const ZoneCells &cells);

}  // namespace glcl::rules
