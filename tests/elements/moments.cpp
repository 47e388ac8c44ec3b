// SPDX-License-Identifier: LGPL-2.1-or-later
// The values of `time`, `cycle` and `frame` in filters of glclchain, in pipelines.
#include <gst/base/gstbasetransform.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <thread>

#include "filterfiles.h"

using test::Chain;
using test::expect;
using test::Folder;
using test::Frame;
using test::Pipeline;

namespace {

// Red is the time in levels, green the number of the frame.
const std::string source =
    "//! filter clock: red is the time, green the number of the frame\n"
    "//! param rate 0..255 = 20: levels per second\n"
    "float4 clock(PIXEL) {\n"
    "  return (float4)(rate * time / 255.0f, frame / 255.0f, at(0, 0).z, 1);\n}\n";

struct Read {
  double time;
  int frame;
};

Read read(const Frame &frame, double rate = 20) { return {frame.rgba[0] / rate, frame.rgba[1]}; }

void expect_moment(const Frame &frame, double time, int number, const std::string &what) {
  const Read got = read(frame);
  expect(std::fabs(got.time - time) < 0.026 && got.frame == number,
         what + ": " + std::to_string(got.time) + " s and frame " + std::to_string(got.frame) +
             " instead of " + std::to_string(time) + " s and frame " + std::to_string(number));
}

/// A glclchain with the clock.
struct Clock {
  Clock() : chain("glclchain filters=" + folder.write("clock.cl", source)) {}

  /// Pushes a frame with this timestamp.
  void push(GstClockTime time) {
    GstBuffer *buffer = chain.buffer_of(picture);
    GST_BUFFER_PTS(buffer) = time;
    if (!GST_CLOCK_TIME_IS_VALID(time)) GST_BUFFER_DURATION(buffer) = GST_CLOCK_TIME_NONE;
    expect(chain.push(buffer, picture.width, picture.height) == GST_FLOW_OK, "push failed");
  }
  void check(GstClockTime pushed, double time, int number, const std::string &what) {
    push(pushed);
    expect_moment(chain.pull(), time, number, what);
  }
  void event(GstEvent *event) { gst_harness_push_event(chain.harness(), event); }
  void flush(bool resets_time) {
    event(gst_event_new_flush_start());
    event(gst_event_new_flush_stop(resets_time));
  }
  void segment(GstClockTime start, GstClockTime base = 0, double rate = 1,
               GstFormat format = GST_FORMAT_TIME) {
    GstSegment segment;
    gst_segment_init(&segment, format);
    segment.rate = rate;
    segment.start = start;
    segment.base = base;
    event(gst_event_new_segment(&segment));
  }

  Folder folder;
  Chain chain;
  const Frame picture = reference::random_frame(16, 12);
};

}  // namespace

TEST(running_time_and_number) {
  Clock clock;
  for (int i = 0; i < 4; i++) clock.check(i * GST_SECOND, i, i, "frame " + std::to_string(i));
  clock.check(10 * GST_SECOND, 10, 4, "after a gap");
  clock.check(9 * GST_SECOND, 9, 5, "a jump back");
  test::expect_none(clock.chain.messages().warnings());
}

// After a day of running time a period still moves on with each frame.
TEST(after_a_day) {
  Folder folder;
  Chain chain("glclchain filters=" +
              folder.write("turn.cl",
                           "//! filter turn: red is the part of a second\n"
                           "float4 turn(PIXEL) { return (float4)(cycle(1), time / 172800, 0, 1); "
                           "}\n"));
  const Frame picture = reference::random_frame(16, 12);
  for (int i = 0; i < 240; i += 7) {
    GstBuffer *buffer = chain.buffer_of(picture);
    GST_BUFFER_PTS(buffer) =
        86400 * GST_SECOND + gst_util_uint64_scale(GST_SECOND, guint64(i), 240);
    expect(chain.push(buffer, picture.width, picture.height) == GST_FLOW_OK, "push failed");
    const Frame out = chain.pull();
    const double expected = 255.0 * i / 240;
    fail_unless(std::abs(out.rgba[0] - expected) <= 0.51 && std::abs(out.rgba[1] - 127.5) <= 1,
                "%d, not %g; %d", out.rgba[0], expected, out.rgba[1]);
  }
}

