// SPDX-License-Identifier: LGPL-2.1-or-later
#include "streetplayer.h"

#include <stdexcept>

#include "streettimes.h"

namespace street {

namespace {

bool is_there(const char *name) {
  GstElementFactory *factory = gst_element_factory_find(name);
  if (factory) gst_object_unref(factory);
  return factory;
}

std::string decoder() {
  return is_there("avdec_h264") ? "avdec_h264 max-threads=1" : "openh264dec";
}

Event event_of(const GstStructure *fields) {
  Event event;
  event.name = gst_structure_get_name(fields);
  guint64 time = 0, duration = 0, id = 0;
  gst_structure_get_clock_time(fields, "running-time", &time);
  event.frame = int((time * rate + GST_SECOND / 2) / GST_SECOND);
  if (gst_structure_get_uint64(fields, "id", &id)) event.id = id;
  gint x = 0, y = 0, w = 0, h = 0;
  if (gst_structure_get_int(fields, "x", &x) && gst_structure_get_int(fields, "y", &y) &&
      gst_structure_get_int(fields, "width", &w) && gst_structure_get_int(fields, "height", &h))
    event.box = {float(x), float(y), float(x + w), float(y + h)};
  for (const char *name : {"direction", "zone", "to", "state"})
    if (const char *text = gst_structure_get_string(fields, name)) event.what = text;
  if (event.name != "object-state")
    for (const char *name : {"zone-duration", "scene-duration"})
      if (gst_structure_get_uint64(fields, name, &duration))
        event.seconds = double(duration) / GST_SECOND;
  guint64 since = 0, now = 0;
  if (event.name == "object-state" && gst_structure_get_uint64(fields, "since", &since) &&
      gst_structure_get_clock_time(fields, "timestamp", &now))
    event.seconds = double(now - since) / GST_SECOND;
  return event;
}

}  // namespace

bool has_encoder() {
  return is_there("x264enc") && (is_there("avdec_h264") || is_there("openh264dec"));
}

Player::Player(const std::string &settings, const std::string &rules, int kbits, int group) {
  const std::string coder =
      kbits
          ? "videoconvert ! x264enc tune=zerolatency speed-preset=veryfast threads=1 key-int-max=" +
                std::to_string(group) + " bitrate=" + std::to_string(kbits) + " ! " + decoder() +
                " ! "
          : "";
  GError *error = nullptr;
  bin_ =
      gst_parse_bin_from_description((coder +
                                      "identity name=decoded ! glupload ! glcolorconvert ! "
                                      "glclmotion name=motion detect=true interval=3600000000000 " +
                                      settings +
                                      " ! gldownload ! videoconvert ! video/x-raw,format=RGBA ! "
                                      "fakesink name=out sync=false async=false")
                                         .c_str(),
                                     TRUE, &error);
  if (error) {
    const std::string text = error->message;
    g_error_free(error);
    throw std::runtime_error(text);
  }
  GstElement *motion = gst_bin_get_by_name(GST_BIN(bin_), "motion");
  g_object_set(motion, "rules", rules.c_str(), nullptr);
  gst_object_unref(motion);
  GstElement *decoded = gst_bin_get_by_name(GST_BIN(bin_), "decoded");
  GstPad *pad = gst_element_get_static_pad(decoded, "src");
  gst_pad_add_probe(pad, GST_PAD_PROBE_TYPE_BUFFER, freeze, this, nullptr);
  gst_object_unref(pad);
  gst_object_unref(decoded);
  bus_ = gst_bus_new();
  gst_element_set_bus(bin_, bus_);
  harness_ = gst_harness_new_with_element(GST_ELEMENT(gst_object_ref_sink(bin_)), "sink", nullptr);
}

Player::~Player() {
  gst_element_set_state(bin_, GST_STATE_NULL);
  gst_buffer_replace(&last_, nullptr);
  gst_element_set_bus(bin_, nullptr);
  gst_harness_teardown(harness_);
  gst_object_unref(bin_);
  gst_object_unref(bus_);
}

void Player::show(const std::function<void(int, const reference::Frame &)> &picture) {
  picture_ = picture;
  GstElement *out = gst_bin_get_by_name(GST_BIN(bin_), "out");
  g_object_set(out, "signal-handoffs", TRUE, nullptr);
  const auto take = [](GstElement *, GstBuffer *buffer, GstPad *, gpointer data) {
    auto *self = static_cast<Player *>(data);
    reference::Frame frame(width, height);
    gst_buffer_extract(buffer, 0, frame.rgba.data(), frame.rgba.size());
    self->picture_(self->shown_++, frame);
  };
  g_signal_connect(out, "handoff", G_CALLBACK(+take), this);
  gst_object_unref(out);
}

GstPadProbeReturn Player::freeze(GstPad *, GstPadProbeInfo *info, gpointer player) {
  auto *self = static_cast<Player *>(player);
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER(info);
  if (!self->frozen_ || !self->last_) {
    gst_buffer_replace(&self->last_, buffer);
    return GST_PAD_PROBE_OK;
  }
  GstBuffer *again = gst_buffer_copy(self->last_);
  GST_BUFFER_PTS(again) = GST_BUFFER_PTS(buffer);
  GST_BUFFER_DURATION(again) = GST_BUFFER_DURATION(buffer);
  gst_buffer_unref(buffer);
  GST_PAD_PROBE_INFO_DATA(info) = again;
  return GST_PAD_PROBE_OK;
}

void Player::play(const reference::Frame &frame, bool frozen) {
  frozen_ = frozen;
  if (!started_)
    gst_harness_set_src_caps(
        harness_, gst_caps_new_simple("video/x-raw", "format", G_TYPE_STRING, "RGBA", "width",
                                      G_TYPE_INT, frame.width, "height", G_TYPE_INT, frame.height,
                                      "framerate", GST_TYPE_FRACTION, rate, 1, nullptr));
  started_ = true;
  GstBuffer *buffer = gst_buffer_new_memdup(frame.rgba.data(), frame.rgba.size());
  GST_BUFFER_DURATION(buffer) = GST_SECOND / rate;
  GST_BUFFER_PTS(buffer) = pushed_++ * GST_BUFFER_DURATION(buffer);
  const GstFlowReturn flow = gst_harness_push(harness_, buffer);
  gather();
  if (flow != GST_FLOW_OK) throw std::runtime_error(gst_flow_get_name(flow));
}

void Player::end() {
  gst_harness_push_event(harness_, gst_event_new_eos());
  gather();
}

void Player::gather() {
  while (GstMessage *message = gst_bus_pop(bus_)) {
    std::string text;
    if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_ERROR) {
      GError *error = nullptr;
      gst_message_parse_error(message, &error, nullptr);
      text = error->message;
      g_error_free(error);
    }
    if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_ELEMENT)
      events_.push_back(event_of(gst_message_get_structure(message)));
    gst_message_unref(message);
    if (!text.empty()) throw std::runtime_error(text);
  }
}

}  // namespace street
