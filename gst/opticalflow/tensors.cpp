// SPDX-License-Identifier: LGPL-2.1-or-later
#include "tensors.h"

#include <algorithm>

#include "flowlayout.h"

namespace glcl::opticalflow {

namespace {

// Bands of the frame's height within which rolling brightness differs little.
constexpr int row_bands = 120;
constexpr int table_unit = 32;  // floats; tables start at multiples of it

}  // namespace

Program solver_program(Context &context, const std::string &file, const SolverForm &form,
                       FlowChannels channels, bool fused) {
  std::string options = "-cl-mad-enable -DRADIUS=" + std::to_string(form.radius) +
                        " -DSUMS=" + std::to_string(form.sums);
  if (channels == FlowChannels::census) options += " -DCENSUS";
  if (form.group.y > 1) options += " -DLINEAR_ITEMS";
  if (fused) options += " -DFUSED_LEVELS";
  // Some drivers allow larger groups only if the kernel requires their size.
  if (form.group.x * form.group.y > 256)
    options +=
        " -DGROUP_X=" + std::to_string(form.group.x) + " -DGROUP_Y=" + std::to_string(form.group.y);
  return context.program(file, options);
}

FlowTensors::FlowTensors(Context &context, const FlowPyramids &pyramids, FlowChannels channels,
                         const SolverForm &form, bool large)
    : rows_(divide_up(pyramids.height(), ROW_SPACING)),
      sums_(form.sums),
      tile_{form.tile.x, large ? form.tile.y : std::max<size_t>(form.tile.y / 2, 1)},
      kernel_(context, solver_program(context, "opticalflow/tensors.cl", form, channels),
              "flow_tensors", form.group) {
  const auto fits = [&] {
    const TileMemory own = memory(sums_);
    return (own.tile + own.strip + 1) * sizeof(cl_float4) <= context.device().local_memory();
  };
  while (!fits() && tile_.y > size_t(sums_)) tile_.y -= sums_;
  allocate(context.cl(), pyramids, channels);
}

void FlowTensors::allocate(const cl::Context &context, const FlowPyramids &pyramids,
                           FlowChannels channels) {
  int most_nodes = 0;
  for (int i = 0; i < 3; i++) {
    Lattices &lattices = lattices_[i];
    std::vector<LatticeLevel> table;
    int nodes = 0, tiles = 0;
    for (size_t number = 0; number < pyramids.all_levels().size(); number++) {
      const FlowLevel &level = pyramids.all_levels()[number];
      const int step = steps[i] * (number ? 2 : 4);
      const int columns = divide_up(level.width, step), rows = divide_up(level.height, step);
      lattices.of_level.push_back({columns, rows, nodes, step});
      lattices.tiles.push_back(tiles);
      const int last_tile = tiles + tile_count(tile_, columns, rows);
      table.push_back(
          {level.cl(), pyramids.gains()[number], {{columns, rows}}, step, nodes, tiles, last_tile});
      nodes += columns * rows;
      tiles = last_tile;
    }
    lattices.tiles.push_back(tiles);
    lattices.table = filled(context, table);
    most_nodes = std::max(most_nodes, nodes);
  }
  int end = static_cast<int>(sizeof(FrameTally) / sizeof(cl_float)) + rows_;
  const auto table = [&end](int floats) {
    const int start = divide_up(end, table_unit) * table_unit;
    end = start + floats;
    return start;
  };
  starts_.tensors = table(4 * most_nodes);
  starts_.slopes = table(channels == FlowChannels::census ? 0 : 4 * most_nodes);
  starts_.residuals = table(most_nodes);
  tables_ = filled(context, std::vector<cl_float>(end), CL_MEM_READ_WRITE);
}

const FlowTensors::Lattices &FlowTensors::lattices(const FlowSettings &settings) const {
  return lattices_[window_class(settings.window)];
}

TensorSums FlowTensors::sums(const FlowSettings &settings, int tiles, size_t strip) const {
  const int step = lattices(settings).of_level[0].step;
  return {starts_,
          make_window(settings.window, step, finest_radius),
          make_window(settings.window, step / 2, window_radius),
          vector(tile_),
          tiles,
          rows_,
          std::max(rows_ / (row_bands * ROW_SPACING), 1),
          static_cast<float>(settings.alpha),
          static_cast<int>(strip)};
}

size_t FlowTensors::row_groups(Size group) const {
  const size_t items = group.x * group.y, at_a_time = items % ROW_ITEMS ? 1 : items / ROW_ITEMS;
  return (rows_ + at_a_time - 1) / at_a_time;
}

TileMemory FlowTensors::memory(int sums) const {
  return TileMemory::sums(tile_, window_radius, sums);
}

void FlowTensors::run(Queue &queue, const FlowSettings &settings, const FramePair &frames,
                      int levels) {
  const Lattices &lattices = this->lattices(settings);
  const Size group = kernel_.group();
  const TileMemory memory = this->memory(sums_);
  const int tiles = lattices.tiles[levels];
  const size_t strip = std::max(memory.tile, group.x * group.y);
  kernel_(queue, {(tiles + row_groups(group)) * group.x, group.y}, frames.before.texels(),
          frames.after.texels(), frames.before.grey, frames.after.grey, frames.brightness,
          frames.pyramids.noise().variances(), lattices.table, tables_,
          sums(settings, tiles, strip), cl::Local((strip + memory.strip) * sizeof(cl_float4)));
}

}  // namespace glcl::opticalflow