// A seek that flushes begins both again; a segment that follows, as of a loop, does not.
TEST(seeks) {
  Clock clock;
  clock.check(0, 0, 0, "the first frame");
  clock.check(GST_SECOND, 1, 1, "the second frame");
  clock.flush(true);
  clock.segment(5 * GST_SECOND);
  clock.check(5 * GST_SECOND, 0, 0, "the first frame after a seek");
  clock.check(7 * GST_SECOND, 2, 1, "the second frame after a seek");
  clock.segment(GST_SECOND, 3 * GST_SECOND);
  clock.check(GST_SECOND, 3, 2, "the next segment");
  clock.segment(0, 4 * GST_SECOND, 2);
  clock.check(2 * GST_SECOND, 5, 3, "twice as fast");
  clock.flush(false);
  clock.segment(0, 6 * GST_SECOND);
  clock.check(0, 6, 4, "a flush that keeps the running time");
}

// Frames without a time follow the last time by the frame rate, 25/s.
TEST(frames_without_time) {
  Clock clock;
  clock.check(GST_CLOCK_TIME_NONE, 0, 0, "the first frame");
  for (int i = 1; i < 50; i++) clock.push(GST_CLOCK_TIME_NONE);
  for (int i = 1; i < 50; i++) clock.chain.pull();
  clock.check(GST_CLOCK_TIME_NONE, 2, 50, "after two seconds");
  clock.check(6 * GST_SECOND, 6, 51, "a frame with a time");
  for (int i = 0; i < 24; i++) clock.push(GST_CLOCK_TIME_NONE);
  for (int i = 0; i < 24; i++) clock.chain.pull();
  clock.check(GST_CLOCK_TIME_NONE, 7, 76, "a second after it");
  clock.flush(true);
  clock.segment(0);
  clock.check(GST_CLOCK_TIME_NONE, 0, 0, "after a seek");
}

// A segment in bytes has no running time. Without a frame rate the time stays.
TEST(no_frame_rate) {
  Clock clock;
  clock.chain.framerate = 1;
  clock.check(2 * GST_SECOND, 2, 0, "a frame with a time");
  clock.segment(0, 0, 1, GST_FORMAT_BYTES);
  clock.check(9 * GST_SECOND, 3, 1, "one frame a second, in bytes");
  gst_harness_set_src_caps_str(clock.chain.harness(),
                               "video/x-raw,format=RGBA,width=16,height=12,framerate=0/1");
  for (int i = 2; i < 4; i++) {
    GstBuffer *buffer = clock.chain.buffer_of(clock.picture);
    GST_BUFFER_PTS(buffer) = GST_CLOCK_TIME_NONE;
    expect(gst_harness_push(clock.chain.harness(), buffer) == GST_FLOW_OK, "push failed");
    expect_moment(clock.chain.pull(), 3, i, "no frame rate");
  }
}

// Frames that the element drops because they are late count. Elements before it drop none here.
TEST(dropped_frames) {
  Clock clock;
  GstElement *element = clock.chain["glclchain"];
  gst_base_transform_set_qos_enabled(GST_BASE_TRANSFORM(element), TRUE);
  clock.check(0, 0, 0, "the first frame");
  GstPad *sink = gst_element_get_static_pad(element, "sink"),
         *src = gst_element_get_static_pad(element, "src");
  gst_pad_add_probe(
      sink, GST_PAD_PROBE_TYPE_EVENT_UPSTREAM,
      [](GstPad *, GstPadProbeInfo *info, gpointer) {
        return GST_EVENT_TYPE(GST_PAD_PROBE_INFO_EVENT(info)) == GST_EVENT_QOS ? GST_PAD_PROBE_DROP
                                                                               : GST_PAD_PROBE_OK;
      },
      nullptr, nullptr);
  gst_pad_send_event(src,
                     gst_event_new_qos(GST_QOS_TYPE_UNDERFLOW, 0.5, 2 * GST_SECOND, GST_SECOND));
  gst_object_unref(sink);
  gst_object_unref(src);
  for (int i = 1; i < 4; i++) clock.push(i * GST_SECOND);
  expect(gst_harness_buffers_received(clock.chain.harness()) == 1, "late frames are dropped");
  clock.check(9 * GST_SECOND, 9, 4, "the frame after dropped ones");
}

// A filter set later, or edited, gets the values of the stream, and so does one of another chain.
TEST(another_chain_while_playing) {
  Clock clock;
  const std::string file = clock.folder.path() + "/clock.cl";
  clock.check(0, 0, 0, "the first frame");
  g_object_set(clock.chain["glclchain"], "filters", "", nullptr);
  clock.push(GST_SECOND);
  clock.chain.pull();
  g_object_set(clock.chain["glclchain"], "filters", ("invert ! " + file).c_str(), nullptr);
  int number = 2;
  bool comes = false;
  for (; !comes && number < 250; number++) {
    clock.push(2 * GST_SECOND);
    const Frame out = clock.chain.pull();
    comes = out.rgba[0] == 40 && out.rgba[1] == number;
    g_usleep(100000);
  }
  expect(comes, "the other chain does not come");
  // A changed parameter does not change them.
  g_object_set(test::child(clock.chain["glclchain"], "clock"), "rate", 40.0, nullptr);
  for (comes = false; !comes && number < 250; number++) {
    clock.push(3 * GST_SECOND);
    const Frame out = clock.chain.pull();
    comes = out.rgba[0] == 120 && out.rgba[1] == number;
    g_usleep(100000);
  }
  expect(comes, "the parameter does not change");
}

