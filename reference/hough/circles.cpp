// SPDX-License-Identifier: LGPL-2.1-or-later
#include "circles.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>

#include "hough.h"
#include "hough/canny.h"

namespace reference {

namespace {

using glcl::hough::Canny;
using glcl::hough::CircleFinder;
using Four = Circles::Four;

constexpr int rays = 180, radii_per_centre = 4;

int64_t floor_divided(int64_t value, int64_t by) {
  return value / by - (value % by != 0 && (value < 0) != (by < 0));
}

/// The search in one picture.
class CircleSearcher {
 public:
  CircleSearcher(const std::vector<uint16_t> &edges, int width, int height, bool weak,
                 const glcl::Rect &region, const CircleSettings &settings)
      : edges_(edges),
        width_(width),
        height_(height),
        weak_(weak),
        region_(region),
        radius_min_(settings.radius_min),
        radius_max_(std::max(settings.radius_max, settings.radius_min)),
        least_score_(static_cast<int>(std::lround(1024 * settings.min_circle_score))) {
    while (cell_ < 8 && radius_max_ >= 48 * cell_) cell_ *= 2;
    columns_ = (width + cell_ - 1) / cell_, rows_ = (height + cell_ - 1) / cell_;
    for (int ray = 0; ray < rays; ray++) {
      const double angle = 2 * (ray % 90) * std::acos(-1.0) / 180;
      const int sign = ray < 90 ? 1 : -1;
      cosines_[ray] = sign * static_cast<int>(std::lround(16384 * std::cos(angle)));
      sines_[ray] = sign * static_cast<int>(std::lround(16384 * std::sin(angle)));
    }
  }

  std::vector<uint32_t> votes() const {
    std::vector<uint32_t> votes(size_t(columns_) * rows_);
    for (int y = 0; y < height_; y++)
      for (int x = 0; x < width_; x++) {
        if (!edge(x, y)) continue;
        const int step = (edge(x, y) & 127) - 1;
        for (int radius = radius_min_; radius <= radius_max_; radius += cell_)
          for (const int away : {radius, -radius}) {
            const auto u = x + floor_divided(int64_t(away) * cosines_[step] + 8192, 16384),
                       v = y + floor_divided(int64_t(away) * sines_[step] + 8192, 16384);
            if (u >= 0 && v >= 0 && u < width_ && v < height_)
              votes[size_t(v / cell_) * columns_ + size_t(u / cell_)] += uint32_t(4096 / radius);
          }
      }
    return votes;
  }

  /// The cells that are candidates.
  std::vector<uint32_t> centres(const std::vector<uint32_t> &votes) const {
    std::vector<uint16_t> strengths(votes.size());
    for (int y = 0; y < rows_; y++)
      for (int x = 0; x < columns_; x++) {
        const uint32_t own = around(votes, x, y, 1);
        bool counts = own >= 60 * 128;
        for (int v = y - 1; v <= y + 1; v++)
          for (int u = x - 1; u <= x + 1; u++) {
            if ((u == x && v == y) || u < 0 || v < 0 || u >= columns_ || v >= rows_) continue;
            const bool earlier = v < y || (v == y && u < x);
            counts &= earlier ? own > around(votes, u, v, 1) : own >= around(votes, u, v, 1);
          }
        if (!counts) continue;
        const uint32_t chance = (around(votes, x, y, 3) - own) / 40 * 9;
        const int strength = (static_cast<int>(own) - static_cast<int>(chance)) / 128;
        if (strength >= 60)
          strengths[size_t(y) * columns_ + x] = uint16_t(std::min(strength, 1023));
      }
    std::vector<uint32_t> cells;
    for (const Listed &one : strongest(strengths, columns_, 0, 1024, 0xffff,
                                       CircleFinder::most_centres, {0, 0, columns_, rows_}))
      cells.push_back(one.index);
    return cells;
  }

  /// The seeds of a candidate.
  std::vector<Four> seeds(const std::vector<uint32_t> &votes, uint32_t place) const {
    const auto [x, y] =
        middle(votes, static_cast<int>(place) % columns_, static_cast<int>(place) / columns_);
    const int count = radius_max_ - radius_min_ + 1;
    std::vector<int> counts(count);
    for (int i = 0; i < count; i++)
      for (int ray = 0; ray < rays; ray++) {
        const int radius = radius_min_ + i;
        const auto [u, v] = on_ray(x, y, ray, 256 * radius);
        counts[i] +=
            fits(static_cast<int>(floor_divided(u + 128, 256)),
                 static_cast<int>(floor_divided(v + 128, 256)), ray, 6 + 28 * cell_ / radius);
      }
    std::vector<Four> seeds;
    for (int k = 0; k < radii_per_centre; k++) {
      int most = 39;
      std::optional<int> best;
      for (int i = 0; i < count; i++) {
        int sum = 0;
        for (int near = std::max(i - cell_, 0); near <= std::min(i + cell_, count - 1); near++)
          sum += counts[near];
        const bool apart = std::none_of(seeds.begin(), seeds.end(), [&](const Four &other) {
          return std::abs(other[2] - radius_min_ - i) <= 2 * cell_ + 1;
        });
        if (sum > most && apart) most = sum, best = i;
      }
      if (!best) break;
      seeds.push_back({x, y, radius_min_ + *best, most});
    }
    return seeds;
  }

