// SPDX-License-Identifier: LGPL-2.1-or-later
#include "refine.h"

#include <algorithm>
#include <string>
#include <utility>

namespace glcl::opticalflow {

namespace {

constexpr Size pixel_group{32, 8};
constexpr int tile = 64;      // TILE of refine_solve
constexpr size_t around = 4;  // texels that the mean needs around: 2 APART

Size size(cl_int4 level) { return {size_t(level.s[0]), size_t(level.s[1])}; }

}  // namespace

Refinement::Refinement(Context &context) : context_(context.cl()) {
  const cl::Device &device = context.device().device;
  // More items have fewer texels each to keep in registers, which CPUs have in memory anyway.
  const size_t rows =
      std::clamp<size_t>(one_group(device) / 32, 8, context.device().is_cpu() ? 16 : 32);
  const Program program =
      context.program("opticalflow/refine.cl", "-DGROUP_Y=" + std::to_string(rows));
  resample_ = Kernel(context, program, "refine_resample", pixel_group);
  match_ = Kernel(context, program, "refine_match", pixel_group);
  solve_ = Kernel(context, program, "refine_solve", {32, rows});
  mean_ = Kernel(context, program, "refine_mean", pixel_group);
  finish_ = Kernel(context, program, "refine_finish", pixel_group);
}

/// Into flow_.
void Refinement::resample(Queue &queue, const cl::Buffer &from, cl_int4 from_level, float ratio,
                          cl_int4 to) {
  resample_(queue, size(to), from, cl_int2{{from_level.s[0], from_level.s[1]}}, ratio, other_,
            cl_int2{{to.s[0], to.s[1]}});
  std::swap(flow_, other_);
}

void Refinement::step(Queue &queue, const Frames &frames, int level) {
  const cl_int4 of_level = frames.levels[level];
  match_(queue, size(of_level), frames.before, frames.after, of_level, flow_, frames.noise,
         frames.gains[level], tensors_, votes_);
  const auto tiles = [](int side) {
    constexpr int own = tile - 4 * sweeps;
    return size_t((side + own - 1) / own);
  };
  const Size group = solve_.group();
  for (int i = 0; i < (level ? launches : launches_finest); i++) {
    solve_(queue, {tiles(of_level.s[0]) * group.x, tiles(of_level.s[1]) * group.y}, flow_, tensors_,
           votes_, frames.grey, of_level, frames.noise, frames.gains[level], sweeps, other_);
    std::swap(flow_, other_);
  }
  const Size items = mean_.group();
  const cl::LocalSpaceArg seen =
      cl::Local((items.x + 2 * around) * (items.y + 2 * around) * sizeof(cl_float2));
  mean_(queue, size(of_level), flow_, tensors_, frames.grey, of_level, other_, seen, seen);
  std::swap(flow_, other_);
}

void Refinement::run(Queue &queue, int steps, const Frames &frames, const cl::Buffer &vectors,
                     const cl::Buffer &confidence) {
  const cl_int4 finest = frames.levels[0];
  const size_t pixels = size_t(finest.s[0]) * finest.s[1];
  if (pixels_ < pixels) {
    const auto plane = [&](size_t bytes) {
      return cl::Buffer(context_, CL_MEM_READ_WRITE, pixels * bytes);
    };
    flow_ = plane(sizeof(cl_float2)), other_ = plane(sizeof(cl_float2));
    tensors_ = plane(sizeof(cl_float4)), votes_ = plane(sizeof(cl_float2));
    pixels_ = pixels;
  }
  const int coarsest = std::min<int>(levels, static_cast<int>(frames.levels.size())) - 1;
  resample(queue, vectors, finest, static_cast<float>(1 << coarsest), frames.levels[coarsest]);
  for (int level = coarsest; level >= 0; level--) {
    if (level < coarsest)
      resample(queue, flow_, frames.levels[level + 1], 0.5f, frames.levels[level]);
    for (int i = 0; i < steps; i++) step(queue, frames, level);
  }
  finish_(queue, size(finest), frames.before, frames.after, finest, flow_, frames.noise, vectors,
          confidence, frames.kept, frames.cells, frames.shift);
}

}  // namespace glcl::opticalflow
