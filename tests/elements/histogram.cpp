// SPDX-License-Identifier: LGPL-2.1-or-later
// glclhistogram in chains and pipelines: its messages, metas and displays, and wrong input.
#include <thread>

#include "histogram.h"
#include "reference/histogram/histogram.h"
#include "reference/histogram/present.h"
#include "reference/hough/scenes.h"
#include "reference/scenes.h"
#include "reference/textured.h"

using glcl::Rect;
using glcl::histogram::Histogram;
using glcl::histogram::HistogramRenderer;
using test::Chain;
using test::expect;
using test::expect_none;
using test::Frame;

namespace {

struct Case {
  const char *mode;
  Format format;
};
const Case cases[] = {{"luma", {Mode::luma, 256}},  {"luma", {Mode::luma, 32}},
                      {"rgb", {Mode::rgb, 128}},    {"rgb", {Mode::rgb, 256}},
                      {"color-8", {Mode::color_8}}, {"color-16", {Mode::color_16}}};

std::string launch(const Case &one, const std::string &properties) {
  return std::string("glclhistogram interval=0 mode=") + one.mode +
         " bins=" + std::to_string(one.format.bins) + " " + properties;
}

Rect area_of(const GstStructure *result) {
  return {test::result_int(result, "x"), test::result_int(result, "y"),
          test::result_int(result, "width"), test::result_int(result, "height")};
}

/// Warnings about the region.
std::vector<test::Message> roi_warnings(Chain &chain) {
  std::vector<test::Message> found;
  for (const test::Message &warning : chain.messages().warnings())
    if (warning.names("roi=")) found.push_back(warning);
  return found;
}

void expect_roi(GstElement *element, const Rect &roi) {
  GValue value = G_VALUE_INIT;
  g_value_init(&value, GST_TYPE_ARRAY);
  g_object_get_property(G_OBJECT(element), "roi", &value);
  expect(gst_value_array_get_size(&value) == 4, "four values");
  int numbers[4];
  for (int i = 0; i < 4; i++) numbers[i] = g_value_get_int(gst_value_array_get_value(&value, i));
  g_value_unset(&value);
  expect(Rect{numbers[0], numbers[1], numbers[2], numbers[3]} == roi, "roi is as it was set");
}

/// The warnings that GLib prints during the work.
template <class Work>
std::string warnings_of(const Work &work) {
  std::string text;
  const auto handler = [](const gchar *, GLogLevelFlags, const gchar *message, gpointer data) {
    *static_cast<std::string *>(data) += message;
  };
  const auto levels = static_cast<GLogLevelFlags>(G_LOG_LEVEL_WARNING | G_LOG_LEVEL_CRITICAL);
  const guint ids[] = {g_log_set_handler(nullptr, levels, handler, &text),
                       g_log_set_handler("GLib-GObject", levels, handler, &text)};
  work();
  g_log_remove_handler(nullptr, ids[0]);
  g_log_remove_handler("GLib-GObject", ids[1]);
  return text;
}

/// The warnings of GLib when a property is set from a text.
std::string warnings_at_set(GstElement *element, const char *property, const char *value) {
  return warnings_of([&] { gst_util_set_object_arg(G_OBJECT(element), property, value); });
}

/// Sets a property from an integer, as bindings to other languages do.
void set_integer(GstElement *element, const char *property, int number) {
  GValue value = G_VALUE_INIT;
  g_value_init(&value, G_TYPE_INT);
  g_value_set_int(&value, number);
  g_object_set_property(G_OBJECT(element), property, &value);
}

}  // namespace

TEST(messages) {
  for (const Case &one : cases) {
    Chain chain(launch(one, ""));
    for (int i = 0; i < 4; i++) {
      const Frame frame = i % 2 ? reference::natural_frame(67, 45) : reference::flat_frame(67, 45);
      test::expect_same(frame, chain.filter(frame), "the frame");
    }
    gst_harness_push_event(chain.harness(), gst_event_new_eos());
    for (int i = 0; i < 4; i++) {
      const Frame frame = i % 2 ? reference::natural_frame(67, 45) : reference::flat_frame(67, 45);
      GstStructure *message = chain.messages().structure("glclhistogram");
      expect(message, "a message for every frame");
      GstClockTime time = 0;
      gst_structure_get_clock_time(message, "timestamp", &time);
      expect(time == guint64(i) * 40 * GST_MSECOND, "with its own time");
      check_message(message, one.format, one.mode, reference::histogram(frame, one.format),
                    67 * 45);
      gst_structure_free(message);
    }
    expect(!chain.messages().structure("glclhistogram"), "and no more");
  }
}

