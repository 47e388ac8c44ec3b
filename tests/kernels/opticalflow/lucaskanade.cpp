// SPDX-License-Identifier: LGPL-2.1-or-later
// Compares every form of Lucas and Kanade's method with its reference, and the reference with known
// motion.
#include "lucaskanade.h"

#include <cmath>

#include "reference/transfer.h"

using Form = LucasKanade::Form;
using reference::Motion;

namespace {

/// The forms, with tiles of several shapes; the loop index of the tests.
const glcl::Parameters variants[] = {
    {{"form", int(Form::columns)}},
    {{"form", int(Form::tile)}, {"lanes", 64}, {"blocks", 4}},
    {{"form", int(Form::tile)}, {"lanes", 32}, {"blocks", 1}},
    {{"form", int(Form::tile)}, {"lanes", 96}, {"blocks", 3}},
};
constexpr int variant_count = static_cast<int>(std::size(variants));

Field run(Bench &bench, const glcl::Parameters &variant, Layout layout,
          const LucasKanade::Settings &settings, const Frame &before, const Frame &after) {
  LucasKanade engine(*bench.context, before.width, before.height, layout, variant);
  engine.prepare(settings);
  fail_if(engine.run(*bench.queue, settings, reference::upload(*bench.queue, before, layout)));
  fail_unless(engine.run(*bench.queue, settings, reference::upload(*bench.queue, after, layout)));
  return reference::opticalflow::download(*bench.queue, engine.field());
}

/// The mean vector without the rim.
reference::Point mean_of(const Field &field, int rim) {
  reference::Point sum;
  int count = 0;
  for (int y = rim; y < field.height - rim; y++)
    for (int x = rim; x < field.width - rim; x++, count++)
      sum.x += field.x(x, y), sum.y += field.y(x, y);
  return {sum.x / count, sum.y / count};
}

/// A texture for which 2 × 2 derivatives are nearly exact.
Frame smooth_frame(double dx, double dy) {
  Frame frame(96, 80);
  for (int y = 0; y < frame.height; y++)
    for (int x = 0; x < frame.width; x++) {
      const double u = x - dx, v = y - dy;
      const double level =
          127 + 50 * std::sin(u / 5) * std::cos(v / 6) + 40 * std::sin(0.13 * u + 0.21 * v);
      std::fill_n(frame.at(x, y), 3, static_cast<uint8_t>(std::lround(level)));
    }
  return frame;
}

}  // namespace

TEST_EACH(test_equals_the_reference, 0, variant_count) {
  Bench bench;
  const Motion motion{0.4, -0.3, 0.002};
  const int sizes[][2] = {{97, 61}, {64, 64}, {1, 1}, {9, 9}, {8, 30}, {130, 10}};
  for (const auto &[width, height] : sizes)
    for (int window : {3, 9, 15, 31, 63}) {
      LucasKanade::Settings settings;
      settings.window = window;
      const Frame before = reference::textured_frame(width, height),
                  after = reference::textured_frame(width, height, motion);
      const Field expected = reference::opticalflow::lucas_kanade(before, after, settings);
      for (Layout layout : {Layout::image, Layout::buffer})
        compare(run(bench, variants[__i__], layout, settings, before, after), expected,
                std::to_string(width) + "×" + std::to_string(height) + ", window " +
                    std::to_string(window));
    }
}

TEST_EACH(test_content, 0, variant_count) {
  Bench bench;
  for (const auto &[before, after] : contents())
    compare(run(bench, variants[__i__], Layout::buffer, {}, before, after),
            reference::opticalflow::lucas_kanade(before, after, {}), "content");
}

// The largest possible sums: squares of derivatives by stripes of one pixel, products with the
// change by stripes of two; black and white swap. Windows with sums of 32 bits, and larger ones.
TEST_EACH(test_largest_sums, 0, variant_count) {
  Bench bench;
  const auto stripes = [](int period, bool along_x, bool inverse) {
    Frame frame(71, 67);
    for (int y = 0; y < frame.height; y++)
      for (int x = 0; x < frame.width; x++)
        std::fill_n(frame.at(x, y), 4, ((along_x ? x : y) / period % 2 == 1) != inverse ? 255 : 0);
    return frame;
  };
  for (int window : {21, 39, 41})
    for (int period : {1, 2})
      for (bool along_x : {false, true}) {
        LucasKanade::Settings settings;
        settings.window = window;
        const Frame before = stripes(period, along_x, false),
                    after = stripes(period, along_x, true);
        compare(run(bench, variants[__i__], Layout::buffer, settings, before, after),
                reference::opticalflow::lucas_kanade(before, after, settings),
                "stripes of " + std::to_string(period) + ", window " + std::to_string(window));
      }
}

// A sub-pixel shift is found within 5 %.
TEST(test_scale) {
  for (const auto &[x, y] : {std::pair{0.30, -0.20}, {-0.15, 0.25}, {0.4, 0.0}, {0.0, -0.35}}) {
    const auto mean = mean_of(
        reference::opticalflow::lucas_kanade(smooth_frame(0, 0), smooth_frame(x, y), {}), 4);
    fail_unless(std::hypot(mean.x - x, mean.y - y) <= 0.05 * std::hypot(x, y),
                "(%g, %g) came back as (%g, %g)", x, y, mean.x, mean.y);
  }
}

TEST_EACH(test_rim, 0, variant_count) {
  Bench bench;
  LucasKanade::Settings settings;
  settings.window = 11;
  const Field field =
      run(bench, variants[__i__], Layout::buffer, settings, reference::textured_frame(40, 30),
          reference::textured_frame(40, 30, {1, 1}));
  for (int y = 0; y < 30; y++)
    for (int x = 0; x < 40; x++) {
      const bool rim = x < 5 || y < 5 || x >= 35 || y >= 25;
      const bool is_zero = field.x(x, y) == 0 && field.y(x, y) == 0;
      fail_unless(rim == is_zero, "(%d, %d)", x, y);
    }
}

// Without prepare(), the program of a window is built in the background and gives the same vectors.
TEST(test_later) {
  Bench bench;
  const Frame frames[] = {reference::textured_frame(97, 61),
                          reference::textured_frame(97, 61, {0.4, -0.3})};
  LucasKanade engine(*bench.context, 97, 61, Layout::buffer, variants[1]);
  for (int i = 0; i < 60; i++) {
    LucasKanade::Settings settings;
    settings.window = i < 30 ? 5 : 13;
    const Picture in = reference::upload(*bench.queue, frames[i % 2], Layout::buffer);
    if (!engine.run(*bench.queue, settings, in)) continue;
    if (i % 2)
      compare(reference::opticalflow::download(*bench.queue, engine.field()),
              reference::opticalflow::lucas_kanade(frames[0], frames[1], settings),
              "frame " + std::to_string(i));
    g_usleep(20000);
  }
}
