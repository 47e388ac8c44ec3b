// SPDX-License-Identifier: LGPL-2.1-or-later
// Results travel downstream through other elements. They contain the size of the analysed frame,
// and still describe this frame after the picture was scaled or cropped.
#include "tests/support/result.h"

#include <gst/video/gstvideometa.h>

#include <algorithm>
#include <cmath>
#include <mutex>

#include "pipeline.h"

using test::expect;

namespace {

constexpr int width = 96, height = 64, frames = 4;
const char *const kinds[] = {"glclhistogram", "glclhough", "glclklt",
                             "glclmotion",    "glclscope", "glopenclflow"};

using Arrays = std::map<std::string, std::vector<guint8>>;

/// All arrays of all results; of an array with a count, the valid rows.
Arrays arrays(GstBuffer *frame) {
  Arrays all;
  test::each_result(frame, [&](const std::string &kind, const GstStructure *fields) {
    for (const std::string &name : test::result_arrays(fields)) {
      GstGLCLArray array;
      expect(gst_glcl_array_map(fields, name.c_str(), &array), kind + "." + name + " is mapped");
      const gsize bytes = test::result_bytes(fields, name, array);
      all[kind + "." + name] = {array.map.data, array.map.data + bytes};
      gst_glcl_array_unmap(&array);
    }
    if (kind != "glclhistogram")
      all[kind + " of"] = {guint8(test::result_int(fields, "width")),
                           guint8(test::result_int(fields, "height"))};
  });
  return all;
}

struct Branch {
  std::vector<Arrays> seen;
  std::vector<std::vector<int>> regions, objects;  // x, y, width, height of the first of a frame
};

void on_frame(GstElement *, GstBuffer *frame, GstPad *, gpointer data) {
  auto *branch = static_cast<Branch *>(data);
  branch->seen.push_back(arrays(frame));
  gpointer state = nullptr;
  auto *roi = reinterpret_cast<GstVideoRegionOfInterestMeta *>(
      gst_buffer_iterate_meta_filtered(frame, &state, GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE));
  if (roi) branch->regions.push_back({int(roi->x), int(roi->y), int(roi->w), int(roi->h)});
  const GstStructure *motion = gst_buffer_get_glcl_result(frame, "glclmotion");
  const GValue *objects = motion ? gst_structure_get_value(motion, "objects") : nullptr;
  if (!objects || !test::values(objects)->n_values) return;
  const auto *first =
      static_cast<const GstStructure *>(g_value_get_boxed(test::values(objects)->values));
  branch->objects.push_back({test::result_int(first, "x"), test::result_int(first, "y"),
                             test::result_int(first, "width"), test::result_int(first, "height")});
}

const std::string snow = "gltestsrc pattern=snow num-buffers=" + std::to_string(frames) +
                         " ! video/x-raw(memory:GLMemory),width=" + std::to_string(width) +
                         ",height=" + std::to_string(height) + " ! ";
const std::string analysers =
    "glclhistogram mode=rgb bins=64 attach-meta=true ! glclhough display=none attach-meta=true ! "
    "glclklt attach-meta=true ! glclmotion attach-meta=true ! "
    "glclscope display=none attach-meta=true ! "
    "glopenclflow display=none grid=4 attach-meta=true ! ";

/// The results of the frames of `from` on each path; a path ends at a sink with its name.
std::map<std::string, Branch> run(const std::map<std::string, std::string> &elements,
                                  const std::string &from) {
  std::string description = from + "tee name=t";
  for (const auto &[name, element] : elements)
    description += " t. ! queue ! " + element + "fakesink signal-handoffs=true name=" + name;
  std::map<std::string, Branch> branches;
  test::Pipeline pipeline(description);
  for (const auto &[name, element] : elements)
    g_signal_connect(pipeline[name], "handoff", G_CALLBACK(on_frame), &branches[name]);
  expect(pipeline.run(), "it plays");
  test::expect_none(pipeline.messages().errors());
  return branches;
}

/// Records what a handler of the application sees of an element.
struct Seen {
  int messages = 0, on_gl_thread = 0;
  std::map<std::string, GstClockTime> last;  // timestamp by name of message
};

struct Handlers {
  std::map<std::string, Seen> elements;
  std::mutex mutex;  // guards the elements

