// SPDX-License-Identifier: LGPL-2.1-or-later
#include "path.h"

#include <cmath>

namespace glcl::rules {

namespace {

constexpr uint64_t longest = 1000000000, recent = 500000000;  // ns
constexpr size_t most_steps = 128;

}  // namespace

void Path::add(const Step &step) {
  if (!steps_.empty() && step.time < steps_.back().time) steps_.clear();
  steps_.push_back(step);
  while (steps_.size() > most_steps || elapsed(step.time, steps_.front().time) > longest)
    steps_.pop_front();
}

bool Path::follows(const Heading &heading, RulePoint Step::*place, double least) const {
  const Step &last = steps_.back();
  size_t first = steps_.size() - 1;
  while (first > 0 && elapsed(last.time, steps_[first - 1].time) <= recent) first--;
  const RulePoint &from = steps_[first].*place, &to = last.*place;
  const double x = to.x - from.x, y = to.y - from.y;
  if (std::hypot(x, y) < least) return false;
  return std::abs(std::remainder(std::atan2(y, x) - heading.angle, 2 * M_PI)) <= heading.tolerance;
}

}  // namespace glcl::rules
