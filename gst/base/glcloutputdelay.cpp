// SPDX-License-Identifier: LGPL-2.1-or-later
#include "glcloutputdelay.h"

#include <utility>

namespace glcl {

namespace {

/// A buffer without memory that has the frame's timestamps, flags, and metas that outlive it.
GstBuffer *without_memory(GstGLCLFilter *element, GstBuffer *frame) {
  GstBuffer *copy = gst_buffer_new();
  auto *trans = GST_BASE_TRANSFORM(element);
  GST_BASE_TRANSFORM_GET_CLASS(trans)->copy_metadata(trans, frame, copy);
  return copy;
}

}  // namespace

void OutputDelay::start() {
  drop();
  frames_ = 0;
  has_rate_ = discontinuous_ = false;
  duration_ = reported_ = 0;
}

void OutputDelay::take_discontinuity(GstPadProbeInfo *info) {
  GstBuffer *frame = GST_PAD_PROBE_INFO_BUFFER(info);
  if (!GST_BUFFER_IS_DISCONT(frame) || (waiting_.empty() && current_delay() == 0)) return;
  frame = gst_buffer_make_writable(frame);
  GST_BUFFER_FLAG_UNSET(frame, GST_BUFFER_FLAG_DISCONT);
  GST_PAD_PROBE_INFO_DATA(info) = frame;
  discontinuous_ = true;
}

void OutputDelay::restore_discontinuity(GstBuffer **frame) {
  if (!std::exchange(discontinuous_, false)) return;
  *frame = gst_buffer_make_writable(*frame);
  GST_BUFFER_FLAG_SET(*frame, GST_BUFFER_FLAG_DISCONT);
}

void OutputDelay::set_info(const GstVideoInfo &info) {
  has_rate_ = info.fps_n > 0;
  duration_ = has_rate_ ? gst_util_uint64_scale_int(GST_SECOND, info.fps_d, info.fps_n) : 0;
}

int OutputDelay::current_delay() const {
  const GstGLCLFilterClass *klass = GST_GLCL_FILTER_GET_CLASS(element_);
  return klass->waiting.delay ? klass->waiting.delay(element_) : 0;
}

void OutputDelay::begin_frame(GstBuffer *frame) {
  frames_ = current_delay();
  if (!has_rate_ && GST_BUFFER_DURATION_IS_VALID(frame)) duration_ = GST_BUFFER_DURATION(frame);
  const GstClockTime now = latency();
  if (reported_.exchange(now) != now)
    gst_element_post_message(GST_ELEMENT(element_), gst_message_new_latency(GST_OBJECT(element_)));
}

GstFlowReturn OutputDelay::release(const std::function<bool()> &is_due) {
  const auto pass = [&](GstEvent *event) {
    gst_pad_push_event(GST_BASE_TRANSFORM_SRC_PAD(element_), event);
  };
  GstFlowReturn flow = GST_FLOW_OK;
  while (flow == GST_FLOW_OK && is_due()) {
    if (lost_.exchange(false)) {
      waiting_.clear();
      break;
    }
    flow = push_(waiting_.take());
    waiting_.pass_events(pass);
  }
  return flow;
}

GstFlowReturn OutputDelay::add(GstBuffer *with_metas, WaitingFrames::Clock::time_point arrival) {
  GstBuffer *frame = without_memory(element_, with_metas);
  restore_discontinuity(&frame);
  waiting_.add({frame, arrival});
  return release([&] { return waiting_.is_due(frames_, duration_); });
}

GstFlowReturn OutputDelay::skip(GstClockTime timestamp) {
  if (!is_active()) return GST_FLOW_OK;
  discontinuous_ = true;  // the next frame
  waiting_.arrive(timestamp);
  return release([&] { return waiting_.is_due(frames_, duration_); });
}

GstFlowReturn OutputDelay::drain() {
  const GstFlowReturn flow = release([&] { return !waiting_.empty(); });
  if (flow != GST_FLOW_OK) drop();
  return flow;
}

void OutputDelay::drop() {
  lost_ = discontinuous_ = false;
  waiting_.clear();
  forget_();
}

bool OutputDelay::keep(GstEvent *event) {
  if (waiting_.empty()) return false;
  waiting_.add(event);
  return true;
}

GstClockTime OutputDelay::latency() const { return GstClockTime(current_delay()) * duration_; }

void OutputDelay::add_to(GstQuery *query) {
  gboolean live;
  GstClockTime least, most;
  gst_query_parse_latency(query, &live, &least, &most);
  const GstClockTime more = latency();
  reported_ = more;
  gst_query_set_latency(query, live, least + more,
                        GST_CLOCK_TIME_IS_VALID(most) ? most + more : GST_CLOCK_TIME_NONE);
}

GstEvent *OutputDelay::before_delay(GstEvent *qos) const {
  const GstClockTime more = latency();
  GstQOSType type;
  gdouble proportion;
  GstClockTimeDiff late;
  GstClockTime time;
  gst_event_parse_qos(qos, &type, &proportion, &late, &time);
  if (!more || !GST_CLOCK_TIME_IS_VALID(time)) return qos;
  GstEvent *shifted = gst_event_new_qos(type, proportion, late, time + more);
  gst_event_set_seqnum(shifted, gst_event_get_seqnum(qos));
  gst_event_unref(qos);
  return shifted;
}

}  // namespace glcl
