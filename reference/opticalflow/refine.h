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
  float sharpness = 1;      ///< that noise leaves the census
  float smoothness = 0.2f;  ///< what neighbours count beside it
};

/// The field as glcl::opticalflow::Refinement makes it. Levels: finest first. `noise`: standard
/// deviation in levels. `kept`: by pixel how much of the flow to keep, 0..1.
void refine(Field &field, int steps, const std::vector<RefinementLevel> &levels, float noise,
            const std::vector<float> &kept);

}  // namespace reference::opticalflow
