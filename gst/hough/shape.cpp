// SPDX-License-Identifier: LGPL-2.1-or-later
#include "shape.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "opencl/error.h"

namespace glcl::hough {

namespace {

constexpr int steps = Shape::steps;
const double pi = std::acos(-1.0);

constexpr float line_steps = 2, line_width = 2;  // px; that points of a line differ by at most

/// By chance a shape of n straight lines finds this over √n of its points.
constexpr float chance_by_lines = 3, most_chance = 0.45f;

/// Of all directions' weight, what has to lie across the main one.
constexpr double least_across = 0.03;

Error unusable(const std::string &name, const std::string &why) {
  return {Error::Kind::settings, "The template " + name + " " + why +
                                     ": choose a part of a picture with an outline in several "
                                     "directions, or lower thresholds."};
}

uint16_t strength(uint16_t edge) { return edge >> 7 & 255; }

/// Edges far weaker than most do not count: other light and noise hide them first.
uint16_t weakest_used(const std::vector<uint16_t> &map) {
  std::vector<uint16_t> all;
  for (const uint16_t edge : map)
    if (edge) all.push_back(strength(edge));
  if (all.empty()) return 0;
  const auto upper = all.begin() + ptrdiff_t(all.size() * 3 / 4);
  std::nth_element(all.begin(), upper, all.end());
  return static_cast<uint16_t>(0.4 * *upper);
}

/// What points count, 1 in all: those of one straight line together as the root of their number,
/// since straight lines are everywhere. Gives the number of lines.
float weigh(std::vector<cl_float4> &points, float px) {
  float all = 0, lines = 0;
  for (cl_float4 &point : points) {
    const double angle = point.s[2] * pi / steps;
    const auto nx = static_cast<float>(std::cos(angle)), ny = static_cast<float>(std::sin(angle));
    int line = 0;
    for (const cl_float4 &other : points) {
      const float turned = std::abs(other.s[2] - point.s[2]);
      const float off = nx * (other.s[0] - point.s[0]) + ny * (other.s[1] - point.s[1]);
      line += std::min(turned, static_cast<float>(steps) - turned) <= line_steps &&
              std::abs(off) <= line_width * px;
    }
    point.s[3] /= std::sqrt(static_cast<float>(line));
    lines += 1 / static_cast<float>(line);
    all += point.s[3];
  }
  for (cl_float4 &point : points) point.s[3] /= all;
  return lines;
}

/// The part of the directions that lies across the main one, 0 … 0.5.
double across(const std::vector<cl_float4> &points) {
  double c = 0, s = 0;
  for (const cl_float4 &point : points) {
    c += std::cos(2 * point.s[2] * pi / steps) / static_cast<double>(points.size());
    s += std::sin(2 * point.s[2] * pi / steps) / static_cast<double>(points.size());
  }
  return (1 - std::hypot(c, s)) / 2;
}

/// Points of about the same weight each, evenly.
std::vector<cl_float4> pick(const std::vector<cl_float4> &points, int count) {
  std::vector<cl_float4> picked;
  double sum = 0;
  for (const cl_float4 &point : points) {
    sum += point.s[3];
    // A point that counts much stands there several times.
    while (static_cast<int>(picked.size()) < count && sum * count > double(picked.size()) + 0.5)
      picked.push_back(point);
  }
  while (static_cast<int>(picked.size()) < count) picked.push_back(points.back());
  return picked;
}

struct Made {
  std::optional<Shape::Level> level;
  float radius = 1;
  std::string why;  // there is none
};

Made make_level(int width, int height, const EdgeMap &map) {
  // Sizes are whole px, so both sides may be scaled by a bit more or less.
  const float px_x = float(width) / float(map.width), px_y = float(height) / float(map.height);
  const float middle_x = float(width - 1) / 2, middle_y = float(height - 1) / 2;
  std::vector<cl_float4> edges;
  Made made;
  const uint16_t weakest = weakest_used(map.edges);
  for (int y = 0; y < map.height; y++)
    for (int x = 0; x < map.width; x++) {
      const uint16_t edge = map.edges[size_t(y) * map.width + x];
      if (!edge || strength(edge) < weakest) continue;
      const float from_x = (float(x) + 0.5f) * px_x - 0.5f - middle_x;
      const float from_y = (float(y) + 0.5f) * px_y - 0.5f - middle_y;
      edges.push_back({{from_x, from_y, float((edge & 127) - 1), float(strength(edge))}});
      made.radius = std::max(made.radius, std::hypot(from_x, from_y));
    }
  if (edges.size() < Shape::least_points) {
    made.why = "has " + std::to_string(edges.size()) + " edge pixels, fewer than " +
               std::to_string(Shape::least_points);
    return made;
  }
  Shape::Level level;
  const size_t count = std::min<size_t>(edges.size(), Shape::most_points);
  for (size_t i = 0; i < count; i++) level.points.push_back(edges[i * edges.size() / count]);
  if (across(level.points) < least_across) {
    made.why = "has hardly two edges that are not parallel";
    return made;
  }
  level.scale = std::sqrt(1 / double(px_x * px_y));
  level.chance =
      std::min(most_chance, chance_by_lines / std::sqrt(weigh(level.points, (px_x + px_y) / 2)));
  level.matched = pick(level.points, Shape::matched_points);
  made.level = std::move(level);
  return made;
}

}  // namespace

Shape::Shape(std::string template_name, int width, int height, const std::vector<EdgeMap> &maps)
    : name(std::move(template_name)), width(width), height(height), radius(1) {
  std::string why = "is too small";
  for (const EdgeMap &map : maps) {
    Made made = make_level(width, height, map);
    if (made.level) {
      levels.push_back(std::move(*made.level));
      radius = std::max(radius, made.radius);
    } else if (map.width <= width) {
      why = made.why;  // of the picture itself, or the next smaller one
    }
  }
  if (levels.empty()) throw unusable(name, why);
}

size_t Shape::level_of(double scale) const {
  const auto off = [&](const Level &level) { return std::abs(std::log(level.scale / scale)); };
  const auto best =
      std::min_element(levels.begin(), levels.end(),
                       [&](const Level &a, const Level &b) { return off(a) < off(b); });
  return size_t(best - levels.begin());
}

}  // namespace glcl::hough
