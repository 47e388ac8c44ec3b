// SPDX-License-Identifier: LGPL-2.1-or-later
// glclmotion's objects in pipelines: messages, metas, the property and the display.
#include <glib/gstdio.h>
#include <gst/video/video.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>

#include "config.h"
#if HAVE_ANALYTICS
#include <gst/analytics/analytics.h>
#endif

#include "events.h"
#include "pipeline.h"
#include "reference/textured.h"
#include "tests/support/result.h"

using test::Chain;
using test::end;
using test::Events;
using test::expect;
using test::Frame;
using test::number;

namespace {

constexpr int width = 160, height = 120;

/// A square of 28 px moves to the right by 3 px per frame over a picture that moves with the
/// camera.
Frame scene(int number, const reference::Motion &camera = {}, bool square = true,
            unsigned noise = 0) {
  reference::Motion motion = camera;
  motion.x *= number, motion.y *= number;
  Frame frame = reference::textured_frame(width, height, motion);
  const Frame other = reference::textured_frame(28, 28, {}, 9);
  const int left = 4 + 3 * number;
  for (int y = 0; y < 28 && square; y++)
    for (int x = 0; x < 28; x++)
      if (left + x < width)
        for (int k = 0; k < 3; k++)
          frame.at(left + x, 50 + y)[k] = uint8_t(other.at(x, y)[k] / 2 + 120);
  return noise ? reference::noisy(frame, 4, noise * 131 + unsigned(number)) : frame;
}

/// Expects that a box matches the square of a frame: at least `least` in common area.
void expect_square(const GstStructure *box, int frame, double least = 0.5) {
  const double left = number(box, "x"), top = number(box, "y"), w = number(box, "width"),
               h = number(box, "height");
  const double x0 = 4 + 3 * frame, x1 = std::min(x0 + 28, double(width));
  const double common = std::max(0.0, std::min(left + w, x1) - std::max(left, x0)) *
                        std::max(0.0, std::min(top + h, 78.0) - std::max(top, 50.0));
  const double overlap = common / (w * h + (x1 - x0) * 28 - common);
  fail_unless(overlap >= least, "frame %d: %g of (%g, %g) %g×%g", frame, overlap, left, top, w, h);
}

bool detected(Chain &chain) {
  gboolean value = FALSE;
  g_object_get(chain["glclmotion"], "motion-detected", &value, nullptr);
  return value;
}

}  // namespace

