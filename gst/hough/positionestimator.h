// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "edgepairs.h"

namespace glcl::hough {

/// Estimates where the middle of the first picture lies in the second one: the edges of pairs of
/// the same kind vote, rotated and scaled.
class PositionEstimator {
 public:
  /// For second pictures of width × height px. `fine`, `copies`: see Transform::Settings. Throws
  /// cl::Error.
  PositionEstimator(Context &context, const Program &program, int width, int height, int fine,
                    int copies);

  /// `rotation`, `scale`: see RotationEstimator and ScaleEstimator.
  void run(Queue &queue, const EdgePairs &before, const EdgePairs &after,
           const cl::Buffer &rotation, const cl::Buffer &scale);

  /// An int2 per scale and rotation: cosine and sine, multiplied by the scale and 4096.
  const cl::Buffer &rotations() const { return rotations_; }
  /// The votes, uint per position.
  const cl::Buffer &votes() const { return votes_; }
  /// The position: two uint, its votes and its number, row by row.
  const cl::Buffer &position() const { return position_; }

 private:
  int fine_, copies_, plane_;  // log2 of the side of a position, px; see PositionVotes
  size_t groups_;
  Argmax argmax_;
  Kernel vote_, sum_copies_;
  cl::Buffer rotations_, plane_count_, votes_, position_;
};

}  // namespace glcl::hough
