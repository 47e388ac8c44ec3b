// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "kernelform.h"
#include "opencl/context.h"
#include "opencl/kernel.h"
#include "opencl/plane.h"
#include "opencl/queue.h"
#include "points.h"

namespace glcl::klt {

/// Selects good features to track (Shi and Tomasi 1994) on the device. The gradient of the frame is
/// computed by a Gaussian of sigma 1 and its derivative over 7 px, and is 0 in a margin of 3 px.
/// The quality of a place is the smaller eigenvalue of the structure tensor over 7×7 px.
///
/// A place must be the maximum within min-distance (of equal ones the last in row order), outside
/// the margin, and not closer to a tracked point. Its quality must exceed three thresholds:
/// `quality` times the best, `min_eigenvalue`, and the effect of noise. The best places fill the
/// vacant slots, in order.
///
/// Only the selected places are sorted. Their smallest key is found by counting keys, 11 bits at a
/// time, so the list equals that of a full sort.
class Selection {
 public:
  struct Settings {
    double quality = 0.01;      ///< 0..1, of the best eigenvalue in the frame
    double min_eigenvalue = 1;  ///< levels²/px², summed over the window
    int min_distance = 3;       ///< px, 1..64
    int cells = 0;  ///< along each axis, each with its even share of the points at most; 0: none
  };
  static constexpr int rim = RIM;  ///< px

  /// For frames of width × height px. Throws Error::failed where the device refuses kernels or
  /// memory.
  Selection(Context &context, int width, int height);
  /// With parts of so many px: even, at least 8 by 8; parts of rows: multiples of 8.
  Selection(Context &context, int width, int height, KernelForm form, Size tile);

  /// After points.account(), which says whether points are wanted: enqueues their choice from a
  /// plane that is smoothed by a Gaussian of sigma 0.7 and repeats its edge. `features` as there;
  /// `noise` of the frame, as noise/bands.clh has it. `keep`: values() is to hold all eigenvalues.
  void run(Queue &queue, const Settings &settings, const Plane &plane, const cl::Buffer &noise,
           int features, Points &points, bool keep = false);
  /// The smaller eigenvalue of every pixel, float, where they were to be kept.
  const cl::Buffer &values() const { return values_; }
  /// The candidates of the last choice, as kernels/klt/points.clh has them, in no order.
  const cl::Buffer &keys() const { return keys_; }

 private:
  cl::Context context_;
  cl_int2 size_;
  Size tile_;
  float noise_gain_;  // the eigenvalue for noise of variance 1
  Kernel corners_, spacing_kernel_, cells_, select_, place_;
  cl::Buffer values_, none_, keys_, chosen_;
};

}  // namespace glcl::klt
