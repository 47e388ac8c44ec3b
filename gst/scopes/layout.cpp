// SPDX-License-Identifier: LGPL-2.1-or-later
#include "layout.h"

#include <algorithm>
#include <cmath>

#include "drawing/canvas.h"

namespace glcl::scopes {

namespace {

constexpr int glyph_width = 6, glyph_height = 7;  // dots, with the gap between glyphs

/// A rectangle without its margins, at least 1 × 1 px.
Rect without(const Rect &cell, int left, int top, int right, int bottom) {
  Rect inner{cell.x + left, cell.y + top, cell.width - left - right, cell.height - top - bottom};
  if (inner.width < 1) inner.x = cell.x, inner.width = cell.width;
  if (inner.height < 1) inner.y = cell.y, inner.height = cell.height;
  return inner;
}

/// Places the plot inside the cell. Text needs a quarter of the width at most, and a few lines.
void place_plot(ScopePlot &plot, int unit, int characters) {
  const Rect &cell = plot.cell;
  const int text = (glyph_width * characters + 1) * unit;
  const bool labelled = cell.width >= 4 * text && cell.height >= 6 * glyph_height * unit;
  plot.labelled = labelled;
  const int gap = std::min({2 * unit, cell.width / 8, cell.height / 8});
  if (plot.kind == ScopeKind::histogram) {
    plot.plot = without(cell, gap, gap, gap, labelled ? (glyph_height + 2) * unit + gap : gap);
    return;
  }
  if (plot.kind != ScopeKind::vectorscope) {
    plot.plot = without(cell, labelled ? text + unit : gap, gap, gap, gap);
    return;
  }
  const Rect inner = without(cell, gap, gap, gap, gap);
  const int side = std::min(inner.width, inner.height);
  plot.plot = {inner.x + (inner.width - side) / 2, inner.y + (inner.height - side) / 2, side, side};
  plot.labelled = side >= 16 * glyph_width * unit;
}

/// The scopes of the settings, a parade as one for each channel.
std::vector<ScopePlot> plots_of(const ScopeSettings &settings, int channels) {
  std::vector<ScopePlot> plots;
  for (const ScopeKind kind : {waveform, parade, vectorscope, histogram}) {
    if (!(settings.display & kind)) continue;
    if (kind != parade)
      plots.push_back({kind, 0, channels, {}, {}, false});
    else
      for (int channel = 0; channel < channels; channel++)
        plots.push_back({kind, channel, 1, {}, {}, false});
  }
  return plots;
}

}  // namespace

FalseColorBands exposure_bands() {
  return {{2.5, 4, 38, 42, 52, 56, 97, 99},
          {0xff8030b0, 0xff3070ff, 0, 0xff30b050, 0, 0xffff80c0, 0, 0xffffe030, 0xffff2020}};
}

Rect scope_panel(const ScopeSettings &settings, int width, int height) {
  if (settings.replaces()) return {0, 0, width, height};
  return drawing::panel(settings.x, settings.y, settings.width, settings.height, width, height);
}

Rect covered_by(const ScopeSettings &settings, int width, int height) {
  return settings.display & mark_kinds ? Rect{0, 0, width, height}
                                       : scope_panel(settings, width, height);
}

ScopeLayout::ScopeLayout(const ScopeSettings &settings, const ScopeValues &values, int characters,
                         int width, int height)
    : panel(scope_panel(settings, width, height)),
      unit(drawing::dot(width, height)),
      line(std::clamp(unit / 2, 1, std::max(1, std::min(panel.width, panel.height) / 128))),
      plots(plots_of(settings, values.channels)) {
  // A parade is one scope, of up to three plots.
  const bool has_parade = settings.display & parade;
  const int scopes = static_cast<int>(plots.size()) - (has_parade ? values.channels - 1 : 0);
  const auto part = [&](int index, int count, const Rect &of) {
    const int from = static_cast<int>(int64_t(of.width) * index / count);
    return Rect{of.x + from, of.y, static_cast<int>(int64_t(of.width) * (index + 1) / count) - from,
                of.height};
  };
  int index = 0;
  for (ScopePlot &plot : plots) {
    const Rect of_scope = part(index, scopes, panel);
    const bool is_parade = plot.kind == parade;
    plot.cell = is_parade ? part(plot.channel, values.channels, of_scope) : of_scope;
    if (!is_parade || plot.channel == values.channels - 1) index++;
  }
  // A smaller font, where the text would not fit.
  for (; unit > 1; unit--) {
    for (ScopePlot &plot : plots) place_plot(plot, unit, characters);
    if (std::all_of(plots.begin(), plots.end(),
                    [](const ScopePlot &plot) { return plot.labelled; }))
      break;
  }
  for (ScopePlot &plot : plots) place_plot(plot, unit, characters);
  plots.erase(std::remove_if(plots.begin(), plots.end(),
                             [](const ScopePlot &plot) { return plot.cell.empty(); }),
              plots.end());
}

}  // namespace glcl::scopes
