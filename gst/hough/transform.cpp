// SPDX-License-Identifier: LGPL-2.1-or-later
#include "transform.h"

#include <cmath>
#include <utility>
#include <vector>

#include "opencl/error.h"

namespace glcl::hough {

namespace {

constexpr int steps = EdgePairs::steps;
// A wrong rotation, in steps, which lies between the directions that pictures often have.
constexpr int wrong_rotation = 23;
constexpr double unit = 4096;  // of cosines in the kernels

}  // namespace

Transform::Transform(Context &context, int width, int height, const Settings &settings,
                     EdgePairs::Form form)
    : settings_(settings), argmax_(context) {
  const bool cpu = context.device().is_cpu();
  const size_t items = cpu ? 1 : 128;
  groups_ = cpu ? 64 : 1024;
  const Program program = context.program("hough/edgepairs.cl", "-DFORM=" + std::to_string(form));
  correlate_ = Kernel(context, program, "edge_pairs_correlate", {items, 1});
  find_rotation_ = Kernel(context, program, "edge_pairs_find_rotation", {1, 1});
  vote_scales_ = Kernel(context, program, "edge_pairs_scale", {items, 1});
  find_scale_ = Kernel(context, program, "edge_pairs_find_scale", {1, 1});
  vote_positions_ = Kernel(context, program, "edge_pairs_shift", {items, 1});
  sum_copies_ = Kernel(context, program, "edge_pairs_sum_copies", {cpu ? 64u : 128u, 1});
  std::vector<cl_int2> rotations;
  for (int scale = 0; scale < scales; scale++)
    for (int rotation = 0; rotation < steps; rotation++) {
      const double by = unit * (5 + scale) / 10, angle = rotation * std::acos(-1.0) / steps;
      rotations.push_back({{static_cast<cl_int>(std::lround(by * std::cos(angle))),
                            static_cast<cl_int>(std::lround(by * std::sin(angle)))}});
    }
  const auto upload = [&](const auto &values) {
    return cl::Buffer(context.cl(), CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                      values.size() * sizeof values[0],
                      const_cast<void *>(static_cast<const void *>(values.data())));
  };
  const auto buffer = [&](size_t bytes) {
    return cl::Buffer(context.cl(), CL_MEM_READ_WRITE, bytes);
  };
  try {
    const int fine = settings.fine;
    const cl_uint plane = cl_uint(((width - 1) >> fine) + 1) * (((height - 1) >> fine) + 1);
    rotations_ = upload(rotations);
    plane_ = upload(std::vector<cl_uint>{plane});
    correlation_ = buffer(steps * sizeof(cl_ulong));
    rotation_ = buffer(sizeof(cl_int));
    scale_votes_ = buffer(scales * sizeof(cl_uint));
    scale_ = buffer(2 * sizeof(cl_uint));
    position_votes_ = buffer(size_t(settings.copies) * plane * sizeof(cl_uint));
    position_ = buffer(2 * sizeof(cl_uint));
    chance_votes_ = buffer(scales * sizeof(cl_uint));
  } catch (const cl::Error &error) {
    throw Error("Can't allocate memory for the votes of the Hough transform on " +
                    context.device().name + ".",
                error);
  }
}

void Transform::find_rotation(Queue &queue, const EdgePairs &before, const EdgePairs &after) {
  const size_t items = correlate_.group().x;
  correlate_(queue, {steps * items, 1}, before.space(), after.space(), correlation_,
             cl::Local(items * sizeof(cl_ulong)));
  find_rotation_(queue, {1, 1}, correlation_, settings_.max_rotation, rotation_);
}

void Transform::find_scale(Queue &queue, const EdgePairs &before, const EdgePairs &after) {
  const bool against_chance = settings_.against_chance;
  for (const auto &[votes, off] : {std::pair{&scale_votes_, 0}, {&chance_votes_, wrong_rotation}}) {
    if (off && !against_chance) continue;
    queue.cl().enqueueFillBuffer(*votes, cl_uint(0), 0, scales * sizeof(cl_uint));
    vote_scales_(queue, {groups_ * vote_scales_.group().x, 1}, before.edges(), before.pairs(),
                 before.pair_begins(), before.width(), after.edges(), after.pairs(),
                 after.pair_begins(), after.width(), rotation_, off, *votes);
  }
  find_scale_(queue, {1, 1}, scale_votes_, against_chance ? chance_votes_ : scale_votes_,
              int(against_chance), scale_);
}

void Transform::find_position(Queue &queue, const EdgePairs &before, const EdgePairs &after) {
  const int fine = settings_.fine, copies = settings_.copies;
  const int columns = ((after.width() - 1) >> fine) + 1, lines = ((after.height() - 1) >> fine) + 1,
            plane = columns * lines;
  queue.cl().enqueueFillBuffer(position_votes_, cl_uint(0), 0,
                               size_t(copies) * plane * sizeof(cl_uint));
  vote_positions_(queue, {groups_ * vote_positions_.group().x, 1}, before.edges(), before.pairs(),
                  before.pair_begins(), after.edges(), after.pairs(), after.pair_begins(),
                  rotations_, rotation_, scale_,
                  PositionVotes{{{before.width(), before.height()}},
                                {{after.width(), after.height()}},
                                fine,
                                copies,
                                plane},
                  position_votes_);
  if (copies > 1) sum_copies_(queue, {size_t(plane), 1}, position_votes_, copies, plane);
  argmax_.run(queue, position_votes_, plane_, position_);
}

void Transform::run(Queue &queue, const EdgePairs &before, const EdgePairs &after) {
  find_rotation(queue, before, after);
  find_scale(queue, before, after);
  find_position(queue, before, after);
}

}  // namespace glcl::hough
