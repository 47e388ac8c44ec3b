// SPDX-License-Identifier: LGPL-2.1-or-later
// glclgate passes the frames around events, with their timestamps, and holds few frames.
#include <gst/video/video.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "pipeline.h"

using test::expect;

namespace {

constexpr GstClockTime frame_time = 40 * GST_MSECOND;
constexpr const char *raw = "video/x-raw,format=GRAY8,width=4,height=4,framerate=25/1";
constexpr const char *encoded = "video/x-h264,framerate=25/1";

/// A passed frame.
struct Passed {
  int number;
  bool discont, key;
};

/// A gate, and what comes out of it.
class Gate {
 public:
  explicit Gate(const std::string &settings, const char *caps = raw)
      : harness_(gst_harness_new_parse(("glclgate name=gate " + settings).c_str())) {
    gst_harness_set_src_caps_str(harness_, caps);
  }
  ~Gate() { gst_harness_teardown(harness_); }
  Gate(const Gate &) = delete;

  GstHarness *harness() { return harness_; }
  GstElement *element() {
    GstElement *found = gst_bin_get_by_name(GST_BIN(harness_->element), "gate");
    gst_object_unref(found);  // the bin has it
    return found;
  }

  /// Pushes frames first … last. Every `distance`th is a key frame.
  GstFlowReturn push(int first, int last, int distance = 1) {
    GstFlowReturn flow = GST_FLOW_OK;
    for (int i = first; i <= last; i++) {
      GstBuffer *buffer = gst_harness_create_buffer(harness_, 16);
      GST_BUFFER_PTS(buffer) = guint64(i) * frame_time;
      GST_BUFFER_DURATION(buffer) = frame_time;
      if (i % distance) GST_BUFFER_FLAG_SET(buffer, GST_BUFFER_FLAG_DELTA_UNIT);
      watch(buffer);
      flow = gst_harness_push(harness_, buffer);
    }
    return flow;
  }
  /// Counts a buffer until it is freed.
  void watch(GstBuffer *buffer) {
    alive_++;
    most_alive_ = std::max(most_alive_, alive_);
    gst_mini_object_weak_ref(
        GST_MINI_OBJECT(buffer),
        [](gpointer alive, GstMiniObject *) { (*static_cast<int *>(alive))--; }, &alive_);
  }
  void event(const char *name, guint64 id, int frame, const char *zone = nullptr) {
    GstStructure *structure =
        gst_structure_new(name, "running-time", G_TYPE_UINT64, guint64(frame) * frame_time, "id",
                          G_TYPE_UINT64, id, nullptr);
    if (zone) gst_structure_set(structure, "zone", G_TYPE_STRING, zone, nullptr);
    gst_harness_push_event(harness_,
                           gst_event_new_custom(GST_EVENT_CUSTOM_DOWNSTREAM_OOB, structure));
  }
  void caps(const char *text) {
    GstCaps *caps = gst_caps_from_string(text);
    gst_harness_push_event(harness_, gst_event_new_caps(caps));
    gst_caps_unref(caps);
  }
  void eos() { gst_harness_push_event(harness_, gst_event_new_eos()); }
  std::vector<Passed> passed() {
    std::vector<Passed> list;
    while (GstBuffer *buffer = gst_harness_try_pull(harness_)) {
      fail_unless_equals_uint64(GST_BUFFER_DURATION(buffer), frame_time);
      list.push_back({int(GST_BUFFER_PTS(buffer) / frame_time),
                      bool(GST_BUFFER_FLAG_IS_SET(buffer, GST_BUFFER_FLAG_DISCONT)),
                      !GST_BUFFER_FLAG_IS_SET(buffer, GST_BUFFER_FLAG_DELTA_UNIT)});
      fail_unless_equals_uint64(GST_BUFFER_PTS(buffer) % frame_time, 0);
      gst_buffer_unref(buffer);
    }
    return list;
  }
  int alive() const { return alive_; }
  int most_alive() const { return most_alive_; }

