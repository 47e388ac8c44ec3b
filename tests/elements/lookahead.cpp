// SPDX-License-Identifier: LGPL-2.1-or-later
// glclklt look-ahead: output that is delayed by a number of frames. Each frame comes out once and
// in order, with its own pixels, times and metas.
#include <gst/video/video.h>

#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "pipeline.h"
#include "reference/textured.h"
#include "shaken.h"
#include "tests/support/result.h"

using reference::Point;
using test::Chain;
using test::expect;
using test::Frame;
using test::shaken;

namespace {

constexpr int width = 97, height = 65;
constexpr GstClockTime frame_time = 40 * GST_MSECOND;

Frame scene(int i, int w = width, int h = height) {
  return reference::textured_frame(w, h, shaken(i), 1);
}

/// Without a margin the picture is not moved, so a frame that comes out equals its input.
const std::string unmoved = "glclklt name=klt features=60 stabilize=true margin=0 ";

/// All frames and events that leave a chain, in order.
class Record {
 public:
  struct Entry {
    GstClockTime time;  ///< of a frame
    std::string event;  ///< or the name of an event
    bool discontinuous = false;
    int number = -1;  ///< of its meta
  };

  explicit Record(Chain &chain) : pad_(chain.harness()->sinkpad) {
    probe_ = gst_pad_add_probe(
        pad_,
        GstPadProbeType(GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM |
                        GST_PAD_PROBE_TYPE_EVENT_FLUSH),
        [](GstPad *, GstPadProbeInfo *info, gpointer self) {
          static_cast<Record *>(self)->add(info);
          return GST_PAD_PROBE_OK;
        },
        this, nullptr);
  }
  ~Record() { gst_pad_remove_probe(pad_, probe_); }
  Record(const Record &) = delete;

  /// Numbers of the frames so far.
  std::vector<int> frames() const {
    std::vector<int> all;
    for (const Entry &entry : entries)
      if (entry.event.empty()) all.push_back(int((entry.time + frame_time / 2) / frame_time));
    return all;
  }
  /// The number of frames before the first event of this name; -1 without one.
  int frames_before(const std::string &event) const {
    int count = 0;
    for (const Entry &entry : entries) {
      if (entry.event == event) return count;
      count += entry.event.empty();
    }
    return -1;
  }

  std::vector<Entry> entries;

 private:
  void add(GstPadProbeInfo *info) {
    Entry entry{};
    if (info->type & GST_PAD_PROBE_TYPE_BUFFER) {
      GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER(info);
      entry.time = GST_BUFFER_PTS(buffer);
      entry.discontinuous = GST_BUFFER_IS_DISCONT(buffer);
      if (const auto *meta = gst_buffer_get_reference_timestamp_meta(buffer, nullptr))
        entry.number = int(meta->timestamp);
    } else {
      GstEvent *event = GST_PAD_PROBE_INFO_EVENT(info);
      const GstStructure *fields = gst_event_get_structure(event);
      const bool custom = GST_EVENT_TYPE(event) == GST_EVENT_CUSTOM_DOWNSTREAM && fields;
      entry.event = custom ? gst_structure_get_name(fields) : GST_EVENT_TYPE_NAME(event);
    }
    entries.push_back(entry);
  }

  GstPad *pad_;
  gulong probe_;
};

std::vector<int> up_to(int count) {
  std::vector<int> all;
  for (int i = 0; i < count; i++) all.push_back(i);
  return all;
}

void push(Chain &chain, int i, guint flags = 0, int w = width, int h = height) {
  GstBuffer *in = chain.buffer_of(scene(i, w, h));
  GST_BUFFER_PTS(in) = GST_BUFFER_DTS(in) = guint64(i) * frame_time;
  GST_BUFFER_DURATION(in) = frame_time;
  GST_BUFFER_OFFSET(in) = guint64(i);
  GST_BUFFER_FLAG_SET(in, flags);
  GstCaps *reference = gst_caps_new_empty_simple("timestamp/x-number");
  gst_buffer_add_reference_timestamp_meta(in, reference, guint64(i), GST_CLOCK_TIME_NONE);
  gst_caps_unref(reference);
  expect(chain.push(in, w, h) == GST_FLOW_OK, "frame " + std::to_string(i) + " is pushed");
}

void event(Chain &chain, const char *name) {
  gst_harness_push_event(chain.harness(), gst_event_new_custom(GST_EVENT_CUSTOM_DOWNSTREAM,
                                                               gst_structure_new_empty(name)));
}

void eos(Chain &chain) { gst_harness_push_event(chain.harness(), gst_event_new_eos()); }

void set_ahead(Chain &chain, int frames) {
  g_object_set(chain["klt"], "look-ahead", frames, nullptr);
}

/// Fails unless these frames are all that came out, each with its own meta.
void expect_frames(const Record &record, const std::vector<int> &frames, const std::string &what) {
  const std::vector<int> got = record.frames();
  std::string list;
  for (const int i : got) list += " " + std::to_string(i);
  fail_unless(got == frames, "%s: %zu frames instead of %zu:%s", what.c_str(), got.size(),
              frames.size(), list.c_str());
  size_t i = 0;
  for (const Record::Entry &entry : record.entries)
    if (entry.event.empty())
      fail_unless(entry.number == frames[i++], "%s: frame %d has the meta of %d", what.c_str(),
                  frames[i - 1], entry.number);
}

guint64 latency(Chain &chain) { return gst_harness_query_latency(chain.harness()); }

bool posted_latency(Chain &chain) {
  GstMessage *message = chain.messages().next(GST_MESSAGE_LATENCY, 0);
  if (message) gst_message_unref(message);
  return message;
}

}  // namespace

