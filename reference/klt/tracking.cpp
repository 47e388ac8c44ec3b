// SPDX-License-Identifier: LGPL-2.1-or-later
#include "tracking.h"

#include <algorithm>
#include <cmath>

#include "selection.h"
#include "templatefit.h"

namespace reference::klt {

namespace {

/// A texel of a window, with its slopes.
struct Sample {
  int i, j;
  double value, gx, gy, moved = 0;
};

struct Found {
  bool good = false, has_texture = false;
  float dx = 0, dy = 0;
  double residue = 0, xx = 0, xy = 0, yy = 0;
};

/// The texels of a window that lie inside of the level, relative to the level at its centre.
struct Window {
  std::vector<Sample> samples;
  float middle = 0;
};
Window window_of(const Plane &plane, float x, float y, int radius) {
  const int bx = static_cast<int>(std::floor(x)), by = static_cast<int>(std::floor(y));
  const auto at = [&](int i, int j) {
    return plane.between(bx + i, by + j, x - float(bx), y - float(by));
  };
  Window window{{}, at(0, 0)};
  for (int j = -radius; j <= radius; j++)
    for (int i = -radius; i <= radius; i++) {
      if (bx + i < 1 || by + j < 1 || bx + i >= plane.width - 2 || by + j >= plane.height - 2)
        continue;
      window.samples.push_back({i, j, at(i, j) - window.middle, (at(i + 1, j) - at(i - 1, j)) / 2,
                                (at(i, j + 1) - at(i, j - 1)) / 2});
    }
  return window;
}

double limit(const Settings &settings, double variance, double noise, double part = 0.3) {
  return std::min(settings.max_residue, part * std::sqrt(variance)) + 0.8 * std::sqrt(noise);
}
double coding_of(const NoiseTable &noise) { return std::max(noise.back() - 0.15, 0.0); }

Found track_window(const Pyramid &before, const Pyramid &after, int levels,
                   const std::vector<Gain> &gains, float px, float py, float guess_x, float guess_y,
                   bool equalize, int radius, const Settings &settings, const NoiseTable &noise) {
  const int side = 2 * radius + 1;
  Found found;
  found.dx = std::ldexp(guess_x, -levels), found.dy = std::ldexp(guess_y, -levels);
  for (int level = levels - 1; level >= 0; level--) {
    const Plane &from = before[level], &to = after[level];
    const float cx = std::ldexp(px, -level), cy = std::ldexp(py, -level);
    Window window = window_of(from, cx, cy, radius);
    std::vector<Sample> &samples = window.samples;
    const float middle = window.middle;
    const double n = std::max<double>(double(samples.size()), 1);
    double mean = 0, mx = 0, my = 0, variance = 0, xx = 0, xy = 0, yy = 0;
    const bool flat = equalize || level == 0;
    for (const Sample &s : samples) mean += s.value / n, mx += s.gx / n, my += s.gy / n;
    if (!flat) mx = my = 0;
    for (const Sample &s : samples) {
      variance += (s.value - mean) * (s.value - mean) / n;
      xx += (s.gx - mx) * (s.gx - mx), yy += (s.gy - my) * (s.gy - my);
      xy += (s.gx - mx) * (s.gy - my);
    }
    const double own = noise_correlation * noise_at(noise, middle);
    const float start_x = 2 * found.dx, start_y = 2 * found.dy;
    found.dx = start_x, found.dy = start_y;
    bool good = double(samples.size()) >= 0.25 * side * side && xx * yy - xy * xy > 0.01 &&
                least_eigenvalue(xx, xy, yy) > (1 + 3.5 / side) * gains[level].slope * own * n;
    found.has_texture = good;
    double gain = 1, other = 0;
    const auto moved = [&](const Sample &s) {
      const float x = cx + found.dx, y = cy + found.dy;
      const auto fx = std::floor(x), fy = std::floor(y);
      return to.between(int(fx) + s.i, int(fy) + s.j, x - fx, y - fy) - middle;
    };
    bool moves = good;
    for (int step = 0; step < settings.iterations && moves; step++) {
      other = 0;
      double deviation = 0, ex = 0, ey = 0;
      for (Sample &s : samples) s.moved = moved(s), other += s.moved / n;
      for (const Sample &s : samples) deviation += (s.moved - other) * (s.moved - other) / n;
      gain = flat ? std::clamp(std::sqrt(variance / std::max(deviation, 1e-6)), 1 / 3.0, 3.0) : 1;
      for (const Sample &s : samples) {
        const double left = flat ? s.value - mean - gain * (s.moved - other) : s.value - s.moved;
        ex += s.gx * left, ey += s.gy * left;
      }
      const double det = xx * yy - xy * xy;
      const double dx = (yy * ex - xy * ey) / det, dy = (xx * ey - xy * ex) / det;
      found.dx += float(dx), found.dy += float(dy);
      good = std::abs(found.dx - start_x) <= float(side) &&
             std::abs(found.dy - start_y) <= float(side);
      moves = good && dx * dx + dy * dy > 0.005 * 0.005;
    }
    if (!good) found.dx = start_x, found.dy = start_y;
    if (level) continue;
    for (const Sample &s : samples)
      found.residue += std::abs(s.value - mean - gain * (moved(s) - other)) / n;
    found.xx = xx, found.xy = xy, found.yy = yy;
    const double most = limit(settings, variance, 2 * (gains[0].texel * own + coding_of(noise)));
    found.good = good && found.residue <= most;
  }
  return found;
}

/// By how many texels a window grows so that noise moves the point by 0.03 px.
int growth(double eigenvalue, double noise, int radius) {
  const double side = 7 * std::sqrt(2 * noise / std::max(eigenvalue, 1e-6)) / 0.03;
  return std::clamp(int(std::ceil((std::min(side, 31.0) - 1) / 2)) - radius, 0, 15 - radius);
}

}  // namespace

bool track(const Pyramid &before, const Pyramid &after, const Settings &settings,
           const NoiseTable &noise, int usual, int steps, Point &point) {
  const int levels = std::min({settings.levels, int(before.size()), int(after.size())});
  const std::vector<Gain> all = gains(levels);
  const int width = before[0].width, height = before[0].height;
  const double level = noise_correlation * noise[0] + coding_of(noise);
  const auto in_frame = [&](double x, double y) {
    return x >= frame_margin && y >= frame_margin && x <= width - 1 - frame_margin &&
           y <= height - 1 - frame_margin;
  };
  const bool born = point.age == 0;
  point.residual = -1;
  if (born) {
    point.growth = growth(point.eigenvalue, level, settings.window / 2);
    point.similarity[0] = 1, point.similarity[1] = 0;
    point.doubts = 0;
  }
  const int radius = std::min(settings.window / 2 + point.growth, 15);
  Found found;
  float guess_x = 0, guess_y = 0;
  bool equalize = false;
  int used = levels;
  const bool fast = point.vx * point.vx + point.vy * point.vy >= 1;
  const float step_x = point.vx * float(steps), step_y = point.vy * float(steps);
  const int tries = fast && in_frame(point.tracked_x + step_x, point.tracked_y + step_y) ? 4 : 3;
  const bool all_kept = settings.max_residue >= 255;
  for (int i = 0; i < tries && !found.good; i++) {
    const float to_x = fast && i < 2 ? step_x : 0, to_y = fast && i < 2 ? step_y : 0;
    const int next_levels = i < tries - 1 ? levels : 1;
    Found next = track_window(before, after, next_levels, all, point.tracked_x, point.tracked_y,
                              to_x, to_y, i > 0, radius, settings, noise);
    const bool stays = in_frame(point.tracked_x + next.dx, point.tracked_y + next.dy);
    next.good = next.good && stays, next.has_texture = next.has_texture && stays && all_kept;
    if (i == 0 || next.good ||
        (next.has_texture && (!found.has_texture || next.residue < found.residue)))
      found = next, guess_x = to_x, guess_y = to_y, equalize = i > 0, used = next_levels;
  }
  bool good = found.good || found.has_texture;
  float x = point.tracked_x + found.dx, y = point.tracked_y + found.dy;
  if (born) {
    const Window window = window_of(before[0], point.tracked_x, point.tracked_y, radius);
    point.patch = {radius, window.middle, {}};
    for (const Sample &s : window.samples)
      point.patch.texels.push_back({s.i, s.j, s.value, s.gx, s.gy});
  }
  if (good && settings.check) {
    const Found back = track_window(after, before, used, all, x, y, -guess_x, -guess_y, equalize,
                                    radius, settings, noise);
    good = back.good && std::hypot(found.dx + back.dx, found.dy + back.dy) <= 1;
  }
  if (good && !born) {
    const double own = 2 * (all[0].texel * noise_correlation * noise_at(noise, point.patch.middle) +
                            coding_of(noise));
    const Fitted fitted = fit(after[0], point.patch, {x, y},
                              {point.similarity[0], point.similarity[1]}, settings.iterations, own);
    const double part = std::clamp(2.5 * usual / 1024, 0.3, 0.6);
    if (fitted.good)
      point.residual = int(1024 * std::fmin(fitted.residue / std::sqrt(fitted.variance), 1.0));
    if (fitted.good && fitted.residue <= limit(settings, fitted.variance, own, part) &&
        in_frame(fitted.at.real(), fitted.at.imag())) {
      x = float(fitted.at.real()), y = float(fitted.at.imag());
      point.similarity[0] = fitted.similarity.real(),
      point.similarity[1] = fitted.similarity.imag();
      point.doubts = 0;
    } else {
      good = ++point.doubts <= 2 || all_kept;
    }
  }
  if (!good) return false;
  const double ax = x - point.x, ay = y - point.y;
  const double evidence = found.xx * ax * ax + 2 * found.xy * ax * ay + found.yy * ay * ay;
  const bool held = evidence <= 32 * level;
  point.vx = held ? 0 : (x - point.x) / float(steps);
  point.vy = held ? 0 : (y - point.y) / float(steps);
  if (!held) point.x = x, point.y = y;
  point.tracked_x = x, point.tracked_y = y;
  point.residue = static_cast<float>(found.residue);
  point.age++;
  return true;
}

}  // namespace reference::klt