  /// The circle to which a seed leads; its score is 0 without a circle.
  Four fitted(const Four &seed) const {
    Four circle{seed[0], seed[1], 256 * seed[2], 0};
    for (const int reach : {cell_ + 2, (cell_ + 2) / 2, (cell_ + 2) / 4, (cell_ + 2) / 8}) {
      const bool first = reach == cell_ + 2;
      const int tolerance = 6 + (first ? 28 * cell_ / std::max(circle[2] / 256, 1) : 0);
      if (!fit(circle, std::max(reach, 2), tolerance)) return {};
    }
    int met = 0;
    for (int ray = 0; ray < rays; ray++) met += edge_on_ray(circle, ray, 1, 6).has_value();
    circle[3] = met * 1024 / rays;
    const bool good = circle[3] >= least_score_ && circle[0] >= 0 && circle[1] >= 0 &&
                      circle[0] < 256 * width_ && circle[1] < 256 * height_ &&
                      circle[2] >= 256 * (radius_min_ - 1) && circle[2] <= 256 * (radius_max_ + 1);
    return good ? circle : Four{};
  }

 private:
  uint16_t edge(int x, int y) const {
    const bool inside =
        x >= region_.x && y >= region_.y && x < region_.right() && y < region_.bottom();
    const uint16_t value = inside ? edges_[size_t(y) * width_ + x] : 0;
    return weak_ || value & Canny::strong ? value : 0;
  }
  bool fits(int x, int y, int ray, int tolerance) const {
    const uint16_t value = edge(x, y);
    const int turn = std::abs((value & 127) - 1 - ray % 90);
    return value && std::min(turn, 90 - turn) <= tolerance;
  }
  uint32_t at(const std::vector<uint32_t> &votes, int x, int y) const {
    const bool inside = x >= 0 && y >= 0 && x < columns_ && y < rows_;
    return inside ? votes[size_t(y) * columns_ + x] : 0;
  }
  uint32_t around(const std::vector<uint32_t> &votes, int x, int y, int reach) const {
    uint32_t sum = 0;
    for (int v = y - reach; v <= y + reach; v++)
      for (int u = x - reach; u <= x + reach; u++) sum += at(votes, u, v);
    return sum;
  }
  /// The middle of the votes around a cell, 1/256 px.
  std::array<int, 2> middle(const std::vector<uint32_t> &votes, int x, int y) const {
    int64_t across = 0, down = 0, sum = 0;
    for (int v = y - 1; v <= y + 1; v++)
      for (int u = x - 1; u <= x + 1; u++) {
        const int64_t here = at(votes, u, v);
        across += here * u, down += here * v, sum += here;
      }
    const int half = 128 * (cell_ - 1);
    return {static_cast<int>(across * 256 * cell_ / sum) + half,
            static_cast<int>(down * 256 * cell_ / sum) + half};
  }
  std::array<int, 2> on_ray(int x, int y, int ray, int radius) const {
    // The kernels turn the radius instead of the ray, and round down.
    const int64_t turned = ray < 90 ? radius : -radius;
    return {x + static_cast<int>(floor_divided(turned * cosines_[ray % 90], 16384)),
            y + static_cast<int>(floor_divided(turned * sines_[ray % 90], 16384))};
  }

  /// The distance from a circle to the nearest edge on a ray, 1/256 px.
  std::optional<int> edge_on_ray(const Four &circle, int ray, int reach, int tolerance) const {
    for (int k = 0; k <= 2 * reach; k++) {
      const int off = k % 2 ? (k + 1) / 2 : -(k / 2);
      const auto [u, v] = on_ray(circle[0], circle[1], ray, circle[2] + 256 * off);
      const auto left = static_cast<int>(floor_divided(u, 256)),
                 y = static_cast<int>(floor_divided(v + 128, 256));
      const bool right_first = u - 256 * left >= 128;
      for (const int x : {left + right_first, left + !right_first})
        if (fits(x, y, ray, tolerance))
          return static_cast<int>(floor_divided(int64_t(256 * x - circle[0]) * cosines_[ray] +
                                                    int64_t(256 * y - circle[1]) * sines_[ray],
                                                16384)) -
                 circle[2];
    }
    return {};
  }

