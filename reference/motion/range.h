// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "reference/motion/motion.h"

namespace reference {

/// As glcl::motion::Range: the range of a frame, and the sum of its costs at that range. `target`:
/// the squared errors that it may have, `errors` those of the frame before, `last` its sum; below
/// 0: none.
struct Range {
  int range = 0;
  uint64_t sum = 0;
};
Range range_of(const Plane &current, const Plane &before, int least, int most, int lambda,
               double target = -1, int64_t errors = 0, uint64_t last = 0);

}  // namespace reference
