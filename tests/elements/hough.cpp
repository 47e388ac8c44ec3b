// SPDX-License-Identifier: LGPL-2.1-or-later
// glclhough in pipelines: templates from files and from the video, messages, metas and displays.
#include <gst/video/gstvideometa.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <map>
#include <tuple>

#include "gst-glcl/gstglclresult.h"
#include "picturefiles.h"
#include "pipeline.h"
#include "reference/hough/canny.h"
#include "reference/hough/scenes.h"
#include "reference/textured.h"
#include "tests/support/result.h"

using reference::Pose;
using reference::Target;
using test::Chain;
using test::expect;
using File = test::PictureFile;
using test::Frame;
using test::number;

namespace {

constexpr int width = 160, height = 120;
const Pose first_pose{70, 60, 35, 0.9}, second_pose{90, 58, -60, 1};

const Target &logo() {
  static const Target target = reference::targets()[2];
  return target;
}
const Target &tool() {
  static const Target target = reference::targets()[3];
  return target;
}

Frame grey(int w = width, int h = height) {
  Frame frame(w, h);
  for (size_t i = 0; i < frame.rgba.size(); i++) frame.rgba[i] = i % 4 == 3 ? 255 : 128;
  return frame;
}

Frame scene(const Target &target, const Pose &pose) {
  Frame frame = grey();
  reference::place(frame, target, pose);
  return frame;
}

struct Found {
  std::string name;
  Pose pose;
  double score;
};

struct LoggedMessage {
  std::vector<Found> objects;
  guint edges = 0;
};

LoggedMessage parse(GstMessage *message) {
  const GstStructure *structure = gst_message_get_structure(message);
  expect(gst_structure_has_name(structure, "glclhough"), "its name");
  LoggedMessage parsed;
  gst_structure_get_uint(structure, "edges", &parsed.edges);
  const GValue *objects = gst_structure_get_value(structure, "objects");
  expect(objects && G_VALUE_HOLDS(objects, test::field_array()), "a list");
  for (guint i = 0; i < test::values(objects)->n_values; i++) {
    const GstStructure *object = gst_value_get_structure(test::values(objects)->values + i);
    parsed.objects.push_back({gst_structure_get_string(object, "template"),
                              {number(object, "x"), number(object, "y"), number(object, "angle"),
                               number(object, "scale")},
                              number(object, "score")});
  }
  gst_message_unref(message);
  return parsed;
}

/// The message about a frame after all earlier messages, once templates are built.
LoggedMessage filter(Chain &chain, const Frame &frame) {
  LoggedMessage last;
  for (int i = 0; i < 5; i++) {  // building a template takes several frames
    chain.filter(frame);
    g_usleep(60000);
  }
  chain.drain();
  int messages = 0;
  while (GstMessage *message = chain.messages().next(GST_MESSAGE_ELEMENT, 0)) {
    last = parse(message);
    messages++;
  }
  expect(messages > 0, "a message comes in time");
  return last;
}

void expect_found(const LoggedMessage &message, const std::string &name, const Pose &pose) {
  expect(!message.objects.empty(), "something is found");
  const Found &best = message.objects[0];
  fail_unless(best.name.size() >= name.size() &&
                  best.name.compare(best.name.size() - name.size(), name.size(), name) == 0,
              "%s", best.name.c_str());
  fail_unless(std::hypot(best.pose.x - pose.x, best.pose.y - pose.y) <= 2, "(%g, %g)", best.pose.x,
              best.pose.y);
  fail_unless(std::abs(std::remainder(best.pose.angle - pose.angle, 360)) <= 2, "%g",
              best.pose.angle);
  fail_unless(std::abs(best.pose.scale / pose.scale - 1) <= 0.03, "x%g", best.pose.scale);
  fail_unless(best.score > 0.5 && best.score <= 1, "%g", best.score);
}

/// Expects to find the object once its template is built.
void expect_learned(Chain &chain, const Frame &frame, const std::string &name, const Pose &pose) {
  LoggedMessage message = filter(chain, frame);
  for (int i = 0; i < 100 && message.objects.empty(); i++) message = filter(chain, frame);
  expect_found(message, name, pose);
}

/// Filters until a warning names a template: the element reads files in the background.
void filter_until_warned(Chain &chain, const Frame &frame) {
  const auto is_warned = [&] {
    const std::vector<test::Message> warnings = chain.messages().warnings();
    return std::any_of(warnings.begin(), warnings.end(),
                       [](const test::Message &message) { return message.names("template"); });
  };
  for (int i = 0; i < 100 && !is_warned(); i++) filter(chain, frame);
}

/// Expects exactly one warning about a template, with these words.
void expect_warned(Chain &chain, const std::vector<std::string> &words) {
  int warned = 0;
  for (const test::Message &message : chain.messages().warnings()) {
    bool names = message.names("template");
    for (const std::string &word : words) names &= message.names(word);
    warned += names;
  }
  fail_unless(warned == 1, "%d warnings", warned);
}

/// The element with only the scales that these scenes need, because searches are slow on some
/// drivers.
std::string hough(const std::string &more) {
  return "glclhough interval=0 scale-min=0.7 scale-max=1.3 " + more;
}

}  // namespace

