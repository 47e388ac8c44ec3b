// SPDX-License-Identifier: LGPL-2.1-or-later
#include "messagelog.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <iterator>
#include <utility>

#include "tests/support/result.h"

namespace test {

namespace {

void check_value(const char *message, const char *field, const GValue *value) {
  if (G_VALUE_HOLDS(value, test::field_array()))
    for (guint i = 0; i < test::values(value)->n_values; i++)
      check_value(message, field, test::values(value)->values + i);
  if (!G_VALUE_HOLDS_DOUBLE(value)) return;
  const double number = g_value_get_double(value);
  constexpr const char *parts[] = {"moving",      "confidence",   "zero",
                                   "clipped-low", "clipped-high", "score"};
  const bool part = std::any_of(std::begin(parts), std::end(parts),
                                [&](const char *name) { return !std::strcmp(name, field); });
  const bool sane = !std::strcmp(field, "psnr") ? number >= 0  // infinite for equal frames
                    : part                      ? number >= 0 && number <= 1
                                                : std::abs(number) <= 65025;
  fail_unless(sane, "%s: %s=%g", message, field, number);
}

/// Checks each field of the message and returns it.
LoggedMessage read(const GstStructure *structure) {
  LoggedMessage logged{gst_structure_get_name(structure), 0, 0, 0, 0, NAN, NAN, 0};
  const std::pair<const char *, GstClockTime *> times[] = {{"timestamp", &logged.timestamp},
                                                           {"stream-time", &logged.stream_time},
                                                           {"running-time", &logged.running_time},
                                                           {"duration", &logged.duration}};
  for (const auto &[field, time] : times)
    expect(gst_structure_get_clock_time(structure, field, time), std::string("no ") + field);
  gst_structure_get_double(structure, "mean-x", &logged.x);
  gst_structure_get_double(structure, "mean-y", &logged.y);
  gst_structure_get_uint64(structure, "frame", &logged.frame);
  for (int i = 0; i < gst_structure_n_fields(structure); i++) {
    const char *field = gst_structure_nth_field_name(structure, static_cast<guint>(i));
    check_value(logged.name.c_str(), field, gst_structure_get_value(structure, field));
  }
  return logged;
}

}  // namespace

std::vector<LoggedMessage> MessageLog::of(const std::string &name) const {
  std::vector<LoggedMessage> found;
  std::copy_if(begin(), end(), std::back_inserter(found),
               [&](const LoggedMessage &logged) { return logged.name == name; });
  return found;
}

void MessageLog::expect_times(const std::vector<GstClockTime> &of_all,
                              const std::vector<GstClockTime> &of_moved) const {
  for (const auto &[name, times] :
       {std::pair{"glclhistogram", of_all}, {"glclmotion", of_moved}, {"glopenclflow", of_moved}}) {
    std::string got, wanted;
    for (const LoggedMessage &logged : of(name))
      got += " " + std::to_string(logged.timestamp / GST_MSECOND);
    for (GstClockTime time : times) wanted += " " + std::to_string(time / GST_MSECOND);
    expect(got == wanted, std::string(name) + " reported" + got + " instead of" + wanted + " ms");
  }
}

void MessageLog::expect_vectors(double x, double y) const {
  int vectors = 0;
  for (const LoggedMessage &logged : *this) {
    if (std::isnan(logged.x)) continue;
    vectors++;
    fail_unless(std::hypot(logged.x - x, logged.y - y) < 0.5,
                "%s at %d ms: (%g, %g) instead of (%g, %g)", logged.name.c_str(),
                int(logged.timestamp / GST_MSECOND), logged.x, logged.y, x, y);
  }
  expect(vectors > 0, "no frame has vectors");
}

MessageLog read_log(Messages &messages) {
  MessageLog log;
  while (GstMessage *message = messages.next(GST_MESSAGE_ELEMENT, 0)) {
    log.push_back(read(gst_message_get_structure(message)));
    gst_message_unref(message);
  }
  return log;
}

MessageLog play(Pipeline &pipeline) {
  MessageLog log;
  pipeline.set(GST_STATE_PLAYING);
  for (;;) {
    GstMessage *message = pipeline.messages().next(
        GST_MESSAGE_ELEMENT | GST_MESSAGE_EOS | GST_MESSAGE_ERROR | GST_MESSAGE_SEGMENT_DONE,
        patience);
    expect(message, "the pipeline hangs");
    const bool element = GST_MESSAGE_TYPE(message) == GST_MESSAGE_ELEMENT;
    const GstStructure *structure = element ? gst_message_get_structure(message) : nullptr;
    if (element && gst_structure_has_field(structure, "running-time"))
      log.push_back(read(structure));
    gst_message_unref(message);
    if (!element) break;
  }
  for (const Message &error : pipeline.messages().errors())
    expect(error.source.rfind("gl", 0) != 0, error.source + ": " + error.text);
  return log;
}

void Stream::caps(int width, int height, const std::string &rest) {
  const std::string text = "video/x-raw,format=RGBA,width=" + std::to_string(width) +
                           ",height=" + std::to_string(height) + "," + rest;
  gst_harness_set_src_caps_str(chain.harness(), text.c_str());
}

void Stream::push(const Frame &frame, GstClockTime time, GstClockTime duration, guint flags) {
  GstBuffer *buffer = gst_buffer_new_memdup(frame.rgba.data(), frame.rgba.size());
  GST_BUFFER_PTS(buffer) = time;
  GST_BUFFER_DURATION(buffer) = duration;
  GST_BUFFER_FLAG_SET(buffer, flags);
  expect(push(buffer) == GST_FLOW_OK, "a frame is refused");
  buffer = chain.pull_buffer();
  expect(GST_BUFFER_PTS(buffer) == time, "frames keep their time");
  gst_buffer_unref(buffer);
}

MessageLog Stream::end() {
  event(gst_event_new_eos());
  const MessageLog all = read_log(chain.messages());
  expect_none(chain.messages().errors());
  return all;
}

GstSegment time_segment(double rate, GstClockTime start, GstClockTime stop) {
  GstSegment segment;
  gst_segment_init(&segment, GST_FORMAT_TIME);
  segment.rate = rate;
  segment.start = start;
  segment.stop = stop;
  segment.position = rate < 0 ? stop : start;
  return segment;
}

std::vector<GstClockTime> frames(int first, int last, int step) {
  std::vector<GstClockTime> times;
  for (int i = first; step > 0 ? i <= last : i >= last; i += step)
    times.push_back(static_cast<GstClockTime>(i) * frame_time);
  return times;
}

}  // namespace test
