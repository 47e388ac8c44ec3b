// SPDX-License-Identifier: LGPL-2.1-or-later
// glclmotion in pipelines: displays, messages and metas against the scalar reference.
#include "motion/motion.h"

#include <cmath>
#include <cstring>

#include "pipeline.h"
#include "reference/motion/motion.h"
#include "reference/motion/range.h"
#include "tests/support/result.h"

using glcl::motion::BlockMotion;
using glcl::motion::largest_range;
using glcl::motion::SearchWindow;
using glcl::motion::Vector;
using test::Chain;
using test::expect;
using test::Frame;
using test::number;

namespace {

/// The scene, moved by 3 px right and 2 px down from frame to frame.
Frame scene(int number, int width = 96, int height = 64) {
  return reference::crop(reference::natural_frame(width + 60, height + 60), 30 - 3 * number,
                         30 - 2 * number, width, height);
}

/// The reference's result for two frames. `flicker`: state that one result passes to the next.
struct Expected {
  Expected(const Frame &before, const Frame &now, const BlockMotion::Settings &settings,
           reference::Flicker *flicker = nullptr) {
    const int block = settings.partitions ? glcl::motion::Search::partitions : settings.block;
    current = reference::luma(now);
    const reference::Plane past = reference::luma(before);
    const int most = settings.max_range ? settings.max_range : largest_range(now.width, now.height);
    reference::Ranges adapted;
    if (!settings.range)
      adapted = reference::ranges_of(current, past, settings.min_range, most, settings.lambda);
    range = settings.range ? settings.range
                           : static_cast<int>(std::lround(std::sqrt(adapted.mean_square())));
    const reference::Samples samples(past, (settings.range ? settings.range : most) + 3);
    auto keys = settings.method == BlockMotion::Method::hexagon
                    ? reference::hexagon(current, past, block, range, settings.lambda)
                : settings.method == BlockMotion::Method::hierarchical
                    ? reference::hierarchical(current, past, block, range, settings.lambda)
                : settings.range
                    ? reference::full_search(current, past, block, SearchWindow::of_range(range),
                                             settings.lambda)
                    : reference::full_search(current, past, block, adapted.ranges, settings.lambda);
    if (settings.precision != BlockMotion::Precision::full)
      reference::refine(keys, current, samples, block, settings.lambda,
                        settings.precision == BlockMotion::Precision::quarter);
    if (settings.noise != 0)
      reference::keep_still(keys, current, past, block, settings.lambda,
                            settings.noise < 0 ? reference::noise_of(past, current)
                                               : reference::even_noise(settings.noise),
                            settings.precision != BlockMotion::Precision::full,
                            settings.noise < 0 ? flicker : nullptr);
    field = reference::field(keys, now.width, now.height, block, settings.lambda);
    predicted = reference::predict(samples, field, now.width, now.height);
  }

