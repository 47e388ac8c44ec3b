// SPDX-License-Identifier: LGPL-2.1-or-later
#include "wheel.h"

#include <algorithm>
#include <cmath>

namespace reference::opticalflow {

std::array<double, 3> wheel(double x, double y, double gain) {
  const double speed = std::min(std::hypot(x, y) / gain, 1.0);
  const double hue = std::fmod(std::atan2(y, x) / (2 * M_PI) + 1, 1) * 6;
  std::array<double, 3> rgb;
  for (int i = 0; i < 3; i++) {
    const double k = std::fmod(5 - 2 * i + hue, 6);
    rgb[i] = 255 * speed * (1 - std::clamp(std::min(k, 4 - k), 0.0, 1.0));
  }
  return rgb;
}

Frame coloured(const Field &field, double gain) {
  Frame frame(field.width, field.height);
  for (int y = 0; y < field.height; y++)
    for (int x = 0; x < field.width; x++) {
      const auto rgb = wheel(field.x(x, y), field.y(x, y), gain);
      for (int i = 0; i < 3; i++) frame.at(x, y)[i] = static_cast<uint8_t>(std::lround(rgb[i]));
      frame.at(x, y)[3] = 255;
    }
  return frame;
}

}  // namespace reference::opticalflow