TEST(region) {
  const Frame frame = reference::natural_frame(80, 60);
  Chain chain("glclhistogram interval=0 mode=rgb attach-meta=true roi=\"<10, 20, 30, 40>\"");
  expect(chain.push(frame) == GST_FLOW_OK, "push failed");
  GstBuffer *buffer = chain.pull_buffer();
  const Format format{Mode::rgb, 256};
  const Counts expected = reference::histogram(frame, format, {10, 20, 30, 40});
  const GstStructure *result = result_of(buffer);
  expect(result && area_of(result) == Rect{10, 20, 30, 40}, "the meta has the region");
  expect(mapped(counts_of(buffer)) == expected, "its counts");
  gst_buffer_unref(buffer);
  gst_harness_push_event(chain.harness(), gst_event_new_eos());
  GstStructure *message = chain.messages().structure("glclhistogram");
  expect(message, "a message");
  check_message(message, format, "rgb", expected, 30 * 40);
  gst_structure_free(message);
}

// Metas outlive frames and element, and can be mapped on another thread.
TEST(metas) {
  std::vector<GstBuffer *> kept;
  std::vector<Frame> frames;
  for (const Case &one : cases) {
    Chain chain(launch(one, "attach-meta=true post-messages=false"));
    for (int i = 0; i < 5; i++) {
      frames.push_back(reference::random_frame(33, 21, i));
      expect(chain.push(frames.back()) == GST_FLOW_OK, "push failed");
      GstBuffer *buffer = chain.pull_buffer();
      const GstStructure *result = result_of(buffer);
      expect(result, "every frame has a meta");
      const int channels = one.format.channels();
      expect(test::ResultArray(result, "counts")
                     .is("uint32", {channels, one.format.counters() / channels}) &&
                 area_of(result) == Rect{0, 0, 33, 21},
             "it says what was counted");
      kept.push_back(gst_buffer_ref(counts_of(buffer)));
      gst_buffer_unref(buffer);
    }
  }
  std::thread([&] {
    for (size_t i = 0; i < kept.size(); i++) {
      expect(mapped(kept[i]) == reference::histogram(frames[i], cases[i / 5].format), "its counts");
      gst_buffer_unref(kept[i]);
    }
  }).join();
}

TEST(shown) {
  const Frame frame = reference::natural_frame(320, 180);
  const Format format{Mode::rgb, 256};
  const Counts counts = reference::histogram(frame, format);
  for (const char *equalize : {"none", "luma", "rgb"}) {
    Chain chain(std::string("glclhistogram mode=rgb post-messages=false equalize=") + equalize);
    for (const char *display : {"none", "overlay", "parade", "stack"}) {
      HistogramRenderer::Settings settings;
      const std::string how = equalize, drawn = display;
      settings.equalize = how == "none"   ? HistogramRenderer::Equalize::none
                          : how == "luma" ? HistogramRenderer::Equalize::luma
                                          : HistogramRenderer::Equalize::rgb;
      settings.display = drawn == "none"      ? HistogramRenderer::Display::none
                         : drawn == "overlay" ? HistogramRenderer::Display::overlay
                         : drawn == "parade"  ? HistogramRenderer::Display::parade
                                              : HistogramRenderer::Display::stack;
      gst_util_set_object_arg(G_OBJECT(chain["glclhistogram"]), "display", display);
      test::expect_near(reference::present(frame, settings, format, counts), chain.filter(frame),
                        drawn == "none" ? 0 : 1, how + ", " + drawn);
    }
  }
}