  void see(const std::string &name) {
    const std::lock_guard lock(mutex);
    Seen &seen = elements[name];
    seen.messages++;
    seen.on_gl_thread += gst_gl_context_get_current() != nullptr;
  }

  void see(GstMessage *message) {
    if (GST_MESSAGE_TYPE(message) != GST_MESSAGE_ELEMENT &&
        GST_MESSAGE_TYPE(message) != GST_MESSAGE_ERROR)
      return;
    see(GST_MESSAGE_SRC_NAME(message));
    const GstStructure *fields = gst_message_get_structure(message);
    GstClockTime time = GST_CLOCK_TIME_NONE;
    if (!fields || !gst_structure_get_clock_time(fields, "timestamp", &time)) return;
    const std::lock_guard lock(mutex);
    const auto [last, first] = elements[GST_MESSAGE_SRC_NAME(message)].last.try_emplace(
        gst_structure_get_name(fields), time);
    fail_unless(first || time >= last->second, "%s: messages keep their order",
                GST_MESSAGE_SRC_NAME(message));
    last->second = time;
  }
};

void watch(GstElement *bin, Handlers &handlers) {
  GstBus *bus = gst_element_get_bus(bin);
  gst_bus_set_sync_handler(
      bus,
      [](GstBus *, GstMessage *message, gpointer data) {
        static_cast<Handlers *>(data)->see(message);
        return GST_BUS_PASS;
      },
      &handlers, nullptr);
  gst_object_unref(bus);
}

}  // namespace

// Handlers of the application may query neighbours, and these may wait for the GL thread.
TEST(no_handler_runs_on_the_gl_thread) {
  Handlers handlers;
  {
    test::Pipeline pipeline(
        "videotestsrc pattern=ball num-buffers=25 ! video/x-raw,width=160,height=120 ! glupload ! "
        "glcolorconvert ! glclhistogram name=histogram ! glclhough name=hough ! glclklt name=klt ! "
        "glclmotion name=motion detect=true ! glopenclflow name=flow ! fakesink");
    watch(pipeline.bin(), handlers);
    g_signal_connect(pipeline["motion"], "notify::motion-detected",
                     G_CALLBACK(+[](GstObject *, GParamSpec *property, gpointer data) {
                       static_cast<Handlers *>(data)->see(property->name);
                     }),
                     &handlers);
    expect(pipeline.run(), "it plays");
  }
  {
    test::Pipeline pipeline("gltestsrc ! glclhough name=failing template=/nowhere ! fakesink");
    watch(pipeline.bin(), handlers);
    pipeline.run();
  }
  for (const char *name :
       {"histogram", "hough", "klt", "motion", "flow", "motion-detected", "failing"}) {
    const Seen &seen = handlers.elements[name];
    fail_unless(seen.messages > 0, "%s calls no handler", name);
    fail_unless(seen.on_gl_thread == 0, "%s calls %d of %d handlers on the GL thread", name,
                seen.on_gl_thread, seen.messages);
  }
}

// Copies, tee, queues, conversions, scaling, cropping and rotation: all results arrive unchanged.
TEST(downstream_elements) {
  std::map<std::string, std::string> elements = {
      {"as_they_are", ""},
      {"downloaded",
       "gldownload ! video/x-raw,format=RGBA ! videoconvert ! video/x-raw,format=I420 ! "},
      {"again", "gldownload ! video/x-raw,format=RGBA ! glupload ! glcolorconvert ! queue ! "},
      {"kept_back", "identity ! queue max-size-buffers=2 ! capsfilter ! identity sync=false ! "},
      {"scaled",
       "gldownload ! video/x-raw,format=RGBA ! videoconvert ! videoscale ! "
       "video/x-raw,width=40,height=50 ! "},
      {"scaled_gl", "glcolorscale ! video/x-raw(memory:GLMemory),width=40,height=50 ! "},
      {"cut", "gldownload ! video/x-raw,format=RGBA ! videoconvert ! videocrop left=32 top=16 ! "},
      {"turned",
       "gldownload ! video/x-raw,format=RGBA ! videoconvert ! videoflip method=clockwise ! "},
      {"boxed", "gldownload ! video/x-raw,format=RGBA ! videoconvert ! videobox left=-8 ! "},
      {"at_a_rate", "gldownload ! video/x-raw,format=RGBA ! videorate ! "},
      {"inverted", "glclinvert ! "},
  };
  const auto branches = run(elements, snow + analysers);
  const Branch &as_they_are = branches.at("as_they_are");
  expect(as_they_are.seen.size() == frames, "all frames");
  for (const char *kind : kinds) {
    const auto size = as_they_are.seen.back().find(std::string(kind) + " of");
    if (std::string(kind) != "glclhistogram")  // whose result has no size
      expect(size != as_they_are.seen.back().end() &&
                 size->second == std::vector<guint8>{width, height},
             "the size of what was analysed");
    bool found = false;
    for (const auto &entry : as_they_are.seen.back())
      found = found || entry.first.rfind(std::string(kind) + ".", 0) == 0;
    expect(found, std::string(kind) + " has arrays");
  }
  for (const auto &[name, branch] : branches) {
    // From 1.28 on videorate may repeat the last frame.
    const size_t more = name == "at_a_rate";
    fail_unless(branch.seen.size() >= frames && branch.seen.size() <= frames + more,
                "%s: %zu frames", name.c_str(), branch.seen.size());
    for (int n = 0; n < frames; n++)
      fail_unless(branch.seen[n] == as_they_are.seen[n], "%s: frame %d has other results",
                  name.c_str(), n);
  }
}

