// SPDX-License-Identifier: LGPL-2.1-or-later
// Compares the optical flow with its reference, and both with known motion.
#include "opticalflow/flow.h"

#include <cmath>
#include <functional>

#include "kernels/bands.h"
#include "kernels/engine.h"
#include "reference/coding.h"
#include "reference/opticalflow/flow.h"
#include "reference/textured.h"
#include "reference/transfer.h"

using glcl::opticalflow::Flow;
using Channels = Flow::Channels;
using FlowSettings = Flow::Settings;
using reference::Motion;
using reference::opticalflow::Field;

namespace {

constexpr Channels kinds[] = {Channels::grey, Channels::census};  // the loop index of the tests

Layout device_layout(const Bench &bench) { return glcl::layout_for(bench.context->device()); }

std::string text(const FlowSettings &s, const Frame &frame, Channels channels) {
  return std::to_string(frame.width) + "×" + std::to_string(frame.height) +
         (channels == Channels::census ? ", census" : ", grey") + ", levels " +
         std::to_string(s.levels) + ", warps " + std::to_string(s.warps) + ", window " +
         std::to_string(s.window) + ", median " + std::to_string(s.median) + ", refinement " +
         std::to_string(s.refinement);
}

Field run(Bench &bench, Flow &flow, const FlowSettings &settings, const Frame &before,
          const Frame &after) {
  flow.reset();
  flow.prepare(settings);
  fail_if(flow.run(*bench.queue, settings, reference::upload(*bench.queue, before, flow.layout())),
          "the first frame has a flow");
  const int padding = flow.layout() == Layout::buffer ? 5 : 0;
  fail_unless(flow.run(*bench.queue, settings,
                       reference::upload(*bench.queue, after, flow.layout(), padding)));
  return reference::opticalflow::download(*bench.queue, flow.field());
}

/// At most 0.01 px (and a hundredth of confidence) off on 99.9 % of the pixels, or on all but
/// `most_off`.
void compare(const Field &result, const Field &expected, const std::string &what,
             double most_off = 0.001) {
  size_t off = 0, unsure = 0;
  double worst = 0;
  for (size_t i = 0; i < expected.confidence.size(); i++) {
    const double error = std::hypot(result.vectors[2 * i] - expected.vectors[2 * i],
                                    result.vectors[2 * i + 1] - expected.vectors[2 * i + 1]);
    fail_unless(std::isfinite(error) && std::isfinite(result.confidence[i]), "%s: no number at %zu",
                what.c_str(), i);
    worst = std::max(worst, error);
    off += error > 0.01;
    unsure += std::abs(result.confidence[i] - expected.confidence[i]) > 0.01;
  }
  fail_unless(double(off) <= most_off * double(expected.confidence.size()),
              "%s: %zu of %zu vectors are off, the worst by %g px", what.c_str(), off,
              expected.confidence.size(), worst);
  fail_unless(unsure * 100 <= expected.confidence.size(), "%s: %zu confidences are off",
              what.c_str(), unsure);
}

void check_with_reference(Bench &bench, const FlowSettings &settings, Channels channels,
                          const Frame &before, const Frame &after) {
  Flow flow(*bench.context, before.width, before.height, device_layout(bench), channels);
  compare(run(bench, flow, settings, before, after),
          reference::opticalflow::flow(before, after, channels, settings),
          text(settings, before, channels));
}

/// Of the selected pixels, the fraction that moves by more than 0.5 px.
double moving_part(const Field &field, const std::function<bool(int x, int y)> &where) {
  double moving = 0, all = 0;
  for (int y = 0; y < field.height; y++)
    for (int x = 0; x < field.width; x++)
      if (where(x, y)) all++, moving += std::hypot(field.x(x, y), field.y(x, y)) > 0.5;
  return moving / all;
}

}  // namespace

