// SPDX-License-Identifier: LGPL-2.1-or-later
#include "still.h"

#include "search.h"

namespace glcl::motion {

glcl::Plane noise_plane(const Plane &plane) {
  return {plane.buffer, plane.pitch, Plane::padding * (plane.pitch + 1)};
}

Still::Still(Context &context, int block)
    : kernel_(context, context.program("motion/still.cl", area_options(block)), "motion_still",
              {32, 1}) {}

void Still::run(Queue &queue, const Plane &current, const Plane &reference, int lambda,
                const noise::Noise &noise, bool between, const cl::Buffer &keys,
                const cl::Buffer &kept, int columns, size_t count) {
  kernel_(queue, {count, 1}, current.buffer, reference.buffer, current.pitch, lambda,
          noise.variances(), noise.flicker(), cl_float(between), keys, kept, columns,
          static_cast<cl_int>(count));
}

}  // namespace glcl::motion
