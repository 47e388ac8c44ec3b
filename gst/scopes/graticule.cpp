// SPDX-License-Identifier: LGPL-2.1-or-later
#include "graticule.h"

#include <algorithm>
#include <cmath>

#include "drawing/canvas.h"
#include "drawing/font.clh"

namespace glcl::scopes {

namespace {

constexpr double line_part = 0.28, limit_part = 0.6, text_part = 0.9;
constexpr double full_saturation = 112;             // steps of 8 bits from grey
constexpr double hlg_peak = 1000, hlg_gamma = 1.2;  // of the display, BT.2100

/// Values of BT.2100's PQ.
constexpr double pq_m1 = 2610.0 / 16384, pq_m2 = 2523.0 / 32, pq_c1 = 3424.0 / 4096,
                 pq_c2 = 2413.0 / 128, pq_c3 = 2392.0 / 128;
/// Values of BT.2100's HLG.
constexpr double hlg_a = 0.17883277, hlg_b = 0.28466892, hlg_c = 0.55991073;

int glyph_of(char letter) {
  if (letter >= '0' && letter <= '9') return letter - '0';
  switch (letter) {
    case 'R':
    case 'r':
      return drawing::GLYPH_R;
    case 'G':
      return drawing::GLYPH_G;
    case 'B':
    case 'b':
      return drawing::GLYPH_B;
    case 'Y':
      return drawing::GLYPH_Y;
    case 'C':
      return drawing::GLYPH_C;
    case 'M':
      return drawing::GLYPH_M;
    case '-':
      return drawing::GLYPH_MINUS;
    default:
      return drawing::GLYPH_POINT;
  }
}

cl_uchar rounded(double value) {
  return static_cast<cl_uchar>(std::lround(std::clamp(value, 0.0, 255.0)));
}

/// A picture in premultiplied colours.
class GraticuleCanvas {
 public:
  GraticuleCanvas(const Rect &panel, cl_uint background)
      : panel_(panel),
        pixels_(size_t(panel.width) * panel.height,
                blended({}, drawing::floats_of(background), 1)) {}

  void fill(const Rect &area, const cl_float4 &colour, double part) {
    for (int y = std::max(area.y, panel_.y); y < std::min(area.bottom(), panel_.bottom()); y++)
      for (int x = std::max(area.x, panel_.x); x < std::min(area.right(), panel_.right()); x++) {
        auto &pixel = pixels_[size_t(y - panel_.y) * panel_.width + x - panel_.x];
        pixel = blended(pixel, colour, part);
      }
  }
  /// The outline of a rectangle, inside of it.
  void frame(const Rect &area, int line, const cl_float4 &colour, double part) {
    fill({area.x, area.y, area.width, line}, colour, part);
    fill({area.x, area.bottom() - line, area.width, line}, colour, part);
    fill({area.x, area.y + line, line, area.height - 2 * line}, colour, part);
    fill({area.right() - line, area.y + line, line, area.height - 2 * line}, colour, part);
  }
  void text(const std::string &text, int x, int y, int unit, const cl_float4 &colour) {
    for (const char letter : text) {
      for (int row = 0; row < 8 * unit; row++)
        for (int column = 0; column < 6 * unit; column++) {
          const float cover = drawing::glyph_cover(glyph_of(letter), column, row, unit);
          if (cover > 0) fill({x + column, y + row, 1, 1}, colour, text_part * double(cover));
        }
      x += 6 * unit;
    }
  }
  const std::vector<cl_uchar4> &pixels() const { return pixels_; }

 private:
  static cl_uchar4 blended(const cl_uchar4 &pixel, const cl_float4 &colour, double part) {
    const double alpha = part * colour.s[3];
    cl_uchar4 out;
    for (int i = 0; i < 4; i++)
      out.s[i] = rounded(pixel.s[i] * (1 - alpha) + 255 * (i < 3 ? colour.s[i] : 1) * alpha);
    return out;
  }

  Rect panel_;
  std::vector<cl_uchar4> pixels_;
};

int text_width(const std::string &text, int unit) {
  return (6 * static_cast<int>(text.size()) - 1) * unit;
}

/// Paints the plots of one panel.
class GraticulePainter {
 public:
  GraticulePainter(const ScopeSettings &settings, const ScopeValues &values, ScopeTransfer transfer,
                   const ScopeLayout &layout)
      : settings_(settings),
        values_(values),
        transfer_(transfer),
        unit_(layout.unit),
        line_(layout.line),
        foreground_(drawing::floats_of(settings.foreground_color)),
        canvas_(layout.panel, settings.background_color) {
    for (const ScopePlot &plot : layout.plots) paint(plot);
  }
  const std::vector<cl_uchar4> &pixels() const { return canvas_.pixels(); }

