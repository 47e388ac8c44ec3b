// SPDX-License-Identifier: LGPL-2.1-or-later
#include "view.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <vector>

namespace reference::klt {

namespace {

constexpr int cells = 32, most_shift = 16, around = 3, wide = 2 * most_shift + 1;

/// A value per cell; NaN if the cell is saturated.
struct Cells {
  std::array<double, size_t(cells) * cells> values{};
  double &operator()(int x, int y) { return values[size_t(y) * cells + size_t(x)]; }
  double at(int x, int y) const {
    return values[size_t(std::clamp(y, 0, cells - 1)) * cells +
                  size_t(std::clamp(x, 0, cells - 1))];
  }
  /// The mean of the cells around one, by weights of (1 2 1) or equal ones.
  double mean(int x, int y, int radius) const {
    double sum = 0, weights = 0;
    for (int v = -radius; v <= radius; v++)
      for (int u = -radius; u <= radius; u++) {
        const double weight = radius > 1 ? 1 : (2 - std::abs(u)) * (2 - std::abs(v));
        sum += weight * at(x + u, y + v), weights += weight;
      }
    return sum / weights;
  }
};

Cells details_of(const Plane &plane) {
  Cells means, smooth, result;
  std::array<bool, size_t(cells) * cells> saturated{};
  for (int y = 0; y < cells; y++)
    for (int x = 0; x < cells; x++) {
      const int left = x * plane.width / cells, top = y * plane.height / cells,
                right = std::max((x + 1) * plane.width / cells, left + 1),
                bottom = std::max((y + 1) * plane.height / cells, top + 1);
      const int across = (right - left + 7) / 8, down = (bottom - top + 7) / 8;
      double sum = 0;
      int count = 0, bright = 0;
      for (int v = top; v < bottom; v += down)
        for (int u = left; u < right; u += across) {
          const float level = plane.at(u, v);
          sum += level, count++, bright += level >= 248;
        }
      means(x, y) = sum / count;
      saturated[size_t(y) * cells + size_t(x)] = bright > 0.25 * count;
    }
  for (int y = 0; y < cells; y++)
    for (int x = 0; x < cells; x++) smooth(x, y) = means.mean(x, y, 1);
  for (int y = 0; y < cells; y++)
    for (int x = 0; x < cells; x++)
      result(x, y) =
          saturated[size_t(y) * cells + size_t(x)] ? NAN : smooth(x, y) - smooth.mean(x, y, around);
  return result;
}

double agreement(const Cells &a, const Cells &b, int dx, int dy) {
  double products = 0, first = 0, second = 0;
  int count = 0;
  for (int y = std::max(-dy, 0); y < std::min(cells - dy, cells); y++)
    for (int x = std::max(-dx, 0); x < std::min(cells - dx, cells); x++) {
      const double one = a.at(x, y), other = b.at(x + dx, y + dy);
      if (std::isnan(one) || std::isnan(other)) continue;
      products += one * other, first += one * one, second += other * other, count++;
    }
  if (count * 16 < cells * cells) return 0;
  return std::max(products / (std::sqrt(first * second) + 0.05 * count + 1e-6), 0.0);
}

}  // namespace

ViewMatch match_views(const Plane &before, const Plane &after) {
  const Cells a = details_of(before), b = details_of(after);
  ViewMatch match;
  for (size_t i = 0; i < a.values.size(); i++)
    match.brightened += std::isnan(b.values[i]) && !std::isnan(a.values[i]);
  std::vector<double> all;
  for (int i = 0; i < wide * wide; i++) {
    const int dx = i % wide - most_shift, dy = i / wide - most_shift;
    all.push_back(agreement(a, b, dx, dy));
    if (std::abs(dx) <= 1 && std::abs(dy) <= 1)
      match.in_place = std::max(match.in_place, all.back());
  }
  const int at = int(std::max_element(all.begin(), all.end()) - all.begin());
  match.best = all[size_t(at)];
  for (int i = 0; i < wide * wide; i++)
    if (std::abs(i % wide - at % wide) > around || std::abs(i / wide - at / wide) > around)
      match.others = std::max(match.others, all[size_t(i)]);
  return match;
}

const Plane &coarse_level(const Pyramid &pyramid) {
  size_t coarse = 0;
  for (size_t i = 1; i < pyramid.size(); i++)
    if (std::min(pyramid[i].width, pyramid[i].height) >= 64) coarse = i;
  return pyramid[coarse];
}

}  // namespace reference::klt
