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
constexpr int sum_columns = 4;                // COLUMNS in the kernels
constexpr int finish_rows = 4;                // ROWS of flow_finish
constexpr int steps[] = {1, 2, 4};            // powers of 2, as flow_finish has them
constexpr int step_windows[] = {15, 31, 63};  // the largest for each step
constexpr int median_reach = 2;               // nodes, at most
constexpr int single_group = 16384;           // texels of a level that one group makes
constexpr Size pixel_group{32, 8};

int round_up(int n, int unit) { return (n + unit - 1) / unit * unit; }
int divide_up(int n, int unit) { return (n + unit - 1) / unit; }
int half(int n) { return (n + 1) / 2; }

/// A row of the table that flow_tensors takes.
struct TableRow {
  cl_int4 level;
  cl_int2 size;
  cl_int step, first_tensor, first_tile;
};

int tile_count(Size tile, int columns, int rows) {
  return divide_up(columns, static_cast<int>(tile.x)) * divide_up(rows, static_cast<int>(tile.y));
}

int window_class(int window) {
  int i = 0;
  while (i < 2 && window > step_windows[i]) i++;
  return i;
}

Parameters default_variant(const Device &device, const std::string &problem) {
  if (problem == "coarse")
    return {{"group-x", 32}, {"group-y", 8}, {"tile-x", 32}, {"tile-y", 16}, {"rows", 2}};
  return {{"group-x", 32}, {"group-y", 8}, {"tile-x", 32}, {"tile-y", 16}, {"rows", 4}};
}

/// Elements of the two arrays in local memory of a work-group: the voters of a tile of nodes, and their
/// sums along y.
struct TileMemory {
  size_t tile, strip;

  TileMemory(Size side, int radius, int every, int rows) {
    const size_t pitch = (every * (side.x - 1) + 1 + 2 * radius) | 1;
    const size_t all_rows = round_up(static_cast<int>(side.y), rows);
    tile = pitch * (every * (all_rows - 1) + 1 + 2 * radius);
    strip = pitch * side.y + every * sum_columns;
  }
  /// Through some steps: also flows, and their medians, `shift` halvings further apart at first.
  TileMemory(Size side, int radius, int every, int rows, int spacing, int warps, int shift)
      : TileMemory(side, radius, every, rows) {
    if (warps > 1) {
      const size_t grow = 2 * (radius + spacing);
      const TileMemory before({side.x + grow, side.y + grow}, radius, every, rows, spacing, warps - 1, shift);
      tile = std::max(tile, before.tile), strip = std::max(strip, before.strip);
      shift = 0;
    }
    const size_t x = ((every * side.x + 2 * radius) >> shift) + 3, y = ((every * side.y + 2 * radius) >> shift) + 3;
    tile = std::max(tile, (x + 2 * spacing) * (y + 2 * spacing));
    strip = std::max(strip, x * y);
  }
  size_t bytes(size_t element) const { return (tile + strip) * element; }
};

Size tile_of(const Parameters &variant) {
  return {size_t(variant.at("tile-x")), size_t(variant.at("tile-y"))};
}

bool possible_variant(const Device &device, const std::string &problem, const Parameters &variant) {
  const size_t items = size_t(variant.at("group-x")) * variant.at("group-y");
  return items >= 64 && items <= device.device.getInfo<CL_DEVICE_MAX_WORK_GROUP_SIZE>() &&
         Flow::local_bytes(problem, variant) + 1024 <= device.device.getInfo<CL_DEVICE_LOCAL_MEM_SIZE>();
}

}  // namespace

size_t Flow::local_bytes(const std::string &problem, const Parameters &variant) {
  const bool last = problem == "dense";
  return TileMemory(tile_of(variant), last ? 7 : 3, last ? 2 : 1, variant.at("rows"), median_reach, 1, last ? 2 : 1)
      .bytes(sizeof(cl_float2));
}

