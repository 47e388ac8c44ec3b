// SPDX-License-Identifier: LGPL-2.1-or-later
// The measures of a picture for events of the scene, pixel by pixel.
#pragma once

#include <vector>

#include "objects/scene.h"
#include "reference/noise/noise.h"

namespace reference {

/// A frame to measure; `colours` is empty for frames without. `noise`: null if it is unknown.
struct SceneFrame {
  int width, height;  ///< of `small`, the reduced frame
  int spacing;        ///< of the measured pixels
  std::vector<float> small;
  std::vector<cl_short2> colours;
  const NoiseTable *noise;
};

/// As glcl::objects::SceneMeasurement, row by row.
std::vector<glcl::objects::SceneCell> scene_cells(const SceneFrame &frame);

}  // namespace reference