// Every frame waits for four later ones, and the rest comes before EOS: with its pixels, times and
// metas.
TEST(order) {
  Chain chain(unmoved + "look-ahead=4");
  Record record(chain);
  for (int i = 0; i < 9; i++) {
    push(chain, i);
    expect_frames(record, up_to(std::max(i - 3, 0)), "after frame " + std::to_string(i));
  }
  eos(chain);
  expect_frames(record, up_to(9), "after EOS");
  fail_unless_equals_int(record.frames_before("eos"), 9);
  for (int i = 0; i < 9; i++) {
    GstBuffer *out = chain.pull_buffer();
    fail_unless_equals_uint64(GST_BUFFER_PTS(out), guint64(i) * frame_time);
    fail_unless_equals_uint64(GST_BUFFER_DURATION(out), frame_time);
    const Frame expected = scene(i);
    GstMapInfo map;
    expect(gst_buffer_map(out, &map, GST_MAP_READ), "the frame can be mapped");
    fail_unless(map.size == expected.rgba.size() &&
                    std::memcmp(map.data, expected.rgba.data(), map.size) == 0,
                "frame %d has other pixels", i);
    gst_buffer_unmap(out, &map);
    gst_buffer_unref(out);
  }
  fail_unless_equals_uint64(test::stat(chain["klt"], "frames"), 9);
  fail_unless_equals_uint64(test::stat(chain["klt"], "dropped"), 0);
  test::expect_none(chain.messages().errors());
}

// With fewer frames than the look-ahead all come out at the end.
TEST(short_stream) {
  for (const int count : {1, 2, 5}) {
    Chain chain(unmoved + "look-ahead=60");
    Record record(chain);
    for (int i = 0; i < count; i++) push(chain, i);
    expect_frames(record, {}, "before the end");
    eos(chain);
    expect_frames(record, up_to(count), "at the end");
  }
}

// The matrix of the result belongs to its frame: it holds the scene still.
TEST(steady) {
  for (const char *settings : {"", "display=tracks", "attach-overlay=true display=points"}) {
    Chain chain(
        "glclklt name=klt features=100 attach-meta=true interval=0 stabilize=true "
        "smoothing=0 look-ahead=6 " +
        std::string(settings));
    for (int i = 0; i < 16; i++) push(chain, i);
    eos(chain);
    std::vector<float> first;
    const auto at = [](const std::vector<float> &m, Point p) {
      return Point{m[0] * p.x + m[1] * p.y + m[2], m[3] * p.x + m[4] * p.y + m[5]};
    };
    double sum = 0;
    for (int i = 0; i < 16; i++) {
      GstBuffer *out = chain.pull_buffer();
      const GstStructure *meta = gst_buffer_get_glcl_result(out, "glclklt");
      expect(meta, "there is a result");
      std::vector<float> moved;
      {
        const test::ResultArray array(meta, "moved");
        moved = array.numbers<float>();
      }
      gst_buffer_unref(out);
      if (i == 0) first = moved;
      for (const Point p : {Point{25, 20}, {70, 20}, {48, 32}, {25, 45}, {70, 45}}) {
        const Point a = at(first, shaken(0).apply(p, width, height)),
                    b = at(moved, shaken(i).apply(p, width, height));
        sum += std::hypot(a.x - b.x, a.y - b.y) / 16 / 5;
      }
    }
    fail_unless(sum < 0.4, "%s: %g px are left", settings, sum);
    int messages = 0;
    while (GstStructure *message = chain.messages().structure("glclklt")) {
      guint64 time = 0;
      gst_structure_get_uint64(message, "timestamp", &time);
      fail_unless_equals_uint64(time, guint64(messages) * frame_time);
      expect(gst_structure_has_field(message, "margin-used"), "the part of the margin is known");
      fail_unless(messages == 0 || gst_structure_has_field(message, "camera-confidence"),
                  "frame %d has no confidence", messages);
      gst_structure_free(message);
      messages++;
    }
    fail_unless_equals_int(messages, 16);
    test::expect_none(chain.messages().errors());
  }
}

