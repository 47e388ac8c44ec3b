// SPDX-License-Identifier: LGPL-2.1-or-later
#include "renderer.h"

#include <algorithm>
#include <cmath>

#include "opencl/error.h"

namespace glcl::histogram {

namespace {

constexpr int most_rows = 16;

}  // namespace

Histogram::Format HistogramRenderer::format_for(Equalize equalize) {
  return {equalize == Equalize::rgb ? Histogram::Mode::rgb : Histogram::Mode::luma, BINS};
}

Rect HistogramRenderer::panel(const Settings &settings, int width, int height) {
  return drawing::panel(settings.x, settings.y, settings.width, settings.height, width, height);
}

namespace {

/// True if the bins are colours.
bool is_joint(const Histogram::Format &format) {
  return format.levels() != format.counters() / format.channels();
}

}  // namespace

int HistogramRenderer::unit(const Settings &settings, const Histogram::Format &format, int width,
                            int height) {
  const Rect area = panel(settings, width, height);
  const int channels = settings.display == Display::overlay ? 1 : format.channels();
  const int plot_width = area.width / (settings.display == Display::parade ? channels : 1),
            plot_height = area.height / (settings.display == Display::stack ? channels : 1);
  // As in the kernel: four letters next to a plot, or four rows of colours.
  const auto fits = [&](int unit) {
    return is_joint(format) ? plot_width >= 55 * unit && plot_height >= 42 * unit
                            : plot_width >= 30 * unit && plot_height >= 25 * unit;
  };
  int unit = drawing::dot(width, height);
  while (unit > 1 && !fits(unit)) unit--;
  return unit;
}

int HistogramRenderer::rows(const Settings &settings, const Histogram::Format &format, int width,
                            int height) {
  const Rect area = panel(settings, width, height);
  const int dot = unit(settings, format, width, height), inner = area.height - 6 * dot;
  const bool labelled = area.width >= 55 * dot && inner >= 9 * dot;
  return std::clamp(inner / (labelled ? 9 * dot : 4), 1, most_rows);
}

HistogramRenderer::HistogramRenderer(Context &context, int width, int height,
                                     const FrameFormat &frame)
    : width_(width), height_(height) {
  try {
    const Program program = context.program("histogram/present.cl", frame_options(frame.layout));
    fullest_ = Kernel(context, program, "display_fullest", {BINS, 1});
    present_ = Kernel(context, program, "present", {32, 8});
    bars_ = cl::Buffer(context.cl(), CL_MEM_READ_WRITE, most_rows * sizeof(cl_ushort4));
    if (frame.pixels->has_luma()) equalizer_.emplace(context, frame);
  } catch (const cl::Error &error) {
    throw Error("The histogram can't be drawn by " + context.device().name + ".", error);
  }
}

/// Few groups, because each computes its own tables or scale.
size_t HistogramRenderer::rows_at_a_time(const Device &device, const Rect &part) const {
  const Size group = present_.group();
  const size_t units = device.device.getInfo<CL_DEVICE_MAX_COMPUTE_UNITS>(), groups = units * 4,
               columns = (part.width + group.x - 1) / group.x;
  return std::min(std::max<size_t>(groups / columns, 1) * group.y, size_t(part.height));
}

void HistogramRenderer::equalize(Queue &queue, Equalize equalize, const cl::Buffer &equalize_counts,
                                 const Picture &in, const Picture &out) {
  if (in.format == &PlaneFormat::rgba8) {
    Settings plain;
    plain.equalize = equalize;
    return run(queue, plain, {in, out}, format_for(equalize), equalize_counts, equalize_counts);
  }
  if (equalize == Equalize::rgb)
    equalizer_->run_rgb(queue, equalize_counts, in, out);
  else
    equalizer_->run_luma(queue, equalize_counts, in, out);
}

void HistogramRenderer::run(Queue &queue, const Settings &settings, const drawing::Canvas &canvas,
                            const Histogram::Format &format, const cl::Buffer &counts,
                            const cl::Buffer &equalize_counts) {
  // Images are copied by the kernel that draws; CPU devices copy memory faster.
  const bool buffers = canvas.out.layout == Layout::buffer;
  const bool shown = settings.display != Display::none, colours = is_joint(format);
  const Equalize equalize = canvas.overlay ? Equalize::none : settings.equalize;
  const int bars = rows(settings, format, width_, height_);
  if (shown && colours)
    fullest_(queue, {BINS, 1}, counts, format.counters(), int(settings.logarithmic), bars, bars_);
  const Rect area = panel(settings, width_, height_);
  Rect part{0, 0, width_, height_};
  if (equalize == Equalize::none && (canvas.overlay || buffers)) {
    if (!canvas.overlay) canvas.begin(queue);
    if (!shown) return;
    part = area;
  }
  const Panel plots{int4_of(area),
                    static_cast<int>(settings.display),
                    format.channels(),
                    format.counters() / format.channels(),
                    colours ? format.levels() : 0,
                    bars,
                    unit(settings, format, width_, height_),
                    drawing::floats_of(settings.foreground_color),
                    drawing::floats_of(settings.background_color)};
  const Presentation presentation{plots,
                                  int4_of(part),
                                  static_cast<int>(equalize),
                                  settings.logarithmic,
                                  static_cast<int>(std::lround(65535 * settings.level_height)),
                                  static_cast<cl_float>(settings.opacity),
                                  canvas.overlay};
  const Size items{size_t(part.width), rows_at_a_time(queue.context().device(), part)};
  present_(queue, items, canvas.in, canvas.out, equalize_counts, counts, bars_, presentation);
}

}  // namespace glcl::histogram
