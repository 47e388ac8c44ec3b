// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "opencl/kernel.h"
#include "opencl/picture.h"
#include "opencl/queue.h"

namespace glcl::histogram {

/// What Shots takes of a frame: its histogram and the mean luma of each of its cells, of at most
/// 16×16 pixels that lie evenly in the cell.
class ShotValues {
 public:
  /// Throws Error::failed where the device refuses.
  ShotValues(Context &context, Layout layout);

  /// Enqueues the values of a frame whose `counts` are there: those of Histogram, in the mode rgb
  /// with 256 bins. The buffer that it gives holds Shots::values cl_uint until the next call.
  const cl::Buffer &run(Queue &queue, const Picture &in, const cl::Buffer &counts);

 private:
  Kernel cells_;
  cl::Buffer values_;
};

}  // namespace glcl::histogram
