// SPDX-License-Identifier: LGPL-2.1-or-later
#include "hough.h"

#include <algorithm>
#include <cmath>

#include "canny.h"

namespace reference {

namespace {

using glcl::hough::Canny;
using glcl::hough::Shape;

const double pi = std::acos(-1.0);

struct Edge {
  int x, y, step;
};

}  // namespace

std::vector<Listed> strongest(const std::vector<uint16_t> &map, int width, int shift, int strengths,
                              int wanted, size_t room, const glcl::hough::Region &region) {
  std::vector<uint32_t> places;
  for (uint32_t i = 0; i < map.size(); i++) {
    const int x = static_cast<int>(i) % width, y = static_cast<int>(i) / width;
    const bool inside = x >= region.x0 && x < region.x1 && y >= region.y0 && y < region.y1;
    if (inside && (map[i] & wanted)) places.push_back(i);
  }
  const auto strength = [&](uint32_t i) { return map[i] >> shift & (strengths - 1); };
  std::stable_sort(places.begin(), places.end(),
                   [&](uint32_t a, uint32_t b) { return strength(a) > strength(b); });
  places.resize(std::min(places.size(), room));
  std::sort(places.begin(), places.end());
  std::vector<Listed> list;
  for (const uint32_t i : places) list.push_back({uint32_t(map[i] & ((1 << shift) - 1)), i});
  return list;
}

std::vector<uint32_t> votes(const std::vector<uint16_t> &map, int width, const Shape &shape,
                            const glcl::hough::Hough::Space &space, double scale_min,
                            double scale_max) {
  std::vector<Edge> edges;
  for (size_t i = 0; i < map.size(); i++)
    if (map[i] & Canny::strong)
      edges.push_back({int(i % width), int(i / width), (map[i] & 127) - 1});
  std::vector<uint32_t> result(size_t(space.turns) * space.scales * space.rows * space.columns);
  const double least = std::max(shape.least * scale_min * 0.95, 4.0);
  const double most = shape.most * scale_max * 1.05;
  const int steps = Canny::steps, around = 2 * steps, own = Shape::tolerance;
  for (const Edge &a : edges)
    for (const Edge &b : edges) {
      const int apart = (a.step - b.step - shape.apart + 2 * steps) % steps;
      if (std::min(apart, steps - apart) > own) continue;
      const double dx = b.x - a.x, dy = b.y - a.y, length = std::hypot(dx, dy);
      if (length < least || length > most) continue;
      const int full = full_step(b.x - a.x, b.y - a.y);
      const int angle = (full - a.step + around) % steps;
      for (int n = shape.starts[angle]; n < shape.starts[angle + 2 * own + 1]; n++) {
        const cl_float4 &pair = shape.pairs[n];
        const double x = a.x + dx * pair.s[0] - dy * pair.s[1];
        const double y = a.y + dx * pair.s[1] + dy * pair.s[0];
        const int column = static_cast<int>(std::floor(x / space.cell));
        const int row = static_cast<int>(std::floor(y / space.cell));
        const int scale = static_cast<int>(
            std::floor((2 * std::log2(length) - pair.s[2] - space.first_scale) * space.per_scale));
        if (column < 0 || column >= space.columns || row < 0 || row >= space.rows || scale < 0 ||
            scale >= space.scales)
          continue;
        const int turn =
            (full - static_cast<int>(pair.s[3]) + around) % around * space.turns / around;
        result[((size_t(turn) * space.scales + scale) * space.rows + row) * space.columns +
               column]++;
      }
    }
  return result;
}

double score(const std::vector<uint16_t> &edges, int width, int height, const Shape &shape,
             double x, double y, double angle, double scale) {
  const double reach = 1.5, turn = -angle * pi / 180, steps = Canny::steps, most_turned = 6;
  double sum = 0;
  for (const cl_float4 &point : shape.points) {
    const double qx = x + scale * (std::cos(turn) * point.s[0] - std::sin(turn) * point.s[1]);
    const double qy = y + scale * (std::sin(turn) * point.s[0] + std::cos(turn) * point.s[1]);
    const double step = std::fmod(point.s[2] + turn / pi * steps + 4 * steps, steps);
    const double nx = std::cos(step * pi / steps), ny = std::sin(step * pi / steps);
    double nearest = 1e9, turned = 0;
    for (int k : {0, -1, 1, -2, 2}) {
      const int row = static_cast<int>(std::floor(qy + ny * k + 0.5));
      const int first = static_cast<int>(std::floor(qx + nx * k));
      for (int column = first; column <= first + 1; column++) {
        if (row < 0 || row >= height || column < 0 || column >= width) continue;
        const uint16_t edge = edges[size_t(row) * width + column];
        if (!edge) continue;
        double off = std::abs((edge & 127) - 1 - step);
        off = std::min(off, steps - off);
        const double distance = std::abs(nx * (column - qx) + ny * (row - qy));
        if (off <= most_turned && distance < nearest) nearest = distance, turned = off;
      }
      if (nearest < std::abs(k) - 0.5) break;
    }
    if (nearest > reach) continue;
    sum += point.s[3] * (1 - std::pow(nearest / reach, 4)) *
           (1 - std::pow(turned / (most_turned + 1), 4));
  }
  return (sum - shape.chance) / (1 - shape.chance);
}

}  // namespace reference
