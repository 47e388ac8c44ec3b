// SPDX-License-Identifier: LGPL-2.1-or-later
#include "movededges.h"

#include "opencl/buffer.h"

namespace glcl::hough {

namespace {

constexpr size_t vote_groups = 32, shifts = 2 * MOST_SHIFT + 1;

}  // namespace

MovedEdges::MovedEdges(Context &context, int width, int height)
    : size_{{width, height}},
      areas_(make_buffer(context.cl(), areas_count * sizeof(AreaEdges))),
      votes_(make_buffer(context.cl(), shifts * shifts * sizeof(cl_uint))) {
  const bool cpu = context.device().is_cpu();
  const Program program = context.program("hough/movededges.cl");
  sample_ = Kernel(context, program, "moved_edges_sample", {cpu ? 1u : 32u, 1});
  vote_ = Kernel(context, program, "moved_edges_vote", {cpu ? 1u : 64u, 1});
  align_ = Kernel(context, program, "moved_edges_align", {cpu ? 16u : 256u, 1});
}

void MovedEdges::run(Queue &queue, const cl::Buffer &before, const cl::Buffer &after,
                     const Rect &region, const cl::Buffer &motion) {
  const cl_int4 part{{region.x, region.y, region.right(), region.bottom()}};
  sample_(queue, {areas_count * sample_.group().x, 1}, before, after, size_, part, motion, areas_,
          votes_, cl::Local(sample_.group().x * sizeof(cl_uint)));
  vote_(queue, {vote_groups * vote_.group().x, 1}, before, after, size_, areas_, votes_);
  align_(queue, align_.group(), before, after, size_, areas_, votes_, motion,
         cl::Local(FIT_SUMS * align_.group().x * sizeof(cl_float)));
}

}  // namespace glcl::hough
