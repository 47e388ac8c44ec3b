// SPDX-License-Identifier: LGPL-2.1-or-later
#include "flow.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "opencl/error.h"

namespace glcl {

namespace {

constexpr int border = 2;                 // texels around a level; BORDER in the kernels
constexpr int pitch_unit = 16;            // texels
constexpr int columns = 4;                // of a work-item in sums along x; COLUMNS in the kernels
constexpr int dense_steps[] = {1, 2, 4};  // powers of 2, as flow_finish has them
constexpr int dense_windows[] = {15, 31, 63};  // the largest for each step
constexpr Size pixel_group{32, 8}, small_group{16, 16};

int round_up(int n, int unit) { return (n + unit - 1) / unit * unit; }
int divide_up(int n, int unit) { return (n + unit - 1) / unit; }
int half(int n) { return (n + 1) / 2; }

/// A row of the table that flow_tensors takes.
struct TableRow {
  cl_int4 level;
  cl_int2 size;
  cl_int first_tensor, first_tile;
};

int tile_count(Size tile, int columns, int rows) {
  return divide_up(columns, static_cast<int>(tile.x)) * divide_up(rows, static_cast<int>(tile.y));
}

int window_class(int window) {
  int i = 0;
  while (i < 2 && window > dense_windows[i]) i++;
  return i;
}

Parameters default_variant(const Device &device, const std::string &) {
  return {{"group-x", 32}, {"group-y", 16}, {"rows", 2}};
}

bool possible_variant(const Device &device, const std::string &, const Parameters &variant) {
  const size_t items = size_t(variant.at("group-x")) * variant.at("group-y");
  return items >= 64 && items <= device.device.getInfo<CL_DEVICE_MAX_WORK_GROUP_SIZE>() &&
         Flow::local_bytes(variant) + 1024 <= device.device.getInfo<CL_DEVICE_LOCAL_MEM_SIZE>();
}

/// Local memory of a group, in elements: the tile with the window around it; then what holds sums
/// along y, and for that also two tiles of the incoming flow before.
struct TileMemory {
  size_t tile, strip, sums;