// Black bars above and below a film leave its histogram readable; level-height=0 shows the counts
// as they are.
TEST(letterboxed) {
  Frame frame = reference::natural_frame(320, 180);
  for (int y = 0; y < 180; y++)
    for (int x = 0; x < 320 && (y < 36 || y >= 144); x++)
      for (int c = 0; c < 3; c++) frame.at(x, y)[c] = 0;
  const Counts counts = reference::histogram(frame, {});
  Chain chain(
      "glclhistogram display=overlay post-messages=false opacity=1 x=0 y=0 width=1 height=1");
  const auto shown = [&](double level) {
    HistogramRenderer::Settings settings;
    settings.display = HistogramRenderer::Display::overlay;
    settings.level_height = level;
    settings.x = settings.y = 0, settings.width = settings.height = settings.opacity = 1;
    const Frame got = chain.filter(frame);
    test::expect_near(reference::present(frame, settings, {}, counts), got, 1, "the plot");
    size_t bright = 0;  // pixels of bars
    for (size_t i = 0; i < got.rgba.size(); i += 4) bright += got.rgba[i] > 150;
    return bright;
  };
  const size_t by_default = shown(0.8);
  g_object_set(chain["glclhistogram"], "level-height", 0.0, nullptr);
  const size_t flattened = shown(0);
  fail_unless(by_default > 5 * flattened, "%zu px of bars, %zu with level-height=0", by_default,
              flattened);
}

// Mode and bins change while playing: the old ones are used until the program for the new ones is
// built.
TEST(other_modes_while_playing) {
  const Frame frame = reference::natural_frame(67, 45);
  Chain chain("glclhistogram interval=0 display=overlay attach-meta=true");
  GstElement *element = chain["glclhistogram"];
  const Case *in_use = &cases[0];
  for (int round = 0; round < 2; round++)
    for (const Case &one : cases) {
      gst_util_set_object_arg(G_OBJECT(element), "mode", one.mode);
      g_object_set(element, "bins", one.format.bins, nullptr);
      const gint64 begin = g_get_monotonic_time();
      for (bool changed = false; !changed;) {
        expect(g_get_monotonic_time() - begin < 120 * G_USEC_PER_SEC, "it never changes");
        expect(chain.push(frame) == GST_FLOW_OK, "push failed");
        GstBuffer *buffer = chain.pull_buffer();
        const Counts counts = mapped(counts_of(buffer));
        gst_buffer_unref(buffer);
        changed = counts == reference::histogram(frame, one.format);
        expect(changed || (round == 0 && counts == reference::histogram(frame, in_use->format)),
               one.mode);
        if (!changed) g_usleep(1000);
      }
      in_use = &one;
    }
}

// The equaliser is built in the background too: frames are unchanged until it is ready.
TEST(equalized_while_playing) {
  const Frame frame = reference::natural_frame(67, 45);
  Chain chain("glclhistogram post-messages=false");
  Frame before = frame;
  for (const auto how : {HistogramRenderer::Equalize::luma, HistogramRenderer::Equalize::rgb,
                         HistogramRenderer::Equalize::none}) {
    HistogramRenderer::Settings settings;
    settings.equalize = how;
    g_object_set(chain["glclhistogram"], "equalize", static_cast<int>(how), nullptr);
    const Frame after = reference::present(frame, settings, {}, {});
    const gint64 begin = g_get_monotonic_time();
    for (;;) {
      expect(g_get_monotonic_time() - begin < 120 * G_USEC_PER_SEC, "it never changes");
      const Frame got = chain.filter(frame);
      if (got.rgba == after.rgba) break;
      test::expect_same(before, got, "as before");
      g_usleep(1000);
    }
    before = after;
  }
}

TEST(shots) {
  for (const std::string method : {"histogram", "shape"}) {
    reference::Clip clip;
    for (reference::Clip &one : reference::clips(0))
      if (one.name == "cuts") clip = std::move(one);
    expect(!clip.transitions.empty(), "there are cuts");
    Chain chain("glclhistogram shot-detection=true post-messages=false shot-method=" + method);
    for (const Frame &frame : clip.frames) chain.filter(frame);
    gst_harness_push_event(chain.harness(), gst_event_new_eos());
    for (const auto &transition : clip.transitions) {
      GstStructure *message = chain.messages().structure("shot");
      expect(message, "a message for every shot");
      guint64 frame = 0;
      GstClockTime time = 0;
      gst_structure_get_uint64(message, "frame", &frame);
      gst_structure_get_clock_time(message, "timestamp", &time);
      fail_unless(frame == guint64(transition.first), "%s: frame %d", method.c_str(),
                  static_cast<int>(frame));
      expect(time == frame * 40 * GST_MSECOND, "with the time of its first frame");
      fail_unless_equals_string(gst_structure_get_string(message, "kind"), "cut");
      gst_structure_free(message);
    }
    expect(!chain.messages().structure("shot"), "and no more");
  }
}

