// SPDX-License-Identifier: LGPL-2.1-or-later
// The properties of glclklt.
#pragma once

#include <string>

#include "base/glclproperties.h"
#include "klt/klt.h"
#include "klt/pathplanner.h"
#include "klt/renderer.h"
#include "klt/stabilizer.h"

namespace glcl::klt {

/// The values of the properties.
struct KltProperties : Klt::Settings, PointRenderer::PointStyle, Stabilizer::Settings {
  std::string dump_location;
  int look_ahead = 0;  ///< frames
  /// Frames by which the output is delayed.
  int delay() const { return stabilize ? look_ahead : 0; }
};

void add_properties(Properties<KltProperties> &properties);

}  // namespace glcl::klt
