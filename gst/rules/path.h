// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstdint>
#include <deque>

#include "geometry.h"

namespace glcl::rules {

/// The time of a frame.
struct RuleTime {
  uint64_t stream = 0;  ///< ns
  int of_week = 0;      ///< s since Monday, 0:00; for zones with times
};

/// The time since another one, ns; 0 if the stream went back.
inline uint64_t elapsed(uint64_t now, uint64_t since) { return now > since ? now - since : 0; }

/// A direction of motion, and the largest angle to it, radians, from +x to +y.
struct Heading {
  double angle = 0, tolerance = 0;
};

/// Where an object was in the last second.
class Path {
 public:
  /// A place of an object, px.
  struct Step {
    uint64_t time = 0;
    RulePoint picture;  ///< in the picture
    RulePoint ground;   ///< in the frame for which the rules were set
    RulePoint foot;     ///< the middle of the lower edge of its box, where the marks are
  };

  /// Adds the place in the next frame. A time before the last one begins the path again.
  void add(const Step &step);
  /// True if an object moves by at least `least` px within half a second, in this direction.
  bool follows(const Heading &heading, RulePoint Step::*place, double least) const;
  const std::deque<Step> &steps() const { return steps_; }

 private:
  std::deque<Step> steps_;
};

}  // namespace glcl::rules