// One object begins, is reported in each frame, and ends, whatever the camera does.
TEST(messages) {
  const test::SharedPrograms shared;
  for (const reference::Motion &camera : {reference::Motion{}, {-1.3, 0.6}, {2, -1}}) {
    Chain chain("glclmotion detect=true interval=0");
    int notified = 0;
    g_signal_connect(
        chain["glclmotion"], "notify::motion-detected",
        G_CALLBACK(+[](GObject *, GParamSpec *, gpointer count) { ++*static_cast<int *>(count); }),
        &notified);
    Events events;
    constexpr int frames = 30;
    for (int n = 0; n < frames; n++) {
      test::expect_same(scene(n, camera), chain.filter(scene(n, camera)), "nothing is drawn");
      events.gather(chain);
    }
    expect(detected(chain), "something moves");
    end(chain);
    events.gather(chain);
    expect(!detected(chain) && notified == 2, "and then no more");
    fail_unless(events.of("motion-begin").size() == 1, "%zu begin",
                events.of("motion-begin").size());
    expect(events.of("motion-end").size() == 1, "one ends");
    const GstStructure *begin = events.of("motion-begin")[0];
    expect(number(begin, "id") == 1 && number(events.of("motion-end")[0], "id") == 1,
           "the first one");
    const auto objects = events.of("objects");
    fail_unless(objects.size() == frames - 1, "%zu messages", objects.size());
    for (int n = 12; n < frames; n++) {
      const GstStructure *message = objects[size_t(n) - 1];
      GstClockTime timestamp = 0;
      gst_structure_get_clock_time(message, "timestamp", &timestamp);
      expect(timestamp == guint64(n) * 40 * GST_MSECOND, "its timestamp");
      const GValue *list = gst_structure_get_value(message, "objects");
      fail_unless(test::values(list)->n_values == 1, "frame %d: %u objects", n,
                  test::values(list)->n_values);
      const GstStructure *object = gst_value_get_structure(test::values(list)->values);
      expect_square(object, n);
      expect(number(object, "id") == 1 && number(object, "score") > 0.2, "its number and score");
      if (n > 20 && n < 28)
        fail_unless(std::abs(number(object, "velocity-x") - 3) < 1.5 &&
                        std::abs(number(object, "velocity-y")) < 1,
                    "velocity (%g, %g)", number(object, "velocity-x"),
                    number(object, "velocity-y"));
    }
    const auto motion = events.of("glclmotion");
    expect(motion.size() == frames - 1, "a message for each frame");
    for (size_t n = 6; n < motion.size(); n++)
      fail_unless(std::abs(number(motion[n], "camera-x") - camera.x) < 0.1 &&
                      std::abs(number(motion[n], "camera-y") - camera.y) < 0.1 &&
                      std::abs(number(motion[n], "camera-dilation")) < 0.003 &&
                      std::abs(number(motion[n], "camera-rotation")) < 0.003 &&
                      number(motion[n], "camera-inliers") > 0.3,
                  "the camera moves by (%g, %g)", number(motion[n], "camera-x"),
                  number(motion[n], "camera-y"));
    fail_unless(std::abs(number(motion.back(), "camera-path-x") - camera.x * (frames - 1)) < 0.5 &&
                std::abs(number(motion.back(), "camera-path-scale") - 1) < 0.01);
  }
}

TEST(metas) {
  const test::SharedPrograms shared;
  Chain chain("glclmotion detect=true attach-meta=true post-messages=false");
  for (int n = 0; n < 25; n++) {
    expect(chain.push(scene(n)) == GST_FLOW_OK, "pushed");
    GstBuffer *out = chain.pull_buffer();
    gpointer state = nullptr;
    int count = 0;
    while (GstMeta *meta = gst_buffer_iterate_meta_filtered(
               out, &state, GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE)) {
      auto *roi = reinterpret_cast<GstVideoRegionOfInterestMeta *>(meta);
      count++;
      expect(roi->roi_type == g_quark_from_string("moving-object") && roi->id == 1,
             "its type and number");
      GstStructure *fields = gst_video_region_of_interest_meta_get_param(roi, "glclmotion");
      expect(fields && number(fields, "id") == 1 && number(fields, "score") > 0, "its parameters");
      GstStructure *box = gst_structure_new("box", "x", G_TYPE_INT, int(roi->x), "y", G_TYPE_INT,
                                            int(roi->y), "width", G_TYPE_INT, int(roi->w), "height",
                                            G_TYPE_INT, int(roi->h), nullptr);
      if (n > 12) expect_square(box, n);
      gst_structure_free(box);
    }
    expect(count == 1 || n < 8, "a region of interest");
    if (n > 0) {
      // The foreground lies in the square and fills most of it after some frames.
      const GstStructure *result = gst_buffer_get_glcl_result(out, "glclmotion");
      const test::ResultArray mask(result, "mask");
      const auto pixels = mask.numbers<guint8>();
      expect(
          mask.is("uint8", {test::result_int(result, "height"), test::result_int(result, "width")}),
          "the shape of the mask");
      expect(std::all_of(pixels.begin(), pixels.end(), [](guint8 p) { return p < 3; }),
             "0, 1 and 2");
      const auto moving = std::count(pixels.begin(), pixels.end(), 1);
      fail_unless(n < 8 || (moving > 100 && moving < ptrdiff_t(pixels.size()) / 8),
                  "frame %d: %zd px move", n, ssize_t(moving));
      expect(test::values(gst_structure_get_value(result, "objects"))->n_values == guint(count),
             "the result has the objects");
    }
#if HAVE_ANALYTICS
    GstAnalyticsRelationMeta *relations = gst_buffer_get_analytics_relation_meta(out);
    const gsize segments = HAVE_TENSOR_META ? 1 : 0;
    expect(count == 0 || (relations && gst_analytics_relation_get_length(relations) ==
                                           gsize(2 * count) + segments),
           "analytics");
#endif
    gst_buffer_unref(out);
  }
  Events events;
  end(chain);
  events.gather(chain);
  expect(events.of("motion-begin").empty() && events.of("glclmotion").empty(), "no messages");
}

