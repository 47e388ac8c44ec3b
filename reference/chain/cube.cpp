// SPDX-License-Identifier: LGPL-2.1-or-later
#include "cube.h"

#include <algorithm>
#include <cmath>

namespace reference {

namespace {

using glcl::chain::ColourTable;

/// The position of a channel in a table: the point before it, and the way to the next one, 0..1.
struct Place {
  int point = 0;
  double part = 0;
};

Place place(const ColourTable &table, double value, int channel) {
  const double low = table.low[channel], high = table.high[channel];
  const double along = (std::clamp(value, low, high) - low) / (high - low) * (table.size - 1);
  const int point = std::min(static_cast<int>(std::floor(along)), table.size - 2);
  return {point, along - point};
}

double point(const ColourTable &table, size_t index, int channel) {
  return table.points[4 * index + channel];
}

Triple through_curve(const ColourTable &curve, const Triple &colour) {
  Triple result;
  for (int c = 0; c < 3; c++) {
    const Place at = place(curve, colour[c], c);
    result[c] = (1 - at.part) * point(curve, at.point, c) + at.part * point(curve, at.point + 1, c);
  }
  return result;
}

/// The index of a corner of a cell: bit c of `corner` is 1 at the upper end of channel c.
size_t corner_of(const ColourTable &lattice, const std::array<Place, 3> &at, unsigned corner) {
  size_t index = 0;
  for (int c = 2; c >= 0; c--) index = index * lattice.size + at[c].point + (corner >> c & 1);
  return index;
}

/// The mean of the eight corners, each weighted by the volume of the part opposite to it.
Triple trilinear(const ColourTable &lattice, const std::array<Place, 3> &at) {
  Triple result{};
  for (unsigned corner = 0; corner < 8; corner++) {
    double weight = 1;
    for (int c = 0; c < 3; c++) weight *= corner >> c & 1 ? at[c].part : 1 - at[c].part;
    for (int c = 0; c < 3; c++)
      result[c] += weight * point(lattice, corner_of(lattice, at, corner), c);
  }
  return result;
}

/// The tetrahedron between the first and the last corner along the axes, largest part first.
Triple tetrahedral(const ColourTable &lattice, const std::array<Place, 3> &at) {
  std::array<int, 3> axes{0, 1, 2};
  std::stable_sort(axes.begin(), axes.end(), [&](int a, int b) { return at[a].part > at[b].part; });
  Triple result{};
  unsigned corner = 0;
  double before = 1;
  for (int step = 0; step < 4; step++) {
    const double after = step < 3 ? at[axes[step]].part : 0;
    for (int c = 0; c < 3; c++)
      result[c] += (before - after) * point(lattice, corner_of(lattice, at, corner), c);
    before = after;
    if (step < 3) corner |= 1U << axes[step];
  }
  return result;
}

}  // namespace

Triple cube(const glcl::chain::Cube &cube, const Triple &colour, bool is_trilinear,
            double strength) {
  Triple result = colour;
  if (cube.curve.size) result = through_curve(cube.curve, result);
  if (cube.lattice.size) {
    std::array<Place, 3> at;
    for (int c = 0; c < 3; c++) at[c] = place(cube.lattice, result[c], c);
    result = is_trilinear ? trilinear(cube.lattice, at) : tetrahedral(cube.lattice, at);
  }
  for (int c = 0; c < 3; c++) result[c] = colour[c] + strength * (result[c] - colour[c]);
  return result;
}

}  // namespace reference
