// SPDX-License-Identifier: LGPL-2.1-or-later
#include "hough.h"

#include <algorithm>
#include <array>
#include <bitset>
#include <cmath>

#include "canny.h"

namespace reference {

namespace {

using glcl::hough::Canny;
using glcl::hough::Template;

const double pi = std::acos(-1.0);

}  // namespace

std::vector<Listed> strongest(const std::vector<uint16_t> &map, int width, int shift, int strengths,
                              int wanted, size_t capacity, const glcl::Rect &region) {
  std::vector<uint32_t> listed;
  for (uint32_t i = 0; i < map.size(); i++) {
    const int x = static_cast<int>(i) % width, y = static_cast<int>(i) / width;
    const bool inside = x >= region.x && x < region.right() && y >= region.y && y < region.bottom();
    if (inside && (map[i] & wanted)) listed.push_back(i);
  }
  const auto strength = [&](uint32_t i) { return map[i] >> shift & (strengths - 1); };
  std::stable_sort(listed.begin(), listed.end(),
                   [&](uint32_t a, uint32_t b) { return strength(a) > strength(b); });
  listed.resize(std::min(listed.size(), capacity));
  std::sort(listed.begin(), listed.end());
  std::vector<Listed> list;
  for (const uint32_t i : listed) list.push_back({uint32_t(map[i] & ((1 << shift) - 1)), i});
  return list;
}

Match::Match(const std::vector<uint16_t> &edges, int width, int height, int half)
    : width_(width), height_(height), map_(edges.size()) {
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++) {
      const uint16_t edge = edges[size_t(y) * width + x];
      if (!edge) continue;
      uint16_t bits = 0;
      for (int off : {-3, 3})
        bits |= uint16_t(1 << ((edge & 127) - 1 + off + Canny::steps) % Canny::steps / 6);
      for (int v = std::max(y - half, 0); v <= std::min(y + half, height - 1); v++)
        for (int u = std::max(x - half, 0); u <= std::min(x + half, width - 1); u++)
          map_[size_t(v) * width + u] |= bits;
    }
}

int Match::points(const Template &shape, int x, int y, double rotation, double scale) const {
  int sum = 0;
  for (const cl_float4 &p : shape.levels[shape.level_of(scale)].match_points) {
    const double c = scale * std::cos(rotation), s = scale * std::sin(rotation);
    const int u = x + static_cast<int>(std::lround(c * p.s[0] - s * p.s[1]));
    const int v = y + static_cast<int>(std::lround(s * p.s[0] + c * p.s[1]));
    if (u < 0 || v < 0 || u >= width_ || v >= height_) continue;
    const double step =
        std::fmod(p.s[2] + rotation / pi * Canny::steps + 4 * Canny::steps, Canny::steps);
    sum += map_[size_t(v) * width_ + u] >> static_cast<int>(step) / 6 & 1;
  }
  return sum;
}

double Match::directions(int x, int y) const {
  if (x < 0 || y < 0 || x >= width_ || y >= height_) return 0;
  return double(std::bitset<16>(map_[size_t(y) * width_ + x]).count()) / 15;
}

double score(const std::vector<uint16_t> &edges, int width, int height,
             const Template::ScaleLevel &level, double radius, double x, double y, double angle,
             double scale) {
  const double reach = 1.5, rotation = -angle * pi / 180, steps = Canny::steps,
               max_direction_off = 6;
  constexpr int axes = 8, parts = 16;
  const double least_seen = 0.5, least_met = 0.6;
  std::array<std::array<double, parts>, axes> seen{}, met{};
  double sum = 0;
  for (const cl_float4 &point : level.points) {
    const double qx =
        x + scale * (std::cos(rotation) * point.s[0] - std::sin(rotation) * point.s[1]);
    const double qy =
        y + scale * (std::sin(rotation) * point.s[0] + std::cos(rotation) * point.s[1]);
    const double step = std::fmod(point.s[2] + rotation / pi * steps + 4 * steps, steps);
    const double nx = std::cos(step * pi / steps), ny = std::sin(step * pi / steps);
    double nearest = 1e9, direction_off = 0;
    for (int k : {0, -1, 1, -2, 2}) {
      const int row = static_cast<int>(std::floor(qy + ny * k + 0.5));
      const int first = static_cast<int>(std::floor(qx + nx * k));
      for (int column = first; column <= first + 1; column++) {
        if (row < 0 || row >= height || column < 0 || column >= width) continue;
        const uint16_t edge = edges[size_t(row) * width + column];
        if (!edge) continue;
        double off = std::abs((edge & 127) - 1 - step);
        off = std::min(off, steps - off);
        const double distance = std::abs(nx * (column - qx) + ny * (row - qy));
        if (off <= max_direction_off && distance < nearest) nearest = distance, direction_off = off;
      }
      if (nearest < std::abs(k) - 0.5) break;
    }
    const double meets = nearest > reach
                             ? 0
                             : point.s[3] * (1 - std::pow(nearest / reach, 4)) *
                                   (1 - std::pow(direction_off / (max_direction_off + 1), 4));
    sum += meets;
    for (int axis = 0; axis < axes; axis++) {
      const double along =
          (std::cos(axis * pi / axes) * point.s[0] + std::sin(axis * pi / axes) * point.s[1]) /
          radius;
      const int part = std::clamp(static_cast<int>((along + 1) * parts / 2), 0, parts - 1);
      seen[axis][part] += point.s[3], met[axis][part] += meets;
    }
  }
  double most = 0;
  for (int side = 0; side < 2 * axes; side++) {
    double own_seen = 0, own_met = 0;
    for (int i = 0; i < parts; i++) {
      const int part = side % 2 ? parts - 1 - i : i;
      own_seen += seen[side / 2][part], own_met += met[side / 2][part];
      if (own_seen >= least_seen && sum > least_seen * least_met)
        most = std::max(most, (own_met - least_met * own_seen) / 0.45);
    }
  }
  return 1 - (1 - sum) / (1 - level.chance) * (1 - most);
}

}  // namespace reference
