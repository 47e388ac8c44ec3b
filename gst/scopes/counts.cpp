// SPDX-License-Identifier: LGPL-2.1-or-later
#include "counts.h"

#include <algorithm>
#include <cmath>

#include "opencl/buffer.h"
#include "opencl/error.h"
#include "scopes/columns.clh"

namespace glcl::scopes {

namespace {

constexpr int cpu_tile = 16;  // columns; a cache line of counters
constexpr int gpu_group = 256, most_tile = 8;
constexpr int all_cells = SIDE * SIDE, grey = SIDE / 2;

/// Columns whose counters fit into local memory; half of it, so that two groups fit.
int fitting_tile(const Device &device, const ScopeValues &values) {
  const auto fit = static_cast<int>(device.local_memory() / 2 / sizeof(cl_uint)) /
                   (values.channels * values.levels);
  return std::clamp(fit, 1, most_tile);
}

/// Hue and saturation of each cell, as scope_hues takes them.
std::vector<cl_uint> hue_table() {
  std::vector<cl_uint> table;
  for (int cr = 0; cr < SIDE; cr++)
    for (int cb = 0; cb < SIDE; cb++) {
      const double x = cb - grey, y = cr - grey, saturation = std::hypot(x, y);
      const double degrees = std::atan2(y, x) * 180 / M_PI;
      const int hue = (static_cast<int>(std::lround(degrees)) + HUES) % HUES;
      table.push_back(static_cast<cl_uint>(std::lround(saturation)) << 16 |
                      (saturation < COLOURED ? NO_HUE : hue));
    }
  return table;
}

}  // namespace

ScopeCounts::ScopeCounts(Context &context, int width, int height, const ScopeValues &values,
                         size_t spare_bytes, int group)
    : values_(values) {
  const Device &device = context.device();
  group_ = group ? group : device.is_cpu() ? 1 : gpu_group;
  tile_ = group_ == 1 ? cpu_tile : fitting_tile(device, values);
  const auto units = static_cast<int>(device.device.getInfo<CL_DEVICE_MAX_COMPUTE_UNITS>());
  copies_ = group_ == 1 ? std::clamp(units, 1, 64) : 1;
  const int most_columns = std::min(width, int(MOST_COLUMNS));
  // Two groups for each compute unit.
  bands_ = group_ == 1 ? 1 : std::clamp(2 * units * tile_ / most_columns + 1, 1, height);
  try {
    const std::string options = (frame_options(values.frame) + values.options()).substr(1) +
                                (values.mode == ScopeMode::luma  ? " -DMODE=LUMA"
                                 : values.mode == ScopeMode::rgb ? " -DMODE=RGB"
                                                                 : " -DMODE=YCBCR") +
                                define("GROUP", group_) + define("TILE", tile_);
    const Size size{size_t(group_), 1};
    kernels_.count =
        Kernel(context, context.program("scopes/count.cl", options), "scope_count", size);
    kernels_.lines =
        Kernel(context, context.program("scopes/lines.cl", options), "scope_lines", size);
    if (values.has_chroma() && group_ == 1) {
      const Program program = context.program("scopes/chroma.cl", options);
      kernels_.count_chroma = Kernel(context, program, "scope_count_chroma", size);
      kernels_.add_copies = Kernel(context, program, "scope_add_copies", {64, 1});
    }
    const Program program =
        context.program("scopes/numbers.cl", one_group_option(device.device).substr(1));
    const Size one{device.is_cpu() ? 1 : one_group(device.device), 1};
    kernels_.columns = Kernel(context, program, "scope_columns", {64, 1});
    kernels_.totals = Kernel(context, program, "scope_totals", {64, 1});
    kernels_.heights = Kernel(context, program, "scope_heights", one);
    kernels_.hues = Kernel(context, program, "scope_hues", one);
    const size_t rows = size_t(values.channels) * values.levels;
    make_counted(context, rows * most_columns);
    buffers_.totals = make_buffer(context.cl(), sizeof(cl_uint) * rows);
    buffers_.heights = make_buffer(context.cl(), sizeof(cl_uint) * rows);
    buffers_.numbers = make_buffer(
        context.cl(), sizeof(cl_uint) * number_count({0, 0, width, height}) + spare_bytes);
    buffers_.hue_table = upload_values(context.cl(), hue_table());
  } catch (const cl::Error &error) {
    throw Error("The scopes can't be set up on " + device.name + ".", error);
  }
}

int ScopeCounts::columns(const Rect &area) const {
  const int shift = values_.mode == ScopeMode::ycbcr ? values_.chroma_shift() : 0;
  return std::clamp(area.width >> shift, 1, int(MOST_COLUMNS));
}

void ScopeCounts::make_counted(Context &context, size_t counts) {
  const size_t alignment = context.device().device.getInfo<CL_DEVICE_MEM_BASE_ADDR_ALIGN>() / 8,
               of_counts = (sizeof(cl_uint) * counts + alignment - 1) / alignment * alignment,
               of_cells = sizeof(cl_uint) * all_cells * copies_;
  buffers_.counted = make_buffer(context.cl(), of_counts + of_cells);
  const auto part = [&](size_t from, size_t bytes) {
    const cl_buffer_region region{from, bytes};
    return buffers_.counted.createSubBuffer(0, CL_BUFFER_CREATE_TYPE_REGION, &region);
  };
  buffers_.counts = part(0, of_counts);
  buffers_.cells = part(of_counts, of_cells);
}

void ScopeCounts::count(Queue &queue, const Picture &in, const Rect &area, int parts) {
  if (group_ == 1) {
    if (parts & COUNT_COLUMNS) count_columns_on_cpu(queue, in, area);
    if (parts & COUNT_CHROMA) count_chroma_on_cpu(queue, in, area);
    return;
  }
  const cl::Buffer &cleared = parts == COUNT_COLUMNS  ? buffers_.counts
                              : parts == COUNT_CHROMA ? buffers_.cells
                                                      : buffers_.counted;
  queue.cl().enqueueFillBuffer(cleared, cl_uint(0), 0, cleared.getInfo<CL_MEM_SIZE>());
  const Counting how{int4_of(area), columns(area), bands_, parts};
  const size_t groups = (how.columns + tile_ - 1) / tile_;
  kernels_.count(queue, {groups * group_, size_t(bands_)}, in, buffers_.counts, buffers_.cells,
                 how);
}

void ScopeCounts::count_columns_on_cpu(Queue &queue, const Picture &in, const Rect &area) {
  const Counting how{int4_of(area), columns(area), 1, COUNT_COLUMNS};
  kernels_.count(queue, {size_t(how.columns + tile_ - 1) / tile_, 1}, in, buffers_.counts, how);
}

void ScopeCounts::count_chroma_on_cpu(Queue &queue, const Picture &in, const Rect &area) {
  if (!kernels_.count_chroma) {
    queue.cl().enqueueFillBuffer(buffers_.cells, cl_uint(0), 0, sizeof(cl_uint) * all_cells);
    return;
  }
  const Counting how{int4_of(area), 0, copies_, COUNT_CHROMA};
  kernels_.count_chroma(queue, {size_t(copies_), 1}, in, buffers_.cells, how);
  if (copies_ > 1) kernels_.add_copies(queue, {size_t(all_cells), 1}, buffers_.cells, copies_);
}

cl_float ScopeCounts::chroma_samples(const Rect &area) const {
  const int shift = values_.chroma_shift();
  return static_cast<cl_float>(samples_of(area.x, area.width, shift)) *
         static_cast<cl_float>(samples_of(area.y, area.height, shift));
}

const cl::Buffer &ScopeCounts::totals(Queue &queue, const Rect &area) {
  const int rows = values_.channels * values_.levels;
  kernels_.totals(queue, {size_t(rows), 1}, buffers_.counts, buffers_.totals, columns(area), rows);
  return buffers_.totals;
}

const cl::Buffer &ScopeCounts::heights(Queue &queue, const Rect &area, bool logarithmic) {
  totals(queue, area);
  kernels_.heights(queue, kernels_.heights.group(), buffers_.totals, buffers_.heights,
                   values_.channels * values_.levels, static_cast<int>(logarithmic));
  return buffers_.heights;
}

size_t ScopeCounts::number_count(const Rect &area) const {
  return size_t(values_.channels) * COLUMN_VALUES * columns(area) + COLOUR_NUMBERS;
}

Legal ScopeCounts::legal_of(int columns) const {
  Legal legal{columns, values_.channels, values_.levels, {}, {}};
  for (int i = 0; i < values_.channels; i++)
    legal.black.s[i] = values_.black(i), legal.white.s[i] = values_.white(i);
  return legal;
}

const cl::Buffer &ScopeCounts::numbers(Queue &queue, const Rect &area) {
  const Legal legal = legal_of(columns(area));
  kernels_.columns(queue, {size_t(legal.columns), size_t(legal.channels)}, buffers_.counts,
                   buffers_.numbers, legal);
  kernels_.hues(queue, kernels_.hues.group(), buffers_.cells, buffers_.hue_table, buffers_.numbers,
                legal.channels * COLUMN_VALUES * legal.columns);
  return buffers_.numbers;
}

void ScopeCounts::lines(Queue &queue, const Picture &in, const Rect &area, const cl::Buffer &out,
                        int first) {
  kernels_.lines(queue, {size_t(area.height) * group_, size_t(values_.channels)}, in, out,
                 int4_of(area), legal_of(area.height), first);
}

}  // namespace glcl::scopes