 private:
  GstHarness *harness_;
  int alive_ = 0, most_alive_ = 0;
};

/// Expects runs of frames, first and last of each; only the first frame of a run is a
/// discontinuity.
void expect_frames(Gate &gate, const std::vector<std::pair<int, int>> &runs) {
  std::string wanted, found;
  for (const auto &[first, last] : runs)
    for (int i = first; i <= last; i++) wanted += std::to_string(i) + (i == first ? "! " : " ");
  for (const Passed &frame : gate.passed())
    found += std::to_string(frame.number) + (frame.discont ? "! " : " ");
  fail_unless(found == wanted, "%s instead of %s", found.c_str(), wanted.c_str());
}

/// Takes all events out of a harness, and counts those of a kind.
int count_events(GstHarness *harness, bool (*are)(GstEvent *)) {
  int count = 0;
  while (GstEvent *event = gst_harness_try_pull_event(harness)) {
    count += are(event);
    gst_event_unref(event);
  }
  return count;
}

bool is_request(GstEvent *event) { return gst_video_event_is_force_key_unit(event); }
bool is_end(GstEvent *event) { return GST_EVENT_TYPE(event) == GST_EVENT_EOS; }
bool is_gap(GstEvent *event) { return GST_EVENT_TYPE(event) == GST_EVENT_GAP; }

}  // namespace

// pre = 5 frames, post = 3; the event begins at 30 and ends at 40.
TEST(before_and_after) {
  Gate gate("pre=0.2 post=0.12");
  gate.push(0, 30);
  expect_frames(gate, {});
  gate.event("motion-begin", 1, 30);
  gate.push(31, 31);
  expect_frames(gate, {{25, 31}});
  gate.push(32, 40);
  gate.event("motion-end", 1, 40);
  gate.push(41, 60);
  std::vector<Passed> rest = gate.passed();
  fail_unless_equals_int(int(rest.size()), 43 - 32 + 1);
  fail_unless(!rest[0].discont && rest.back().number == 43);
  gate.event("motion-begin", 2, 60);
  gate.push(61, 62);
  gate.event("motion-end", 2, 62);
  gate.push(63, 80);
  gate.eos();
  expect_frames(gate, {{55, 65}});
}

// Results arrive up to eight frames late, or early if a queue holds their frames.
TEST(late_and_early_events) {
  Gate gate("pre=0.2 post=0.4");
  gate.push(0, 38);
  gate.event("motion-begin", 1, 30);
  gate.push(39, 45);
  gate.event("motion-end", 1, 39);
  gate.event("motion-begin", 2, 100);
  gate.event("motion-end", 2, 110);
  gate.event("motion-begin", 3, 105);
  gate.event("motion-end", 3, 112);
  gate.push(46, 200);
  expect_frames(gate, {{25, 49}, {95, 122}});
}

TEST(overlapping_events) {
  Gate gate("pre=0 post=0");
  gate.push(0, 10);
  gate.event("motion-begin", 1, 10);
  gate.push(11, 12);
  gate.event("motion-begin", 2, 12);
  gate.event("motion-end", 1, 12);
  gate.push(13, 15);
  gate.event("motion-end", 2, 15);
  gate.event("motion-end", 7, 30);  // unknown
  gate.push(16, 40);
  expect_frames(gate, {{10, 15}});
}

// Zones and lines instead of objects.
TEST(rules) {
  Gate gate("pre=0 post=0.04 open-on=rules");
  gate.event("motion-begin", 1, 1);
  gate.push(0, 10);
  gate.event("zone-enter", 1, 10, "a");
  gate.event("zone-enter", 1, 11, "b");
  gate.push(11, 12);
  gate.event("zone-leave", 1, 12, "a");
  gate.push(13, 14);
  gate.event("zone-leave", 1, 14, "b");
  gate.push(15, 20);
  gate.event("line-cross", 1, 20);
  gate.push(21, 30);
  expect_frames(gate, {{10, 15}, {20, 21}});
}