TEST_EACH(test_content, 0, 2) {
  Bench bench;
  const Channels channels = kinds[__i__];
  const Motion motion{2.3, -1.4, 0.01, 1.01};
  check_with_reference(bench, {}, channels, reference::textured_frame(161, 97),
                       reference::textured_frame(161, 97, motion));
  check_with_reference(bench, {}, channels, reference::natural_frame(97, 83),
                       reference::natural_frame(97, 83));
  check_with_reference(bench, {}, channels, reference::gradient_frame(65, 33),
                       reference::gradient_frame(65, 33));
  check_with_reference(bench, {}, channels, reference::flat_frame(65, 33),
                       reference::flat_frame(65, 33));
}

TEST_EACH(test_sizes, 0, 2) {
  Bench bench;
  const int sizes[][2] = {{1, 1}, {1, 37}, {37, 1}, {2, 2}, {3, 5}, {33, 17}, {64, 32}, {127, 65}};
  for (const auto &[width, height] : sizes) {
    const Motion motion{0.7, 0.4};
    check_with_reference(bench, {}, kinds[__i__], reference::textured_frame(width, height),
                         reference::textured_frame(width, height, motion));
  }
}

TEST_EACH(test_settings, 0, 2) {
  Bench bench;
  const Channels channels = kinds[__i__];
  const Frame before = reference::textured_frame(129, 91),
              after = reference::textured_frame(129, 91, {-1.8, 1.2, 0.02});
  Flow flow(*bench.context, 129, 91, device_layout(bench), channels);
  const auto check = [&](const FlowSettings &settings) {
    compare(run(bench, flow, settings, before, after),
            reference::opticalflow::flow(before, after, channels, settings),
            text(settings, before, channels));
  };
  for (int window : {3, 9, 21, 31, 33, 63}) {
    FlowSettings settings;
    settings.window = window;
    if (window == 3) settings.levels = 1;
    check(settings);
  }
  for (int levels : {1, 2, 9})
    for (int warps : {1, 2}) {
      FlowSettings settings;
      settings.levels = levels, settings.warps = warps;
      check(settings);
    }
  for (int median : {0, 3}) {
    FlowSettings settings;
    settings.median = median;
    check(settings);
  }
  FlowSettings settings;
  settings.alpha = 50, settings.check = true;
  check(settings);
}

TEST_EACH(test_variants, 0, 2) {
  Bench bench;
  const Frame before = reference::textured_frame(70, 51),
              after = reference::textured_frame(70, 51, {1.2, 0.8});
  const Field expected = reference::opticalflow::flow(before, after, kinds[__i__], {});
  const glcl::Device &device = bench.context->device();
  for (const auto &[x, y, tile_x, tile_y, sums, steps] : {std::array{16, 4, 16, 8, 1, 3},
                                                          {64, 4, 64, 32, 2, 2},
                                                          {16, 16, 16, 32, 2, 1},
                                                          {64, 2, 20, 11, 4, 1},
                                                          {5, 3, 7, 9, 1, 1}}) {
    const glcl::Parameters variant{{"group-x", x},     {"group-y", y}, {"tile-x", tile_x},
                                   {"tile-y", tile_y}, {"sums", sums}, {"steps", steps}};
    if (Flow::local_bytes(variant) + 1024 > device.device.getInfo<CL_DEVICE_LOCAL_MEM_SIZE>())
      continue;
    for (Layout layout : {Layout::image, Layout::buffer}) {
      Flow flow(*bench.context, 70, 51, layout, kinds[__i__], variant, variant);
      compare(run(bench, flow, {}, before, after), expected, glcl::describe(variant));
    }
  }
}

// Static frames have vectors of exactly 0, whatever they show.
TEST_EACH(test_static, 0, 2) {
  Bench bench;
  for (const Frame &frame : {reference::natural_frame(97, 61), reference::random_frame(64, 48)}) {
    Flow flow(*bench.context, frame.width, frame.height, device_layout(bench), kinds[__i__]);
    const Field field = run(bench, flow, {}, frame, frame);
    for (float v : field.vectors) fail_unless(v == 0, "a vector of %g", v);
  }
}

