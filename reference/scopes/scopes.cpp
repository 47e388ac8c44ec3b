// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scopes.h"
#include "marks.h"

#include <algorithm>
#include <cmath>

#include "scopes/renderer.h"

namespace reference {

using glcl::Rect;
using glcl::scopes::ScopeLayout;
using glcl::scopes::ScopeMode;
using glcl::scopes::ScopePlot;
using glcl::scopes::ScopeSettings;
using glcl::scopes::ScopeTransfer;
using glcl::scopes::ScopeValues;

namespace {

int fixed(double number, int fraction) {
  return static_cast<int>(std::lround(std::ldexp(number, fraction)));
}

/// Rounds a sum in fixed point, halves up.
int rounded(int64_t sum, int fraction) {
  return static_cast<int>(std::floor(std::ldexp(static_cast<double>(sum), -fraction) + 0.5));
}

/// Y, Cb and Cr of RGB codes.
std::array<int, 3> ycbcr_of(const ScopeValues &values, const uint8_t *rgb) {
  const auto [kr, kb, full] = values.frame.colorimetry;
  const double range = full ? 1 : 224.0 / 219;
  const int red = fixed(kr, 14), blue = fixed(kb, 14);
  std::array<int, 3> ycbcr{rounded(
      int64_t(red) * rgb[0] + int64_t((1 << 14) - red - blue) * rgb[1] + int64_t(blue) * rgb[2],
      14)};
  const double of_cb = range / (2 * (1 - kb)), of_cr = range / (2 * (1 - kr));
  const double parts[2][2] = {{-of_cb * kr, of_cb * (1 - kb)}, {of_cr * (1 - kr), -of_cr * kb}};
  for (int i = 0; i < 2; i++) {
    const int r = fixed(parts[i][0], 14), b = fixed(parts[i][1], 14);
    ycbcr[i + 1] = std::clamp(
        128 + rounded(int64_t(r) * rgb[0] - int64_t(r + b) * rgb[1] + int64_t(b) * rgb[2], 14), 0,
        255);
  }
  return ycbcr;
}

/// R, G and B of code values of YCbCr, in fixed point; colours outside of RGB exceed it.
std::array<int, 3> rgb_of(const ScopeValues &values, int luma, int cb, int cr) {
  const auto [kr, kb, full] = values.frame.colorimetry;
  const int bits = values.frame.pixels->bits, unit = 1 << (bits - 8), most = (1 << bits) - 1;
  const double kg = 1 - kr - kb, white = values.levels - 1,
               per_luma = white / (full ? most : 219 * unit),
               per_chroma = 2 * white / (full ? most : 224 * unit);
  const int64_t y = luma - (full ? 0 : 16 * unit), u = cb - 128 * unit, v = cr - 128 * unit,
                grey = fixed(per_luma, 16) * y;
  const int64_t sums[] = {grey + fixed(per_chroma * (1 - kr), 16) * v,
                          grey + fixed(-per_chroma * (1 - kb) * kb / kg, 16) * u +
                              fixed(-per_chroma * (1 - kr) * kr / kg, 16) * v,
                          grey + fixed(per_chroma * (1 - kb), 16) * u};
  std::array<int, 3> rgb;
  for (int i = 0; i < 3; i++) rgb[i] = rounded(sums[i], 16);
  return rgb;
}

/// Calls `use (channel, x, y)` for each sample of an area, at the first of its pixels inside.
template <class Use>
void for_samples(const ScopeFrame &frame, const Rect &area, const Use &use) {
  const int shared = 1 << frame.values.chroma_shift();
  for (int y = area.y; y < area.bottom(); y++)
    for (int x = area.x; x < area.right(); x++)
      for (int channel = 0; channel < frame.values.channels; channel++)
        if (!frame.values.is_chroma(channel) ||
            ((x == area.x || x % shared == 0) && (y == area.y || y % shared == 0)))
          use(channel, x, y);
}

/// The same for chroma samples.
template <class Use>
void for_chroma(const ScopeFrame &frame, const Rect &area, const Use &use) {
  const int shared = 1 << frame.values.chroma_shift();
  if (!frame.values.has_chroma()) return;
  for (int y = area.y; y < area.bottom(); y++)
    for (int x = area.x; x < area.right(); x++)
      if ((x == area.x || x % shared == 0) && (y == area.y || y % shared == 0)) {
        const auto [cb, cr] = frame.chroma_at(x, y);
        const int unit = frame.values.levels / 256;
        use(cb / unit, cr / unit);
      }
}

}  // namespace

ScopeFrame::ScopeFrame(const Frame &frame, const ScopeValues &values)
    : values(values), width(frame.width), height(frame.height) {
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++) {
      const uint8_t *rgb = frame.at(x, y);
      const std::array<int, 3> ycbcr = ycbcr_of(values, rgb);
      pixels_.push_back(values.mode == ScopeMode::rgb ? std::array<int, 3>{rgb[0], rgb[1], rgb[2]}
                                                      : ycbcr);
      chroma_.push_back({ycbcr[1], ycbcr[2]});
      luma_.push_back(ycbcr[0]);
      rgb_.push_back({rgb[0], rgb[1], rgb[2]});
    }
}

