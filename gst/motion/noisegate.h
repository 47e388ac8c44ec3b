// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "noise/noise.h"
#include "plane.h"

namespace glcl::motion {

/// The plane in the form that noise::Noise needs.
glcl::Plane noise_plane(const LumaPlane &plane);

/// Keeps noise from moving blocks. A key gets the vector 0 unless the best vector reduces the cost
/// by more than noise, compression noise and intra-frame flicker explain. The advantage of the
/// vector 0 fades out while the camera pans, because then blocks of little texture move as well.
/// docs/methods/motion.md has the condition and all thresholds.
class NoiseGate {
 public:
  NoiseGate() = default;
  /// `block` as for Search. Throws Error::failed if the device refuses the kernel.
  NoiseGate(Context &context, int block);

  /// Enqueues copying `count` keys, in rows of `columns` blocks, from `keys` to `gated` with
  /// vectors 0 where noise explains the motion. `subpel`: the keys may have fractions of pixels.
  void run(Queue &queue, const LumaPlane &current, const LumaPlane &reference, int lambda,
           const noise::Noise &noise, bool subpel, const cl::Buffer &keys, const cl::Buffer &gated,
           int columns, size_t count);

 private:
  Kernel kernel_;
};

}  // namespace glcl::motion
