// SPDX-License-Identifier: LGPL-2.1-or-later
#include "compensation.h"

#include "opencl/buffer.h"
#include "subpel.h"

namespace glcl::motion {

MotionCompensation::MotionCompensation(Context &context, int width, int height)
    : predict_(context, context.program("motion/field.cl"), "motion_predict", {32, 4}),
      predicted_(make_plane(context.cl(), width, height)),
      halves_(make_buffer(context.cl(), Subpel::halves_bytes(predicted_))) {}

void MotionCompensation::run(Queue &queue, const SearchPlanes &planes, const VectorField &field,
                             const cl::Buffer &vectors) {
  const int width = predicted_.width, height = predicted_.height;
  predict_(queue, {size_t(width + 3) / 4, size_t(height)}, planes.reference.buffer, halves_,
           planes.current.pitch, static_cast<cl_int>(planes.current.bytes()), vectors, field.cell,
           field.columns, predicted_.buffer, width, height);
}

}  // namespace glcl::motion