 private:
  void paint(const ScopePlot &plot) {
    if (plot.kind == vectorscope)
      paint_vectorscope(plot);
    else if (plot.kind == histogram)
      paint_histogram(plot);
    else
      paint_waveform(plot);
    if (plot.labelled && plot.channels == 1 && plot.kind != vectorscope)
      canvas_.text(channel_name(values_.mode, plot.channel), plot.plot.x + 2 * unit_,
                   plot.plot.y + 2 * unit_, unit_, foreground_);
  }
  /// Horizontal lines, labelled on their left unless the text would touch that of a line below.
  void paint_waveform(const ScopePlot &of) {
    const Rect &plot = of.plot;
    int free = plot.bottom() + 4 * unit_;
    for (const ScopeMark &mark : scope_marks(values_, of.channel, settings_.levels, transfer_)) {
      const int y = plot.bottom() - 1 - pixel_of(mark.level, values_.levels, plot.height);
      canvas_.fill({plot.x, y - line_ / 2, plot.width, line_}, foreground_,
                   mark.limit ? limit_part : line_part);
      const int top =
          std::clamp(y - 3 * unit_, of.cell.y, std::max(of.cell.bottom() - 7 * unit_, of.cell.y));
      if (!of.labelled || top + 7 * unit_ > free) continue;
      canvas_.text(mark.label, plot.x - unit_ - text_width(mark.label, unit_), top, unit_,
                   foreground_);
      free = top - unit_;
    }
  }
  /// Vertical lines, labelled below.
  void paint_histogram(const ScopePlot &of) {
    const Rect &plot = of.plot;
    int free = of.cell.x;
    for (const ScopeMark &mark : scope_marks(values_, 0, settings_.levels, transfer_)) {
      const int x = plot.x + pixel_of(mark.level, values_.levels, plot.width);
      canvas_.fill({x - line_ / 2, plot.y, line_, plot.height}, foreground_,
                   mark.limit ? limit_part : line_part);
      const int width = text_width(mark.label, unit_),
                left = std::clamp(x - width / 2, of.cell.x,
                                  std::max(of.cell.right() - width, of.cell.x));
      if (!of.labelled || left < free) continue;
      canvas_.text(mark.label, left, plot.bottom() + 2 * unit_, unit_, foreground_);
      free = left + width + 3 * unit_;
    }
  }
  /// The pixel of a chroma, in steps from grey.
  std::pair<int, int> place(const Rect &plot, const ScopeChroma &chroma) const {
    const int side = SIDE / settings_.zoom, grey = SIDE / 2 - (SIDE - side) / 2;
    const auto cell = [=](double steps) { return std::clamp(grey + steps, 0.0, side - 1.0); };
    return {plot.x + pixel_of(cell(chroma.cb), side, plot.width),
            plot.bottom() - 1 - pixel_of(cell(chroma.cr), side, plot.height)};
  }
  /// True if the vectorscope shows a chroma.
  bool shows(const ScopeChroma &chroma) const {
    const double most = SIDE / 2.0 / settings_.zoom;
    return std::abs(chroma.cb) <= most && std::abs(chroma.cr) <= most;
  }
  /// A dot every 30° on the circle of the most saturated legal chroma, and zoomed, on smaller ones.
  void paint_angles(const Rect &plot) {
    for (int degrees = 0; degrees < 360; degrees += 30) {
      const double angle = degrees * M_PI / 180, radius = full_saturation / settings_.zoom;
      const auto [x, y] = place(plot, {radius * std::cos(angle), radius * std::sin(angle)});
      canvas_.fill({x - line_, y - line_, 2 * line_, 2 * line_}, foreground_, limit_part);
    }
  }
  /// Axes, angles, the line of skin, and boxes for the primary and secondary colours of 75 and
  /// 100 %.
  void paint_vectorscope(const ScopePlot &of) {
    const Rect &plot = of.plot;
    const auto [x, y] = place(plot, {0, 0});
    canvas_.frame(plot, line_, foreground_, line_part);
    canvas_.fill({plot.x + line_, y - line_ / 2, plot.width - 2 * line_, line_}, foreground_,
                 line_part);
    canvas_.fill({x - line_ / 2, plot.y + line_, line_, plot.height - 2 * line_}, foreground_,
                 line_part);
    paint_angles(plot);
    const double angle = skin_degrees * M_PI / 180;
    for (int i = 0; i <= plot.width / 2; i++) {
      const double steps = double(i) * SIDE / settings_.zoom / plot.width;
      if (steps > full_saturation) break;
      const auto [px, py] = place(plot, {steps * std::cos(angle), steps * std::sin(angle)});
      canvas_.fill({px - line_ / 2, py - line_ / 2, line_, line_}, foreground_, limit_part);
    }
    for (const double part : {0.75, 1.0}) paint_targets(of, part);
  }
  void paint_targets(const ScopePlot &of, double part) {
    static const std::pair<const char *, int> colours[] = {{"R", 4}, {"Y", 6}, {"G", 2},
                                                           {"C", 3}, {"B", 1}, {"M", 5}};
    for (const auto &[name, bits] : colours) {
      const ScopeChroma chroma = chroma_of(values_.frame.colorimetry, bits & 4 ? part : 0,
                                           bits & 2 ? part : 0, bits & 1 ? part : 0);
      if (!shows(chroma)) continue;
      const auto [x, y] = place(of.plot, chroma);
      const int half = std::max(1, of.plot.width * (part < 1 ? 5 : 3) / SIDE);
      canvas_.frame({x - half, y - half, 2 * half + 1, 2 * half + 1}, std::min(line_, half),
                    foreground_, limit_part);
      if (part < 1 && of.labelled)
        canvas_.text(name, x + half + unit_, y - 3 * unit_, unit_, foreground_);
    }
  }

