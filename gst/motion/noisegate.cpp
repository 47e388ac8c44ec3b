// SPDX-License-Identifier: LGPL-2.1-or-later
#include "noisegate.h"

#include "search.h"

namespace glcl::motion {

glcl::Plane noise_plane(const LumaPlane &plane) {
  return {plane.buffer, plane.pitch, LumaPlane::padding * (plane.pitch + 1)};
}

NoiseGate::NoiseGate(Context &context, int block)
    : kernel_(context, context.program("motion/noisegate.cl", area_options(block)),
              "motion_noise_gate", {32, 1}) {}

void NoiseGate::run(Queue &queue, const LumaPlane &current, const LumaPlane &reference, int lambda,
                    const noise::Noise &noise, bool subpel, const cl::Buffer &keys,
                    const cl::Buffer &gated, int columns, size_t count) {
  kernel_(queue, {count, 1}, current.buffer, reference.buffer, noise.state(), keys, gated,
          KeySearch{current.pitch, lambda, 0, columns, static_cast<cl_int>(count)},
          cl_float(subpel));
}

}  // namespace glcl::motion