TEST(message_and_metas) {
  const File file(logo().picture(), "logo");
  Chain chain(hough("attach-meta=true template=" + file.path));
  expect_found(filter(chain, scene(logo(), first_pose)), "logo", first_pose);
  expect(chain.push(scene(logo(), first_pose)) == GST_FLOW_OK, "pushed");
  GstBuffer *out = chain.pull_buffer();
  const GstStructure *result = gst_buffer_get_glcl_result(out, "glclhough");
  expect(result, "a meta");
  expect(test::result_int(result, "width") == width && test::result_int(result, "height") == height,
         "of the frame");
  {
    const test::ResultArray counts(result, "list-count"), list(result, "list");
    expect(counts.is("int32", {1}) && list.is("float32", {64, 8}), "its arrays");
    gint32 count;
    float object[8];
    std::memcpy(&count, counts.bytes(), sizeof count);
    std::memcpy(object, list.bytes(), sizeof object);
    expect(count == 1 && object[5] == 0, "one object, of the first template");
    fail_unless(std::hypot(object[0] - first_pose.x, object[1] - first_pose.y) <= 2);
    fail_unless(std::abs(std::hypot(object[2], object[3]) / first_pose.scale - 1) <= 0.03);
    fail_unless(object[4] > 0.5);
  }
  GstVideoRegionOfInterestMeta *region = gst_buffer_get_video_region_of_interest_meta(out);
  expect(region, "a region of interest");
  expect(int(region->x) < 70 && int(region->x + region->w) > 70 && int(region->y) < 60 &&
             int(region->y + region->h) > 60,
         "it is around the object");
  gst_buffer_unref(out);
  // No object in an empty scene.
  const LoggedMessage nothing = filter(chain, grey());
  expect(nothing.objects.empty() && nothing.edges == 0, "nothing is there");
}

TEST(display) {
  const File file(tool().picture(), "tool");
  Chain chain(hough("color=0xff00ff00 display=objects template=" + file.path));
  const Frame frame = scene(tool(), first_pose), out = chain.filter(frame);
  // Green squares lie on the outline, and nothing else has changed.
  int green = 0, off = 0;
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++) {
      const uint8_t *p = out.at(x, y);
      if (p[0] == 0 && p[1] == 255 && p[2] == 0)
        green++;
      else
        off += !std::equal(p, p + 4, frame.at(x, y));
    }
  fail_unless(green > 200 && green < 2500 && off == 0, "%d green, %d others", green, off);
  gst_util_set_object_arg(G_OBJECT(chain["glclhough"]), "display", "none");
  test::expect_same(frame, chain.filter(frame), "none");

  g_object_set(chain["glclhough"], "low", 4.0, "high", 8.0, nullptr);
  gst_util_set_object_arg(G_OBJECT(chain["glclhough"]), "display", "edges");
  reference::Thresholds thresholds;
  thresholds.fill({1024 * 1024, 2048 * 2048});
  for (const bool hysteresis : {false, true}) {
    g_object_set(chain["glclhough"], "hysteresis", hysteresis, nullptr);
    const std::vector<uint16_t> edges = reference::canny(frame, thresholds, hysteresis);
    Frame expected = frame;
    for (size_t i = 0; i < edges.size(); i++)
      if (edges[i])
        std::copy_n(std::array<uint8_t, 3>{0, 255, 0}.begin(), 3, &expected.rgba[4 * i]);
    test::expect_same(expected, chain.filter(frame), "edges");
  }
}

