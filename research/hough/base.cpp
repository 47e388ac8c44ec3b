// SPDX-License-Identifier: LGPL-2.1-or-later
#include "base.h"

#include <algorithm>

#include "hough/canny.h"
#include "opencl/error.h"

namespace glcl::research {

namespace {

constexpr size_t chunk = 128;  // CHUNK in the kernels
constexpr size_t most_groups = 1024;

Size items_for(Context &context) { return {context.device().is_cpu() ? 1u : 128u, 1}; }

}  // namespace

BaseEdgePairs::BaseEdgePairs(Context &context, int width, int height, size_t edges, size_t capacity)
    : width_(width),
      height_(height),
      edges_capacity_(edges),
      capacity_(static_cast<cl_uint>(capacity)),
      top_k_(context, 7, hough::Canny::strengths, hough::Canny::strong, edges),
      kernel_(context, context.program("research/hough/base.cl"), "base_edge_pairs",
              items_for(context)) {
  const auto buffer = [&](size_t count) {
    return cl::Buffer(context.cl(), CL_MEM_READ_WRITE, count * sizeof(cl_uint));
  };
  try {
    space_ = buffer(hough::EdgePairs::kinds);
    count_ = buffer(1);
    kinds_ = buffer(capacity);
    pairs_ = buffer(capacity);
  } catch (const cl::Error &error) {
    throw Error("Can't allocate memory for edge pairs on " + context.device().name + ".", error);
  }
}

void BaseEdgePairs::run(Queue &queue, const cl::Buffer &edges) {
  top_k_.run(queue, edges, width_, height_, {0, 0, width_, height_});
  queue.cl().enqueueFillBuffer(space_, cl_uint(0), 0, hough::EdgePairs::kinds * sizeof(cl_uint));
  queue.cl().enqueueFillBuffer(count_, cl_uint(0), 0, sizeof(cl_uint));
  const size_t groups = (edges_capacity_ + chunk - 1) / chunk;
  kernel_(queue, {groups * kernel_.group().x, 1}, top_k_.keys(), top_k_.indices(), top_k_.counts(),
          width_, capacity_, space_, count_, kinds_, pairs_);
}

BaseTransform::BaseTransform(Context &context, int width, int height, int copies)
    : copies_(copies) {
  const Program program = context.program("research/hough/base.cl");
  vote_scales_ = Kernel(context, program, "base_scale", items_for(context));
  vote_positions_ = Kernel(context, program, "base_shift", items_for(context));
  sum_copies_ = Kernel(context, context.program("hough/edgepairs.cl", "-DFORM=0"),
                       "edge_pairs_sum_copies", {context.device().is_cpu() ? 64u : 128u, 1});
  const auto buffer = [&](size_t count) {
    return cl::Buffer(context.cl(), CL_MEM_READ_WRITE, count * sizeof(cl_uint));
  };
  try {
    scale_votes_ = buffer(hough::Transform::scales);
    position_votes_ = buffer(size_t(copies) * width * height);
  } catch (const cl::Error &error) {
    throw Error("Can't allocate memory for the votes of the Hough transform on " +
                    context.device().name + ".",
                error);
  }
}

void BaseTransform::find_scale(Queue &queue, const BaseEdgePairs &before,
                               const BaseEdgePairs &after, const hough::Transform &known) {
  queue.cl().enqueueFillBuffer(scale_votes_, cl_uint(0), 0,
                               hough::Transform::scales * sizeof(cl_uint));
  const size_t groups = std::min((before.capacity() + chunk - 1) / chunk, most_groups);
  vote_scales_(queue, {groups * vote_scales_.group().x, 1}, before.edges(), before.kinds(),
               before.pairs(), before.count(), before.capacity(), before.width(), after.edges(),
               after.kinds(), after.pairs(), after.count(), after.capacity(), after.width(),
               known.rotation(), scale_votes_);
}

void BaseTransform::find_position(Queue &queue, const BaseEdgePairs &before,
                                  const BaseEdgePairs &after, const hough::Transform &known) {
  const int plane = after.width() * after.height();
  queue.cl().enqueueFillBuffer(position_votes_, cl_uint(0), 0,
                               size_t(copies_) * plane * sizeof(cl_uint));
  const size_t groups = std::min((before.capacity() + chunk - 1) / chunk, most_groups);
  vote_positions_(queue, {groups * vote_positions_.group().x, 1}, before.edges(), before.kinds(),
                  before.pairs(), before.count(), before.capacity(),
                  cl_int2{{before.width(), before.height()}}, after.edges(), after.kinds(),
                  after.pairs(), after.count(), after.capacity(),
                  cl_int2{{after.width(), after.height()}}, known.rotations(), known.rotation(),
                  known.scale(), copies_, plane, position_votes_);
  if (copies_ > 1) sum_copies_(queue, {size_t(plane), 1}, position_votes_, copies_, plane);
}

}  // namespace glcl::research
