// SPDX-License-Identifier: LGPL-2.1-or-later
#include "present.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "histogram.h"

namespace reference {

namespace {

using glcl::histogram::Area;
using glcl::histogram::Histogram;
using glcl::histogram::Present;
using Display = Present::Display;
using Equalize = Present::Equalize;

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
  const auto counts = histogram(frame, Present::format_for(how));
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

/// The glyphs, row by row; see the kernel.
const char *const glyphs[] = {
    ".###.#...##..###.#.###..##...#.###.", "..#...##....#....#....#....#...###.",
    ".###.#...#....#..##..#...#....#####", ".###.#...#....#..##.....##...#.###.",
    "...#...##..#.#.#..#.#####...#....#.", "######....####.....#....##...#.###.",
    "..##..#...#....####.#...##...#.###.", "#####....#...#...#...#....#....#...",
    ".###.#...##...#.###.#...##...#.###.", ".###.#...##...#.####....#...#..##..",
    "####.#...##...#####.#.#..#..#.#...#", ".###.#...##....#.####...##...#.###.",
    "####.#...##...#####.#...##...#####.", "#...##...#.#.#...#....#....#....#.."};

/// Draws a panel, whole things after the other.
class Canvas {
 public:
  Canvas(int width, int height)
      : width_(width), height_(height), rgb_(size_t(width) * height * 3) {}

  void fill(int x, int y, int w, int h, double r, double g, double b) {
    for (int row = std::max(y, 0); row < std::min(y + h, height_); row++)
      for (int column = std::max(x, 0); column < std::min(x + w, width_); column++) {
        double *p = at(column, row);
        p[0] = r, p[1] = g, p[2] = b;
      }
  }
  void glyph(int which, int x, int y, int unit, const Area &clip) {
    for (int i = 0; i < 35; i++)
      if (glyphs[which][i] == '#')
        for (int dy = 0; dy < unit; dy++)
          for (int dx = 0; dx < unit; dx++) {
            const int px = x + i % 5 * unit + dx, py = y + i / 5 * unit + dy;
            if (px >= clip.x && px < clip.x + clip.width && py >= clip.y &&
                py < clip.y + clip.height)
              fill(px, py, 1, 1, 0.9, 0.9, 0.9);
          }
  }
  int width() const { return width_; }
  int height() const { return height_; }
  double *at(int x, int y) { return &rgb_[(size_t(y) * width_ + x) * 3]; }

 private:
  int width_, height_;
  std::vector<double> rgb_;
};

/// The fullest counter fills the plot, or more than it where the usual one, the 95th percentile of
/// those that are not empty, would not come up to the level.
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
  std::vector<int> heights;  // of the counters, 65535 for all of the plot
  int unit;

  int channels() const { return format.channels(); }
  int levels() const { return format.counters() / channels(); }
  bool joint() const { return format.levels() != levels(); }

