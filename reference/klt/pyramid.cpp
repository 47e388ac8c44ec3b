// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pyramid.h"

#include <algorithm>

#include "taps.h"

namespace reference::klt {

namespace {

const std::vector<double> halving_taps{1 / 16.0, 4 / 16.0, 6 / 16.0, 4 / 16.0, 1 / 16.0};

}  // namespace

float Plane::at(int x, int y) const {
  return values[size_t(std::clamp(y, 0, height - 1)) * width + std::clamp(x, 0, width - 1)];
}

float Plane::between(int x, int y, float part_x, float part_y) const {
  const float above = at(x, y) + part_x * (at(x + 1, y) - at(x, y));
  const float below = at(x, y + 1) + part_x * (at(x + 1, y + 1) - at(x, y + 1));
  return above + part_y * (below - above);
}

Pyramid pyramid(const Frame &frame, int levels) {
  Plane grey(frame.width, frame.height);
  for (int y = 0; y < frame.height; y++)
    for (int x = 0; x < frame.width; x++) {
      const uint8_t *p = frame.at(x, y);
      grey(x, y) = float(p[0] + p[1] + p[2]) / 3;
    }
  Pyramid result{filtered(grey, smooth_taps, smooth_taps, frame.width, frame.height)};
  while (static_cast<int>(result.size()) < levels) {
    const Plane &last = result.back();
    result.push_back(
        filtered(last, halving_taps, halving_taps, (last.width + 1) / 2, (last.height + 1) / 2, 2));
  }
  return result;
}

std::vector<Gain> gains(int levels) {
  std::vector<Gain> result;
  Taps taps = convolved({{0, 1.0}}, smooth_taps, 1);
  for (int level = 0; level < levels; level++) {
    if (level) taps = convolved(taps, halving_taps, 1 << (level - 1));
    const double own = energy(taps), slope = energy(convolved(taps, {-0.5, 0, 0.5}, 1 << level));
    result.push_back({own * own, slope * own});
  }
  return result;
}

}  // namespace reference::klt