  TileMemory(Size side, int radius, bool refine) {
    const size_t wide = side.x + 2 * radius, tall = side.y, high = tall + 2 * radius;
    const size_t pitch = wide | 1;
    const size_t node_x = refine ? wide / 2 + 2 : wide, node_y = refine ? high / 2 + 2 : high;
    tile = pitch * high;
    sums = pitch * tall + columns;
    strip = std::max(sums, node_x * node_y + (node_x + 4) * (node_y + 4));
  }
};

}  // namespace

size_t Flow::local_bytes(const Parameters &variant) {
  const TileMemory memory(
      {size_t(variant.at("group-x")), size_t(variant.at("group-y")) * variant.at("rows")}, 7, true);
  return (memory.tile + memory.strip) * sizeof(cl_float2);
}

const Tunable &Flow::tunable() {
  static const Tunable tunable{
      "flow",
      {"coarse", "dense"},
      {"opticalflow/warp.cl"},
      {{"group-x", {16, 32, 64}}, {"group-y", {4, 8, 16}}, {"rows", {1, 2, 4, 8}}},
      default_variant,
      possible_variant};
  return tunable;
}

int Flow::automatic_levels(int width, int height) {
  int levels = 1;
  for (int side = std::min(width, height); side >= 31; side = half(side)) levels++;
  return levels;
}

int Flow::most_levels(int width, int height) {
  int levels = 1;
  for (int side = std::min(width, height); side >= 8; side = half(side)) levels++;
  return levels;
}

int Flow::levels(const Settings &settings) const {
  const int most = static_cast<int>(levels_.size());
  return settings.levels > 0 ? std::min(settings.levels, most)
                             : std::min(automatic_levels(width_, height_), most);
}

Flow::Flow(Context &context, int width, int height, Layout layout, Channels channels)
    : Flow(context, width, height, layout, channels, tuned(tunable(), context.device(), "coarse"),
           tuned(tunable(), context.device(), "dense")) {}

Flow::Flow(Context &context, int width, int height, Layout layout, Channels channels,
           const Parameters &coarse, const Parameters &dense)
    : context_(context.cl()), width_(width), height_(height), layout_(layout), channels_(channels) {
  try {
    build(context, coarse, dense);
  } catch (const cl::Error &error) {
    throw Error("The optical flow can't be set up on " + context.device().name + ".", error);
  }
}

void Flow::build(Context &context, const Parameters &coarse, const Parameters &dense) {
  int texels = 0, w = width_, h = height_;
  for (int i = most_levels(width_, height_); i > 0; i--) {
    const int pitch = round_up(w + 2 * border, pitch_unit);
    levels_.push_back({w, h, pitch, texels + border * pitch + border});
    texels += pitch * (h + 2 * border);
    w = half(w), h = half(h);
  }
  const auto buffer = [&](size_t bytes) { return cl::Buffer(context_, CL_MEM_READ_WRITE, bytes); };
  for (Pyramid *pyramid : {&previous_, &current_}) {
    pyramid->grey = buffer(texels * sizeof(cl_float));
    if (channels_ == Channels::census) pyramid->census = buffer(texels * sizeof(cl_char4));
  }
  const size_t pixels = size_t(width_) * height_;
  for (cl::Buffer *flow : {&flow_[0], &flow_[1], &backward_, &field_.vectors})
    *flow = buffer(pixels * sizeof(cl_float2));
  field_.confidence = buffer(pixels * sizeof(cl_float));
  field_.width = width_, field_.height = height_;
  std::vector<cl_float2> still(size_t(half(width_)) * half(height_));
  zero_ = cl::Buffer(context_, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                     still.size() * sizeof(cl_float2), still.data());

  device_groups_ =
      static_cast<int>(2 * context.device().device.getInfo<CL_DEVICE_MAX_COMPUTE_UNITS>());
  const cl::Program program = context.program("opticalflow/pyramid.cl");
  grey_ = Kernel(context, program,
                 layout_ == Layout::image ? "flow_grey_image" : "flow_grey_buffer", pixel_group);
  down_ = Kernel(context, program, "flow_down", pixel_group);
  census_ = Kernel(context, program, "flow_census", pixel_group);
  const cl::Program ending = context.program("opticalflow/finish.cl");
  finish_ = Kernel(context, ending, "flow_finish", pixel_group);
  check_ = Kernel(context, ending, "flow_check", pixel_group);
  set_up(context, coarse_, 3, false, coarse);
  set_up(context, dense_, 7, true, dense);
}

cl::Program Flow::solver_program(Context &context, const Solver &solver, int rows) {
  std::string options = "-cl-mad-enable -DRADIUS=" + std::to_string(solver.radius) +
                        " -DROWS=" + std::to_string(rows);
  if (solver.refine) options += " -DREFINE";
  if (channels_ == Channels::census) options += " -DCENSUS";
  return context.program("opticalflow/warp.cl", options);
}

void Flow::set_up(Context &context, Solver &solver, int radius, bool refine,
                  const Parameters &variant) {
  solver.radius = radius, solver.refine = refine;
  const size_t x = variant.at("group-x"), y = variant.at("group-y");
  const int rows = variant.at("rows");
  const cl::Program program = solver_program(context, solver, rows);
  solver.warp = {Kernel(context, program, "flow_warp", {x, y}), rows};
  // Twice as much in local memory for every node.
  solver.tensors = {Kernel(context, program, "flow_tensors", {x, std::max<size_t>(y / 2, 1)}),
                    rows};
  solver.small_warp = solver.warp;
  if (!context.device().is_cpu())
    solver.small_warp = {
        Kernel(context, solver_program(context, solver, 1), "flow_warp", small_group), 1};

  const Size tile = solver.tensors.side();
  int most_nodes = 0;
  for (int i = 0; i < 3; i++) {
    Lattices &lattices = solver.lattices[i];
    lattices.step = refine ? dense_steps[i] : 2 * dense_steps[i];
    std::vector<TableRow> table;
    int nodes = 0, tiles = 0;
    for (const Level &level : levels_) {
      const int columns = divide_up(level.width, lattices.step),
                rows = divide_up(level.height, lattices.step);
      lattices.of_level.push_back({columns, rows, nodes});
      lattices.tiles.push_back(tiles);
      table.push_back({level.cl(), {{columns, rows}}, nodes, tiles});
      nodes += columns * rows;
      tiles += tile_count(tile, columns, rows);
    }
    lattices.tiles.push_back(tiles);
    lattices.table = cl::Buffer(context_, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                                table.size() * sizeof(TableRow), table.data());
    most_nodes = std::max(most_nodes, nodes);
  }
  solver.sums = cl::Buffer(context_, CL_MEM_READ_WRITE, size_t(most_nodes) * 3 * sizeof(cl_float));
}

namespace {

/// Taps of a Gaussian of sigma = window / 6, cut at the window's edge, of nodes `step` px apart.
template <class Window>
Window make_window(int window, int step, int radius) {
  Window result{};
  const double sigma = window / 6.0;
  double sum = 0;
  for (int i = 0; i <= std::min(radius, window / 2 / step); i++) {
    const double tap = std::exp(-0.5 * (i * step) * (i * step) / (sigma * sigma));
    result.tap[i] = static_cast<float>(tap);
    sum += i ? 2 * tap : tap;
  }
  for (float &tap : result.tap) tap = static_cast<float>(tap / sum);
  return result;
}

}  // namespace

bool Flow::run(Queue &queue, const Settings &settings, const Picture &in) {
  check_picture(in, width_, height_, layout_, "The optical flow");
  try {
    std::swap(previous_, current_);
    const int taken = this->levels(settings);
    take(queue, in, taken);
    const int levels = std::min(taken, std::exchange(previous_levels_, taken));
    if (!levels) return false;
    if (settings.check) {
      sum_tensors(queue, settings, current_, levels);
      finish(queue, settings, solve(queue, settings, current_, previous_, levels), backward_);
    }
    sum_tensors(queue, settings, previous_, levels);
    finish(queue, settings, solve(queue, settings, previous_, current_, levels), field_.vectors);
    if (settings.check)
      check_(queue, {size_t(width_), size_t(height_)}, field_.vectors, backward_, field_.confidence,
             cl_int2{{width_, height_}});
    return true;
  } catch (const cl::Error &error) {
    throw Error("The optical flow could not be run.", error);
  }
}

void Flow::take(Queue &queue, const Picture &in, int levels) {
  const auto padded = [](const Level &level) {
    return Size{size_t(level.width) + 2 * border, size_t(level.height) + 2 * border};
  };
  const Size pixels{size_t(width_), size_t(height_)}, group = grey_.group();
  const cl::LocalSpaceArg tile = cl::Local((group.x + 2) * (group.y + 2) * sizeof(cl_float));
  if (layout_ == Layout::image)
    grey_(queue, pixels, in.image, current_.grey, levels_[0].cl(), tile);
  else
    grey_(queue, pixels, in.buffer, in.pitch, current_.grey, levels_[0].cl(), tile);
  for (int i = 1; i < levels; i++)
    down_(queue, padded(levels_[i]), current_.grey, levels_[i - 1].cl(), levels_[i].cl());
  if (channels_ == Channels::census)
    for (int i = 0; i < levels; i++)
      census_(queue, padded(levels_[i]), current_.grey, current_.census, levels_[i].cl());
}

void Flow::sum_tensors(Queue &queue, const Settings &settings, const Pyramid &before, int levels) {
  for (Solver *solver : {&coarse_, &dense_}) {
    if (solver == &coarse_ && settings.warps == 1) continue;
    const Lattices &lattices = solver->lattices[window_class(settings.window)];
    const Size group = solver->tensors.kernel.group(), tile = solver->tensors.side();
    const TileMemory memory(tile, solver->radius, solver->refine);
    solver->tensors.kernel(queue, {lattices.tiles[levels] * group.x, group.y}, texels(before),
                           lattices.table, levels, lattices.step, solver->sums,
                           make_window<Window>(settings.window, lattices.step, solver->radius),
                           static_cast<float>(settings.alpha),
                           cl::Local(memory.tile * sizeof(cl_float4)),
                           cl::Local(memory.sums * sizeof(cl_float4)));
  }
}

/// From the coarsest level to the finest, on its dense lattice.
Flow::State Flow::solve(Queue &queue, const Settings &settings, const Pyramid &before,
                        const Pyramid &after, int levels) {
  const Lattices &lattices = coarse_.lattices[window_class(settings.window)];
  State state{&zero_, lattices.of_level[levels - 1].size()};
  for (int level = levels - 1; level >= 0; level--) {
    float scale = 2;  // texels of the next coarser level became half as large
    for (int i = 1; i < settings.warps; i++, scale = 1)
      state = warp(queue, settings, coarse_, before, after, level, state, scale);
    state = warp(queue, settings, dense_, before, after, level, state, scale);
  }
  return state;
}

Flow::State Flow::warp(Queue &queue, const Settings &settings, Solver &solver,
                       const Pyramid &before, const Pyramid &after, int level, const State &state,
                       float scale) {
  const Lattices &lattices = solver.lattices[window_class(settings.window)];
  const Lattice &lattice = lattices.of_level[level];
  const cl::Buffer *to = state.flow == &flow_[0] ? &flow_[1] : &flow_[0];
  const bool busy = tile_count(solver.warp.side(), lattice.columns, lattice.rows) >= device_groups_;
  Tiles &tiles = busy ? solver.warp : solver.small_warp;
  const TileMemory memory(tiles.side(), solver.radius, solver.refine);
  tiles.kernel(queue, {size_t(lattice.columns), size_t(divide_up(lattice.rows, tiles.rows))},
               texels(before), texels(after), levels_[level].cl(), lattices.step, solver.sums,
               lattice.first_tensor, *state.flow, state.size, scale, *to, lattice.size(),
               make_window<Window>(settings.window, lattices.step, solver.radius),
               static_cast<float>(settings.alpha), settings.median / 2,
               cl::Local(memory.tile * sizeof(cl_float2)),
               cl::Local(memory.strip * sizeof(cl_float2)));
  return {to, lattice.size()};
}

void Flow::finish(Queue &queue, const Settings &settings, const State &state,
                  const cl::Buffer &vectors) {
  const float half_sure = channels_ == Channels::census ? 400 : 16;
  finish_(queue, {size_t(width_), size_t(height_)}, *state.flow, state.size,
          window_class(settings.window), settings.median / 2, dense_.sums,
          static_cast<float>(settings.alpha), half_sure, vectors, field_.confidence,
          cl_int2{{width_, height_}},
          cl::Local((finish_.group().x + 5) * (finish_.group().y + 5) * sizeof(cl_float2)));
}

}  // namespace glcl