// Drawings move with their frame, in it or as an overlay.
TEST(drawings) {
  const std::string ahead =
      "glclklt name=klt stabilize=true smoothing=0 look-ahead=3 display=points features=12";
  Chain drawn(ahead), separate(ahead + " attach-overlay=true ! gloverlaycompositor");
  for (int i = 0; i < 10; i++) {
    push(drawn, i);
    push(separate, i);
  }
  eos(drawn);
  eos(separate);
  for (int i = 0; i < 10; i++) {
    const Frame with = drawn.pull(), over = separate.pull();
    size_t dots = 0, others = 0;
    for (size_t k = 0; k < with.rgba.size(); k += 4) {
      const uint8_t *a = &with.rgba[k], *b = &over.rgba[k];
      dots += a[0] > 200 && a[2] < 60;
      others += std::abs(int(a[0]) - int(b[0])) > 24;
    }
    fail_unless(i == 0 || dots > 20, "frame %d has no dots", i);
    fail_unless(others * 50 < with.rgba.size() / 4, "frame %d: %zu pixels differ", i, others);
  }
}

// Events stay between the frames where they came. A gap makes all frames before it leave.
TEST(events) {
  Chain chain(unmoved + "look-ahead=3");
  Record record(chain);
  event(chain, "before");
  for (int i = 0; i < 8; i++) {
    push(chain, i);
    if (i == 1) event(chain, "after-1");
    if (i == 1) event(chain, "also-after-1");
    if (i == 5)
      gst_harness_push_event(chain.harness(),
                             gst_event_new_tag(gst_tag_list_new(GST_TAG_TITLE, "a", nullptr)));
  }
  fail_unless_equals_int(record.frames_before("before"), 0);
  fail_unless_equals_int(record.frames_before("after-1"), 2);
  fail_unless_equals_int(record.frames_before("also-after-1"), 2);
  fail_unless_equals_int(record.frames_before("tag"), -1);
  gst_harness_push_event(chain.harness(), gst_event_new_gap(8 * frame_time, frame_time));
  fail_unless_equals_int(record.frames_before("tag"), 6);
  fail_unless_equals_int(record.frames_before("gap"), 8);
  push(chain, 9);
  chain.drain();  // a query for all frames
  expect_frames(record, {0, 1, 2, 3, 4, 5, 6, 7, 9}, "after a gap and a drain");
}

// A flush drops the frames that wait, and the next ones follow.
TEST(flush) {
  Chain chain(unmoved + "look-ahead=4");
  Record record(chain);
  for (int i = 0; i < 6; i++) push(chain, i);
  event(chain, "lost");
  gst_harness_push_event(chain.harness(), gst_event_new_flush_start());
  gst_harness_push_event(chain.harness(), gst_event_new_flush_stop(TRUE));
  GstSegment segment;
  gst_segment_init(&segment, GST_FORMAT_TIME);
  gst_harness_push_event(chain.harness(), gst_event_new_segment(&segment));
  for (int i = 20; i < 26; i++) push(chain, i);
  expect_frames(record, {0, 1, 20, 21}, "after a flush");
  eos(chain);
  expect_frames(record, {0, 1, 20, 21, 22, 23, 24, 25}, "at the end");
  fail_unless_equals_int(record.frames_before("lost"), -1);
  test::expect_none(chain.messages().errors());
}

// A new segment, as of a seek without a flush, begins after all frames of the old one.
TEST(segment) {
  Chain chain(unmoved + "look-ahead=4");
  Record record(chain);
  for (int i = 0; i < 6; i++) push(chain, i);
  record.entries.clear();
  GstSegment segment;
  gst_segment_init(&segment, GST_FORMAT_TIME);
  segment.base = 6 * frame_time;
  gst_harness_push_event(chain.harness(), gst_event_new_segment(&segment));
  fail_unless_equals_int(record.frames_before("segment"), 4);
  for (int i = 0; i < 6; i++) push(chain, i);
  expect_frames(record, {2, 3, 4, 5, 0, 1}, "in the second segment");
}

