// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "noise/noise.h"
#include "plane.h"

namespace glcl::motion {

/// A plane as noise::Noise takes it.
glcl::Plane noise_plane(const LumaPlane &plane);

/// Keeps noise from moving blocks: a key gets the vector 0 if its cost exceeds that of the best
/// vector by no more than noise, compression noise and renewed noise explain. The advantage of the
/// vector 0 fades out while the camera pans, because then blocks of little texture move as well.
/// docs/methods/motion.md has the condition and all thresholds.
class NoiseGate {
 public:
  NoiseGate() = default;
  /// `block` as for Search. Throws Error::failed where the device refuses the kernel.
  NoiseGate(Context &context, int block);

  /// Enqueues it for `count` keys in rows of `columns` blocks, into `kept`.
  void run(Queue &queue, const LumaPlane &current, const LumaPlane &reference, int lambda,
           const noise::Noise &noise, bool between, const cl::Buffer &keys, const cl::Buffer &kept,
           int columns, size_t count);

 private:
  Kernel kernel_;
};

}  // namespace glcl::motion
