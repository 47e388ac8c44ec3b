// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <vector>

#include "hough/interface.h"
#include "opencl/context.h"
#include "opencl/kernel.h"
#include "opencl/rect.h"
#include "topk.h"

namespace glcl::hough {

/// The settings of CircleFinder.
struct CircleSettings {
  static constexpr int most_circles = 100, least_radius = 3, most_radius = 1000;

  int circles = 0;                        ///< maximum number, 0 … most_circles
  int radius_min = 10, radius_max = 100;  ///< px; a maximum below the minimum counts as that
  double min_circle_score = 0.5;          ///< minimum part of the circumference with an edge
};

/// Finds circles among edges by a Hough transform along their gradients.
///
/// Each edge votes for centres on both sides, at all radii. The 256 cells with the most votes are
/// candidates, for which edges are counted by radius. Least squares fit up to four circles to each.
/// The score is the part of 180 rays from the centre that meet an edge of the right direction. All
/// numbers are integers, so all devices find the same circles. docs/lines-and-circles.md
/// has the numbers.
class CircleFinder {
 public:
  static constexpr size_t result_bytes = (1 + CircleSettings::most_circles) * sizeof(FoundCircle);
  static constexpr int most_centres = 256, most_candidates = most_centres * CIRCLE_RADII;

  /// For frames of width × height px. Throws Error::failed if the device refuses kernels or memory.
  CircleFinder(Context &context, int width, int height);
  /// The same with this many work-items per group.
  CircleFinder(Context &context, int width, int height, unsigned items);

  /// Enqueues the search among edges in a region, see Canny::edges(). `weak`: also counts edges
  /// that do not reach the upper threshold. Never waits. Throws cl::Error if the device refuses
  /// memory.
  void run(Queue &queue, const CircleSettings &settings, const cl::Buffer &edges, bool weak,
           const Rect &region);

  /// The result for read(): the number of circles, uint, and from the second FoundCircle on the
  /// circles.
  const cl::Buffer &result() const { return result_; }
  /// The circles in a downloaded result(), best first.
  static std::vector<FoundCircle> read(const void *result);

  /// For tests: the votes, uint per cell; the seeds and the circles to which they lead, int4 for
  /// each of most_candidates.
  const cl::Buffer &votes() const { return votes_; }
  const cl::Buffer &seeds() const { return seeds_; }
  const cl::Buffer &fitted() const { return fitted_; }

 private:
  cl::Context context_;
  cl_int2 size_;  // of the frame, px
  Kernel vote_, centres_, radii_, fit_, keep_, rank_;
  TopK strongest_;
  cl::Buffer votes_, strengths_, seeds_, fitted_, kept_, result_;
};

}  // namespace glcl::hough
