// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pairlist.h"

#include <algorithm>
#include <array>

#include "opencl/buffer.h"

namespace glcl::hough {

namespace {

constexpr int kind_bits = 13;

}  // namespace

PairList::PairList(Context &context, size_t capacity, int kinds)
    : capacity_(capacity),
      sort_(context, capacity),
      scan_(context),
      count_(make_buffer(context.cl(), 2 * sizeof(cl_uint))),
      keys_(make_buffer(context.cl(), std::max<size_t>(capacity, 1) * sizeof(cl_uint))),
      pairs_(make_buffer(context.cl(), std::max<size_t>(capacity, 1) * sizeof(cl_uint))),
      begins_(make_buffer(context.cl(), size_t(kinds + 1) * sizeof(cl_uint))),
      kind_count_(upload_values(context.cl(), std::array{cl_uint(kinds)})) {}

void PairList::sort(Queue &queue, const cl::Buffer &counts) {
  sort_.run(queue, keys_, pairs_, count_, kind_bits);
  scan_.run(queue, counts, kind_count_, begins_);
}

}  // namespace glcl::hough
