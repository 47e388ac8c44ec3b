// SPDX-License-Identifier: LGPL-2.1-or-later
#include "shape.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "opencl/error.h"

namespace glcl::hough {

namespace {

constexpr int steps = Shape::steps;
constexpr int quarter = steps / 2;   // a right angle
constexpr int least_apart = 10;      // steps: more parallel lines say little of where they are
constexpr float least_part = 0.35f;  // of the radius, between the points of a pair

constexpr float line_steps = 2, line_width = 2;  // px; that points of a line differ by at most

/// By chance a shape of n straight lines finds this over √n of its points.
constexpr float chance_by_lines = 3, most_chance = 0.45f;

struct Edge {
  int x, y, step;
  float strength;
};

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
/// since straight lines are everywhere.
float weigh(std::vector<cl_float4> &points) {
  float all = 0, lines = 0;
  for (cl_float4 &point : points) {
    const double angle = 2 * point.s[2] * std::acos(-1.0) / 180;
    const auto nx = static_cast<float>(std::cos(angle)), ny = static_cast<float>(std::sin(angle));
    int line = 0;
    for (const cl_float4 &other : points) {
      const float turned = std::abs(other.s[2] - point.s[2]);
      const float off = nx * (other.s[0] - point.s[0]) + ny * (other.s[1] - point.s[1]);
      line += std::min(turned, static_cast<float>(steps) - turned) <= line_steps &&
              std::abs(off) <= line_width;
    }
    point.s[3] /= std::sqrt(static_cast<float>(line));
    lines += 1 / static_cast<float>(line);
    all += point.s[3];
  }
  for (cl_float4 &point : points) point.s[3] /= all;
  return lines;
}

/// The angle between directions for which there are most pairs; a right one unless others are far
/// better.
int best_apart(const std::array<std::vector<int>, steps> &by_step) {
  std::array<double, steps> pairs{};
  for (int apart = least_apart; apart <= quarter; apart++)
    for (int step = 0; step < steps; step++)
      for (int off = -Shape::tolerance; off <= Shape::tolerance; off++)
        pairs[apart] += double(by_step[step].size()) *
                        double(by_step[(step - apart + off + steps) % steps].size()) *
                        (apart == quarter ? 0.5 : 1);
  const auto best = std::max_element(pairs.begin(), pairs.end());
  return pairs[quarter] >= 0.5 * *best ? quarter : static_cast<int>(best - pairs.begin());
}

}  // namespace

int full_step(int x, int y) {
  const double degrees = std::atan2(y, x) * 180 / std::acos(-1.0);
  return static_cast<int>(std::floor((degrees + 1 + 360) / 2)) % (2 * steps);
}

Shape::Shape(std::string template_name, int width, int height, const std::vector<uint16_t> &map)
    : name(std::move(template_name)), width(width), height(height) {
  const float middle_x = static_cast<float>(width - 1) / 2,
              middle_y = static_cast<float>(height - 1) / 2;
  std::vector<Edge> edges;
  std::array<std::vector<int>, steps> by_step;
  radius = 1;
  const uint16_t weakest = weakest_used(map);
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++) {
      const uint16_t edge = map[size_t(y) * width + x];
      if (!edge || strength(edge) < weakest) continue;
      const int step = (edge & 127) - 1;
      by_step[step].push_back(static_cast<int>(edges.size()));
      edges.push_back({x, y, step, static_cast<float>(strength(edge))});
      radius = std::max(
          radius, std::hypot(static_cast<float>(x) - middle_x, static_cast<float>(y) - middle_y));
    }
  if (edges.size() < least_points)
    throw unusable(name, "has " + std::to_string(edges.size()) + " edge pixels, fewer than " +
                             std::to_string(least_points));
  const size_t count = std::min<size_t>(edges.size(), most_points);
  for (size_t i = 0; i < count; i++) {
    const Edge &edge = edges[i * edges.size() / count];
    points.push_back({{static_cast<float>(edge.x) - middle_x, static_cast<float>(edge.y) - middle_y,
                       static_cast<float>(edge.step), edge.strength}});
  }

  chance = std::min(most_chance, chance_by_lines / std::sqrt(weigh(points)));

  apart = best_apart(by_step);
  struct Pair {
    int angle;
    cl_float4 values;
  };
  std::vector<Pair> all;
  least = 1e9f, most = 0;
  // The same pairs every time.
  std::minstd_rand random(1);
  for (int tries = 0; tries < 64 * most_pairs && all.size() < most_pairs; tries++) {
    const Edge &first = edges[random() % edges.size()];
    const int off = static_cast<int>(random() % (2 * tolerance + 1)) - tolerance;
    const auto &others = by_step[(first.step - apart + off + steps) % steps];
    if (others.empty()) continue;
    const Edge &second = edges[others[random() % others.size()]];
    const int dx = second.x - first.x, dy = second.y - first.y;
    const auto square = static_cast<float>(dx * dx + dy * dy);
    if (square < std::max(least_part * radius * least_part * radius, 25.0f)) continue;
    const float rx = middle_x - static_cast<float>(first.x),
                ry = middle_y - static_cast<float>(first.y);
    const auto fx = static_cast<float>(dx), fy = static_cast<float>(dy);
    const int full = full_step(dx, dy);
    all.push_back({(full - first.step + 2 * steps) % steps,
                   {{(rx * fx + ry * fy) / square, (ry * fx - rx * fy) / square, std::log2(square),
                     static_cast<float>(full)}}});
    least = std::min(least, std::sqrt(square));
    most = std::max(most, std::sqrt(square));
  }
  if (all.size() < least_pairs) throw unusable(name, "has hardly two edges that are not parallel");
  for (int angle = -tolerance; angle < steps + tolerance; angle++) {
    starts[angle + tolerance] = static_cast<cl_int>(pairs.size());
    for (const Pair &pair : all)
      if (pair.angle == (angle + steps) % steps) pairs.push_back(pair.values);
  }
  starts.back() = static_cast<cl_int>(pairs.size());
}

}  // namespace glcl::hough