ScopeFrame::ScopeFrame(const PlanarFrame &frame, const ScopeValues &values)
    : values(values), width(frame.width), height(frame.height) {
  const glcl::PixelFormat &format = *frame.format;
  const int shift = format.chroma_shift;
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++) {
      const int luma = luma_code_at(frame, x, y);
      luma_.push_back(luma >> (format.bits - values.bits));
      if (!values.has_chroma()) {
        pixels_.push_back({luma >> (format.bits - values.bits)});
        chroma_.push_back({});
        const int grey = 128 << (format.bits - 8);
        rgb_.push_back(rgb_of(values, luma, grey, grey));
        continue;
      }
      int of_sample[2];
      for (int i = 0; i < 2; i++)
        of_sample[i] = (format.plane_count == 3 ? frame.planes[1 + i].at(x >> shift, y >> shift)
                                                : frame.planes[1].at(x >> shift, y >> shift, i)) >>
                       format.padding;
      rgb_.push_back(rgb_of(values, luma, of_sample[0], of_sample[1]));
      std::array<int, 3> rgb;
      for (int i = 0; i < 3; i++) rgb[i] = std::clamp(rgb_.back()[i], 0, values.levels - 1);
      pixels_.push_back(values.mode == ScopeMode::rgb
                            ? rgb
                            : std::array<int, 3>{luma, of_sample[0], of_sample[1]});
      chroma_.push_back({of_sample[0], of_sample[1]});
    }
}

std::array<double, 3> scope_rgb(const glcl::FrameFormat &frame, int luma, int cb, int cr) {
  const auto [kr, kb, full] = frame.colorimetry;
  const int unit = 1 << (frame.pixels->bits - 8), most = (1 << frame.pixels->bits) - 1;
  const double y = (luma - (full ? 0.0 : 16 * unit)) / (full ? most : 219 * unit),
               u = (cb - 128.0 * unit) / (full ? most : 224 * unit),
               v = (cr - 128.0 * unit) / (full ? most : 224 * unit);
  const double red = y + 2 * (1 - kr) * v, blue = y + 2 * (1 - kb) * u;
  return {red, (y - kr * red - kb * blue) / (1 - kr - kb), blue};
}

std::vector<uint32_t> scope_counts(const ScopeFrame &frame, const Rect &area, int columns) {
  const int levels = frame.values.levels;
  std::vector<uint32_t> counts(size_t(frame.values.channels) * levels * columns);
  for_samples(frame, area, [&](int channel, int x, int y) {
    const int column = static_cast<int>(int64_t(x - area.x) * columns / area.width);
    counts[(size_t(channel) * levels + frame.values_at(x, y)[channel]) * columns + column]++;
  });
  return counts;
}

std::vector<uint32_t> scope_cells(const ScopeFrame &frame, const Rect &area) {
  std::vector<uint32_t> cells(256 * 256);
  for_chroma(frame, area, [&](int cb, int cr) { cells[cr * 256 + cb]++; });
  return cells;
}

