// SPDX-License-Identifier: LGPL-2.1-or-later
#include "frames.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <stdexcept>

namespace reference {

namespace {

uint8_t level(double value) {
  return static_cast<uint8_t>(std::lround(std::clamp(value, 0.0, 255.0)));
}

}  // namespace

Frame random_frame(int width, int height, unsigned seed) {
  std::mt19937 next(seed);
  Frame frame(width, height);
  for (uint8_t &value : frame.rgba) value = static_cast<uint8_t>(next() >> 24);
  return frame;
}

Frame flat_frame(int width, int height) {
  Frame frame(width, height);
  const uint8_t colour[] = {200, 101, 3, 77};
  for (size_t i = 0; i < frame.rgba.size(); i++) frame.rgba[i] = colour[i % 4];
  return frame;
}

Frame gradient_frame(int width, int height) {
  Frame frame(width, height);
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++) {
      uint8_t *pixel = frame.at(x, y);
      pixel[0] = level(255.0 * x / std::max(1, width - 1));
      pixel[1] = level(255.0 * y / std::max(1, height - 1));
      pixel[2] = level(255.0 * (x + y) / std::max(1, width + height - 2));
      const int half = pixel[2] / 2;
      pixel[3] = level(255 - half);
    }
  return frame;
}

Frame natural_frame(int width, int height) {
  std::mt19937 next(7);
  const auto jitter = [&] { return (next() >> 8) / double(1 << 24) * 12 - 6; };  // ±6 levels
  Frame frame(width, height);
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++) {
      const double u = (x + 0.5) / width, v = (y + 0.5) / height;
      double r = 90 + 120 * v, g = 130 + 60 * v, b = 220 - 80 * v;          // sky
      const double disc = std::hypot(u - 0.3, (v - 0.4) * height / width);  // soft disc
      const double inside = 1 / (1 + std::exp((disc - 0.18) * 60));
      r += (240 - r) * inside, g += (200 - g) * inside, b += (60 - b) * inside;
      if (v > 0.7) r = 60, g = 90 + 50 * std::sin(40 * u * (1 + v)), b = 40;  // grass
      if (std::abs(u - 0.75) < 0.06) r = 70, g = 45, b = 30;                  // hard edges
      uint8_t *pixel = frame.at(x, y);
      pixel[0] = level(r + jitter());
      pixel[1] = level(g + jitter());
      pixel[2] = level(b + jitter());
      pixel[3] = level(255 * u);
    }
  return frame;
}

Frame noisy(const Frame &frame, double level, unsigned seed, bool shot, double light) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  Frame result = frame;
  for (size_t i = 0; i < result.rgba.size(); i += 4) {
    uint8_t *p = &result.rgba[i];
    const double grey = light * (p[0] + p[1] + p[2]) / 3.0;
    const double add = level * (shot ? std::sqrt(grey / 128) : 1) * normal(random);
    for (int k = 0; k < 3; k++)
      p[k] = static_cast<uint8_t>(std::lround(std::clamp(light * p[k] + add, 0.0, 255.0)));
  }
  return result;
}

Frame crop(const Frame &frame, int x, int y, int width, int height) {
  if (x < 0 || y < 0 || x + width > frame.width || y + height > frame.height)
    throw std::out_of_range("crop is not inside the frame");
  Frame part(width, height);
  for (int row = 0; row < height; row++)
    std::copy_n(frame.at(x, y + row), 4 * width, part.at(0, row));
  return part;
}

}  // namespace reference