// Templates and limits that change while playing.
TEST(changes) {
  const File logo_file(logo().picture(), "logo"), tool_file(tool().picture(), "tool");
  Chain chain(hough("template=" + logo_file.path));
  GstElement *element = chain["glclhough"];
  expect_found(filter(chain, scene(logo(), first_pose)), "logo", first_pose);
  g_object_set(element, "scale-min", 1.2, "min-score", 0.5, nullptr);
  expect(filter(chain, scene(logo(), first_pose)).objects.empty(), "too small");
  g_object_set(element, "scale-min", 0.7, "angle-min", 100.0, "angle-max", 170.0, nullptr);
  expect(filter(chain, scene(logo(), first_pose)).objects.empty(), "turned too little");
  g_object_set(element, "angle-min", -180.0, "angle-max", 180.0, "template",
               (" " + tool_file.path + " , " + logo_file.path).c_str(), nullptr);
  expect_learned(chain, scene(tool(), second_pose), "tool", second_pose);
  expect_found(filter(chain, scene(logo(), first_pose)), "logo", first_pose);
  g_object_set(element, "high", 100.0, nullptr);
  expect(filter(chain, scene(logo(), first_pose)).edges == 0, "no edge is that strong");
  g_object_set(element, "high", -1.0, "template", "/nowhere/at-all.png", nullptr);
  filter_until_warned(chain, scene(logo(), first_pose));
  expect_found(filter(chain, scene(logo(), first_pose)), "logo", first_pose);
  expect_warned(chain, {"/nowhere/at-all.png", "no such file"});
}

TEST(learn) {
  Chain chain(hough("sharing=auto"));
  GstElement *element = chain["glclhough"];
  const Pose pose{80, 60, 0, 1};
  expect(filter(chain, scene(tool(), pose)).objects.empty(), "nothing is known");
  gboolean accepted = FALSE;
  g_signal_emit_by_name(element, "learn", "wrench", 30, 10, 100, 100, &accepted);
  expect(accepted, "it will be learned");
  filter(chain, scene(tool(), pose));
  // The middle of the box is (79.5, 59.5).
  expect_learned(chain, scene(tool(), {75, 62, 90, 0.8}), "wrench", {74.5, 62.4, 90, 0.8});
  // A region without edges can't be learned, and the first template stays.
  g_signal_emit_by_name(element, "learn", "nothing", 0, 0, 9, 9, &accepted);
  filter(chain, scene(tool(), pose));
  expect_warned(chain, {"nothing", "edge pixels"});
  expect_found(filter(chain, scene(tool(), pose)), "wrench", {79.5, 59.5, 0, 1});

  for (const auto &[x, y, words] :
       {std::tuple{500, 10, "not learned"}, {10, -100, "not learned"}, {-3, 0, "<0,0,97,100>"}}) {
    g_signal_emit_by_name(element, "learn", "nothing", x, y, 100, 100, &accepted);
    filter(chain, grey());
    expect_warned(chain, {"<" + std::to_string(x) + "," + std::to_string(y) + ",100,100>",
                          "frame of 160×120 px", words, "Choose"});
  }

  // A picture from the application's memory.
  const auto learn = [&](const char *name, GstBuffer *buffer, const std::string &description) {
    GstCaps *caps = gst_caps_from_string(description.c_str());
    GstSample *sample = gst_sample_new(buffer, caps, nullptr, nullptr);
    gboolean accepted = FALSE;
    g_signal_emit_by_name(element, "learn-picture", name, sample, &accepted);
    expect(accepted, "it will be learned");
    gst_sample_unref(sample);
    gst_caps_unref(caps);
    gst_buffer_unref(buffer);
    filter(chain, grey());
  };
  const Frame picture = logo().picture();
  learn("badge", gst_buffer_new_memdup(picture.rgba.data(), picture.rgba.size()),
        "video/x-raw,format=RGBA,framerate=0/1,width=" + std::to_string(picture.width) +
            ",height=" + std::to_string(picture.height));
  expect_learned(chain, scene(logo(), first_pose), "badge", first_pose);
  // Data that are no picture cause a warning, and the first template stays.
  learn("words", gst_buffer_new_memdup("words", 5), "text/x-raw,format=utf8");
  expect_found(filter(chain, scene(logo(), second_pose)), "badge", second_pose);
  learn("range", gst_buffer_new_memdup(picture.rgba.data(), 256),
        "video/x-raw,format=RGBA,width=[1,8],height=8");
  expect_found(filter(chain, scene(logo(), second_pose)), "badge", second_pose);
  expect_warned(chain, {"words", "can't be read", "text/x-raw", "are not video/x-raw"});
  expect_warned(chain, {"range", "can't be read", "are not fixed"});
}