const Tunable &Flow::tunable() {
  static const Tunable tunable{"flow",
                               {"coarse", "dense"},
                               {"opticalflow/warp.cl"},
                               {{"group-x", {16, 32, 64}},
                                {"group-y", {4, 8, 16}},
                                {"tile-x", {16, 32, 64}},
                                {"tile-y", {8, 16, 32}},
                                {"rows", {2, 4, 8}}},
                               default_variant,
                               possible_variant};
  return tunable;
}

int Flow::automatic_levels(int width, int height) {
  int levels = 1;
  for (int side = std::min(width, height); side >= 23; side = half(side)) levels++;
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
  std::vector<cl_int4> table;
  for (const Level &level : levels_) table.push_back(level.cl());
  level_table_ = filled(table);
  light_[0] = buffer(sizeof(cl_float2)), light_[1] = buffer(sizeof(cl_float2));

  const size_t pixels = size_t(width_) * height_;
  for (cl::Buffer *flow : {&flow_[0], &flow_[1]})
    *flow = buffer(size_t(half(width_)) * half(height_) * sizeof(cl_float2));
  for (cl::Buffer *flow : {&backward_, &field_.vectors}) *flow = buffer(pixels * sizeof(cl_float2));
  field_.confidence = buffer(pixels * sizeof(cl_float));
  field_.width = width_, field_.height = height_;
  zero_ = filled(std::vector<cl_float2>(size_t(divide_up(width_, 4)) * divide_up(height_, 4)));

  const cl::Device &device = context.device().device;
  compute_units_ =
      context.device().is_cpu() ? 1 : static_cast<int>(device.getInfo<CL_DEVICE_MAX_COMPUTE_UNITS>());
  const cl::Program program = context.program("opticalflow/pyramid.cl");
  grey_ = Kernel(context, program,
                 layout_ == Layout::image ? "flow_grey_image" : "flow_grey_buffer", pixel_group);
  down_ = Kernel(context, program, "flow_down", pixel_group);
  small_ = Kernel(context, program, "flow_small", {512, 1});
  census_ = Kernel(context, program, "flow_census", pixel_group);
  const cl::Program ending =
      context.program("opticalflow/finish.cl", "-DROWS=" + std::to_string(finish_rows));
  finish_ = Kernel(context, ending, "flow_finish", pixel_group);
  check_ = Kernel(context, ending, "flow_check", pixel_group);
  set_up(context, coarse_, 3, 1, coarse);
  set_up(context, finest_, 1, 1, coarse);
  set_up(context, last_, 7, 2, dense);
  set_up(context, tensors_, coarse_, coarse, false);
  set_up(context, last_tensors_, last_, dense, true);
}

cl::Program Flow::program(Context &context, const Solver &solver) {
  std::string options = "-cl-mad-enable -DRADIUS=" + std::to_string(solver.radius) +
                        " -DEVERY=" + std::to_string(solver.every) +
                        " -DROWS=" + std::to_string(solver.rows);
  if (channels_ == Channels::census) options += " -DCENSUS";
  if (solver.group.x * solver.group.y > 256)
    options += " -DGROUP_X=" + std::to_string(solver.group.x) + " -DGROUP_Y=" + std::to_string(solver.group.y);
  return context.program("opticalflow/warp.cl", options);
}

void Flow::set_up(Context &context, Solver &solver, int radius, int every,
                  const Parameters &variant) {
  solver.radius = radius, solver.every = every;
  solver.rows = variant.at("rows"), solver.tile = tile_of(variant);
  solver.group = {size_t(variant.at("group-x")), size_t(variant.at("group-y"))};
  solver.warp = Kernel(context, program(context, solver), "flow_warp", solver.group);
}

