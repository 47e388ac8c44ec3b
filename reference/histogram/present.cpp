// SPDX-License-Identifier: LGPL-2.1-or-later
#include "present.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdio>
#include <numeric>
#include <string>

#include "drawing/font.clh"
#include "histogram.h"

namespace reference {

namespace {

using glcl::Rect;
using glcl::histogram::Histogram;
using glcl::histogram::HistogramRenderer;
using Display = HistogramRenderer::Display;
using Equalize = HistogramRenderer::Equalize;

std::vector<int> equalizing_table(const uint32_t *counts) {
  uint64_t all = 0, first = 0;
  for (int i = 0; i < 256; i++) {
    if (!all) first = counts[i];
    all += counts[i];
  }
  std::vector<int> table(256);
  uint64_t sum = 0;
  for (int i = 0; i < 256; i++) {
    sum += counts[i];
    const double part = sum > first ? double(sum - first) / double(all - first) : 0;
    table[i] = all == first ? i : static_cast<int>(std::floor(255 * part + 0.5));
  }
  return table;
}

void equalize(Frame &frame, Equalize how) {
  const auto counts = histogram(frame, HistogramRenderer::format_for(how));
  std::vector<int> tables[3];
  for (int c = 0; c < (how == Equalize::rgb ? 3 : 1); c++)
    tables[c] = equalizing_table(&counts[256 * c]);
  for (size_t i = 0; i < frame.rgba.size(); i += 4) {
    uint8_t *p = &frame.rgba[i];
    const int luma = (77 * p[0] + 150 * p[1] + 29 * p[2] + 128) / 256;
    for (int c = 0; c < 3; c++)
      p[c] = static_cast<uint8_t>(how == Equalize::rgb
                                      ? tables[c][p[c]]
                                      : std::clamp(p[c] + tables[0][luma] - luma, 0, 255));
  }
}

/// R, G and B, and their opacity, 0 to 1.
struct Colour {
  double rgb[3], part;

  static Colour of(uint32_t argb) {
    return {{(argb >> 16 & 255) / 255.0, (argb >> 8 & 255) / 255.0, (argb & 255) / 255.0},
            (argb >> 24) / 255.0};
  }
  Colour times(double factor) const { return {{rgb[0], rgb[1], rgb[2]}, part * factor}; }
};

/// Draws a panel, one object after the other. Its pixels are premultiplied.
class Canvas {
 public:
  Canvas(int width, int height)
      : width_(width), height_(height), rgba_(size_t(width) * height * 4) {}

  void blend(int x, int y, const Colour &colour) {
    double *p = at(x, y);
    for (int c = 0; c < 4; c++)
      p[c] = p[c] * (1 - colour.part) + (c < 3 ? colour.rgb[c] : 1) * colour.part;
  }
  void fill(const Rect &area, const Colour &colour) {
    for (int y = std::max(area.y, 0); y < std::min(area.y + area.height, height_); y++)
      for (int x = std::max(area.x, 0); x < std::min(area.x + area.width, width_); x++)
        blend(x, y, colour);
  }
  /// A glyph of the font, in a box of 6×9 units: the part of each pixel within 0.46 units of a
  /// stroke, by the distance of its centre.
  void glyph(int which, int x, int y, int unit, const Rect &clip, const Colour &colour) {
    for (int dy = 0; dy < 9 * unit; dy++)
      for (int dx = 0; dx < 6 * unit; dx++) {
        const int px = x + dx, py = y + dy;
        if (px < clip.x || px >= clip.x + clip.width || py < clip.y || py >= clip.y + clip.height)
          continue;
        const double near = distance(which, (dx + 0.5) / unit, (dy + 0.5) / unit);
        fill({px, py, 1, 1}, colour.times(std::clamp((0.46 - near) * unit + 0.5, 0.0, 1.0)));
      }
  }
  int width() const { return width_; }
  int height() const { return height_; }
  double *at(int x, int y) { return &rgba_[(size_t(y) * width_ + x) * 4]; }

 private:
  /// The distance of a point from the strokes of a glyph, units.
  static double distance(int which, double x, double y) {
    using Complex = std::complex<double>;
    double nearest = 100;
    for (int i = glcl::drawing::font_first[which]; i < glcl::drawing::font_first[which + 1]; i++) {
      const auto &ends = glcl::drawing::font_strokes[i];
      const Complex from(ends[0] / 16.0, ends[1] / 16.0), to(ends[2] / 16.0, ends[3] / 16.0);
      // The stroke becomes the part from 0 to 1 of the real axis.
      const Complex at = (Complex(x, y) - from) / (to - from);
      nearest =
          std::min(nearest, std::abs(at - std::clamp(at.real(), 0.0, 1.0)) * std::abs(to - from));
    }
    return nearest;
  }

