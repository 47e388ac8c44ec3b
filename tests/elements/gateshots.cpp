// SPDX-License-Identifier: LGPL-2.1-or-later
// glclgate behind glclhistogram passes the sharpest frame of each shot, and no other.
#include <algorithm>
#include <string>
#include <vector>

#include "pipeline.h"
#include "reference/hough/scenes.h"

using test::Chain;
using test::expect;
using test::Frame;

namespace {

constexpr GstClockTime frame_time = 40 * GST_MSECOND;
const std::string histogram = "glclhistogram shot-detection=true post-messages=false ";

/// The mean of 5×5 pixels.
Frame blurred(const Frame &sharp) {
  Frame frame = sharp;
  for (int y = 0; y < frame.height; y++)
    for (int x = 0; x < frame.width; x++)
      for (int c = 0; c < 3; c++) {
        int sum = 0, count = 0;
        for (int v = std::max(y - 2, 0); v <= std::min(y + 2, frame.height - 1); v++)
          for (int u = std::max(x - 2, 0); u <= std::min(x + 2, frame.width - 1); u++, count++)
            sum += sharp.rgba[4 * (size_t(v) * frame.width + u) + c];
        frame.rgba[4 * (size_t(y) * frame.width + x) + c] = uint8_t(sum / count);
      }
  return frame;
}

/// A film of blurred frames, of which some are sharp.
class Film {
 public:
  explicit Film(const std::string &elements) : chain_(elements) {}

  Chain &chain() { return chain_; }
  int next() const { return next_; }
  /// A shot of `count` frames. The frames at these places in it are sharp.
  void shot(unsigned scene, int count, const std::vector<int> &sharp, int width = 160,
            int height = 90) {
    const Frame clear = reference::clutter_frame(width, height, scene), dull = blurred(clear);
    for (int i = 0; i < count; i++, next_++) {
      const bool is_sharp = std::find(sharp.begin(), sharp.end(), i) != sharp.end();
      GstBuffer *buffer = chain_.buffer_of(is_sharp ? clear : dull);
      fail_unless(chain_.push(buffer, width, height) == GST_FLOW_OK);
    }
  }
  void flush() {
    gst_harness_push_event(chain_.harness(), gst_event_new_flush_start());
    gst_harness_push_event(chain_.harness(), gst_event_new_flush_stop(TRUE));
    segment();
  }
  void segment() {
    GstSegment segment;
    gst_segment_init(&segment, GST_FORMAT_TIME);
    gst_harness_push_event(chain_.harness(), gst_event_new_segment(&segment));
  }
  /// Ends the stream. Returns the numbers of the frames that passed, each a discontinuity.
  std::string end() {
    gst_harness_push_event(chain_.harness(), gst_event_new_eos());
    for (bool ended = false; !ended;) {
      GstEvent *event = gst_harness_pull_event(chain_.harness());
      expect(event, "the stream ends");
      ended = GST_EVENT_TYPE(event) == GST_EVENT_EOS;
      gst_event_unref(event);
    }
    return passed();
  }
  std::string passed() {
    std::string numbers;
    while (GstBuffer *buffer = gst_harness_try_pull(chain_.harness())) {
      numbers += std::to_string(GST_BUFFER_PTS(buffer) / frame_time) + " ";
      fail_unless_equals_uint64(GST_BUFFER_PTS(buffer) % frame_time, 0);
      expect(GST_BUFFER_FLAG_IS_SET(buffer, GST_BUFFER_FLAG_DISCONT), "marked as discontinuity");
      gst_buffer_unref(buffer);
    }
    return numbers;
  }

 private:
  Chain chain_;
  int next_ = 0;
};

void expect_text(const std::string &got, const std::string &wanted, const std::string &what) {
  fail_unless(got == wanted, "%s: frames \"%s\" instead of \"%s\"", what.c_str(), got.c_str(),
              wanted.c_str());
}

}  // namespace

// Shots of 40, 60, 12 and 30 frames. A sharp frame later than a second does not count.
TEST(sharpest_of_each_shot) {
  for (const std::string elements :
       {"! glclgate open-on=shots", "! queue ! glclgate open-on=shots ! queue",
        "shot-method=shape ! glclgate open-on=shots",
        "! gldownload ! queue ! glclgate open-on=shots ! glupload"}) {
    Film film(histogram + elements);
    film.shot(1, 40, {7, 30});
    film.shot(2, 60, {24, 25, 50});
    film.shot(3, 12, {0});
    film.shot(1, 30, {20});
    expect_text(film.end(), "7 64 100 132 ", elements);
  }
}