/// Expects that all regions were dropped (always before GStreamer 1.26), or that all are at the
/// expected places.
void check_if_kept(const std::string &name, const std::vector<std::vector<int>> &regions,
                   const std::vector<std::vector<int>> &expected) {
  guint major, minor, micro, nano;
  gst_version(&major, &minor, &micro, &nano);
  expect(regions.empty() || minor >= 26, name + " keeps regions");
  if (regions.empty()) return;
  expect(regions.size() == expected.size(), name + ": all regions");
  for (size_t i = 0; i < regions.size(); i++)
    for (size_t k = 0; k < 4; k++)
      expect(
          std::abs(regions[i][k] - expected[i][k]) <= 1,  // versions of GStreamer round differently
          name + ": region " + std::to_string(i) + " has " + std::to_string(regions[i][k]) +
              " at " + std::to_string(k) + ", expected " + std::to_string(expected[i][k]));
}

// Regions of interest follow GStreamer's elements: a scaler of raw video scales them; others that
// change the picture drop them, or from 1.26 on transform them like the picture. The list of
// objects stays unchanged everywhere.
TEST(regions) {
  const auto branches = run(
      {{"as_they_are", ""},
       {"scaled",
        "gldownload ! video/x-raw,format=RGBA ! videoscale ! "
        "video/x-raw,width=160,height=240 ! "},
       {"scaled_gl", "glcolorscale ! video/x-raw(memory:GLMemory),width=160,height=240 ! "},
       {"cut", "gldownload ! video/x-raw,format=RGBA ! videocrop left=32 top=16 ! "}},
      "videotestsrc pattern=ball num-buffers=20 ! video/x-raw,width=320,height=240 ! glupload ! "
      "glcolorconvert ! glclmotion detect=true attach-meta=true ! ");
  const Branch &whole = branches.at("as_they_are"), &scaled = branches.at("scaled");
  expect(whole.regions.size() > 10 && whole.regions == whole.objects, "objects and regions agree");
  expect(scaled.regions.size() == whole.regions.size(), "the scaler keeps them");
  for (size_t i = 0; i < whole.regions.size(); i++)
    fail_unless(std::abs(2 * scaled.regions[i][0] - whole.regions[i][0]) <= 1 &&
                    scaled.regions[i][1] == whole.regions[i][1],
                "region %zu at (%d, %d) is scaled to (%d, %d)", i, whole.regions[i][0],
                whole.regions[i][1], scaled.regions[i][0], scaled.regions[i][1]);
  for (const char *name : {"scaled", "scaled_gl", "cut"})
    expect(branches.at(name).objects == whole.objects, std::string(name) + ": the same objects");
  std::vector<std::vector<int>> cut;
  for (const auto &region : whole.regions) {
    const int x = std::max(region[0] - 32, 0), y = std::max(region[1] - 16, 0);
    cut.push_back({x, y, region[0] + region[2] - 32 - x, region[1] + region[3] - 16 - y});
  }
  check_if_kept("scaled_gl", branches.at("scaled_gl").regions, scaled.regions);
  check_if_kept("cut", branches.at("cut").regions, cut);
}
