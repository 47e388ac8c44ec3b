// SPDX-License-Identifier: LGPL-2.1-or-later
// Streams beside each other in one process, with one OpenGL context: trouble in one of them does
// not reach the other.
#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include "pipeline.h"

using test::expect;
using test::expect_same;
using test::Frame;
using test::Pipeline;

namespace {

constexpr int some = 30;        // frames
constexpr int compared = 1000;  // frames at most

/// A stream of a flying ball; `source` are properties.
std::string stream(const std::string &source, const std::string &rest) {
  return "videotestsrc pattern=ball " + source + " ! glupload ! glclhistogram ! glclinvert ! " +
         rest + " ";
}

const std::string small = "video/x-raw,format=RGBA,width=64,height=48,framerate=100/1";
const std::string collected = "gldownload ! video/x-raw ! fakesink name=last async=false";

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

  /// True if some more frames come within 60 s.
  bool continues() const {
    const int wanted = count_ + some;
    for (int i = 0; i < 600 && count_ < wanted; i++) g_usleep(G_USEC_PER_SEC / 10);
    return count_ >= wanted;
  }

 private:
  GstPad *pad_;
  gulong probe_;
  std::atomic<int> count_{0};
};

/// True if frames of this width reach the sink within 60 s. Caps that change again before that are
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

/// Plays the troubled stream and, at 100 frames/s, another one. The frames of that one are the same
/// as without a neighbour. `during` gets into trouble.
void play_next_to(const std::string &troubled,
                  const std::function<void(Pipeline &, const Counter &other)> &during,
                  const std::string &what) {
  Pipeline alone(stream("num-buffers=" + std::to_string(compared) + " ! " + small, collected));
  const std::vector<Frame> &expected = alone.collect("last");
  expect(alone.run() && expected.size() == compared, "the stream plays alone");
  Pipeline pipeline(troubled + stream("is-live=true ! " + small, collected));
  const std::vector<Frame> &got = pipeline.collect("last");
  const Counter other(pipeline["last"]);
  expect(pipeline.set(GST_STATE_PLAYING) != GST_STATE_CHANGE_FAILURE, "both play");
  expect(other.continues(), "both begin");
  during(pipeline, other);
  expect(other.continues(), what + ": the other stream continues");
  expect(pipeline.reach(GST_STATE_READY), "both stop");
  expect(got.size() >= 2 * some, "frames");
  for (size_t i = 0; i < got.size() && i < expected.size(); i++)
    expect_same(expected[i], got[i], what);
}

}  // namespace

TEST(a_stream_that_stalls) {
  play_next_to(
      stream("! " + small, "fakesink name=troubled async=false"),
      [](Pipeline &pipeline, const Counter &other) {
        GstPad *pad = gst_element_get_static_pad(pipeline["troubled"], "sink");
        const auto block = [](GstPad *, GstPadProbeInfo *, gpointer) { return GST_PAD_PROBE_OK; };
        const gulong probe = gst_pad_add_probe(
            pad, static_cast<GstPadProbeType>(GST_PAD_PROBE_TYPE_BLOCK | GST_PAD_PROBE_TYPE_BUFFER),
            block, nullptr, nullptr);
        for (int i = 0; i < 600 && !gst_pad_is_blocking(pad); i++) g_usleep(G_USEC_PER_SEC / 10);
        expect(gst_pad_is_blocking(pad), "one stalls");
        expect(other.continues(), "the other one does not");
        gst_pad_remove_probe(pad, probe);
        gst_object_unref(pad);
      },
      "next to a stream that stalls");
}

TEST(a_stream_with_an_error) {
  play_next_to(
      stream("! " + small, "identity error-after=40 ! fakesink async=false"),
      [](Pipeline &pipeline, const Counter &) {
        size_t errors = 0;
        for (int i = 0; i < 600 && !errors; i++) {
          g_usleep(G_USEC_PER_SEC / 10);
          errors = pipeline.messages().errors().size();
        }
        expect(errors, "one has an error");
      },
      "next to a stream with an error");
}

TEST(a_stream_of_other_sizes) {
  play_next_to(
      stream("! capsfilter name=size caps=" + small, "fakesink name=troubled async=false"),
      [](Pipeline &pipeline, const Counter &) {
        for (int i = 1; i <= 4; i++) {
          const std::string width = std::to_string(64 + 16 * i);
          gst_util_set_object_arg(
              G_OBJECT(pipeline["size"]), "caps",
              ("video/x-raw,format=RGBA,framerate=100/1,height=48,width=" + width).c_str());
          expect(reaches_width(pipeline["troubled"], 64 + 16 * i), "it goes on");
        }
        test::expect_none(pipeline.messages().errors());
      },
      "next to a stream of other sizes");
}

// As with cameras that come and go.
TEST(a_stream_that_starts_and_stops) {
  play_next_to(
      "",
      [](Pipeline &, const Counter &) {
        Pipeline other(stream("! " + small, "fakesink"));
        for (int i = 0; i < test::repeats(10); i++)
          expect(other.reach(GST_STATE_PLAYING) && other.reach(GST_STATE_NULL), "it plays");
      },
      "next to a pipeline that starts and stops");
}
