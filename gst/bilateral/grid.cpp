// SPDX-License-Identifier: LGPL-2.1-or-later
#include "grid.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "opencl/error.h"

namespace glcl::bilateral {

namespace {

constexpr int blur_planes = 12;  // per group on images
// Bytes of nodes that a work-item blurs, or reads for a look-up, on buffers.
constexpr size_t buffer_tile = 48 << 10;
constexpr size_t tile_bytes = 48 << 10;  // most local memory of the splat
constexpr Size blur_group{16, 8};        // on images

/// Most pixels between two nodes; a fractional cell size may be rounded up.
int interval_pixels(float cell) {
  return cell == std::floor(cell) ? static_cast<int>(cell) : static_cast<int>(cell + 0.01F) + 1;
}

int divided_up(int n, int unit) { return (n + unit - 1) / unit; }
int round_up(int n, int unit) { return divided_up(n, unit) * unit; }

/// Centre, next and far tap of a sampled Gaussian of variance 2/3 + `more` cells².
cl_float4 blur_taps(double more) {
  const double variance = 2.0 / 3 + more;
  const double near = std::exp(-0.5 / variance), far = std::exp(-2 / variance);
  const double sum = 1 + 2 * near + 2 * far;
  return {{static_cast<float>(1 / sum), static_cast<float>(near / sum),
           static_cast<float>(far / sum), 0}};
}

/// Cells along z per unit of R, G and B, a unit being `scale` levels.
cl_float4 cells_per_unit(const double (&range)[3], double scale = 1) {
  return {{static_cast<float>(scale * range[0]), static_cast<float>(scale * range[1]),
           static_cast<float>(scale * range[2]), 0}};
}

double usual_microseconds(const Device &device) { return device.is_cpu() ? 6500 : 44; }

bool possible_variant(const Device &device, const std::string &, const Parameters &variant) {
  const size_t most = device.device.getInfo<CL_DEVICE_MAX_WORK_GROUP_SIZE>();
  const bool buffers = variant.at("buffers");
  return buffers == device.prefers_buffers() &&
         size_t(variant.at("group-x")) * variant.at("group-y") <= most &&
         size_t(variant.at("lanes")) <= most &&
         (!buffers || (variant.at("lanes") == 128 && variant.at("rows") == 4));
}

}  // namespace

const Tunable &Grid::tunable() {
  static const Tunable tunable{
      "bilateral-grid",
      {"intensity"},
      {"bilateral/gridimage.cl", "bilateral/gridbuffer.cl"},
      {{"buffers", {0, 1}},
       {"group-x", {16, 32}},
       {"group-y", {4, 8, 16}},
       {"lanes", {64, 128, 256}},
       {"rows", {1, 2, 4}}},
      [](const Device &device, const std::string &) { return variant(layout_for(device)); },
      possible_variant};
  return tunable;
}

Parameters Grid::variant(Layout layout) {
  return {{"buffers", layout == Layout::buffer},
          {"group-x", 16},
          {"group-y", 8},
          {"lanes", 128},
          {"rows", 4}};
}

/// The tuned variant for pictures of a layout, or the default.
Tuning Grid::tuning(const Device &device, Layout layout) {
  const auto tuning = load_tuning(tunable(), device, tunable().problems[0]);
  const bool fits = tuning && tuning->parameters.at("buffers") == (layout == Layout::buffer);
  return {fits ? tuning->parameters : variant(layout),
          fits && tuning->microseconds > 0 ? tuning->microseconds : usual_microseconds(device)};
}

Grid::Grid(Context &context, int width, int height, Layout layout, const PixelFormat &pixels)
    : Grid(context, width, height, tuning(context.device(), layout), pixels) {}

Grid::Grid(Context &context, int width, int height, const Parameters &variant,
           const PixelFormat &pixels)
    : Grid(context, width, height, {variant, usual_microseconds(context.device())}, pixels) {}

Grid::Grid(Context &context, int width, int height, const Tuning &tuning, const PixelFormat &pixels)
    : context_(context.shared_from_this()),
      geometry_(context.device(), width, height,
                tuning.parameters.at("buffers") ? Layout::buffer : Layout::image,
                tuning.parameters.at("lanes")),
      pixels_(pixels),
      variant_(tuning.parameters),
      microseconds_(tuning.microseconds) {}

double Grid::levels_per_code() const { return pixels_.bits > 8 ? 255.0 / 65535 : 1; }

double Grid::cost(const Settings &settings) const {
  return microseconds_ * (settings.weight == Weight::per_channel ? 1.6 : 1);
}

Grid::GridKernels Grid::build(int channels) const {
  const bool buffers = layout() == Layout::buffer;
  const Size group{size_t(variant_.at("group-x")), size_t(variant_.at("group-y"))};
  const Program program =
      context_->program(buffers ? "bilateral/gridbuffer.cl" : "bilateral/gridimage.cl",
                        "-cl-mad-enable -DCHANNELS=" + std::to_string(channels) +
                            " -DSLICE_ROWS=" + std::to_string(variant_.at("rows")) +
                            (pixels_.bits > 8 ? " -DDEEP" : ""));
  const auto kernel = [&](const char *name, Size group) {
    return Kernel(*context_, program, name, group);
  };
  GridKernels kernels;
  // On buffers one work-item of the splat does the work of a group on images.
  kernels.splat = kernel(
      "grid_splat", {buffers ? 1 : static_cast<size_t>(std::max(variant_.at("lanes"), 32)), 1});
  kernels.blur = kernel("grid_blur", buffers ? Size{1, 1} : blur_group);
  kernels.slice = kernel("grid_slice", buffers ? Size{1, 1} : group);
  return kernels;
}

bool Grid::ready(const Settings &settings) {
  const int channels = geometry_.shape(settings).channels;
  return program(channels).poll([this, channels] { return build(channels); });
}

void Grid::prepare(const Settings &settings) { kernels(geometry_.shape(settings)); }

Grid::GridKernels &Grid::kernels(const GridShape &shape) {
  return program(shape.channels).get([&] { return build(shape.channels); });
}

void Grid::run(Queue &queue, const Settings &settings, const Picture &in, const Picture &out) {
  for (const Picture *picture : {&in, &out})
    check_picture(*picture, geometry_.width(), geometry_.height(), {layout(), pixels_, {}},
                  "The bilateral grid");
  if (!suits(settings))
    throw Error(Error::Kind::settings,
                "The bilateral grid does not support these values of sigma-space and sigma-range.");
  const int split = BilateralFilter::split_column(settings, geometry_.width());
  const int iterations = split == geometry_.width() ? 1 : std::max(settings.iterations, 1);
  try {
    memory_.reserve(context_->cl(), geometry_, geometry_.shape(settings));
    const Picture *from = &in;
    for (int i = 0; i < iterations; i++) {
      const bool last = i == iterations - 1;
      Picture &next = intermediate_[i % 2];
      if (!last && !next.width)
        next = make_picture(context_->cl(), geometry_.width(), geometry_.height(), layout(),
                            *pixels_.planes[0]);
      const Picture &to = last ? out : next;
      pass(queue, settings, *from, in, to, last ? split : 0);
      from = &to;
    }
  } catch (const cl::Error &error) {
    throw Error("Running the bilateral grid failed.", error);
  }
}

void Grid::splat(Queue &queue, const GridShape &shape, float cell, const Picture &from) {
  Kernel &kernel = kernels(shape).splat;
  const int nodes = shape.columns + 2 * BLUR_REACH;
  // Colours are codes on buffers, fractions of full scale on images.
  const GridSplat splat{
      cells_per_unit(shape.range, layout() == Layout::buffer ? levels_per_code() : 255),
      cell,
      1 / cell,
      shape.stored,
      nodes,
      shape.band_count,
      shape.strip};
  if (layout() == Layout::buffer) {
    const int stretch = geometry_.stretch(shape, cell);
    kernel(queue,
           {size_t(divided_up(nodes, stretch)), size_t(divided_up(shape.band_count, shape.strip))},
           from, geometry_.width(), geometry_.height(), memory_.sums(), splat, stretch,
           cl::Local((stretch + 1) * shape.interval_bytes()));
    return;
  }

  // Put as many planes into a group as fit into its local memory.
  const size_t tile = std::min(geometry_.local_bytes(), tile_bytes);
  const int lanes = static_cast<int>(kernel.group().x);
  const int pixels = interval_pixels(cell), parts = divided_up(pixels, SPLAT_COLUMNS);
  const int columns = divided_up(pixels, parts), pitch = std::max(columns | 1, 5);
  const size_t interval = size_t(parts) * pitch * shape.cell, places = parts * 3 * sizeof(cl_int);
  const int fitting = static_cast<int>(tile / (interval * shape.channels + places));
  const int intervals = std::max(std::min({lanes / (columns * parts), nodes + 1, fitting}), 2);
  const size_t layer = intervals * interval;
  const int most = std::min(static_cast<int>((tile - intervals * places) / layer / shape.channels),
                            SPLAT_PLANES);
  const int chunks = divided_up(shape.stored, most), chunk = divided_up(shape.stored, chunks);
  const size_t groups = divided_up(nodes, intervals - 1);
  const size_t strips = divided_up(shape.band_count, shape.strip);
  // The largest weight of the rows of two bands; each sum of eight is rounded.
  const auto one = static_cast<float>((65535 - 2 * pixels) / (2.0 * (pixels + 1)));
  kernel(queue, {groups * lanes, strips * chunks}, from, memory_.sums(), splat,
         SplatTile{intervals, parts, columns, pitch, chunk, one},
         cl::Local(shape.channels * chunk * layer + intervals * places));
}

void Grid::blur(Queue &queue, const GridShape &shape, float cell) {
  GridKernels &kernels = this->kernels(shape);
  GridBlur blur{blur_taps(1 / (3.0 * cell * cell)), blur_taps(0), shape.stored,
                shape.columns + 2 * BLUR_REACH,     shape.strip,  shape.rows};
  if (layout() == Layout::buffer) {
    const size_t node = shape.node_bytes();
    blur.part = std::clamp(
        static_cast<int>(std::min(geometry_.local_bytes(), buffer_tile) / node) - 2 * BLUR_REACH, 1,
        shape.columns);
    kernels.blur(
        queue,
        {size_t(divided_up(shape.columns, blur.part)), size_t(divided_up(shape.rows, BLUR_ROWS))},
        memory_.sums(), memory_.blurred(), blur, cl::Local((blur.part + 2 * BLUR_REACH) * node));
    return;
  }
  const Size group = kernels.blur.group();
  const int chunks = (shape.stored + blur_planes - 1) / blur_planes;
  blur.part = round_up((shape.stored + chunks - 1) / chunks, BLUR_STEP);
  const size_t rows = (shape.rows + BLUR_ROWS - 1) / BLUR_ROWS;
  const size_t cells = BLUR_ROWS * (group.x + 2 * BLUR_REACH) * (blur.part + 2 * BLUR_REACH);
  kernels.blur(queue, {size_t(shape.columns), rows * chunks * shape.channels * group.y},
               memory_.sums(), memory_.blurred_image(), blur, cl::Local(cells * shape.cell));
}

void Grid::pass(Queue &queue, const Settings &settings, const Picture &from,
                const Picture &original, const Picture &to, int split) {
  const GridShape shape = geometry_.shape(settings);
  GridKernels &kernels = this->kernels(shape);
  const auto cell = static_cast<float>(settings.sigma_space);
  if (split < geometry_.width()) {
    splat(queue, shape, cell, from);
    blur(queue, shape, cell);
  }
  // Colours are codes on buffers, levels on images.
  const GridLookup lookup{
      cells_per_unit(shape.range, layout() == Layout::buffer ? levels_per_code() : 1),
      {{geometry_.width(), geometry_.height()}},
      1 / cell,
      shape.stored,
      split};
  if (layout() == Layout::buffer) {
    // The tile holds one channel of as many nodes as fit, for the pixels between them.
    const size_t node = shape.stored * shape.cell;
    const double fitting =
        (double(std::min(geometry_.local_bytes(), buffer_tile)) / node - 3) * cell;
    const int span =
        GRID_PIXELS * std::clamp(static_cast<int>(fitting / GRID_PIXELS), 1, LOOKUP_VECTORS);
    const size_t nodes = static_cast<size_t>(span / cell) + 3;
    kernels.slice(queue, {size_t(geometry_.height()), 1}, from, original, to, memory_.blurred(),
                  lookup, static_cast<int>(shape.row_cells(shape.columns)), span,
                  cl::Local(nodes * node));
  } else
    kernels.slice(queue,
                  {size_t(geometry_.width()),
                   size_t(2 * divided_up(geometry_.height(), 2 * variant_.at("rows")))},
                  from, original, to, memory_.blurred_image(), lookup);
}

}  // namespace glcl::bilateral
