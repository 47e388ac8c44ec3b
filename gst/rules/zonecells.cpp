// SPDX-License-Identifier: LGPL-2.1-or-later
#include "zonecells.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace glcl::rules {

namespace {

/// Where the sides of a polygon cross a row, from left to right.
std::vector<double> crossings(const std::vector<RulePoint> &corners, double y) {
  std::vector<double> list;
  for (size_t i = 0, last = corners.size() - 1; i < corners.size(); last = i++) {
    const RulePoint &a = corners[last], &b = corners[i];
    if ((a.y > y) != (b.y > y)) list.push_back(a.x + (b.x - a.x) * (y - a.y) / (b.y - a.y));
  }
  std::sort(list.begin(), list.end());
  return list;
}

void fill(const ZoneArea &area, const ZoneCells &cells, std::vector<float> &values) {
  // The first cell whose centre is at x or to the right of it.
  const auto column = [&](double x) {
    return static_cast<int>(
        std::clamp(std::ceil(x / cells.side - 0.5), 0.0, double(cells.columns)));
  };
  for (int row = 0; row < cells.rows; row++) {
    float *first = values.data() + std::ptrdiff_t(row) * cells.columns;
    std::vector<double> ends = crossings(area.corners, (row + 0.5) * cells.side);
    if (area.inverse) {
      ends.insert(ends.begin(), -INFINITY);
      ends.push_back(INFINITY);
    }
    for (size_t i = 0; i + 1 < ends.size(); i += 2)
      std::fill(first + column(ends[i]), first + column(ends[i + 1]), area.value);
  }
}

}  // namespace

bool ZoneArea::operator==(const ZoneArea &other) const {
  return inverse == other.inverse && value == other.value &&
         std::equal(
             corners.begin(), corners.end(), other.corners.begin(), other.corners.end(),
             [](const RulePoint &a, const RulePoint &b) { return a.x == b.x && a.y == b.y; });
}

std::vector<float> cell_values(const std::vector<ZoneArea> &areas, const ZoneCells &cells) {
  std::vector<float> values(size_t(cells.columns) * cells.rows, -1);
  for (const ZoneArea &area : areas) fill(area, cells, values);
  return values;
}

}  // namespace glcl::rules
