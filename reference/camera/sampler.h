// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

namespace reference {

/// Interpolates a picture between its pixels.
struct Sampler {
  const std::vector<float> &levels;
  int width, height;

  bool inside(double x, double y) const {
    return x >= -0.01 && y >= -0.01 && x <= width - 0.99 && y <= height - 0.99;
  }
  double pixel(int x, int y) const {
    return levels[size_t(std::clamp(y, 0, height - 1)) * width + std::clamp(x, 0, width - 1)];
  }
  double at(double x, double y) const {
    const int left = std::clamp(int(std::floor(x)), 0, std::max(width - 2, 0)),
              top = std::clamp(int(std::floor(y)), 0, std::max(height - 2, 0));
    const double u = std::clamp(x - left, 0.0, 1.0), v = std::clamp(y - top, 0.0, 1.0);
    return (1 - v) * ((1 - u) * pixel(left, top) + u * pixel(left + 1, top)) +
           v * ((1 - u) * pixel(left, top + 1) + u * pixel(left + 1, top + 1));
  }
};

}  // namespace reference
