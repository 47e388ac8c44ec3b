// SPDX-License-Identifier: LGPL-2.1-or-later
// The properties of every element: sharing, active-sharing, device, profile and stats.
#include <algorithm>
#include <cctype>

#include "pipeline.h"

using test::Chain;
using test::expect;
using test::expect_none;
using test::expect_one;
using test::expect_same;
using test::Frame;
using test::inverted;
using test::Pipeline;

namespace {

const char *const source = "videotestsrc num-buffers=3 ! glupload ! glcolorconvert ! ";

void check_frames(Chain &chain, int count) {
  for (int i = 0; i < count; i++) {
    const Frame in = reference::random_frame(48, 32, i);
    expect_same(inverted(in), chain.filter(in), "frame " + std::to_string(i));
  }
}

/// Plays elements that can't work and returns their messages.
std::vector<test::Message> errors_of(const std::string &elements) {
  Pipeline pipeline(source + elements + " ! fakesink");
  expect(!pipeline.run(), elements + " plays");
  return pipeline.messages().errors();
}

std::string device_name() {
  Chain chain("glclinvert");
  check_frames(chain, 1);
  const std::string name = test::stat_text(chain["glclinvert"], "device");
  return name.substr(name.find(' ') + 1);
}

/// Both test environments have a single device, 0:0.
void check_device(const std::string &wish) {
  Chain chain("glclinvert device=\"" + wish + "\"");
  check_frames(chain, 1);
  expect(test::stat_text(chain["glclinvert"], "device").rfind("0:0 ", 0) == 0,
         "device=" + wish + " takes the device");
}

struct Timings {
  int kernels = 0;
  bool frame = false;
};

Timings timings_of(GstElement *element) {
  GstStructure *stats = nullptr;
  g_object_get(element, "stats", &stats, nullptr);
  Timings timings;
  for (int i = 0; i < gst_structure_n_fields(stats); i++) {
    const std::string field = gst_structure_nth_field_name(stats, i);
    if (field.size() < 5 || field.substr(field.size() - 5) != "-mean") continue;
    const std::string name = field.substr(0, field.size() - 5);
    const guint64 mean = test::stat(element, field), max = test::stat(element, name + "-max");
    expect(mean > 0 && max >= mean, name + " took time");
    if (name == "frame")
      timings.frame = true;
    else
      timings.kernels++;
  }
  gst_structure_free(stats);
  return timings;
}

}  // namespace

TEST(automatic) {
  Chain chain("glclinvert ! glclinvert strength=0");
  GstElement *element = chain["glclinvert"];
  expect(test::enum_property(element, "sharing") == "auto", "sharing defaults to auto");
  check_frames(chain, 5);
  expect(test::enum_property(element, "active-sharing") == test::expected_method(),
         "active-sharing is the method in use");
  expect(test::stat_text(element, "sharing") == test::expected_method(), "so does stats");
  // A CPU's frames are in host memory anyway.
  if (!test::copies_frames() || !g_getenv("GLCL_TEST_GPU"))
    expect_none(chain.messages().warnings());
  else
    expect_one(chain.messages().warnings(), GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SETTINGS,
               {"cl_khr_gl_sharing", "sharing=copy"});
  expect(chain.messages().warnings().size() <= 1, "one warning at most");

  const Frame larger = reference::random_frame(50, 50);
  expect_same(inverted(larger), chain.filter(larger), "after new caps");
  expect(chain.messages().warnings().size() <= 1, "new caps warn no more");
  expect_none(chain.messages().errors());
}

TEST(copy_by_name) {
  Chain chain("glclinvert sharing=copy");
  check_frames(chain, 5);
  expect_none(chain.messages().warnings());
  GstElement *element = chain["glclinvert"];
  expect(test::enum_property(element, "active-sharing") == "copy", "the method in use");
  expect(test::stat(element, "copies") >= 10, "every frame is copied in and out");
}

TEST(gl_by_name) {
  if (!test::shares_textures()) {
    expect_one(errors_of("glclinvert sharing=gl"), GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NOT_FOUND,
               {"sharing=gl", "cl_khr_gl_sharing", "sharing=copy"});
    return;
  }
  Chain chain("glclinvert sharing=gl ! gleffects_identity ! glclbilateral sharing=gl");
  for (int i = 0; i < 5; i++) chain.filter(reference::random_frame(48, 32, i));
  for (const char *name : {"glclinvert", "glclbilateral"}) {
    expect(test::stat(chain[name], "frames") == 5, "frames are counted");
    expect(test::stat(chain[name], "copies") == 0, "nothing is copied");
  }
  expect_none(chain.messages().warnings());
}

TEST(shared_memory_by_name) {
  for (const std::string method : {"external", "egl"}) {
    const std::string element = "glclinvert sharing=" + method;
    if (test::expected_method() == method) {
      Chain chain(element);
      check_frames(chain, 5);
      expect(test::stat(chain["glclinvert"], "copies") == 0, "nothing is copied");
      expect(test::enum_property(chain["glclinvert"], "active-sharing") == method, "in use");
    } else {
      expect_one(errors_of(element), GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NOT_FOUND,
                 {"sharing=" + method, "sharing=auto", "sharing=copy"});
    }
  }
}

TEST(stats_of_a_run) {
  Chain chain("glclinvert");
  GstElement *element = chain["glclinvert"];
  expect(test::stat(element, "frames") == 0, "no frames before the first");
  check_frames(chain, 4);
  expect(test::stat(element, "frames") == 4, "frames are counted");
  expect(!test::stat_text(element, "device").empty(), "the device has a name");
  expect((test::stat(element, "copies") > 0) == test::copies_frames(), "copies are counted");
  expect(test::stat(element, "dropped") == 0, "no frame is dropped");
  const guint64 mean = test::stat(element, "latency"), most = test::stat(element, "latency-max");
  expect(mean > 0 && mean <= most && most < 60 * GST_SECOND, "frames take time");
  const Timings timings = timings_of(element);
  expect(timings.kernels == 0 && !timings.frame, "nothing is timed without profile");
}

