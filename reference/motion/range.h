// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "reference/motion/motion.h"

namespace reference {

/// As glcl::motion::Range: the ranges of a frame's areas, and the sum of their squared costs at
/// those. `target`: the squared errors that it may have, `errors` those of the frame before, `last`
/// its sum; below 0: none.
struct Ranges {
  std::vector<int> ranges;
  uint64_t sum = 0;
  int mean_square() const;
};
Ranges ranges_of(const Plane &current, const Plane &before, int least, int most, int lambda,
                 double target = -1, int64_t errors = 0, uint64_t last = 0);

/// full_search() of each area within its range.
std::vector<glcl::motion::Key> full_search(const Plane &current, const Plane &before, int block,
                                           const std::vector<int> &ranges, int lambda);

}  // namespace reference
