// SPDX-License-Identifier: LGPL-2.1-or-later
#include "hysteresis.h"

#include "opencl/buffer.h"

namespace glcl::hough {

namespace {

/// Pixels per item of canny_join and canny_keep. On GPUs an item waits at each pixel that it joins.
constexpr size_t join_span = 2, keep_span = 8;

size_t divide_up(size_t length, size_t part) { return (length + part - 1) / part; }

}  // namespace

Hysteresis::Hysteresis(Context &context, int width, int height, bool rows, Size group, Size tile)
    : size_{{width, height}},
      rows_(rows),
      group_(group),
      tile_(tile),
      runs_(static_cast<int>(divide_up(size_t(width), 16))),
      context_(context.cl()),
      labels_(make_buffer(context_, sizeof(cl_uint))),
      has_weak_(make_buffer(context_, rows ? size_t(runs_) * height : 1)) {}

void Hysteresis::set_program(Context &context, const Program &edges) {
  const Program pixels = context.program("hough/canny.cl");
  join_ = rows_ ? Kernel(context, edges, "canny_join_rows", group_)
                : Kernel(context, pixels, "canny_join", {128, 1});
  keep_ = rows_ ? Kernel(context, edges, "canny_keep_rows", {16, 1})
                : Kernel(context, pixels, "canny_keep", {128, 1});
}

void Hysteresis::prepare() {
  ensure_size(labels_, context_, size_t(size_.s[0]) * size_.s[1] * sizeof(cl_uint));
}

void Hysteresis::run(Queue &queue, const cl::Buffer &edges) {
  const auto width = size_t(size_.s[0]), height = size_t(size_.s[1]);
  if (rows_) {
    const Size groups{divide_up(width, tile_.x) * join_.group().x,
                      divide_up(height, tile_.y) * join_.group().y};
    join_(queue, groups, edges, size_, labels_, has_weak_, runs_);
    keep_(queue, {height, 1}, edges, size_, labels_, has_weak_, runs_);
  } else {
    const cl_int2 tile{{static_cast<int>(tile_.x), static_cast<int>(tile_.y)}};
    join_(queue, {divide_up(width * height, join_span), 1}, edges, size_, tile, labels_);
    keep_(queue, {divide_up(width * height, keep_span), 1}, edges, size_, labels_);
  }
}

}  // namespace glcl::hough