// New sizes and rates with frames waiting: each comes out in its own size.
TEST(caps) {
  Chain chain(unmoved + "look-ahead=3");
  Record record(chain);
  const std::pair<int, int> sizes[] = {{width, height}, {64, 48}, {33, 90}, {width, height}};
  int i = 0;
  for (const auto &[w, h] : sizes)
    for (int k = 0; k < 5; k++) push(chain, i++, 0, w, h);
  chain.framerate = 50;
  for (int k = 0; k < 5; k++) push(chain, i++);
  eos(chain);
  expect_frames(record, up_to(i), "in all sizes");
  for (int k = 0; k < i; k++) {
    GstBuffer *out = chain.pull_buffer();
    const auto &[w, h] = sizes[std::min(k / 5, 3)];
    fail_unless_equals_uint64(gst_buffer_get_size(out), guint64(w) * h * 4);
    gst_buffer_unref(out);
  }
  test::expect_none(chain.messages().errors());
}

// Elements downstream negotiate again while frames wait: these go on waiting.
TEST(renegotiation) {
  Chain chain(unmoved + "look-ahead=3");
  Record record(chain);
  for (int i = 0; i < 12; i++) {
    push(chain, i);
    expect_frames(record, up_to(std::max(i - 2, 0)), "at frame " + std::to_string(i));
    if (i % 4 == 3) gst_harness_push_upstream_event(chain.harness(), gst_event_new_reconfigure());
  }
  eos(chain);
  expect_frames(record, up_to(12), "after negotiations");
  test::expect_none(chain.messages().errors());
}

// The look-ahead, and the stabilization, change while frames pass: no frame is lost or repeated,
// and none gets the mark of another's discontinuity.
TEST(changes) {
  Chain chain(unmoved + "look-ahead=0");
  Record record(chain);
  int i = 0;
  for (const int ahead : {0, 5, 2, 0, 7, 1, 60, 3}) {
    set_ahead(chain, ahead);
    for (int k = 0; k < 6; k++) push(chain, i++);
    const int waiting = i - int(record.frames().size());
    fail_unless(waiting <= ahead && (ahead > 6 || waiting == ahead),
                "with look-ahead %d, %d frames wait", ahead, waiting);
  }
  g_object_set(chain["klt"], "stabilize", FALSE, nullptr);
  push(chain, i++);
  expect_frames(record, up_to(i), "without stabilization");
  g_object_set(chain["klt"], "stabilize", TRUE, nullptr);
  for (int k = 0; k < 6; k++) push(chain, i++);
  eos(chain);
  expect_frames(record, up_to(i), "at the end");
  for (const Record::Entry &entry : record.entries)
    fail_unless(!entry.discontinuous, "frame at %" GST_TIME_FORMAT, GST_TIME_ARGS(entry.time));
  test::expect_none(chain.messages().errors());
}

// A discontinuity is marked on its own frame.
TEST(discontinuity) {
  for (const int ahead : {0, 3}) {
    Chain chain(unmoved + "look-ahead=" + std::to_string(ahead));
    Record record(chain);
    for (int i = 0; i < 8; i++) push(chain, i, i == 4 ? GST_BUFFER_FLAG_DISCONT : 0);
    set_ahead(chain, 0);
    push(chain, 8);
    expect_frames(record, up_to(9), "with a discontinuity");
    for (const Record::Entry &entry : record.entries)
      if (entry.event.empty())
        fail_unless(entry.discontinuous == (entry.time == 4 * frame_time),
                    "look-ahead %d: frame at %" GST_TIME_FORMAT, ahead, GST_TIME_ARGS(entry.time));
  }
}

// The latency is reported, also of live streams, and a change asks for a new query.
TEST(latency) {
  Chain chain(unmoved + "look-ahead=5");
  gst_harness_set_upstream_latency(chain.harness(), GST_SECOND);
  push(chain, 0);
  expect(posted_latency(chain), "the caps tell the latency");
  fail_unless_equals_uint64(latency(chain), GST_SECOND + 5 * frame_time);
  push(chain, 1);
  expect(!posted_latency(chain), "the latency stays");
  set_ahead(chain, 2);
  push(chain, 2);
  expect(posted_latency(chain), "the latency has changed");
  fail_unless_equals_uint64(latency(chain), GST_SECOND + 2 * frame_time);
  g_object_set(chain["klt"], "stabilize", FALSE, nullptr);
  push(chain, 3);
  expect(posted_latency(chain), "nothing waits any more");
  fail_unless_equals_uint64(latency(chain), GST_SECOND);
  GstQuery *query = gst_query_new_latency();
  expect(gst_pad_peer_query(chain.harness()->sinkpad, query), "the query is answered");
  gst_query_unref(query);
}

