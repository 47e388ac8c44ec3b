// SPDX-License-Identifier: LGPL-2.1-or-later
#include "candidates.h"

#include <algorithm>
#include <string>
#include <vector>

namespace glcl::opticalflow {

namespace {

constexpr int largest_side = 4 * MOST_MOTION;

int half(int n, int times) { return times ? half((n + 1) / 2, times - 1) : n; }
int divide_up(int n, int unit) { return (n + unit - 1) / unit; }

}  // namespace

int Candidates::matched_level(int width, int height) {
  int level = 0;
  while (half(std::min(width, height), level) > largest_side) level++;
  return level;
}

int Candidates::selection_level(int width, int height) {
  return std::max(matched_level(width, height), 1);
}

Candidates::Candidates(Context &context, int width, int height, bool census)
    : matched_level_(matched_level(width, height)),
      selection_level_(selection_level(width, height)),
      columns_(divide_up(half(width, matched_level_), MODE_CELL)),
      rows_(divide_up(half(height, matched_level_), MODE_CELL)),
      census_(census),
      nodes_per_group_(context.device().is_cpu() ? 8 : 2),
      signatures_(context, half(width, matched_level_), half(height, matched_level_)) {
  const Program program = context.program(
      "opticalflow/candidates.cl",
      "-cl-mad-enable -DNODES=" + std::to_string(nodes_per_group_) + (census ? " -DCENSUS" : ""));
  modes_kernel_ = Kernel(context, program, "flow_modes", {});
  select_ = Kernel(context, program, "flow_select", {});
  const size_t cells = size_t(columns_) * rows_;
  modes_ = cl::Buffer(context.cl(), CL_MEM_READ_WRITE, cells * sizeof(cl_float4));
  std::vector<cl_float2> nothing(cells + 2);
  pairs_ = cl::Buffer(context.cl(), CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                      nothing.size() * sizeof(cl_float2), nothing.data());
}

void Candidates::match(Queue &queue, const Plane &before, const Plane &after,
                       const cl::Buffer &brightness, const cl::Buffer &matched_brightness) {
  modes_kernel_(queue, {columns_ * modes_kernel_.group().x, size_t(rows_)}, signatures_.claims(),
                cl_int2{{signatures_.width(), signatures_.height()}},
                cl_int2{{SignatureTable::columns(signatures_.width()),
                         SignatureTable::rows(signatures_.height())}},
                before.texels, after.texels, before.pitch, before.offset, modes_, pairs_,
                brightness, matched_brightness, cl_int(!census_));
}

void Candidates::select(Queue &queue, const MatchLevel &level, const Nodes &nodes,
                        const cl::Buffer &result) {
  const size_t count = size_t(nodes.size.s[0]) * nodes.size.s[1];
  const int coarser = selection_level_ - matched_level_;
  const float flat = census_ ? 400 : 0.25f;
  const size_t groups = (count + nodes_per_group_ - 1) / nodes_per_group_;
  select_(queue, {groups * select_.group().x, select_.group().y}, level.before, level.after,
          level.brightness, level.noise, modes_, pairs_, nodes.flow, result,
          CandidateChoice{level.level,
                          level.gain,
                          nodes.size,
                          {{columns_, rows_}},
                          nodes.spacing,
                          static_cast<float>(MODE_CELL >> coarser),
                          1.0f / static_cast<float>(1 << coarser),
                          nodes.scale,
                          flat});
}

}  // namespace glcl::opticalflow
