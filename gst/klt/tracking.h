// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "opencl/context.h"
#include "opencl/kernel.h"
#include "opencl/queue.h"
#include "points.h"
#include "pyramid.h"

namespace glcl::klt {

/// Tracks points from one frame to the next by Lucas-Kanade steps, coarse to fine, on the pyramids
/// of both frames. The steps move the window of a point by
///
///   d += (Σ g gᵀ)⁻¹ Σ g (I - a J - b)
///
/// where I and J are the windows in the earlier and the later frame, g is the gradient of I without
/// its mean, and a and b equalise contrast and brightness. A step below 0.005 texels is the last
/// one.
///
/// The window of a point in the frame of its selection is kept. A similarity fits it to each frame,
/// so points do not drift. A point is lost if it has no texture, leaves the frame, or
/// differs too much from its window. With `check` it is also lost if tracking back misses it by
/// more than a pixel. A point keeps its position as long as noise explains the difference.
/// docs/methods/klt.md has the rules and all thresholds.
class Tracking {
 public:
  struct Settings {
    int levels = 3;           ///< of the pyramid, 1..6; at most as many as the frame has
    int window = 7;           ///< side in texels, odd, 7..31
    int iterations = 10;      ///< maximum on each level, 1..100
    double max_residue = 10;  ///< maximum mean difference, levels
    bool check = false;       ///< also tracks each point back
  };

  /// Throws Error::failed if the device refuses kernels.
  Tracking(Context &context);
  /// The same with `lanes` work-items per point.
  Tracking(Context &context, int lanes);

  /// Enqueues tracking the points in the first `features` slots from the pyramid `before` to
  /// `after`. `noise`: see noise::Noise::variances(). `reach`: px around each point where
  /// points.occupancy() gets points.occupancy_mark(), so that Selection skips them.
  void run(Queue &queue, const Settings &settings, const Pyramids &pyramids,
           const cl::Buffer &before, const cl::Buffer &after, const cl::Buffer &noise, int features,
           int reach, Points &points);

 private:
  Kernel track_, compare_;  // without compare_, track_ compares too
};

}  // namespace glcl::klt