std::vector<uint32_t> scope_numbers(const ScopeFrame &frame, const Rect &area, int columns) {
  const ScopeValues &values = frame.values;
  std::vector<uint32_t> numbers(size_t(values.channels) * 5 * columns);
  const auto at = [&](int channel, int which, int column) -> uint32_t & {
    return numbers[(size_t(channel) * 5 + which) * columns + column];
  };
  for (int channel = 0; channel < values.channels; channel++)
    for (int column = 0; column < columns; column++) at(channel, 0, column) = values.levels - 1;
  for_samples(frame, area, [&](int channel, int x, int y) {
    const uint32_t value = frame.values_at(x, y)[channel];
    const int column = static_cast<int>(int64_t(x - area.x) * columns / area.width);
    at(channel, 0, column) = std::min(at(channel, 0, column), value);
    at(channel, 1, column) = std::max(at(channel, 1, column), value);
    at(channel, 2, column) += value;
    at(channel, 3, column) += int(value) < values.black(channel);
    at(channel, 4, column) += int(value) > values.white(channel);
  });
  std::vector<uint32_t> saturations(182), hues(360);
  long most = -1, loudest = 0xffff;
  for_chroma(frame, area, [&](int cb, int cr) {
    const double x = cb - 128, y = cr - 128, saturation = std::sqrt(x * x + y * y);
    saturations[std::lround(saturation)]++;
    if (saturation < 8) return;
    const double degrees = std::atan2(y, x) / M_PI * 180;
    const long hue = (std::lround(degrees) + 360) % 360;
    hues[hue]++;
    if (std::pair(std::lround(saturation), hue) > std::pair(most, loudest) || most < 0)
      most = std::lround(saturation), loudest = hue;
  });
  numbers.insert(numbers.end(), saturations.begin(), saturations.end());
  numbers.insert(numbers.end(), hues.begin(), hues.end());
  numbers.push_back(static_cast<uint32_t>(loudest));
  return numbers;
}

namespace {

/// A trace at a pixel, premultiplied.
using Trace = std::array<double, 4>;

/// Draws one scope after the other.
class ScopeDrawing {
 public:
  ScopeDrawing(const ScopeFrame &frame, const ScopeSettings &settings, const Rect &area,
               int columns)
      : frame_(frame),
        settings_(settings),
        area_(area),
        columns_(columns),
        counts_(scope_counts(frame, area, columns)),
        cells_(scope_cells(frame, area)),
        colours_(glcl::scopes::trace_colours(settings, frame.values.mode)),
        totals_(size_t(frame.values.channels) * frame.values.levels),
        of_columns_(size_t(frame.values.channels) * columns) {
    for (size_t i = 0; i < counts_.size(); i++) {
      totals_[i / columns] += counts_[i];
      of_columns_[i / columns / frame.values.levels * columns + i % columns] += counts_[i];
    }
    fullest_ = *std::max_element(totals_.begin(), totals_.end());
    for (const uint32_t cell : cells_) samples_ += cell;
  }

  Trace trace(const ScopePlot &place, int x, int y) const {
    const Rect &plot = place.plot;
    if (x < plot.x || x >= plot.right() || y < plot.y || y >= plot.bottom()) return {};
    const int from_left = x - plot.x, from_bottom = plot.bottom() - 1 - y;
    if (place.kind == glcl::scopes::vectorscope) return vectors(plot, from_left, from_bottom);
    if (place.kind == glcl::scopes::histogram) return bars(place, from_left, from_bottom);
    return waveform(place, from_left, from_bottom);
  }

