// SPDX-License-Identifier: LGPL-2.1-or-later
#include "canny.h"

#include <algorithm>
#include <cmath>

#include "hough/canny.h"

namespace reference {

namespace {

using glcl::hough::Canny;

struct Gradient {
  int x, y;
  int64_t square() const { return int64_t(x) * x + int64_t(y) * y; }
};

/// Gradients of all pixels and of those a pixel outside.
class Gradients {
 public:
  explicit Gradients(const Frame &frame) : frame_(frame) {}

  int luma(int x, int y) const {
    const uint8_t *p =
        frame_.at(std::clamp(x, 0, frame_.width - 1), std::clamp(y, 0, frame_.height - 1));
    return (77 * p[0] + 150 * p[1] + 29 * p[2] + 128) / 256;
  }
  Gradient at(int x, int y) const {
    static const int smooth[] = {1, 8, 28, 56, 70, 56, 28, 8, 1};
    static const int derive[] = {-1, -6, -14, -14, 0, 14, 14, 6, 1};
    int gx = 0, gy = 0;
    for (int j = 0; j < 9; j++)
      for (int i = 0; i < 9; i++) {
        const int level = luma(x + i - 4, y + j - 4);
        gx += derive[i] * smooth[j] * level;
        gy += smooth[i] * derive[j] * level;
      }
    const auto rounded = [](int value) {
      return static_cast<int>(std::floor((value + 64) / 128.0));
    };
    return {rounded(gx), rounded(gy)};
  }

 private:
  const Frame &frame_;
};

}  // namespace

Thresholds canny_thresholds(const NoiseTable &noise, double low, double high) {
  Thresholds thresholds;
  for (int level = 0; level < 256; level++) {
    const double deviation =
        std::sqrt(noise_at(noise, static_cast<float>(level)) * noise_correlation + noise.back());
    const double upper = high < 0 ? std::clamp(4 * 0.1014 * deviation, 3.0, Canny::most) : high;
    const double lower = low < 0 ? upper / 2 : std::min(low, upper);
    const auto square = [](double value) {
      const auto whole = static_cast<uint32_t>(std::lrint(256 * value));
      return whole * whole;
    };
    thresholds[level] = {square(lower), square(upper)};
  }
  return thresholds;
}

int full_step(int x, int y) {
  const double pi = std::acos(-1.0);
  // By the sides of lines in whole numbers, as the kernels have it; not by the angle.
  const auto side = [&](int k, int px, int py) {
    const double angle = (2 * k - 1) * pi / 180;
    return std::lround(16384 * std::cos(angle)) * py - std::lround(16384 * std::sin(angle)) * px;
  };
  const auto ahead = [&](int px, int py) {
    return std::lround(16384 * std::cos(pi / 180)) * px -
           std::lround(16384 * std::sin(pi / 180)) * py;
  };
  const bool reversed = side(0, x, y) < 0 || (side(0, x, y) == 0 && ahead(x, y) < 0);
  if (reversed) x = -x, y = -y;
  int step = 0;
  while (step + 1 < Canny::steps && side(step + 1, x, y) >= 0) step++;
  return reversed ? step + Canny::steps : step;
}

std::vector<uint16_t> canny(const Frame &frame, const Thresholds &thresholds, bool hysteresis) {
  const int width = frame.width, height = frame.height;
  const Gradients gradients(frame);
  std::vector<Gradient> all(size_t(width + 2) * (height + 2));
  const auto gradient = [&](int x, int y) -> Gradient & {
    return all[size_t(y + 1) * (width + 2) + x + 1];
  };
  for (int y = -1; y <= height; y++)
    for (int x = -1; x <= width; x++) gradient(x, y) = gradients.at(x, y);
  std::vector<uint16_t> edges(size_t(width) * height);
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++) {
      const Gradient &g = gradient(x, y);
      const int64_t square = g.square();
      const auto &[low, high] = thresholds[gradients.luma(x, y)];
      if (square == 0 || square < (hysteresis ? low : high)) continue;
      const int64_t across = std::abs(g.x), down = std::abs(g.y);
      int dx = 1, dy = int64_t(g.x) * g.y < 0 ? -1 : 1;
      if (down * 32768 <= across * 13573) dy = 0;
      if (across * 32768 < down * 13573) dx = 0, dy = 1;
      if (square <= gradient(x + dx, y + dy).square() || square < gradient(x - dx, y - dy).square())
        continue;
      const int length = static_cast<int>(std::sqrt(static_cast<double>(square)));
      const int direction = full_step(g.x, g.y);
      edges[size_t(y) * width + x] = uint16_t(
          std::min(length / 256, Canny::strengths - 1) << 7 | (direction % Canny::steps + 1) |
          (direction >= Canny::steps ? Canny::reversed : 0) | (square >= high ? Canny::strong : 0));
    }
  if (!hysteresis) return edges;

  std::vector<size_t> reached;
  std::vector<bool> kept(edges.size());
  for (size_t i = 0; i < edges.size(); i++)
    if (edges[i] & Canny::strong) reached.push_back(i), kept[i] = true;
  while (!reached.empty()) {
    const int x = static_cast<int>(reached.back() % width),
              y = static_cast<int>(reached.back() / width);
    reached.pop_back();
    for (int j = std::max(y - 1, 0); j <= std::min(y + 1, height - 1); j++)
      for (int i = std::max(x - 1, 0); i <= std::min(x + 1, width - 1); i++) {
        const size_t at = size_t(j) * width + i;
        if (edges[at] && !kept[at]) kept[at] = true, reached.push_back(at);
      }
  }
  for (size_t i = 0; i < edges.size(); i++)
    if (!kept[i]) edges[i] = 0;
  return edges;
}

}  // namespace reference