void Flow::set_up(Context &context, Tensors &tensors, const Solver &solver,
                  const Parameters &variant, bool last) {
  tensors.kernel = Kernel(context, program(context, solver), "flow_tensors",
                          {size_t(variant.at("group-x")), size_t(variant.at("group-y"))});
  // Twice as much in local memory for every node.
  tensors.tile = {std::max<size_t>(solver.tile.x / 2, 8), solver.tile.y};
  int most_nodes = 0;
  for (int i = 0; i < 3; i++) {
    Lattices &lattices = tensors.lattices[i];
    std::vector<TableRow> table;
    int nodes = 0, tiles = 0;
    for (const Level &level : levels_) {
      const bool finest = table.empty();
      const int apart = steps[i] * (finest && !last ? 4 : 2);
      const int columns = divide_up(level.width, apart), rows = divide_up(level.height, apart);
      const int step = last ? steps[i] : apart;
      lattices.of_level.push_back({columns, rows, nodes, step});
      lattices.tiles.push_back(tiles);
      table.push_back({level.cl(), {{columns, rows}}, step, nodes, tiles});
      nodes += columns * rows;
      tiles += tile_count(tensors.tile, columns, rows);
      if (last) break;
    }
    lattices.tiles.push_back(tiles);
    lattices.table = filled(table);
    most_nodes = std::max(most_nodes, nodes);
  }
  tensors.sums = cl::Buffer(context_, CL_MEM_READ_WRITE, size_t(most_nodes) * 3 * sizeof(cl_float));
}

template <class Value>
cl::Buffer Flow::filled(std::vector<Value> values) {
  return cl::Buffer(context_, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, values.size() * sizeof(Value),
                    values.data());
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
    const int taken = std::max(this->levels(settings), automatic_levels(width_, height_));
    take(queue, in, taken);
    const int levels =
        std::min(this->levels(settings), std::exchange(previous_levels_, taken));
    if (!levels) return false;
    if (settings.check) {
      sum_tensors(queue, settings, current_, levels);
      finish(queue, settings, solve(queue, settings, {current_, previous_, light_[1]}, levels),
             backward_);
    }
    sum_tensors(queue, settings, previous_, levels);
    finish(queue, settings, solve(queue, settings, {previous_, current_, light_[0]}, levels), field_.vectors);
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
  const int lit = automatic_levels(width_, height_);
  int level = 1;
  for (; level < levels && levels_[level].width * levels_[level].height > single_group; level++)
    down_(queue, padded(levels_[level]), current_.grey, levels_[level - 1].cl(), levels_[level].cl());
  small_(queue, small_.group(), current_.grey, level_table_, level, levels, lit - 1, previous_.grey, light_[0], light_[1],
         cl::Local(small_.group().x * sizeof(cl_float2)));
  if (channels_ == Channels::census)
    for (int i = 0; i < levels; i++)
      census_(queue, padded(levels_[i]), current_.grey, current_.census, levels_[i].cl());
}

void Flow::sum_tensors(Queue &queue, const Settings &settings, const Pyramid &before, int levels) {
  const int kind = window_class(settings.window);
  const auto sum = [&](Tensors &tensors, const Solver &solver, int levels, const Window &first,
                       const Window &other) {
    const Lattices &lattices = tensors.lattices[kind];
    const Size group = tensors.kernel.group();
    const TileMemory memory(tensors.tile, solver.radius, solver.every, solver.rows);
    tensors.kernel(queue, {lattices.tiles[levels] * group.x, group.y}, texels(before),
                   lattices.table, levels, cl_int2{{int(tensors.tile.x), int(tensors.tile.y)}},
                   tensors.sums, first, other, static_cast<float>(settings.alpha),
                   cl::Local(memory.tile * sizeof(cl_float4)),
                   cl::Local(memory.strip * sizeof(cl_float4)));
  };
  const auto window = [&](const Solver &solver, int step) {
    return make_window<Window>(settings.window, step, solver.radius);
  };
  if (settings.warps > 1 || levels > 1)
    sum(tensors_, coarse_, levels, window(finest_, 4 * steps[kind]), window(coarse_, 2 * steps[kind]));
  sum(last_tensors_, last_, 1, window(last_, steps[kind]), {});
}

