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
constexpr int wrong_turn = 23;
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
  turn_kernel_ = Kernel(context, program, "edge_pairs_find_rotation", {1, 1});
  scale_ = Kernel(context, program, "edge_pairs_scale", {items, 1});
  size_kernel_ = Kernel(context, program, "edge_pairs_find_scale", {1, 1});
  shift_ = Kernel(context, program, "edge_pairs_shift", {items, 1});
  fold_ = Kernel(context, program, "edge_pairs_sum_copies", {cpu ? 64u : 128u, 1});
  std::vector<cl_int2> turns;
  for (int size = 0; size < sizes; size++)
    for (int turn = 0; turn < steps; turn++) {
      const double by = unit * (5 + size) / 10, angle = turn * std::acos(-1.0) / steps;
      turns.push_back({{static_cast<cl_int>(std::lround(by * std::cos(angle))),
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
    turns_ = upload(turns);
    plane_ = upload(std::vector<cl_uint>{plane});
    agreement_ = buffer(steps * sizeof(cl_ulong));
    turn_ = buffer(sizeof(cl_int));
    size_votes_ = buffer(sizes * sizeof(cl_uint));
    size_ = buffer(2 * sizeof(cl_uint));
    place_votes_ = buffer(size_t(settings.copies) * plane * sizeof(cl_uint));
    place_ = buffer(2 * sizeof(cl_uint));
    chance_votes_ = buffer(sizes * sizeof(cl_uint));
  } catch (const cl::Error &error) {
    throw Error("Can't allocate memory for the votes of the Hough transform on " +
                    context.device().name + ".",
                error);
  }
}

void Transform::find_rotation(Queue &queue, const EdgePairs &before, const EdgePairs &after) {
  const size_t items = correlate_.group().x;
  correlate_(queue, {steps * items, 1}, before.space(), after.space(), agreement_,
             cl::Local(items * sizeof(cl_ulong)));
  turn_kernel_(queue, {1, 1}, agreement_, settings_.most_turn, turn_);
}

void Transform::find_scale(Queue &queue, const EdgePairs &before, const EdgePairs &after) {
  const bool against_chance = settings_.against_chance;
  for (const auto &[votes, off] : {std::pair{&size_votes_, 0}, {&chance_votes_, wrong_turn}}) {
    if (off && !against_chance) continue;
    queue.cl().enqueueFillBuffer(*votes, cl_uint(0), 0, sizes * sizeof(cl_uint));
    scale_(queue, {groups_ * scale_.group().x, 1}, before.edges(), before.pairs(),
           before.pair_begins(), before.width(), after.edges(), after.pairs(), after.pair_begins(),
           after.width(), turn_, off, *votes);
  }
  size_kernel_(queue, {1, 1}, size_votes_, against_chance ? chance_votes_ : size_votes_,
               int(against_chance), size_);
}

void Transform::find_position(Queue &queue, const EdgePairs &before, const EdgePairs &after) {
  const int fine = settings_.fine, copies = settings_.copies;
  const int columns = ((after.width() - 1) >> fine) + 1, lines = ((after.height() - 1) >> fine) + 1,
            plane = columns * lines;
  queue.cl().enqueueFillBuffer(place_votes_, cl_uint(0), 0,
                               size_t(copies) * plane * sizeof(cl_uint));
  shift_(queue, {groups_ * shift_.group().x, 1}, before.edges(), before.pairs(),
         before.pair_begins(), cl_int2{{before.width(), before.height()}}, after.edges(),
         after.pairs(), after.pair_begins(), cl_int2{{after.width(), after.height()}}, turns_,
         turn_, size_, fine, copies, plane, place_votes_);
  if (copies > 1) fold_(queue, {size_t(plane), 1}, place_votes_, copies, plane);
  argmax_.run(queue, place_votes_, plane_, place_);
}

void Transform::run(Queue &queue, const EdgePairs &before, const EdgePairs &after) {
  find_rotation(queue, before, after);
  find_scale(queue, before, after);
  find_position(queue, before, after);
}

}  // namespace glcl::hough