// A moving wall as faint as compression noise counts as static, except with noise=0. More contrast
// moves.
TEST_EACH(test_faint, 0, 2) {
  Bench bench;
  const int w = 160, h = 120;
  const auto moving = [&](double levels, double noise) {
    Frame frames[2];
    for (int i : {0, 1}) {
      frames[i] = reference::textured_frame(w, h, {2.0 * i, 0});
      for (uint8_t &level : frames[i].rgba)
        level = uint8_t(std::lround(112 + levels / 40 * (level - 128)));
    }
    FlowSettings settings;
    settings.noise = noise;
    Flow flow(*bench.context, w, h, device_layout(bench), kinds[__i__]);
    return moving_part(run(bench, flow, settings, frames[0], frames[1]),
                       [](int x, int y) { return true; });
  };
  const double faint = moving(1, -1), kept = moving(1, 0), plain = moving(6, -1);
  fail_unless(faint <= 0.01, "%g of a faint texture moves", faint);
  fail_unless(kept >= 0.5, "%g of the same moves with noise=0", kept);
  fail_unless(plain >= 0.9, "only %g of a texture with contrast moves", plain);
}

// Compression of a static scene causes no motion, at an intra frame and in coarse frames. An object
// in front of it moves, and so does everything when the camera moves.
TEST_EACH(test_coded, 0, 2) {
  Bench bench;
  const int w = 200, h = 150;
  const Channels channels = kinds[__i__];
  FlowSettings refined;
  refined.refinement = channels == Channels::census ? 1 : 0;
  const auto disc = [=](int x, int y) { return std::hypot(x - w / 2, y - h / 2) < 30; };
  const Frame scene = reference::natural_frame(w + 8, h + 8);
  enum Kind { static_scene, object, camera };
  const auto moving = [&](Kind kind, double step, const FlowSettings &settings, const char *what) {
    reference::Coder coder(step);
    Frame last[2];
    for (int i = 0; i < 4; i++) {
      Frame frame = reference::crop(scene, kind == camera ? 7 - 2 * i : 4, 4, w, h);
      if (kind == object) {
        const Frame moved = reference::textured_frame(w, h, {2.0 * i, 0});
        frame = reference::covered(frame, moved, [&](int x, int y) { return disc(x - 2 * i, y); });
      }
      last[0] = last[1];
      last[1] = coder.code(reference::noisy(frame, 4, i), i % 3 == 0, kind == camera ? 2 : 0);
    }
    Flow flow(*bench.context, w, h, device_layout(bench), channels);
    const Field field = run(bench, flow, settings, last[0], last[1]);
    if (settings.noise)
      compare(field, reference::opticalflow::flow(last[0], last[1], channels, settings), what);
    return moving_part(field, [&](int x, int y) {
      return kind != object || std::hypot(x - w / 2 - 4, y - h / 2) < 20;
    });
  };
  FlowSettings noiseless;
  noiseless.noise = 0;
  for (double step : {10, 24}) {
    const double static_part = moving(static_scene, step, refined, "static scene");
    fail_unless(static_part <= 0.01, "step %g: %g of a static scene moves", step, static_part);
    const double all = moving(static_scene, step, noiseless, "static scene, noise=0");
    fail_unless(all >= 0.03, "step %g: %g of the same moves with noise=0", step, all);
    const double front = moving(object, step, refined, "object");
    fail_unless(front >= 0.9, "step %g: only %g of a moving object moves", step, front);
    const double camera_part = moving(camera, step, refined, "camera");
    fail_unless(camera_part >= 0.4, "step %g: %g moves with the camera", step, camera_part);
  }
}

