// SPDX-License-Identifier: LGPL-2.1-or-later
#include "structure.h"

#include <algorithm>
#include <cmath>

namespace glcl::histogram {

namespace {

constexpr int part_columns = 8, part_rows = 6;  // cells of a part
constexpr double dark = 8;       // levels: below, noise makes most of the logarithm's differences
constexpr double most = 0.3;     // of a cell's detail, so that no edge counts alone
constexpr double least = 0.015;  // rms of a part's detail; below, it has no texture
constexpr double alike = 0.4;    // correlation; unrelated parts of 48 cells stay below 0.3

}  // namespace

Structure::Structure(const uint32_t *luma) {
  std::array<double, cells> light;
  for (int i = 0; i < cells; i++) light[i] = std::log(luma[i] / 256.0 + dark);
  for (int y = 0; y < rows; y++)
    for (int x = 0; x < columns; x++) {
      double around = 0;
      for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++)
          around +=
              light[std::clamp(y + dy, 0, rows - 1) * columns + std::clamp(x + dx, 0, columns - 1)];
      const int cell = y * columns + x;
      detail_[cell] = static_cast<float>(std::clamp(light[cell] - around / 9, -most, most));
    }
}

double Structure::similarity(const Structure &a, const Structure &b) {
  const double power = least * least * part_columns * part_rows;
  int textured = 0, agreeing = 0;
  for (int y = 0; y < rows; y += part_rows)
    for (int x = 0; x < columns; x += part_columns) {
      double both = 0, of_a = 0, of_b = 0;
      for (int i = 0; i < part_rows * part_columns; i++) {
        const int cell = (y + i / part_columns) * columns + x + i % part_columns;
        both += double(a.detail_[cell]) * b.detail_[cell];
        of_a += double(a.detail_[cell]) * a.detail_[cell];
        of_b += double(b.detail_[cell]) * b.detail_[cell];
      }
      if (std::max(of_a, of_b) <= power) continue;
      textured++;
      if (std::min(of_a, of_b) > power && both > alike * std::sqrt(of_a * of_b)) agreeing++;
    }
  return textured ? double(agreeing) / textured : 0;
}

}  // namespace glcl::histogram
