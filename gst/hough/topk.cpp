// SPDX-License-Identifier: LGPL-2.1-or-later
#include "topk.h"

#include <string>

#include "hough/interface.h"
#include "opencl/error.h"

namespace glcl::hough {

TopK::TopK(Context &context, int shift, int strengths, int wanted, size_t capacity)
    : strengths_(strengths),
      keys_count_(1 << shift),
      capacity_(capacity),
      blocks_(Blocks::of(context.device())) {
  const Program program =
      context.program("hough/topk.cl", "-DSHIFT=" + std::to_string(shift) +
                                           " -DSTRENGTHS=" + std::to_string(strengths) +
                                           " -DWANTED=" + std::to_string(wanted));
  const Size group{blocks_.items, 1};
  strengths_kernel_ = Kernel(context, program, "top_k_strengths", group);
  count_ = Kernel(context, program, "top_k_count", group);
  move_ = Kernel(context, program, "top_k_move", group);
  const auto buffer = [&](size_t count) {
    return cl::Buffer(context.cl(), CL_MEM_READ_WRITE, count * sizeof(cl_uint));
  };
  try {
    strengths_buffer_ = buffer(strengths);
    stronger_ = buffer(blocks_.groups);
    equal_ = buffer(blocks_.groups);
    keys_ = buffer(capacity);
    indices_ = buffer(capacity);
    counts_ = buffer(2);
    histogram_ = buffer(keys_count_);
  } catch (const cl::Error &error) {
    throw Error("Can't allocate memory for lists on " + context.device().name + ".", error);
  }
}

void TopK::run(Queue &queue, const cl::Buffer &map, int width, int height, const Rect &region) {
  const TopKSearch search{{{region.x, region.y, region.right(), region.bottom()}},
                          {{width, height}},
                          static_cast<cl_uint>(capacity_),
                          keys_count_};
  const auto items = [&](const Kernel &kernel) {
    return Size{blocks_.groups * kernel.group().x, 1};
  };
  const auto sums = [](const Kernel &kernel) {
    return cl::Local(kernel.group().x * sizeof(cl_uint4));
  };
  queue.cl().enqueueFillBuffer(strengths_buffer_, cl_uint(0), 0, strengths_ * sizeof(cl_uint));
  strengths_kernel_(queue, items(strengths_kernel_), map, strengths_buffer_, search);
  count_(queue, items(count_), map, strengths_buffer_, stronger_, equal_, histogram_, search,
         sums(count_));
  move_(queue, items(move_), map, strengths_buffer_, stronger_, equal_, keys_, indices_, counts_,
        histogram_, search, sums(move_));
}

}  // namespace glcl::hough
