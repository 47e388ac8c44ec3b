// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scaleestimator.h"

#include <utility>

#include "opencl/buffer.h"

namespace glcl::hough {

namespace {

// A wrong rotation, in steps, which lies between the directions that pictures often have.
constexpr int wrong_rotation = 23;

}  // namespace

ScaleEstimator::ScaleEstimator(Context &context, const Program &program, bool against_chance)
    : against_chance_(against_chance),
      groups_(EdgePairs::groups(context.device())),
      vote_(context, program, "edge_pairs_scale", {EdgePairs::group_items(context.device()), 1}),
      find_(context, program, "edge_pairs_find_scale", {1, 1}),
      votes_(make_buffer(context.cl(), scales * sizeof(cl_uint))),
      chance_votes_(make_buffer(context.cl(), scales * sizeof(cl_uint))),
      scale_(make_buffer(context.cl(), 2 * sizeof(cl_uint))) {}

void ScaleEstimator::run(Queue &queue, const EdgePairs &before, const EdgePairs &after,
                         const cl::Buffer &rotation) {
  for (const auto &[votes, off] : {std::pair{&votes_, 0}, {&chance_votes_, wrong_rotation}}) {
    if (off && !against_chance_) continue;
    queue.cl().enqueueFillBuffer(*votes, cl_uint(0), 0, scales * sizeof(cl_uint));
    vote_(queue, {groups_ * vote_.group().x, 1}, before.edges(), before.pairs(),
          before.pair_begins(), before.width(), after.edges(), after.pairs(), after.pair_begins(),
          after.width(), rotation, off, *votes);
  }
  find_(queue, {1, 1}, votes_, against_chance_ ? chance_votes_ : votes_, int(against_chance_),
        scale_);
}

}  // namespace glcl::hough
