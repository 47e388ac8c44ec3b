// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "opencl/context.h"
#include "opencl/kernel.h"
#include "opencl/queue.h"

namespace glcl::bilateral {

/// The exponents of the space weight of each pixel of a window, for the vector form.
class SpaceTable {
 public:
  /// The settings of a table: radius and sigma_space, and the rows per work-item.
  struct Window {
    int radius = -1, rows = 0;
    double sigma = 0;

    bool operator==(const Window &other) const {
      return radius == other.radius && rows == other.rows && sigma == other.sigma;
    }
  };

  /// Enqueues filling the table if the window changed. `kernel`: bilateral_space. `exponent`: of a
  /// squared distance. Throws cl::Error.
  void update(Queue &queue, Kernel &kernel, const Window &window, float exponent);
  const cl::Buffer &buffer() const { return buffer_; }

 private:
  cl::Buffer buffer_;
  Window window_;  // of the table
};

}  // namespace glcl::bilateral
