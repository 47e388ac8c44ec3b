// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstdint>
#include <vector>

#include "rules.h"

namespace glcl::rules {

/// A box that somebody else has found in a frame.
struct GivenBox {
  RectF box;          ///< px
  uint64_t id = 0;    ///< number of the object; 0: unknown
  uint32_t type = 0;  ///< of the object
};

/// Follows objects by their given numbers. A box without a number, or with a new one, continues the
/// object that it overlaps most, if that one has no other box in this frame.
class BoxTracker {
 public:
  struct Followed {
    std::vector<RuleObject> found, ended;
  };

  /// The objects of the next frame, `seconds` after the previous one. An object without a box for
  /// `gap` seconds ends.
  Followed step(const std::vector<GivenBox> &boxes, double seconds, double gap);
  /// Ends all objects and returns them.
  std::vector<RuleObject> reset();

 private:
  struct Follow {
    RuleObject object;
    uint64_t given = 0;  // the last number of its boxes
    double missing = 0;  // s
    bool found = true;   // in this frame
  };

  void take(Follow &follow, const GivenBox &box);
  void match_by_overlap(const std::vector<GivenBox> &boxes, std::vector<bool> &used);
  uint64_t number_for(uint64_t given);

  std::vector<Follow> follows_;
  uint64_t last_own_ = uint64_t(1) << 32;
};

}  // namespace glcl::rules
