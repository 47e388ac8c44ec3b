// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "opencl/kernel.h"
#include "opencl/picture.h"
#include "opencl/queue.h"

namespace glcl::histogram {

/// Computes the input of Shots or ShapeShots from a frame: its counts; the mean luma of each
/// cell, sampled at up to 16×16 pixels spread evenly over the cell; and the detail of each cell:
/// the mean squared differences to the next pixel and to the one two rows below, added, times 64.
class ShotValues {
 public:
  /// `counts`: how many each frame has: Shots::counts or ShapeShots::counts. Throws Error::failed
  /// if the device refuses.
  ShotValues(Context &context, const FrameFormat &frame, size_t counts);

  /// Enqueues the values of a frame. Its `counts` were computed by Histogram in mode rgb with 256
  /// bins, or by FrameEdgePairs. The returned buffer holds the counts and the Structure::values,
  /// cl_uint, until the next call.
  const cl::Buffer &run(Queue &queue, const Picture &in, const cl::Buffer &counts);

 private:
  size_t counts_;
  Kernel cells_;
  cl::Buffer values_;
};

}  // namespace glcl::histogram
