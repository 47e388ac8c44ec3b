// SPDX-License-Identifier: LGPL-2.1-or-later
#include "renderer.h"

#include <algorithm>
#include <tuple>

#include "opencl/buffer.h"
#include "opencl/error.h"

namespace glcl::scopes {

namespace {

Plot plot_of(const ScopeSettings &settings, const ScopeValues &values, const ScopeLayout &layout,
             const ScopePlot &place, const Rect &area, int columns) {
  Plot plot{};
  plot.cell = int4_of(place.cell), plot.plot = int4_of(place.plot);
  plot.panel = int4_of(layout.panel), plot.area = int4_of(area);
  plot.columns = columns, plot.levels = values.levels;
  plot.channel = place.channel, plot.channels = place.channels;
  plot.chroma_shift = values.mode == ScopeMode::ycbcr ? values.chroma_shift() : 0;
  plot.logarithmic = settings.logarithmic;
  plot.gain = static_cast<cl_float>(settings.gain);
  plot.side = SIDE / settings.zoom;
  plot.opacity = settings.replaces() ? 1 : static_cast<cl_float>(settings.opacity);
  plot.opaque = settings.replaces();
  const std::vector<cl_float4> colours = trace_colours(settings, values.mode);
  std::copy(colours.begin(), colours.end(), plot.colours);
  return plot;
}

/// The settings of the layer: replaced frames have an opaque background.
ScopeSettings layer_settings(const ScopeSettings &settings) {
  ScopeSettings of_layer = settings;
  if (settings.replaces()) of_layer.background_color |= 0xff000000;
  return of_layer;
}

}  // namespace

std::vector<cl_float4> trace_colours(const ScopeSettings &settings, ScopeMode mode) {
  if (mode == ScopeMode::rgb)
    return {{{1.0f, 0.15f, 0.15f, 1}}, {{0.15f, 1.0f, 0.15f, 1}}, {{0.2f, 0.25f, 1.0f, 1}}};
  const cl_float4 luma = drawing::floats_of(settings.foreground_color);
  if (mode == ScopeMode::luma) return {luma};
  return {luma, {{0.3f, 0.5f, 1.0f, 1}}, {{1.0f, 0.35f, 0.35f, 1}}};
}

ScopeRenderer::ScopeRenderer(Context &context, int width, int height, const FrameFormat &frame)
    : width_(width),
      height_(height),
      plot_rows_(context.device().is_cpu() ? 8 : 2),
      marks_(context, width, height, frame) {
  try {
    const Program program = context.program(
        "scopes/draw.cl", frame_options(frame.layout) + define("PLOT_ROWS", plot_rows_));
    waveform_ = Kernel(context, program, "scope_draw_waveform", {32, 2});
    vectors_ = Kernel(context, program, "scope_draw_vectors", {32, 2});
    bars_ = Kernel(context, program, "scope_draw_bars", {32, 2});
  } catch (const cl::Error &error) {
    throw Error("The scopes can't be drawn by " + context.device().name + ".", error);
  }
}

bool ScopeRenderer::Painted::is(const ScopeSettings &other, const ScopeValues &of,
                                ScopeTransfer light) const {
  const auto part = [](const ScopeSettings &s) {
    return std::make_tuple(s.display & plot_kinds, s.levels, s.replaces(), s.zoom, s.x, s.y,
                           s.width, s.height, s.foreground_color, s.background_color);
  };
  return part(settings) == part(other) && values.mode == of.mode && transfer == light;
}

const ScopeLayout &ScopeRenderer::paint(Queue &queue, const ScopeSettings &settings,
                                        const ScopeValues &values, ScopeTransfer transfer) {
  if (painted_ && painted_->is(settings, values, transfer)) return painted_->layout;
  const ScopeLayout layout(settings, values, longest_label(values, settings.levels, transfer),
                           width_, height_);
  layer_ = upload_values(queue.context().cl(), paint_graticule(settings, values, transfer, layout));
  return painted_.emplace(Painted{settings, values, transfer, layout}).layout;
}

void ScopeRenderer::run(Queue &queue, const ScopeSettings &settings, const Picture &frame,
                        const drawing::Canvas &canvas, ScopeCounts &counts, const Rect &area,
                        ScopeTransfer transfer) {
  const ScopeValues &values = counts.values();
  const bool marked = settings.display & mark_kinds && !settings.replaces();
  const ScopeLayout &layout = paint(queue, layer_settings(settings), values, transfer);
  if (marked || (!canvas.overlay && !settings.replaces())) canvas.begin(queue);
  if (marked) marks_.run(queue, settings, frame, canvas);
  for (const ScopePlot &place : layout.plots) {
    Plot plot = plot_of(settings, values, layout, place, area, counts.columns(area));
    plot.overlay = canvas.overlay;
    const Size items{size_t(place.cell.width),
                     (size_t(place.cell.height) + plot_rows_ - 1) / plot_rows_};
    if (place.kind == histogram)
      bars_(queue, items, canvas.in, canvas.out, layer_,
            counts.heights(queue, area, settings.logarithmic), plot);
    else if (place.kind == vectorscope)
      vectors_(queue, items, canvas.in, canvas.out, layer_, counts.cells(), plot,
               counts.chroma_samples(area));
    else
      waveform_(queue, items, canvas.in, canvas.out, layer_, counts.counts(), plot);
  }
}

}  // namespace glcl::scopes