TEST(flush) {
  Gate gate("pre=10 post=10");
  gate.push(0, 20);
  gate.event("motion-begin", 1, 20);
  gst_harness_push_event(gate.harness(), gst_event_new_flush_start());
  gst_harness_push_event(gate.harness(), gst_event_new_flush_stop(TRUE));
  fail_unless_equals_int(gate.alive(), 0);
  GstSegment segment;
  gst_segment_init(&segment, GST_FORMAT_TIME);
  gst_harness_push_event(gate.harness(), gst_event_new_segment(&segment));
  gate.push(0, 20);
  expect_frames(gate, {});
  gate.event("motion-begin", 1, 20);
  gate.push(21, 21);
  expect_frames(gate, {{0, 21}});
}

TEST(end_of_stream) {
  Gate gate("pre=0.2 post=1");
  gate.push(0, 20);
  gate.event("motion-begin", 1, 20);
  gate.eos();
  expect_frames(gate, {{15, 20}});
  fail_unless_equals_int(gate.alive(), 0);
  expect(count_events(gate.harness(), is_end) == 1, "the end passes");
  Gate closed("pre=0.2");
  closed.push(0, 20);
  closed.eos();
  expect_frames(closed, {});
  fail_unless_equals_int(closed.alive(), 0);
}

// Held frames go before other caps, and equal ones change nothing.
TEST(other_caps) {
  Gate gate("pre=1");
  gate.push(0, 20);
  gate.caps(raw);
  gate.event("motion-begin", 1, 30);
  gate.push(21, 21);
  expect_frames(gate, {{5, 21}});
  const char *larger = "video/x-raw,format=GRAY8,width=8,height=4,framerate=25/1";
  gate.caps(larger);
  gate.push(22, 23);
  std::vector<Passed> open = gate.passed();
  fail_unless(open.size() == 2 && !open[0].discont);
  Gate closed("pre=1");
  closed.push(0, 20);
  closed.caps(larger);
  fail_unless_equals_int(closed.alive(), 0);
  closed.event("motion-begin", 1, 22);
  closed.push(21, 23);
  expect_frames(closed, {{21, 23}});
}

// No more frames are held than `pre` and eight more need, whatever the timestamps are.
TEST(held_frames) {
  Gate gate("pre=0.4");
  gate.push(0, 2000);
  fail_unless(gate.most_alive() <= 10 + 8 + 2, "%d frames", gate.most_alive());
  expect_frames(gate, {});
  for (const char *caps : {raw, encoded}) {
    Gate endless("pre=600 max-size-buffers=50", caps);
    endless.push(0, 500, 20);
    fail_unless(endless.most_alive() <= 51, "%d frames", endless.most_alive());
    fail_unless(endless.alive() > 20, "%d frames", endless.alive());
    Gate timeless("max-size-buffers=50", caps);
    for (int i = 0; i < 500; i++) {
      GstBuffer *buffer = gst_harness_create_buffer(timeless.harness(), 16);
      timeless.watch(buffer);
      fail_unless(gst_harness_push(timeless.harness(), buffer) == GST_FLOW_OK);
    }
    fail_unless(timeless.most_alive() <= 51, "%d frames", timeless.most_alive());
  }
  Gate no_key("pre=0.4 max-size-buffers=50", encoded);
  no_key.push(1, 500, 1000);
  fail_unless(no_key.most_alive() <= 51, "%d frames", no_key.most_alive());
}

namespace {

int upstream_requests(Gate &gate) {
  int count = 0;
  while (GstEvent *event = gst_harness_try_pull_upstream_event(gate.harness())) {
    count += is_request(event);
    gst_event_unref(event);
  }
  return count;
}

}  // namespace

