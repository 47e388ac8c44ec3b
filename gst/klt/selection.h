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
/// computed by a Gaussian of sigma 1 and its derivative over 7 px; it is 0 in a margin of 3 px. The
/// quality of a pixel is the smaller eigenvalue of the structure tensor over 7×7 px.
///
/// A candidate is the maximum within min-distance (of equal ones the last in row order), outside
/// the margin, and not closer to a tracked point. Its quality must exceed three thresholds:
/// `quality` times the best, `min_eigenvalue`, and the effect of noise. The best candidates fill
/// the vacant slots in order.
///
/// Only the selected candidates are sorted. Histograms of the keys, 11 bits at a time, find the
/// smallest key among them, so the list equals that of a full sort.
class Selection {
 public:
  struct Settings {
    double quality = 0.01;      ///< 0..1, relative to the best eigenvalue in the frame
    double min_eigenvalue = 1;  ///< levels²/px², summed over the window
    int min_distance = 3;       ///< px, 1..64
    int cells = 0;  ///< along each axis; each has at most an even share of the points; 0: off
  };
  static constexpr int margin = FRAME_MARGIN;  ///< px at the frame's edge without points

  /// For frames of width × height px. Throws Error::failed if the device refuses kernels, cl::Error
  /// if it refuses memory.
  Selection(Context &context, int width, int height);
  /// The same in this form with tiles of this size, px: even and at least 8; for rows a multiple of
  /// 8.
  Selection(Context &context, int width, int height, KernelForm form, Size tile);

  /// Enqueues the selection after points.update_slots(), which decides whether there is one.
  /// `plane`: smoothed by a Gaussian of sigma 0.7, with a border that repeats its edge. `noise`:
  /// see noise::Noise::variances(). `features`: as for update_slots(). `keep`: writes values().
  void run(Queue &queue, const Settings &settings, const Plane &plane, const cl::Buffer &noise,
           int features, Points &points, bool keep = false);
  /// The smaller eigenvalue of every pixel, float, after run() with `keep`.
  const cl::Buffer &values() const { return values_; }
  /// The keys of the last selection's candidates in any order; 0: beyond the share of its cell. See
  /// kernels/klt/points.clh.
  const cl::Buffer &keys() const { return keys_; }

 private:
  cl::Context context_;
  cl_int2 size_;
  Size tile_;
  float noise_gain_;  // the mean eigenvalue for noise of variance 1
  Kernel corners_, spacing_kernel_, cells_, select_, fill_slots_;
  cl::Buffer values_, unused_, keys_, selected_;
};

}  // namespace glcl::klt
