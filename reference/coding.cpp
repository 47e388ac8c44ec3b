// SPDX-License-Identifier: LGPL-2.1-or-later
#include "coding.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace reference {

namespace {

constexpr int side = 8;
using Block = std::array<double, size_t(side) * side>;

/// The orthonormal cosine transform along both axes, or back.
Block transform(const Block &in, bool back) {
  static const Block waves = [] {
    Block list;
    for (int row = 0; row < side; row++)
      for (int i = 0; i < side; i++)
        list[size_t(row) * side + i] =
            std::cos(M_PI / side * (i + 0.5) * row) * std::sqrt((row ? 2.0 : 1.0) / side);
    return list;
  }();
  const auto along = [&](const Block &from, int stride, int other) {
    Block to{};
    for (int line = 0; line < side; line++)
      for (int k = 0; k < side; k++)
        for (int i = 0; i < side; i++) {
          const int row = back ? i : k, column = back ? k : i;
          to[size_t(line) * other + size_t(k) * stride] +=
              waves[size_t(row) * side + column] * from[size_t(line) * other + size_t(i) * stride];
        }
    return to;
  };
  return along(along(in, 1, side), side, 1);
}

double quantised(double value, double step, double lost) {
  const double count = std::floor(std::abs(value) / step + 1 - lost);
  return std::copysign(count * step, value);
}

}  // namespace

Frame Coder::code(const Frame &frame, bool intra, int dx, int dy) {
  const int w = frame.width, h = frame.height;
  const auto inside = [&](int x, int y) {
    return size_t(std::clamp(y, 0, h - 1)) * w + std::clamp(x, 0, w - 1);
  };
  std::vector<double> grey, result(size_t(w) * h);
  for (size_t i = 0; i < result.size(); i++)
    grey.push_back((frame.rgba[4 * i] + frame.rgba[4 * i + 1] + frame.rgba[4 * i + 2]) / 3.0);
  for (int y0 = 0; y0 < h; y0 += side)
    for (int x0 = 0; x0 < w; x0 += side) {
      const auto predicted = [&](int i) {
        return intra ? 128 : decoded_[inside(x0 + i % side - dx, y0 + i / side - dy)];
      };
      Block block;
      for (int i = 0; i < side * side; i++)
        block[i] = grey[inside(x0 + i % side, y0 + i / side)] - predicted(i);
      block = transform(block, false);
      for (double &value : block) value = quantised(value, step_, intra ? 2.0 / 3 : 5.0 / 6);
      block = transform(block, true);
      for (int i = 0; i < side * side; i++)
        if (x0 + i % side < w && y0 + i / side < h)
          result[inside(x0 + i % side, y0 + i / side)] =
              std::round(std::clamp(predicted(i) + block[i], 0.0, 255.0));
    }
  Frame coded = frame;
  for (size_t i = 0; i < result.size(); i++)
    for (size_t k = 0; k < 3; k++)
      coded.rgba[4 * i + k] = static_cast<uint8_t>(
          std::lround(std::clamp(frame.rgba[4 * i + k] - grey[i] + result[i], 0.0, 255.0)));
  decoded_ = std::move(result);
  return coded;
}

}  // namespace reference
