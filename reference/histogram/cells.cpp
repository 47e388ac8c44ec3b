// SPDX-License-Identifier: LGPL-2.1-or-later
#include "cells.h"

#include <algorithm>
#include <cmath>

#include "histogram/structure.h"

namespace reference {

using glcl::histogram::Structure;

namespace {

int luma(const Frame &frame, int x, int y) {
  const uint8_t *pixel = &frame.rgba[4 * (size_t(y) * frame.width + x)];
  return 77 * pixel[0] + 150 * pixel[1] + 29 * pixel[2];
}

/// The squared differences to the neighbours, in (1/8 level)².
uint32_t detail(const Frame &frame, int x, int y) {
  const auto square = [&](int to_x, int to_y) {
    const int difference = std::abs(luma(frame, x, y) - luma(frame, to_x, to_y)) / 32;
    return uint32_t(difference * difference);
  };
  return square(std::min(x + 1, frame.width - 1), y) + square(x, y + 2 < frame.height ? y + 2 : y);
}

}  // namespace

std::vector<uint32_t> cells(const Frame &frame) {
  constexpr int samples = 16;
  std::vector<uint32_t> means, details;
  for (int row = 0; row < Structure::rows; row++)
    for (int column = 0; column < Structure::columns; column++) {
      const auto begin = [](int i, int size, int count) { return i * size / count; };
      const int x0 = begin(column, frame.width, Structure::columns);
      const int y0 = begin(row, frame.height, Structure::rows);
      const int x1 = std::max(begin(column + 1, frame.width, Structure::columns), x0 + 1);
      const int y1 = std::max(begin(row + 1, frame.height, Structure::rows), y0 + 1);
      const int step_x = (x1 - x0 + samples - 1) / samples;
      const int step_y = (y1 - y0 + samples - 1) / samples;
      uint32_t sum = 0, sum_of_details = 0, count = 0;
      for (int y = y0; y < y1; y += step_y)
        for (int x = x0; x < x1; x += step_x, count++) {
          sum += uint32_t(luma(frame, x, y));
          sum_of_details += detail(frame, x, y);
        }
      means.push_back(sum / count);
      details.push_back(sum_of_details / count);
    }
  means.insert(means.end(), details.begin(), details.end());
  return means;
}

}  // namespace reference
