// SPDX-License-Identifier: LGPL-2.1-or-later
#include "world.h"

#include <algorithm>
#include <cmath>

namespace glcl::rules {

namespace {

constexpr double least_height = 1e-3;  // of a triangle of marks, by its longest side
constexpr double least_span = 0.2;     // s, of a path with a speed
constexpr size_t least_steps = 3;      // of such a path
constexpr double km_per_hour = 3.6;    // 1 m/s
constexpr double edge_error = 1, edge_error_part = 0.02;  // px; of a box's extent

/// The error of a side of a box, px.
double edge_error_of(double extent) { return edge_error + edge_error_part * extent; }

RulePoint operator+(const RulePoint &a, const RulePoint &b) { return {a.x + b.x, a.y + b.y}; }
RulePoint operator-(const RulePoint &a, const RulePoint &b) { return {a.x - b.x, a.y - b.y}; }
double length(const RulePoint &vector) { return std::hypot(vector.x, vector.y); }

/// True if three of four points lie on one line, or nearly so.
bool on_one_line(const std::array<RulePoint, 4> &points) {
  for (size_t out = 0; out < 4; out++) {
    const RulePoint &a = points[(out + 1) % 4], ab = points[(out + 2) % 4] - a,
                    ac = points[(out + 3) % 4] - a;
    const double longest = std::max({length(ab), length(ac), length(ab - ac)});
    if (!(std::abs(ab.x * ac.y - ab.y * ac.x) > least_height * longest * longest)) return true;
  }
  return false;
}

using Equation = std::array<double, 9>;  // eight factors and the right side

/// Solves eight equations by elimination, in place. Returns false if they have no unique solution.
bool solve(std::array<Equation, 8> &equations) {
  for (size_t i = 0; i < 8; i++) {
    const auto best = std::max_element(
        equations.begin() + ptrdiff_t(i), equations.end(),
        [i](const Equation &a, const Equation &b) { return std::abs(a[i]) < std::abs(b[i]); });
    if (!(std::abs((*best)[i]) > 1e-12)) return false;
    std::swap(*best, equations[i]);
    for (size_t row = 0; row < 8; row++) {
      if (row == i) continue;
      const double factor = equations[row][i] / equations[i][i];
      for (size_t k = i; k < 9; k++) equations[row][k] -= factor * equations[i][k];
    }
  }
  for (size_t i = 0; i < 8; i++) equations[i][8] /= equations[i][i];
  return true;
}

/// A velocity and its standard error, per second.
struct Fit {
  RulePoint velocity;
  double error = 0;
};

/// Fits straight motion to places over time; with too few of them it is unknown.
std::optional<Fit> fit(const std::vector<std::pair<double, RulePoint>> &places) {
  const auto count = static_cast<double>(places.size());
  if (places.size() < least_steps || places.back().first - places.front().first < least_span)
    return {};
  double time = 0, weight = 0, misses = 0;
  RulePoint mean, sum;
  for (const auto &[t, place] : places)
    time += t / count, mean = mean + RulePoint{place.x / count, place.y / count};
  for (const auto &[t, place] : places) {
    const double since = t - time;
    weight += since * since;
    sum = sum + RulePoint{since * (place.x - mean.x), since * (place.y - mean.y)};
  }
  const RulePoint velocity{sum.x / weight, sum.y / weight};
  for (const auto &[t, place] : places) {
    const double x = place.x - mean.x - velocity.x * (t - time),
                 y = place.y - mean.y - velocity.y * (t - time);
    misses += x * x + y * y;
  }
  return Fit{velocity, std::sqrt(misses / (count - 2) / weight)};
}

std::vector<GroundMap> variants_of(const GroundMarks &marks) {
  std::vector<GroundMap> variants;
  for (size_t i = 0; i < 4; i++)
    for (double RulePoint::*axis : {&RulePoint::x, &RulePoint::y}) {
      GroundMarks moved = marks;
      moved.points[i].*axis += 1;
      variants.emplace_back(moved);
    }
  return variants;
}

}  // namespace

GroundMap::GroundMap(const GroundMarks &marks) {
  if (on_one_line(marks.points) || on_one_line(marks.metres)) return;
  for (const RulePoint &point : marks.points)
    centre_ = centre_ + RulePoint{point.x / 4, point.y / 4};
  double largest = 0;
  for (const RulePoint &point : marks.points) largest = std::max(largest, length(point - centre_));
  scale_ = 1 / largest;
  std::array<Equation, 8> equations{};
  for (size_t i = 0; i < 4; i++) {
    const double x = (marks.points[i].x - centre_.x) * scale_,
                 y = (marks.points[i].y - centre_.y) * scale_;
    const RulePoint &to = marks.metres[i];
    equations[2 * i] = {x, y, 1, 0, 0, 0, -x * to.x, -y * to.x, to.x};
    equations[2 * i + 1] = {0, 0, 0, x, y, 1, -x * to.y, -y * to.y, to.y};
  }
  if (!solve(equations)) return;
  for (size_t i = 0; i < 8; i++) matrix_[i] = equations[i][8];
  matrix_[8] = 1;
  valid_ = std::all_of(marks.points.begin(), marks.points.end(),
                       [this](const RulePoint &point) { return depth_at(point) > 0; });
}

/// 0 on the horizon, 1 in the middle of the marks.
double GroundMap::depth_at(const RulePoint &point) const {
  return matrix_[6] * (point.x - centre_.x) * scale_ + matrix_[7] * (point.y - centre_.y) * scale_ +
         matrix_[8];
}

std::optional<RulePoint> GroundMap::at(const RulePoint &point) const {
  const double depth = depth_at(point);
  if (!valid_ || !(depth > 1e-6)) return {};
  const double x = (point.x - centre_.x) * scale_, y = (point.y - centre_.y) * scale_;
  return RulePoint{(matrix_[0] * x + matrix_[1] * y + matrix_[2]) / depth,
                   (matrix_[3] * x + matrix_[4] * y + matrix_[5]) / depth};
}

GroundMeter::GroundMeter(const GroundMarks &marks) : map_(marks), variants_(variants_of(marks)) {}

/// The error of a quantity by those of the marks, a pixel each, and of the lower edge of the box.
/// `quantity (map, down)`: with another map, and an edge that is lower by `down` px.
template <class Quantity>
double GroundMeter::error_of(const Quantity &quantity, double value, double height) const {
  double squares = 0;
  for (const GroundMap &variant : variants_) {
    const double difference = quantity(variant, 0) - value;
    squares += difference * difference;
  }
  const double edge = quantity(map_, edge_error_of(height)) - value;
  return std::sqrt(squares + edge * edge);
}

OnGround GroundMeter::measure(const Path &path, const std::array<RulePoint, 2> &edge,
                              double height) const {
  OnGround result;
  const auto size = [&](const GroundMap &map, double down) {
    const auto left = map.at({edge[0].x, edge[0].y + down}),
               right = map.at({edge[1].x, edge[1].y + down});
    return left && right ? length(*right - *left) : NAN;
  };
  const double wide = size(map_, 0), pixels = std::max(length(edge[1] - edge[0]), 1.0),
               sides = std::sqrt(2.0) * edge_error_of(pixels) * wide / pixels,
               size_error = std::hypot(error_of(size, wide, height), sides);
  if (std::isfinite(size_error)) result.size = {wide, size_error};

  std::vector<std::pair<double, RulePoint>> picture, ground;
  const std::deque<Path::Step> &steps = path.steps();
  for (const Path::Step &step : steps) {
    const auto place = map_.at(step.foot);
    const double time = -double(elapsed(steps.back().time, step.time)) / 1e9;
    if (!place) continue;
    picture.emplace_back(time, step.foot);
    ground.emplace_back(time, *place);
  }
  const std::optional<Fit> moves = fit(ground), seen = fit(picture);
  if (!moves || !seen) return result;
  // Errors are those of the last tenth of a second at the fitted speed.
  const RulePoint &to = steps.back().foot,
                  from = to - RulePoint{seen->velocity.x / 10, seen->velocity.y / 10};
  const auto speed = [&](const GroundMap &map, double down) {
    const auto begin = map.at({from.x, from.y + down}), end = map.at({to.x, to.y + down});
    return begin && end ? length(*end - *begin) * 10 : NAN;
  };
  const double error = std::hypot(error_of(speed, speed(map_, 0), height), moves->error);
  if (std::isfinite(error))
    result.speed = {km_per_hour * length(moves->velocity), km_per_hour * error};
  return result;
}

}  // namespace glcl::rules