// A lamp, a caption and a hand before the lens are no shots.
TEST(no_shots) {
  const Frame scene = reference::natural_frame(320, 180);
  const auto changed = [&](const std::function<double(int, int, double)> &change) {
    Frame frame = scene;
    for (int y = 0; y < frame.height; y++)
      for (int x = 0; x < frame.width; x++)
        for (int c = 0; c < 3; c++)
          frame.at(x, y)[c] = uint8_t(std::min(change(x, y, frame.at(x, y)[c]), 255.0));
    return frame;
  };
  const Frame lamp = changed([](int x, int y, double level) {
    return level * (0.2 + 0.8 / (1 + (std::pow(x - 60, 2) + std::pow(y - 30, 2)) / 1e4));
  });
  const Frame caption = changed([](int x, int y, double level) {
    return y < 125 || y >= 165 ? level : x / 6 % 3 && y / 5 % 3 ? 250 : 30;
  });
  const Frame hand =
      changed([](int x, int y, double) { return 30 + 8 * std::sin((x + y) / 50.0); });
  const Frame other = reference::clutter_frame(320, 180, 1);
  for (const std::string method : {"histogram", "shape"}) {
    Chain chain("glclhistogram shot-detection=true post-messages=false shot-method=" + method);
    unsigned seed = 0;
    for (const Frame *frame : {&scene, &lamp, &scene, &caption, &scene, &hand, &scene, &other})
      for (int i = 0; i < (frame == &hand ? 8 : 25); i++)
        chain.filter(reference::noisy(*frame, 2, seed++));
    gst_harness_push_event(chain.harness(), gst_event_new_eos());
    GstStructure *message = chain.messages().structure("shot");
    expect(message, "a message for the other picture");
    guint64 frame = 0;
    gst_structure_get_uint64(message, "frame", &frame);
    fail_unless(frame == 158, "%s: a shot at frame %d", method.c_str(), static_cast<int>(frame));
    gst_structure_free(message);
    expect(!chain.messages().structure("shot"), "and no more");
  }
}

// Switches the method while playing, and at breaks of the stream.
TEST(shot_methods) {
  const Frame frames[] = {reference::clutter_frame(160, 90, 1),
                          reference::clutter_frame(160, 90, 2),
                          reference::clutter_frame(160, 90, 3)};
  Chain chain("glclhistogram shot-detection=true post-messages=false shot-method=shape");
  unsigned seed = 0;
  const auto push = [&](const Frame &frame, int count) {
    for (int i = 0; i < count; i++) chain.filter(reference::noisy(frame, 3, seed++));
  };
  const auto found = [&] {
    std::vector<int> all;
    while (GstStructure *message = chain.messages().structure("shot")) {
      guint64 frame = 0;
      gst_structure_get_uint64(message, "frame", &frame);
      all.push_back(static_cast<int>(frame));
      gst_structure_free(message);
    }
    return all;
  };
  push(frames[0], 20), push(frames[1], 20);
  g_object_set(chain["glclhistogram"], "shot-method", 0, nullptr);
  // The program of the other method is built in the background.
  for (int i = 0; i < 200; i++) push(frames[1], 1), g_usleep(5000);
  push(frames[2], 20);
  const std::vector<int> both = found();
  fail_unless(both == std::vector<int>({20, 240}), "%zu shots", both.size());
  g_object_set(chain["glclhistogram"], "shot-method", 1, nullptr);
  push(frames[2], 20);
  gst_harness_push_event(chain.harness(), gst_event_new_flush_start());
  gst_harness_push_event(chain.harness(), gst_event_new_flush_stop(TRUE));
  GstSegment segment;
  gst_segment_init(&segment, GST_FORMAT_TIME);
  gst_harness_push_event(chain.harness(), gst_event_new_segment(&segment));
  push(frames[0], 30);
  gst_harness_push_event(chain.harness(), gst_event_new_eos());
  fail_unless(found().empty(), "what follows a flush is no cut");
}

