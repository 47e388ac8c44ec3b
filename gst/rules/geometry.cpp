// SPDX-License-Identifier: LGPL-2.1-or-later
#include "geometry.h"

#include <algorithm>
#include <cmath>

namespace glcl::rules {

namespace {

/// The cross product of the vectors from `from` to `to` and to `point`.
double cross(const RulePoint &from, const RulePoint &to, const RulePoint &point) {
  return (to.x - from.x) * (point.y - from.y) - (to.y - from.y) * (point.x - from.x);
}

int sign(double value) { return value > 0 ? 1 : value < 0 ? -1 : 0; }

bool between(double a, double b, double value) {
  return std::min(a, b) <= value && value <= std::max(a, b);
}

/// True if a point on the straight line of a segment lies on the segment.
bool on_segment(const RulePoint &from, const RulePoint &to, const RulePoint &point) {
  return between(from.x, to.x, point.x) && between(from.y, to.y, point.y);
}

}  // namespace

double depth_in(const std::vector<RulePoint> &polygon, const RulePoint &point) {
  double squared = INFINITY;
  bool inside = false;
  for (size_t i = 0, last = polygon.size() - 1; i < polygon.size(); last = i++) {
    const RulePoint &a = polygon[last], &b = polygon[i];
    const double dx = b.x - a.x, dy = b.y - a.y, x = point.x - a.x, y = point.y - a.y,
                 off = dx * y - dy * x, along = x * dx + y * dy, length = dx * dx + dy * dy;
    // The nearest point of the side is its beginning, or between its ends; another side has its
    // end.
    if (along <= 0)
      squared = std::min(squared, x * x + y * y);
    else if (along < length && off * off < squared * length)
      squared = off * off / length;
    // A ray to the right crosses the sides whose ends are above and below it.
    if ((a.y > point.y) != (b.y > point.y) && (off > 0) == (dy > 0)) inside = !inside;
  }
  const double distance = std::sqrt(squared);
  return inside ? distance : -distance;
}

double right_of(const RulePoint &from, const RulePoint &to, const RulePoint &point) {
  return cross(from, to, point) / std::hypot(to.x - from.x, to.y - from.y);
}

bool segments_meet(const RulePoint &a, const RulePoint &b, const RulePoint &c, const RulePoint &d) {
  const int of_c = sign(cross(a, b, c)), of_d = sign(cross(a, b, d)), of_a = sign(cross(c, d, a)),
            of_b = sign(cross(c, d, b));
  if (of_c * of_d < 0 && of_a * of_b < 0) return true;
  return (!of_c && on_segment(a, b, c)) || (!of_d && on_segment(a, b, d)) ||
         (!of_a && on_segment(c, d, a)) || (!of_b && on_segment(c, d, b));
}

bool crosses_itself(const std::vector<RulePoint> &polygon) {
  const size_t count = polygon.size();
  for (size_t i = 0; i < count; i++)
    for (size_t k = i + 2; k < count; k++) {
      if (i == 0 && k == count - 1) continue;  // neighbours
      if (segments_meet(polygon[i], polygon[(i + 1) % count], polygon[k], polygon[(k + 1) % count]))
        return true;
    }
  return false;
}

double area_of(const std::vector<RulePoint> &polygon) {
  double twice = 0;
  for (size_t i = 0; i < polygon.size(); i++) {
    const RulePoint &a = polygon[i], &b = polygon[(i + 1) % polygon.size()];
    twice += a.x * b.y - a.y * b.x;
  }
  return std::abs(twice) / 2;
}

}  // namespace glcl::rules
