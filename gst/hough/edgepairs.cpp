// SPDX-License-Identifier: LGPL-2.1-or-later
#include "edgepairs.h"

#include <algorithm>
#include <string>

#include "opencl/buffer.h"
#include "opencl/error.h"

namespace glcl::hough {

namespace {

constexpr int edge_bits = 7;
constexpr size_t most_stretches = 16;  // maximum groups per direction

}  // namespace

EdgePairs::Form EdgePairs::form_for(const Device &) { return balanced; }

Program EdgePairs::program(Context &context, Form form) {
  return context.program("hough/edgepairs.cl", "-DFORM=" + std::to_string(form));
}

EdgePairs::EdgePairs(Context &context, int width, int height, size_t edges, size_t capacity,
                     Form form) try
    : width_(width),
      height_(height),
      edges_capacity_(edges),
      top_k_(context, edge_bits, Canny::strengths, Canny::strong, edges),
      edges_sort_(context, edges),
      list_(context, capacity, kinds) {
  const Program kernels = program(context, form);
  const size_t items = group_items(context.device());
  begin_ = Kernel(context, kernels, "edge_pairs_begin", {items, 1});
  vote_ = Kernel(context, kernels, "edge_pairs_vote", {items, 1});
  begins_ = make_buffer(context.cl(), (steps + 1) * sizeof(cl_uint));
  firsts_ = make_buffer(context.cl(), (steps + 1) * sizeof(cl_uint));
  space_ = make_buffer(context.cl(), space_bytes);
} catch (const cl::Error &error) {
  throw Error("Can't allocate memory for edge pairs on " + context.device().name + ".", error);
}

void EdgePairs::run(Queue &queue, const cl::Buffer &edges, const Rect &region) {
  const bool listed = list_.capacity() > 0;
  top_k_.run(queue, edges, width_, height_, region);
  edges_sort_.run(queue, top_k_.keys(), top_k_.indices(), top_k_.counts(), edge_bits);
  const auto capacity = static_cast<cl_uint>(listed ? list_.capacity() : ~cl_uint(0));
  begin_(queue, begin_.group(), top_k_.histogram(), capacity, begins_, firsts_, space_,
         list_.count());
  const size_t stretches = std::min((edges_capacity_ + CHUNK - 1) / CHUNK, most_stretches);
  vote_(queue, {stretches * vote_.group().x, steps}, top_k_.indices(), width_, begins_, firsts_,
        list_.count(), int(listed), space_, list_.keys(), list_.pairs());
  queue.cl().enqueueCopyBuffer(top_k_.counts(), space_, 0, kinds * sizeof(cl_uint),
                               2 * sizeof(cl_uint));
  if (listed) list_.sort(queue, space_);
}

FrameEdgePairs::FrameEdgePairs(Context &context, int width, int height, const FrameFormat &frame,
                               size_t edges)
    : frame_{0, 0, width, height},
      canny_(context, width, height, frame),
      edge_pairs_(context, width, height, edges, 0, EdgePairs::form_for(context.device())) {}

const cl::Buffer &FrameEdgePairs::run(Queue &queue, const Picture &frame) {
  canny_.run(queue, {}, frame);
  edge_pairs_.run(queue, canny_.edges(), frame_);
  return edge_pairs_.space();
}

}  // namespace glcl::hough
