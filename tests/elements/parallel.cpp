// SPDX-License-Identifier: LGPL-2.1-or-later
// Streams beside each other in one process, with one OpenGL context: trouble in one of them does
// not reach the other.
#include <algorithm>
#include <atomic>
#include <string>
#include <vector>

#include "pipeline.h"

using test::expect;
using test::expect_same;
using test::Frame;
using test::Pipeline;

namespace {

constexpr int frames = 40;

/// Two streams, of which the first one gets into trouble by `trouble`, elements behind its own.
std::string streams(const std::string &trouble, int troubled_frames = 1000000) {
  const auto source = [](int count, const std::string &name) {
    return "videotestsrc pattern=ball num-buffers=" + std::to_string(count) +
           " ! capsfilter name=" + name +
           " caps=video/x-raw,format=RGBA,width=64,height=48,framerate=25/1 ! glupload ! ";
  };
  return source(troubled_frames, "size") + "glclhistogram ! glclinvert ! " + trouble +
         "fakesink name=troubled async=false " + source(frames, "other") +
         "glclhistogram ! glclinvert ! gldownload ! video/x-raw ! fakesink name=last async=false";
}

/// Counts the frames that reach a sink.
class Counter {
 public:
  explicit Counter(GstElement *sink) : pad_(gst_element_get_static_pad(sink, "sink")) {
    const auto count = [](GstPad *, GstPadProbeInfo *, gpointer self) {
      static_cast<Counter *>(self)->count_++;
      return GST_PAD_PROBE_OK;
    };
    probe_ = gst_pad_add_probe(pad_, GST_PAD_PROBE_TYPE_BUFFER, count, this, nullptr);
  }
  ~Counter() {
    gst_pad_remove_probe(pad_, probe_);
    gst_object_unref(pad_);
  }
  Counter(const Counter &) = delete;

  /// Whether as many frames come within 60 s.
  bool reaches(int count) const {
    for (int i = 0; i < 600 && count_ < count; i++) g_usleep(G_USEC_PER_SEC / 10);
    return count_ >= count;
  }

 private:
  GstPad *pad_;
  gulong probe_;
  std::atomic<int> count_{0};
};

/// Whether frames of this width reach the sink within 60 s. Caps that change again before that are
/// refused.
bool reaches_width(GstElement *sink, int width) {
  GstPad *pad = gst_element_get_static_pad(sink, "sink");
  int got = 0;
  for (int i = 0; i < 600 && got != width; i++) {
    g_usleep(G_USEC_PER_SEC / 10);
    GstCaps *caps = gst_pad_get_current_caps(pad);
    if (!caps) continue;
    gst_structure_get_int(gst_caps_get_structure(caps, 0), "width", &got);
    gst_caps_unref(caps);
  }
  gst_object_unref(pad);
  return got == width;
}

/// The frames of the second stream when nothing else plays.
std::vector<Frame> alone() {
  const std::string both = streams("");
  Pipeline pipeline(both.substr(both.rfind("videotestsrc")));
  const std::vector<Frame> &got = pipeline.collect("last");
  expect(pipeline.run(), "it plays");
  return got;
}

void expect_undisturbed(const std::vector<Frame> &got, const std::string &what) {
  static const std::vector<Frame> expected = alone();
  expect(expected.size() == frames && got.size() == frames,
         what + ": " + std::to_string(got.size()) + " frames");
  for (int i = 0; i < frames; i++) expect_same(expected[i], got[i], what);
}

}  // namespace

TEST(a_stream_that_stalls) {
  Pipeline pipeline(streams(""));
  const std::vector<Frame> &got = pipeline.collect("last");
  const Counter troubled(pipeline["troubled"]), last(pipeline["last"]);
  GstPad *pad = gst_element_get_static_pad(pipeline["troubled"], "sink");
  const auto block = [](GstPad *, GstPadProbeInfo *, gpointer) { return GST_PAD_PROBE_OK; };
  expect(pipeline.set(GST_STATE_PLAYING) != GST_STATE_CHANGE_FAILURE, "it plays");
  expect(troubled.reaches(2), "both begin");
  const gulong probe = gst_pad_add_probe(
      pad, static_cast<GstPadProbeType>(GST_PAD_PROBE_TYPE_BLOCK | GST_PAD_PROBE_TYPE_BUFFER),
      block, nullptr, nullptr);
  expect(last.reaches(frames), "the other stream ends");
  gst_pad_remove_probe(pad, probe);
  gst_object_unref(pad);
  expect(pipeline.reach(GST_STATE_READY), "it stops");
  expect_undisturbed(got, "beside a stream that stalls");
}

TEST(a_stream_with_an_error) {
  Pipeline pipeline(streams("identity error-after=3 ! "));
  const std::vector<Frame> &got = pipeline.collect("last");
  const Counter last(pipeline["last"]);
  expect(pipeline.set(GST_STATE_PLAYING) != GST_STATE_CHANGE_FAILURE, "it plays");
  expect(last.reaches(frames), "the other stream ends");
  expect(pipeline.reach(GST_STATE_READY), "it stops");
  expect_undisturbed(got, "beside a stream with an error");
}

TEST(a_stream_of_other_sizes) {
  Pipeline pipeline(streams(""));
  const std::vector<Frame> &got = pipeline.collect("last");
  const Counter last(pipeline["last"]);
  expect(pipeline.set(GST_STATE_PLAYING) != GST_STATE_CHANGE_FAILURE, "it plays");
  for (int i = 0; i <= 4; i++) {
    gst_util_set_object_arg(
        G_OBJECT(pipeline["size"]), "caps",
        ("video/x-raw,format=RGBA,framerate=25/1,height=48,width=" + std::to_string(64 + 16 * i))
            .c_str());
    expect(reaches_width(pipeline["troubled"], 64 + 16 * i), "it goes on");
  }
  expect(last.reaches(frames), "the other stream ends");
  expect(pipeline.reach(GST_STATE_READY), "it stops");
  test::expect_none(pipeline.messages().errors());
  expect_undisturbed(got, "beside a stream of other sizes");
}

// As with cameras that come and go: the others go on.
TEST(a_stream_that_starts_and_stops) {
  Pipeline pipeline(streams(""));
  const std::vector<Frame> &got = pipeline.collect("last");
  const Counter last(pipeline["last"]);
  Pipeline other(
      "videotestsrc ! video/x-raw,format=RGBA,width=64,height=48 ! glupload ! glclhistogram ! "
      "glclinvert ! fakesink");
  expect(pipeline.set(GST_STATE_PLAYING) != GST_STATE_CHANGE_FAILURE, "it plays");
  for (int i = 0; i < test::repeats(10); i++)
    expect(other.reach(GST_STATE_PLAYING) && other.reach(GST_STATE_NULL), "the other one does");
  expect(last.reaches(frames), "it ends");
  expect(pipeline.reach(GST_STATE_READY), "it stops");
  expect_undisturbed(got, "beside a pipeline that starts and stops");
}
