// SPDX-License-Identifier: LGPL-2.1-or-later
#include "finish.h"

#include <algorithm>
#include <string>

#include "flowlayout.h"

namespace glcl::opticalflow {

namespace {

constexpr Size upsample_group{64, 4};

}  // namespace

FlowFinish::FlowFinish(Context &context, const FlowPyramids &pyramids, FlowChannels channels)
    // Groups of 64×64 px overlap less than groups of 64×32 px, but need more local memory.
    : rows_(context.device().local_memory() < 40 << 10 ? 8 : 16) {
  const Program verification =
      context.program("opticalflow/verify.cl", channels == FlowChannels::census ? "-DCENSUS" : "");
  verify_ = Kernel(context, verification, "flow_verify", {64, 1});
  const Program upsampling = context.program(
      "opticalflow/upsample.cl",
      "-DROWS=" + std::to_string(rows_) + (context.device().is_cpu() ? "" : " -DLINEAR_ITEMS"));
  upsample_ = Kernel(context, upsampling, "flow_upsample", upsample_group);
  check_ = Kernel(context, upsampling, "flow_check", pixel_group);
  const int width = pyramids.width(), height = pyramids.height();
  const size_t pixels = size_t(width) * height,
               most_cells =
                   size_t(divide_up(width, 2 * CELL_NODES)) * divide_up(height, 2 * CELL_NODES);
  const auto buffer = [&](size_t bytes) { return opticalflow::buffer(context.cl(), bytes); };
  evidence_ = buffer(most_cells * sizeof(CellEvidence));
  keep_factors_ = buffer(most_cells * sizeof(cl_float));
  backward_ = buffer(pixels * sizeof(cl_float2));
  field_ = {width, height, buffer(pixels * sizeof(cl_float2)), buffer(pixels * sizeof(cl_float)),
            pyramids.noise().variances()};
}

void FlowFinish::run(Queue &queue, const FlowSettings &settings, const FramePair &frames,
                     const FlowSolver &solver, bool backward) {
  verify(queue, settings, frames, solver);
  upsample(queue, settings, frames, solver, backward ? backward_ : field_.vectors);
}

void FlowFinish::check(Queue &queue) {
  check_(queue, {size_t(field_.width), size_t(field_.height)}, field_.vectors, backward_,
         field_.confidence, cl_int2{{field_.width, field_.height}});
}

cl_int2 FlowFinish::cells(const FlowSettings &settings) const {
  const int spacing = 2 * steps[window_class(settings.window)] * CELL_NODES;
  return {{divide_up(field_.width, spacing), divide_up(field_.height, spacing)}};
}

void FlowFinish::verify(Queue &queue, const FlowSettings &settings, const FramePair &frames,
                        const FlowSolver &solver) {
  const FlowPyramids &pyramids = frames.pyramids;
  const int step = 2 * steps[window_class(settings.window)];
  const cl_int2 nodes{{divide_up(field_.width, step), divide_up(field_.height, step)}},
      cells = this->cells(settings);
  verify_(queue, {size_t(nodes.s[0]), size_t(cells.s[1])}, frames.before.texels(),
          frames.after.texels(), frames.before.grey, frames.after.grey, frames.matched_brightness,
          pyramids.noise().state(), solver.flow(), solver.confidence(), frames.brightness,
          evidence_, solver.tensors().tables(),
          NodeVerification{pyramids.all_levels()[0].cl(), pyramids.gains()[0], nodes, cells, step,
                           settings.noise == 0});
}

void FlowFinish::upsample(Queue &queue, const FlowSettings &settings, const FramePair &frames,
                          const FlowSolver &solver, const cl::Buffer &vectors) {
  const int shift = window_class(settings.window) + 1, spacing = 1 << shift;
  const Size group = upsample_.group(),
             nodes{(group.x >> shift) + 4, (rows_ * group.y >> shift) + 4};
  // The cells along an axis whose centres enclose `nodes` nodes.
  const auto enclosing_cells = [](size_t nodes) {
    return (nodes + CELL_NODES - 2) / CELL_NODES + 2;
  };
  const Size near{enclosing_cells(nodes.x), enclosing_cells(nodes.y)};
  const size_t cells = (2 * near.x + 2 * AREA_REACH) * (near.y + 2 * AREA_REACH);
  const size_t factors_offset =
      std::max((nodes.x + 8) * (nodes.y + 8) * sizeof(cl_float2), cells * sizeof(CellEvidence));
  const Upsampling arguments{
      {{field_.width, field_.height}},
      {{divide_up(field_.width, spacing), divide_up(field_.height, spacing)}},
      this->cells(settings),
      shift,
      settings.median / 2,
      settings.noise == 0,
      divide_up(static_cast<int>(factors_offset), sizeof(cl_float4)),
      static_cast<int>(near.x * near.y),
      static_cast<int>(nodes.x * nodes.y)};
  upsample_(queue, {size_t(field_.width), size_t(divide_up(field_.height, rows_))}, solver.flow(),
            solver.confidence(), frames.pyramids.noise().state(), frames.pyramids.brightness(),
            vectors, field_.confidence, evidence_, solver.tensors().tables(), keep_factors_,
            arguments,
            cl::Local((arguments.factors_offset + arguments.near_cells) * sizeof(cl_float4) +
                      arguments.near_nodes * (sizeof(cl_float2) + sizeof(cl_float))));
}

}  // namespace glcl::opticalflow