// Renewed noise of an intra frame causes no motion in later frames, even if the encoder shifts it.
// An object in front moves. A reset forgets the renewed noise.
TEST_EACH(test_flicker, 0, 2) {
  Bench bench;
  const int w = 200, h = 150;
  const Channels channels = kinds[__i__];
  const auto disc = [=](int shift) {
    return [=](int x, int y) { return std::hypot(x - w / 2 - shift, y - h / 2) < 30; };
  };
  Flow flow(*bench.context, w, h, device_layout(bench), channels);
  const auto run_moving = [&](bool object, bool follows) {
    Frame frames[3];
    for (int i = 0; i < 3; i++) {
      // One picture of grain, then another, which then moves.
      const int shift = i == 2 ? 3 : 0;
      frames[i] = reference::flat_frame(w, h);
      const Frame grain = reference::textured_frame(w, h, {double(shift), 0}, i ? 2 : 3);
      for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++)
          std::fill_n(frames[i].at(x, y), 3, uint8_t(100 + (grain.at(x, y)[0] - 128) / 16));
      if (object)
        frames[i] = reference::covered(
            frames[i], reference::textured_frame(w, h, {double(shift), 0}), disc(shift));
    }
    reference::Flicker flicker;
    flow.reset();
    flow.run(*bench.queue, {}, reference::upload(*bench.queue, frames[0], flow.layout()));
    Field field;
    for (int i = 1; i < 3; i++) {
      if (i == 2 && !follows) {
        flow.reset(), flicker = {};
        flow.run(*bench.queue, {}, reference::upload(*bench.queue, frames[1], flow.layout()));
      }
      flow.run(*bench.queue, {}, reference::upload(*bench.queue, frames[i], flow.layout()));
      const Field expected =
          reference::opticalflow::flow(frames[i - 1], frames[i], channels, {}, &flicker);
      field = reference::opticalflow::download(*bench.queue, flow.field());
      // Unrelated frames match by chance.
      if (i == 2) compare(field, expected, object ? "renewed, an object" : "renewed");
    }
    return moving_part(
        field, [&](int x, int y) { return !object || std::hypot(x - w / 2 - 4, y - h / 2) < 20; });
  };
  const double grain = run_moving(false, true), alone = run_moving(false, false),
               object = run_moving(true, true);
  fail_unless(grain <= 0.01, "%g of renewed noise moves", grain);
  fail_unless(alone >= 0.9, "only %g of the same moves without renewed noise", alone);
  fail_unless(object >= 0.9, "only %g of a moving object moves", object);
}

// A change of exposure under coarse compression moves the contours of a shaded wall, which is
// static. An object in front of it and a camera move. In noise a pan is a single motion.
TEST_EACH(test_exposure, 0, 2) {
  Bench bench;
  const int w = 200, h = 150;
  const Channels channels = kinds[__i__];
  Frame wall(w, h);
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++) std::fill_n(wall.at(x, y), 4, uint8_t(110 + x / 8));
  enum Kind { static_scene, object, camera };
  const auto moving = [&](Kind kind, bool coded, const char *what) {
    reference::Coder coder(30);
    Frame last[2];
    for (int i = 0; i < 5; i++) {
      const Frame texture = reference::textured_frame(w, h, {4.0 * i, 0});
      Frame frame = kind == camera ? texture : wall;
      if (kind == object)
        frame = reference::covered(frame, texture, [&](int x, int y) {
          return std::hypot(x - w / 2 - 4 * i, y - h / 2) < 30;
        });
      frame = reference::noisy(frame, coded ? 2 : 4, unsigned(i), false, coded ? 1 - 0.02 * i : 1);
      last[0] = last[1];
      last[1] = coded ? coder.code(frame, i == 0, kind == camera ? 4 : 0) : frame;
    }
    Flow flow(*bench.context, w, h, device_layout(bench), channels);
    const Field field = run(bench, flow, {}, last[0], last[1]);
    compare(field, reference::opticalflow::flow(last[0], last[1], channels, {}), what);
    return moving_part(field, [&](int x, int y) {
      return kind != object || std::hypot(x - w / 2 - 12, y - h / 2) < 20;
    });
  };
  for (bool coded : {false, true}) {
    const double static_part = moving(static_scene, coded, "a wall"),
                 front = moving(object, coded, "an object"),
                 camera_part = moving(camera, coded, "a camera");
    fail_unless(static_part <= 0.01, "%d: %g of a wall moves", coded, static_part);
    fail_unless(front >= 0.9, "%d: only %g of a moving object moves", coded, front);
    fail_unless(camera_part >= 0.9, "%d: %g moves with the camera", coded, camera_part);
  }
}

