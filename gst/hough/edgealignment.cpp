// SPDX-License-Identifier: LGPL-2.1-or-later
#include "edgealignment.h"

#include <algorithm>

#include "opencl/buffer.h"

namespace glcl::hough {

namespace {

constexpr unsigned cpu_group = 16, gpu_group = 64;
constexpr size_t edges_per_item = 16;  // on a CPU; on a GPU one

}  // namespace

EdgeAlignment::EdgeAlignment(Context &context, int width, int height, size_t capacity, int fine)
    : size_{{width, height}}, fine_(fine) {
  const bool cpu = context.device().is_cpu();
  const unsigned group = cpu ? cpu_group : gpu_group;
  parts_ = std::max<size_t>(capacity / group / (cpu ? edges_per_item : 1), 1);
  const Program program = context.program("hough/align.cl");
  start_ = Kernel(context, program, "align_start", {group, 1});
  fit_ = Kernel(context, program, "align_fit", {group, 1});
  result_ = Kernel(context, program, "align_result", {cpu ? 1u : 16u, 1});
  poses_ = make_buffer(context.cl(), sizeof(cl_float4) * (STARTS + FRAME_ROUNDS + 1));
  weights_ = make_buffer(context.cl(), sizeof(cl_float) * STARTS * parts_);
  fits_ = make_buffer(context.cl(), sizeof(cl_float) * FIT_SUMS * parts_ * 2);
}

void EdgeAlignment::run(Queue &queue, const cl::Buffer &edges, const EdgeVotes &votes,
                        const cl::Buffer &result) {
  const auto sums = [](const Kernel &kernel) {
    return cl::Local(sizeof(cl_float) * FIT_SUMS * kernel.group().x);
  };
  start_(queue, {STARTS * parts_ * start_.group().x, 1}, edges, size_, votes.indices, votes.begins,
         votes.rotation, votes.scale, votes.position, fine_, poses_, weights_, sums(start_));
  for (int round = 0; round <= FRAME_ROUNDS; round++)
    fit_(queue, {parts_ * fit_.group().x, 1}, edges, size_, votes.indices, votes.begins, round,
         poses_, weights_, fits_, sums(fit_));
  result_(queue, result_.group(), size_, cl_int(parts_), poses_, fits_, result);
}

}  // namespace glcl::hough
