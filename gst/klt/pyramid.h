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

/// Computes pyramids of frames. The finest level is grey, (R + G + B) / 3 in levels 0..255, float,
/// smoothed by a Gaussian of sigma 0.7 over 5 px. Each coarser level is the finer one smoothed by
/// (1 4 6 4 1) / 16; its texel i lies at texel 2 i of that level. A border of 2 texels around each
/// level repeats its edge.
class Pyramids {
 public:
  /// The maximum number of levels for frames of this size, at most `most`. The short side of each
  /// coarser level is at least 8 texels.
  static int most_levels(int width, int height);
  static constexpr int most = 6;

  /// A level in the buffer of a pyramid, in the layout of the kernels; all in texels.
  struct PyramidLevel {
    int width, height, pitch, offset;
    cl_int4 cl() const { return {{width, height, pitch, offset}}; }
  };

  /// For frames of width × height px. Throws Error::failed if the device refuses kernels, cl::Error
  /// if it refuses memory.
  Pyramids(Context &context, int width, int height, const FrameFormat &frame);
  Pyramids(Context &context, int width, int height, const FrameFormat &frame, KernelForm form);

  /// Changes the pixel format of the next frames; pyramids remain comparable. Throws Error::failed
  /// if the device refuses kernels.
  void set_format(Context &context, const FrameFormat &frame);
  /// Allocates a buffer for a pyramid. Throws cl::Error.
  cl::Buffer make() const;
  /// Enqueues computing the `levels` finest levels of a frame, 1 … levels().size().
  void build(Queue &queue, const Picture &in, int levels, const cl::Buffer &pyramid);

  /// Texels of all levels with their borders, a multiple of 16.
  size_t texels() const { return texels_; }
  const std::vector<PyramidLevel> &levels() const { return levels_; }
  /// A cl_int4 and a Gain per level.
  const cl::Buffer &level_table() const { return level_table_; }
  const cl::Buffer &gain_table() const { return gain_table_; }
  /// The Gain of the finest level.
  const Gain &gain() const { return gain_; }
  /// The finest level of a pyramid.
  Plane plane(const cl::Buffer &pyramid) const {
    return {pyramid, levels_[0].pitch, levels_[0].offset};
  }

 private:
  cl::Context context_;
  KernelForm form_;
  Size tile_;
  std::vector<PyramidLevel> levels_;
  size_t texels_ = 0;
  cl::Buffer level_table_, gain_table_;
  Gain gain_{};
  Kernel fine_, coarse_;
};

}  // namespace glcl::klt
