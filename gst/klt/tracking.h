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
/// its mean, and a and b equalise the light. A step below 0.005 texels is the last one.
///
/// The window of the frame in which a point was selected is kept and fitted to each frame by a
/// similarity, so points do not drift. A point is lost if it has no texture, leaves the frame, or
/// differs too much from its window. With `check` it is also lost if tracking back misses it by
/// more than a pixel. A point keeps its position as long as noise explains the difference.
/// docs/methods/klt.md has the rules and all thresholds.
class Tracking {
 public:
  struct Settings {
    int levels = 3;           ///< of the pyramid, 1..6; fewer where the frame has fewer
    int window = 7;           ///< side in texels, odd, 7..31
    int iterations = 10;      ///< on each level at most, 1..100
    double max_residue = 10;  ///< levels
    bool check = false;       ///< also follow each point back
  };

  /// Throws Error::failed where the device refuses kernels.
  Tracking(Context &context);
  /// With `lanes` work-items for a point.
  Tracking(Context &context, int lanes);

  /// Enqueues where the points of the first `features` slots are, by the pyramids of two frames.
  /// `noise` of the frames, as noise/bands.clh has it; `reach`: px around a point that are marked
  /// as taken by points.stamp().
  void run(Queue &queue, const Settings &settings, const Pyramids &pyramids,
           const cl::Buffer &before, const cl::Buffer &after, const cl::Buffer &noise, int features,
           int reach, Points &points);

 private:
  Kernel follow_, compare_;  // where that has none, the first compares too
};

}  // namespace glcl::klt
