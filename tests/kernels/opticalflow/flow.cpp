// SPDX-License-Identifier: LGPL-2.1-or-later
// Compares the optical flow with its reference, and both with known motion.
#include "kernels/opticalflow/flow.h"

#include "kernels/bands.h"
#include "reference/textured.h"

using reference::Motion;

namespace {

void check_with_reference(Bench &bench, const FlowSettings &settings, Channels channels,
                          const Frame &before, const Frame &after) {
  Flow flow(*bench.context, before.width, before.height, device_layout(bench), channels);
  compare(run(bench, flow, settings, before, after),
          reference::opticalflow::flow(before, after, channels, settings),
          text(settings, before, channels));
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
