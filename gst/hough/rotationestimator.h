// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "edgepairs.h"

namespace glcl::hough {

/// Estimates the rotation between two pictures by the correlation of their counts of edge pairs.
class RotationEstimator {
 public:
  /// `max_rotation`: maximum rotation to either side, steps of 2°. Throws cl::Error.
  RotationEstimator(Context &context, const Program &program, int max_rotation);

  void run(Queue &queue, const EdgePairs &before, const EdgePairs &after);

  /// The correlation, ulong per rotation.
  const cl::Buffer &correlation() const { return correlation_; }
  /// The rotation: int, steps of 2° clockwise.
  const cl::Buffer &rotation() const { return rotation_; }

 private:
  int max_rotation_;
  Kernel correlate_, find_;
  cl::Buffer correlation_, rotation_;
};

}  // namespace glcl::hough
