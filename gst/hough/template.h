// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hough/interface.h"
#include "opencl/cl.h"

namespace glcl::hough {

/// The edges of a scaled picture, see Canny::edges().
struct EdgeMap {
  int width, height;  ///< px
  std::vector<uint16_t> edges;
};

/// A template for the generalised Hough transform: points on its edges, selected once on the host.
/// It has levels for several sizes, because fine edges merge when an object is small.
struct Template {
  static constexpr int most_points = 512;                  ///< per level
  static constexpr int match_points_count = MATCH_POINTS;  ///< per level
  static constexpr int least_points = 24;                  ///< edge pixels of a level
  static constexpr int steps = STEPS;

  /// The points for one size.
  struct ScaleLevel {
    double scale;  ///< relative to the template's picture
    float chance;  ///< weight of the points that may meet edges by chance
    /// Points evenly out of all edges. x, y: px of the template from its middle; z: the gradient's
    /// direction, 0 … 179, 2° each; w: the weight, with a sum of 1.
    std::vector<cl_float4> points;
    /// Points of about equal weight; those with more weight occur several times.
    std::vector<cl_float4> match_points;
  };

  /// Makes levels from the edges of a picture of width × height px at several sizes. Sizes with too
  /// few edges, or almost only parallel ones, get no level. Throws Error::settings with the name of
  /// the template if there is no level.
  Template(const std::string &name, int width, int height, const std::vector<EdgeMap> &maps);

  /// The index of the level that fits a scale best.
  size_t level_of(double scale) const;

  std::string name;
  int width, height;               ///< px
  float radius;                    ///< px from the middle to the furthest edge
  std::vector<ScaleLevel> levels;  ///< smallest first
};

}  // namespace glcl::hough
