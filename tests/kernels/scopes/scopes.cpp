// SPDX-License-Identifier: LGPL-2.1-or-later
// The drawing of glclscope equals its scalar reference, within a level.
#include "reference/scopes/scopes.h"
#include "kernels/planes.h"
#include "scopes/renderer.h"

using glcl::Colorimetry;
using glcl::FrameFormat;
using glcl::Rect;
using glcl::scopes::ScopeCounts;
using glcl::scopes::ScopeLayout;
using glcl::scopes::ScopeMark;
using glcl::scopes::ScopeMode;
using glcl::scopes::ScopeRenderer;
using glcl::scopes::ScopeSettings;
using glcl::scopes::ScopeTransfer;
using glcl::scopes::ScopeUnits;
using glcl::scopes::ScopeValues;
using reference::ScopeFrame;

namespace {

constexpr unsigned every = 255;

/// Counts and draws a frame, and compares. The device's logarithm may move the end of a bar.
void check(Bench &bench, const Frame &frame, const ScopeValues &values,
           const ScopeSettings &settings, const Rect &area, const std::string &what,
           bool overlay = false, ScopeTransfer transfer = ScopeTransfer::sdr) {
  const Layout layout = values.frame.layout;
  ScopeCounts counts(*bench.context, frame.width, frame.height, values);
  ScopeRenderer renderer(*bench.context, frame.width, frame.height, values.frame);
  const Picture in = bench.upload(frame, layout, 3),
                out = bench.upload(Frame(frame.width, frame.height), layout, 5);
  counts.count(*bench.queue, in, area);
  renderer.run(*bench.queue, settings, in, {in, out, overlay}, counts, area, transfer);
  const Frame got = bench.download(out),
              expected = reference::draw_scopes(frame, ScopeFrame(frame, values), settings,
                                                transfer, area, counts.columns(area), overlay);
  size_t off = 0;
  for (size_t i = 0; i < expected.rgba.size(); i++)
    off += std::abs(int(got.rgba[i]) - int(expected.rgba[i])) > 1;
  const size_t allowed = settings.logarithmic && settings.display & glcl::scopes::histogram
                             ? expected.rgba.size() / 500
                             : 0;
  fail_unless(off <= allowed, "%s, %d×%d: %zu values differ", what.c_str(), frame.width,
              frame.height, off);
}

ScopeValues values_of(Layout layout, ScopeMode mode, const Colorimetry &colorimetry = {}) {
  FrameFormat format(layout);
  format.colorimetry = colorimetry;
  return {format, mode};
}

}  // namespace

TEST_EACH(test_displays, 0, 2) {
  Bench bench;
  const Layout layout = __i__ ? Layout::image : Layout::buffer;
  for (const auto &[width, height] : {std::pair{320, 180}, {161, 90}, {20, 11}, {1, 1}})
    for (const ScopeMode mode : {ScopeMode::luma, ScopeMode::rgb, ScopeMode::ycbcr})
      for (const unsigned display : {1u, 2u, 4u, 8u, 16u, 32u, 64u, 128u, every}) {
        const Frame frame = reference::natural_frame(width, height);
        ScopeSettings settings;
        settings.display = display;
        settings.mode = mode;
        settings.zebra_low = 20, settings.zebra_high = 61.3;
        settings.bands = {{20, 50.5, 51}, {0x80ff0000, 0, 0xff00ff00, 0x010000ff}};
        settings.peaking_threshold = 5.5, settings.peaking_color = 0xff12ab56;
        settings.zoom = 2;
        const std::string what = "display " + std::to_string(display) + " " + mode_name(mode);
        const ScopeValues values = values_of(layout, mode);
        const Rect all{0, 0, width, height};
        check(bench, frame, values, settings, all, what);
        settings.replace = true;
        settings.logarithmic = false;
        check(bench, frame, values, settings, all, what + " replaces");
        settings.replace = false;
        settings.x = 0.1, settings.y = 0, settings.width = 0.7, settings.height = 1;
        settings.foreground_color = 0xc0ff8040, settings.background_color = 0x40ffffff;
        check(bench, frame, values, settings, {0, 0, width, (height + 1) / 2}, what + " overlay",
              true);
      }
}