  /// A plot of some channels in its part of the panel.
  /// `over`: px below it and to its right that are left over.
  void draw(Canvas &canvas, const Area &area, int over, int first, int last, bool lettered) const {
    const int u = unit, w = std::max(area.width - 6 * u, 1), h = std::max(area.height - 14 * u, 1);
    const int left = area.x + 3 * u, top = area.y + 3 * u, line = std::max(1, u / 2);
    const auto inside = [&](int x, int y) {
      return x < std::min(area.x + area.width + over, canvas.width()) &&
             y < std::min(area.y + area.height + over, canvas.height());
    };
    const std::string last_label = std::to_string(joint() ? levels() - 1 : 255);
    const bool labelled = w >= 6 * u * (1 + static_cast<int>(last_label.size())) && h >= 11 * u;
    for (int x = 0; x < w; x++)
      for (int y = 0; y < h; y++) {
        if (!inside(left + x, top + y)) continue;
        double colour[3] = {0, 0, 0};
        bool filled = false;
        for (int channel = first; channel < last; channel++) {
          const int from = int(int64_t(x) * levels() / w),
                    to = std::max(from + 1, int(int64_t(x + 1) * levels() / w));
          int height = 0, bin = from;
          for (int i = from; i < to; i++)
            if (heights[channel * levels() + i] > height) {
              height = heights[channel * levels() + i];
              bin = i;
            }
          if (int64_t(h - 1 - y) * 65535 >= int64_t(height) * h) continue;
          filled = true;
          const int n = format.levels(), levels_of[] = {bin / (n * n), bin / n % n, bin % n};
          for (int c = 0; c < 3; c++)
            colour[c] += joint()           ? 0.15 + 0.85 * levels_of[c] / (n - 1)
                         : channels() == 1 ? 0.8
                                           : 0.15 + 0.75 * (c == channel);
        }
        double *p = canvas.at(left + x, top + y);
        bool graticule = false;
        for (int i = 0; i <= 4; i++) {
          const int tx = std::min(w * i / 4, w - line), ty = std::min(h * i / 4, h - line);
          graticule = graticule || (x >= tx && x < tx + line) || (y >= ty && y < ty + line);
        }
        for (int c = 0; c < 3; c++) {
          if (filled) p[c] = std::min(colour[c], 1.0);
          if (graticule) p[c] = std::max(p[c] + (filled ? -0.15 : 0.22), 0.0);
        }
      }
    if (!labelled) return;
    if (lettered && !joint())
      canvas.glyph(channels() == 1 ? 13 : 10 + first, left + 2 * u, top + 2 * u, u,
                   {left, top, std::min(w, area.x + area.width + over - left),
                    std::min(h, area.y + area.height + over - top)});
    const int labels = joint() || w < 108 * u ? 2 : 5;
    for (int i = 0; i < labels; i++) {
      const std::string text = i < labels - 1 ? std::to_string(i * 64) : last_label;
      const int size = (6 * static_cast<int>(text.size()) - 1) * u;
      const int x = i == 0 ? 0 : i == labels - 1 ? w - size : w * i / (labels - 1) - size / 2;
      for (size_t k = 0; k < text.size(); k++)
        canvas.glyph(text[k] - '0', left + x + 6 * u * static_cast<int>(k), top + h + 2 * u, u,
                     {area.x, area.y, area.width + over, area.height + over});
    }
  }
};

void display(Frame &frame, const Present::Settings &settings, const Histogram::Format &format,
             const std::vector<uint32_t> &counts) {
  const Area panel = Present::panel(settings, frame.width, frame.height);
  Canvas canvas(panel.width, panel.height);
  canvas.fill(0, 0, panel.width, panel.height, 0.04, 0.04, 0.04);
  const Plot plot{format, heights_of(counts, settings.logarithmic, settings.level_height),
                  Present::unit(frame.width, frame.height)};
  const int channels = format.channels();
  if (channels == 1 || settings.display == Display::overlay)
    plot.draw(canvas, {0, 0, panel.width, panel.height}, 0, 0, channels, channels == 1);
  else
    for (int c = 0; c < channels; c++) {
      const bool parade = settings.display == Display::parade;
      Area area{0, 0, panel.width, panel.height};
      int &size = parade ? area.width : area.height;
      size = std::max(size / channels, 1);
      (parade ? area.x : area.y) = c * (parade ? area.width : area.height);
      plot.draw(canvas, area, c == channels - 1 ? channels - 1 : 0, c, c + 1, true);
    }
  const auto opacity = static_cast<float>(settings.opacity);
  for (int y = 0; y < panel.height; y++)
    for (int x = 0; x < panel.width; x++)
      for (int c = 0; c < 3; c++) {
        uint8_t &value = frame.at(panel.x + x, panel.y + y)[c];
        const double above = 255 * std::min(canvas.at(x, y)[c], 1.0);
        value = static_cast<uint8_t>(std::lround(value + (above - value) * opacity));
      }
}

}  // namespace

Frame present(const Frame &frame, const Present::Settings &settings,
              const Histogram::Format &format, const std::vector<uint32_t> &counts) {
  Frame out = frame;
  if (settings.equalize != Equalize::none) equalize(out, settings.equalize);
  if (settings.display != Display::none) display(out, settings, format, counts);
  return out;
}

}  // namespace reference
