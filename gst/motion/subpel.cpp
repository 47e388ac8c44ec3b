// SPDX-License-Identifier: LGPL-2.1-or-later
#include "subpel.h"

namespace glcl::motion {

Subpel::Subpel(Context &context, int block)
    : side_(block == Search::partitions ? 16 : block),
      item_width_(context.device().prefers_buffers() ? 16 : 4) {
  planes_ =
      Kernel(context, context.program("motion/sixtap.cl", "-DV=" + std::to_string(item_width_)),
             "motion_half_planes", {32, 4});
  const std::string options = "-DB=" + std::to_string(side_);
  refine_ =
      Kernel(context,
             context.program("motion/subpel.cl",
                             block == Search::partitions ? options + " -DPARTITIONED" : options),
             "motion_subpel", {});
  refine_.in_bands();
}

void Subpel::prepare(Queue &queue, const LumaPlane &reference, int range,
                     const cl::Buffer &halves) {
  constexpr int unit = 16, beyond = 4;  // px; `beyond`: margin around the range
  const int edge = (LumaPlane::padding - range - beyond) / unit * unit;
  planes_(queue,
          {size_t(reference.pitch - 2 * edge) / item_width_,
           size_t(reference.rows - 2 * edge + HALF_PLANE_ROWS - 1) / HALF_PLANE_ROWS},
          reference.buffer, halves, reference.pitch, reference.rows,
          static_cast<cl_int>(reference.bytes()), edge);
}

void Subpel::run(Queue &queue, const LumaPlane &current, const LumaPlane &reference,
                 const cl::Buffer &halves, int lambda, bool quarter, const cl::Buffer &keys) {
  const size_t groups = (current.width + LumaPlane::strip - 1) / LumaPlane::strip;
  const size_t rows = (current.height + side_ - 1) / side_;
  const int columns = (current.width + side_ - 1) / side_;
  refine_(queue, {groups * refine_.group().x, rows}, current.buffer, reference.buffer, halves,
          current.pitch, static_cast<cl_int>(reference.bytes()), lambda, cl_int(quarter), keys,
          columns);
}

}  // namespace glcl::motion