TEST(test_contents) {
  Bench bench;
  const int width = 320, height = 200;
  for (const Frame &frame :
       {reference::random_frame(width, height), reference::flat_frame(width, height),
        reference::gradient_frame(width, height), Frame(width, height)})
    for (const double gain : {0.0, 1.0, 30.0}) {
      ScopeSettings settings;
      settings.display = every;
      settings.mode = ScopeMode::rgb;
      settings.gain = gain;
      check(bench, frame, values_of(Layout::buffer, settings.mode), settings, {0, 0, width, height},
            "contents");
      check(bench, frame, values_of(Layout::buffer, settings.mode), settings, {11, 3, 33, 77},
            "a part");
    }
}

// A panel that is too small for plots or text shows the part that fits.
TEST(test_small_panels) {
  Bench bench;
  const Frame frame = reference::natural_frame(60, 50);
  for (const double size : {0.0, 0.02, 0.05, 0.1, 0.4, 1.0})
    for (const unsigned display : {1u, 4u, 8u, every}) {
      ScopeSettings settings;
      settings.display = display;
      settings.mode = ScopeMode::rgb;
      settings.x = settings.y = 0;
      settings.width = size, settings.height = 1;
      check(bench, frame, values_of(Layout::buffer, settings.mode), settings, {0, 0, 60, 50},
            "narrow");
      settings.width = 1, settings.height = size;
      check(bench, frame, values_of(Layout::buffer, settings.mode), settings, {0, 0, 60, 50},
            "low");
    }
}

// The cells fill the panel without overlap, plots lie in their cells.
TEST(test_layout) {
  for (const auto &[width, height] : {std::pair{1, 1}, {3, 2}, {64, 48}, {1281, 721}, {16384, 16}})
    for (unsigned display = 0; display <= every; display++)
      for (const bool replace : {false, true}) {
        ScopeSettings settings;
        settings.display = display;
        settings.replace = replace;
        const ScopeValues values = values_of(Layout::buffer, ScopeMode::rgb);
        const ScopeLayout layout(settings, values, 5, width, height);
        int covered = 0, right = layout.panel.x;
        for (const auto &plot : layout.plots) {
          fail_unless(plot.cell.x == right && plot.cell.y == layout.panel.y);
          right = plot.cell.right();
          covered += plot.cell.width * plot.cell.height;
          fail_unless(glcl::clipped(plot.plot, width, height) == plot.plot);
          fail_unless(plot.plot.x >= plot.cell.x && plot.plot.right() <= plot.cell.right());
          fail_unless(plot.plot.y >= plot.cell.y && plot.plot.bottom() <= plot.cell.bottom());
          fail_unless(plot.kind != glcl::scopes::vectorscope ||
                      plot.plot.width == plot.plot.height);
        }
        fail_unless(!(display & glcl::scopes::plot_kinds) ||
                    covered == layout.panel.width * layout.panel.height);
      }
}

namespace {

int level_of(const std::vector<ScopeMark> &marks, const std::string &label) {
  for (const ScopeMark &mark : marks)
    if (mark.label == label) return mark.level;
  return -1;
}

}  // namespace

