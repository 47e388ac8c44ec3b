// SPDX-License-Identifier: LGPL-2.1-or-later
#include "textured.h"

#include <algorithm>
#include <array>
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

/// Random values a unit apart with cubic B-splines between, for each of some seeds: smooth enough
/// to be sampled. Neighbours are mostly of one cell, so it keeps the values around the last place.
class Noise {
 public:
  using Seeds = std::array<unsigned, 3>;
  using Values = std::array<double, 4>;  // for each seed; the last is 0

  explicit Noise(const Seeds &seeds) : seeds_(seeds) {}

  Values at(double x, double y) {
    const double i = std::floor(x), j = std::floor(y);
    if (i != left_ || j != top_) move(i, j);
    double wx[4], wy[4];
    weights(x - i, wx), weights(y - j, wy);
    Values sums{};
    for (size_t v = 0; v < 4; v++)
      for (size_t u = 0; u < 4; u++) {
        const double weight = wx[u] * wy[v];
        for (size_t k = 0; k < sums.size(); k++) sums[k] += weight * values_[4 * u + v][k];
      }
    return sums;
  }

 private:
  void move(double i, double j) {
    size_t known = 0;  // columns of the last cell that the right neighbour has too
    if (i == left_ + 1 && j == top_) {
      known = 3;
      std::copy(values_.begin() + 4, values_.end(), values_.begin());
    }
    left_ = i, top_ = j;
    for (size_t u = known; u < 4; u++)
      for (size_t v = 0; v < 4; v++)
        for (size_t k = 0; k < seeds_.size(); k++)
          values_[4 * u + v][k] = hash(int(i) + int(u), int(j) + int(v), seeds_[k]);
  }
  static void weights(double t, double *w) {
    const double s = 1 - t;
    w[0] = s * s * s / 6, w[3] = t * t * t / 6;
    w[1] = (4 - 6 * t * t + 3 * t * t * t) / 6, w[2] = 1 - w[0] - w[1] - w[3];
  }

  Seeds seeds_;
  double left_ = NAN, top_ = NAN;    // the cell
  std::array<Values, 16> values_{};  // of its corners and those around, by columns
};

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
  struct Layer {
    double size, weight;
    Noise noise;  // a seed for each channel
  };
  const auto layer = [seed](double size, double weight) {
    Noise::Seeds seeds{};
    for (unsigned channel = 0; channel < seeds.size(); channel++)
      seeds[channel] = seed * 64 + channel * 16 + unsigned(size);
    return Layer{size, weight, Noise(seeds)};
  };
  Layer layers[] = {layer(3, 0.35), layer(8, 0.4), layer(30, 0.25)};
  Frame frame(width, height);
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++) {
      const Point p = undo({double(x), double(y)});
      Noise::Values levels{};
      for (auto &[size, weight, noise] : layers) {
        const Noise::Values values = noise.at(p.x / size + 1000, p.y / size + 1000);
        for (size_t channel = 0; channel < 3; channel++)
          levels[channel] += weight * values[channel];
      }
      uint8_t *pixel = frame.at(x, y);
      for (size_t channel = 0; channel < 3; channel++)
        pixel[channel] = static_cast<uint8_t>(
            std::lround(std::clamp((levels[channel] - 0.5) * 600 + 127, 0.0, 255.0)));
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
