// SPDX-License-Identifier: LGPL-2.1-or-later
// The properties of glopenclflow.
#pragma once

#include <string>

#include "base/glclproperties.h"
#include "opticalflow/estimator.h"
#include "opticalflow/preset.h"
#include "opticalflow/renderer.h"

namespace glcl::opticalflow {

/// The values of the properties.
struct FlowProperties : Flow::Settings, FlowRenderer::FlowStyle {
  Preset preset = Preset::fast;
  FlowMethod method = FlowMethod::pyramidal;
  // True if the user set this property, which then overrides the preset.
  bool own_method = false, own_warps = false, own_refinement = false;

  /// Sets method, warps and refinement from the preset, unless the user set them.
  void follow_preset();

  int grid = 1;
  double min_confidence = 0;
  double gain = 0;
  std::string dump_location;
};

void add_properties(Properties<FlowProperties> &properties);

}  // namespace glcl::opticalflow