// Lines at the values of BT.709, BT.2100 and of the range.
TEST(test_marks) {
  const PixelFormat &nv12 = *PixelFormat::find("NV12"), &p010 = *PixelFormat::find("P010_10LE");
  const Colorimetry limited{0.2126, 0.0722, false}, full{0.2126, 0.0722, true};
  const ScopeValues eight({Layout::buffer, nv12, limited}, ScopeMode::ycbcr),
      ten({Layout::buffer, p010, limited}, ScopeMode::ycbcr),
      wide({Layout::buffer, nv12, full}, ScopeMode::luma),
      rgb({Layout::buffer, p010, limited}, ScopeMode::rgb);
  const auto sdr = ScopeTransfer::sdr;
  fail_unless(level_of(scope_marks(eight, 0, ScopeUnits::percent, sdr), "0") == 16);
  fail_unless(level_of(scope_marks(eight, 0, ScopeUnits::percent, sdr), "100") == 235);
  fail_unless(level_of(scope_marks(ten, 0, ScopeUnits::ire, sdr), "60") == 64 + 876 * 6 / 10 + 1);
  fail_unless(level_of(scope_marks(wide, 0, ScopeUnits::ire, sdr), "100") == 255);
  fail_unless(level_of(scope_marks(rgb, 0, ScopeUnits::percent, sdr), "100") == 1023);
  fail_unless(level_of(scope_marks(ten, 0, ScopeUnits::code, sdr), "940") == 940);
  fail_unless(level_of(scope_marks(ten, 1, ScopeUnits::code, sdr), "960") == 960);
  fail_unless(level_of(scope_marks(eight, 2, ScopeUnits::percent, sdr), "-50") == 16);
  // BT.2408: 203 cd/m² are 58 % of PQ and 75 % of HLG; 100 are 51 % of PQ.
  const auto pq = scope_marks(ten, 0, ScopeUnits::nits, ScopeTransfer::pq),
             hlg = scope_marks(ten, 0, ScopeUnits::nits, ScopeTransfer::hlg);
  fail_unless(std::abs(level_of(pq, "203") - (64 + 876 * 0.5807)) < 1);
  fail_unless(std::abs(level_of(pq, "100") - (64 + 876 * 0.5081)) < 1);
  fail_unless(level_of(pq, "10000") == 940 && level_of(pq, "0") == 64);
  fail_unless(std::abs(level_of(hlg, "203") - (64 + 876 * 0.75)) < 2);
  fail_unless(level_of(hlg, "1000") == 940 && level_of(hlg, "4000") == -1);
  // Without such a transfer function: per cent.
  fail_unless(level_of(scope_marks(ten, 0, ScopeUnits::nits, sdr), "75") == 64 + 876 * 3 / 4);
}

// BT.601 and BT.709 bars of 75 and 100 %: chroma codes of the standards' tables, from 128.
TEST(test_targets) {
  const Colorimetry bt601{0.299, 0.114, false}, bt709{0.2126, 0.0722, false};
  const auto near = [](glcl::scopes::ScopeChroma chroma, double cb, double cr) {
    return std::fabs(chroma.cb - cb) <= 0.5 && std::fabs(chroma.cr - cr) <= 0.5;
  };
  fail_unless(near(glcl::scopes::chroma_of(bt601, 0.75, 0, 0), 100 - 128, 212 - 128));
  fail_unless(near(glcl::scopes::chroma_of(bt601, 1, 0, 0), 90 - 128, 240 - 128));
  fail_unless(near(glcl::scopes::chroma_of(bt601, 0, 0, 0.75), 212 - 128, 114 - 128));
  fail_unless(near(glcl::scopes::chroma_of(bt709, 0.75, 0, 0), 109 - 128, 212 - 128));
  fail_unless(near(glcl::scopes::chroma_of(bt709, 0.75, 0.75, 0), 44 - 128, 136 - 128));
  fail_unless(near(glcl::scopes::chroma_of(bt709, 0, 0.75, 0), 63 - 128, 52 - 128));
  fail_unless(near(glcl::scopes::chroma_of(bt709, 1, 1, 1), 0, 0));
}

namespace {

/// The graticule of a scope that fills a frame of 512 × 512 px, alone.
std::vector<cl_uchar4> painted(unsigned display, const ScopeValues &values, ScopeLayout *layout) {
  ScopeSettings settings;
  settings.display = display;
  settings.replace = true;
  settings.background_color = 0xff000000, settings.foreground_color = 0xffffffff;
  *layout = ScopeLayout(settings, values, 3, 512, 512);
  return paint_graticule(settings, values, ScopeTransfer::sdr, *layout);
}

}  // namespace

