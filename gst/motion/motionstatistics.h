// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "compensation.h"
#include "noise/noise.h"

namespace glcl::motion {

/// The statistics of a frame.
struct MotionSummary {
  double mse = 0;                 ///< of the prediction, levels²
  double zero = 0;                ///< fraction of the cells with the vector 0
  double mean_x = 0, mean_y = 0;  ///< of the vectors, px
  double changed = 0;             ///< fraction of the pixels that changed by more than noise
  double explained = 0;           ///< fraction of these that the prediction matches; 0 without any
  double noise = 0;               ///< of the frames, standard deviation in levels
  int range = 0;  ///< of the search, px; if it adapts, the root mean square of its areas

  MotionSummary() = default;
  /// From the downloaded sums of MotionStatistics for a frame with this field.
  MotionSummary(const VectorField &field, int width, int height, const void *sums);
  double psnr() const;  ///< dB, relative to 255; infinite if mse is 0
  /// True if the vectors explain so little that they say nothing about the camera: less than half
  /// of the changed pixels, and the others cover over a fifth of the frame.
  bool fails() const;
};

/// Sums up the vectors of a frame and the errors of its prediction, for MotionSummary.
class MotionStatistics {
 public:
  static constexpr int parts = 256;  ///< sums of a group each; then noise and range
  static constexpr size_t bytes = (parts + 1) * SUM_VALUES * sizeof(cl_long);

  /// Throws Error::failed if the device refuses the kernel, cl::Error if it refuses memory.
  explicit MotionStatistics(Context &context);

  /// Enqueues the sums of a frame. `range_square`: an int on the device, the square of the range of
  /// the search; null if the field has the range.
  void run(Queue &queue, const SearchPlanes &planes, const LumaPlane &predicted,
           const VectorField &field, const cl::Buffer &vectors, const noise::Noise &noise,
           const cl::Buffer *range_square);
  const cl::Buffer &sums() const { return sums_; }

 private:
  Kernel kernel_;
  cl::Buffer sums_;
};

}  // namespace glcl::motion