TEST(other_times) {
  Film first(histogram + "shot-sharpest=0 ! queue ! glclgate open-on=shots pre=3 post=3");
  first.shot(1, 40, {7});
  first.shot(2, 100, {20});
  expect_text(first.end(), "0 40 ", "shot-sharpest=0");
  Film longer(histogram + "shot-sharpest=3 ! queue ! glclgate open-on=shots");
  longer.shot(1, 100, {70});
  longer.shot(2, 100, {80});
  expect_text(longer.end().substr(0, 3), "70 ", "shot-sharpest=3");
}

// They pass while the stream plays, not only at its end.
TEST(while_playing) {
  Film film(histogram + "shot-sharpest=0.4 ! glclgate name=gate open-on=shots");
  film.shot(1, 40, {7});
  film.shot(2, 120, {5});
  film.chain().drain();
  expect_text(film.passed(), "7 45 ", "after 120 frames of the second shot");
  expect_text(film.end(), "", "and no more");
}

TEST(shots_after_a_flush) {
  Film film(histogram + "! glclgate open-on=shots");
  film.shot(1, 40, {7});
  film.flush();
  film.shot(1, 40, {9});
  film.flush();
  film.shot(2, 40, {11});
  film.shot(3, 40, {12});
  expect_text(film.end(), "91 132 ", "flushed shots don't count");
}

// Frames of before do not pass after other caps; the shot goes on.
TEST(other_caps) {
  Film film(histogram + "! queue ! glclgate open-on=shots");
  film.shot(1, 20, {7});
  film.shot(1, 40, {9}, 192, 108);
  film.shot(2, 40, {12}, 192, 108);
  film.segment();
  film.shot(2, 40, {1}, 192, 108);
  expect_text(film.end(), "7 72 ", "caps and a segment");
}

// decodebin sends it before the end.
TEST(end_of_the_group) {
  Film film(histogram + "! glclgate open-on=shots");
  film.shot(1, 40, {7});
  gst_harness_push_event(film.chain().harness(), gst_event_new_stream_group_done(1));
  expect_text(film.passed(), "7 ", "all frames have come");
  expect_text(film.end(), "", "and no more");
}

TEST(two_histograms) {
  Film film(histogram + "! " + histogram + "! queue ! glclgate open-on=shots");
  film.shot(1, 40, {7});
  film.shot(2, 40, {9});
  expect_text(film.end(), "7 49 ", "both announce the same frames");
}

TEST(detection_begins_later) {
  Film film(
      "glclhistogram name=histogram shot-detection=false shot-sharpest=0.4 ! "
      "glclgate name=gate open-on=shots");
  film.shot(1, 10, {3});
  g_object_set(film.chain()["histogram"], "shot-detection", TRUE, nullptr);
  // The program is built in the background.
  for (int i = 0; i < 100; i++) film.shot(1, 1, {}), g_usleep(5000);
  film.shot(2, 40, {7});
  const std::string passed = film.end();
  const std::string last = " " + std::to_string(110 + 7) + " ";
  fail_unless(passed.size() > last.size() && passed.substr(passed.size() - last.size()) == last,
              "frames \"%s\"", passed.c_str());
}

// One warning if the gate holds too few frames; the pools and the latency know of all.
TEST(held_frames) {
  Film film(histogram + "! glclgate name=gate open-on=shots max-size-buffers=20");
  film.shot(1, 200, {7});
  const auto warnings = film.chain().messages().warnings();
  test::expect_one(warnings, GST_STREAM_ERROR, GST_STREAM_ERROR_FAILED,
                   {"max-size-buffers=20", "100"});
  expect_text(film.end(), "", "it was dropped");
  Film objects("glclinvert ! glclgate open-on=objects max-size-buffers=3");
  objects.shot(1, 30, {});
  test::expect_one(objects.chain().messages().warnings(), GST_STREAM_ERROR, GST_STREAM_ERROR_FAILED,
                   {"max-size-buffers=3", "open-on=objects", "to 10 or more"});
  Film enough(histogram + "! glclgate name=gate open-on=shots max-size-buffers=100");
  enough.shot(1, 200, {24});
  for (const auto &warning : enough.chain().messages().warnings())
    expect(!warning.names("max-size-buffers"), warning.text);
  gst_harness_set_upstream_latency(enough.chain().harness(), 0);
  fail_unless(gst_harness_query_latency(enough.chain().harness()) >=
              GST_SECOND + (65 + 8) * frame_time);
  expect_text(enough.end(), "24 ", "the last frame of the first second");
}
