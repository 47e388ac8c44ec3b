// SPDX-License-Identifier: LGPL-2.1-or-later
#include "positionestimator.h"

#include <array>
#include <cmath>
#include <vector>

#include "opencl/buffer.h"

namespace glcl::hough {

namespace {

constexpr double unit = 4096;  // of cosines in the kernels

std::vector<cl_int2> scaled_rotations() {
  std::vector<cl_int2> rotations;
  for (int scale = 0; scale < SCALES; scale++)
    for (int rotation = 0; rotation < EdgePairs::steps; rotation++) {
      const double by = unit * (5 + scale) / 10,
                   angle = rotation * std::acos(-1.0) / EdgePairs::steps;
      rotations.push_back({{static_cast<cl_int>(std::lround(by * std::cos(angle))),
                            static_cast<cl_int>(std::lround(by * std::sin(angle)))}});
    }
  return rotations;
}

}  // namespace

PositionEstimator::PositionEstimator(Context &context, const Program &program, int width,
                                     int height, int fine, int copies)
    : fine_(fine),
      copies_(copies),
      plane_((((width - 1) >> fine) + 1) * (((height - 1) >> fine) + 1)),
      groups_(EdgePairs::groups(context.device())),
      argmax_(context),
      vote_(context, program, "edge_pairs_shift", {EdgePairs::group_items(context.device()), 1}),
      sum_copies_(context, program, "edge_pairs_sum_copies",
                  {context.device().is_cpu() ? 64u : 128u, 1}),
      rotations_(upload_values(context.cl(), scaled_rotations())),
      plane_count_(upload_values(context.cl(), std::array{cl_uint(plane_)})),
      votes_(make_buffer(context.cl(), size_t(copies) * plane_ * sizeof(cl_uint))),
      position_(make_buffer(context.cl(), 2 * sizeof(cl_uint))) {}

void PositionEstimator::run(Queue &queue, const EdgePairs &before, const EdgePairs &after,
                            const cl::Buffer &rotation, const cl::Buffer &scale) {
  queue.cl().enqueueFillBuffer(votes_, cl_uint(0), 0, size_t(copies_) * plane_ * sizeof(cl_uint));
  vote_(queue, {groups_ * vote_.group().x, 1}, before.edges(), before.pairs(), before.pair_begins(),
        after.edges(), after.pairs(), after.pair_begins(), rotations_, rotation, scale,
        PositionVotes{{{before.width(), before.height()}},
                      {{after.width(), after.height()}},
                      fine_,
                      copies_,
                      plane_},
        votes_);
  if (copies_ > 1) sum_copies_(queue, {size_t(plane_), 1}, votes_, copies_, plane_);
  argmax_.run(queue, votes_, plane_count_, position_);
}

}  // namespace glcl::hough