// A drawn box sets the least size: the square of 28 px is smaller than one of 60 px.
TEST(learned_size) {
  const auto learn = [](GstElement *element, int x, int y, int w, int h) {
    gboolean learned = FALSE;
    g_signal_emit_by_name(element, "learn-size", x, y, w, h, &learned);
    return bool(learned);
  };
  const auto least = [](GstElement *element) {
    gint area = -1;
    g_object_get(element, "min-area", &area, nullptr);
    return area;
  };
  for (const int side : {28, 60}) {
    Chain chain("glclmotion name=e detect=true camera-compensation=none");
    int notified = 0;
    g_signal_connect_swapped(chain["e"], "notify::min-area",
                             G_CALLBACK(+[](int *count) { ++*count; }), &notified);
    chain.filter(scene(0));
    for (const auto &[x, y, w, h] : {std::array{0, 0, 0, 10},
                                     {0, 0, 10, -1},
                                     {160, 0, 10, 10},
                                     {-20, 0, 20, 10},
                                     {0, G_MAXINT, G_MAXINT, G_MAXINT}}) {
      g_test_expect_message(nullptr, G_LOG_LEVEL_WARNING,
                            "learn-size (*) is ignored. Give * in the frame of 160×120 px*");
      expect(!learn(chain["e"], x, y, w, h) && least(chain["e"]) == 0, "a wrong box");
      g_test_assert_expected_messages();
    }
    expect(learn(chain["e"], 150, -10, G_MAXINT, 30) && least(chain["e"]) == 100, "its part");
    expect(learn(chain["e"], 40, 40, side, side) && least(chain["e"]) == side * side / 2, "half");
    expect(notified == 2, "the property notifies");
    for (int n = 1; n < 30; n++) chain.filter(scene(n));
    end(chain);
    Events events;
    events.gather(chain);
    fail_unless(events.of("motion-begin").empty() == (side == 60), "a box of %d px", side);
  }
}

// A shadow has its own value in the mask and is not an object; with shadows=false it is one.
TEST(shadows) {
  const test::SharedPrograms shared;
  for (const bool shadows : {true, false}) {
    Chain chain(std::string("glclmotion detect=true attach-meta=true camera-compensation=none ") +
                (shadows ? "" : "shadows=false"));
    ptrdiff_t moving = 0, shadow = 0;
    for (int n = 0; n < 30; n++) {
      Frame frame = scene(0, {}, false);
      for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
          const auto soft = [](double within) { return 1 / (1 + std::exp(-within / 3)); };
          const double light =
              1 - 0.35 * soft(25 - std::abs(y - 55)) * soft(30 - std::abs(x + 40 - 5 * n));
          const int ground = 64 + frame.at(x, y)[0] / 2;
          const int level = int(light * ground);
          for (int k = 0; k < 3; k++) frame.at(x, y)[k] = uint8_t(level * (10 - 2 * k) / 10);
        }
      expect(chain.push(frame) == GST_FLOW_OK, "pushed");
      GstBuffer *out = chain.pull_buffer();
      if (n > 0) {
        const auto pixels = test::ResultArray(gst_buffer_get_glcl_result(out, "glclmotion"), "mask")
                                .numbers<guint8>();
        moving += std::count(pixels.begin(), pixels.end(), 1);
        shadow += std::count(pixels.begin(), pixels.end(), 2);
      }
      gst_buffer_unref(out);
    }
    Events events;
    end(chain);
    events.gather(chain);
    fail_unless(shadows ? shadow > 5000 && moving < shadow / 4 : shadow == 0 && moving > 5000,
                "shadows=%d: %zd px move, %zd px are shadows", shadows, ssize_t(moving),
                ssize_t(shadow));
    fail_unless(events.of("motion-begin").empty() == shadows, "shadows=%d: %zu begin", shadows,
                events.of("motion-begin").size());
  }
}

