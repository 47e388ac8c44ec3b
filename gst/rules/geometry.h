// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <vector>

namespace glcl::rules {

/// A point of the picture, px or fractions of its width and height; y goes down.
struct RulePoint {
  double x = 0, y = 0;
};

/// The distance of a point from the border of a polygon: above 0 inside, below 0 outside.
double depth_in(const std::vector<RulePoint> &polygon, const RulePoint &point);
/// The distance of a point from the straight line through two others: above 0 on the right of
/// somebody who looks from `from` to `to`.
double right_of(const RulePoint &from, const RulePoint &to, const RulePoint &point);
/// True if two line segments have a point in common.
bool segments_meet(const RulePoint &a, const RulePoint &b, const RulePoint &c, const RulePoint &d);
/// True if two sides of a polygon that are not neighbours meet.
bool crosses_itself(const std::vector<RulePoint> &polygon);
/// The area of a polygon that does not cross itself.
double area_of(const std::vector<RulePoint> &polygon);

}  // namespace glcl::rules