// A wall with little contrast moves in strong noise. The change hardly exceeds the noise, but the
// flow explains enough of it.
TEST_EACH(test_weak, 0, 2) {
  Bench bench;
  const int w = 200, h = 150;
  const auto scene = [&](int i) {
    Frame wall = reference::textured_frame(w, h, {2.0 * i, 0});
    for (uint8_t &level : wall.rgba) level = uint8_t(128 + (level - 128) / 4);
    Frame frame = reference::covered(reference::flat_frame(w, h), wall,
                                     [&](int x, int) { return x > w / 4; });
    return reference::noisy(frame, 8, unsigned(i) + 1);
  };
  Flow flow(*bench.context, w, h, device_layout(bench), kinds[__i__]);
  const Frame before = scene(0), after = scene(1);
  const Field field = run(bench, flow, {}, before, after);
  compare(field, reference::opticalflow::flow(before, after, kinds[__i__], {}), "weak contrast");
  const double moving = moving_part(field, [&](int x, int) { return x > w / 4 + 20; });
  fail_unless(moving >= 0.7, "only %g of the wall moves", moving);
}

// Brightness that rolls through the rows causes no motion. An object in it moves.
TEST_EACH(test_rolling, 0, 2) {
  Bench bench;
  const Channels channels = kinds[__i__];
  FlowSettings refined;
  refined.refinement = channels == Channels::census ? 1 : 0;
  for (const auto &[w, h] : {std::array{160, 120}, {121, 301}, {50, 40}})
    for (bool object : {false, true}) {
      Frame frames[2];
      for (int i = 0; i < 2; i++) {
        frames[i] = reference::flat_frame(w, h);
        if (object)
          frames[i] =
              reference::covered(frames[i], reference::textured_frame(w, h, {3.0 * i, 0}),
                                 [&, w = w, h = h](int x, int y) {
                                   return std::hypot(x - w / 2 - 3 * i, y - h / 2) < h / 5.0;
                                 });
        frames[i] = reference::noisy(reference::rolling(frames[i], 0.06, i), 3, unsigned(i) + 1);
      }
      Flow flow(*bench.context, w, h, device_layout(bench), channels);
      const Field field = run(bench, flow, refined, frames[0], frames[1]);
      compare(field, reference::opticalflow::flow(frames[0], frames[1], channels, refined),
              "rolling, " + std::to_string(w) + "×" + std::to_string(h),
              0.005);  // rounding decides in a few places of refined noise
      const double part = moving_part(field, [&, w = w, h = h](int x, int y) {
        return !object || std::hypot(x - w / 2, y - h / 2) < h / 8.0;
      });
      if (h > (object ? 200 : 50))  // small frames show little but the brightness
        fail_unless(object ? part >= 0.9 : part <= 0.01, "%d×%d: %g moves", w, h, part);
    }
}

