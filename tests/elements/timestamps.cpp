// SPDX-License-Identifier: LGPL-2.1-or-later
// Unusual times: streams played backward, in segments, without times or with jumps. The analysers'
// messages stay valid.
#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "messagelog.h"

using test::expect;
using test::frame_time;
using test::frames;
using test::LoggedMessage;
using test::MessageLog;
using test::Pipeline;
using test::play;
using test::read_log;
using test::scene;
using test::Stream;
using test::time_segment;
using test::upload_and_analyze;

namespace {

constexpr GstClockTime none = GST_CLOCK_TIME_NONE;

}  // namespace

// Backward frames come in the reverse order of their times. Players mark every one, or the first of
// each group, as a discontinuity.
TEST(backward) {
  for (const auto &[rate, marked] : {std::pair{-1.0, 100}, {-1.0, 4}, {-2.0, 1}}) {
    Stream stream;
    stream.caps(64, 48);
    const GstSegment segment = time_segment(rate, 0, 10 * frame_time);
    stream.segment(segment);
    for (int i = 9; i >= 0; i--)
      stream.push(scene(i), static_cast<GstClockTime>(i) * frame_time, frame_time,
                  (9 - i) % marked ? 0 : GST_BUFFER_FLAG_DISCONT);
    const MessageLog log = stream.end();
    log.expect_times(frames(9, 0, -1), frames(8, 0, -1));
    log.expect_vectors(-2, -1);
    for (const LoggedMessage &logged : log) {
      expect(logged.stream_time == logged.timestamp, "stream-time goes backward");
      expect(logged.running_time ==
                 static_cast<GstClockTime>((10 * frame_time - logged.timestamp) / -rate),
             "running-time goes forward");
    }
  }
}

// Messages are due by running time, which at double speed advances by half a frame duration per
// frame.
TEST(backward_interval) {
  for (const int rate : {-1, -2}) {
    Stream stream("glclhistogram interval=80000000");
    stream.caps(64, 48);
    stream.segment(time_segment(rate, 0, 12 * frame_time));
    for (int i = 11; i >= 0; i--) stream.push(scene(i), static_cast<GstClockTime>(i) * frame_time);
    const auto logged = stream.end();
    expect(logged.size() == (rate == -1 ? 6 : 3), std::to_string(logged.size()) + " messages");
    for (size_t i = 0; i < logged.size(); i++)
      expect(logged[i].timestamp == (11 + 2 * rate * guint64(i)) * frame_time, "at even distances");
  }
}

TEST(backward_break) {
  Stream stream;
  stream.caps(64, 48);
  stream.segment(time_segment(-1, 0, 40 * frame_time));
  const auto push = [&](int i, guint flags = 0) {
    stream.push(scene(i % 20), static_cast<GstClockTime>(i) * frame_time, frame_time, flags);
  };
  push(39);
  push(38);
  push(20, GST_BUFFER_FLAG_DISCONT);  // a gap
  push(19);
  push(30, GST_BUFFER_FLAG_DISCONT);  // backward in time
  push(29);
  const std::vector<GstClockTime> all = {39 * frame_time, 38 * frame_time, 20 * frame_time,
                                         19 * frame_time, 30 * frame_time, 29 * frame_time};
  stream.end().expect_times(all, {all[1], all[3], all[5]});
}

TEST(backward_shot) {
  Stream stream("glclhistogram shot-detection=true post-messages=false");
  stream.caps(64, 48);
  stream.segment(time_segment(-1, 0, 30 * frame_time));
  for (int i = 29; i >= 0; i--)
    stream.push(i >= 15 ? scene(i) : reference::relit(scene(i), 0.3, 170),
                static_cast<GstClockTime>(i) * frame_time, frame_time, GST_BUFFER_FLAG_DISCONT);
  const auto shots = stream.end().of("shot");
  expect(shots.size() == 1, std::to_string(shots.size()) + " shots");
  expect(shots[0].frame == 15 && shots[0].timestamp == 14 * frame_time, "where it begins");
}