// Lines and targets lie where the trace of these values lies.
TEST(test_graticule) {
  const ScopeValues values({Layout::buffer, *PixelFormat::find("NV12"), {0.2126, 0.0722, false}},
                           ScopeMode::luma);
  ScopeLayout layout({}, values, 3, 512, 512);
  const auto waveform = painted(glcl::scopes::waveform, values, &layout);
  const Rect plot = layout.plots[0].plot;
  const int x = plot.x + plot.width / 2;
  for (const int level : {16, 64, 128, 192, 235}) {
    const int y = plot.bottom() - 1 - glcl::scopes::pixel_of(level, 256, plot.height);
    fail_unless(waveform[size_t(y) * 512 + x].s[0] > 60, "line of %d", level);
    // The kernel's range of the pixel contains the value.
    const int from_bottom = plot.bottom() - 1 - y;
    fail_unless(from_bottom * 256 / plot.height <= level &&
                level < std::max((from_bottom + 1) * 256 / plot.height,
                                 from_bottom * 256 / plot.height + 1));
  }
  fail_unless(waveform[size_t(plot.y + plot.height / 3) * 512 + x].s[0] == 0, "no line between");

  const auto vectors = painted(glcl::scopes::vectorscope, values, &layout);
  const Rect square = layout.plots[0].plot;
  const auto lit = [&](double cb, double cr, int dx, int dy) {
    const int at_x = square.x + glcl::scopes::pixel_of(128 + cb, 256, square.width) + dx,
              at_y =
                  square.bottom() - 1 - glcl::scopes::pixel_of(128 + cr, 256, square.height) + dy;
    return vectors[size_t(at_y) * 512 + at_x].s[0] > 60;
  };
  const int half = square.width * 5 / 256;
  fail_unless(lit(-19, 84, half, 0) && lit(-19, 84, 0, half) && !lit(-19, 84, half / 2, half / 2),
              "red target");
  for (const double radius : {20.0, 60.0, 100.0}) {
    const double angle = 123 * M_PI / 180;
    fail_unless(lit(radius * std::cos(angle), radius * std::sin(angle), 0, 0), "skin tone line");
  }
}

// Frames in planes: the drawing is separate, of counts that come from the planes.
TEST(test_planes) {
  Bench bench;
  for_luma(bench, [&](const PixelFormat &pixels, Layout layout) {
    for (const ScopeMode mode : {ScopeMode::luma, ScopeMode::rgb, ScopeMode::ycbcr}) {
      const int width = 161, height = 90;
      const PlanarFrame frame = random_planes(pixels, width, height, true);
      const ScopeValues values({layout, pixels, {0.2126, 0.0722, false}}, mode);
      ScopeCounts counts(*bench.context, width, height, values);
      ScopeRenderer renderer(*bench.context, width, height, values.frame);
      const Picture in = upload(bench, frame, layout),
                    out = bench.upload(Frame(width, height), layout);
      const Rect all{0, 0, width, height};
      ScopeSettings settings;
      settings.display = every & ~glcl::scopes::histogram;
      settings.zoom = 3;
      settings.gamut_tolerance = 20, settings.gamut_color = 0xff8040c0;
      settings.zebra_low = 47, settings.zebra_high = 53;
      settings.mode = mode;
      settings.x = settings.y = 0.5, settings.width = settings.height = 0.5;
      counts.count(*bench.queue, in, all);
      renderer.run(*bench.queue, settings, in, {out, out, true}, counts, all, ScopeTransfer::pq);
      const Frame got = bench.download(out);
      const Frame expected =
          reference::draw_scopes(Frame(width, height), ScopeFrame(frame, values), settings,
                                 ScopeTransfer::pq, all, counts.columns(all), true);
      for (size_t i = 0; i < expected.rgba.size(); i++)
        fail_unless(std::abs(int(got.rgba[i]) - int(expected.rgba[i])) <= 1, "%s %s: value %zu",
                    pixels.name, mode_name(mode), i);
    }
  });
}
