// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <array>
#include <vector>

#include "reference/opticalflow/flow.h"

namespace reference {

/// A level of two frames: census of both, -127..127, and grey of the earlier one.
struct RefinementLevel {
  int width = 0, height = 0;
  std::vector<std::array<float, 4>> before, after;
  std::vector<float> grey;
};

/// The field as glcl::opticalflow::Refinement makes it. Levels: finest first. `far`: how much of
/// what stands still stays, 0 without noise to 1.
void refine(Field &field, int steps, const std::vector<RefinementLevel> &levels, float far);

}  // namespace reference
