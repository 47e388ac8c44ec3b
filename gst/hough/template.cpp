// SPDX-License-Identifier: LGPL-2.1-or-later
#include "template.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <optional>

#include "canny.h"
#include "opencl/error.h"

namespace glcl::hough {

namespace {

constexpr int steps = Template::steps;
const double pi = std::acos(-1.0);

constexpr float line_steps = 2, line_width = 2;  // tolerance of direction, steps, and distance, px

constexpr float least_radius = 12, most_radius = 60;  // px, of circles
constexpr float least_arc = 0.5f;                     // fraction of a circle that must have points

// A wrong pose may meet this many lines and circles of a template by chance, and some points near
// them. most_chance limits the sum.
constexpr int chance_curves = 3;
constexpr float near_chance = 0.06f, most_chance = 0.43f;

/// The minimum of across() for a level.
constexpr double least_across = 0.03;

Error unusable(const std::string &name, const std::string &why) {
  return {Error::Kind::settings, "The template " + name + " " + why +
                                     ". Choose a part of a picture whose outline has several "
                                     "directions, or lower the thresholds low and high."};
}

uint16_t strength(uint16_t edge) { return edge >> 7 & (Canny::strengths - 1); }

/// The minimum strength of the used edges of a level: 0.4 of the 75th percentile. Noise and changes
/// of light hide weaker edges first.
uint16_t weakest_used(const std::vector<uint16_t> &map) {
  std::vector<uint16_t> all;
  for (const uint16_t edge : map)
    if (edge) all.push_back(strength(edge));
  if (all.empty()) return 0;
  const auto upper = all.begin() + ptrdiff_t(all.size() * 3 / 4);
  std::nth_element(all.begin(), upper, all.end());
  return static_cast<uint16_t>(0.4 * *upper);
}

using Curve = std::vector<uint16_t>;  // indices of the points on it

/// The line or circle with the most points that passes point `i` at a right angle to its normal.
/// Circles must have points on at least half of their length. `px`: px of the template per px of
/// the level. `part`: the fraction of edges that are points.
Curve curve_through(const std::vector<cl_float4> &points,
                    const std::vector<std::array<float, 2>> &normals, size_t i, float px,
                    float part) {
  const float off = line_width * px, parallel = std::cos(2 * line_steps * float(pi) / steps);
  const auto [nx, ny] = normals[i];
  Curve best, circle;
  for (size_t k = 0; k < points.size(); k++)
    if (std::abs(nx * normals[k][0] + ny * normals[k][1]) >= parallel &&
        std::abs(nx * (points[k].s[0] - points[i].s[0]) + ny * (points[k].s[1] - points[i].s[1])) <=
            off)
      best.push_back(static_cast<uint16_t>(k));
  for (float radius = least_radius * px; radius < most_radius * px; radius *= 1.2f)
    for (const float side : {-radius, radius}) {
      const float x = points[i].s[0] + side * nx, y = points[i].s[1] + side * ny;
      circle.clear();
      for (size_t k = 0; k < points.size(); k++) {
        const float dx = points[k].s[0] - x, dy = points[k].s[1] - y;
        const float distance = std::sqrt(dx * dx + dy * dy);
        if (std::abs(distance - radius) <= off &&
            std::abs(dx * normals[k][0] + dy * normals[k][1]) >= parallel * distance)
          circle.push_back(static_cast<uint16_t>(k));
      }
      if (float(circle.size()) * px >= least_arc * 2 * float(pi) * radius * part &&
          circle.size() > best.size())
        std::swap(circle, best);
    }
  return best;
}

/// Sets the weights of points, with a sum of 1. Points of one straight line or circle together
/// count as the square root of their number, because lines are common. Returns the weight of the
/// `chance_curves` strongest curves, which a wrong pose may reach by chance.
float weigh(std::vector<cl_float4> &points, float px, float part) {
  std::vector<std::array<float, 2>> normals;
  for (const cl_float4 &point : points) {
    const double angle = point.s[2] * pi / steps;
    normals.push_back({float(std::cos(angle)), float(std::sin(angle))});
  }
  std::vector<Curve> curves;
  float all = 0;
  for (size_t i = 0; i < points.size(); i++) {
    curves.push_back(curve_through(points, normals, i, px, part));
    points[i].s[3] /= std::sqrt(float(curves[i].size()));
    all += points[i].s[3];
  }
  for (cl_float4 &point : points) point.s[3] /= all;
  std::vector<float> remaining;
  for (const cl_float4 &point : points) remaining.push_back(point.s[3]);
  float sum = 0;
  for (int i = 0; i < chance_curves; i++) {
    const auto counts = [&](const Curve &curve) {
      return std::accumulate(curve.begin(), curve.end(), 0.0f,
                             [&](float before, uint16_t k) { return before + remaining[k]; });
    };
    const Curve &strongest =
        *std::max_element(curves.begin(), curves.end(),
                          [&](const Curve &a, const Curve &b) { return counts(a) < counts(b); });
    sum += counts(strongest);
    for (const uint16_t k : strongest) remaining[k] = 0;
  }
  return sum;
}

/// The fraction of the directions that are at right angles to the main one: 0 if all edges are
/// parallel, at most 0.5.
double across(const std::vector<cl_float4> &points) {
  double c = 0, s = 0;
  for (const cl_float4 &point : points) {
    c += std::cos(2 * point.s[2] * pi / steps) / static_cast<double>(points.size());
    s += std::sin(2 * point.s[2] * pi / steps) / static_cast<double>(points.size());
  }
  return (1 - std::hypot(c, s)) / 2;
}

/// Selects `count` points of about equal weight. Points with more weight occur several times.
std::vector<cl_float4> pick(const std::vector<cl_float4> &points, int count) {
  std::vector<cl_float4> picked;
  double sum = 0;
  for (const cl_float4 &point : points) {
    sum += point.s[3];
    while (static_cast<int>(picked.size()) < count && sum * count > double(picked.size()) + 0.5)
      picked.push_back(point);
  }
  while (static_cast<int>(picked.size()) < count) picked.push_back(points.back());
  return picked;
}

struct BuiltLevel {
  std::optional<Template::ScaleLevel> level;
  float radius = 1;
  std::string why;  // the reason if there is no level
};

BuiltLevel make_level(int width, int height, const EdgeMap &map) {
  // Sizes are rounded to px, so the scales of both axes may differ slightly.
  const float px_x = float(width) / float(map.width), px_y = float(height) / float(map.height);
  const float middle_x = float(width - 1) / 2, middle_y = float(height - 1) / 2;
  std::vector<cl_float4> edges;
  BuiltLevel made;
  const uint16_t weakest = weakest_used(map.edges);
  for (int y = 0; y < map.height; y++)
    for (int x = 0; x < map.width; x++) {
      const uint16_t edge = map.edges[size_t(y) * map.width + x];
      if (!edge || strength(edge) < weakest) continue;
      const float from_x = (float(x) + 0.5f) * px_x - 0.5f - middle_x;
      const float from_y = (float(y) + 0.5f) * px_y - 0.5f - middle_y;
      edges.push_back(
          {{from_x, from_y, float((edge & 127) - 1 + (edge & Canny::reversed ? steps : 0)),
            float(strength(edge))}});
      made.radius = std::max(made.radius, std::hypot(from_x, from_y));
    }
  if (edges.size() < Template::least_points) {
    made.why = "has " + std::to_string(edges.size()) + " edge pixels, fewer than " +
               std::to_string(Template::least_points);
    return made;
  }
  Template::ScaleLevel level;
  const size_t count = std::min<size_t>(edges.size(), Template::most_points);
  for (size_t i = 0; i < count; i++) level.points.push_back(edges[i * edges.size() / count]);
  if (across(level.points) < least_across) {
    made.why = "has almost only parallel edges";
    return made;
  }
  level.scale = std::sqrt(1 / double(px_x * px_y));
  level.chance = weigh(level.points, (px_x + px_y) / 2, float(count) / float(edges.size()));
  level.match_points = pick(level.points, Template::match_points_count);
  made.level = std::move(level);
  return made;
}

}  // namespace

Template::Template(const std::string &template_name, int width, int height,
                   const std::vector<EdgeMap> &maps)
    : name(utf8(template_name)), width(width), height(height), radius(1) {
  std::string why = "is too small";
  for (const EdgeMap &map : maps) {
    BuiltLevel made = make_level(width, height, map);
    if (made.level) {
      levels.push_back(std::move(*made.level));
      radius = std::max(radius, made.radius);
    } else if (map.width <= width) {
      why = made.why;  // of the largest size up to that of the picture
    }
  }
  if (levels.empty()) throw unusable(name, why);
  // At some sizes curve_through() misses circles, so all levels get the largest chance.
  float chance = 0;
  for (const ScaleLevel &level : levels) chance = std::max(chance, level.chance);
  for (ScaleLevel &level : levels) level.chance = std::min(chance + near_chance, most_chance);
}

size_t Template::level_of(double scale) const {
  const auto off = [&](const ScaleLevel &level) { return std::abs(std::log(level.scale / scale)); };
  const auto best =
      std::min_element(levels.begin(), levels.end(),
                       [&](const ScaleLevel &a, const ScaleLevel &b) { return off(a) < off(b); });
  return size_t(best - levels.begin());
}

}  // namespace glcl::hough
