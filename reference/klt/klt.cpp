// SPDX-License-Identifier: LGPL-2.1-or-later
#include "klt.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <tuple>

namespace reference::klt {

namespace {

constexpr int rim = 3;  // px
const std::vector<double> smooth_taps{0.0096200556, 0.20542368, 0.56991249, 0.20542368,
                                      0.0096200556};
const std::vector<double> gaussian_taps{0.0044330480, 0.054005578, 0.24203622,  0.39905027,
                                        0.24203622,   0.054005578, 0.0044330480};
const std::vector<double> derivative_taps{-0.013353735, -0.10845453, -0.24302973, 0,
                                          0.24302973,   0.10845453,  0.013353735};

/// Taps on both axes, at every `step`-th texel.
Plane filtered(const Plane &in, const std::vector<double> &along, const std::vector<double> &down,
               int width, int height, int step = 1) {
  const int rx = static_cast<int>(along.size()) / 2, ry = static_cast<int>(down.size()) / 2;
  Plane rows(width, in.height), out(width, height);
  for (int y = 0; y < in.height; y++)
    for (int x = 0; x < width; x++) {
      double sum = 0;
      for (int i = -rx; i <= rx; i++) sum += along[i + rx] * in.at(step * x + i, y);
      rows(x, y) = static_cast<float>(sum);
    }
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++) {
      double sum = 0;
      for (int i = -ry; i <= ry; i++) sum += down[i + ry] * rows.at(x, step * y + i);
      out(x, y) = static_cast<float>(sum);
    }
  return out;
}

using Taps = std::map<int, double>;
Taps convolved(const Taps &a, const std::vector<double> &b, int apart) {
  Taps result;
  const int middle = static_cast<int>(b.size()) / 2;
  for (const auto &[at, value] : a)
    for (int i = 0; i < static_cast<int>(b.size()); i++)
      result[at + (i - middle) * apart] += value * b[i];
  return result;
}
double energy(const Taps &taps) {
  double sum = 0;
  for (const auto &[at, value] : taps) sum += value * value;
  return sum;
}

double least_eigenvalue(double xx, double xy, double yy) {
  return std::max((xx + yy - std::sqrt((xx - yy) * (xx - yy) + 4 * xy * xy)) / 2, 0.0);
}

/// A texel of a window, with its slopes.
struct Sample {
  int i, j;
  double value, gx, gy, moved = 0;
};

struct Found {
  bool good = false, seen = false;
  float dx = 0, dy = 0;
  double residue = 0, xx = 0, xy = 0, yy = 0;
};

/// The texels that count of a window around a place of a level, from its middle.
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

Found follow(const Pyramid &before, const Pyramid &after, int levels,
             const std::vector<Gain> &gains, float px, float py, float guess_x, float guess_y,
             bool even, int radius, const Settings &settings, const NoiseTable &noise) {
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
    const bool flat = even || level == 0;
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
    found.seen = good;
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
      gain = flat ? std::clamp(std::sqrt(variance / std::max(deviation, 1e-6)), 0.5, 2.0) : 1;
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

/// Solves four linear equations in place, by elimination; false where they have no one solution.
bool solve(const double (&matrix)[4][4], double (&right)[4]) {
  double m[4][4];
  std::copy(&matrix[0][0], &matrix[0][0] + 16, &m[0][0]);
  for (int k = 0; k < 4; k++) {
    if (!(m[k][k] > 0)) return false;
    for (int row = k + 1; row < 4; row++) {
      const double part = m[row][k] / m[k][k];
      for (int column = k; column < 4; column++) m[row][column] -= part * m[k][column];
      right[row] -= part * right[k];
    }
  }
  for (int k = 3; k >= 0; k--) {
    for (int column = k + 1; column < 4; column++) right[k] -= m[k][column] * right[column];
    right[k] /= m[k][k];
  }
  return true;
}

using Complex = std::complex<double>;

struct Fitted {
  bool good = true;
  Complex at, form;
  double residue = 0, variance = 0;
};

/// Lays a template onto a plane by steps of Gauss and Newton: the place, and how it is turned and
/// grown, are those that leave least, with the change of the latter from the frame before as one
/// more thing that is measured.
Fitted fit(const Plane &plane, const Template &kept, Complex at, Complex form, int steps,
           double noise) {
  struct Slopes {
    double along[4];
  };
  const size_t count = kept.texels.size();
  const double n = std::max<double>(double(count), 1);
  std::vector<Slopes> slopes;
  double mean = 0, variance = 0, means[4] = {};
  for (const Template::Texel &s : kept.texels) {
    slopes.push_back({{s.gx, s.gy, s.gx * s.i + s.gy * s.j, s.gy * s.i - s.gx * s.j}});
    mean += s.value / n;
    for (int k = 0; k < 4; k++) means[k] += slopes.back().along[k] / n;
  }
  double normal[4][4] = {};
  for (size_t t = 0; t < count; t++) {
    variance += (kept.texels[t].value - mean) * (kept.texels[t].value - mean) / n;
    for (int k = 0; k < 4; k++) slopes[t].along[k] -= means[k];
    for (int k = 0; k < 4; k++)
      for (int l = 0; l < 4; l++) normal[k][l] += slopes[t].along[k] * slopes[t].along[l];
  }
  Fitted result{true, at, form, 0, variance};
  Complex change = 0;
  double gain = 1, other = 0;
  std::vector<double> seen(count);
  bool moves = true;
  for (int step = 0; step <= steps && result.good; step++) {
    double value = 0, deviation = 0;
    result.residue = 0;
    for (size_t t = 0; t < count; t++) {
      const Template::Texel &s = kept.texels[t];
      const Complex place = result.at + result.form * Complex(s.i, s.j);
      const double x = std::clamp(place.real(), -1.0, plane.width - 0.0625),
                   y = std::clamp(place.imag(), -1.0, plane.height - 0.0625);
      const double fx = std::floor(x), fy = std::floor(y);
      seen[t] = plane.between(int(fx), int(fy), float(x - fx), float(y - fy)) - kept.middle;
      value += seen[t] / n;
      result.residue += std::abs(s.value - mean - gain * (seen[t] - other)) / n;
    }
    if (!moves || step == steps) break;
    other = value;
    for (const double v : seen) deviation += (v - other) * (v - other) / n;
    gain = std::clamp(std::sqrt(variance / std::max(deviation, 1e-6)), 0.5, 2.0);
    const double prior =
        (std::max(noise, 6 * result.residue * result.residue) + 0.1) / (0.02 * 0.02);
    double matrix[4][4];
    std::copy(&normal[0][0], &normal[0][0] + 16, &matrix[0][0]);
    matrix[2][2] += prior, matrix[3][3] += prior;
    double solved[4] = {0, 0, -prior * change.real(), -prior * change.imag()};
    for (size_t t = 0; t < count; t++)
      for (int k = 0; k < 4; k++)
        solved[k] += slopes[t].along[k] * (kept.texels[t].value - mean - gain * (seen[t] - other));
    if (!solve(matrix, solved)) {
      result.good = false;
      break;
    }
    const Complex shift(solved[0], solved[1]), more(solved[2], solved[3]);
    result.at += result.form * shift;
    result.form += result.form * more;
    change += more;
    const double scale = std::abs(result.form);
    result.good = std::abs(result.at - at) <= 0.5 * kept.radius && scale <= 2 && 2 * scale >= 1;
    moves = result.good && std::norm(shift) > 0.005 * 0.005;
  }
  return result;
}

/// By how many texels a window grows so that noise moves the point by 0.03 px.
int growth(double eigenvalue, double noise, int radius) {
  const double side = 7 * std::sqrt(2 * noise / std::max(eigenvalue, 1e-6)) / 0.03;
  return std::clamp(int(std::ceil((std::min(side, 31.0) - 1) / 2)) - radius, 0, 15 - radius);
}

}  // namespace

float Plane::at(int x, int y) const {
  return values[size_t(std::clamp(y, 0, height - 1)) * width + std::clamp(x, 0, width - 1)];
}

float Plane::between(int x, int y, float part_x, float part_y) const {
  const float above = at(x, y) + part_x * (at(x + 1, y) - at(x, y));
  const float below = at(x, y + 1) + part_x * (at(x + 1, y + 1) - at(x, y + 1));
  return above + part_y * (below - above);
}

Pyramid pyramid(const Frame &frame, int levels) {
  Plane grey(frame.width, frame.height);
  for (int y = 0; y < frame.height; y++)
    for (int x = 0; x < frame.width; x++) {
      const uint8_t *p = frame.at(x, y);
      grey(x, y) = float(p[0] + p[1] + p[2]) / 3;
    }
  Pyramid result{filtered(grey, smooth_taps, smooth_taps, frame.width, frame.height)};
  const std::vector<double> taps{1 / 16.0, 4 / 16.0, 6 / 16.0, 4 / 16.0, 1 / 16.0};
  while (static_cast<int>(result.size()) < levels) {
    const Plane &last = result.back();
    result.push_back(filtered(last, taps, taps, (last.width + 1) / 2, (last.height + 1) / 2, 2));
  }
  return result;
}

std::vector<Gain> gains(int levels) {
  std::vector<Gain> result;
  Taps taps = convolved({{0, 1.0}}, smooth_taps, 1);
  for (int level = 0; level < levels; level++) {
    if (level)
      taps = convolved(taps, {1 / 16.0, 4 / 16.0, 6 / 16.0, 4 / 16.0, 1 / 16.0}, 1 << (level - 1));
    const double own = energy(taps), slope = energy(convolved(taps, {-0.5, 0, 0.5}, 1 << level));
    result.push_back({own * own, slope * own});
  }
  return result;
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
      if (i < rim || j < rim || i >= plane.width - rim || j >= plane.height - rim)
        x(i, j) = y(i, j) = 0;
  return {x, y};
}

Plane eigenvalues(const Plane &plane) {
  const auto [gx, gy] = gradient(plane);
  Plane result(plane.width, plane.height);
  for (int y = rim; y < plane.height - rim; y++)
    for (int x = rim; x < plane.width - rim; x++) {
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

bool track(const Pyramid &before, const Pyramid &after, const Settings &settings,
           const NoiseTable &noise, int usual, int steps, Point &point) {
  const int levels = std::min({settings.levels, int(before.size()), int(after.size())});
  const std::vector<Gain> all = gains(levels);
  const int width = before[0].width, height = before[0].height;
  const double level = noise_correlation * noise[0] + coding_of(noise);
  const auto in_frame = [&](double x, double y) {
    return x >= rim && y >= rim && x <= width - 1 - rim && y <= height - 1 - rim;
  };
  const bool born = point.age == 0;
  point.left = -1;
  if (born) {
    point.grown = growth(point.eigenvalue, level, settings.window / 2);
    point.form[0] = 1, point.form[1] = 0;
    point.doubts = 0;
  }
  const int radius = std::min(settings.window / 2 + point.grown, 15);
  Found found;
  float guess_x = 0, guess_y = 0;
  bool even = false;
  int used = levels;
  const bool fast = point.vx * point.vx + point.vy * point.vy >= 1;
  const float pace_x = point.vx * float(steps), pace_y = point.vy * float(steps);
  const int tries = fast && in_frame(point.tracked_x + pace_x, point.tracked_y + pace_y) ? 4 : 3;
  const bool all_kept = settings.max_residue >= 255;
  for (int i = 0; i < tries && !found.good; i++) {
    const float to_x = fast && i < 2 ? pace_x : 0, to_y = fast && i < 2 ? pace_y : 0;
    const int next_levels = i < tries - 1 ? levels : 1;
    Found next = follow(before, after, next_levels, all, point.tracked_x, point.tracked_y, to_x,
                        to_y, i > 0, radius, settings, noise);
    const bool stays = in_frame(point.tracked_x + next.dx, point.tracked_y + next.dy);
    next.good = next.good && stays, next.seen = next.seen && stays && all_kept;
    if (i == 0 || next.good || (next.seen && (!found.seen || next.residue < found.residue)))
      found = next, guess_x = to_x, guess_y = to_y, even = i > 0, used = next_levels;
  }
  bool good = found.good || found.seen;
  float x = point.tracked_x + found.dx, y = point.tracked_y + found.dy;
  if (born) {
    const Window window = window_of(before[0], point.tracked_x, point.tracked_y, radius);
    point.kept = {radius, window.middle, {}};
    for (const Sample &s : window.samples)
      point.kept.texels.push_back({s.i, s.j, s.value, s.gx, s.gy});
  }
  if (good && settings.check) {
    const Found back =
        follow(after, before, used, all, x, y, -guess_x, -guess_y, even, radius, settings, noise);
    good = back.good && std::hypot(found.dx + back.dx, found.dy + back.dy) <= 1;
  }
  if (good && !born) {
    const double own = 2 * (all[0].texel * noise_correlation * noise_at(noise, point.kept.middle) +
                            coding_of(noise));
    const Fitted fitted =
        fit(after[0], point.kept, {x, y}, {point.form[0], point.form[1]}, settings.iterations, own);
    const double part = std::clamp(2.5 * usual / 1024, 0.3, 0.6);
    if (fitted.good)
      point.left = int(1024 * std::fmin(fitted.residue / std::sqrt(fitted.variance), 1.0));
    if (fitted.good && fitted.residue <= limit(settings, fitted.variance, own, part) &&
        in_frame(fitted.at.real(), fitted.at.imag())) {
      x = float(fitted.at.real()), y = float(fitted.at.imag());
      point.form[0] = fitted.form.real(), point.form[1] = fitted.form.imag();
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

void Klt::run(const Settings &settings, const Frame &frame) {
  const int most = glcl::klt::Pyramids::most_levels(frame.width, frame.height);
  Pyramid now = pyramid(frame, std::min(settings.levels, most));
  const bool fresh = before_.empty();
  frames_ = fresh ? 0 : frames_ + 1;
  features_ = settings.features;
  bool comparable = !fresh && now.size() == before_.size() && frames_ > 1;
  if (settings.noise >= 0 || (fresh && !noise_known_)) {
    const NoiseTable set = even_noise(std::max(settings.noise, 0.0));
    comparable = comparable && noise_set_ && set == noise_;
    noise_ = set;
    noise_known_ = settings.noise >= 0;
    noise_set_ = true;
  } else if (!fresh && (noise_set_ || frames_ <= 8 || frames_ % 11 == 0)) {
    noise_set_ = false;
    noise_ = noise(
        glcl::noise::Noise::Texels::soft, frame.width, frame.height,
        [&](int x, int y) { return before_[0].at(x, y); },
        [&](int x, int y) { return now[0].at(x, y); }, &noise_);
    noise_known_ = true;
  }
  unsigned alive = 0, lost = 0;
  int left = 0, fitted = 0;
  const std::vector<Point> saved = points_;
  for (Point &point : points_) {
    if (fresh) point.alive = false;
    if (!point.alive) continue;
    point.alive = track(before_, now, settings, noise_, usual_, 1 + blank_, point);
    if (point.left >= 0) left += point.left, fitted++;
  }
  const bool blank =
      comparable && is_blank(before_[0], now[0], usual_noise_, blank_, saved, points_);
  if (blank) points_ = saved;
  blank_ = blank ? blank_ + 1 : 0, all_blank_ += blank;
  if (blank) now = before_, noise_ = usual_noise_;
  if (!fresh) usual_noise_ = noise_;
  for (int i = 0; i < int(points_.size()); i++) {
    Point &point = points_[i];
    if (fresh || !saved[i].alive) continue;
    point.alive = point.alive && i < features_;
    (point.alive ? alive : lost)++;
  }
  cut_ = alive + lost >= 16 && alive * 3 < alive + lost;
  if (cut_)
    for (Point &point : points_) lost += std::exchange(point.alive, false);
  if (!blank) usual_ = fitted && !cut_ ? left / fitted : 0;
  followed_ = cut_ ? 0 : alive;
  lost_ = lost, all_lost_ += lost, all_cuts_ += cut_;
  const bool due = fresh || (settings.reselect && frames_ - since_ >= settings.reselect);
  if (due) since_ = frames_;
  chosen_ = 0;
  if (!blank && (due || int(followed_) < std::min(settings.min_features, features_))) {
    size_t slot = 0;
    for (const Corner &corner :
         select(eigenvalues(now[0]), settings, noise_[0], features_ - int(followed_), points_)) {
      while (points_[slot].alive) slot++;
      const auto x = float(corner.x), y = float(corner.y);
      Point &point = points_[slot++];
      point = {};
      point.id = next_id_++;
      point.x = point.tracked_x = x, point.y = point.tracked_y = y;
      point.alive = true, point.eigenvalue = corner.value;
      chosen_++;
    }
  }
  before_ = now;
}

std::vector<Record> Klt::report() const {
  std::vector<Record> result;
  for (const Point &p : points_)
    if (p.alive)
      result.push_back({unsigned(p.id), p.x, p.y, blank_ ? 0 : p.vx, blank_ ? 0 : p.vy,
                        unsigned(p.age), blank_ ? -1 : p.residue});
  return result;
}

glcl::klt::Points::PointSummary Klt::summary() const {
  glcl::klt::Points::PointSummary s{
      followed_ + chosen_, lost_,     chosen_, cut_, all_lost_, unsigned(next_id_),
      all_cuts_,           0,         0,       0,    0,         -1,
      blank_ > 0,          all_blank_};
  if (noise_known_) s.noise = std::sqrt(noise_[0]);
  for (const Record &p : report())
    if (p.age && !blank_)
      s.mean_x += p.vx / float(followed_), s.mean_y += p.vy / float(followed_),
          s.mean_age += float(p.age) / float(followed_);
  return s;
}

}  // namespace reference::klt
