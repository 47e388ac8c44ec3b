// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "opencl/context.h"
#include "opencl/kernel.h"
#include "opencl/plane.h"
#include "opencl/queue.h"

namespace glcl::noise {

/// How noisy the frames of a camera are, measured on the device from two of them, still or moving.
///
/// Squares of 16 px, at most about 2048 of them, say how noisy they are: the smaller of half the
/// variance of their change from frame to frame, and of the mean square response to the mask
/// (1 -2 1)ᵀ(1 -2 1) (Immerkær 1996) by what white noise gives it. The variance that a tenth of all
/// squares stay below counts, scaled to that of all where there is nothing but noise; so squares
/// full of texture in motion don't. It is found over all, and for 8 bands of brightness, since the
/// noise of a sensor grows with light.
///
/// Coding noise is what changes and the mask does not see, being larger than pixels: the mean over
/// the squares of the variance of the change less that by the mask, 0 … 0.5 levels² each; at least
/// 0.15 levels² in all.
class Noise {
 public:
  static constexpr int bands = 8;

  /// What the planes hold.
  enum class Texels {
    luma,  ///< uchar, levels as they came
    grey,  ///< float, levels smoothed by (1 6 1) / 8 along both axes; the noise is that before
    soft,  ///< as grey, but by a Gaussian of sigma 0.7 over 5 px
  };

  /// For planes of width × height px. Throws Error::failed where the device refuses kernels or
  /// memory.
  Noise(Context &context, Texels texels, int width, int height);

  /// Enqueues the measurement. At least one texel lies on every side of the frames. Frames below 16
  /// px on a side have no noise.
  void measure(Queue &queue, const Plane &before, const Plane &after);
  /// Enqueues that the noise is `level`, the standard deviation in levels of 0..255, at every
  /// brightness, without coding noise.
  void set(Queue &queue, double level);

  /// 2 + bands float on the device: the variance in levels² over all, by brightness, and of coding
  /// noise, as noise/bands.clh reads it.
  const cl::Buffer &variances() const { return variances_; }

 private:
  Texels texels_;
  int columns_ = 0, squares_ = 0, apart_ = 0;
  Kernel squares_kernel_, bands_kernel_;
  cl::Buffer found_, variances_;
};

}  // namespace glcl::noise
