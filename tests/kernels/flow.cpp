// SPDX-License-Identifier: LGPL-2.1-or-later
// The optical flow engine against its twin, and both against motion that is known.
#include "opticalflow/flow.h"

#include <cmath>

#include "engine.h"
#include "reference/flow.h"
#include "reference/textured.h"
#include "reference/transfer.h"

using glcl::Flow;
using Channels = Flow::Channels;
using FlowSettings = Flow::Settings;
using reference::Field;
using reference::Motion;

namespace {

constexpr Channels kinds[] = {Channels::grey, Channels::census};  // the loop index of the tests

Layout device_layout(const Bench &bench) {
  return glcl::layout_for(bench.context->device());
}

std::string text(const FlowSettings &s, const Frame &frame, Channels channels) {
  return std::to_string(frame.width) + "×" + std::to_string(frame.height) +
         (channels == Channels::census ? ", census" : ", grey") + ", levels " +
         std::to_string(s.levels) + ", warps " + std::to_string(s.warps) + ", window " +
         std::to_string(s.window) + ", median " + std::to_string(s.median);
}

Field run(Bench &bench, Flow &flow, const FlowSettings &settings, const Frame &before,
          const Frame &after) {
  flow.reset();
  fail_if(flow.run(*bench.queue, settings, reference::upload(*bench.queue, before, flow.layout())),
          "the first frame has no flow");
  const int padding = flow.layout() == Layout::buffer ? 5 : 0;
  fail_unless(flow.run(*bench.queue, settings,
                       reference::upload(*bench.queue, after, flow.layout(), padding)));
  return reference::download(*bench.queue, flow.field());
}

/// Within 0.01 px (and a hundredth of confidence) on 99.9 % of the pixels.
void compare(const Field &result, const Field &twin, const std::string &what) {
  size_t off = 0, unsure = 0;
  double worst = 0;
  for (size_t i = 0; i < twin.confidence.size(); i++) {
    const double error = std::hypot(result.vectors[2 * i] - twin.vectors[2 * i],
                                    result.vectors[2 * i + 1] - twin.vectors[2 * i + 1]);
    fail_unless(std::isfinite(error) && std::isfinite(result.confidence[i]), "%s: no number at %zu",
                what.c_str(), i);
    worst = std::max(worst, error);
    off += error > 0.01;
    unsure += std::abs(result.confidence[i] - twin.confidence[i]) > 0.01;
  }
  fail_unless(off * 1000 <= twin.confidence.size(),
              "%s: %zu of %zu vectors are off, the worst by %g px", what.c_str(), off,
              twin.confidence.size(), worst);
  fail_unless(unsure * 100 <= twin.confidence.size(), "%s: %zu confidences are off", what.c_str(),
              unsure);
}

void check_with_twin(Bench &bench, const FlowSettings &settings, Channels channels,
                     const Frame &before, const Frame &after) {
  Flow flow(*bench.context, before.width, before.height, device_layout(bench), channels);
  compare(run(bench, flow, settings, before, after),
          reference::flow(before, after, channels, settings), text(settings, before, channels));
}

}  // namespace

GST_START_TEST(test_content) {
  Bench bench;
  const Channels channels = kinds[__i__];
  const Motion motion{2.3, -1.4, 0.01, 1.01};
  check_with_twin(bench, {}, channels, reference::textured_frame(161, 97),
                  reference::textured_frame(161, 97, motion));
  check_with_twin(bench, {}, channels, reference::natural_frame(97, 83),
                  reference::natural_frame(97, 83));
  check_with_twin(bench, {}, channels, reference::gradient_frame(65, 33),
                  reference::gradient_frame(65, 33));
  check_with_twin(bench, {}, channels, reference::flat_frame(65, 33),
                  reference::flat_frame(65, 33));
}
GST_END_TEST;

GST_START_TEST(test_sizes) {
  Bench bench;
  const int sizes[][2] = {{1, 1}, {1, 37}, {37, 1}, {2, 2}, {3, 5}, {33, 17}, {64, 32}, {127, 65}};
  for (const auto &[width, height] : sizes) {
    const Motion motion{0.7, 0.4};
    check_with_twin(bench, {}, kinds[__i__], reference::textured_frame(width, height),
                    reference::textured_frame(width, height, motion));
  }
}
GST_END_TEST;

GST_START_TEST(test_settings) {
  Bench bench;
  const Channels channels = kinds[__i__];
  const Frame before = reference::textured_frame(129, 91),
              after = reference::textured_frame(129, 91, {-1.8, 1.2, 0.02});
  Flow flow(*bench.context, 129, 91, device_layout(bench), channels);
  const auto check = [&](const FlowSettings &settings) {
    compare(run(bench, flow, settings, before, after),
            reference::flow(before, after, channels, settings), text(settings, before, channels));
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
GST_END_TEST;

GST_START_TEST(test_variants) {
  Bench bench;
  const Frame before = reference::textured_frame(70, 51),
              after = reference::textured_frame(70, 51, {1.2, 0.8});
  const Field twin = reference::flow(before, after, kinds[__i__], {});
  const glcl::Device &device = bench.context->device();
  for (const auto &[x, y, tile_x, tile_y, sums] : {std::array{16, 4, 16, 8, 1},
                                                   {64, 4, 64, 16, 2},
                                                   {16, 16, 16, 32, 2},
                                                   {64, 2, 20, 11, 4},
                                                   {5, 3, 7, 9, 1}}) {
    const glcl::Parameters variant{
        {"group-x", x}, {"group-y", y}, {"tile-x", tile_x}, {"tile-y", tile_y}, {"sums", sums}};
    if (Flow::local_bytes(variant) + 1024 > device.device.getInfo<CL_DEVICE_LOCAL_MEM_SIZE>())
      continue;
    for (Layout layout : {Layout::image, Layout::buffer}) {
      Flow flow(*bench.context, 70, 51, layout, kinds[__i__], variant, variant);
      compare(run(bench, flow, {}, before, after), twin, glcl::describe(variant));
    }
  }
}
GST_END_TEST;

static Suite *flow_suite() {
  Suite *suite = suite_create("flow");
  TCase *tests = tcase_create("flow");
  tcase_add_loop_test(tests, test_content, 0, 2);
  tcase_add_loop_test(tests, test_sizes, 0, 2);
  tcase_add_loop_test(tests, test_settings, 0, 2);
  tcase_add_loop_test(tests, test_variants, 0, 2);
  suite_add_tcase(suite, tests);
  return suite;
}

GST_CHECK_MAIN(flow)
