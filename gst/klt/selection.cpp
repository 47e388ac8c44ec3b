// SPDX-License-Identifier: LGPL-2.1-or-later
#include "selection.h"

#include <algorithm>
#include <string>

#include "noise/covariance.h"
#include "opencl/error.h"

namespace glcl::klt {

namespace {

constexpr int bins = 1 << LOG_BINS;
constexpr Size pixel_group{32, 8};
constexpr size_t spacing_items = 1 << 14;

/// The mean eigenvalue of a window for white noise of variance 1 in the frame.
double noise_gain() {
  noise::Covariance covariance;
  covariance.filter({0.0096200556, 0.20542368, 0.56991249, 0.20542368, 0.0096200556});
  const double along = covariance.variance(
      {-0.013353735, -0.10845453, -0.24302973, 0, 0.24302973, 0.10845453, 0.013353735});
  const double across = covariance.variance(
      {0.0044330480, 0.054005578, 0.24203622, 0.39905027, 0.24203622, 0.054005578, 0.0044330480});
  return 49 * along * across;
}

/// Local memory of a tile, bytes, see klt_corners.
size_t tile_bytes(int tile) {
  const auto row = [tile](int radii) { return (size_t(tile) + 2 * radii * CORNER_RADIUS + 3) / 4; };
  const size_t slopes = tile + 4 * CORNER_RADIUS, greys = tile + 6 * CORNER_RADIUS;
  return (std::max(3 * row(1) * slopes, 2 * row(2) * greys) +
          std::max(2 * row(2) * slopes, row(3) * greys) + 2) *
             sizeof(cl_float4) +
         size_t(tile / 2) * (tile / 2) * sizeof(cl_ulong);
}

Size tile_for(const Device &device) {
  if (form_for(device) == rows) return {128, 64};
  const size_t side = tile_bytes(32) <= device.local_memory() ? 32 : 16;
  return {side, side};
}

}  // namespace

Selection::Selection(Context &context, int width, int height)
    : Selection(context, width, height, form_for(context.device()), tile_for(context.device())) {}

Selection::Selection(Context &context, int width, int height, KernelForm form, Size tile)
    : context_(context.cl()),
      size_{{width, height}},
      tile_(tile),
      noise_gain_(static_cast<float>(noise_gain())) {
  const cl::Device &device = context.device().device;
  const std::string wide = std::to_string(tile.x), high = std::to_string(tile.y);
  corners_ = form == rows
                 ? Kernel(context,
                          context.program("klt/cornerrows.cl",
                                          "-DITEM_WIDTH=" + wide + " -DITEM_HEIGHT=" + high),
                          "klt_corners_rows", {})
                 : Kernel(context, context.program("klt/corners.cl", "-DTILE=" + wide),
                          "klt_corners", context.device().is_cpu() ? Size{1, 1} : pixel_group);
  const Program selection = context.program("klt/select.cl", one_group_option(device));
  spacing_kernel_ = Kernel(context, selection, "klt_spacing", {64, 1});
  cells_ = Kernel(context, selection, "klt_cells", {});
  select_ = Kernel(context, selection, "klt_select", {});
  fill_slots_ = Kernel(context, selection, "klt_fill_slots", {});
  const size_t most = size_t(width + 1) / 2 * (size_t(height + 1) / 2);
  keys_ = cl::Buffer(context_, CL_MEM_READ_WRITE, most * sizeof(cl_ulong));
  selected_ = cl::Buffer(context_, CL_MEM_READ_WRITE, Points::most * sizeof(cl_ulong));
  unused_ = cl::Buffer(context_, CL_MEM_READ_WRITE, sizeof(cl_float));
}

void Selection::run(Queue &queue, const Settings &settings, const Plane &plane,
                    const cl::Buffer &noise, int features, Points &points, bool keep) {
  const int width = size_.s[0], height = size_.s[1];
  const bool beyond_tile = settings.min_distance > CORNER_RADIUS;
  if ((beyond_tile || keep) && !values_())
    values_ = cl::Buffer(context_, CL_MEM_READ_WRITE, size_t(width) * height * sizeof(cl_float));
  const Size group = corners_.group();
  const auto divide_up = [](int n, size_t size) { return (size_t(n) + size - 1) / size; };
  corners_(queue, {divide_up(width, tile_.x) * group.x, divide_up(height, tile_.y) * group.y},
           plane.texels, cl_int4{{width, height, plane.pitch, plane.offset}},
           std::min(settings.min_distance, CORNER_RADIUS), points.occupancy(), points.state(),
           int(beyond_tile || keep), beyond_tile || keep ? values_ : unused_, keys_);
  const Threshold threshold{static_cast<float>(settings.quality),
                            static_cast<float>(settings.min_eigenvalue), noise_gain_};
  if (beyond_tile)
    spacing_kernel_(queue, {spacing_items, 1}, values_, size_, settings.min_distance,
                    points.state(), threshold.quality, keys_);
  const size_t items = select_.group().x;
  const auto counters = cl::Local(bins * sizeof(cl_int)), sums = cl::Local(items * sizeof(cl_int)),
             found = cl::Local(3 * sizeof(cl_int));
  if (settings.cells > 0) {
    const int count = settings.cells * settings.cells;
    const CellShares shares{threshold,
                            size_,
                            {{settings.cells, settings.cells}},
                            features,
                            (features + count - 1) / count};
    cells_(queue, {size_t(count) * items, 1}, keys_, points.state(), points.points(), noise, shares,
           counters, sums, found);
  }
  select_(queue, {items, 1}, keys_, points.state(), size_, threshold, noise, selected_, counters,
          sums, found);
  fill_slots_(queue, {size_t(features), 1}, selected_, points.state(), points.vacant(), width,
              points.points());
}

}  // namespace glcl::klt