// Encoded frames pass from a key frame on, which is requested if none is held.
TEST(key_frames) {
  Gate gate("pre=0.2 post=0.2", encoded);
  gate.push(0, 38, 10);
  gate.event("motion-begin", 1, 38);  // from 33
  gate.push(39, 45, 10);
  gate.event("motion-end", 1, 41);  // to 46
  gate.push(46, 55, 10);
  gate.event("motion-begin", 2, 54);  // from 49, whose key frame is 40; 47 and 48 follow the passed
  gate.event("motion-end", 2, 55);
  gate.push(56, 90, 10);
  expect_frames(gate, {{30, 60}});
  int count = 0;
  while (GstEvent *event = gst_harness_try_pull_event(gate.harness())) {
    GstClockTime time = 0, running_time = 0;
    if (is_request(event)) {
      count++;
      gst_video_event_parse_downstream_force_key_unit(event, &time, nullptr, &running_time, nullptr,
                                                      nullptr);
      fail_unless_equals_uint64(time, 30 * frame_time);
      fail_unless_equals_uint64(running_time, 30 * frame_time);
    }
    gst_event_unref(event);
  }
  fail_unless_equals_int(count, 1);
  expect(!upstream_requests(gate), "a request although a key frame is held");

  Gate late("pre=0.2", encoded);
  late.event("motion-begin", 1, 10);
  late.push(1, 35, 30);
  expect_frames(late, {{30, 35}});
  fail_unless_equals_int(upstream_requests(late), 1);
}

// Gap events cover the dropped frames; the first event prerolls sinks.
TEST(gaps) {
  Gate gate("pre=0.2");
  gate.push(0, 100);
  GstClockTime end = 0;
  int count = 0;
  while (GstEvent *event = gst_harness_try_pull_event(gate.harness())) {
    GstClockTime begin = 0, length = 0;
    if (is_gap(event)) {
      gst_event_parse_gap(event, &begin, &length);
      fail_unless_equals_uint64(begin, end);
      end = begin + length;
      count++;
    }
    gst_event_unref(event);
  }
  // 88 frames are dropped: 13 are held.
  fail_unless_equals_uint64(end, 85 * frame_time);
  fail_unless_equals_int(count, 1 + 85 / 5);
  Gate silent("pre=0.2 send-gaps=false");
  silent.push(0, 100);
  expect(!count_events(silent.harness(), is_gap), "gaps although send-gaps is false");
}

TEST(open) {
  Gate gate("pre=0.2 post=0");
  GstElement *element = gate.element();
  std::vector<bool> changes;
  g_signal_connect(element, "notify::open",
                   G_CALLBACK(+[](GObject *object, GParamSpec *, std::vector<bool> *list) {
                     gboolean open = FALSE;
                     g_object_get(object, "open", &open, nullptr);
                     list->push_back(open);
                   }),
                   &changes);
  gate.push(0, 20);
  expect(changes.empty(), "it is closed");
  gate.event("motion-begin", 1, 20);
  gate.push(21, 30);
  gate.event("motion-end", 1, 30);
  gate.push(31, 40);
  fail_unless(changes == (std::vector<bool>{true, false}));
  gate.event("motion-begin", 2, 40);
  gate.push(41, 41);
  gst_element_set_state(gate.harness()->element, GST_STATE_READY);
  fail_unless(changes == (std::vector<bool>{true, false, true, false}));
}

TEST(states) {
  Gate gate("pre=1");
  for (int i = 0; i < 3; i++) {
    gate.push(0, 20);
    fail_unless(gate.alive() > 0);
    gate.event("motion-begin", 1, 10);
    gst_element_set_state(gate.harness()->element, GST_STATE_NULL);
    fail_unless_equals_int(gate.alive(), 0);
    gst_element_set_state(gate.harness()->element, GST_STATE_PLAYING);
    gst_harness_set_src_caps_str(gate.harness(), raw);
  }
  expect_frames(gate, {});
}