// Boxes are cut out of the next frame, even while other templates are being built.
TEST(learn_two_at_once) {
  Chain chain(hough("sharing=auto"));
  const Pose pose{80, 60, 0, 1};
  expect(filter(chain, grey()).objects.empty(), "nothing is known");
  for (const char *name : {"first wrench", "second wrench"}) {
    gboolean accepted = FALSE;
    g_signal_emit_by_name(chain["glclhough"], "learn", name, 30, 10, 100, 100, &accepted);
    expect(accepted, "it will be learned");
  }
  chain.filter(scene(tool(), pose));
  for (int i = 0; i < 5; i++) filter(chain, grey());
  for (const test::Message &warning : chain.messages().warnings())
    expect(!warning.names("wrench"), warning.text);
  expect_learned(chain, scene(tool(), pose), "wrench", {79.5, 59.5, 0, 1});
}

/// Makes the element forget learned templates: one by name, or all.
void forget(Chain &chain, const char *name) {
  gboolean accepted = FALSE;
  g_signal_emit_by_name(chain["glclhough"], "forget", name, &accepted);
  expect(accepted, "it will be forgotten");
}

// Learned templates are forgotten by name or all at once, in the order of the calls; templates of
// files stay.
TEST(forget) {
  const File file(logo().picture(), "logo");
  Chain chain(hough("template=" + file.path));
  const Frame frame = scene(tool(), {80, 60, 0, 1});
  const auto learn = [&](const char *name) {
    gboolean accepted = FALSE;
    g_signal_emit_by_name(chain["glclhough"], "learn", name, 30, 10, 100, 100, &accepted);
    expect(accepted, "it will be learned");
  };
  learn("wrench");
  expect_learned(chain, frame, "wrench", {79.5, 59.5, 0, 1});
  forget(chain, "another");
  expect_found(filter(chain, frame), "wrench", {79.5, 59.5, 0, 1});
  forget(chain, "wrench");
  expect(filter(chain, frame).objects.empty(), "it is forgotten");
  expect_found(filter(chain, scene(logo(), first_pose)), "logo", first_pose);

  learn("first");
  forget(chain, nullptr);
  learn("second");
  expect_learned(chain, frame, "second", {79.5, 59.5, 0, 1});
  forget(chain, "");
  expect(filter(chain, frame).objects.empty(), "both are forgotten");
  test::expect_none(chain.messages().errors());
}

// A learned template that no longer fits is skipped with one warning, also if frames shrink in
// READY.
TEST(learned_too_large) {
  Chain chain(hough("scale-min=0.9"));
  gboolean accepted = FALSE;
  g_signal_emit_by_name(chain["glclhough"], "learn", "wrench", 30, 10, 100, 100, &accepted);
  expect_learned(chain, scene(tool(), {80, 60, 0, 1}), "wrench", {79.5, 59.5, 0, 1});
  gst_element_set_state(chain.bin(), GST_STATE_READY);
  gst_element_set_state(chain.bin(), GST_STATE_PLAYING);
  gst_harness_push_event(chain.harness(), gst_event_new_stream_start("again"));
  for (int i = 0; i < 3; i++)
    expect(filter(chain, grey(40, 30)).objects.empty(), "there is no room for it");
  expect_warned(chain, {"wrench", "larger than the frame"});
  expect_learned(chain, scene(tool(), {80, 60, 0, 1}), "wrench", {79.5, 59.5, 0, 1});
  test::expect_none(chain.messages().errors());
}