// Where frames are missing, a frame does not wait longer than its latency.
TEST(missing_frames) {
  Chain chain(unmoved + "look-ahead=4");
  Record record(chain);
  for (const int i : {0, 1, 2, 5}) push(chain, i);
  expect_frames(record, {0, 1}, "at frame 5");
  push(chain, 8);
  expect_frames(record, {0, 1, 2}, "at frame 8");
  push(chain, 100);
  expect_frames(record, {0, 1, 2, 5, 8}, "after a long gap");
}

// The lateness of a frame is that of the frame that arrives as it leaves.
TEST(quality_of_service) {
  Chain chain(unmoved + "look-ahead=4 qos=true");
  Record record(chain);
  for (int i = 0; i < 6; i++) push(chain, i);
  // Frame 1 was late by a frame, so frame 2 is too late for elements behind this one. Frame 6 has
  // to leave elements before it as early.
  gst_harness_push_upstream_event(
      chain.harness(),
      gst_event_new_qos(GST_QOS_TYPE_UNDERFLOW, 1, GstClockTimeDiff(frame_time), 1 * frame_time));
  GstEvent *upstream = nullptr;
  while (GstEvent *next = gst_harness_try_pull_upstream_event(chain.harness())) {
    gst_clear_event(&upstream);
    upstream = next;
    if (GST_EVENT_TYPE(next) == GST_EVENT_QOS) break;
  }
  expect(upstream && GST_EVENT_TYPE(upstream) == GST_EVENT_QOS, "upstream elements know");
  GstClockTime time = 0;
  gst_event_parse_qos(upstream, nullptr, nullptr, nullptr, &time);
  gst_event_unref(upstream);
  fail_unless_equals_uint64(time, 5 * frame_time);
  for (int i = 6; i < 12; i++) push(chain, i);
  eos(chain);
  expect_frames(record, {0, 1, 3, 4, 5, 7, 8, 9, 10, 11}, "of a late stream");
}

// Frames in planes and in another order of RGB, with drawings.
TEST(formats) {
  for (const char *format : {"NV12", "I420", "GRAY8", "BGRA", "P010_10LE"})
    for (const char *display : {"none", "points"}) {
      test::Pipeline pipeline(
          "videotestsrc pattern=ball num-buffers=8 ! video/x-raw,width=64,"
          "height=48,framerate=25/1,format=" +
          std::string(format) + " ! glupload ! " + unmoved + "look-ahead=3 display=" + display +
          " ! gldownload ! fakesink name=sink sync=false");
      expect(pipeline.run(), std::string(format) + " plays");
      fail_unless_equals_uint64(test::stat(pipeline["klt"], "frames"), 8);
      test::expect_none(pipeline.messages().errors());
    }
}

// Two elements in a row, and two pipelines at once.
TEST(two) {
  Chain one(unmoved + "look-ahead=3 ! glclklt features=30 stabilize=true margin=0 look-ahead=2"),
      other(unmoved + "look-ahead=5");
  Record in_one(one), in_other(other);
  for (int i = 0; i < 10; i++) {
    push(one, i);
    push(other, i);
  }
  expect_frames(in_one, up_to(5), "behind two elements");
  expect_frames(in_other, up_to(5), "beside them");
  eos(one);
  eos(other);
  expect_frames(in_one, up_to(10), "behind two elements, at the end");
  expect_frames(in_other, up_to(10), "beside them, at the end");
}

// A stop drops the frames that wait; a seek begins anew.
TEST(stop_and_seek) {
  test::Pipeline pipeline(
      "videotestsrc num-buffers=30 ! video/x-raw,width=64,height=48,"
      "framerate=25/1 ! glupload ! glcolorconvert ! " +
      unmoved + "look-ahead=4 ! gldownload ! fakesink sync=false");
  for (int i = 0; i < 2; i++) {
    expect(pipeline.reach(GST_STATE_PAUSED), "it pauses with frames waiting");
    expect(gst_element_seek_simple(pipeline.bin(), GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH,
                                   10 * frame_time),
           "it seeks");
    expect(pipeline.reach(GST_STATE_PAUSED), "it pauses again");
    if (i) expect(pipeline.run(), "it plays to the end");
    pipeline.set(i ? GST_STATE_NULL : GST_STATE_READY);
  }
  test::expect_none(pipeline.messages().errors());
}