// The confidence is high on texture. It is low on one colour and on an edge that moves along
// itself, and 0 where the picture leaves the frame.
TEST_EACH(test_confidence, 0, 2) {
  Bench bench;
  const int w = 192, h = 64;
  const Motion motion{-6, 0};
  const auto scene = [&](const Motion &motion) {
    Frame frame = reference::textured_frame(w, h, motion);
    for (int y = 0; y < h; y++)
      for (int x = 64; x < w; x++)
        std::fill_n(frame.at(x, y), 3, x < 128 ? 90 : x < 160 ? 60 : 180);
    return frame;
  };
  Flow flow(*bench.context, w, h, device_layout(bench), kinds[__i__]);
  const Field field = run(bench, flow, {}, scene({}), scene(motion));
  const auto mean = [&](int from, int to) {
    double sum = 0;
    for (int y = 8; y < h - 8; y++)
      for (int x = from; x < to; x++) sum += field.confidence[size_t(y) * w + x];
    return sum / ((h - 16) * (to - from));
  };
  fail_unless(mean(16, 48) > 0.5, "texture has %g", mean(16, 48));
  fail_unless(mean(80, 112) < 0.01, "one colour has %g", mean(80, 112));
  fail_unless(mean(156, 164) < 0.05, "an edge has %g", mean(156, 164));
  fail_unless(mean(0, 4) < 0.1, "pixels that leave the frame have %g", mean(0, 4));
}

// A static subtitle over a pan has a low confidence where its flow follows the pan. The background
// keeps its confidence. The reference agrees, with a large window too.
TEST_EACH(test_subtitle, 0, 2) {
  Bench bench;
  const int w = 192, h = 96;
  const auto is_text = [](int x, int y) {
    return y >= 60 && y < 74 && x >= 40 && x < 150 && (x / 3 % 3 == 0 || y / 3 % 4 == 0);
  };
  const auto scene = [&](const Motion &motion) {
    Frame frame = reference::textured_frame(w, h, motion);
    for (int y = 0; y < h; y++)
      for (int x = 0; x < w; x++)
        if (is_text(x, y)) std::fill_n(frame.at(x, y), 3, 250);
    return frame;
  };
  Flow flow(*bench.context, w, h, device_layout(bench), kinds[__i__]);
  const Frame before = reference::noisy(scene({}), 1.5, 1),
              after = reference::noisy(scene({4, 0}), 1.5, 2);
  FlowSettings wide;  // texels that are compared are farther apart
  wide.window = 31;
  for (const FlowSettings &settings : {FlowSettings{}, wide})
    compare(run(bench, flow, settings, before, after),
            reference::opticalflow::flow(before, after, kinds[__i__], settings),
            "a subtitle, " + text(settings, before, kinds[__i__]));
  const Field field = run(bench, flow, {}, before, after);
  double wrong = 0, subtitle = 0, confidence = 0, background = 0;
  for (int y = 8; y < h - 8; y++)
    for (int x = 8; x < w - 12; x++) {
      const size_t i = size_t(y) * w + x;
      if (is_text(x, y))
        subtitle++, wrong += field.confidence[i] >= 0.5 && field.vectors[2 * i] > 1;
      else if (y < 50)
        background++, confidence += field.confidence[i];
    }
  std::printf("%.3f of a subtitle follows the pan with confidence; the background has %.3f\n",
              wrong / subtitle, confidence / background);
  fail_unless(wrong / subtitle < 0.3 && confidence / background > 0.5,
              "%g of a subtitle, background %g", wrong / subtitle, confidence / background);
}

