// SPDX-License-Identifier: LGPL-2.1-or-later
// The optical flow of frames that noise, encoders, light or captions change.
#include <functional>

#include "kernels/opticalflow/flow.h"
#include "reference/coding.h"
#include "reference/textured.h"

using reference::Motion;

namespace {

/// Of the selected pixels, the fraction that moves by more than 0.5 px.
double moving_part(const Field &field, const std::function<bool(int x, int y)> &where) {
  double moving = 0, all = 0;
  for (int y = 0; y < field.height; y++)
    for (int x = 0; x < field.width; x++)
      if (where(x, y)) all++, moving += std::hypot(field.x(x, y), field.y(x, y)) > 0.5;
  return moving / all;
}

}  // namespace

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

// The flicker of an intra frame causes no motion in later frames, even if the encoder shifts it.
// An object in front moves. A reset forgets the flicker.
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
      if (i == 2) compare(field, expected, object ? "flicker, an object" : "flicker");
    }
    return moving_part(
        field, [&](int x, int y) { return !object || std::hypot(x - w / 2 - 4, y - h / 2) < 20; });
  };
  const double grain = run_moving(false, true), alone = run_moving(false, false),
               object = run_moving(true, true);
  fail_unless(grain <= 0.01, "%g of the flicker moves", grain);
  fail_unless(alone >= 0.9, "only %g of the same moves without flicker", alone);
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
