// SPDX-License-Identifier: LGPL-2.1-or-later
#include "base.h"

#include "hough/canny.h"
#include "hough/pairings.h"
#include "opencl/error.h"

namespace glcl::research {

namespace {

constexpr size_t chunk = 128;  // CHUNK in the kernel

}  // namespace

BasePairings::BasePairings(Context &context, int width, int height, size_t edges, size_t room)
    : width_(width),
      height_(height),
      edges_room_(edges),
      room_(room),
      strongest_(context, 7, hough::Canny::strengths, hough::Canny::strong, edges),
      kernel_(context, context.program("research/hough/base.cl"), "base_pairings",
              {context.device().is_cpu() ? 1u : 128u, 1}) {
  const auto buffer = [&](size_t count) {
    return cl::Buffer(context.cl(), CL_MEM_READ_WRITE, count * sizeof(cl_uint));
  };
  try {
    space_ = buffer(hough::Pairings::kinds);
    count_ = buffer(1);
    kinds_ = buffer(room);
    pairs_ = buffer(room);
  } catch (const cl::Error &error) {
    throw Error("There is no memory for pairings on " + context.device().name + ".", error);
  }
}

void BasePairings::run(Queue &queue, const cl::Buffer &edges) {
  strongest_.run(queue, edges, width_, height_, {0, 0, width_, height_});
  queue.cl().enqueueFillBuffer(space_, cl_uint(0), 0, hough::Pairings::kinds * sizeof(cl_uint));
  queue.cl().enqueueFillBuffer(count_, cl_uint(0), 0, sizeof(cl_uint));
  const size_t groups = (edges_room_ + chunk - 1) / chunk;
  kernel_(queue, {groups * kernel_.group().x, 1}, strongest_.keys(), strongest_.places(),
          strongest_.counts(), width_, static_cast<cl_uint>(room_), space_, count_, kinds_, pairs_);
}

}  // namespace glcl::research