  int width_, height_;
  std::vector<double> rgba_;
};

/// The fullest counter fills the plot, or exceeds it if the usual counter, the 95th percentile of
/// the non-empty ones, would stay below the level.
std::vector<int> heights_of(const std::vector<uint32_t> &counts, bool logarithmic, double level) {
  std::vector<uint32_t> filled;
  for (const uint32_t count : counts)
    if (count) filled.push_back(count);
  std::sort(filled.rbegin(), filled.rend());
  const uint64_t fullest = filled.empty() ? 1 : filled[0],
                 usual = filled.empty() ? 1 : filled[filled.size() / 20],
                 part = std::lround(65535 * level);
  const bool by_usual = part * fullest > 65535 * usual;
  const double scale = std::max(65535 / std::log1p(fullest), part / std::log1p(usual));
  std::vector<int> heights;
  for (const uint64_t count : counts) {
    const uint64_t height = logarithmic ? std::lround(std::log1p(count) * scale)
                            : by_usual  ? count * part / usual
                                        : count * 65535 / fullest;
    heights.push_back(static_cast<int>(std::min<uint64_t>(height, 65535)));
  }
  return heights;
}

struct Plot {
  const Histogram::Format &format;
  std::vector<int> heights;  // of the counters, 65535 for the whole plot
  int unit;
  Colour foreground, background;

  int channels() const { return format.channels(); }
  int levels() const { return format.counters() / channels(); }

  /// The plot of some channels in its part of the panel. `excess`: px below it and to its right
  /// that remain.
  void draw(Canvas &canvas, const Rect &area, int excess, int first, int last,
            bool lettered) const {
    const int u = unit, w = std::max(area.width - 6 * u, 1), h = std::max(area.height - 14 * u, 1);
    const int left = area.x + 3 * u, top = area.y + 3 * u, line = std::max(1, u / 2);
    const auto inside = [&](int x, int y) {
      return x < std::min(area.x + area.width + excess, canvas.width()) &&
             y < std::min(area.y + area.height + excess, canvas.height());
    };
    const bool labelled = w >= 24 * u && h >= 11 * u;
    for (int x = 0; x < w; x++)
      for (int y = 0; y < h; y++) {
        if (!inside(left + x, top + y)) continue;
        double colour[3] = {0, 0, 0};
        bool filled = false;
        for (int channel = first; channel < last; channel++) {
          const int from = int(int64_t(x) * levels() / w),
                    to = std::max(from + 1, int(int64_t(x + 1) * levels() / w));
          int height = 0;
          for (int i = from; i < to; i++)
            height = std::max(height, heights[channel * levels() + i]);
          if (int64_t(h - 1 - y) * 65535 >= int64_t(height) * h) continue;
          filled = true;
          for (int c = 0; c < 3; c++)
            colour[c] += channels() == 1 ? 0.9 * foreground.rgb[c] : 0.15 + 0.75 * (c == channel);
        }
        bool graticule = false;
        for (int i = 0; i <= 4; i++) {
          const int tx = std::min(w * i / 4, w - line), ty = std::min(h * i / 4, h - line);
          graticule = graticule || (x >= tx && x < tx + line) || (y >= ty && y < ty + line);
        }
        if (filled)
          canvas.blend(
              left + x, top + y,
              {{std::min(colour[0], 1.0), std::min(colour[1], 1.0), std::min(colour[2], 1.0)}, 1});
        if (graticule && filled)
          canvas.blend(left + x, top + y,
                       {{background.rgb[0], background.rgb[1], background.rgb[2]}, 0.2});
        else if (graticule)
          canvas.blend(left + x, top + y, foreground.times(0.25));
      }
    if (!labelled) return;
    if (lettered)
      canvas.glyph(channels() == 1 ? 13 : 10 + first, left + 2 * u, top + 2 * u, u,
                   {left, top, std::min(w, area.x + area.width + excess - left),
                    std::min(h, area.y + area.height + excess - top)},
                   foreground);
    const int labels = w < 60 * u ? 2 : w < 108 * u ? 3 : 5;
    for (int i = 0; i < labels; i++) {
      const std::string text = std::to_string(i < labels - 1 ? i * 256 / (labels - 1) : 255);
      const int size = (6 * static_cast<int>(text.size()) - 1) * u;
      const int x = i == 0 ? 0 : i == labels - 1 ? w - size : w * i / (labels - 1) - size / 2;
      for (size_t k = 0; k < text.size(); k++)
        canvas.glyph(text[k] - '0', left + x + 6 * u * static_cast<int>(k), top + h + 2 * u, u,
                     {area.x, area.y, area.width + excess, area.height + excess}, foreground);
    }
  }
};

/// The fullest colours as bars, one below the other.
void draw_colours(Canvas &canvas, const std::vector<uint32_t> &counts, int axis, int rows, int u,
                  bool logarithmic, const Colour &foreground) {
  std::vector<int> order(counts.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return counts[a] > counts[b]; });
  const double all = std::max(std::accumulate(counts.begin(), counts.end(), 0.0), 1.0);
  const uint64_t fullest = std::max(counts[order[0]], 1u);
  const int width = std::max(canvas.width() - 6 * u, 1),
            height = std::max(canvas.height() - 6 * u, 1), row_height = std::max(height / rows, 1);
  const bool labelled = width >= 49 * u && row_height >= 9 * u;
  const int left = labelled ? 37 * u : 0,
            gap = row_height > 2 ? std::max(std::min(u, row_height / 4), 1) : 0;
  const Rect inside{3 * u, 3 * u, width, std::min(row_height * rows, height)};
  for (int row = 0; row < rows; row++) {
    const uint64_t count = counts[order[row]];
    const int share =
        static_cast<int>(logarithmic ? std::lround(65535 * std::log1p(count) / std::log1p(fullest))
                                     : count * 65535 / fullest);
    if (!share) continue;
    const int upper = inside.y + row * row_height;
    Colour colour{{0, 0, 0}, 1};
    for (int c = 0, bin = order[row]; c < 3; c++, bin /= axis)
      colour.rgb[2 - c] = 0.15 + 0.85 * (bin % axis) / (axis - 1);
    // All px that start before its end.
    const int64_t end = std::max(int64_t(share) * (width - left), int64_t(65535));
    canvas.fill({inside.x + left, upper, static_cast<int>((end + 65534) / 65535), row_height - gap},
                colour);
    if (!labelled) continue;
    char text[16];
    std::snprintf(text, sizeof text, "%5.1f%%", std::floor(1000 * double(count) / all + 0.5) / 10);
    for (int i = 0; i < 6; i++)
      if (text[i] != ' ')
        canvas.glyph(text[i] == '.'   ? 14
                     : text[i] == '%' ? 15
                                      : text[i] - '0',
                     inside.x + 6 * u * i, upper + (row_height - gap - 7 * u) / 2, u, inside,
                     foreground);
  }
}

/// The panel only.
Canvas draw_panel(int width, int height, const Rect &panel,
                  const HistogramRenderer::Settings &settings, const Histogram::Format &format,
                  const std::vector<uint32_t> &counts) {
  Canvas canvas(panel.width, panel.height);
  const Colour foreground = Colour::of(settings.foreground_color),
               background = Colour::of(settings.background_color);
  canvas.fill({0, 0, panel.width, panel.height}, background);
  const int channels = format.channels(),
            unit = HistogramRenderer::unit(settings, format, width, height);
  if (format.levels() != format.counters() / channels) {
    draw_colours(canvas, counts, format.levels(),
                 HistogramRenderer::rows(settings, format, width, height), unit,
                 settings.logarithmic, foreground);
    return canvas;
  }
  const Plot plot{format, heights_of(counts, settings.logarithmic, settings.level_height), unit,
                  foreground, background};
  if (channels == 1 || settings.display == Display::overlay)
    plot.draw(canvas, {0, 0, panel.width, panel.height}, 0, 0, channels, channels == 1);
  else
    for (int c = 0; c < channels; c++) {
      const bool parade = settings.display == Display::parade;
      Rect area{0, 0, panel.width, panel.height};
      int &size = parade ? area.width : area.height;
      size = std::max(size / channels, 1);
      (parade ? area.x : area.y) = c * (parade ? area.width : area.height);
      plot.draw(canvas, area, c == channels - 1 ? channels - 1 : 0, c, c + 1, true);
    }
  return canvas;
}

}  // namespace