// The latency is that of the oldest frame that may pass; pools get as many buffers as are held.
TEST(queries) {
  Gate gate("pre=1");
  gst_harness_set_upstream_latency(gate.harness(), GST_SECOND);
  fail_unless_equals_uint64(gst_harness_query_latency(gate.harness()),
                            2 * GST_SECOND + 8 * frame_time);
  gst_harness_add_propose_allocation_meta(gate.harness(), GST_VIDEO_META_API_TYPE, nullptr);
  GstPad *pad = gst_element_get_static_pad(gate.harness()->element, "sink");
  if (!pad) pad = GST_PAD(gst_object_ref(GST_PAD_PEER(gate.harness()->srcpad)));
  GstCaps *caps = gst_caps_from_string(raw);
  GstQuery *query = gst_query_new_allocation(caps, TRUE);
  fail_unless(gst_pad_query(pad, query));
  guint size = 0, least = 0, most = 0;
  fail_unless(gst_query_get_n_allocation_pools(query) > 0);
  gst_query_parse_nth_allocation_pool(query, 0, nullptr, &size, &least, &most);
  fail_unless(least >= 25 + 1 + 8 + 1 && most == 0, "%u to %u buffers", least, most);
  gst_query_unref(query);
  gst_caps_unref(caps);
  gst_object_unref(pad);
}

// The pipeline asks for the latency again after `pre` has changed.
TEST(latency_changes) {
  Gate gate("pre=1");
  GstBus *bus = gst_bus_new();
  gst_element_set_bus(gate.harness()->element, bus);
  const auto reports = [&] {
    int count = 0;
    while (GstMessage *message = gst_bus_pop_filtered(bus, GST_MESSAGE_LATENCY)) {
      gst_message_unref(message);
      count++;
    }
    return count;
  };
  gate.push(0, 1);
  fail_unless_equals_int(reports(), 0);
  g_object_set(gate.element(), "pre", 2.0, nullptr);
  gate.push(2, 2);
  fail_unless_equals_int(reports(), 1);
  gst_element_set_bus(gate.harness()->element, nullptr);
  gst_object_unref(bus);
}

// An event of glclmotion opens the gate behind it, also without messages.
TEST(behind_motion) {
  for (const char *between : {"", "! queue ", "! gldownload ! videoconvert "}) {
    test::Pipeline pipeline(
        "videotestsrc pattern=ball num-buffers=60 ! "
        "video/x-raw,width=160,height=120,framerate=25/1 "
        "! glupload ! glcolorconvert ! glclmotion name=motion detect=true " +
        std::string(between) + "! glclgate name=gate pre=0.04 post=0.04 ! fakesink name=end");
    struct Times {
      GstClockTime first = GST_CLOCK_TIME_NONE, last = 0, begin = GST_CLOCK_TIME_NONE;
    } times;
    GstPad *pad = gst_element_get_static_pad(pipeline["end"], "sink");
    gst_pad_add_probe(
        pad, GST_PAD_PROBE_TYPE_BUFFER,
        [](GstPad *, GstPadProbeInfo *info, gpointer data) {
          auto *seen = static_cast<Times *>(data);
          seen->last = GST_BUFFER_PTS(GST_PAD_PROBE_INFO_BUFFER(info));
          if (!GST_CLOCK_TIME_IS_VALID(seen->first)) seen->first = seen->last;
          return GST_PAD_PROBE_OK;
        },
        &times, nullptr);
    gst_object_unref(pad);
    pad = gst_element_get_static_pad(pipeline["gate"], "sink");
    gst_pad_add_probe(
        pad, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM,
        [](GstPad *, GstPadProbeInfo *info, gpointer data) {
          auto *seen = static_cast<Times *>(data);
          const GstStructure *event = gst_event_get_structure(GST_PAD_PROBE_INFO_EVENT(info));
          if (event && gst_structure_has_name(event, "motion-begin"))
            gst_structure_get_uint64(event, "running-time", &seen->begin);
          return GST_PAD_PROBE_OK;
        },
        &times, nullptr);
    gst_object_unref(pad);
    g_object_set(pipeline["motion"], "post-messages", FALSE, nullptr);
    expect(pipeline.run(), "it ends");
    fail_unless(GST_CLOCK_TIME_IS_VALID(times.begin) && times.begin >= frame_time);
    fail_unless_equals_uint64(times.first, times.begin - frame_time);
    fail_unless_equals_uint64(times.last, 59 * frame_time);
  }
}

