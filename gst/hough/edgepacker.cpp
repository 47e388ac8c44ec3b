// SPDX-License-Identifier: LGPL-2.1-or-later
#include "edgepacker.h"

#include "opencl/buffer.h"
#include "searchgrid.h"

namespace glcl::hough {

EdgePacker::EdgePacker(Context &context, int width, int height)
    : size_{{width, height}}, context_(context.cl()) {
  const Program rows =
      context.program("hough/objects.cl", one_group_option(context.device().device));
  rows_kernel_ = Kernel(context, rows, "edge_rows", {64, 1});
  const Program packing = match_program(context);
  spread_ = Kernel(context, packing, "match_spread", {64, 1});
  pack_ = Kernel(context, packing, "match_pack", {64, 1});
  edge_count_ = make_buffer(context_, sizeof(cl_uint));
  rows_ = make_buffer(context_, size_t(width) * height * sizeof(cl_ushort));
}

void EdgePacker::spread_rows(Queue &queue, const cl::Buffer &edges, const Rect &region,
                             int half_width) {
  queue.cl().enqueueFillBuffer(edge_count_, cl_uint(0), 0, sizeof(cl_uint));
  rows_kernel_(queue, {size_t(size_.s[0]), size_t(size_.s[1])}, edges, size_,
               cl_int4{{region.x, region.y, region.right(), region.bottom()}}, half_width, rows_,
               edge_count_);
}

void EdgePacker::pack(Queue &queue, const SearchGrid &grid) {
  const size_t positions = size_t(grid.columns) * grid.lines * grid.cell * grid.cell,
               words = size_t(grid.all_words);
  ensure_size(map_, context_, positions * sizeof(cl_ushort));
  ensure_size(bits_, context_, DIRECTIONS * words * sizeof(cl_uint));
  spread_(queue, {positions, 1}, rows_, map_, grid, size_);
  pack_(queue, {words, 1}, map_, bits_, grid);
}

}  // namespace glcl::hough