TEST(display) {
  const test::SharedPrograms shared;
  for (const std::string overlay : {"", " attach-overlay=true"}) {
    Chain chain(
        "glclmotion detect=true display=objects post-messages=false color-by-id=false "
        "color=0xffff0000 "
        "outline-color=0xff0000ff" +
        overlay + (overlay.empty() ? "" : " ! gloverlaycompositor"));
    for (int n = 0; n < 20; n++) {
      const Frame in = scene(n), out = chain.filter(in);
      size_t red = 0, same = 0;
      for (size_t i = 0; i < in.rgba.size(); i += 4) {
        red += out.rgba[i] == 255 && out.rgba[i + 1] == 0 && out.rgba[i + 2] == 0;
        same += std::equal(&in.rgba[i], &in.rgba[i] + 3, &out.rgba[i]);
      }
      if (n < 2) test::expect_near(in, out, overlay.empty() ? 0 : 1, "nothing to draw");
      if (n > 6)
        fail_unless(red > 60 && same > in.rgba.size() / 8, "frame %d: %zu red, %zu as before", n,
                    red, same);
    }
  }
}

// Noise, equal frames or a change of the whole frame: no object.
TEST(nothing) {
  const test::SharedPrograms shared;
  const auto events_of = [](const std::string &settings, const std::function<Frame(int)> &frame,
                            int frames) {
    Chain chain("glclmotion detect=true interval=0 " + settings);
    Events events;
    for (int n = 0; n < frames; n++) {
      chain.filter(frame(n));
      events.gather(chain);
    }
    test::expect_none(chain.messages().errors());
    end(chain);
    events.gather(chain);
    return events.of("motion-begin").size();
  };
  const Frame flat = reference::flat_frame(width, height),
              picture = reference::natural_frame(width, height);
  fail_unless(events_of(
                  "", [&](int) { return flat; }, 10) == 0,
              "one colour");
  for (int level : {2, 8})
    for (const Frame &still : {flat, picture})
      fail_unless(
          events_of(
              "", [&](int n) { return reference::noisy(still, level, unsigned(n)); }, 40) == 0,
          "%d levels of noise", level);
  fail_unless(events_of(
                  "",
                  [&](int n) {
                    return reference::relit(reference::noisy(picture, 2, unsigned(n)),
                                            n % 2 ? 0.9 : 1, 3 * (n % 3));
                  },
                  30) == 0,
              "flicker");
  // All vectors are equal, also beyond their range.
  for (double speed : {3.0, 40.0})
    fail_unless(events_of(
                    "",
                    [&](int n) {
                      return reference::textured_frame(width, height, {speed * n, 0});
                    },
                    15) == 0,
                "the camera moves by %g", speed);
  // No object even if the whole picture changes in each frame.
  fail_unless(
      events_of(
          "", [&](int n) { return reference::random_frame(width, height, unsigned(n)); }, 10) == 0,
      "random");
  // A cut to another scene with noise.
  fail_unless(events_of(
                  "",
                  [&](int n) {
                    return reference::noisy(
                        n < 8 ? picture : reference::textured_frame(width, height, {}, 4), 3,
                        unsigned(n));
                  },
                  20) == 0,
              "a cut");
  for (const auto &[w, h] : {std::pair{1, 1}, {17, 9}, {40, 3}})
    events_of(
        "", [w = w, h = h](int n) { return reference::random_frame(w, h, unsigned(n)); }, 4);
}