Frame present(const Frame &frame, const HistogramRenderer::Settings &settings,
              const Histogram::Format &format, const std::vector<uint32_t> &counts, bool overlay) {
  Frame out = overlay ? Frame(frame.width, frame.height) : frame;
  if (!overlay && settings.equalize != Equalize::none) equalize(out, settings.equalize);
  if (settings.display == Display::none) return out;
  const Rect panel = HistogramRenderer::panel(settings, frame.width, frame.height);
  Canvas canvas = draw_panel(frame.width, frame.height, panel, settings, format, counts);
  const auto opacity = static_cast<float>(settings.opacity);
  for (int y = 0; y < panel.height; y++)
    for (int x = 0; x < panel.width; x++)
      for (int c = 0; c < 4; c++) {
        const double *p = canvas.at(x, y);
        uint8_t *value = out.at(panel.x + x, panel.y + y);
        const double below = value[c] * (1 - p[3] * opacity);
        if (c < 3 || overlay)
          value[c] = static_cast<uint8_t>(
              std::lround(255 * p[overlay && c < 3 ? 2 - c : c] * opacity + (overlay ? 0 : below)));
      }
  return out;
}

double equalized_level(double level, const uint32_t *counts, bool between) {
  const std::vector<int> table = equalizing_table(counts);
  const double inside = std::clamp(level, 0.0, 255.0);
  if (!between) return table[std::lround(inside)];
  const int below = static_cast<int>(inside), above = std::min(below + 1, 255);
  return table[below] + (inside - below) * (table[above] - table[below]);
}

}  // namespace reference