// A region is clipped to the frame, or to the nearest pixels, with one warning.
TEST(region_beyond_the_frame) {
  const Frame frame = reference::natural_frame(64, 48);
  const struct {
    const char *roi;
    Rect counted;
    bool leaves;
  } cases[] = {
      {"<2147483647,0,1,1>", {63, 0, 1, 1}, true},
      {"<64,0,2147483647,1>", {63, 0, 1, 1}, true},
      {"<0,2147483647,1,2147483647>", {0, 47, 1, 1}, true},
      {"<10,48,20,1>", {10, 47, 20, 1}, true},
      {"<-10,5,10,10>", {0, 5, 1, 10}, true},
      {"<-10,-10,30,30>", {0, 0, 20, 20}, true},
      {"<0,0,2147483647,2147483647>", {0, 0, 64, 48}, true},
      {"<60,40,10,10>", {60, 40, 4, 8}, true},
      {"<60,40,4,8>", {60, 40, 4, 8}, false},
      {"<0,0,64,48>", {0, 0, 64, 48}, false},
      {"<>", {0, 0, 64, 48}, false},
  };
  Chain chain("glclhistogram mode=rgb interval=0 display=overlay attach-meta=true");
  size_t expected = 0;
  for (const auto &one : cases) {
    // Inside again, so the next region that exceeds the frame causes a warning.
    gst_util_set_object_arg(G_OBJECT(chain["glclhistogram"]), "roi", "<0,0,64,48>");
    chain.filter(frame);
    gst_util_set_object_arg(G_OBJECT(chain["glclhistogram"]), "roi", one.roi);
    for (int i = 0; i < 3; i++) {
      expect(chain.push(frame) == GST_FLOW_OK, std::string("no frame with roi=") + one.roi);
      GstBuffer *buffer = chain.pull_buffer();
      expect(area_of(result_of(buffer)) == one.counted, std::string("the meta of roi=") + one.roi);
      expect(
          mapped(counts_of(buffer)) == reference::histogram(frame, {Mode::rgb, 256}, one.counted),
          std::string("the counts of roi=") + one.roi);
      gst_buffer_unref(buffer);
    }
    expected += one.leaves;
    const auto warnings = roi_warnings(chain);
    expect(warnings.size() == expected, std::string("not warned once: roi=") + one.roi);
    if (!one.leaves) continue;
    const Rect &area = one.counted;
    const std::string counted = "<" + std::to_string(area.x) + "," + std::to_string(area.y) + "," +
                                std::to_string(area.width) + "," + std::to_string(area.height) +
                                "> is used";
    expect(warnings.back().is(GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SETTINGS) &&
               warnings.back().names(std::string("roi=") + one.roi) &&
               warnings.back().names("64×48") && warnings.back().names(counted),
           warnings.back().text);
  }
  test::expect_none(chain.messages().errors());
}

// A region that moves out of the frame and back: one warning each time that it leaves.
TEST(region_that_moves) {
  const Frame frame = reference::natural_frame(64, 48);
  Chain chain("glclhistogram interval=0");
  for (int x = 0; x < 100; x++) {
    const std::string roi = "<" + std::to_string(x) + ",10,20,20>";
    gst_util_set_object_arg(G_OBJECT(chain["glclhistogram"]), "roi", roi.c_str());
    chain.filter(frame);
    fail_unless_equals_int(roi_warnings(chain).size(), x > 44);
  }
  for (int x : {0, -1, -100, 0, -1}) {
    const std::string roi = "<" + std::to_string(x) + ",10,20,20>";
    gst_util_set_object_arg(G_OBJECT(chain["glclhistogram"]), "roi", roi.c_str());
    chain.filter(frame);
  }
  fail_unless_equals_int(roi_warnings(chain).size(), 3);
  test::expect_none(chain.messages().errors());
}

TEST(frames_smaller_than_the_region) {
  Chain chain("glclhistogram interval=0 attach-meta=true roi=\"<20,20,8,8>\"");
  const struct {
    int width, height;
    Rect counted;
    size_t warnings;
  } cases[] = {{64, 48, {20, 20, 8, 8}, 0}, {24, 24, {20, 20, 4, 4}, 1},
               {16, 48, {15, 20, 1, 8}, 2}, {1, 1, {0, 0, 1, 1}, 3},
               {64, 48, {20, 20, 8, 8}, 3}, {1, 1, {0, 0, 1, 1}, 4}};
  for (const auto &one : cases)
    for (int i = 0; i < 2; i++) {
      const Frame frame = reference::natural_frame(one.width, one.height);
      expect(chain.push(frame) == GST_FLOW_OK, "push failed");
      GstBuffer *buffer = chain.pull_buffer();
      expect(area_of(result_of(buffer)) == one.counted, "the meta");
      expect(mapped(counts_of(buffer)) == reference::histogram(frame, {}, one.counted),
             "the counts");
      gst_buffer_unref(buffer);
      fail_unless_equals_int(roi_warnings(chain).size(), one.warnings);
    }
}

