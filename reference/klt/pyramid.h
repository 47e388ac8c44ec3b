// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <vector>

#include "reference/frames.h"

namespace reference::klt {

struct Plane {
  Plane(int w, int h) : width(w), height(h), values(size_t(w) * h) {}
  /// The edge is repeated.
  float at(int x, int y) const;
  float &operator()(int x, int y) { return values[size_t(y) * width + x]; }
  /// Between texels.
  float between(int x, int y, float part_x, float part_y) const;

  int width, height;
  std::vector<float> values;
};
using Pyramid = std::vector<Plane>;

Pyramid pyramid(const Frame &frame, int levels);

/// For white noise of variance 1 in the frame: variances of texels and slopes, by level.
struct Gain {
  double texel, slope;
};
std::vector<Gain> gains(int levels);

}  // namespace reference::klt
