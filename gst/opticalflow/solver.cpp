// SPDX-License-Identifier: LGPL-2.1-or-later
#include "solver.h"

#include <algorithm>
#include <string>

#include "flowlayout.h"

namespace glcl::opticalflow {

namespace {

/// The last warp averages the right-hand sides of four texels per node. This fraction of their
/// noise remains.
constexpr float dense_noise_share = 0.4f;

/// The variant for the finest lattice, half as high: its windows are small, so smaller tiles cost
/// little.
Parameters finest_variant(Parameters coarse) {
  if (coarse["group-y"] > 1) coarse["group-y"] /= 2, coarse["tile-y"] = (coarse["tile-y"] + 1) / 2;
  return coarse;
}

/// The form of flow_fused. Other groups of its launch compute tensors; a compute unit runs several.
SolverForm fused_form(const Device &device, int sums) {
  const size_t items = std::min<size_t>(one_group(device.device), 512);
  return {window_radius, sums, {32, std::max<size_t>(items / 32, 1)}, {48, 27}};
}

}  // namespace

FlowSolver::FlowSolver(Context &context, const FlowPyramids &pyramids, FlowChannels channels,
                       const Parameters &coarse, const Parameters &dense)
    : channels_(channels),
      compute_units_(
          static_cast<int>(context.device().device.getInfo<CL_DEVICE_MAX_COMPUTE_UNITS>())),
      local_memory_(context.device().local_memory()),
      max_steps_(coarse.at("steps")),
      coarse_(warper(context, "flow_warp", {coarse, window_radius})),
      finest_(warper(context, "flow_warp", {finest_variant(coarse), finest_radius})),
      dense_(warper(context, "flow_dense", {dense, window_radius})),
      tensors_(context, pyramids, channels, coarse_, max_steps_ > 1) {
  dense_.kernel.in_bands();
  if (max_steps_ > 1)
    fused_ = warper(context, "flow_fused", fused_form(context.device(), coarse_.sums));
  const int width = pyramids.width(), height = pyramids.height();
  const size_t nodes = size_t(half(width)) * half(height);
  result_ = buffer(context.cl(), nodes * sizeof(cl_float2));
  confidence_ = buffer(context.cl(), nodes * sizeof(cl_float));
  const size_t most_nodes = size_t(divide_up(width, 4)) * divide_up(height, 4);
  for (cl::Buffer &flow : flow_) flow = buffer(context.cl(), most_nodes * sizeof(cl_float2));
  zero_ = filled(context.cl(), std::vector<cl_float2>(most_nodes));
}

FlowSolver::WarpKernel FlowSolver::warper(Context &context, const char *kernel,
                                          const SolverForm &form) {
  const std::string name = kernel;
  const char *file = name == "flow_dense" ? "opticalflow/dense.cl" : "opticalflow/warp.cl";
  return {form,
          Kernel(context, solver_program(context, file, form, channels_, name == "flow_fused"),
                 kernel, form.group)};
}

void FlowSolver::solve(Queue &queue, const FlowSettings &settings, const FramePair &frames,
                       int levels, CandidateSearch *candidates) {
  const std::vector<FlowLattice> &lattices = tensors_.lattices(settings).of_level;
  FlowState state{&zero_, lattices[levels - 1].size()};
  float scale = 1;
  const int selection =
      Candidates::selection_level(frames.pyramids.width(), frames.pyramids.height());
  const auto limit_for = [&](int level) { return level > selection ? selection : 0; };
  // If one group warps the coarsest lattices, its launch also computes the tensors.
  const int coarsest = levels - 1;
  if (last_fused_level(settings, coarsest, limit_for(coarsest)) > coarsest)
    tensors_.run(queue, settings, frames, levels);
  for (int level = levels - 1; level >= 0; level--) {
    if (level == selection && candidates) {
      const cl::Buffer &to = next_buffer(state);
      candidates->select(queue, frames, level,
                         {*state.flow, state.size, 2 * lattices[level + 1].step, scale}, to);
      state.flow = &to;
      scale = 1;
    }
    const int last = last_fused_level(settings, level, limit_for(level));
    if (last <= level) {
      state = warp_fused(queue, settings, frames, level, last, state, scale, level == coarsest);
      level = last;
    } else {
      state = warp(queue, settings, frames, level, state, scale);
    }
    scale = level ? 2 : 1;  // texels of the next finer level are half as large
  }
  dense_warp(queue, settings, frames, state, scale);
}

/// The buffer for the next flow: the one that `state` does not use.
const cl::Buffer &FlowSolver::next_buffer(const FlowState &state) const {
  return state.flow == &flow_[0] ? flow_[1] : flow_[0];
}

/// Local memory of a group that warps whole lattices: right-hand sides, the flow at the start of a
/// step, and sums.
TileMemory FlowSolver::fused_memory(const FlowSettings &settings,
                                    const FlowLattice &lattice) const {
  const auto sums = tensors_.memory(fused_.sums);
  const TileMemory steps(lattice.side(), lattice.side(), fused_.radius, fused_.sums,
                         settings.median / 2, 1);
  const auto halved = [](size_t count) { return (count + 1) / 2; };  // two floats are half of four
  TileMemory memory = sums;
  memory.nodes = steps.tile + steps.tile % 2;
  memory.tile = std::max({sums.tile, halved(memory.nodes + steps.nodes),
                          fused_.kernel.group().x * fused_.kernel.group().y});
  memory.strip = std::max(sums.strip, halved(steps.strip));
  return memory;
}

/// The finest level coarser than `limit` such that one group can warp the lattices from `level`
/// to it; `level` + 1 if there is no such level.
int FlowSolver::last_fused_level(const FlowSettings &settings, int level, int limit) const {
  const auto &lattices = tensors_.lattices(settings).of_level;
  const auto fits = [&](const FlowLattice &lattice) {
    if (lattice.columns > int(fused_.tile.x) || lattice.rows > int(fused_.tile.y)) return false;
    const TileMemory memory = fused_memory(settings, lattice);
    return (memory.tile + memory.strip) * sizeof(cl_float4) <= local_memory_;
  };
  int last = level + 1;
  while (max_steps_ > 1 && last - 1 > limit && fits(lattices[last - 1])) last--;
  return last;
}

/// `sums`: the launch also computes the tensors of all lattices.
FlowSolver::FlowState FlowSolver::warp_fused(Queue &queue, const FlowSettings &settings,
                                             const FramePair &frames, int level, int last,
                                             const FlowState &state, float scale, bool sums) {
  const FlowPyramids &pyramids = frames.pyramids;
  const FlowTensors::Lattices &lattices = tensors_.lattices(settings);
  const FlowLattice &lattice = lattices.of_level[last];
  const cl::Buffer &to = next_buffer(state);
  const TileMemory memory = fused_memory(settings, lattice);
  const int tiles = sums ? lattices.tiles[last] : 0;
  const FusedWarp warp{tensors_.sums(settings, tiles, memory.tile),
                       state.size,
                       level,
                       last,
                       settings.warps,
                       settings.median / 2,
                       scale,
                       spread(make_window(settings.window, lattice.step, fused_.radius)),
                       static_cast<int>(memory.nodes)};
  const Size group = fused_.kernel.group();
  fused_.kernel(queue, {(1 + tiles + (sums ? tensors_.row_groups(group) : 0)) * group.x, group.y},
                frames.before.texels(), frames.after.texels(), frames.before.grey,
                frames.after.grey, frames.brightness, pyramids.noise().variances(), lattices.table,
                tensors_.tables(), *state.flow, to, warp,
                cl::Local((memory.tile + memory.strip) * sizeof(cl_float4)));
  return {&to, lattice.size()};
}

FlowSolver::FlowState FlowSolver::warp(Queue &queue, const FlowSettings &settings,
                                       const FramePair &frames, int level, const FlowState &state,
                                       float scale) {
  const FlowLattice &lattice = tensors_.lattices(settings).of_level[level];
  int shift = state.size.s[0] < lattice.columns || state.size.s[1] < lattice.rows;
  WarpKernel &warper = level ? coarse_ : finest_;
  const int warps = settings.warps, spacing = settings.median / 2;
  // Gives every compute unit the same number of groups, as few as possible. With at most one
  // group per unit, a launch costs more than the larger surroundings of several warps.
  const int tiles = tile_count(warper.tile, lattice.columns, lattice.rows);
  const int groups_per_unit = divide_up(tiles, compute_units_);
  int most_warps = groups_per_unit > 1 ? 1 : std::min(max_steps_, warps);
  const auto tile_for = [&](int steps) {
    return even_tile(lattice.side(), warper.tile, size_t(groups_per_unit) * compute_units_,
                     2 * (steps * warper.radius + (steps - 1) * spacing));
  };
  Size tile = tile_for(most_warps);
  while (most_warps > 1 &&
         TileMemory(tile, lattice.side(), warper.radius, warper.sums, spacing, most_warps).bytes() >
             local_memory_)
    tile = tile_for(--most_warps);
  FlowState current = state;
  for (int remaining = warps; remaining > 0; remaining -= most_warps, shift = 0, scale = 1)
    current = warp(queue, settings, warper, tile, std::min(most_warps, remaining), frames, level,
                   current, shift, scale);
  return current;
}

FlowSolver::FlowState FlowSolver::warp(Queue &queue, const FlowSettings &settings,
                                       WarpKernel &warper, Size tile, int warps,
                                       const FramePair &frames, int level, const FlowState &state,
                                       int shift, float scale) {
  const FlowPyramids &pyramids = frames.pyramids;
  const FlowLattice &lattice = tensors_.lattices(settings).of_level[level];
  const cl::Buffer &to = next_buffer(state);
  const int spacing = settings.median / 2;
  const Size group = warper.kernel.group();
  const TileMemory memory(tile, lattice.side(), warper.radius, warper.sums, spacing, warps);
  const auto window = make_window(settings.window, lattice.step, warper.radius);
  warper.kernel(
      queue,
      {divide_up(lattice.columns, int(tile.x)) * group.x,
       divide_up(lattice.rows, int(tile.y)) * group.y},
      channels_ == FlowChannels::census ? frames.before.census : tensors_.tables(),
      frames.after.texels(),
      level > Candidates::selection_level(pyramids.width(), pyramids.height())
          ? frames.brightness
          : frames.matched_brightness,
      tensors_.tables(), pyramids.noise().variances(), *state.flow, to,
      Warp{pyramids.all_levels()[level].cl(), pyramids.gains()[level], window, lattice.size(),
           state.size, vector(tile), lattice.step, lattice.first_tensor, shift, warps, spacing,
           scale, spread(window), static_cast<float>(settings.alpha), tensors_.starts()},
      cl::Local(memory.tile * sizeof(cl_float2)), cl::Local(memory.strip * sizeof(cl_float2)),
      cl::Local(memory.nodes * sizeof(cl_float2)));
  return {&to, lattice.size()};
}

void FlowSolver::dense_warp(Queue &queue, const FlowSettings &settings, const FramePair &frames,
                            const FlowState &state, float scale) {
  const FlowPyramids &pyramids = frames.pyramids;
  const int step = steps[window_class(settings.window)];
  const Size nodes{size_t(divide_up(pyramids.width(), 2 * step)),
                   size_t(divide_up(pyramids.height(), 2 * step))};
  const Size tile = dense_.tile, group = dense_.kernel.group();
  const TileMemory memory = TileMemory::dense(tile, dense_.radius, dense_.sums);
  const float half_confidence = channels_ == FlowChannels::census ? 120 : 5;
  const auto window = make_window(settings.window, 2 * step, dense_.radius, step * step / 4.0);
  const FlowLattice &coarse = tensors_.lattices(settings).of_level[0];
  dense_.kernel(queue,
                {divide_up(int(nodes.x), int(tile.x)) * group.x,
                 divide_up(int(nodes.y), int(tile.y)) * group.y},
                frames.before.texels(), frames.after.texels(), frames.matched_brightness,
                tensors_.tables(), pyramids.noise().variances(), *state.flow, result_, confidence_,
                DenseWarp{pyramids.all_levels()[0].cl(), pyramids.gains()[0], window, vector(nodes),
                          state.size, vector(tile), coarse.size(), step, settings.median / 2, scale,
                          dense_noise_share * spread(window), static_cast<float>(settings.alpha),
                          half_confidence, static_cast<int>(memory.tile),
                          static_cast<int>(memory.strip), tensors_.starts()},
                cl::Local(memory.dense_bytes()));
}

}  // namespace glcl::opticalflow
