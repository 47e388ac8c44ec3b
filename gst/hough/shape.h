// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "opencl/cl.h"

namespace glcl::hough {

/// A template: the edges of a picture as the generalised Hough transform looks for them, made once,
/// on the host.
struct Shape {
  static constexpr int most_points = 512, most_pairs = 512;
  static constexpr int least_points = 24, least_pairs = 64;
  static constexpr int steps = 90;
  static constexpr int tolerance = 1;  ///< steps; TOLERANCE in the kernels

  /// From edges as hough::Canny gives them, of a picture of width × height px. Throws
  /// Error::settings, naming the template, where there are too few of them, or none that differ in
  /// direction.
  Shape(std::string name, int width, int height, const std::vector<uint16_t> &edges);

  std::string name;
  int width, height;  ///< px
  int apart;          ///< steps between the directions of a pair
  float chance;       ///< the part of its points that meet edges where it is not
  float radius;       ///< px from the middle to the furthest edge
  float least, most;  ///< px between the points of a pair

  /// x, y from the middle, the step of the direction, and what the point counts, 1 in all; evenly
  /// out of all edges.
  std::vector<cl_float4> points;
  /// In the order of the angle from the first one's direction to the second: the way from the first
  /// to the middle by that to the second, a complex number; the binary logarithm of that way's
  /// squared length; its direction, 0 … 179 steps.
  std::vector<cl_float4> pairs;
  /// Where each angle begins in `pairs`, for −tolerance … steps + tolerance; they stand there twice
  /// where angles do.
  std::array<cl_int, steps + 2 * tolerance + 1> starts;
};

/// The direction of (x, y), 0 … 179 steps of 2°, as kernels/hough/angle.clh has it.
int full_step(int x, int y);

}  // namespace glcl::hough