  int range;
  reference::Plane current, predicted;
  reference::Field field;
};

void apply(GstElement *element, const BlockMotion::Settings &settings) {
  constexpr const char *methods[] = {"full", "hierarchical", "hexagon"};
  gst_util_set_object_arg(G_OBJECT(element), "search", methods[static_cast<int>(settings.method)]);
  constexpr const char *precisions[] = {"full", "half", "quarter"};
  g_object_set(element, "range", settings.range, "min-range", settings.min_range, "max-range",
               settings.max_range, "target-psnr", settings.target_psnr, "partitions",
               settings.partitions, "lambda", settings.lambda, "noise", settings.noise, nullptr);
  gst_util_set_object_arg(G_OBJECT(element), "block-size", std::to_string(settings.block).c_str());
  gst_util_set_object_arg(G_OBJECT(element), "subpel",
                          precisions[static_cast<int>(settings.precision)]);
}

Frame grey(const reference::Plane &plane, const Frame &alpha) {
  Frame frame = alpha;
  for (size_t i = 0; i < plane.values.size(); i++)
    std::fill_n(&frame.rgba[4 * i], 3, plane.values[i]);
  return frame;
}

std::vector<BlockMotion::Settings> all_settings() {
  std::vector<BlockMotion::Settings> list(8);
  for (BlockMotion::Settings &settings : list) settings.range = 16;
  for (size_t i = 0; i < list.size(); i += 2) list[i].noise = -1;
  list[3].noise = 2;
  list[1].block = 8;
  list[1].range = 7;
  list[2].partitions = true;
  list[2].precision = BlockMotion::Precision::quarter;
  list[3].block = 32;
  list[3].precision = BlockMotion::Precision::half;
  list[4].block = 4;
  list[4].lambda = 0;
  list[4].range = 4;
  list[5].method = BlockMotion::Method::hierarchical;
  list[5].range = 40;
  list[6].method = BlockMotion::Method::hexagon;
  list[6].partitions = true;
  list[7].range = 0;
  list[7].min_range = 2;
  list[7].max_range = 20;
  return list;
}

const GstStructure *result_of(GstBuffer *frame) {
  return gst_buffer_get_glcl_result(frame, "glclmotion");
}

void check_meta(GstBuffer *buffer, const reference::Field &expected, int width, int height) {
  const GstStructure *result = result_of(buffer);
  expect(result, "there is a meta");
  expect(test::result_int(result, "width") == width && test::result_int(result, "height") == height,
         "it has the frame's size");
  expect(test::result_int(result, "cell") == expected.cell, "cells");
  const test::ResultArray vectors(result, "vectors"), costs(result, "costs"),
      shapes(result, "shapes");
  const int rows = int(expected.vectors.size()) / expected.columns;
  expect(vectors.is("int16", {rows, expected.columns, 2}), "rows and columns of vectors");
  expect(std::memcmp(vectors.bytes(), expected.vectors.data(), vectors.size()) == 0, "vectors");
  expect(costs && costs.size() == expected.costs.size() * 4 &&
             std::memcmp(costs.bytes(), expected.costs.data(), costs.size()) == 0,
         "costs");
  expect(shapes && shapes.size() == expected.shapes.size() * 2 &&
             std::memcmp(shapes.bytes(), expected.shapes.data(), shapes.size()) == 0,
         "shapes");
}

/// The next message, or null.
GstMessage *next(Chain &chain) {
  chain.drain();
  return chain.messages().next(GST_MESSAGE_ELEMENT, 0);
}

}  // namespace

TEST(display) {
  for (const BlockMotion::Settings &settings : all_settings()) {
    Chain chain("glclmotion");
    GstElement *element = chain["glclmotion"];
    apply(element, settings);
    reference::Flicker flicker;
    int n = 0;
    chain.filter(scene(n++));
    for (const std::string what : {"prediction", "residual", "none", "vectors"}) {
      gst_util_set_object_arg(G_OBJECT(element), "display", what.c_str());
      const Frame before = scene(n - 1), now = scene(n++), out = chain.filter(now);
      const Expected expected(before, now, settings, &flicker);
      if (what == "prediction") {
        test::expect_same(grey(expected.predicted, now), out, what);
      } else if (what == "residual") {
        reference::Plane rest = expected.current;
        for (size_t i = 0; i < rest.values.size(); i++)
          rest.values[i] = static_cast<uint8_t>(
              std::clamp(128 + rest.values[i] - expected.predicted.values[i], 0, 255));
        test::expect_same(grey(rest, now), out, what);
      } else if (what == "none") {
        test::expect_same(now, out, what);
      } else {
        int arrows = 0, same = 0;
        for (size_t i = 0; i < now.rgba.size(); i += 4) {
          const uint8_t *a = &now.rgba[i], *b = &out.rgba[i];
          arrows += b[0] == 255 && b[1] == 220 && b[2] == 0;
          same += std::equal(a, a + 3, b);
          expect(a[3] == b[3], "alpha");
        }
        expect(arrows && (same || settings.block == 4), "arrows and the picture");
      }
    }
  }
}