/// From the coarsest level to the finest, on the lattice of its last warp.
Flow::State Flow::solve(Queue &queue, const Settings &settings, const Frames &frames, int levels) {
  const int kind = window_class(settings.window), spacing = settings.median / 2;
  const std::vector<Lattice> &lattices = tensors_.lattices[kind].of_level;
  State state{&zero_, lattices[levels - 1].size()};
  float scale = 1;
  for (int level = levels - 1; level >= 0; level--) {
    Solver &solver = level ? coarse_ : finest_;
    int shift = level && level < levels - 1 ? 1 : 0;
    for (int left = settings.warps - (level ? 0 : 1); left > 0; shift = 0, scale = 1) {
      const Plan plan = this->plan(solver, lattices[level], spacing, left);
      state = warp(queue, settings, solver, frames, level, lattices[level], tensors_.sums, state, shift,
                   scale, plan);
      left -= plan.warps;
    }
    if (level) scale = 2;  // texels of the next finer level are half as large
  }
  return warp(queue, settings, last_, frames, 0, last_tensors_.lattices[kind].of_level[0],
              last_tensors_.sums, state, 2, scale, {last_.tile, 1});
}

Flow::Plan Flow::plan(const Solver &solver, const Lattice &lattice, int spacing, int warps) const {
  Plan plan{solver.tile, 1};
  while (tile_count(plan.tile, lattice.columns, lattice.rows) < compute_units_ &&
         plan.tile.x * plan.tile.y > 64)
    (plan.tile.x > plan.tile.y ? plan.tile.x : plan.tile.y) /= 2;
  return plan;
}

Flow::State Flow::warp(Queue &queue, const Settings &settings, Solver &solver, const Frames &frames,
                       int level, const Lattice &lattice, const cl::Buffer &sums,
                       const State &state, int shift, float scale, const Plan &plan) {
  const cl::Buffer *to = state.flow == &flow_[0] ? &flow_[1] : &flow_[0];
  const int spacing = settings.median / 2;
  const Size group = solver.warp.group(), tile = plan.tile;
  const TileMemory memory(tile, solver.radius, solver.every, solver.rows, spacing, plan.warps, shift);
  solver.warp(queue,
              {divide_up(lattice.columns, int(tile.x)) * group.x,
               divide_up(lattice.rows, int(tile.y)) * group.y},
              texels(frames.before), texels(frames.after), levels_[level].cl(), lattice.step,
              frames.light, sums, lattice.first_tensor, *state.flow, state.size, shift, scale, *to,
              lattice.size(), cl_int2{{int(tile.x), int(tile.y)}}, plan.warps,
              make_window<Window>(settings.window, lattice.step, solver.radius),
              static_cast<float>(settings.alpha), spacing,
              cl::Local(memory.tile * sizeof(cl_float2)),
              cl::Local(memory.strip * sizeof(cl_float2)));
  return {to, lattice.size()};
}

void Flow::finish(Queue &queue, const Settings &settings, const State &state,
                  const cl::Buffer &vectors) {
  const float half_sure = channels_ == Channels::census ? 400 : 16;
  const int shift = window_class(settings.window) + 1;
  const Size group = finish_.group(), nodes{((group.x - 1) >> shift) + 3, ((finish_rows * group.y - 1) >> shift) + 3};
  finish_(queue, {size_t(width_), size_t(divide_up(height_, finish_rows))}, *state.flow, state.size,
          shift, settings.median / 2, last_tensors_.sums, static_cast<float>(settings.alpha),
          half_sure, vectors, field_.confidence, cl_int2{{width_, height_}},
          cl::Local((nodes.x + 4) * (nodes.y + 4) * sizeof(cl_float2)),
          cl::Local(nodes.x * nodes.y * sizeof(cl_float4)));
}

}  // namespace glcl
