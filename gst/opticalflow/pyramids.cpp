// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pyramids.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "flowlayout.h"
#include "noise/covariance.h"

namespace glcl::opticalflow {

namespace {

constexpr int pitch_unit = 16;             // texels
constexpr int grey_rows = 14;              // ROWS of flow_grey
constexpr size_t max_small_texels = 3000;  // texels of a level that one group computes

/// The response of the pyramid levels to noise of variance 1 in the frames, see
/// kernels/opticalflow/noise.clh.
std::vector<cl_float4> noise_gains(size_t levels, FlowChannels channels) {
  noise::Covariance at;
  std::vector<cl_float4> gains;
  at.filter({1 / 8.0, 6 / 8.0, 1 / 8.0});
  const double finest = at(0);
  for (size_t level = 0; level < levels; level++) {
    if (level) at.filter({1 / 16.0, 4 / 16.0, 6 / 16.0, 4 / 16.0, 1 / 16.0}, 2);
    const double slope = at.variance({1 / 12.0, -8 / 12.0, 0, 8 / 12.0, -1 / 12.0});
    const double own = at(0),
                 coding = 1.5 * finest * finest * std::exp2(-1.2 * static_cast<int>(level));
    const bool census = channels == FlowChannels::census;
    gains.push_back(
        {{static_cast<float>(census ? 2 * own * (own - at(2)) : own * own),
          static_cast<float>(slope / own), static_cast<float>(census ? 2 * coding : coding), 0}});
  }
  return gains;
}

}  // namespace

int FlowPyramids::automatic_levels(int width, int height) {
  int levels = 1;
  for (int side = std::min(width, height); side >= 23; side = half(side)) levels++;
  return levels;
}

int FlowPyramids::most_levels(int width, int height) {
  int levels = 1;
  for (int side = std::min(width, height); side >= 8; side = half(side)) levels++;
  return levels;
}

int FlowPyramids::levels(const FlowSettings &settings) const {
  const int most = static_cast<int>(levels_.size());
  return settings.levels > 0 ? std::min(settings.levels, most)
                             : std::min(automatic_levels(width(), height()), most);
}

FlowPyramids::FlowPyramids(Context &context, int width, int height, const FrameFormat &frame,
                           FlowChannels channels)
    : noise_(context, noise::Noise::Texels::grey, width, height) {
  allocate(context.cl(), width, height, channels);
  set_format(context, frame);
}

void FlowPyramids::set_format(Context &context, const FrameFormat &frame) {
  const Program program = context.program(
      "opticalflow/pyramid.cl",
      "-DROWS=" + std::to_string(grey_rows) + (context.device().is_cpu() ? "" : " -DLINEAR_ITEMS") +
          frame_options(frame) + one_group_option(context.device().device));
  grey_ = Kernel(context, program, "flow_grey", pixel_group);
  down_ = Kernel(context, program, "flow_down", {});
  small_ = Kernel(context, program, "flow_small", {});
  census_ = Kernel(context, program, "flow_census", pixel_group);
}

void FlowPyramids::allocate(const cl::Context &context, int width, int height,
                            FlowChannels channels) {
  int texels = 0, w = width, h = height;
  for (int i = most_levels(width, height); i > 0; i--) {
    const int pitch = round_up(w + 2 * BORDER, pitch_unit);
    levels_.push_back({w, h, pitch, texels + BORDER * pitch + BORDER});
    texels += pitch * (h + 2 * BORDER);
    w = half(w), h = half(h);
  }
  for (FlowPyramid *pyramid : {&previous_, &current_}) {
    pyramid->grey = buffer(context, texels * sizeof(cl_float));
    if (channels != FlowChannels::census) continue;
    pyramid->census = buffer(context, texels * sizeof(cl_char4));
    pyramid->census_noise = buffer(context, sizeof(cl_float));
  }
  std::vector<cl_int4> table;
  for (const FlowLevel &level : levels_) table.push_back(level.cl());
  level_table_ = filled(context, table);
  gains_ = noise_gains(levels_.size(), channels);
  gain_table_ = filled(context, gains_);
  for (cl::Buffer &brightness : brightness_) brightness = buffer(context, 2 * sizeof(cl_float2));
}

int FlowPyramids::levels_to_make(const FlowSettings &settings) const {
  return std::max(levels(settings), automatic_levels(width(), height()));
}

/// Groups that compute the next two levels after `level`: COARSEST_X × COARSEST_Y texels each of
/// the second of them, even if that does not exist.
Size FlowPyramids::tiles(int level) const {
  const auto count = [](int side, int unit) { return size_t(divide_up(divide_up(side, 4), unit)); };
  return {count(levels_[level].width, COARSEST_X), count(levels_[level].height, COARSEST_Y)};
}

int FlowPyramids::add_frame(Queue &queue, const FlowSettings &settings, const Picture &in) {
  std::swap(previous_, current_);
  const int levels = levels_to_make(settings);
  const auto padded = [](const FlowLevel &level) {
    return Size{size_t(level.width) + 2 * BORDER, size_t(level.height) + 2 * BORDER};
  };
  const auto level_at = [&](int level) { return levels_[std::min(level, levels - 1)].cl(); };
  const auto coarser_levels = [&](int level) { return std::min(levels - 1 - level, 2); };
  const Size group = grey_.group(), all = tiles(0);
  grey_(queue, {all.x * group.x, all.y * group.y}, FirstPlane{in}, current_.grey, level_at(0),
        level_at(1), level_at(2), coarser_levels(0));
  int first_small = 1 + coarser_levels(0);
  bool measures = known_levels_ && settings.noise < 0;
  while (true) {
    const bool makes =
        first_small < levels &&
        padded(levels_[first_small]).x * padded(levels_[first_small]).y > max_small_texels;
    if (!makes && !measures) break;
    const int from = first_small - 1;
    const Size parts = makes ? tiles(from) : Size{1, 0};
    const auto squares = measures ? noise_.prepare(queue, plane(current_, 0)) : noise::Squares{};
    const size_t groups = parts.x * parts.y + (measures ? noise_.groups() : 0);
    down_(queue, {groups * down_.group().x, down_.group().y}, current_.grey, level_at(from),
          level_at(from + 1), level_at(from + 2), coarser_levels(from), cl_int(parts.x * parts.y),
          cl_int(parts.x), previous_.grey, squares, noise_.tally(), noise_.state());
    if (makes) first_small += coarser_levels(from);
    measures = false;
  }
  return first_small;
}

void FlowPyramids::complete(Queue &queue, const FlowSettings &settings, int first) {
  const int levels = levels_to_make(settings);
  small_(queue, small_.group(), current_.grey, previous_.grey, level_table_, first, levels,
         automatic_levels(width(), height()) - 1, brightness_[0], brightness_[1],
         cl::Local(small_.group().x * sizeof(cl_float4)));
  if (known_levels_ && settings.noise >= 0) noise_.set(queue, settings.noise);
  if (current_.census()) find_census(queue, levels);
  known_levels_ = levels;
}

void FlowPyramids::find_census(Queue &queue, int levels) {
  if (!known_levels_) {
    queue.cl().enqueueFillBuffer(current_.census_noise, cl_float(-1), 0, sizeof(cl_float));
    return;
  }
  size_t strips = 0;
  for (int i = 0; i < levels; i++) strips += divide_up(levels_[i].height, CENSUS_ROWS);
  census_(queue, {size_t(width()), strips}, current_.grey, current_.census, previous_.grey,
          previous_.census, level_table_, gain_table_, levels, noise_.variances(),
          current_.census_noise, previous_.census_noise);
}

}  // namespace glcl::opticalflow
