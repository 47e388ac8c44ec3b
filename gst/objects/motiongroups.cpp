// SPDX-License-Identifier: LGPL-2.1-or-later
#include "motiongroups.h"

#include <algorithm>
#include <string>

#include "opencl/error.h"

namespace glcl::objects {

namespace {

constexpr int least_side = 16;  // px
constexpr int reach_part = 14;  // 1 / part of the short side within which blocks are one group
constexpr int most_blocks = 1 << 14;  // of a frame

/// A multiple of the frame's reduction.
int side_of(int width, int height, int reduction) {
  const auto blocks = [&](int side) {
    return size_t((width + side - 1) / side) * ((height + side - 1) / side);
  };
  int side = std::max(least_side / reduction, 1) * reduction;
  while (blocks(side) > most_blocks) side += reduction;
  return side;
}

}  // namespace

MotionGroups::MotionGroups(Context &context, int width, int height,
                           const camera::FrameGeometry &frame) {
  const auto reduction = std::max(static_cast<int>(frame.reduction), 1);
  const int side = side_of(width, height, reduction);
  grid_.side = side;
  grid_.reduced_side = side / reduction;
  grid_.blocks = {{(width + side - 1) / side, (height + side - 1) / side}};
  grid_.size = {{width, height}};
  grid_.reduced_size = frame.size;
  grid_.reach = std::max(std::min(width, height) / (reach_part * side), 1);
  const size_t items = context.device().is_cpu() ? 1 : 32;
  const Program program =
      context.program("objects/motiongroups.cl", "-DITEMS=" + std::to_string(items));
  const Size rows = context.device().is_cpu() ? Size{64, 1} : Size{32, 2};
  motion_kernel_ = Kernel(context, program, "objects_block_motion", {items, 1});
  join_ = Kernel(context, program, "objects_join_blocks", rows);
  count_ = Kernel(context, program, "objects_count_blocks", rows);
  number_ = Kernel(context, program, "objects_number_blocks", rows);
  const size_t blocks = size_t(grid_.blocks.s[0]) * grid_.blocks.s[1];
  const auto make = [&](size_t bytes) {
    return cl::Buffer(context.cl(), CL_MEM_READ_WRITE, blocks * bytes);
  };
  try {
    motions_ = make(sizeof(cl_float2));
    labels_ = make(sizeof(cl_int));
    sizes_ = make(sizeof(cl_int));
    groups_ = make(sizeof(cl_int));
    first_cells_ = make(sizeof(cl_int));
  } catch (const cl::Error &error) {
    throw Error("Can't allocate memory for object detection on " + context.device().name + ".",
                error);
  }
}

void MotionGroups::run(Queue &queue, const motion::BlockMotion &motion, const cl::Buffer &state,
                       const cl::Buffer &foreground, bool first) {
  if (first) return clear(queue);
  cleared_ = false;
  const motion::VectorField &field = motion.field();
  grid_.pitch = motion.current().pitch;
  grid_.cell = field.cell;
  grid_.cells = {{field.columns, field.rows}};
  const Size blocks{size_t(grid_.blocks.s[0]), size_t(grid_.blocks.s[1])};
  motion_kernel_(queue, {blocks.x * motion_kernel_.group().x, blocks.y}, motion.current().buffer,
                 motion.reference().buffer, motion.vectors(), state, foreground, motions_, labels_,
                 sizes_, grid_);
  join_(queue, blocks, motions_, labels_, grid_);
  count_(queue, blocks, labels_, sizes_, grid_);
  number_(queue, blocks, labels_, sizes_, groups_, first_cells_, grid_);
}

void MotionGroups::clear(Queue &queue) {
  if (cleared_) return;
  const size_t bytes = size_t(grid_.blocks.s[0]) * grid_.blocks.s[1] * sizeof(cl_int);
  queue.cl().enqueueFillBuffer(groups_, cl_int(0), 0, bytes);
  cleared_ = true;
}

}  // namespace glcl::objects