// All elements have the same fields. With profile they have the time of every kernel, also of those
// that draw.
TEST(stats_of_every_element) {
  const char *fields[] = {"frames",  "device",  "sharing",    "copies",
                          "dropped", "latency", "latency-max"};
  for (const std::string &name :
       {std::string("glclinvert"), std::string("glclbilateral"), std::string("glclhistogram"),
        std::string("glclklt"), std::string("glclmotion"), std::string("glopenclflow")}) {
    Chain chain(name + (name == "glclhistogram" ? " display=overlay"
                        : name == "glclmotion"  ? " display=vectors"
                                                : ""));
    GstElement *element = chain[name];
    for (const bool profile : {false, true}) {
      g_object_set(element, "profile", profile, nullptr);
      for (int i = 0; i < 2; i++) chain.filter(reference::random_frame(48, 32, i));
      GstStructure *stats = nullptr;
      g_object_get(element, "stats", &stats, nullptr);
      for (const char *field : fields)
        expect(gst_structure_has_field(stats, field), name + " has " + field);
      expect(profile || gst_structure_n_fields(stats) == int(std::size(fields)), "and no more");
      gst_structure_free(stats);
      const Timings timings = timings_of(element);
      expect(timings.frame == profile && (timings.kernels > 0) == profile, name + "'s kernels");
    }
  }
}

// A frame that is later than downstream requested is dropped and counted.
TEST(dropped_frames) {
  for (const char *name : {"glclinvert", "glclbilateral", "glclhistogram", "glclhough", "glclklt",
                           "glclmotion", "glopenclflow"}) {
    Chain chain(name);
    GstElement *element = chain[name];
    for (const char *ahead : {"glupload", "glcolorconvert"})
      g_object_set(chain[ahead], "qos", FALSE,
                   nullptr);  // upstream elements would drop the frames first
    for (int i = 0; i < 2; i++) chain.filter(reference::random_frame(48, 32, i));
    expect(test::stat(element, "dropped") == 0, "no frame is dropped");
    // All frames up to 190 ms are too late: the third, fourth and fifth frame of 40 ms each.
    gst_harness_push_upstream_event(
        chain.harness(),
        gst_event_new_qos(GST_QOS_TYPE_UNDERFLOW, 2, 90 * GST_MSECOND, 100 * GST_MSECOND));
    for (int i = 0; i < 5; i++)
      expect(chain.push(reference::random_frame(48, 32, i)) == GST_FLOW_OK, "push failed");
    for (int i = 0; i < 2; i++) chain.pull();
    expect(test::stat(element, "dropped") == 3 && test::stat(element, "frames") == 4,
           std::string(name) + " counts " + std::to_string(test::stat(element, "dropped")) +
               " dropped of 7, " + std::to_string(test::stat(element, "frames")) + " not");
    expect(test::stat(element, "latency-max") > 0, "the others took time");
  }
}

TEST(profile) {
  Chain chain("glclinvert profile=true ! glclbilateral profile=true radius=1");
  for (int i = 0; i < 4; i++) chain.filter(reference::random_frame(48, 32, i));
  for (const char *name : {"glclinvert", "glclbilateral"}) {
    const Timings timings = timings_of(chain[name]);
    expect(timings.kernels > 0 && timings.frame, std::string(name) + " times kernels and frame");
  }
}

// Switching `profile` moves the work to another queue: frames stay right.
TEST(profile_while_playing) {
  Chain chain("gleffects_identity ! glclinvert ! glclinvert strength=0");
  for (int i = 0; i < 30; i++) {
    g_object_set(chain["glclinvert"], "profile", i % 3 == 0, nullptr);
    const Frame in = reference::random_frame(48, 32, i);
    expect_same(inverted(in), chain.filter(in), "frame " + std::to_string(i));
  }
}

TEST(device_by_place) { check_device("0:0"); }

TEST(device_by_name) {
  std::string name = device_name();
  check_device(name);
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  check_device(name.substr(1, 5));
}

TEST(device_that_is_not_there) {
  const std::string name = device_name();
  for (const char *wish : {"nonsense", "0:99", "99:0"})
    expect_one(errors_of(std::string("glclinvert device=") + wish), GST_RESOURCE_ERROR,
               GST_RESOURCE_ERROR_NOT_FOUND, {std::string("device=\"") + wish + "\"", name, "0:0"});
}

// PoCL has no images of two channels, which the chroma textures of NV12 need.
TEST(format_without_images) {
  const auto chain = Chain::plain(
      "videoconvert ! capsfilter caps=video/x-raw,format=NV12 ! glupload ! glclinvert ! "
      "gldownload ! videoconvert ! capsfilter caps=video/x-raw,format=RGBA");
  Frame opaque = reference::flat_frame(64, 48);
  for (size_t i = 3; i < opaque.rgba.size(); i += 4) opaque.rgba[i] = 255;
  for (int i = 0; i < 3; i++)
    test::expect_near(inverted(opaque), chain->filter(opaque), 6, "inverted");
  expect_none(chain->messages().errors());
  const bool lacks =
      !test::copies_frames() && !test::shares_textures() &&
      test::stat_text((*chain)["glclinvert"], "device").find("pthread") != std::string::npos;
  int warnings = 0;
  for (const test::Message &warning : chain->messages().warnings())
    warnings += warning.names("NV12") && warning.names("copied through host memory");
  expect(warnings == lacks, std::to_string(warnings) + " warnings of frames that are copied");
}