TEST(segments) {
  Stream stream;
  stream.caps(64, 48);
  GstSegment segment = time_segment(1, 10 * GST_SECOND, 20 * GST_SECOND);
  segment.time = 100 * GST_SECOND;
  segment.base = 5 * GST_SECOND;
  segment.offset = GST_SECOND;
  stream.segment(segment);
  for (int i = 0; i < 3; i++)
    stream.push(scene(i), 11 * GST_SECOND + static_cast<GstClockTime>(i) * frame_time);
  // The next segment begins at the running time of the last one.
  segment = time_segment();
  segment.base = 5 * GST_SECOND + 3 * frame_time;
  stream.segment(segment);
  for (int i = 0; i < 3; i++) stream.push(scene(i), static_cast<GstClockTime>(i) * frame_time);
  // A segment whose frames lie outside of it.
  stream.segment(time_segment(1, GST_SECOND, 2 * GST_SECOND));
  for (int i = 0; i < 3; i++) stream.push(scene(i), static_cast<GstClockTime>(i) * frame_time);
  const MessageLog log = stream.end();
  expect(log.of("glclhistogram").size() == 9, "every frame has a message");
  for (const char *name : {"glclmotion", "glopenclflow"})
    expect(log.of(name).size() == 6, "each segment begins anew");
  const auto logged = log.of("glclhistogram");
  for (size_t i = 0; i < 9; i++) {
    const GstClockTime in_part = i % 3 * frame_time;
    const GstClockTime stream_time = i < 3 ? 101 * GST_SECOND + in_part : i < 6 ? in_part : none;
    const GstClockTime running_time = i < 3   ? 5 * GST_SECOND + in_part
                                      : i < 6 ? 5 * GST_SECOND + 3 * frame_time + in_part
                                              : none;
    fail_unless(logged[i].stream_time == stream_time && logged[i].running_time == running_time,
                "frame %zu: %" GST_TIME_FORMAT ", %" GST_TIME_FORMAT, i,
                GST_TIME_ARGS(logged[i].stream_time), GST_TIME_ARGS(logged[i].running_time));
  }
}

// A loop by segment seeks: stream time begins again, running time continues.
TEST(segment_seeks) {
  Pipeline pipeline(
      "videotestsrc pattern=ball ! video/x-raw,format=RGBA,width=64,height=48,framerate=25/1" +
      upload_and_analyze);
  expect(pipeline.reach(GST_STATE_PAUSED), "PAUSED can't be reached");
  GstClockTime last = 0;
  for (int round = 0; round < 4; round++) {
    const int flags = (round ? 0 : GST_SEEK_FLAG_FLUSH) | (round < 3 ? GST_SEEK_FLAG_SEGMENT : 0);
    expect(gst_element_seek(pipeline.bin(), 1, GST_FORMAT_TIME, static_cast<GstSeekFlags>(flags),
                            GST_SEEK_TYPE_SET, 4 * frame_time, GST_SEEK_TYPE_SET, 9 * frame_time),
           "the seek failed");
    if (!round) read_log(pipeline.messages());
    // The source posts SEGMENT_DONE before it sends the event, so some messages may arrive in the
    // next round.
    for (const LoggedMessage &logged : play(pipeline).of("glclhistogram")) {
      fail_unless(logged.stream_time >= 4 * frame_time && logged.stream_time < 9 * frame_time);
      expect(logged.running_time > last || logged.running_time == 0, "running-time goes on");
      last = logged.running_time;
    }
  }
  expect(last == (4 * 5 - 1) * frame_time, "all rounds are reported");
}

TEST(gaps) {
  Stream stream;
  stream.caps(64, 48);
  std::vector<GstClockTime> all;
  GstClockTime time = 0;
  for (const int missing : {0, 0, 2, 0, 100, 0}) {
    if (missing) stream.event(gst_event_new_gap(time, missing * frame_time));
    time += missing * frame_time;
    stream.push(scene(static_cast<int>(all.size())), time);
    all.push_back(time);
    time += frame_time;
  }
  // glclmotion searches in any previous frame, glopenclflow only if time advances.
  const MessageLog log = stream.end();
  log.expect_vectors(2, 1);
  expect(log.of("glclhistogram").size() == all.size(), "every frame has a message");
  expect(log.of("glclmotion").size() == all.size() - 1, "blocks have vectors across a gap");
  expect(log.of("glopenclflow").size() == all.size() - 2, "but not every pixel");
}

// Neither timestamps nor durations, then only timestamps; a still camera with 0/1 frames/s.
TEST(no_times) {
  for (const char *framerate : {"framerate=25/1", "framerate=0/1"}) {
    Stream stream;
    stream.caps(64, 48, framerate);
    for (int i = 0; i < 4; i++) stream.push(scene(i), none, none);
    const MessageLog untimed = stream.end();
    untimed.expect_times({none, none, none, none}, {none, none, none});
    untimed.expect_vectors(2, 1);
    for (const LoggedMessage &logged : untimed)
      expect(logged.stream_time == none && logged.running_time == none && logged.duration == none,
             "no time comes from nowhere");
    stream.event(gst_event_new_flush_start());
    stream.event(gst_event_new_flush_stop(TRUE));
    stream.segment(time_segment());
    // Without a frame duration a gap is unknown.
    const std::vector<GstClockTime> times = {0, GST_SECOND, GST_SECOND, 90 * GST_SECOND};
    for (int i = 0; i < 4; i++) stream.push(scene(i), times[i], i % 2 ? none : 0);
    const MessageLog log = stream.end();
    log.expect_times(times, {times[1], times[2], times[3]});
    log.expect_vectors(2, 1);
  }
}