TEST(messages_and_metas) {
  for (const BlockMotion::Settings &settings : all_settings()) {
    Chain chain("glclmotion interval=0 attach-meta=true");
    apply(chain["glclmotion"], settings);
    reference::Flicker flicker, message_flicker;
    for (int n = 0; n < 4; n++) {
      GstBuffer *out = nullptr;
      expect(chain.push(scene(n)) == GST_FLOW_OK, "pushed");
      out = chain.pull_buffer();
      if (n == 0)
        expect(!result_of(out), "no meta without a frame before");
      else
        check_meta(out, Expected(scene(n - 1), scene(n), settings, &flicker).field, 96, 64);
      gst_buffer_unref(out);
    }
    gst_harness_push_event(chain.harness(), gst_event_new_eos());
    for (int n = 1; n < 4; n++) {
      GstMessage *message = next(chain);
      expect(message, "a message for each frame that has one before it");
      const GstStructure *structure = gst_message_get_structure(message);
      expect(gst_structure_has_name(structure, "glclmotion"), "its name");
      GstClockTime timestamp = 0;
      gst_structure_get_clock_time(structure, "timestamp", &timestamp);
      expect(timestamp == guint64(n) * 40 * GST_MSECOND, "its timestamp");
      const Expected expected(scene(n - 1), scene(n), settings, &message_flicker);
      const double mse = reference::mse(expected.current, expected.predicted);
      fail_unless(std::abs(number(structure, "mse") - mse) < 1e-9);
      int range = 0;
      fail_unless(gst_structure_get_int(structure, "range", &range) && range == expected.range);
      fail_unless(std::abs(number(structure, "psnr") - 10 * std::log10(255 * 255 / mse)) < 1e-9);
      double x = 0, y = 0, zero = 0;
      for (const Vector v : expected.field.vectors)
        x += v.x / 4.0, y += v.y / 4.0, zero += !v.x && !v.y;
      const auto cells = static_cast<double>(expected.field.vectors.size());
      fail_unless(std::abs(number(structure, "mean-x") - x / cells) < 1e-9);
      fail_unless(std::abs(number(structure, "mean-y") - y / cells) < 1e-9);
      fail_unless(std::abs(number(structure, "zero") - zero / cells) < 1e-9);
      gst_message_unref(message);
    }
    expect(!next(chain), "no more messages");
  }
}

// A break in the stream resets the previous frame.
TEST(discontinuity) {
  Chain chain("glclmotion attach-meta=true");
  const auto has_meta = [&](GstBuffer *buffer, int width, int height) {
    expect(chain.push(buffer, width, height) == GST_FLOW_OK, "pushed");
    GstBuffer *out = chain.pull_buffer();
    const bool has = result_of(out);
    gst_buffer_unref(out);
    return has;
  };
  expect(!has_meta(chain.buffer_of(scene(0)), 96, 64), "the first frame");
  expect(has_meta(chain.buffer_of(scene(1)), 96, 64), "the second one");
  GstBuffer *broken = chain.buffer_of(scene(2));
  GST_BUFFER_FLAG_SET(broken, GST_BUFFER_FLAG_DISCONT);
  expect(!has_meta(broken, 96, 64), "after a discontinuity");
  expect(has_meta(chain.buffer_of(scene(3)), 96, 64), "and the next");
  expect(!has_meta(chain.buffer_of(scene(4, 50, 30)), 50, 30), "after a change of size");
}

TEST(every_size) {
  Chain chain("glclmotion display=prediction subpel=quarter range=3");
  BlockMotion::Settings settings;
  settings.precision = BlockMotion::Precision::quarter;
  settings.range = 3;
  settings.noise = -1;
  for (const auto &[width, height] : {std::pair{1, 1}, {2, 1}, {17, 13}, {3, 65}, {131, 67}}) {
    chain.filter(scene(0, width, height));
    const Frame now = scene(1, width, height);
    test::expect_same(grey(Expected(scene(0, width, height), now, settings).predicted, now),
                      chain.filter(now), std::to_string(width) + "×" + std::to_string(height));
  }
}

namespace {

/// The value of `devices`: two devices if the driver has them. Called before OpenCL's first call.
std::string two_devices() {
  if (test::shares_textures()) return "devices=0:0";  // Mesa's has one
  g_setenv("POCL_DEVICES", "pthread pthread", TRUE);
  return "devices=0:0,0:1";
}

}  // namespace

TEST_ALONE(devices) {
  Chain chain("glclmotion display=prediction " + two_devices());
  BlockMotion::Settings settings;
  settings.noise = -1;
  reference::Flicker flicker;
  chain.filter(scene(0));
  for (int n = 1; n < 4; n++)
    test::expect_same(
        grey(Expected(scene(n - 1), scene(n), settings, &flicker).predicted, scene(n)),
        chain.filter(scene(n)), "shared");
}

