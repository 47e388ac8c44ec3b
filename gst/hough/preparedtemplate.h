// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <array>
#include <memory>

#include "template.h"

namespace glcl::hough {

/// A template and its data on the device.
struct PreparedTemplate {
  /// Allocates and fills the buffers. Throws cl::Error.
  PreparedTemplate(const cl::Context &context, std::shared_ptr<const Template> from);

  int level_count() const { return static_cast<int>(templ->levels.size()); }

  std::shared_ptr<const Template> templ;
  cl::Buffer levels;                ///< an int4 per level, see kernels/hough/level.clh
  cl::Buffer points, match_points;  ///< of all levels, see Template::ScaleLevel
  cl::Buffer outline;               ///< the points of the level for the template's own size
  int outline_count;
  /// The offsets of the match points in the bits of EdgePacker, by pose. TemplateMatcher keeps them
  /// for the grid and the scales in `offsets_key`.
  cl::Buffer offsets;
  std::array<float, 6> offsets_key{};
};

}  // namespace glcl::hough