// Templates that can't be used are errors before the first frame.
TEST(unusable) {
  Frame large = grey(400, 300);
  reference::place(large, logo(), {200, 150, 0, 3});
  const File flat(grey(50, 50), "flat"), too_large(large, "large");
  const File large_and_flat(grey(400, 300), "largeflat");  // its edges are not searched
  const std::string no_picture = std::string(std::getenv("GLCL_SOURCE")) + "/README.md";
  for (const auto &[path, words, code] :
       {std::tuple{flat.path, "edge pixels", int(GST_RESOURCE_ERROR_SETTINGS)},
        {too_large.path, "larger than the frame", int(GST_RESOURCE_ERROR_SETTINGS)},
        {large_and_flat.path, "larger than the frame", int(GST_RESOURCE_ERROR_SETTINGS)},
        {std::string("/nowhere/at-all.png"), "no such file", int(GST_RESOURCE_ERROR_NOT_FOUND)},
        {no_picture, "can't be read", int(GST_RESOURCE_ERROR_NOT_FOUND)}}) {
    Chain chain(hough("template=" + path));
    expect(chain.push(grey()) != GST_FLOW_OK, "no frame gets through");
    test::expect_one(chain.messages().errors(), GST_RESOURCE_ERROR, code, {words});
  }
}

// If frames become smaller than a template, it is skipped with one warning. A missing file that is
// set while playing changes nothing, even with the first frame of another size.
TEST(other_sizes) {
  const File file(logo().picture(), "logo");
  Chain chain(hough("scale-min=0.8 template=" + file.path));
  expect_found(filter(chain, scene(logo(), first_pose)), "logo", first_pose);
  expect(filter(chain, grey(40, 30)).objects.empty(), "there is no room for it");
  expect_warned(chain, {"larger than the frame"});
  expect_found(filter(chain, scene(logo(), second_pose)), "logo", second_pose);
  g_object_set(chain["glclhough"], "template", "/nonexistent.png", nullptr);
  filter(chain, grey(200, 180));
  expect_warned(chain, {"/nonexistent.png", "no such file"});
  expect_found(filter(chain, scene(logo(), first_pose)), "logo", first_pose);
  test::expect_none(chain.messages().errors());
}

// A template that is too large for the current frames is built once frames are larger.
TEST(too_large_for_now) {
  Frame large = grey(200, 150);
  reference::place(large, logo(), {99.5, 74.5, 0, 1.2});
  const File file(large, "large");
  Chain chain(hough("scale-min=0.9 scale-max=1.1 angle-min=-20 angle-max=20"));
  filter(chain, grey());
  g_object_set(chain["glclhough"], "template", file.path.c_str(), nullptr);
  filter_until_warned(chain, grey());
  expect_warned(chain, {"200×150", "160×120", "larger than the frame", "scale-min"});
  expect_found(filter(chain, large), "large", {99.5, 74.5, 0, 1});
  test::expect_none(chain.messages().errors());
}

// The same if frames become larger before the warning.
TEST(too_large_meanwhile) {
  Frame large = grey(200, 150);
  reference::place(large, logo(), {99.5, 74.5, 0, 1.2});
  const File file(large, "large");
  Chain chain(hough("scale-min=0.9 scale-max=1.1 angle-min=-20 angle-max=20"));
  chain.filter(grey());
  g_object_set(chain["glclhough"], "template", file.path.c_str(), nullptr);
  chain.filter(grey());  // starts to build the template
  expect_learned(chain, large, "large", {99.5, 74.5, 0, 1});
  for (const test::Message &warning : chain.messages().warnings())
    expect(!warning.names("larger than the frame"), "it is not");
}

