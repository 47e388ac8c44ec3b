// SPDX-License-Identifier: LGPL-2.1-or-later
// Compares the output of glclhistogram with its scalar reference: equalised exactly, drawn within a
// level.
#include "histogram/renderer.h"

#include "kernels/engine.h"
#include "reference/histogram/histogram.h"
#include "reference/histogram/present.h"

using glcl::Rect;
using glcl::histogram::Histogram;
using glcl::histogram::HistogramRenderer;
using Format = Histogram::Format;
using Mode = Histogram::Mode;

namespace {

constexpr Layout layouts[] = {Layout::image, Layout::buffer};  // the loop index of the tests

cl::Buffer counted(Bench &bench, const Frame &frame, const Format &format) {
  auto counts = reference::histogram(frame, format);
  return cl::Buffer(bench.context->cl(), CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                    counts.size() * sizeof(cl_uint), counts.data());
}

Frame run(Bench &bench, HistogramRenderer &engine, const HistogramRenderer::Settings &settings,
          const Frame &frame, const Format &format, Layout layout, int padding = 0,
          bool overlay = false) {
  const Picture in = bench.upload(frame, layout, padding);
  const Picture out = bench.upload(Frame(frame.width, frame.height), layout, padding);
  engine.run(*bench.queue, settings, {in, out, overlay}, format, counted(bench, frame, format),
             counted(bench, frame, HistogramRenderer::format_for(settings.equalize)));
  return bench.download(out);
}

/// Fails if a value is more than a level off.
void check_near(const Frame &got, const Frame &expected, const std::string &what) {
  for (size_t i = 0; i < expected.rgba.size(); i++)
    fail_unless(std::abs(int(got.rgba[i]) - int(expected.rgba[i])) <= 1, "%s: differs at (%d, %d)",
                what.c_str(), int(i / 4) % expected.width, int(i / 4) / expected.width);
}

std::vector<Frame> frames(int width, int height) {
  return {reference::random_frame(width, height), reference::flat_frame(width, height),
          reference::gradient_frame(width, height), reference::natural_frame(width, height)};
}

/// The device's logarithm may move the end of a bar by a pixel.
void check_drawn(Bench &bench, HistogramRenderer &engine,
                 const HistogramRenderer::Settings &settings, const Frame &frame,
                 const Format &format, Layout layout, const std::string &what,
                 bool overlay = false) {
  const Frame expected =
      reference::present(frame, settings, format, reference::histogram(frame, format), overlay);
  const Frame got = run(bench, engine, settings, frame, format, layout, 0, overlay);
  size_t off = 0;
  for (size_t i = 0; i < expected.rgba.size(); i++)
    off += std::abs(int(got.rgba[i]) - int(expected.rgba[i])) > 1;
  fail_unless(off <= (settings.logarithmic ? expected.rgba.size() / 1000 : 0),
              "%d×%d, %s, format %s: %zu values differ", frame.width, frame.height, what.c_str(),
              Histogram::problem(format, layout).c_str(), off);
}

}  // namespace

TEST_EACH(test_equalize, 0, 2) {
  Bench bench;
  const Layout layout = layouts[__i__];
  const int sizes[][2] = {{97, 53}, {1, 1}, {1, 40}, {40, 1}, {256, 64}};
  for (const auto &[width, height] : sizes) {
    HistogramRenderer engine(*bench.context, width, height, layout);
    for (const Frame &frame : frames(width, height))
      for (const auto how : {HistogramRenderer::Equalize::none, HistogramRenderer::Equalize::luma,
                             HistogramRenderer::Equalize::rgb}) {
        HistogramRenderer::Settings settings;
        settings.equalize = how;
        const Format format;
        check_equal(
            run(bench, engine, settings, frame, format, layout, layout == Layout::buffer ? 3 : 0),
            reference::present(frame, settings, format, reference::histogram(frame, format)),
            "equalised by " + std::to_string(static_cast<int>(how)));
      }
  }
}

TEST_EACH(test_display, 0, 2) {
  Bench bench;
  const Layout layout = layouts[__i__];
  const int sizes[][2] = {{640, 360}, {161, 90}, {20, 11}, {1, 1}, {1000, 720}};
  for (const auto &[width, height] : sizes) {
    HistogramRenderer engine(*bench.context, width, height, layout);
    const Frame frame = reference::natural_frame(width, height);
    for (const auto display :
         {HistogramRenderer::Display::overlay, HistogramRenderer::Display::parade,
          HistogramRenderer::Display::stack})
      for (const Format &format :
           {Format{Mode::luma, 64}, Format{Mode::rgb}, Format{Mode::color_8}})
        for (const bool logarithmic : {false, true}) {
          HistogramRenderer::Settings settings;
          settings.display = display;
          settings.logarithmic = logarithmic;
          settings.x = 0.1, settings.y = 0.2, settings.width = 0.8, settings.height = 0.7;
          check_drawn(bench, engine, settings, frame, format, layout,
                      "display " + std::to_string(static_cast<int>(display)));
          // As a separate overlay, in other colours, with a part only.
          settings.opacity = 0.7;
          settings.foreground_color = 0xc0ff8040, settings.background_color = 0x40ffffff;
          check_drawn(bench, engine, settings, frame, format, layout,
                      "overlay, display " + std::to_string(static_cast<int>(display)), true);
        }
  }
}