// min-area, sensitivity, min-frames, gap and mask take effect, also while playing.
TEST(properties) {
  const test::SharedPrograms shared;
  const auto first_begin = [](const std::string &settings) {
    Chain chain("glclmotion detect=true interval=0 " + settings);
    Events events;
    int found = -1;
    for (int n = 0; n < 20; n++) {
      chain.filter(scene(n));
      events.gather(chain);
      if (found < 0 && !events.of("motion-begin").empty()) found = n;
    }
    return found;
  };
  const int usual = first_begin("");
  fail_unless(usual >= 0 && usual < 6, "in frame %d", usual);
  const int late = first_begin("min-frames=8");
  fail_unless(late >= 8, "min-frames: in frame %d", late);
  expect(first_begin("min-area=2000") == -1, "min-area");
  expect(first_begin("min-area=100") >= 0, "a smaller min-area");
  // A faint square: 12 levels brighter than its surroundings.
  const auto faint = [](double sensitivity) {
    Chain chain("glclmotion detect=true interval=0 sensitivity=" + std::to_string(sensitivity));
    Events events;
    for (int n = 0; n < 14; n++) {
      Frame frame(width, height);
      for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
          const bool in = x >= 10 + 4 * n && x < 40 + 4 * n && y >= 40 && y < 70;
          std::fill_n(frame.at(x, y), 3, uint8_t(in ? 106 : 100));
          frame.at(x, y)[3] = 255;
        }
      chain.filter(reference::noisy(frame, 4, unsigned(n)));
      events.gather(chain);
    }
    return events.of("motion-begin").size();
  };
  fail_unless(faint(0.1) == 0 && faint(0.9) > 0, "sensitivity");
}

// Nothing is found where the mask file is black. (It loads plugins, which stay loaded.)
TEST_LEAVING(mask) {
  gchar *path = g_build_filename(g_get_tmp_dir(), "glcl-mask-XXXXXX.pgm", nullptr);
  const int file = g_mkstemp(path);
  expect(file >= 0, "a file");
  const std::string pgm = "P5 64 48 255\n" + std::string(64 * 48, '\0');
  expect(write(file, pgm.data(), pgm.size()) == ssize_t(pgm.size()), "written");
  close(file);
  const bool decodes = [] {
    GstElementFactory *factory = gst_element_factory_find("pnmdec");
    if (factory) gst_object_unref(factory);
    return factory;
  }();
  const auto begins = [](const std::string &settings) {
    Chain chain("glclmotion detect=true " + settings);
    for (int n = 0; n < 12; n++) chain.filter(scene(n));
    end(chain);
    Events events;
    events.gather(chain);
    return events.of("motion-begin").size();
  };
  expect(begins("") == 1, "without it");
  if (decodes) fail_unless(begins(std::string("mask=") + path) == 0, "all is masked");
  g_remove(path);
  g_free(path);
}

// Detection is switched on and off while playing; a break in the stream ends all objects.
TEST(live) {
  const test::SharedPrograms shared;
  Chain chain("glclmotion interval=0");
  GstElement *element = chain["glclmotion"];
  Events events;
  int n = 0;
  const auto play = [&](int frames) {
    for (int i = 0; i < frames; i++) chain.filter(scene(n++ % 30));
    events.gather(chain);
  };
  play(4);
  g_object_set(element, "detect", TRUE, nullptr);
  play(9);
  events.gather(chain);
  expect(detected(chain) && events.of("motion-begin").size() == 1, "it was turned on");
  g_object_set(element, "detect", FALSE, nullptr);
  play(4);
  expect(!detected(chain) && events.of("motion-end").size() == 1, "and off");
  n = 0;
  g_object_set(element, "detect", TRUE, "sensitivity", 0.6, nullptr);
  gst_util_set_object_arg(G_OBJECT(element), "camera-compensation", "translation");
  play(8);
  GstBuffer *broken = chain.buffer_of(scene(n++));
  GST_BUFFER_FLAG_SET(broken, GST_BUFFER_FLAG_DISCONT);
  expect(chain.push(broken, width, height) == GST_FLOW_OK, "pushed");
  gst_buffer_unref(chain.pull_buffer());
  play(2);
  expect(events.of("motion-begin").size() >= 2 && events.of("motion-end").size() == 2,
         "a discontinuity ends it");
  g_object_set(element, "attach-meta", TRUE, nullptr);
  gst_util_set_object_arg(G_OBJECT(element), "display", "objects");
  play(5);
  expect(chain.messages().errors().empty(), "no errors");
}

