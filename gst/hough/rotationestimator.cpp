// SPDX-License-Identifier: LGPL-2.1-or-later
#include "rotationestimator.h"

#include "opencl/buffer.h"

namespace glcl::hough {

RotationEstimator::RotationEstimator(Context &context, const Program &program, int max_rotation)
    : max_rotation_(max_rotation),
      correlate_(context, program, "edge_pairs_correlate",
                 {EdgePairs::group_items(context.device()), 1}),
      find_(context, program, "edge_pairs_find_rotation", {1, 1}),
      correlation_(make_buffer(context.cl(), EdgePairs::steps * sizeof(cl_ulong))),
      rotation_(make_buffer(context.cl(), sizeof(cl_int))) {}

void RotationEstimator::run(Queue &queue, const EdgePairs &before, const EdgePairs &after) {
  const size_t items = correlate_.group().x;
  correlate_(queue, {EdgePairs::steps * items, 1}, before.space(), after.space(), correlation_,
             cl::Local(items * sizeof(cl_ulong)));
  find_(queue, {1, 1}, correlation_, max_rotation_, rotation_);
}

}  // namespace glcl::hough
