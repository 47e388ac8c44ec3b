// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <vector>

#include "kernelform.h"
#include "klt/interface.h"
#include "opencl/context.h"
#include "opencl/kernel.h"
#include "opencl/picture.h"
#include "opencl/plane.h"
#include "opencl/queue.h"

namespace glcl::klt {

/// Pyramids of frames: (R + G + B) / 3 in levels of 0..255, float, smoothed by a Gaussian of sigma
/// 0.7 over 5 px (the survey's taps), then each level from the finer one by (1 4 6 4 1) / 16 at
/// every second texel: texel i lies at texel 2 i of the finer level. 2 texels around each level
/// repeat its edge.
class Pyramids {
 public:
  /// How many levels frames of this size have at most: the short side of the last one is at least 8
  /// texels.
  static int most_levels(int width, int height);
  static constexpr int most = 6;

  /// A level in its buffer, as the kernels have it; all in texels.
  struct PyramidLevel {
    int width, height, pitch, offset;
    cl_int4 cl() const { return {{width, height, pitch, offset}}; }
  };

  /// For frames of width × height px. Throws Error::failed where the device refuses kernels or
  /// memory.
  Pyramids(Context &context, int width, int height, const FrameFormat &frame);
  Pyramids(Context &context, int width, int height, const FrameFormat &frame, KernelForm form);

  /// A buffer for a pyramid.
  cl::Buffer make() const;
  /// Enqueues the `levels` finest levels of a frame, 1 to levels().size().
  void build(Queue &queue, const Picture &in, int levels, const cl::Buffer &pyramid);

  /// Texels of all levels with their borders, a multiple of 16.
  size_t texels() const { return texels_; }
  const std::vector<PyramidLevel> &levels() const { return levels_; }
  /// cl_int4 and Gain of every level.
  const cl::Buffer &level_table() const { return level_table_; }
  const cl::Buffer &gain_table() const { return gain_table_; }
  /// That of the finest level.
  const Gain &gain() const { return gain_; }
  Plane plane(const cl::Buffer &pyramid) const {
    return {pyramid, levels_[0].pitch, levels_[0].offset};
  }

 private:
  cl::Context context_;
  Size tile_;
  std::vector<PyramidLevel> levels_;
  size_t texels_ = 0;
  cl::Buffer level_table_, gain_table_;
  Gain gain_{};
  Kernel fine_, coarse_;
};

}  // namespace glcl::klt