  const ScopeSettings &settings_;
  const ScopeValues &values_;
  ScopeTransfer transfer_;
  int unit_, line_;
  cl_float4 foreground_;
  GraticuleCanvas canvas_;
};

std::vector<ScopeMark> chroma_marks(const ScopeValues &values, int channel, ScopeUnits units) {
  const int black = values.black(channel), grey = values.levels / 2, white = values.white(channel);
  if (units == ScopeUnits::code)
    return {{black, std::to_string(black), true},
            {grey, std::to_string(grey), false},
            {white, std::to_string(white), true}};
  const std::string half = units == ScopeUnits::millivolts ? "350" : "50";
  return {{black, "-" + half, true}, {grey, "0", false}, {white, half, true}};
}

}  // namespace

double signal_of_nits(double nits, ScopeTransfer transfer) {
  if (transfer == ScopeTransfer::pq) {
    const double power = std::pow(nits / 10000, pq_m1);
    return std::pow((pq_c1 + pq_c2 * power) / (1 + pq_c3 * power), pq_m2);
  }
  const double scene = std::pow(nits / hlg_peak, 1 / hlg_gamma);
  return scene <= 1.0 / 12 ? std::sqrt(3 * scene) : hlg_a * std::log(12 * scene - hlg_b) + hlg_c;
}

ScopeChroma chroma_of(const Colorimetry &colorimetry, double red, double green, double blue) {
  const double kr = colorimetry.kr, kb = colorimetry.kb,
               luma = kr * red + (1 - kr - kb) * green + kb * blue,
               range = colorimetry.full_range ? 255 : 224;
  return {range * (blue - luma) / (2 * (1 - kb)), range * (red - luma) / (2 * (1 - kr))};
}

std::vector<ScopeMark> scope_marks(const ScopeValues &values, int channel, ScopeUnits units,
                                   ScopeTransfer transfer) {
  if (values.is_chroma(channel)) return chroma_marks(values, channel, units);
  const int black = values.black(channel), white = values.white(channel),
            unit = values.levels / 256;
  std::vector<ScopeMark> marks;
  const auto add = [&](double signal, const std::string &label) {
    const auto level = static_cast<int>(std::lround(black + signal * (white - black)));
    marks.push_back({level, label, level == black || level == white});
  };
  if (units == ScopeUnits::code) {
    for (const int level : {black, 64 * unit, 128 * unit, 192 * unit, white})
      marks.push_back({level, std::to_string(level), level == black || level == white});
  } else if (units == ScopeUnits::nits && transfer != ScopeTransfer::sdr) {
    for (const int nits : {0, 1, 10, 100, 203, 1000, 4000, 10000})
      if (transfer == ScopeTransfer::pq || nits <= hlg_peak)
        add(signal_of_nits(nits, transfer), std::to_string(nits));
  } else if (units == ScopeUnits::millivolts) {
    for (int millivolts = 0; millivolts <= 700; millivolts += 100)
      add(millivolts / 700.0, std::to_string(millivolts));
  } else {
    for (int part = 0; part <= 100; part += units == ScopeUnits::ire ? 20 : 25)
      add(part / 100.0, std::to_string(part));
  }
  return marks;
}

int longest_label(const ScopeValues &values, ScopeUnits units, ScopeTransfer transfer) {
  size_t most = 0;
  for (int channel = 0; channel < values.channels; channel++)
    for (const ScopeMark &mark : scope_marks(values, channel, units, transfer))
      most = std::max(most, mark.label.size());
  return static_cast<int>(most);
}

std::vector<cl_uchar4> paint_graticule(const ScopeSettings &settings, const ScopeValues &values,
                                       ScopeTransfer transfer, const ScopeLayout &layout) {
  return GraticulePainter(settings, values, transfer, layout).pixels();
}

}  // namespace glcl::scopes