// With the check, pixels that a disc covers lose their confidence, and the others keep theirs.
TEST_EACH(test_check, 0, 2) {
  Bench bench;
  const int w = 200, h = 160;
  const int centre_x = w / 2, centre_y = h / 2;
  const auto disc = [=](double dx) {
    return [=](int x, int y) { return std::hypot(x - centre_x - dx, y - centre_y) < 45; };
  };
  const double move = 9;
  const Frame back = reference::textured_frame(w, h);
  const Frame before = reference::covered(back, reference::textured_frame(w, h, {}, 2), disc(0));
  const Frame after =
      reference::covered(back, reference::textured_frame(w, h, {move, 0}, 2), disc(move));
  Flow flow(*bench.context, w, h, device_layout(bench), kinds[__i__]);
  FlowSettings settings;
  const Field plain = run(bench, flow, settings, before, after);
  settings.check = true;
  const Field checked = run(bench, flow, settings, before, after);
  double covered[2] = {}, rest[2] = {};
  for (int y = 10; y < h - 10; y++)
    for (int x = 10; x < w - 10; x++) {
      const size_t i = size_t(y) * w + x;
      const bool hidden = !disc(0)(x, y) && disc(move)(x, y);
      const bool near = std::abs(std::hypot(x - w / 2, y - h / 2) - 45) < 15;
      if (!hidden && near) continue;
      (hidden ? covered : rest)[0] += plain.confidence[i];
      (hidden ? covered : rest)[1] += checked.confidence[i];
    }
  fail_unless(covered[1] < 0.3 * covered[0], "%g of the covered area keeps its confidence",
              covered[1] / covered[0]);
  fail_unless(rest[1] > 0.9 * rest[0], "%g of the rest keeps its confidence", rest[1] / rest[0]);
}

// Motion up to a quarter of the short side: plain, in noise, with another brightness, of an object,
// with matches of a coarser level, and between unrelated scenes.
TEST_EACH(test_large, 0, 2) {
  Bench bench;
  const Channels channels = kinds[__i__];
  const auto error = [&](const Frame &before, const Frame &after, const Motion &motion,
                         const FlowSettings &settings, const char *what) {
    Flow flow(*bench.context, before.width, before.height, device_layout(bench), channels);
    const Field field = run(bench, flow, settings, before, after);
    // Pixels that left the frame have few votes, so rounding shows.
    compare(field, reference::opticalflow::flow(before, after, channels, settings),
            what + (", " + text(settings, before, channels)), 0.002);
    return reference::opticalflow::end_point_error(
        field, reference::motion_field(before.width, before.height, motion));
  };
  const int w = 160, h = 120;
  FlowSettings check;
  check.check = true;
  for (const Motion &motion : {Motion{-30, 15}, {20, -30}, {17.4, 8.3}}) {
    const Frame before = reference::textured_frame(w, h),
                after = reference::textured_frame(w, h, motion);
    const double plain = error(before, after, motion, {}, "plain");
    fail_unless(plain <= 0.3, "moved by (%g, %g): %g px", motion.x, motion.y, plain);
    const double light = error(before, reference::relit(after, 0.8, 0), motion, check, "light");
    fail_unless(light <= 0.5, "moved by (%g, %g), darker: %g px", motion.x, motion.y, light);
    const double noise =
        error(reference::noisy(before, 6, 1), reference::noisy(after, 6, 2), motion, {}, "noise");
    fail_unless(noise <= 0.8, "moved by (%g, %g), noise: %g px", motion.x, motion.y, noise);
  }
  const Motion motion{40, -50};
  const double coarser = error(reference::textured_frame(300, 260),
                               reference::textured_frame(300, 260, motion), motion, {}, "coarser");
  fail_unless(coarser <= 0.3, "300×260: %g px", coarser);
  const auto disc = [](double dx) {
    return [=](int x, int y) { return std::hypot(x - 60 - dx, y - 60) < 35; };
  };
  const Frame back = reference::textured_frame(w, h);
  error(reference::covered(back, reference::textured_frame(w, h, {}, 2), disc(0)),
        reference::covered(back, reference::textured_frame(w, h, {25, 0}, 2), disc(25)), {}, {},
        "disc");
  error(back, reference::textured_frame(w, h, {}, 3), {}, {}, "other scene");
  // A background that leaves the frame behind an object, with less noise than the settings have:
  // matching pixels limit the cost of leaving.
  FlowSettings noisy;
  noisy.noise = 12;
  const auto entering = [](double dx) {
    return [=](int x, int y) { return std::hypot(x - 25 - dx, y - 60) < 30; };
  };
  error(reference::covered(back, reference::textured_frame(w, h, {}, 2), entering(0)),
        reference::covered(reference::textured_frame(w, h, {-30, 0}),
                           reference::textured_frame(w, h, {25, 0}, 2), entering(25)),
        {}, noisy, "leaving");
}

