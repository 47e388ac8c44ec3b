// SPDX-License-Identifier: LGPL-2.1-or-later
#include "refine.h"

#include <algorithm>
#include <string>

namespace glcl::opticalflow {

namespace {

constexpr Size pixel_group{32, 8};

Size size(cl_int4 level) { return {size_t(level.s[0]), size_t(level.s[1])}; }
cl_int2 xy(cl_int4 level) { return {{level.s[0], level.s[1]}}; }

}  // namespace

Refinement::Refinement(Context &context) : context_(context.cl()) {
  const cl::Device &device = context.device().device;
  // With more items, each keeps fewer texels in registers; CPUs keep them in memory anyway.
  const size_t most =
      std::min<size_t>(context.device().is_cpu() ? 16 : 24, one_group(device) / REFINE_COLUMNS);
  size_t rows = 6;  // per group; an even number of tile rows per item
  for (const size_t more : {8, 12, 24})
    if (more <= most) rows = more;
  const Program program =
      context.program("opticalflow/refine.cl", "-DGROUP_Y=" + std::to_string(rows));
  step_ = Kernel(context, program, "refine_step", {REFINE_COLUMNS, rows}).in_bands();
  mean_ = Kernel(context, program, "refine_mean", pixel_group).in_bands();
  finish_ = Kernel(context, program, "refine_finish", pixel_group).in_bands();
}

void Refinement::step(Queue &queue, const RefinementFrames &frames, int level,
                      const cl::Buffer &from, cl_int4 from_level, float ratio, bool shifted,
                      int rounds) {
  const cl_int4 of_level = frames.levels[level];
  const cl_int2 shift{
      {shifted ? REFINE_X / 2 - REFINE_HALO : 0, shifted ? REFINE_Y / 2 - REFINE_HALO : 0}};
  const auto tiles = [&](int i, int tile) {
    const int own = tile - 2 * REFINE_HALO;
    return size_t((of_level.s[i] + shift.s[i] + own - 1) / own);
  };
  const Size group = step_.group();
  step_.costs(rounds);
  step_(queue, {tiles(0, REFINE_X) * group.x, tiles(1, REFINE_Y) * group.y}, frames.before,
        frames.after, frames.grey, from, frames.noise, solution_, matches_,
        RefinementStep{of_level, xy(from_level), shift, rounds, ratio, frames.gains[level]});
}

void Refinement::run(Queue &queue, int steps, const RefinementFrames &frames,
                     const cl::Buffer &vectors, const cl::Buffer &confidence) {
  const cl_int4 finest = frames.levels[0];
  const size_t pixels = size_t(finest.s[0]) * finest.s[1];
  if (pixels_ < pixels) {
    const auto plane = [&](size_t bytes) {
      return cl::Buffer(context_, CL_MEM_READ_WRITE, pixels * bytes);
    };
    flow_ = plane(sizeof(cl_float2)), solution_ = plane(sizeof(cl_float2));
    matches_ = plane(sizeof(cl_float));
    pixels_ = pixels;
  }
  const int coarsest = std::min<int>(levels, static_cast<int>(frames.levels.size())) - 1;
  const cl::Buffer *from = &vectors;
  cl_int4 from_level = finest;
  float ratio = static_cast<float>(1 << coarsest);
  for (int level = coarsest; level >= 0; level--) {
    const cl_int4 of_level = frames.levels[level];
    for (int i = 0; i < steps; i++) {
      step(queue, frames, level, *from, from_level, ratio, i % 2,
           level == coarsest ? coarsest_rounds : rounds);
      from = &flow_, from_level = of_level, ratio = 1;
      if (level > 0 || i < steps - 1)
        mean_(queue, size(of_level), solution_, matches_, frames.grey, of_level, flow_);
    }
    ratio = 0.5f;
  }
  finish_(queue, size(finest), solution_, matches_, frames.grey, finest, frames.before,
          frames.after, frames.noise, vectors, confidence, frames.keep_factors, frames.cells,
          frames.shift);
}

}  // namespace glcl::opticalflow
