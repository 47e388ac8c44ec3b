// SPDX-License-Identifier: LGPL-2.1-or-later
#include "hierarchical.h"

namespace glcl::motion {

namespace {

constexpr size_t most_rows = 256;  // of work-groups

Program program(Context &context, int block) {
  return context.program("motion/hierarchical.cl", area_options(block));
}

/// The global size for `groups` groups, in rows so that bands can divide the launch.
Size rows_of(const Kernel &kernel, size_t groups) {
  const size_t wide = (groups + most_rows - 1) / most_rows;
  return {wide * kernel.group().x, (groups + wide - 1) / wide};
}

}  // namespace

Hexagon::Hexagon(Context &context, int block)
    : kernel_(context, program(context, block), "motion_hexagon", {32, 1}) {
  kernel_.in_bands();
}

void Hexagon::run(Queue &queue, const LumaPlane &current, const LumaPlane &reference, int range,
                  int lambda, const cl::Buffer &keys, int columns, size_t count) {
  check_search(current, reference, SearchWindow::of_range(range), lambda);
  kernel_(queue, rows_of(kernel_, (count + kernel_.group().x - 1) / kernel_.group().x),
          current.buffer, reference.buffer, keys,
          KeySearch{current.pitch, lambda, range, columns, static_cast<cl_int>(count)});
}

Hierarchy::Hierarchy(Context &context, int block, int width, int height)
    : luma_(context, Layout::buffer),
      search_(context, COARSE_BLOCK),
      refine_coarse_(context, program(context, COARSE_BLOCK), "motion_refine_level", {}),
      refine_(context, program(context, block), "motion_refine_level", {}) {
  refine_coarse_.in_bands(), refine_.in_bands();
  for (SearchLevel &level : levels_) {
    width = (width + 1) / 2;
    height = (height + 1) / 2;
    level.current = make_plane(context.cl(), width, height);
    level.reference = make_plane(context.cl(), width, height);
    level.keys =
        cl::Buffer(context.cl(), CL_MEM_READ_WRITE, search_.keys(level.current) * sizeof(Key));
  }
}

void Hierarchy::run(Queue &queue, const LumaPlane &current, const LumaPlane &reference, int range,
                    int lambda, const cl::Buffer &keys, int columns, size_t count) {
  check_search(current, reference, SearchWindow::of_range(range), lambda);
  SearchLevel &half = levels_[0], &quarter = levels_[1];
  luma_.halve(queue, current, half.current);
  luma_.halve(queue, reference, half.reference);
  if (range <= 16) {
    search_.run(queue, half.current, half.reference, SearchWindow::of_range((range + 1) / 2),
                lambda, half.keys);
  } else {
    luma_.halve(queue, half.current, quarter.current);
    luma_.halve(queue, half.reference, quarter.reference);
    search_.run(queue, quarter.current, quarter.reference, SearchWindow::of_range((range + 3) / 4),
                lambda, quarter.keys);
    refine(queue, refine_coarse_, half.current, half.reference, (range + 1) / 2, lambda, half.keys,
           search_.columns(half.current), search_.keys(half.current), quarter);
  }
  refine(queue, refine_, current, reference, range, lambda, keys, columns, count, half);
}

void Hierarchy::refine(Queue &queue, Kernel &kernel, const LumaPlane &current,
                       const LumaPlane &reference, int range, int lambda, const cl::Buffer &keys,
                       int columns, size_t count, const SearchLevel &parent) {
  kernel(queue, rows_of(kernel, count), current.buffer, reference.buffer, keys, parent.keys,
         KeySearch{current.pitch, lambda, range, columns, static_cast<cl_int>(count)},
         cl_int2{{search_.columns(parent.current), search_.rows(parent.current)}});
}

}  // namespace glcl::motion
