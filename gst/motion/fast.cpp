// SPDX-License-Identifier: LGPL-2.1-or-later
#include "fast.h"

namespace glcl::motion {

namespace {

constexpr int coarse_block = 8;

Program program(Context &context, int block) {
  return context.program("motion/fast.cl", area_options(block));
}

}  // namespace

Hexagon::Hexagon(Context &context, int block)
    : kernel_(context, program(context, block), "motion_hexagon", {32, 1}) {}

void Hexagon::run(Queue &queue, const Plane &current, const Plane &reference, int range, int lambda,
                  const cl::Buffer &keys, int columns, size_t count) {
  check_search(current, reference, Window::of_range(range), lambda);
  kernel_(queue, {count, 1}, current.buffer, reference.buffer, current.pitch, lambda, range, keys,
          columns, static_cast<cl_int>(count));
}

Hierarchy::Hierarchy(Context &context, int block, int width, int height)
    : luma_(context, Layout::buffer),
      search_(context, coarse_block),
      follow_coarse_(context, program(context, coarse_block), "motion_follow", {}),
      follow_(context, program(context, block), "motion_follow", {}) {
  for (Level &level : levels_) {
    width = (width + 1) / 2;
    height = (height + 1) / 2;
    level.current = make_plane(context.cl(), width, height);
    level.reference = make_plane(context.cl(), width, height);
    level.keys =
        cl::Buffer(context.cl(), CL_MEM_READ_WRITE, search_.keys(level.current) * sizeof(Key));
  }
}

void Hierarchy::run(Queue &queue, const Plane &current, const Plane &reference, int range,
                    int lambda, const cl::Buffer &keys, int columns, size_t count) {
  check_search(current, reference, Window::of_range(range), lambda);
  Level &half = levels_[0], &quarter = levels_[1];
  luma_.halve(queue, current, half.current);
  luma_.halve(queue, reference, half.reference);
  if (range <= 16) {
    search_.run(queue, half.current, half.reference, Window::of_range((range + 1) / 2), lambda,
                half.keys);
  } else {
    luma_.halve(queue, half.current, quarter.current);
    luma_.halve(queue, half.reference, quarter.reference);
    search_.run(queue, quarter.current, quarter.reference, Window::of_range((range + 3) / 4),
                lambda, quarter.keys);
    follow(queue, follow_coarse_, half.current, half.reference, (range + 1) / 2, lambda, half.keys,
           search_.columns(half.current), search_.keys(half.current), quarter);
  }
  follow(queue, follow_, current, reference, range, lambda, keys, columns, count, half);
}

void Hierarchy::follow(Queue &queue, Kernel &kernel, const Plane &current, const Plane &reference,
                       int range, int lambda, const cl::Buffer &keys, int columns, size_t count,
                       const Level &parent) {
  kernel(queue, {count * kernel.group().x, 1}, current.buffer, reference.buffer, current.pitch,
         lambda, range, keys, columns, parent.keys, search_.columns(parent.current),
         search_.rows(parent.current));
}

}  // namespace glcl::motion
