// SPDX-License-Identifier: LGPL-2.1-or-later
#include "blank.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "selection.h"

namespace reference::klt {

namespace {

/// The texture around a place: the smaller eigenvalue of a window's tensor, and the least that
/// counts.
std::pair<double, double> texture(const Plane &plane, const NoiseTable &noise, int x, int y) {
  double sx = 0, sy = 0, xx = 0, xy = 0, yy = 0;
  for (int j = -3; j <= 3; j++)
    for (int i = -3; i <= 3; i++) {
      const int u = std::clamp(x + i, 0, plane.width - 1),
                v = std::clamp(y + j, 0, plane.height - 1);
      const double gx = (plane.at(u + 1, v) - plane.at(u - 1, v)) / 2,
                   gy = (plane.at(u, v + 1) - plane.at(u, v - 1)) / 2;
      sx += gx, sy += gy, xx += gx * gx, xy += gx * gy, yy += gy * gy;
    }
  const double of_noise =
      1.5 * gains(1)[0].slope * noise_correlation * noise_at(noise, plane.at(x, y)) * 49;
  return {least_eigenvalue(xx - sx * sx / 49, xy - sx * sy / 49, yy - sy * sy / 49),
          std::max(of_noise, 1.0)};
}

bool textured(const Plane &plane, const Plane *before, const NoiseTable &noise, int x, int y) {
  const auto [is, least] = texture(plane, noise, x, y);
  return is > least + (before ? 0.004 * texture(*before, noise, x, y).first : 0);
}

}  // namespace

bool is_blank(const Plane &before, const Plane &after, const NoiseTable &noise, int row,
              const std::vector<Point> &saved, const std::vector<Point> &points) {
  int all = 0, lost = 0, gone = 0, now = 0, then = 0;
  for (size_t i = 0; i < points.size(); i++) {
    if (!saved[i].alive) continue;
    all++;
    if (points[i].alive) continue;
    lost++;
    gone += !textured(after, &before, noise, int(std::nearbyint(saved[i].tracked_x)),
                      int(std::nearbyint(saved[i].tracked_y)));
  }
  for (int j = 0; j < 32; j++)
    for (int i = 0; i < 32; i++) {
      const int x = (2 * i + 1) * before.width / 64, y = (2 * j + 1) * before.height / 64;
      now += textured(after, &before, noise, x, y);
      then += textured(before, nullptr, noise, x, y);
    }
  return row < 30 && lost * (row ? 4 : 2) > all && (lost - gone) * 3 <= lost &&
         32 * now * all <= then * (64 * (all - lost) + all);
}

}  // namespace reference::klt
