// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hough/interface.h"
#include "opencl/cl.h"

namespace glcl::hough {

/// The edges of a scaled picture, as Canny gives them.
struct EdgeMap {
  int width, height;  ///< px
  std::vector<uint16_t> edges;
};

/// A template for the generalised Hough transform: its edges, computed once on the host. It has
/// them at several sizes, because fine edges merge when an object is small.
struct Template {
  static constexpr int most_points = 512;                  ///< of a level
  static constexpr int match_points_count = MATCH_POINTS;  ///< of a level
  static constexpr int least_points = 24;
  static constexpr int steps = STEPS;

  /// The points at one size.
  struct ScaleLevel {
    double scale;  ///< the size, by the template's
    float chance;  ///< the part of its points that meet edges where it is not
    /// x, y in px of the template from its middle, the step of the gradient's direction of 180,
    /// and what the point counts, 1 in all; evenly out of all edges.
    std::vector<cl_float4> points;
    /// The points with the most weight, evenly spread.
    std::vector<cl_float4> match_points;
  };

  /// From the edges of a picture of width × height px at some sizes; those are left out that have
  /// too few edges, or none that differ in direction. Throws Error::settings, naming the template,
  /// where none is left.
  Template(const std::string &name, int width, int height, const std::vector<EdgeMap> &maps);

  /// The one that fits a scale best.
  size_t level_of(double scale) const;

  std::string name;
  int width, height;               ///< px
  float radius;                    ///< px from the middle to the furthest edge
  std::vector<ScaleLevel> levels;  ///< from the smallest on
};

}  // namespace glcl::hough
