// SPDX-License-Identifier: LGPL-2.1-or-later
#include "textured.h"

#include <algorithm>
#include <cmath>

namespace reference {

namespace {

/// A random value of 0..1 for a lattice point.
double hash(int x, int y, unsigned seed) {
  uint32_t n = uint32_t(x) * 0x9e3779b1u ^ uint32_t(y) * 0x85ebca77u ^ seed * 0xc2b2ae3du;
  n = (n ^ n >> 15) * 0x2c1b3c6du;
  n = (n ^ n >> 12) * 0x297a2d39u;
  return (n ^ n >> 15) / 4294967296.0;
}

/// Random values a unit apart with cubic B-splines between: smooth enough to be sampled.
double noise(double x, double y, unsigned seed) {
  const auto weights = [](double t, double *w) {
    const double s = 1 - t;
    w[0] = s * s * s / 6, w[3] = t * t * t / 6;
    w[1] = (4 - 6 * t * t + 3 * t * t * t) / 6, w[2] = 1 - w[0] - w[1] - w[3];
  };
  const double i = std::floor(x), j = std::floor(y);
  double wx[4], wy[4], sum = 0;
  weights(x - i, wx), weights(y - j, wy);
  for (int v = 0; v < 4; v++)
    for (int u = 0; u < 4; u++) sum += wx[u] * wy[v] * hash(int(i) + u, int(j) + v, seed);
  return sum;
}

}  // namespace

Point Motion::apply(Point p, int width, int height) const {
  const double cx = (width - 1) / 2.0, cy = (height - 1) / 2.0, px = p.x - cx, py = p.y - cy;
  const double c = zoom * std::cos(angle), s = zoom * std::sin(angle);
  return {cx + c * px - s * py + x, cy + s * px + c * py + y};
}

Point Motion::undo(Point p, int width, int height) const {
  const double cx = (width - 1) / 2.0, cy = (height - 1) / 2.0, px = p.x - cx - x,
               py = p.y - cy - y;
  const double c = std::cos(angle) / zoom, s = std::sin(angle) / zoom;
  return {cx + c * px + s * py, cy - s * px + c * py};
}

Frame textured_frame(int width, int height, const Motion &motion, unsigned seed) {
  return seen_texture(
      width, height, [&](Point p) { return motion.undo(p, width, height); }, seed);
}

Frame seen_texture(int width, int height, const std::function<Point(Point)> &undo, unsigned seed) {
  Frame frame(width, height);
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++) {
      const Point p = undo({double(x), double(y)});
      uint8_t *pixel = frame.at(x, y);
      for (unsigned channel = 0; channel < 3; channel++) {
        double level = 0;
        for (const auto &[size, weight] : {std::pair{3.0, 0.35}, {8.0, 0.4}, {30.0, 0.25}})
          level += weight * noise(p.x / size + 1000, p.y / size + 1000,
                                  seed * 64 + channel * 16 + unsigned(size));
        pixel[channel] =
            static_cast<uint8_t>(std::lround(std::clamp((level - 0.5) * 600 + 127, 0.0, 255.0)));
      }
      pixel[3] = 255;
    }
  return frame;
}

opticalflow::Field motion_field(int width, int height, const Motion &motion) {
  opticalflow::Field field{width, height, {}, std::vector<float>(size_t(width) * height, 1)};
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++) {
      const Point p = motion.apply({double(x), double(y)}, width, height);
      field.vectors.insert(field.vectors.end(), {float(p.x - x), float(p.y - y)});
    }
  return field;
}

Frame relit(const Frame &frame, double gain, double offset) {
  Frame result = frame;
  for (size_t i = 0; i < result.rgba.size(); i++)
    if (i % 4 != 3)
      result.rgba[i] =
          static_cast<uint8_t>(std::lround(std::clamp(result.rgba[i] * gain + offset, 0.0, 255.0)));
  return result;
}

Frame rolling(const Frame &frame, double by, int number) {
  Frame lit = frame;
  for (int y = 0; y < frame.height; y++) {
    const double light = 1 + by * std::sin(2.1 * number + 12.0 * y / frame.height);
    for (int x = 0; x < frame.width; x++)
      for (int c = 0; c < 3; c++)
        lit.at(x, y)[c] = uint8_t(std::min(std::lround(frame.at(x, y)[c] * light), 255l));
  }
  return lit;
}

Frame captioned(Frame frame) {
  const auto fill = [&](int left, int top, int right, int bottom, uint8_t level) {
    for (int y = std::max(top, 0); y < std::min(bottom, frame.height); y++)
      for (int x = std::max(left, 0); x < std::min(right, frame.width); x++)
        std::fill_n(frame.at(x, y), 3, level);
  };
  fill(frame.width - 70, 14, frame.width - 12, 44, 230);
  for (int letter = 0; letter < 40; letter++)
    for (int i = 0; i < 15; i++)
      if (hash(letter, i, 1) < 0.5) {
        const int x = 40 + 10 * (letter % 20) + 3 * (i % 3),
                  y = frame.height - 50 + letter / 20 * 20 + i / 3 * 3;
        fill(x, y, x + 3, y + 3, 240);
      }
  return frame;
}

Frame covered(const Frame &frame, const Frame &over,
              const std::function<bool(int x, int y)> &inside) {
  Frame result = frame;
  for (int y = 0; y < frame.height; y++)
    for (int x = 0; x < frame.width; x++)
      if (inside(x, y)) std::copy_n(over.at(x, y), 4, result.at(x, y));
  return result;
}

Frame fine_frame(int width, int height, unsigned seed) {
  const Frame raw = random_frame(width + 2, height + 2, seed);
  Frame frame(width, height);
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++)
      for (int k = 0; k < 4; k++) {
        int sum = 0;
        for (int j = 0; j < 3; j++)
          for (int i = 0; i < 3; i++) sum += (1 + i % 2) * (1 + j % 2) * raw.at(x + i, y + j)[k];
        frame.at(x, y)[k] = uint8_t(sum / 16);
      }
  return frame;
}

}  // namespace reference
