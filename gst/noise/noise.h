// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "noise/interface.h"
#include "opencl/context.h"
#include "opencl/kernel.h"
#include "opencl/plane.h"
#include "opencl/queue.h"

namespace glcl::noise {

/// Measures the noise of a camera on the device, from two frames, static or moving: the noise
/// variance for 8 bands of brightness, compression noise (changes larger than a pixel), and
/// intra-frame flicker (an encoder renews all noise at its intra frames). For the flicker, the
/// caller counts the variance of unexplained changes in cells of about 16 px
/// (kernels/noise/flicker.clh). docs/methods/noise.md and docs/methods/encoders.md have the
/// formulas.
class Noise {
 public:
  /// The contents of the planes.
  enum class Texels {
    luma,      ///< uchar, levels as they came
    grey,      ///< float, levels smoothed by (1 6 1) / 8 along both axes; the noise is that before
    gaussian,  ///< as grey, but by a Gaussian of sigma 0.7 over 5 px
  };

  /// For planes of width × height px. Throws Error::failed if the device refuses kernels or
  /// memory.
  Noise(Context &context, Texels texels, int width, int height);

  /// Enqueues the measurement. At least one texel lies on every side of the frames. Frames below 16
  /// px on a side have no noise. `keep`: if no square has noise, as in repeated or black frames,
  /// the last value stays.
  void measure(Queue &queue, const Plane &before, const Plane &after, bool keep = false);
  /// The argument of measure_noise() of kernels/noise/measure.clh, for a kernel that includes the
  /// measurement, on planes of one layout. The groups, of NOISE_ITEMS items each, are one launch,
  /// and no other work precedes it in the queue.
  Squares prepare(Queue &queue, const Plane &plane);
  size_t groups() const;
  /// A NoiseTally.
  const cl::Buffer &tally() const { return tally_; }

  /// Enqueues setting the noise to `level`, the standard deviation in levels of 0..255, at every
  /// brightness, without compression noise and flicker.
  void set(Queue &queue, double level);

  /// True if the noise of the last frames was measured, not set.
  bool measured() const { return measured_; }

  /// A NoiseState: the variances, and the flicker with its counters for the next measurement.
  const cl::Buffer &state() const { return state_; }
  /// The same buffer, for kernels that read only the variances by noise/bands.clh.
  const cl::Buffer &variances() const { return state_; }
  /// Forgets the flicker: the next frames follow no others.
  void reset() { clears_flicker_ = true; }

 private:
  Texels texels_;
  int columns_ = 0, squares_ = 0, spacing_ = 0;
  bool clears_flicker_ = true;  // before the next measurement
  bool measured_ = false;
  void clear_flicker(Queue &queue);
  Kernel measure_;
  cl::Buffer tally_, state_;
};

}  // namespace glcl::noise