// An invalid region causes a warning when it is set, and changes nothing.
TEST(wrong_regions) {
  GstElement *element = gst_element_factory_make("glclhistogram", nullptr);
  gst_util_set_object_arg(G_OBJECT(element), "roi", "<1,2,3,4>");
  for (const char *roi :
       {"<1,2,3>", "<1,2,3,4,5>", "<0,0,0,10>", "<0,0,10,0>", "<1,2,-3,4>", "<1,2,3,-2147483648>",
        "<1.5,2,3,4>", "<a,b,c,d>", "<<1,2>,<3,4>>", "<1,2,3,<4>>"}) {
    const std::string warnings = warnings_at_set(element, "roi", roi);
    expect(warnings.find("roi=<") != std::string::npos &&
               warnings.find("<x, y, width, height>") != std::string::npos,
           std::string(roi) + ": " + warnings);
    expect_roi(element, {1, 2, 3, 4});
  }
  gst_object_unref(element);
}

TEST(bins_by_name_and_by_number) {
  GstElement *element = gst_element_factory_make("glclhistogram", nullptr);
  for (int bins : {32, 64, 128, 256}) {
    gst_util_set_object_arg(G_OBJECT(element), "bins", std::to_string(bins).c_str());
    expect(test::enum_property(element, "bins") == std::to_string(bins), "bins by name");
    g_object_set(element, "bins", 256, nullptr);
    g_object_set(element, "bins", bins, nullptr);
    expect(test::enum_property(element, "bins") == std::to_string(bins), "bins by number");
    g_object_set(element, "bins", 256, nullptr);
    set_integer(element, "bins", bins);
    expect(test::enum_property(element, "bins") == std::to_string(bins), "bins by an integer");
  }
  g_object_set(element, "bins", 64, nullptr);
  for (int bins : {-1, 0, 1, 31, 39, 100, 257, 1000000}) {
    expect(warnings_of([&] { g_object_set(element, "bins", bins, nullptr); }).find("bins") !=
                   std::string::npos &&
               warnings_of([&] { set_integer(element, "bins", bins); }).find("bins") !=
                   std::string::npos,
           "no warning of bins=" + std::to_string(bins));
    expect(test::enum_property(element, "bins") == "64", "the old number of bins stays");
  }
  gst_object_unref(element);
  for (const char *bins : {"31", "33", "100", "257", "0"}) {
    GError *error = nullptr;
    GstElement *bin = gst_parse_launch((std::string("glclhistogram bins=") + bins).c_str(), &error);
    expect(error && std::string(error->message).find("bins") != std::string::npos,
           std::string("bins=") + bins + " is taken");
    g_error_free(error);
    if (bin) gst_object_unref(gst_object_ref_sink(bin));
  }
}

// With an unread bus, frames continue and messages stop at 300.
TEST(unread_messages) {
  const Frame frame = reference::flat_frame(8, 4);
  Chain chain("glclhistogram interval=0");
  for (int i = 0; i < 400; i++) expect(chain.push(frame) == GST_FLOW_OK, "push failed");
  gst_harness_push_event(chain.harness(), gst_event_new_eos());
  int count = 0;
  while (GstStructure *message = chain.messages().structure("glclhistogram")) {
    gst_structure_free(message);
    count++;
  }
  fail_unless(count == 300, "%d messages", count);
}

TEST(pipelines) {
  test::Pipeline pipeline(
      "videotestsrc num-buffers=20 pattern=ball ! video/x-raw,format=RGBA,width=64,height=48 ! "
      "glupload ! glclhistogram display=stack attach-meta=true shot-detection=true equalize=rgb ! "
      "queue ! glclhistogram mode=color-16 interval=0 ! glclbilateral radius=1 ! fakesink");
  for (int i = 0; i < 3; i++) {
    const bool eos = pipeline.run();
    test::expect_none(pipeline.messages().errors());
    expect(eos, "no EOS");
    expect(pipeline.reach(GST_STATE_READY), "READY can't be reached");
  }
}