/// A film between black bars: two fifths of the pixels have the same level.
Frame letterboxed_frame(int width, int height) {
  Frame frame = reference::natural_frame(width, height);
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++)
      if (y < height / 5 || y >= height - height / 5)
        for (int c = 0; c < 3; c++) frame.at(x, y)[c] = 0;
  return frame;
}

// Bars of the histogram stay visible next to a few full bins.
TEST_EACH(test_level_height, 0, 2) {
  Bench bench;
  const Layout layout = layouts[__i__];
  const int width = 320, height = 180;
  HistogramRenderer engine(*bench.context, width, height, layout);
  for (const Frame &frame : {letterboxed_frame(width, height), reference::flat_frame(width, height),
                             reference::random_frame(width, height)})
    for (const Format &format :
         {Format{Mode::luma}, Format{Mode::luma, 32}, Format{Mode::rgb}, Format{Mode::color_16}})
      for (const bool logarithmic : {false, true})
        for (const double level : {0.0, 0.3, 0.8, 1.0}) {
          HistogramRenderer::Settings settings;
          settings.display = HistogramRenderer::Display::overlay;
          settings.logarithmic = logarithmic;
          settings.level_height = level;
          settings.x = settings.y = 0, settings.width = settings.height = 1;
          check_drawn(bench, engine, settings, frame, format, layout,
                      "level-height " + std::to_string(level));
        }
}

// A panel that is too small for its plots or labels shows the part that fits.
TEST_EACH(test_small_panels, 0, 2) {
  Bench bench;
  const Layout layout = layouts[__i__];
  const int width = 60, height = 60;
  HistogramRenderer engine(*bench.context, width, height, layout);
  const Frame frame = reference::natural_frame(width, height);
  for (const auto display : {HistogramRenderer::Display::overlay,
                             HistogramRenderer::Display::parade, HistogramRenderer::Display::stack})
    for (const Format &format : {Format{Mode::luma}, Format{Mode::rgb}, Format{Mode::color_8}})
      for (const int side : {1, 2, 3, 8, 23, 24, 26, 30, 60})
        for (const bool tall : {false, true}) {
          HistogramRenderer::Settings settings;
          settings.display = display;
          settings.x = settings.y = 0;
          settings.width = tall ? double(side) / width : 1;
          settings.height = tall ? 1 : double(side) / height;
          check_near(
              run(bench, engine, settings, frame, format, layout),
              reference::present(frame, settings, format, reference::histogram(frame, format)),
              "a panel of " + std::to_string(side) + " px, display " +
                  std::to_string(static_cast<int>(display)));
        }
}

TEST(test_panel) {
  HistogramRenderer::Settings settings;
  settings.x = 0.5, settings.y = 0.9, settings.width = 0.7, settings.height = 0;
  const Rect area = HistogramRenderer::panel(settings, 200, 100);
  fail_unless(area.x == 100 && area.y == 90 && area.width == 100 && area.height == 1);
  settings.x = settings.y = 1;
  const Rect corner = HistogramRenderer::panel(settings, 1, 1);
  fail_unless(corner.x == 0 && corner.y == 0 && corner.width == 1 && corner.height == 1);
  // Small frames have legible text, unless the panel has no room for it.
  const Format rgb{Mode::rgb}, colours{Mode::color_8};
  HistogramRenderer::Settings usual;
  usual.display = HistogramRenderer::Display::overlay;
  fail_unless_equals_int(HistogramRenderer::unit(usual, rgb, 480, 272), 2);
  fail_unless_equals_int(HistogramRenderer::unit(usual, rgb, 3840, 2160), 8);
  fail_unless_equals_int(HistogramRenderer::unit(usual, colours, 480, 272), 2);
  fail_unless_equals_int(HistogramRenderer::rows(usual, colours, 1280, 720), 8);
  fail_unless_equals_int(HistogramRenderer::rows(usual, colours, 1, 1), 1);
  usual.display = HistogramRenderer::Display::parade;
  fail_unless_equals_int(HistogramRenderer::unit(usual, rgb, 480, 272), 1);
}
