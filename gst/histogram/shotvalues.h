// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "opencl/kernel.h"
#include "opencl/picture.h"
#include "opencl/queue.h"

namespace glcl::histogram {

/// Computes the input of Shots from a frame: its histogram and the mean luma of each cell, sampled
/// at up to 16×16 pixels spread evenly over the cell.
class ShotValues {
 public:
  /// Throws Error::failed if the device refuses.
  ShotValues(Context &context, const FrameFormat &frame);

  /// Enqueues the values of a frame whose `counts` were computed by Histogram in mode rgb with 256
  /// bins. The returned buffer holds Shots::values cl_uint until the next call.
  const cl::Buffer &run(Queue &queue, const Picture &in, const cl::Buffer &counts);

 private:
  Kernel cells_;
  cl::Buffer values_;
};

}  // namespace glcl::histogram
