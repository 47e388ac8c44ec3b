// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "noise/noise.h"
#include "opencl/context.h"
#include "opencl/kernel.h"
#include "opencl/queue.h"
#include "points.h"
#include "pyramid.h"

namespace glcl::klt {

/// Finds blank frames: black, white or grey ones, damaged ones, or something before the lens.
///
/// A frame is blank if more than half of the points are lost, two thirds of those because the
/// texture around them is gone, and the texture that is left is that of tracked points; after a cut
/// it is not.
/// After a blank frame a quarter of the points is enough. There the points keep their state, and
/// the pyramid and the noise of the last frame that was not blank stay, so the next frame is
/// tracked from that one. After 30 blank frames in a row the points are lost.
class BlankFrames {
 public:
  /// Throws Error::failed where the device refuses kernels.
  BlankFrames(Context &context);

  /// After tracking the points of `slots` slots from one pyramid to another: enqueues what a blank
  /// frame needs. `allowed`: whether the frame may be one.
  void run(Queue &queue, const Pyramids &pyramids, const cl::Buffer &before,
           const cl::Buffer &after, const cl::Buffer &noise, int slots, bool allowed,
           Points &points);

 private:
  Kernel find_, keep_;
  cl::Buffer usual_noise_;
};

}  // namespace glcl::klt