// A region that exceeds the frame causes one warning; its part inside is used.
TEST(region) {
  const File file(logo().picture(), "logo");
  Chain chain(hough("roi=<-20,-20,5000,5000> template=" + file.path));
  expect_found(filter(chain, scene(logo(), first_pose)), "logo", first_pose);
  const auto warned = [&] {
    int warnings = 0;
    for (const test::Message &message : chain.messages().warnings())
      warnings += message.names("roi=<-20,-20,5000,5000>") && message.names("<0,0,160,120>");
    return warnings;
  };
  fail_unless(warned() == 1);
  gst_util_set_object_arg(G_OBJECT(chain["glclhough"]), "roi", "<0,0,30,20>");
  expect(filter(chain, scene(logo(), first_pose)).edges == 0, "no edge is in the corner");
  fail_unless(warned() == 1);
}

TEST(every_size) {
  const File file(logo().picture(), "logo");
  Chain chain(hough("display=objects scale-min=0.25"));
  for (const auto &[w, h] : {std::pair{1, 1}, {2, 1}, {17, 13}, {3, 65}, {131, 67}})
    test::expect_same(grey(w, h), chain.filter(grey(w, h)), "size");
  // A second element at the same time, with frames of another size and the same templates.
  Chain other(hough("template=" + file.path));
  g_object_set(chain["glclhough"], "template", file.path.c_str(), "display", 0, nullptr);
  expect_found(filter(other, scene(logo(), first_pose)), "logo", first_pose);
  expect_found(filter(chain, scene(logo(), second_pose)), "logo", second_pose);
}

// A camera that rotates, zooms and pans: the motion equals the true one, over all frames, and that
// of glclmotion.
TEST(global_motion) {
  Chain chain("glclhough interval=0 ! glclmotion interval=0 camera-compensation=first-order-flow");
  const int w = 256, h = 192, count = 30;
  const double degree = std::acos(-1.0) / 180;
  const auto push = [&](int i, unsigned texture) {
    const reference::Motion path{1.5 * i, -0.5 * i, 0.3 * degree * i, std::pow(1.004, i)};
    chain.filter(reference::noisy(reference::textured_frame(w, h, path, texture), 2, unsigned(i)));
    // The programs are built in the background.
    g_usleep(20000);
  };
  for (int i = 0; i < count; i++) push(i, 3);
  chain.drain();
  int both = 0;
  std::map<GstClockTime, std::array<double, 4>> motions;
  const auto near = [](double value, double expected, double most, const char *what) {
    fail_unless(std::abs(value - expected) <= most, "%s: %g, %g expected", what, value, expected);
  };
  // The centre moves by the step, rotated and scaled by the motion of earlier frames.
  double rotation = 0, zoom = 1;
  int frames = 0;
  const auto look = [&](GstMessage *message) {
    const GstStructure *s = gst_message_get_structure(message);
    GstClockTime time = 0;
    gst_structure_get_clock_time(s, "timestamp", &time);
    if (gst_structure_has_name(s, "glclhough") && gst_structure_has_field(s, "rotation")) {
      motions[time] = {number(s, "rotation"), number(s, "zoom"), number(s, "shift-x"),
                       number(s, "shift-y")};
      near(motions[time][0], -0.3, 0.1, "rotation");
      near(motions[time][1], 1.004, 0.002, "zoom");
      rotation += motions[time][0], zoom *= motions[time][1], frames++;
    }
    if (gst_structure_has_name(s, "glclmotion") && gst_structure_has_field(s, "camera-x") &&
        motions.count(time)) {
      const auto &own = motions[time];
      near(own[0] * -degree, number(s, "camera-rotation"), 0.3 * degree, "glclmotion's rotation");
      near(own[1] - 1, number(s, "camera-dilation"), 0.005, "glclmotion's dilation");
      near(own[2], number(s, "camera-x"), 0.6, "glclmotion's x");
      near(own[3], number(s, "camera-y"), 0.6, "glclmotion's y");
      both++;
    }
    gst_message_unref(message);
  };
  while (GstMessage *message = chain.messages().next(GST_MESSAGE_ELEMENT, 0)) look(message);
  fail_unless(frames >= 5 && both >= 5, "%d and %d messages", frames, both);
  near(rotation, -0.3 * frames, 0.1 + 0.02 * frames, "rotation over all frames");
  near(zoom, std::pow(1.004, frames), 0.005, "zoom over all frames");

  // Another scene, and a frame after a break.
  push(count, 4);
  chain.drain();
  int at_cut = 0;
  while (GstMessage *message = chain.messages().next(GST_MESSAGE_ELEMENT, 0)) {
    const GstStructure *s = gst_message_get_structure(message);
    if (gst_structure_has_name(s, "glclhough")) {
      expect(!gst_structure_has_field(s, "rotation"), "no motion at a cut");
      at_cut++;
    }
    gst_message_unref(message);
  }
  expect(at_cut > 0, "the cut has messages");
}

