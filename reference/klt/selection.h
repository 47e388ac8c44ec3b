// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <utility>
#include <vector>

#include "reference/klt/point.h"
#include "reference/klt/pyramid.h"

namespace reference::klt {

/// For white noise of variance 1 in the frame: the mean of the smaller eigenvalue of a window of
/// 7×7 px.
double eigenvalue_gain();

/// The gradient of a smoothed plane.
std::pair<Plane, Plane> gradient(const Plane &plane);
/// The smaller eigenvalue of its tensor; 0 in the margin.
Plane eigenvalues(const Plane &plane);

/// The smaller eigenvalue of the tensor of these sums over slopes.
double least_eigenvalue(double xx, double xy, double yy);

struct Corner {
  int x, y;
  float value;
};
/// The `need` best places, best first, by a sort of all candidates. `noise`: variance in levels².
std::vector<Corner> select(const Plane &values, const Settings &settings, double noise, int need,
                           const std::vector<Point> &points = {});

}  // namespace reference::klt
