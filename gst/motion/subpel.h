// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "search.h"

namespace glcl::motion {

/// Refines keys of whole pixels to half and quarter pixels: the least key of a vector and its eight
/// half-pixel neighbours, then of that one and its eight quarter-pixel neighbours. Between pixels
/// stand the samples of H.264 (ITU-T H.264, 8.4.2.2.1): six taps for half pixels, rounded means of
/// two samples for quarters. Where a key was no_key, the vector 0 is refined.
class Subpel {
 public:
  Subpel() = default;
  /// `block` as for Search. Throws Error::failed where the device refuses the kernels.
  Subpel(Context &context, int block);

  /// Enqueues the making of the reference's half-pixel planes, which run() and predictions read for
  /// vectors within ±range px and a pixel more.
  void prepare(Queue &queue, const LumaPlane &reference, int range, const cl::Buffer &halves);
  static size_t halves_bytes(const LumaPlane &plane) { return 3 * plane.bytes(); }

  /// Enqueues the refinement of `keys`, those of Search for these planes, in place; not beyond half
  /// pixels unless `quarter`.
  void run(Queue &queue, const LumaPlane &current, const LumaPlane &reference,
           const cl::Buffer &halves, int lambda, bool quarter, const cl::Buffer &keys);

 private:
  int side_ = 16;  // px
  int wide_ = 4;   // pixels along x of a work-item that makes half-pixel planes
  Kernel planes_, refine_;
};

}  // namespace glcl::motion
