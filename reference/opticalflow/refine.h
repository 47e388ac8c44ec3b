// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <array>
#include <vector>

#include "reference/opticalflow/field.h"

namespace reference::opticalflow {

/// A level of two frames: census of both, -127..127, and grey of the earlier one.
struct RefinementLevel {
  int width = 0, height = 0;
  std::vector<std::array<float, 4>> before, after;
  std::vector<float> grey;
  float sharpness = 1;      ///< of census in noise
  float smoothness = 0.2f;  ///< weight of neighbours relative to the data term
};

/// Refines a field as glcl::opticalflow::Refinement does. Levels: finest first. `noise`: standard
/// deviation in levels. `keep_factors`: 0..1 per pixel, multiply the flow.
void refine(Field &field, int steps, const std::vector<RefinementLevel> &levels, float noise,
            const std::vector<float> &keep_factors);

}  // namespace reference::opticalflow
