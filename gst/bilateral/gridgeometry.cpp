// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gridgeometry.h"

#include <algorithm>
#include <cmath>

#include "grid.h"

namespace glcl::bilateral {

namespace {

constexpr size_t splat_tile =
    24 << 10;  // about as many bytes of nodes a work-item fills on buffers
constexpr int splat_pixels = GRID_PIXELS * SPLAT_STREAMS;
constexpr int max_strip = 4;        // most bands per group of the splat;
constexpr double unit_groups = 16;  // reached with this many groups per compute unit
constexpr size_t max_pixel_cells = 3, min_cells = 65536;

int divided_up(int n, int unit) { return (n + unit - 1) / unit; }
int round_up(int n, int unit) { return divided_up(n, unit) * unit; }

}  // namespace

GridGeometry::GridGeometry(const Device &device, int width, int height, Layout layout, int lanes)
    : width_(width),
      height_(height),
      layout_(layout),
      lanes_(lanes),
      max_bytes_(device.device.getInfo<CL_DEVICE_MAX_MEM_ALLOC_SIZE>()),
      local_bytes_(device.local_memory()),
      compute_units_(device.device.getInfo<CL_DEVICE_MAX_COMPUTE_UNITS>()) {}

GridShape GridGeometry::shape(const Settings &settings) const {
  GridShape shape;
  const double unit = 1 / (255 * std::max(settings.sigma_range, 1e-6));
  switch (settings.weight) {
    case Weight::intensity:
      shape.range[0] = 0.30 * unit, shape.range[1] = 0.59 * unit, shape.range[2] = 0.11 * unit;
      break;
    case Weight::color:
      for (double &range : shape.range) range = unit / std::sqrt(3.0);
      break;
    case Weight::per_channel:
      for (double &range : shape.range) range = unit;
      shape.channels = 3;
      shape.cell = 8;
  }
  const double end = 255 * (settings.weight == Weight::color ? std::sqrt(3.0) : 1) * unit;
  shape.planes = std::floor(end) + 2;
  shape.stored = static_cast<int>(std::min(shape.planes, 1e6));
  if (layout_ == Layout::buffer) shape.stored = round_up(shape.stored, shape.channels == 1 ? 2 : 4);

  // Computed like a pixel's node in the kernels.
  const double sigma = std::max(settings.sigma_space, Grid::min_sigma_space);
  const float inverse = 1 / static_cast<float>(sigma);
  shape.columns = static_cast<int>((width_ - 1) * inverse) + 2;
  shape.rows = static_cast<int>((height_ - 1) * inverse) + 2;
  const double groups =
      layout_ == Layout::buffer
          ? double(divided_up(shape.columns + 2 * BLUR_REACH, stretch(shape, sigma))) * shape.rows
          : double(width_) * height_ / (lanes_ * sigma);
  shape.band_count = shape.rows + 2 * BLUR_REACH + 1;
  shape.strip = std::clamp(static_cast<int>(groups / (unit_groups * compute_units_)), 1, max_strip);
  return shape;
}

int GridGeometry::stretch(const GridShape &shape, double cell) const {
  const int fitting = static_cast<int>(std::min(local_bytes_, splat_tile) / shape.interval_bytes());
  const int nodes = shape.columns + 2 * BLUR_REACH;
  if (fitting > nodes) return nodes;
  // The number of pixels, including those shared with the next interval, should not be slightly
  // above a multiple of the pixels placed at once.
  const int whole = static_cast<int>(fitting * cell) / splat_pixels * splat_pixels;
  return std::max((whole ? static_cast<int>(whole / cell) : fitting) - 1, 1);
}

size_t GridGeometry::sums_bytes(const GridShape &shape) const {
  const size_t cell = layout_ == Layout::buffer ? shape.cell : shape.cell / 2;
  const size_t rows = divided_up(shape.band_count, shape.strip) * (shape.strip + 1);
  return rows * shape.row_cells(shape.columns + 2 * BLUR_REACH) * cell;
}

bool GridGeometry::suits(const Settings &settings) const {
  if (!(settings.sigma_space >= Grid::min_sigma_space &&
        settings.sigma_space <= Grid::max_sigma_space))
    return false;
  const GridShape shape = this->shape(settings);
  if (shape.planes > Grid::max_planes) return false;
  const double cells = double(shape.columns) * shape.rows * shape.planes * shape.channels;
  const size_t pixels = size_t(width_) * height_;
  if (layout_ == Layout::buffer &&
      std::max(2 * shape.interval_bytes(), (1 + 2 * BLUR_REACH) * shape.node_bytes()) >
          local_bytes_)
    return false;
  return cells * shape.cell / 16 <= std::max(max_pixel_cells * pixels, min_cells) &&
         sums_bytes(shape) <= max_bytes_;
}

}  // namespace glcl::bilateral
