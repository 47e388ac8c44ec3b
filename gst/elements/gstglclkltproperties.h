// SPDX-License-Identifier: LGPL-2.1-or-later
// The properties of glclklt.
#pragma once

#include <string>

#include "base/glclproperties.h"
#include "klt/klt.h"
#include "klt/renderer.h"
#include "klt/stabilizer.h"

namespace glcl::klt {

/// The values of the properties.
struct KltProperties : Klt::Settings, PointRenderer::PointStyle, Stabilizer::Settings {
  std::string dump_location;
};

void add_properties(Properties<KltProperties> &properties);

}  // namespace glcl::klt
