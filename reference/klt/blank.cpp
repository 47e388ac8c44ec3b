// SPDX-License-Identifier: LGPL-2.1-or-later
#include "blank.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "selection.h"
#include "view.h"

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

/// The windows with texture in two frames.
struct Windows {
  int now = 0, then = 0;
};

Windows windows_of(const Plane &before, const Plane &after, const NoiseTable &noise) {
  Windows windows;
  for (int j = 0; j < 32; j++)
    for (int i = 0; i < 32; i++) {
      const int x = (2 * i + 1) * before.width / 64, y = (2 * j + 1) * before.height / 64;
      windows.now += textured(after, &before, noise, x, y);
      windows.then += textured(before, nullptr, noise, x, y);
    }
  return windows;
}

/// Compares two frames between which most points are lost.
void compare_views(const Pyramid &before, const Pyramid &after, int row, Blank &result) {
  const ViewMatch match = match_views(coarse_level(before), coarse_level(after));
  const bool flash = match.in_place >= 0.5 && match.brightened * 8 >= 32 * 32,
             shifted = match.best >= 0.9 && match.best - match.others >= 0.25;
  result.stays = flash || shifted;
  if (flash && row < 5) result.blank = true, result.returns = false, result.row = row;
}

}  // namespace

Blank find_blank(const Pyramid &previous, const Pyramid &after, const NoiseTable &noise, int row,
                 const std::vector<Point> &saved, const std::vector<Point> &points,
                 const KeptScene &kept) {
  int all = 0, lost = 0, gone = 0, kept_all = 0, kept_lost = 0;
  const auto is_left = [&](size_t i, const std::vector<Point> &of) {
    return points[i].alive && points[i].id == of[i].id;
  };
  for (size_t i = 0; i < points.size(); i++) {
    all += saved[i].alive, lost += saved[i].alive && !points[i].alive;
    if (kept.points.empty() || !kept.points[i].alive) continue;
    kept_all++, kept_lost += !is_left(i, kept.points);
  }
  Blank result;
  result.returns =
      !kept.pyramid.empty() && row == 0 && kept.age > 0 && kept.age <= 10 && kept_lost > 3 * lost;
  result.row = result.returns ? kept.age : row;
  const int all_now = all, lost_now = lost;
  if (result.returns) all = kept_all, lost = kept_lost;
  const Pyramid &before = result.returns ? kept.pyramid : previous;
  const std::vector<Point> &old = result.returns ? kept.points : saved;
  const bool suspected = all_now >= 16 && 4 * lost_now > all_now;
  const auto without_texture = [&] {
    if (suspected) compare_views(previous, after, row, result);
    result.returns &= result.blank;
    return result;
  };
  if (result.row >= 30 || lost * (row ? 4 : 2) <= all) return without_texture();
  for (size_t i = 0; i < points.size(); i++)
    gone += old[i].alive && !is_left(i, old) &&
            !textured(after[0], &before[0], noise, int(std::nearbyint(old[i].tracked_x)),
                      int(std::nearbyint(old[i].tracked_y)));
  const Windows windows = windows_of(before[0], after[0], noise);
  const int seen = lost - gone;
  const bool explained = 32 * windows.now * all <= windows.then * (64 * (all - lost) + all),
             hides = row && 3 * seen <= lost && 2 * windows.now <= windows.then;
  result.blank = (3 * seen <= lost && explained) || hides;
  return result.blank ? result : without_texture();
}

}  // namespace reference::klt
