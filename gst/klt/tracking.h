// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "opencl/context.h"
#include "opencl/kernel.h"
#include "opencl/queue.h"
#include "points.h"
#include "pyramid.h"

namespace glcl::klt {

/// Follows points from one frame to the next, coarse to fine: on each level the window around a
/// point, taken between the texels of the frame before, is moved over this frame by steps
///
///   d += (Σ g gᵀ)⁻¹ Σ g (I - a J - b),
///
/// g the slopes of the window, without their mean; a and b give J the mean and the deviation that I
/// has, a within a factor of 2, so light that changes is no motion. It stops at a step below 0.005
/// texels. Texels outside of the frame before do not count. A coarse level on which there is too
/// little texture, or which leads astray, changes nothing.
///
/// A point is lost where the determinant is below 0.01 or the smaller eigenvalue no more than noise
/// gives, where it moves by more than the window's side on the finest level, comes nearer than 3 px
/// to the frame's edge, where the mean difference that is left exceeds `max_residue`, or 0.3 of
/// the window's deviation, by more than noise adds, or, with `check`, where going back misses it by
/// more than a pixel. With `max_residue` 255 it is lost by texture, the edge and `check` alone: of
/// places that are not good it goes to the one that leaves least.
///
/// The window grows, up to 31 texels, until noise moves the point by no more than 0.03 px.
///
/// The patch of a point where it was chosen is kept, and aligned with each frame by a similarity,
/// starting from the tracked place: so points do not drift when the picture rotates and scales. The
/// larger the residual, the less the similarity may change from frame to frame. The bound of the
/// residual grows, up to 0.6 of the deviation, with what all patches left in the frame before:
/// encoders leave such errors. If the patch does not fit, or only at less than 0.5 or more than 2
/// times the size, the point stays at the tracked place. After three such frames in a row it is
/// lost (Shi and Tomasi).
///
/// A point that is not found from where its last motion leads is looked for there once more with
/// its light made even, then from where it was, unless its motion leads out of the frame, and
/// at last there on the finest level alone.
///
/// The point is tracked to the best fit, but reported at its old place as long as noise explains
/// the difference: a static scene stays static, and nothing that moves is late by more than that.
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
  /// With so many work-items for a point.
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