TEST(stop_and_start) {
  Folder folder;
  const std::string file = folder.write("clock.cl", source);
  Pipeline pipeline(
      "videotestsrc num-buffers=51 ! video/x-raw,framerate=25/1,width=16,height=12,format=RGBA ! "
      "glupload ! glclchain filters=" +
      file + " ! gldownload ! video/x-raw,format=RGBA ! fakesink name=sink");
  const auto &frames = pipeline.collect("sink");
  for (const size_t run : {0, 1}) {
    expect(pipeline.run(), "the pipeline failed");
    expect(pipeline.reach(GST_STATE_NULL), "it can't be stopped");
    expect(frames.size() == 51 * (run + 1), "every frame arrives");
    for (const int i : {0, 25, 50})
      expect_moment(frames[51 * run + i], i / 25.0, i, "frame " + std::to_string(i));
  }
}

// The filter on the page of the manual.
TEST(wobble) {
  std::ifstream page(std::string(std::getenv("GLCL_SOURCE")) + "/docs/filter-files.md");
  std::string text;
  for (std::string line; std::getline(page, line) && (text.empty() || !line.empty());)
    if (!text.empty() || line.rfind("    //! filter wobble", 0) == 0) text += line.substr(4) + "\n";
  Folder folder;
  Chain chain("glclchain filters=" + folder.write("wobble.cl", text));
  const Frame in = reference::random_frame(64, 48);
  for (int i = 0; i < 3; i++) {
    Frame out = in;
    for (int y = 0; y < in.height; y++)
      for (int x = 0; x < in.width; x++) {
        const auto dy =
            static_cast<int>(std::nearbyint(8 * std::sin(G_PI * (0.02 * x + 2 * i / 25.0 / 1.5))));
        std::copy_n(in.at(x, std::clamp(y + dy, 0, in.height - 1)), 4, out.at(x, y));
      }
    test::expect_same(out, chain.filter(in), "frame " + std::to_string(i));
  }
}

TEST(in_glfilterbin) {
  if (!gst_element_factory_find("glfilterbin")) return;
  Folder folder;
  const std::string file = folder.write("clock.cl", source);
  Pipeline pipeline(
      "videotestsrc num-buffers=20 ! video/x-raw,framerate=10/1,width=16,height=12,format=RGBA ! "
      "glfilterbin filter=\"glclchain filters=" +
      file + "\" ! video/x-raw,format=RGBA ! fakesink name=sink");
  const auto &frames = pipeline.collect("sink");
  expect(pipeline.run(), "no EOS");
  for (size_t i = 0; i < 20; i++)
    expect_moment(frames.at(i), double(i) / 10, int(i), "frame " + std::to_string(i));
}

// Two elements of a pipeline, one behind a frame-rate converter, and two pipelines at once.
TEST(two_pipelines) {
  Folder folder;
  const std::string file = folder.write("clock.cl", source);
  const auto play = [&](int rate, int count) {
    const std::string caps = "video/x-raw,width=16,height=12,format=RGBA,framerate=";
    Pipeline pipeline("videotestsrc num-buffers=" + std::to_string(count) + " ! " + caps +
                      std::to_string(rate) +
                      "/1 ! tee name=t ! queue ! glupload ! glclchain filters=" + file +
                      " ! gldownload ! fakesink name=all sync=false " +
                      "t. ! queue ! videorate ! " + caps + "5/1 ! glupload ! glclchain filters=\"" +
                      file + " ! invert ! invert\" ! gldownload ! fakesink name=few sync=false");
    const auto &all = pipeline.collect("all"), &few = pipeline.collect("few");
    expect(pipeline.run(), "no EOS");
    expect(int(all.size()) == count && few.size() > 4, "every frame arrives");
    for (size_t i = 0; i < all.size(); i++)
      expect_moment(all[i], double(i) / rate, int(i), "frame " + std::to_string(i));
    for (size_t i = 0; i < few.size(); i++)
      expect_moment(few[i], double(i) / 5, int(i), "kept frame " + std::to_string(i));
  };
  std::thread other([&] { play(10, 40); });
  play(20, 60);
  other.join();
}
