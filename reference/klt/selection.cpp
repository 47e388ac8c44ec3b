// SPDX-License-Identifier: LGPL-2.1-or-later
#include "selection.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <tuple>

#include "reference/noise/noise.h"
#include "taps.h"

namespace reference::klt {

namespace {

const std::vector<double> gaussian_taps{0.0044330480, 0.054005578, 0.24203622,  0.39905027,
                                        0.24203622,   0.054005578, 0.0044330480};
const std::vector<double> derivative_taps{-0.013353735, -0.10845453, -0.24302973, 0,
                                          0.24302973,   0.10845453,  0.013353735};

}  // namespace

double least_eigenvalue(double xx, double xy, double yy) {
  return std::max((xx + yy - std::sqrt((xx - yy) * (xx - yy) + 4 * xy * xy)) / 2, 0.0);
}

double eigenvalue_gain() {
  const Taps taps = convolved({{0, 1.0}}, smooth_taps, 1);
  return 49 * energy(convolved(taps, derivative_taps, 1)) *
         energy(convolved(taps, gaussian_taps, 1));
}

std::pair<Plane, Plane> gradient(const Plane &plane) {
  Plane x = filtered(plane, derivative_taps, gaussian_taps, plane.width, plane.height);
  Plane y = filtered(plane, gaussian_taps, derivative_taps, plane.width, plane.height);
  for (int j = 0; j < plane.height; j++)
    for (int i = 0; i < plane.width; i++)
      if (i < frame_margin || j < frame_margin || i >= plane.width - frame_margin ||
          j >= plane.height - frame_margin)
        x(i, j) = y(i, j) = 0;
  return {x, y};
}

Plane eigenvalues(const Plane &plane) {
  const auto [gx, gy] = gradient(plane);
  Plane result(plane.width, plane.height);
  for (int y = frame_margin; y < plane.height - frame_margin; y++)
    for (int x = frame_margin; x < plane.width - frame_margin; x++) {
      double xx = 0, xy = 0, yy = 0;
      for (int j = -3; j <= 3; j++)
        for (int i = -3; i <= 3; i++) {
          const double a = gx.at(x + i, y + j), b = gy.at(x + i, y + j);
          xx += a * a, xy += a * b, yy += b * b;
        }
      result(x, y) = static_cast<float>(least_eigenvalue(xx, xy, yy));
    }
  return result;
}

std::vector<Corner> select(const Plane &values, const Settings &settings, double noise, int need,
                           const std::vector<Point> &points) {
  const int width = values.width, height = values.height, far = settings.min_distance;
  float best = 0;
  for (float value : values.values) best = std::max(best, value);
  const double least = std::max({settings.quality * best, settings.min_eigenvalue, 1e-30,
                                 2 * eigenvalue_gain() * noise_correlation * noise});
  std::vector<uint8_t> taken(values.values.size());
  for (const Point &point : points) {
    if (!point.alive) continue;
    const int px = static_cast<int>(std::nearbyint(point.x)),
              py = static_cast<int>(std::nearbyint(point.y));
    for (int y = std::max(py - far, 0); y <= std::min(py + far, height - 1); y++)
      for (int x = std::max(px - far, 0); x <= std::min(px + far, width - 1); x++)
        taken[size_t(y) * width + x] = 1;
  }
  std::vector<Corner> all;
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++) {
      const float value = values.at(x, y);
      if (value <= 0 || value < float(least) || taken[size_t(y) * width + x]) continue;
      bool largest = true;
      for (int j = std::max(y - far, 0); j <= std::min(y + far, height - 1) && largest; j++)
        for (int i = std::max(x - far, 0); i <= std::min(x + far, width - 1) && largest; i++)
          largest = std::tuple(values.at(i, j), j, i) <= std::tuple(value, y, x);
      if (largest) all.push_back({x, y, value});
    }
  std::sort(all.begin(), all.end(), [](const Corner &a, const Corner &b) {
    return std::tuple(a.value, a.y, a.x) > std::tuple(b.value, b.y, b.x);
  });
  const int cells = settings.cells;
  if (cells) {
    const auto cell_of = [&](int x, int y) {
      int column = 0, row = 0;
      while ((column + 1) * width / cells <= x) column++;
      while ((row + 1) * height / cells <= y) row++;
      return row * cells + column;
    };
    const int most = (settings.features + cells * cells - 1) / (cells * cells);
    std::vector<int> filled(size_t(cells) * cells);
    for (const Point &point : points)
      if (point.alive) filled[cell_of(int(point.x), int(point.y))]++;
    std::vector<Corner> kept;
    for (const Corner &corner : all)
      if (filled[cell_of(corner.x, corner.y)]++ < most) kept.push_back(corner);
    all = kept;
  }
  all.resize(std::min(all.size(), size_t(std::max(need, 0))));
  return all;
}

}  // namespace reference::klt
