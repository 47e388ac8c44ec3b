// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "edgepairs.h"

namespace glcl::hough {

/// Estimates the scale between two pictures: pairs of the same kind vote by the ratio of their
/// lengths.
class ScaleEstimator {
 public:
  static constexpr int scales = SCALES;  ///< number of scales, 0.5 … 1.5

  /// `against_chance`: see Transform::Settings. Throws cl::Error.
  ScaleEstimator(Context &context, const Program &program, bool against_chance);

  /// `rotation`: see RotationEstimator::rotation().
  void run(Queue &queue, const EdgePairs &before, const EdgePairs &after,
           const cl::Buffer &rotation);

  /// The votes, uint per scale.
  const cl::Buffer &votes() const { return votes_; }
  /// The scale: two uint, its votes and its number.
  const cl::Buffer &scale() const { return scale_; }

 private:
  bool against_chance_;
  size_t groups_;
  Kernel vote_, find_;
  cl::Buffer votes_, chance_votes_, scale_;
};

}  // namespace glcl::hough
