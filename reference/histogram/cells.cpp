// SPDX-License-Identifier: LGPL-2.1-or-later
#include "cells.h"

#include <algorithm>

#include "histogram/structure.h"

namespace reference {

using glcl::histogram::Structure;

std::vector<uint32_t> cells(const Frame &frame) {
  constexpr int samples = 16;
  std::vector<uint32_t> means;
  for (int row = 0; row < Structure::rows; row++)
    for (int column = 0; column < Structure::columns; column++) {
      const auto begin = [](int i, int size, int count) { return i * size / count; };
      const int x0 = begin(column, frame.width, Structure::columns);
      const int y0 = begin(row, frame.height, Structure::rows);
      const int x1 = std::max(begin(column + 1, frame.width, Structure::columns), x0 + 1);
      const int y1 = std::max(begin(row + 1, frame.height, Structure::rows), y0 + 1);
      const int step_x = (x1 - x0 + samples - 1) / samples;
      const int step_y = (y1 - y0 + samples - 1) / samples;
      uint32_t sum = 0, count = 0;
      for (int y = y0; y < y1; y += step_y)
        for (int x = x0; x < x1; x += step_x, count++) {
          const uint8_t *pixel = &frame.rgba[4 * (size_t(y) * frame.width + x)];
          sum += 77 * pixel[0] + 150 * pixel[1] + 29 * pixel[2];
        }
      means.push_back(sum / count);
    }
  return means;
}

}  // namespace reference
