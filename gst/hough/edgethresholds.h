// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <array>

#include "noise/noise.h"
#include "opencl/kernel.h"

namespace glcl::hough {

/// The thresholds of Canny for each level of luma. Automatic ones follow the noise, which it
/// measures between two pictures.
class EdgeThresholds {
 public:
  /// For pictures of width × height px. Throws Error::failed if the device refuses the kernels,
  /// cl::Error if it refuses memory.
  EdgeThresholds(Context &context, int width, int height);

  /// Enqueues the thresholds for the next picture. `low`, `high`: see Canny::Settings.
  void update(Queue &queue, double low, double high);
  /// Enqueues the measurement of the noise between the previous picture and this one, if its
  /// thresholds are automatic. Their luma() has to be written.
  void measure(Queue &queue);
  /// Forgets the luma of the previous picture, because the next one can't be compared with it.
  void forget_luma() { has_luma_ = false; }
  /// Forgets the measured noise, too.
  void reset() { has_luma_ = has_noise_ = false; }

  /// A uint2 per level of luma, see Canny::thresholds().
  const cl::Buffer &thresholds() const { return thresholds_; }
  const noise::Noise &noise() const { return noise_; }
  /// Where the kernel `canny_edges` writes the picture's luma, and the bytes from row to row; 0 if
  /// it need not write it.
  const cl::Buffer &luma() const { return luma_[current_]; }
  int pitch() const { return automatic_ ? pitch_ : 0; }

 private:
  Plane plane(int which) const { return {luma_[which], pitch_, pitch_ + 1}; }

  int pitch_;
  noise::Noise noise_;
  Kernel kernel_;
  cl::Buffer thresholds_, luma_[2];
  int current_ = 0;                     // index of the current picture's luma
  bool automatic_ = false;              // the current picture has automatic thresholds
  bool has_luma_ = false;               // the previous picture has its luma
  bool has_noise_ = false;              // the noise has a value
  std::array<double, 2> last_{-1, -1};  // low and high of thresholds_; below 0: automatic
};

}  // namespace glcl::hough
