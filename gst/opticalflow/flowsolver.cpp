// SPDX-License-Identifier: LGPL-2.1-or-later
// The solver's steps from level to level.
#include <algorithm>

#include "flowlayout.h"

namespace glcl::opticalflow {

/// `spacing`: texels of the level between the nodes of the flow.
Flow::FlowState Flow::select_candidates(Queue &queue, const FramePair &frames, int level,
                                        int spacing, const FlowState &state, float scale) {
  const cl::Buffer *to = state.flow == &flow_[0] ? &flow_[1] : &flow_[0];
  candidates_->select(queue,
                      {texels(frames.before), texels(frames.after), levels_[level].cl(),
                       noise_gains_[level], frames.matched_brightness, noise_.variances()},
                      {*state.flow, state.size, spacing, scale}, *to);
  return {to, state.size};
}

/// Local memory of a group that takes whole lattices: votes, the start of steps, and sums.
TileMemory Flow::fused_memory(const Settings &settings, const Lattice &lattice) const {
  const auto sums = TileMemory::sums(tensor_tile_, window_radius, fused_.sums);
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

/// The finest level, above level `above` and from `level` on, whose lattices one group can take;
/// else `level` + 1.
int Flow::last_fused_level(const Settings &settings, int level, int above) const {
  const auto &lattices = lattices_[window_class(settings.window)].of_level;
  const auto fits = [&](const Lattice &lattice) {
    if (lattice.columns > int(fused_.tile.x) || lattice.rows > int(fused_.tile.y)) return false;
    const TileMemory memory = fused_memory(settings, lattice);
    return (memory.tile + memory.strip) * sizeof(cl_float4) <= local_memory_;
  };
  int last = level + 1;
  while (most_steps_ > 1 && last - 1 > above && fits(lattices[last - 1])) last--;
  return last;
}

/// `sums`: whether the tensors of all lattices are still to be computed.
Flow::FlowState Flow::warp_fused(Queue &queue, const Settings &settings, const FramePair &frames,
                                 int level, int last, const FlowState &state, float scale,
                                 bool sums) {
  const Lattices &lattices = lattices_[window_class(settings.window)];
  const Lattice &lattice = lattices.of_level[last];
  const cl::Buffer *to = state.flow == &flow_[0] ? &flow_[1] : &flow_[0];
  const TileMemory memory = fused_memory(settings, lattice);
  const int tiles = sums ? lattices.tiles[last] : 0;
  const FusedWarp warp{tensor_sums(settings, tiles, memory.tile),
                       state.size,
                       level,
                       last,
                       settings.warps,
                       settings.median / 2,
                       scale,
                       spread(make_window(settings.window, lattice.step, fused_.radius)),
                       static_cast<int>(memory.nodes)};
  const Size group = fused_.kernel.group();
  fused_.kernel(queue, {(1 + tiles + (sums ? row_groups(group) : 0)) * group.x, group.y},
                texels(frames.before), texels(frames.after), frames.before.grey, frames.after.grey,
                frames.brightness, noise_.variances(), lattices.table, sums_, residuals_, slopes_,
                tally_, row_ratios_, *state.flow, *to, warp,
                cl::Local((memory.tile + memory.strip) * sizeof(cl_float4)));
  return {to, lattice.size()};
}

Flow::FlowState Flow::warp(Queue &queue, const Settings &settings, const FramePair &frames,
                           int level, const FlowState &state, float scale) {
  const Lattice &lattice = lattices_[window_class(settings.window)].of_level[level];
  int shift = state.size.s[0] < lattice.columns || state.size.s[1] < lattice.rows;
  Solver &solver = level ? coarse_ : finest_;
  const int warps = settings.warps, spacing = settings.median / 2;
  // Gives every compute unit as much work, in as few groups as possible. With at most one group per
  // unit a launch costs more than the surroundings for further steps.
  const int tiles = tile_count(solver.tile, lattice.columns, lattice.rows);
  const int each = divide_up(tiles, compute_units_);
  int most = each > 1 ? 1 : std::min(most_steps_, warps);
  const auto tile_for = [&](int steps) {
    return even_tile(lattice.side(), solver.tile, size_t(each) * compute_units_,
                     2 * (steps * solver.radius + (steps - 1) * spacing));
  };
  Size tile = tile_for(most);
  while (most > 1 &&
         TileMemory(tile, lattice.side(), solver.radius, solver.sums, spacing, most).bytes() >
             local_memory_)
    tile = tile_for(--most);
  FlowState now = state;
  for (int left = warps; left > 0; left -= most, shift = 0, scale = 1)
    now =
        warp(queue, settings, solver, tile, std::min(most, left), frames, level, now, shift, scale);
  return now;
}

Flow::FlowState Flow::warp(Queue &queue, const Settings &settings, Solver &solver, Size tile,
                           int warps, const FramePair &frames, int level, const FlowState &state,
                           int shift, float scale) {
  const Lattice &lattice = lattices_[window_class(settings.window)].of_level[level];
  const cl::Buffer *to = state.flow == &flow_[0] ? &flow_[1] : &flow_[0];
  const int spacing = settings.median / 2;
  const Size group = solver.kernel.group();
  const TileMemory memory(tile, lattice.side(), solver.radius, solver.sums, spacing, warps);
  const auto window = make_window(settings.window, lattice.step, solver.radius);
  solver.kernel(
      queue,
      {divide_up(lattice.columns, int(tile.x)) * group.x,
       divide_up(lattice.rows, int(tile.y)) * group.y},
      channels_ == Channels::census ? frames.before.census : slopes_, texels(frames.after),
      level > Candidates::chosen_level(width_, height_) ? frames.brightness
                                                        : frames.matched_brightness,
      sums_, residuals_, noise_.variances(), *state.flow, *to,
      Warp{levels_[level].cl(), noise_gains_[level], window, lattice.size(), state.size,
           vector(tile), lattice.step, lattice.first_tensor, shift, warps, spacing, scale,
           spread(window), static_cast<float>(settings.alpha)},
      cl::Local(memory.tile * sizeof(cl_float2)), cl::Local(memory.strip * sizeof(cl_float2)),
      cl::Local(memory.nodes * sizeof(cl_float2)));
  return {to, lattice.size()};
}

void Flow::dense_warp(Queue &queue, const Settings &settings, const FramePair &frames,
                      const FlowState &state, float scale) {
  const int step = steps[window_class(settings.window)];
  const Size nodes{size_t(divide_up(width_, 2 * step)), size_t(divide_up(height_, 2 * step))};
  const Size tile = dense_.tile, group = dense_.kernel.group();
  const TileMemory memory = TileMemory::dense(tile, dense_.radius, dense_.sums);
  const float half_confidence = channels_ == Channels::census ? 120 : 5;
  const auto window = make_window(settings.window, 2 * step, dense_.radius, step * step / 4.0);
  const Lattice &coarse = lattices_[window_class(settings.window)].of_level[0];
  dense_.kernel(
      queue,
      {divide_up(int(nodes.x), int(tile.x)) * group.x,
       divide_up(int(nodes.y), int(tile.y)) * group.y},
      texels(frames.before), texels(frames.after), frames.matched_brightness, sums_, residuals_,
      noise_.variances(), *state.flow, result_, confidence_,
      DenseWarp{levels_[0].cl(), noise_gains_[0], window, vector(nodes), state.size, vector(tile),
                coarse.size(), step, settings.median / 2, scale, dense_noise_share * spread(window),
                static_cast<float>(settings.alpha), half_confidence, static_cast<int>(memory.tile),
                static_cast<int>(memory.strip)},
      cl::Local(memory.dense_bytes()));
}

}  // namespace glcl::opticalflow