// A camera that pans behind a caption, and a thing that moves before a still scene with a caption:
// the caption does not hold the first, and the thing does not move the second.
TEST(overlaid_motion) {
  const int w = 256, h = 192;
  for (const double speed : {0.0, 3.0}) {
    Chain chain("glclhough interval=0");
    for (int i = 0; i < 12; i++) {
      Frame frame = reference::textured_frame(w, h, {speed * i, 0, 0, 1}, 3);
      if (speed == 0)
        frame = reference::covered(
            frame, reference::textured_frame(w, h, {4.0 * i, 0, 0, 1}, 7),
            [&](int x, int y) { return x >= 20 + 4 * i && x < 90 + 4 * i && y >= 40 && y < 110; });
      chain.filter(reference::noisy(reference::captioned(frame), 1, unsigned(i)));
      g_usleep(20000);  // the programs are built in the background
    }
    chain.drain();
    int frames = 0;
    while (GstMessage *message = chain.messages().next(GST_MESSAGE_ELEMENT, 0)) {
      const GstStructure *s = gst_message_get_structure(message);
      if (gst_structure_has_name(s, "glclhough") && gst_structure_has_field(s, "shift-x")) {
        const double x = number(s, "shift-x"), y = number(s, "shift-y"), most = speed ? 0.3 : 0.05;
        fail_unless(std::abs(x - speed) < most && std::abs(y) < most, "(%g, %g) at %g px", x, y,
                    speed);
        frames++;
      }
      gst_message_unref(message);
    }
    fail_unless(frames >= 5, "%d messages", frames);
  }
}

// A rotated template in pixels that are not square: a warning gives a remedy, which works.
TEST(not_square) {
  const Pose pose{width, height, 45, 1.4};
  const File file(logo().picture(), "logo");
  Frame seen = grey(2 * width, 2 * height), narrow(width, 2 * height);
  reference::place(seen, logo(), pose);
  for (int y = 0; y < 2 * height; y++)  // pixels are twice as wide as high
    for (int x = 0; x < width; x++)
      for (int c = 0; c < 4; c++) {
        const size_t at = (size_t(y) * 2 * width + 2 * size_t(x)) * 4 + size_t(c);
        narrow.rgba[(size_t(y) * width + size_t(x)) * 4 + size_t(c)] =
            static_cast<uint8_t>((seen.rgba[at] + seen.rgba[at + 4] + 1) / 2);
      }
  for (const bool remedy : {false, true}) {
    const auto chain = Chain::plain(
        std::string("glupload ! glcolorconvert ! ") +
        (remedy ? "glcolorscale ! video/x-raw(memory:GLMemory),pixel-aspect-ratio=1/1 ! " : "") +
        "glclhough sharing=copy interval=0 template=" + file.path + " ! gldownload");
    gst_harness_set_src_caps_str(
        chain->harness(), ("video/x-raw,format=RGBA,framerate=25/1,pixel-aspect-ratio=2/1,width=" +
                           std::to_string(width) + ",height=" + std::to_string(2 * height))
                              .c_str());
    for (int i = 0; i < 4; i++) {
      gst_harness_push(chain->harness(), chain->buffer_of(narrow));
      gst_buffer_unref(chain->pull_buffer());
    }
    chain->drain();
    LoggedMessage last;
    while (GstMessage *message = chain->messages().next(GST_MESSAGE_ELEMENT, 0))
      last = parse(message);
    const auto warnings = chain->messages().warnings();
    expect(warnings.size() == (remedy ? 0 : 1), std::to_string(warnings.size()) + " warnings");
    for (const test::Message &warning : warnings)
      for (const char *word : {"2/1", "templates", "glcolorscale", "pixel-aspect-ratio=1/1"})
        expect(warning.names(word), warning.text);
    if (remedy) expect_found(last, "logo", pose);
  }
}