// Refinement of census: contents, noise, sizes with one to three levels, numbers of steps. The
// frames show more than one motion, so that all kinds of weights count.
TEST(test_refinement) {
  Bench bench;
  FlowSettings settings;
  settings.refinement = 2;
  const auto check = [&](const Frame &before, const Frame &after) {
    check_with_reference(bench, settings, Channels::census, before, after);
  };
  const Frame back = reference::textured_frame(161, 97), front = reference::natural_frame(161, 97);
  const auto disc = [](int shift) {
    return [=](int x, int y) { return std::hypot(x - 70 - shift, y - 50) < 30; };
  };
  const Frame before = reference::covered(back, front, disc(0));
  const Frame after =
      reference::covered(reference::textured_frame(161, 97, {1.3, -0.6}), front, disc(3));
  check(before, after);
  check(reference::noisy(before, 4, 1), reference::noisy(after, 4, 2, true));
  check(reference::gradient_frame(65, 33), reference::gradient_frame(65, 33));
  check(reference::flat_frame(65, 33), reference::flat_frame(65, 33));
  const int sizes[][2] = {{1, 1}, {1, 37}, {37, 1}, {2, 2}, {3, 5}, {47, 29}, {129, 66}};
  for (const auto &[width, height] : sizes)
    check(reference::textured_frame(width, height),
          reference::textured_frame(width, height, {0.7, 0.4}));
  for (int steps : {1, 5}) {
    settings.refinement = steps;
    check(before, after);
  }
  settings.check = true, settings.levels = 1;
  check(before, after);
}

// Flow computed in bands is bit-exact, the refinement too.
TEST_EACH(test_bands, 0, 2) {
  Bench bench;
  FlowSettings settings;
  settings.refinement = __i__ ? 2 : 0;
  const Frame before = reference::textured_frame(161, 297),
              after = reference::textured_frame(161, 297, {1.3, -0.6, 0.004});
  std::vector<Field> fields;
  const auto work = [&] {
    Flow flow(*bench.context, before.width, before.height, device_layout(bench), kinds[__i__]);
    fields.push_back(run(bench, flow, settings, before, after));
  };
  work();
  const int more = more_bands(bench, work);
  fail_unless(more >= (__i__ ? 4 : 1), "%d more bands", more);
  fail_unless(fields[0].vectors == fields[1].vectors &&
              fields[0].confidence == fields[1].confidence);
}

// The refinement keeps static vectors at exactly 0, and improves the edge of a moving object.
TEST(test_refined_edge) {
  Bench bench;
  const int w = 200, h = 160;
  const auto disc = [=](double dx) {
    return [=](int x, int y) { return std::hypot(x - w / 2.0 - dx, y - h / 2.0) < 45; };
  };
  const double move = 4;
  const Frame back = reference::textured_frame(w, h);
  const Frame before = reference::covered(back, reference::textured_frame(w, h, {}, 2), disc(0));
  const Frame after =
      reference::covered(back, reference::textured_frame(w, h, {move, 0}, 2), disc(move));
  Flow flow(*bench.context, w, h, device_layout(bench), Channels::census);
  FlowSettings settings;
  const auto error = [&](const Field &field) {
    double sum = 0;
    for (int y = 0; y < h; y++)
      for (int x = 0; x < w; x++)
        sum += std::hypot(field.x(x, y) - (disc(0)(x, y) ? move : 0), field.y(x, y));
    return sum / (w * h);
  };
  const double plain = error(run(bench, flow, settings, before, after));
  settings.refinement = 2;
  const double refined = error(run(bench, flow, settings, before, after));
  fail_unless(refined < 0.75 * plain, "%g px after %g", refined, plain);
  for (float v : run(bench, flow, settings, before, before).vectors) fail_unless(v == 0);
}