namespace {

/// The output of a chain, one line per message and attached array, while settings and frame size
/// change and the stream breaks.
std::vector<std::string> lines_of(const std::string &settings) {
  Chain chain("glclmotion interval=0 attach-meta=true subpel=half range=5 " + settings);
  GstElement *element = chain["glclmotion"];
  std::vector<GstBuffer *> frames;
  for (int n = 0; n < 26; n++) {
    gst_util_set_object_arg(G_OBJECT(element), "display", n / 3 % 3 == 2 ? "vectors" : "none");
    g_object_set(element, "profile", gboolean(n / 4 % 3 == 2), "detect", gboolean(n > 8 && n < 15),
                 nullptr);
    if (n == 18) chain.drain();  // results of frames of another size may get lost
    const bool large = n >= 18;
    const Frame frame = scene(n % 9, large ? 140 : 96, large ? 90 : 64);
    GstBuffer *buffer = chain.buffer_of(frame);
    if (n == 8) GST_BUFFER_FLAG_SET(buffer, GST_BUFFER_FLAG_DISCONT);
    expect(chain.push(buffer, frame.width, frame.height) == GST_FLOW_OK, "a frame is taken");
    frames.push_back(chain.pull_buffer());
  }
  std::vector<std::string> lines;
  while (GstMessage *message = next(chain)) {
    gchar *text = gst_structure_to_string(gst_message_get_structure(message));
    lines.emplace_back(text);
    g_free(text);
    gst_message_unref(message);
  }
  for (GstBuffer *frame : frames) {
    for (const char *name : {"vectors", "costs", "shapes", "mask"}) {
      if (!result_of(frame)) continue;
      const test::ResultArray array(result_of(frame), name);
      lines.push_back(array ? std::string(array.bytes(), array.bytes() + array.size()) : "none");
    }
    gst_buffer_unref(frame);
  }
  return lines;
}

}  // namespace

// Devices that share the search give the results of one device, whatever happens meanwhile.
TEST_ALONE(shared_search_equals_one_device) {
  const std::string two = two_devices();
  const std::vector<std::string> one = lines_of(""), shared = lines_of(two);
  expect(one.size() > 26 * 3, "there are messages");
  fail_unless_equals_int(one.size(), shared.size());
  for (size_t i = 0; i < one.size(); i++)
    fail_unless(one[i] == shared[i], "line %zu: %s, shared %s", i, one[i].c_str(),
                shared[i].c_str());
}

// In a static scene with camera noise nearly all vectors are 0; without noise measurement only few
// are. Objects still move.
TEST(noise) {
  const auto frames = [](const Frame &frame, double level, unsigned number) {
    return reference::noisy(frame, level, number);
  };
  for (const char *how :
       {"", "subpel=quarter", "partitions=true subpel=quarter", "search=hexagon"}) {
    Chain chain(std::string("glclmotion interval=0 range=7 ") + how);
    unsigned number = 0;
    const auto message = [&](const char *field) {
      GstMessage *message = next(chain);
      expect(message, "no message");
      const double value = ::number(gst_message_get_structure(message), field);
      gst_message_unref(message);
      return value;
    };
    for (const Frame &frame : {reference::flat_frame(320, 240), reference::natural_frame(320, 240)})
      for (double level : {2.0, 16.0}) {
        for (int i = 0; i < 2; i++) chain.filter(frames(frame, level, number++));
        if (number > 2) message("zero");
        const double zero = message("zero");
        fail_unless(zero >= 0.98, "%s: of %g levels of noise only %g are still", how, level, zero);
      }
    g_object_set(chain["glclmotion"], "noise", 0.0, nullptr);
    chain.filter(frames(reference::natural_frame(320, 240), 16, number++));
    const double zero = message("zero");
    fail_unless(zero < 0.9, "%s: %g are still without it", how, zero);
    g_object_set(chain["glclmotion"], "noise", -1.0, nullptr);
    const Frame scene = reference::natural_frame(380, 300);
    for (int i = 0; i < 2; i++)
      chain.filter(frames(reference::crop(scene, 30 - 3 * i, 30 + 2 * i, 320, 240), 4, number++));
    message("mean-x");
    const double x = message("mean-x");
    fail_unless(x > 0.5, "%s: the scene moves by %g", how, x);
  }
}
