// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "noise/noise.h"

namespace glcl::klt {

/// The noise of the frames: a given level, or measured between two frames. It is measured in each
/// of the first 8 frames that have a predecessor, then in every 11th.
class FrameNoise {
 public:
  /// For frames of width × height px. Throws as noise::Noise does.
  FrameNoise(Context &context, int width, int height)
      : noise_(context, noise::Noise::Texels::gaussian, width, height) {}

  /// Enqueues the noise of the next frame. `level`: standard deviation; below 0: measured.
  /// `frames`: the number since the first frame, 0 for the first one, which has no `previous`.
  /// Returns true if it set a level; then the noise says nothing about the previous frame.
  bool update(Queue &queue, double level, int frames, const Plane &previous, const Plane &current);

  /// See noise::Noise::variances().
  const cl::Buffer &variances() const { return noise_.variances(); }
  /// False while the noise is neither given nor measured.
  bool known() const { return known_; }

 private:
  noise::Noise noise_;
  bool known_ = false;
  double level_ = -1;  // that noise_ was set to; below 0: measured
};

}  // namespace glcl::klt
