// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "search.h"

namespace glcl::motion {

/// Refines keys of whole pixels to half and quarter pixels. It selects the least key of a vector
/// and its eight half-pixel neighbours, then of that and its eight quarter-pixel neighbours. The
/// samples between pixels are those of H.264 (ITU-T H.264, 8.4.2.2.1): six taps for half pixels,
/// rounded means of two samples for quarters. For no_key it refines the vector 0.
class Subpel {
 public:
  Subpel() = default;
  /// `block` as for Search. Throws Error::failed if the device refuses the kernels.
  Subpel(Context &context, int block);

  /// Enqueues the half-pixel planes of the reference, for vectors within ±(range + 1) px. run() and
  /// predictions read them. `halves`: halves_bytes() on the device.
  void prepare(Queue &queue, const LumaPlane &reference, int range, const cl::Buffer &halves);
  static size_t halves_bytes(const LumaPlane &plane) { return 3 * plane.bytes(); }

  /// Enqueues refining the `keys` of Search for these planes in place, to quarter pixels if
  /// `quarter`, else to half pixels.
  void run(Queue &queue, const LumaPlane &current, const LumaPlane &reference,
           const cl::Buffer &halves, int lambda, bool quarter, const cl::Buffer &keys);

 private:
  int side_ = 16;       // px
  int item_width_ = 4;  // px along x per work-item of motion_half_planes
  Kernel planes_, refine_;
};

}  // namespace glcl::motion
