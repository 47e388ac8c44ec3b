// SPDX-License-Identifier: LGPL-2.1-or-later
#include "searchgrid.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace glcl::hough {

namespace {

constexpr int least_cell = 3, most_cell = 8;  // px
constexpr size_t most_lanes = 4;

int round_up(int number, int step) { return (number + step - 1) / step * step; }

}  // namespace

ScaleBins scale_bins(const HoughSettings &settings) {
  const double most = std::max(settings.scale_max, settings.scale_min);
  const double range = std::log2(most / settings.scale_min) * scales_per_octave;
  // The bins exceed the range by half a bin at both ends.
  return {static_cast<int>(std::ceil(range + 1e-6)) + 1,
          static_cast<float>(std::log2(settings.scale_min) - 0.5 / scales_per_octave),
          scales_per_octave};
}

size_t match_lanes(const Device &device) { return device.is_cpu() ? most_lanes : 1; }

Program match_program(Context &context) {
  return context.program("hough/match.cl",
                         "-DLANES=" + std::to_string(match_lanes(context.device())));
}

SearchGrid search_grid(cl_int2 size, const HoughSettings &settings,
                       const std::vector<std::shared_ptr<const Template>> &templates,
                       size_t lanes) {
  float least = 1e9f, most = 0;
  for (const auto &templ : templates) {
    least = std::min(least, templ->radius);
    most = std::max(most, templ->radius);
  }
  const ScaleBins bins = scale_bins(settings);
  const double largest = most * std::exp2(bins.first + float(bins.count) / scales_per_octave);
  SearchGrid grid{};
  grid.cell = std::clamp(static_cast<int>(std::lround(least * settings.scale_min / 6)), least_cell,
                         most_cell);
  grid.half_width = (grid.cell + 1) / 2;
  grid.cells = {
      {round_up(size.s[0], grid.cell) / grid.cell, round_up(size.s[1], grid.cell) / grid.cell}};
  grid.margin = std::min(static_cast<int>(largest / grid.cell) + 2,
                         std::max(grid.cells.s[0], grid.cells.s[1]) + 1);
  grid.pitch = round_up(grid.cells.s[0], WORD * static_cast<int>(lanes));
  grid.columns = grid.pitch + 2 * grid.margin;
  grid.words = round_up(grid.columns, WORD) / WORD + 1;
  grid.lines = grid.cells.s[1] + 2 * grid.margin;
  grid.all_words = grid.lines * grid.cell * grid.cell * grid.words;
  return grid;
}

}  // namespace glcl::hough