  /// Moves a circle by least squares; false if the edges don't determine it.
  bool fit(Four &circle, int reach, int tolerance) const {
    int64_t n = 0, c = 0, s = 0, cc = 0, cs = 0, ss = 0, d = 0, dc = 0, ds = 0;
    for (int ray = 0; ray < rays; ray++) {
      const std::optional<int> off = edge_on_ray(circle, ray, reach, tolerance);
      if (!off) continue;
      const int64_t x = cosines_[ray], y = sines_[ray];
      n += 1, c += x, s += y, cc += x * x, cs += x * y, ss += y * y;
      d += *off, dc += *off * x, ds += *off * y;
    }
    if (n < 30) return false;
    n *= 1024, c = floor_divided(c, 16), s = floor_divided(s, 16);
    cc = floor_divided(cc, 1 << 18), cs = floor_divided(cs, 1 << 18);
    ss = floor_divided(ss, 1 << 18);
    dc = floor_divided(dc, 16384), ds = floor_divided(ds, 16384);
    const int64_t inverse[3][3] = {{ss * n - s * s, c * s - cs * n, cs * s - c * ss},
                                   {c * s - cs * n, cc * n - c * c, cs * c - cc * s},
                                   {cs * s - c * ss, cs * c - cc * s, cc * ss - cs * cs}};
    const int64_t det =
        floor_divided(cc * inverse[0][0] + cs * inverse[0][1] + c * inverse[0][2], 64);
    if (det <= 0) return false;
    for (int i = 0; i < 3; i++) {
      const int64_t by = (inverse[i][0] * dc + inverse[i][1] * ds + inverse[i][2] * d) * 16 / det;
      if (std::abs(by) > 12 * 256) return false;
      circle[size_t(i)] += static_cast<int>(by);
    }
    return circle[2] >= 256;
  }

  const std::vector<uint16_t> &edges_;
  int width_, height_;
  bool weak_;
  glcl::Rect region_;
  int radius_min_, radius_max_, least_score_;
  int cell_ = 1, columns_, rows_;  // the side of a cell, px
  std::array<int, rays> cosines_{}, sines_{};
};

/// True if the first circle comes before the second one.
bool before(const std::vector<Four> &all, size_t a, size_t b) {
  if (all[a][3] != all[b][3]) return all[a][3] > all[b][3];
  return all[a][2] > all[b][2] || (all[a][2] == all[b][2] && a < b);
}

bool same_circle(const Four &better, const Four &worse) {
  const int smaller = std::min(better[2], worse[2]);
  const bool far_worse = worse[3] * 4 < better[3] * 3;
  const int least = far_worse ? smaller / 2 : std::max(smaller / 8, 4 * 256);
  const int64_t x = better[0] - worse[0], y = better[1] - worse[1];
  return x * x + y * y <= int64_t(least) * least && std::abs(better[2] - worse[2]) <= least;
}

}  // namespace

Circles::Circles(const std::vector<uint16_t> &edges, int width, int height, bool weak,
                 const glcl::Rect &region, const CircleSettings &settings) {
  const CircleSearcher search(edges, width, height, weak, region, settings);
  votes = search.votes();
  for (const uint32_t place : search.centres(votes)) {
    std::vector<Four> own = search.seeds(votes, place);
    own.resize(radii_per_centre);
    seeds.insert(seeds.end(), own.begin(), own.end());
  }
  seeds.resize(CircleFinder::most_candidates);
  for (const Four &seed : seeds) fitted.push_back(seed[3] ? search.fitted(seed) : Four{});
  std::vector<size_t> kept;
  for (size_t i = 0; i < fitted.size(); i++) {
    bool keep = fitted[i][3] > 0;
    for (size_t k = 0; k < fitted.size() && keep; k++)
      keep = k == i || !fitted[k][3] || !before(fitted, k, i) || !same_circle(fitted[k], fitted[i]);
    if (keep) kept.push_back(i);
  }
  std::sort(kept.begin(), kept.end(), [&](size_t a, size_t b) { return before(fitted, a, b); });
  for (const size_t i : kept) {
    if (found.size() == size_t(settings.circles)) break;
    const auto px = [](int place) { return static_cast<float>(place) / 256; };
    found.push_back({px(fitted[i][0]), px(fitted[i][1]), px(fitted[i][2]),
                     static_cast<float>(fitted[i][3]) / 1024});
  }
}

}  // namespace reference
