// SPDX-License-Identifier: LGPL-2.1-or-later
#include "flow.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "flowlayout.h"
#include "noise/covariance.h"
#include "opencl/error.h"
#include "opencl/queuesync.h"

namespace glcl::opticalflow {

namespace {

/// The nodes of a tile; the parameter "tile" also counts the surrounding nodes whose votes it
/// needs.
Size tile_of(const Parameters &variant, int radius) {
  return {size_t(variant.at("tile-x") - 2 * radius), size_t(variant.at("tile-y") - 2 * radius)};
}
Size group_of(const Parameters &variant) {
  return {size_t(variant.at("group-x")), size_t(variant.at("group-y"))};
}

/// The response of the pyramid levels to noise of variance 1 in the frames, see
/// kernels/opticalflow/noise.clh.
std::vector<cl_float4> noise_gains(int levels, Flow::Channels channels) {
  noise::Covariance at;
  std::vector<cl_float4> gains;
  at.filter({1 / 8.0, 6 / 8.0, 1 / 8.0});
  const double finest = at(0);
  for (int level = 0; level < levels; level++) {
    if (level) at.filter({1 / 16.0, 4 / 16.0, 6 / 16.0, 4 / 16.0, 1 / 16.0}, 2);
    const double slope = at.variance({1 / 12.0, -8 / 12.0, 0, 8 / 12.0, -1 / 12.0});
    const double own = at(0), coding = 1.5 * finest * finest * std::exp2(-1.2 * level);
    const bool census = channels == Flow::Channels::census;
    gains.push_back(
        {{static_cast<float>(census ? 2 * own * (own - at(2)) : own * own),
          static_cast<float>(slope / own), static_cast<float>(census ? 2 * coding : coding), 0}});
  }
  return gains;
}

bool fits(const Device &device, const Parameters &variant) {
  return Flow::local_bytes(variant) <= device.local_memory();
}

Parameters default_variant(const Device &device, const std::string &problem) {
  Parameters cpu{{"group-x", 16}, {"group-y", 1}, {"tile-x", 64},
                 {"tile-y", 64},  {"sums", 4},    {"steps", 1}};
  if (device.is_cpu() && fits(device, cpu)) return cpu;
  if (problem == "dense") {
    Parameters dense{{"group-x", 32}, {"group-y", 8}, {"tile-x", 32},
                     {"tile-y", 32},  {"sums", 4},    {"steps", 1}};
    if (!fits(device, dense)) dense["tile-y"] = 16;
    return dense;
  }
  const int rows = one_group(device.device) < 512 ? 8 : 16;
  return {{"group-x", 32}, {"group-y", rows}, {"tile-x", 32},
          {"tile-y", 32},  {"sums", 4},       {"steps", 3}};
}

bool possible_variant(const Device &device, const std::string &problem, const Parameters &variant) {
  const size_t items = size_t(variant.at("group-x")) * variant.at("group-y");
  return items <= device.device.getInfo<CL_DEVICE_MAX_WORK_GROUP_SIZE>() &&
         (problem == "coarse" || variant.at("steps") == 1) && fits(device, variant);
}

}  // namespace

size_t Flow::local_bytes(const Parameters &variant) {
  const auto memory =
      TileMemory::dense(tile_of(variant, window_radius), window_radius, variant.at("sums"));
  return memory.dense_bytes();
}

const Tunable &Flow::tunable() {
  static const Tunable tunable{"flow",
                               {"coarse", "dense"},
                               {"opticalflow/warp.cl"},
                               {{"group-x", {16, 32}},
                                {"group-y", {1, 8, 16}},
                                {"tile-x", {32, 64}},
                                {"tile-y", {16, 32, 64}},
                                {"sums", {2, 4}},
                                {"steps", {1, 2, 3}}},
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

Flow::Flow(Context &context, int width, int height, const FrameFormat &frame, Channels channels)
    : Flow(context, width, height, frame, channels,
           tuned_parameters(tunable(), context.device(), "coarse"),
           tuned_parameters(tunable(), context.device(), "dense")) {}

Flow::Flow(Context &context, int width, int height, const FrameFormat &frame, Channels channels,
           const Parameters &coarse, const Parameters &dense)
    : shared_context_(context.shared_from_this()),
      context_(context.cl()),
      width_(width),
      height_(height),
      frame_(frame),
      channels_(channels),
      noise_(context, noise::Noise::Texels::grey, width, height) {
  try {
    allocate();
    build(context, coarse, dense);
  } catch (const cl::Error &error) {
    throw Error("The optical flow can't be set up on " + context.device().name + ".", error);
  }
}

void Flow::allocate() {
  int texels = 0, w = width_, h = height_;
  for (int i = most_levels(width_, height_); i > 0; i--) {
    const int pitch = round_up(w + 2 * BORDER, pitch_unit);
    levels_.push_back({w, h, pitch, texels + BORDER * pitch + BORDER});
    texels += pitch * (h + 2 * BORDER);
    w = half(w), h = half(h);
  }
  for (Pyramid *pyramid : {&previous_, &current_}) {
    pyramid->grey = buffer(texels * sizeof(cl_float));
    if (channels_ != Channels::census) continue;
    pyramid->census = buffer(texels * sizeof(cl_char4));
    pyramid->census_noise = buffer(sizeof(cl_float));
  }
  std::vector<cl_int4> table;
  for (const FlowLevel &level : levels_) table.push_back(level.cl());
  level_table_ = filled(table);
  noise_gains_ = noise_gains(static_cast<int>(levels_.size()), channels_);
  gain_table_ = filled(noise_gains_);
  const int refined = std::min(automatic_levels(width_, height_), Refinement::levels);
  for (int i = 0; i < refined; i++) {
    refined_levels_.push_back(levels_[i].cl());
    refined_gains_.push_back(noise_gains_[i].s[0]);
  }
  for (cl::Buffer *brightness : {&brightness_[0], &brightness_[1], &matched_brightness_})
    *brightness = buffer(2 * sizeof(cl_float2));

  const size_t pixels = size_t(width_) * height_, nodes = size_t(half(width_)) * half(height_);
  for (cl::Buffer *flow : {&backward_, &field_.vectors}) *flow = buffer(pixels * sizeof(cl_float2));
  field_.confidence = buffer(pixels * sizeof(cl_float));
  field_.width = width_, field_.height = height_;
  field_.noise = noise_.variances();
  result_ = buffer(nodes * sizeof(cl_float2)), confidence_ = buffer(nodes * sizeof(cl_float));
  const size_t most_nodes = size_t(divide_up(width_, 4)) * divide_up(height_, 4);
  for (cl::Buffer *flow : {&flow_[0], &flow_[1]}) *flow = buffer(most_nodes * sizeof(cl_float2));
  zero_ = filled(std::vector<cl_float2>(most_nodes));
  row_ratios_ = buffer(size_t(divide_up(height_, ROW_SPACING)) * sizeof(cl_float));
  const size_t most_cells =
      size_t(divide_up(width_, 2 * CELL_NODES)) * divide_up(height_, 2 * CELL_NODES);
  evidence_ = buffer(most_cells * sizeof(CellEvidence));
  keep_factors_ = buffer(most_cells * sizeof(cl_float));
  tally_ = filled(std::vector<FrameTally>(1), CL_MEM_READ_WRITE);
}

void Flow::build(Context &context, const Parameters &coarse, const Parameters &dense) {
  const cl::Device &device = context.device().device;
  compute_units_ = static_cast<int>(device.getInfo<CL_DEVICE_MAX_COMPUTE_UNITS>());
  local_memory_ = context.device().local_memory();
  most_steps_ = coarse.at("steps");
  const std::string places = context.device().is_cpu() ? "" : " -DLINEAR_ITEMS";
  const Program program = context.program("opticalflow/pyramid.cl",
                                          "-DROWS=" + std::to_string(grey_rows) + places +
                                              frame_options(frame_) + one_group_option(device));
  grey_ = Kernel(context, program, "flow_grey", pixel_group);
  down_ = Kernel(context, program, "flow_down", {});
  small_ = Kernel(context, program, "flow_small", {});
  census_ = Kernel(context, program, "flow_census", pixel_group);
  // Groups of 64×64 px share more than groups of 64×32.
  upsample_rows_ = local_memory_ < 40 << 10 ? 8 : 16;
  const Program upsampling = context.program("opticalflow/upsample.cl",
                                             "-DROWS=" + std::to_string(upsample_rows_) + places);
  upsample_ = Kernel(context, upsampling, "flow_upsample", upsample_group);
  check_ = Kernel(context, upsampling, "flow_check", pixel_group);

  const auto step = [&](const char *kernel, int radius, const Parameters &variant) {
    return solver(context, kernel, radius, group_of(variant), tile_of(variant, radius),
                  variant.at("sums"));
  };
  coarse_ = step("flow_warp", window_radius, coarse);
  // The windows of the finest lattice are small, so smaller tiles cost little.
  Parameters finest = coarse;
  if (finest["group-y"] > 1) finest["group-y"] /= 2, finest["tile-y"] = (finest["tile-y"] + 1) / 2;
  finest_ = step("flow_warp", finest_radius, finest);
  dense_ = step("flow_dense", window_radius, dense);
  dense_.kernel.in_bands();
  if (most_steps_ > 1) {
    // Groups of the same size compute tensors at the same time; a compute unit takes several.
    const size_t items = std::min<size_t>(one_group(device), 512);
    fused_ = solver(context, "flow_fused", window_radius, {32, std::max<size_t>(items / 32, 1)},
                    {48, 27}, coarse.at("sums"));
  }
  tensors_ = Kernel(context, this->program(context, "opticalflow/tensors.cl", coarse_),
                    "flow_tensors", coarse_.group);
  const Program verify =
      context.program("opticalflow/verify.cl", channels_ == Channels::census ? "-DCENSUS" : "");
  verify_ = Kernel(context, verify, "flow_verify", {64, 1});
  tensor_tile_ = coarse_.tile;
  if (most_steps_ == 1) tensor_tile_.y = std::max<size_t>(tensor_tile_.y / 2, 1);
  const auto fits = [&] {
    const auto memory = TileMemory::sums(tensor_tile_, window_radius, coarse_.sums);
    return (memory.tile + memory.strip + 1) * sizeof(cl_float4) <= local_memory_;
  };
  while (!fits() && tensor_tile_.y > size_t(coarse_.sums)) tensor_tile_.y -= coarse_.sums;
  allocate_lattices();
  if (uses_candidates(static_cast<int>(levels_.size()))) {
    candidates_ =
        std::make_unique<Candidates>(context, width_, height_, channels_ == Channels::census);
    side_queue_ = std::make_unique<Queue>(shared_context_);
  }
}

Program Flow::program(Context &context, const std::string &file, const Solver &solver, bool fused) {
  std::string options = "-cl-mad-enable -DRADIUS=" + std::to_string(solver.radius) +
                        " -DSUMS=" + std::to_string(solver.sums);
  if (channels_ == Channels::census) options += " -DCENSUS";
  if (solver.group.y > 1) options += " -DLINEAR_ITEMS";
  if (fused) options += " -DFUSED_LEVELS";
  // Some drivers allow larger groups only if the kernel demands them.
  if (solver.group.x * solver.group.y > 256)
    options += " -DGROUP_X=" + std::to_string(solver.group.x) +
               " -DGROUP_Y=" + std::to_string(solver.group.y);
  return context.program(file, options);
}

Flow::Solver Flow::solver(Context &context, const char *kernel, int radius, Size group, Size tile,
                          int sums) {
  Solver solver{radius, sums, group, tile, {}};
  const std::string name = kernel;
  const char *file = name == "flow_dense" ? "opticalflow/dense.cl" : "opticalflow/warp.cl";
  solver.kernel =
      Kernel(context, program(context, file, solver, name == "flow_fused"), kernel, group);
  return solver;
}

/// Defines the lattices for every window and allocates their tensors.
void Flow::allocate_lattices() {
  int most_nodes = 0;
  for (int i = 0; i < 3; i++) {
    Lattices &lattices = lattices_[i];
    std::vector<TableRow> table;
    int nodes = 0, tiles = 0;
    for (size_t number = 0; number < levels_.size(); number++) {
      const FlowLevel &level = levels_[number];
      const int step = steps[i] * (table.empty() ? 4 : 2);
      const int columns = divide_up(level.width, step), rows = divide_up(level.height, step);
      lattices.of_level.push_back({columns, rows, nodes, step});
      lattices.tiles.push_back(tiles);
      const int last_tile = tiles + tile_count(tensor_tile_, columns, rows);
      table.push_back(
          {level.cl(), noise_gains_[number], {{columns, rows}}, step, nodes, tiles, last_tile});
      nodes += columns * rows;
      tiles = last_tile;
    }
    lattices.tiles.push_back(tiles);
    lattices.table = filled(table);
    most_nodes = std::max(most_nodes, nodes);
  }
  sums_ = cl::Buffer(context_, CL_MEM_READ_WRITE, size_t(most_nodes) * sizeof(cl_float4));
  residuals_ = cl::Buffer(context_, CL_MEM_READ_WRITE, size_t(most_nodes) * sizeof(cl_float));
  const size_t slope_nodes = channels_ == Channels::census ? 1 : most_nodes;
  slopes_ = cl::Buffer(context_, CL_MEM_READ_WRITE, slope_nodes * sizeof(cl_float4));
}

cl::Buffer Flow::buffer(size_t bytes) { return {context_, CL_MEM_READ_WRITE, bytes}; }

template <class Value>
cl::Buffer Flow::filled(std::vector<Value> values, cl_mem_flags use) {
  return cl::Buffer(context_, use | CL_MEM_COPY_HOST_PTR, values.size() * sizeof(Value),
                    values.data());
}

bool Flow::run(Queue &queue, const Settings &settings, const Picture &in) {
  check_picture(in, width_, height_, frame_, "The optical flow");
  try {
    std::swap(previous_, current_);
    const int levels_made = std::max(this->levels(settings), automatic_levels(width_, height_));
    const int levels = std::min(this->levels(settings), previous_levels_);
    if (!uses_candidates(levels) || settings.check) has_signatures_ = false;
    candidates_started_ = false;
    add_frame(queue, settings, in, levels_made, levels);
    previous_levels_ = levels_made;
    if (!levels) return false;
    if (settings.check) {
      solve(queue, settings, current_, previous_, brightness_[1], levels);
      upsample(queue, settings, backward_);
      has_signatures_ = false;
    }
    solve(queue, settings, previous_, current_, brightness_[0], levels);
    upsample(queue, settings, field_.vectors);
    if (refines(settings)) refine(queue, settings);
    if (settings.check)
      check_(queue, {size_t(width_), size_t(height_)}, field_.vectors, backward_, field_.confidence,
             cl_int2{{width_, height_}});
    return true;
  } catch (const cl::Error &error) {
    throw Error("Running the optical flow failed.", error);
  }
}

void Flow::prepare(const Settings &settings) {
  try {
    if (refines(settings)) refinement_.get([this] { return Refinement(*shared_context_); });
  } catch (const cl::Error &error) {
    throw Error("The optical flow can't be refined on " + shared_context_->device().name + ".",
                error);
  }
}

void Flow::refine(Queue &queue, const Settings &settings) {
  Refinement *refinement = refinement_.poll([this] { return Refinement(*shared_context_); });
  if (!refinement) return;
  refinement->run(
      queue, settings.refinement,
      {previous_.census, current_.census, previous_.grey, noise_.variances(), refined_levels_,
       refined_gains_, keep_factors_, cells(settings), window_class(settings.window) + 1},
      field_.vectors, field_.confidence);
}

bool Flow::uses_candidates(int levels) const {
  return Candidates::chosen_level(width_, height_) + 1 < levels;
}

/// Signatures are matched while the coarsest levels leave the device idle. Profiling needs them one
/// after the other.
Queue &Flow::side_queue(Queue &queue) const {
  return queue.profiles() || !side_queue_ ? queue : *side_queue_;
}

void Flow::start_candidates(Queue &queue, const Pyramid &before, const Pyramid &after) {
  const int level = Candidates::matched_level(width_, height_);
  wait_for(side_queue(queue), queue);
  candidates_->propose(side_queue(queue), plane(before, level), plane(after, level),
                       std::exchange(has_signatures_, false));
  candidates_started_ = true;
}

/// Computes the pyramid of a frame, `levels_made` levels, and what the flow on the finest `levels`
/// needs of it.
void Flow::add_frame(Queue &queue, const Settings &settings, const Picture &in, int levels_made,
                     int levels) {
  const auto padded = [](const FlowLevel &level) {
    return Size{size_t(level.width) + 2 * BORDER, size_t(level.height) + 2 * BORDER};
  };
  // Groups for the level two coarser. Levels that do not exist are skipped.
  const auto tiles = [&](int level) {
    const auto count = [](int side, int unit) {
      return size_t(divide_up(divide_up(side, 4), unit));
    };
    return Size{count(levels_[level].width, COARSEST_X), count(levels_[level].height, COARSEST_Y)};
  };
  const auto of = [&](int level) { return levels_[std::min(level, levels_made - 1)].cl(); };
  const auto more = [&](int level) { return std::min(levels_made - 1 - level, 2); };
  const Size group = grey_.group(), all = tiles(0);
  grey_(queue, {all.x * group.x, all.y * group.y}, FirstPlane{in}, current_.grey, of(0), of(1),
        of(2), more(0));
  int small = 1 + more(0);
  bool measures = previous_levels_ && settings.noise < 0;
  while (true) {
    const bool makes =
        small < levels_made && padded(levels_[small]).x * padded(levels_[small]).y > most_small;
    if (!makes && !measures) break;
    const int from = small - 1;
    const Size parts = makes ? tiles(from) : Size{1, 0};
    const auto squares = measures ? noise_.prepare(queue, plane(current_, 0)) : noise::Squares{};
    const size_t groups = parts.x * parts.y + (measures ? noise_.groups() : 0);
    down_(queue, {groups * down_.group().x, down_.group().y}, current_.grey, of(from), of(from + 1),
          of(from + 2), more(from), cl_int(parts.x * parts.y), cl_int(parts.x), previous_.grey,
          squares, noise_.tally(), noise_.variances(), noise_.flicker());
    if (makes) small += more(from);
    measures = false;
  }
  if (uses_candidates(levels))
    start_candidates(queue, settings.check ? current_ : previous_,
                     settings.check ? previous_ : current_);
  small_(queue, small_.group(), current_.grey, previous_.grey, level_table_, small, levels_made,
         automatic_levels(width_, height_) - 1, brightness_[0], brightness_[1],
         cl::Local(small_.group().x * sizeof(cl_float4)));
  if (!previous_levels_) {
    if (channels_ == Channels::census)
      queue.cl().enqueueFillBuffer(current_.census_noise, cl_float(-1), 0, sizeof(cl_float));
    return;
  }
  if (settings.noise >= 0) noise_.set(queue, settings.noise);
  if (channels_ == Channels::census) {
    size_t strips = 0;
    for (int i = 0; i < levels_made; i++) strips += divide_up(levels_[i].height, CENSUS_ROWS);
    census_(queue, {size_t(width_), strips}, current_.grey, current_.census, previous_.grey,
            previous_.census, level_table_, gain_table_, levels_made, noise_.variances(),
            current_.census_noise, previous_.census_noise);
  }
}

/// Groups of find_row_ratios().
size_t Flow::row_groups(Size group) const {
  const size_t items = group.x * group.y, rows = divide_up(height_, ROW_SPACING);
  const size_t at_a_time = items % ROW_ITEMS ? 1 : items / ROW_ITEMS;
  return (rows + at_a_time - 1) / at_a_time;
}

/// `strip`: elements of a group's memory before those for sums along y.
TensorSums Flow::tensor_sums(const Settings &settings, int tiles, size_t strip) const {
  const int step = lattices_[window_class(settings.window)].of_level[0].step;
  const int rows = divide_up(height_, ROW_SPACING);
  return {make_window(settings.window, step, finest_radius),
          make_window(settings.window, step / 2, window_radius),
          vector(tensor_tile_),
          tiles,
          rows,
          std::max(rows / (row_bands * ROW_SPACING), 1),
          static_cast<float>(settings.alpha),
          static_cast<int>(strip)};
}

void Flow::sum_tensors(Queue &queue, const Settings &settings, const FramePair &frames,
                       int levels) {
  const Lattices &lattices = lattices_[window_class(settings.window)];
  const Size group = tensors_.group();
  const auto memory = TileMemory::sums(tensor_tile_, window_radius, coarse_.sums);
  const int tiles = lattices.tiles[levels];
  const size_t strip = std::max(memory.tile, group.x * group.y);
  tensors_(queue, {(tiles + row_groups(group)) * group.x, group.y}, texels(frames.before),
           texels(frames.after), frames.before.grey, frames.after.grey, frames.brightness,
           noise_.variances(), lattices.table, sums_, residuals_, slopes_, tally_, row_ratios_,
           tensor_sums(settings, tiles, strip),
           cl::Local((strip + memory.strip) * sizeof(cl_float4)));
}

/// From the coarsest level to the finest.
void Flow::solve(Queue &queue, const Settings &settings, const Pyramid &before,
                 const Pyramid &after, const cl::Buffer &brightness, int levels) {
  const std::vector<Lattice> &lattices = lattices_[window_class(settings.window)].of_level;
  FlowState state{&zero_, lattices[levels - 1].size()};
  float scale = 1;
  const int chosen = Candidates::chosen_level(width_, height_);
  const bool uses_candidates = this->uses_candidates(levels),
             fits_brightness = uses_candidates && channels_ == Channels::grey;
  const FramePair frames{before, after, brightness,
                         fits_brightness ? matched_brightness_ : brightness};
  Queue &side_queue = this->side_queue(queue);
  if (uses_candidates) {
    const int level = Candidates::matched_level(width_, height_);
    if (!std::exchange(candidates_started_, false)) start_candidates(queue, before, after);
    wait_for(side_queue, queue);
    candidates_->match(side_queue, plane(before, level), plane(after, level), brightness,
                       matched_brightness_);
    has_signatures_ = true;
  }
  const auto above = [&](int level) { return level > chosen ? chosen : 0; };
  // The tensors are computed during the steps of the coarsest lattices, if one group takes those.
  const int coarsest = levels - 1;
  if (last_fused_level(settings, coarsest, above(coarsest)) > coarsest)
    sum_tensors(queue, settings, frames, levels);
  for (int level = levels - 1; level >= 0; level--) {
    if (level == chosen && uses_candidates) {
      wait_for(queue, side_queue);
      state = select_candidates(queue, frames, level, 2 * lattices[level + 1].step, state, scale);
      scale = 1;
    }
    const int last = last_fused_level(settings, level, above(level));
    if (last <= level) {
      state = warp_fused(queue, settings, frames, level, last, state, scale, level == coarsest);
      level = last;
    } else {
      state = warp(queue, settings, frames, level, state, scale);
    }
    scale = level ? 2 : 1;  // texels of the next finer level are half as large
  }
  dense_warp(queue, settings, frames, state, scale);
  verify(queue, settings, frames);
}

void Flow::upsample(Queue &queue, const Settings &settings, const cl::Buffer &vectors) {
  const int shift = window_class(settings.window) + 1, spacing = 1 << shift;
  const Size group = upsample_.group(),
             nodes{(group.x >> shift) + 4, (upsample_rows_ * group.y >> shift) + 4};
  // Cells whose centres enclose the nodes.
  const auto between = [](size_t nodes) { return (nodes + CELL_NODES - 2) / CELL_NODES + 2; };
  const Size near{between(nodes.x), between(nodes.y)};
  const size_t cells = (2 * near.x + 2 * AREA_REACH) * (near.y + 2 * AREA_REACH);
  const size_t room =
      std::max((nodes.x + 8) * (nodes.y + 8) * sizeof(cl_float2), cells * sizeof(CellEvidence));
  const Upsampling how{{{width_, height_}},
                       {{divide_up(width_, spacing), divide_up(height_, spacing)}},
                       this->cells(settings),
                       shift,
                       settings.median / 2,
                       settings.noise == 0,
                       divide_up(static_cast<int>(room), sizeof(cl_float4)),
                       static_cast<int>(near.x * near.y),
                       static_cast<int>(nodes.x * nodes.y)};
  upsample_(queue, {size_t(width_), size_t(divide_up(height_, upsample_rows_))}, result_,
            confidence_, noise_.variances(), brightness_[0], vectors, field_.confidence, evidence_,
            tally_, noise_.flicker(), keep_factors_, how,
            cl::Local((how.room + how.near_cells) * sizeof(cl_float4) +
                      how.near_nodes * (sizeof(cl_float2) + sizeof(cl_float))));
}

/// Cells of the verification, see kernels/opticalflow/verify.clh.
cl_int2 Flow::cells(const Settings &settings) const {
  const int spacing = 2 * steps[window_class(settings.window)] * CELL_NODES;
  return {{divide_up(width_, spacing), divide_up(height_, spacing)}};
}

void Flow::verify(Queue &queue, const Settings &settings, const FramePair &frames) {
  const int step = 2 * steps[window_class(settings.window)];
  const cl_int2 nodes{{divide_up(width_, step), divide_up(height_, step)}},
      cells = this->cells(settings);
  verify_(
      queue, {size_t(nodes.s[0]), size_t(cells.s[1])}, texels(frames.before), texels(frames.after),
      frames.before.grey, frames.after.grey, frames.matched_brightness, noise_.variances(), result_,
      confidence_, row_ratios_, frames.brightness, evidence_, tally_, noise_.flicker(),
      NodeVerification{levels_[0].cl(), noise_gains_[0], nodes, cells, step, settings.noise == 0});
}

}  // namespace glcl::opticalflow
