// SPDX-License-Identifier: LGPL-2.1-or-later
#include "templatematcher.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "opencl/buffer.h"
#include "searchgrid.h"

namespace glcl::hough {

namespace {

constexpr int groups = SECTORS * BANDS;

/// The half widths of the windows for the density of edges, cells. They follow the template's size
/// in the middle of each band of scales.
cl_int4 density_windows(const Template &templ, const SearchGrid &grid, const ScaleBins &bins) {
  const int share = (bins.count + BANDS - 1) / BANDS;
  cl_int4 windows{};
  for (int band = 0; band < BANDS; band++) {
    const float size =
        std::exp2(bins.first + (float(band) + 0.5f) * float(share) / scales_per_octave);
    windows.s[band] = std::max(static_cast<int>(0.7f * templ.radius * size / float(grid.cell)), 1);
  }
  return windows;
}

/// The first allowed rotation and their number. Rotations in the kernels are clockwise.
cl_int2 allowed_rotations(const HoughSettings &settings) {
  const double degrees = 360.0 / ROTATIONS;
  return {{static_cast<cl_int>(std::floor(-settings.angle_max / degrees)) - 1,
           static_cast<cl_int>(std::min(settings.rotation_range(), 360.0) / degrees) + 4}};
}

}  // namespace

TemplateMatcher::TemplateMatcher(Context &context)
    : context_(context.cl()),
      lanes_(match_lanes(context.device())),
      candidates_(context, 0, MATCH_STRENGTHS, 0xffff, most_candidates) {
  const Program matching = match_program(context);
  density_kernel_ = Kernel(context, matching, "match_density", {64, 1});
  offsets_kernel_ = Kernel(context, matching, "match_offsets", {MATCH_POINTS, 1});
  const unsigned items = context.device().is_cpu() ? 4 : 128;
  match_ = Kernel(context, matching, "match", {items, 1}).in_bands();
  maxima_ = Kernel(context, matching, "match_maxima", {64, 1});
}

void TemplateMatcher::match(Queue &queue, const HoughSettings &settings, const SearchGrid &grid,
                            const EdgePacker &edges, PreparedTemplate &prepared) {
  const ScaleBins bins = scale_bins(settings);
  const int rows = grid.cells.s[1];
  const size_t positions = size_t(grid.pitch) * rows;
  ensure_size(density_, context_, positions * BANDS * sizeof(cl_float));
  for (cl::Buffer *one : {&votes_, &poses_, &maxima_buffer_})
    ensure_size(*one, context_, positions * groups * sizeof(cl_ushort));
  density_kernel_(queue, {positions, BANDS}, edges.map(), density_, grid,
                  density_windows(*prepared.templ, grid, bins));
  update_offsets(queue, grid, bins, prepared);
  const cl_int2 rotations = allowed_rotations(settings);
  match_.costs(double(bins.count) * std::min(rotations.s[1], ROTATIONS));
  match_(queue, {positions / (WORD * lanes_), groups}, edges.bits(), prepared.offsets, density_,
         votes_, poses_, grid, bins.count, rotations);
  maxima_(queue, {size_t(grid.pitch), size_t(rows) * groups}, votes_, poses_, maxima_buffer_, grid,
          bins.count);
  candidates_.run(queue, maxima_buffer_, grid.pitch, rows * groups,
                  {0, 0, grid.pitch, rows * groups});
}

void TemplateMatcher::update_offsets(Queue &queue, const SearchGrid &grid, const ScaleBins &bins,
                                     PreparedTemplate &prepared) {
  const std::array key{float(bins.count),  bins.first,        float(grid.cell),
                       float(grid.margin), float(grid.words), float(grid.lines)};
  if (prepared.offsets() && prepared.offsets_key == key) return;
  prepared.offsets =
      make_buffer(context_, size_t(ROTATIONS) * bins.count * MATCH_POINTS * sizeof(cl_int2));
  offsets_kernel_(queue, {MATCH_POINTS, size_t(ROTATIONS) * bins.count}, prepared.match_points,
                  prepared.levels, prepared.offsets, grid, bins, prepared.level_count());
  prepared.offsets_key = key;
}

}  // namespace glcl::hough
