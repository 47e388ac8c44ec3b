// SPDX-License-Identifier: LGPL-2.1-or-later
#include "edgepairs.h"

#include <algorithm>

#include "opencl/error.h"

namespace glcl::hough {

namespace {

constexpr int edge_bits = 7, kind_bits = 13;
constexpr size_t most_stretches = 16;  // maximum groups per direction

}  // namespace

EdgePairs::Form EdgePairs::form_for(const Device &) { return balanced; }

EdgePairs::EdgePairs(Context &context, int width, int height, size_t edges, size_t capacity,
                     Form form)
    : width_(width),
      height_(height),
      edges_capacity_(edges),
      capacity_(capacity),
      top_k_(context, edge_bits, Canny::strengths, Canny::strong, edges),
      edges_sort_(context, edges),
      pairs_sort_(context, capacity),
      scan_(context) {
  const bool cpu = context.device().is_cpu();
  const Program program = context.program("hough/edgepairs.cl", "-DFORM=" + std::to_string(form));
  begin_ = Kernel(context, program, "edge_pairs_begin", {cpu ? 1u : 128u, 1});
  vote_ = Kernel(context, program, "edge_pairs_vote", {cpu ? 1u : 128u, 1});
  const auto buffer = [&](size_t count) {
    return cl::Buffer(context.cl(), CL_MEM_READ_WRITE, count * sizeof(cl_uint));
  };
  try {
    begins_ = buffer(steps + 1);
    firsts_ = buffer(steps + 1);
    space_ = buffer(kinds + 2);
    pairs_count_ = buffer(2);
    keys_ = buffer(std::max<size_t>(capacity, 1));
    pairs_ = buffer(std::max<size_t>(capacity, 1));
    pair_begins_ = buffer(kinds + 1);
    cl_uint all = kinds;
    kinds_count_ =
        cl::Buffer(context.cl(), CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof all, &all);
  } catch (const cl::Error &error) {
    throw Error("Can't allocate memory for edge pairs on " + context.device().name + ".", error);
  }
}

void EdgePairs::run(Queue &queue, const cl::Buffer &edges, const Rect &region) {
  top_k_.run(queue, edges, width_, height_, region);
  edges_sort_.run(queue, top_k_.keys(), top_k_.indices(), top_k_.counts(), edge_bits);
  const auto capacity = static_cast<cl_uint>(capacity_ ? capacity_ : ~cl_uint(0));
  begin_(queue, begin_.group(), top_k_.histogram(), capacity, begins_, firsts_, space_,
         pairs_count_);
  const size_t stretches = std::min((edges_capacity_ + CHUNK - 1) / CHUNK, most_stretches);
  vote_(queue, {stretches * vote_.group().x, steps}, top_k_.indices(), width_, begins_, firsts_,
        pairs_count_, int(capacity_ > 0), space_, keys_, pairs_);
  queue.cl().enqueueCopyBuffer(top_k_.counts(), space_, 0, kinds * sizeof(cl_uint),
                               2 * sizeof(cl_uint));
  if (!capacity_) return;
  pairs_sort_.run(queue, keys_, pairs_, pairs_count_, kind_bits);
  scan_.run(queue, space_, kinds_count_, pair_begins_);
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