 private:
  struct Range {
    int from, to;
  };
  static Range range(int at, int size, int count) {
    const int from = static_cast<int>(int64_t(at) * count / size),
              next = static_cast<int>(int64_t(at + 1) * count / size);
    return {from, std::max(from + 1, next)};
  }
  double brightness(double density, double most) const {
    return settings_.logarithmic
               ? std::min(std::log1p(settings_.gain * density) / std::log1p(most), 1.0)
               : std::min(settings_.gain * density * 8 / most, 1.0);
  }
  uint32_t count(int channel, int level, int column) const {
    return counts_[(size_t(channel) * frame_.values.levels + level) * columns_ + column];
  }
  Trace waveform(const ScopePlot &place, int x, int y) const {
    const int levels = frame_.values.levels;
    const Range columns = range(x, place.plot.width, columns_),
                rows = range(y, place.plot.height, levels);
    Trace trace{};
    for (int channel = place.channel; channel < place.channel + place.channels; channel++) {
      double here = 0, all = 0;
      for (int column = columns.from; column < columns.to; column++) {
        all += static_cast<double>(of_columns_[size_t(channel) * columns_ + column]);
        for (int level = rows.from; level < rows.to; level++) here += count(channel, level, column);
      }
      if (here == 0) continue;
      const double part = brightness(levels * here / all / (rows.to - rows.from), 256);
      for (int i = 0; i < 3; i++) trace[i] += part * colours_[channel].s[i];
      trace[3] = std::max(trace[3], part);
    }
    for (double &value : trace) value = std::min(value, 1.0);
    return trace;
  }
  Trace vectors(const Rect &plot, int x, int y) const {
    const int side = 256 / settings_.zoom, first = (256 - side) / 2;
    const auto cells = [&](int at, int size) {
      const Range of = range(at, size, side);
      return Range{first + of.from, first + of.to};
    };
    const Range cbs = cells(x, plot.width), crs = cells(y, plot.height);
    double here = 0;
    for (int cr = crs.from; cr < crs.to; cr++)
      for (int cb = cbs.from; cb < cbs.to; cb++) here += cells_[cr * 256 + cb];
    if (here == 0) return {};
    const double part = brightness(
                     65536 * here / samples_ / ((cbs.to - cbs.from) * (crs.to - crs.from)), 4096),
                 cb = (cbs.from - 128) / 112.0, cr = (crs.from - 128) / 112.0;
    const auto inside = [&](double value) { return std::clamp(value, 0.0, 1.0) * part; };
    return {inside(0.6 + 0.7 * cr), inside(0.6 - 0.15 * cb - 0.3 * cr), inside(0.6 + 0.8 * cb),
            part};
  }
  Trace bars(const ScopePlot &place, int x, int y) const {
    const int levels = frame_.values.levels;
    const Range of = range(x, place.plot.width, levels);
    Trace trace{};
    for (int channel = place.channel; channel < place.channel + place.channels; channel++) {
      uint64_t fullest = 0;
      for (int level = of.from; level < of.to; level++)
        fullest = std::max(fullest, totals_[size_t(channel) * levels + level]);
      const int64_t height = settings_.logarithmic
                                 ? std::lround(65535 * std::log1p(fullest) / std::log1p(fullest_))
                                 : static_cast<int64_t>(fullest * 65535 / fullest_);
      if (int64_t(y) * 65535 >= height * place.plot.height) continue;
      for (int i = 0; i < 3; i++) trace[i] += 0.8 * colours_[channel].s[i];
      trace[3] = 1;
    }
    for (double &value : trace) value = std::min(value, 1.0);
    return trace;
  }

  const ScopeFrame &frame_;
  const ScopeSettings &settings_;
  const Rect area_;
  int columns_;
  std::vector<uint32_t> counts_, cells_;
  std::vector<cl_float4> colours_;
  std::vector<uint64_t> totals_, of_columns_;  // samples of each value, and of each column
  uint64_t fullest_ = 0;
  double samples_ = 0;  // of chroma
};

}  // namespace

Frame draw_scopes(const Frame &below, const ScopeFrame &counted, const ScopeSettings &settings,
                  ScopeTransfer transfer, const Rect &area, int columns, bool overlay,
                  const ScopeNoise &noise) {
  const ScopeDrawing drawing(counted, settings, area, columns);
  ScopeSettings painted = settings;
  if (settings.replaces()) painted.background_color |= 0xff000000;
  const ScopeLayout layout(painted, counted.values,
                           glcl::scopes::longest_label(counted.values, settings.levels, transfer),
                           below.width, below.height);
  const std::vector<cl_uchar4> layer =
      glcl::scopes::paint_graticule(painted, counted.values, transfer, layout);
  const double opacity = settings.replaces() ? 1 : settings.opacity;
  Frame out = overlay ? Frame(below.width, below.height) : below;
  if (!settings.replaces()) draw_marks(out, counted, settings, overlay, noise);
  for (const ScopePlot &place : layout.plots)
    for (int y = place.cell.y; y < place.cell.bottom(); y++)
      for (int x = place.cell.x; x < place.cell.right(); x++) {
        const Trace trace = drawing.trace(place, x, y);
        const cl_uchar4 &graticule =
            layer[size_t(y - layout.panel.y) * layout.panel.width + x - layout.panel.x];
        Trace colour;
        for (int i = 0; i < 4; i++)
          colour[i] = std::min(graticule.s[i] / 255.0 * (1 - trace[3]) + trace[i], 1.0) * opacity;
        uint8_t *pixel = out.at(x, y);
        for (int i = 0; i < 4; i++) {
          const double under =
              overlay || settings.replaces() ? 0 : below.at(x, y)[i] * (1 - colour[3]);
          if (overlay)
            pixel[i] = static_cast<uint8_t>(std::lround(255 * colour[i < 3 ? 2 - i : 3]));
          else if (i < 3)
            pixel[i] = static_cast<uint8_t>(std::lround(255 * colour[i] + under));
          else if (settings.replaces())
            pixel[i] = 255;
        }
      }
  return out;
}

}  // namespace reference