// A new frame size restarts the detection; after a stop motion-detected is false.
TEST(sizes_and_stop) {
  const test::SharedPrograms shared;
  Chain chain("glclmotion detect=true interval=0");
  for (int n = 0; n < 10; n++) chain.filter(scene(n));
  for (int n = 0; n < 6; n++) chain.filter(reference::crop(scene(n), 0, 30, 120, 70));
  for (int n = 6; n < 10; n++) chain.filter(reference::crop(scene(n), 0, 30, 120, 70));
  Events events;
  events.gather(chain);
  expect(detected(chain), "something moves");
  gst_element_set_state(chain["glclmotion"], GST_STATE_READY);
  expect(!detected(chain), "stopped");
}

// The same with a mask in memory, also if it changes from one frame to the next.
TEST_LEAVING(mask_sample) {
  const auto sample_of = [](const char *format, int w, int h, guint8 left, guint8 right,
                            int bytes) -> GstSample * {
    GstCaps *caps =
        gst_caps_new_simple("video/x-raw", "format", G_TYPE_STRING, format, "width", G_TYPE_INT, w,
                            "height", G_TYPE_INT, h, "framerate", GST_TYPE_FRACTION, 0, 1, nullptr);
    const int stride = (w * bytes + 3) / 4 * 4;
    GstBuffer *buffer = gst_buffer_new_allocate(nullptr, gsize(stride) * h, nullptr);
    for (int y = 0; y < h; y++) {
      gst_buffer_memset(buffer, gsize(y) * stride, left, gsize(w / 2) * bytes);
      gst_buffer_memset(buffer, gsize(y) * stride + gsize(w / 2) * bytes, right,
                        gsize(stride) - gsize(w / 2) * bytes);
    }
    GstSample *sample = gst_sample_new(buffer, caps, nullptr, nullptr);
    gst_buffer_unref(buffer);
    gst_caps_unref(caps);
    return sample;
  };
  const auto begins = [](GstSample *before, GstSample *then, int when) {
    Chain chain("glclmotion detect=true");
    g_object_set(chain["glclmotion"], "mask-sample", before, nullptr);
    for (int n = 0; n < 40; n++) {
      if (n == when) g_object_set(chain["glclmotion"], "mask-sample", then, nullptr);
      chain.filter(scene(n));
    }
    end(chain);
    Events events;
    events.gather(chain);
    const auto found = events.of("motion-begin");
    return found.empty() ? -1 : int(number(found[0], "x"));
  };
  GstSample *black = sample_of("GRAY8", 33, 25, 0, 0, 1),
            *right = sample_of("RGBA", 10, 7, 0, 255, 4);
  expect(begins(black, nullptr, 99) == -1, "all is masked");
  fail_unless(begins(right, nullptr, 99) >= width / 2 - 30, "the left half is");
  const int late = begins(black, nullptr, 8);
  fail_unless(late >= 20 && late < width, "until it is taken away: %d", late);
  fail_unless(begins(nullptr, black, 0) == -1, "and set");
  gst_sample_unref(black);
  gst_sample_unref(right);
}