TEST(jumping_times) {
  Stream stream;
  stream.caps(64, 48);
  std::vector<GstClockTime> all, after_all, steady;
  int number = 0;
  const std::vector<GstClockTime> starts = {0, 100 * GST_SECOND, 3 * GST_SECOND,
                                            0, G_MAXINT64 / 2,   0};
  for (const GstClockTime start : starts)
    for (int i = 0; i < 2; i++, number++) {
      all.push_back(start + static_cast<GstClockTime>(i) * frame_time);
      if (number) after_all.push_back(all.back());
      if (i) steady.push_back(all.back());
      stream.push(scene(number), all.back());
    }
  const MessageLog log = stream.end();
  log.expect_vectors(2, 1);
  expect(log.of("glclhistogram").size() == all.size(), "every frame has a message");
  expect(log.of("glclmotion").size() == after_all.size(), "blocks have vectors");
  const auto flow = log.of("glopenclflow");
  expect(flow.size() == steady.size(), "pixels have vectors where time goes on");
  for (size_t i = 0; i < steady.size(); i++) expect(flow[i].timestamp == steady[i], "there");
}

TEST(discontinuity_everywhere) {
  Stream stream;
  stream.caps(64, 48);
  for (int i = 0; i < 5; i++)
    stream.push(scene(i), static_cast<GstClockTime>(i) * frame_time, frame_time,
                GST_BUFFER_FLAG_DISCONT);
  stream.end().expect_times(frames(0, 4), {});
}

// The frame after dropped late frames is marked as a discontinuity.
TEST(late_frame) {
  Stream stream("glclmotion interval=0 ! glopenclflow interval=0 display=none");
  stream.caps(64, 48);
  for (int i = 0; i < 2; i++) stream.push(scene(i), static_cast<GstClockTime>(i) * frame_time);
  gst_harness_push_upstream_event(
      stream.chain.harness(),
      gst_event_new_qos(GST_QOS_TYPE_UNDERFLOW, 2, 60 * GST_MSECOND, frame_time));
  GstBuffer *late = stream.chain.buffer_of(scene(2));
  GST_BUFFER_PTS(late) = 2 * frame_time;
  stream.push(late);
  stream.push(scene(3), 3 * frame_time);
  const MessageLog log = stream.end();
  for (const char *name : {"glclmotion", "glopenclflow"}) {
    const auto logged = log.of(name);
    expect(logged.size() == 2 && logged[1].timestamp == 3 * frame_time, "it leaves no gap");
    expect(std::hypot(logged[1].x - 4, logged[1].y - 2) < 0.5, "the vectors span it");
  }
}

// A frame with a time that was wrong by an hour is late by an hour. A frame that is no longer late
// is marked for another reason.
TEST(late_by_an_hour) {
  Stream stream("glclmotion interval=0");
  stream.caps(64, 48);
  const auto send_qos = [&](GstClockTime time, GstClockTimeDiff late) {
    gst_harness_push_upstream_event(stream.chain.harness(),
                                    gst_event_new_qos(GST_QOS_TYPE_UNDERFLOW, 1, late, time));
  };
  const GstClockTime hour = 3600 * GST_SECOND, later = hour + 2 * GST_SECOND;
  std::vector<GstClockTime> after_others;
  int number = 0;
  const auto push = [&](GstClockTime time, bool follows, guint flags = 0) {
    stream.push(scene(number++), time, frame_time, flags);
    if (follows) after_others.push_back(time);
  };
  push(hour, false);
  send_qos(0, static_cast<GstClockTimeDiff>(hour));
  push(hour + frame_time, true);
  send_qos(hour + frame_time, -20 * GST_MSECOND);
  push(hour + 3 * frame_time, true, GST_BUFFER_FLAG_DISCONT);  // after one that was dropped
  push(later, true);
  push(later + frame_time, false, GST_BUFFER_FLAG_DISCONT);
  push(later + 2 * frame_time, true);
  // A frame earlier than the dropped one does not follow it.
  send_qos(later + 2 * frame_time, 4 * frame_time);
  push(later + 9 * frame_time, true, GST_BUFFER_FLAG_DISCONT);
  push(later + 8 * frame_time, false, GST_BUFFER_FLAG_DISCONT);
  push(later + 9 * frame_time, true);
  const auto logged = stream.end().of("glclmotion");
  expect(logged.size() == after_others.size(), std::to_string(logged.size()) + " messages");
  for (size_t i = 0; i < logged.size(); i++)
    expect(logged[i].timestamp == after_others[i], "there");
}