namespace {

/// Announces frames as glclhistogram does.
void announce(Gate &gate, const std::vector<int> &frames) {
  for (const int frame : frames) gate.event("shot-sharpest", 0, frame);
}
void announce_delay(Gate &gate, GstClockTime time, guint frames) {
  gst_harness_push_event(
      gate.harness(),
      gst_event_new_custom(GST_EVENT_CUSTOM_DOWNSTREAM_OOB,
                           gst_structure_new("shot-delay", "time", G_TYPE_UINT64, guint64(time),
                                             "frames", G_TYPE_UINT, frames, nullptr)));
}

}  // namespace

// Exactly the announced frames, however late or early.
TEST(shots) {
  Gate gate("open-on=shots");
  announce_delay(gate, 10 * frame_time, 20);
  gate.event("motion-begin", 1, 1);
  announce(gate, {90});
  gate.push(0, 37);
  announce(gate, {0, 9});
  gate.push(38, 38);
  expect_frames(gate, {{0, 0}, {9, 9}});
  announce(gate, {8, 30, 38});  // 8 is too late
  gate.push(39, 200);
  fail_unless(gate.most_alive() <= 10 + 20 + 8 + 2 + 3, "%d frames", gate.most_alive());
  expect_frames(gate, {{30, 30}, {38, 38}, {90, 90}});
  announce(gate, {199, 200});
  gate.eos();
  std::vector<Passed> last = gate.passed();
  fail_unless(last.size() == 2 && last[0].number == 199 && last[1].number == 200);
}

// The frame in which each object begins. Ends, zones and shots do not count.
TEST(objects) {
  Gate gate("open-on=objects pre=5 post=5");
  gate.push(0, 12);
  gate.event("motion-begin", 1, 10);
  gate.event("motion-begin", 2, 10);
  gate.event("zone-enter", 1, 11, "a");
  gate.event("shot-sharpest", 0, 12);
  gate.push(13, 20);
  gate.event("motion-end", 1, 15);
  gate.event("motion-begin", 3, 20);
  gate.push(21, 40);
  gate.event("motion-begin", 1, 40);  // the same number again
  gate.eos();
  std::string numbers;
  for (const Passed &frame : gate.passed()) numbers += std::to_string(frame.number) + " ";
  fail_unless(numbers == "10 20 40 ", "%s", numbers.c_str());
  fail_unless(gate.most_alive() <= 8 + 2 + 3, "%d frames", gate.most_alive());
}

// The time of the delay counts for latency and pools.
TEST(delay_of_shots) {
  Gate gate("open-on=shots pre=600");
  announce_delay(gate, GST_SECOND, 65);
  gst_harness_set_upstream_latency(gate.harness(), GST_SECOND);
  fail_unless_equals_uint64(gst_harness_query_latency(gate.harness()),
                            2 * GST_SECOND + (65 + 8) * frame_time);
  announce_delay(gate, 2 * GST_SECOND, 65);
  fail_unless_equals_uint64(gst_harness_query_latency(gate.harness()),
                            3 * GST_SECOND + (65 + 8) * frame_time);
}

// Encoded frames pass from a key frame on, also if they come in the order of decoding.
TEST(encoded_shots) {
  Gate gate("open-on=shots", encoded);
  announce_delay(gate, 10 * frame_time, 20);
  const auto push = [&](std::initializer_list<int> frames) {
    for (const int i : frames) gate.push(i, i, 10);
  };
  push({0, 3, 1, 2, 6, 4, 5, 9, 7, 8, 10, 13, 11, 12, 16, 14, 15, 19, 17, 18});
  announce(gate, {11, 14});
  gate.eos();
  std::string found;
  for (const Passed &frame : gate.passed())
    found += std::to_string(frame.number) + (frame.discont ? "! " : " ");
  fail_unless(found == "10! 13 11 12 16 14 ", "%s", found.c_str());
}
