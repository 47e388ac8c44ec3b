// SPDX-License-Identifier: LGPL-2.1-or-later
#include "subpel.h"

namespace glcl::motion {

Subpel::Subpel(Context &context, int block)
    : side_(block == Search::partitions ? 16 : block),
      across_(block == Search::partitions ? 16 : Plane::strip),
      wide_(context.device().prefers_buffers() ? 16 : 4) {
  planes_ = Kernel(context, context.program("motion/sixtap.cl", "-DV=" + std::to_string(wide_)),
                   "motion_half_planes", {32, 4});
  const std::string options = "-DB=" + std::to_string(side_);
  refine_ =
      Kernel(context,
             context.program("motion/subpel.cl",
                             block == Search::partitions ? options + " -DPARTITIONED" : options),
             "motion_subpel", {});
}

void Subpel::prepare(Queue &queue, const Plane &reference, const cl::Buffer &halves) {
  planes_(queue, {size_t(reference.pitch) / wide_, size_t(reference.rows + 7) / 8},
          reference.buffer, halves, reference.pitch, reference.rows,
          static_cast<cl_int>(reference.bytes()));
}

void Subpel::run(Queue &queue, const Plane &current, const Plane &reference,
                 const cl::Buffer &halves, int lambda, bool quarter, const cl::Buffer &keys) {
  const size_t groups = (current.width + across_ - 1) / across_;
  const size_t rows = (current.height + side_ - 1) / side_;
  const int columns = (current.width + side_ - 1) / side_;
  refine_(queue, {groups * refine_.group().x, rows}, current.buffer, reference.buffer, halves,
          current.pitch, static_cast<cl_int>(reference.bytes()), lambda, cl_int(quarter), keys,
          columns);
}

}  // namespace glcl::motion
