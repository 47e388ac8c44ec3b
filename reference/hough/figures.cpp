// SPDX-License-Identifier: LGPL-2.1-or-later
#include "figures.h"

#include <algorithm>
#include <cmath>

namespace reference {

namespace {

/// Covers each pixel with `level` by the part that `covered (x, y)` gives.
template <class Covered>
void cover(Frame &frame, int level, const Covered &covered) {
  for (int y = 0; y < frame.height; y++)
    for (int x = 0; x < frame.width; x++) {
      const double part = std::clamp(covered(x, y), 0.0, 1.0);
      uint8_t *p = frame.at(x, y);
      for (int c = 0; c < 3; c++)
        p[c] = static_cast<uint8_t>(std::lround(p[c] + part * (level - p[c])));
    }
}

}  // namespace

Frame level_frame(int width, int height, int level) {
  Frame frame(width, height);
  for (size_t i = 0; i < frame.rgba.size(); i++)
    frame.rgba[i] = i % 4 == 3 ? 255 : static_cast<uint8_t>(level);
  return frame;
}

void draw(Frame &frame, const Stroke &stroke, double thickness, int level) {
  const double across = stroke.x2 - stroke.x1, down = stroke.y2 - stroke.y1;
  const double length = std::hypot(across, down);
  cover(frame, level, [&](int x, int y) {
    const double along = ((x - stroke.x1) * across + (y - stroke.y1) * down) / length;
    const double off = std::abs((x - stroke.x1) * down - (y - stroke.y1) * across) / length;
    const double beyond = std::max(-along, along - length);
    return std::min(thickness / 2 + 0.5 - off, 0.5 - beyond);
  });
}

void raise(Frame &frame, const Stroke &border, int step) {
  const double across = border.x2 - border.x1, down = border.y2 - border.y1;
  for (int y = 0; y < frame.height; y++)
    for (int x = 0; x < frame.width; x++) {
      const double off =
          ((y - border.y1) * across - (x - border.x1) * down) / std::hypot(across, down);
      uint8_t *p = frame.at(x, y);
      for (int c = 0; c < 3; c++)
        p[c] = static_cast<uint8_t>(
            std::clamp<long>(p[c] + std::lround(std::clamp(off + 0.5, 0.0, 1.0) * step), 0, 255));
    }
}

void draw(Frame &frame, const Arc &arc, double thickness, int level) {
  cover(frame, level, [&](int x, int y) {
    double angle = std::atan2(y - arc.y, x - arc.x) * 180 / std::acos(-1.0) - arc.from;
    angle -= 360 * std::floor(angle / 360);
    const double off = std::abs(std::hypot(x - arc.x, y - arc.y) - arc.radius);
    return angle <= arc.to - arc.from ? thickness / 2 + 0.5 - off : 0;
  });
}

void fill(Frame &frame, const Arc &disc, int level) {
  cover(frame, level,
        [&](int x, int y) { return disc.radius + 0.5 - std::hypot(x - disc.x, y - disc.y); });
}

}  // namespace reference
