// SPDX-License-Identifier: LGPL-2.1-or-later
#include "decode.h"

#include <gst/gst.h>

#include "film.h"

namespace film {

namespace {

struct Frames {
  std::vector<reference::Frame> list;
  size_t most;
};

void keep(GstElement *, GstBuffer *buffer, GstPad *pad, gpointer data) {
  auto *frames = static_cast<Frames *>(data);
  if (frames->list.size() >= frames->most) return;
  GstCaps *caps = gst_pad_get_current_caps(pad);
  gint width = 0, height = 0;
  gst_structure_get_int(gst_caps_get_structure(caps, 0), "width", &width);
  gst_structure_get_int(gst_caps_get_structure(caps, 0), "height", &height);
  gst_caps_unref(caps);
  reference::Frame frame(width, height);
  gst_buffer_extract(buffer, 0, frame.rgba.data(), frame.rgba.size());
  frames->list.push_back(std::move(frame));
}

bool ends_with(const std::string &text, const std::string &end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

}  // namespace

std::vector<reference::Frame> decode(const std::string &path, int width, int height, size_t count) {
  const std::string size =
      width ? " ! videoscale add-borders=false ! video/x-raw,width=" + std::to_string(width) +
                  ",height=" + std::to_string(height) + ",pixel-aspect-ratio=1/1"
            : "";
  GError *error = nullptr;
  GstElement *pipeline = gst_parse_launch(
      ("filesrc location=\"" + path + "\" ! " +
       (ends_with(path, ".yuv") ? "rawvideoparse width=352 height=288 format=i420"
                                : "qtdemux ! h264parse ! avdec_h264") +
       size +
       " ! videoconvert ! video/x-raw,format=RGBA ! fakesink name=sink signal-handoffs=true "
       "sync=false")
          .c_str(),
      &error);
  if (error) {
    leave_out(error->message);
    g_error_free(error);
    if (pipeline) gst_object_unref(pipeline);
    return {};
  }
  Frames frames{{}, count};
  GstElement *sink = gst_bin_get_by_name(GST_BIN(pipeline), "sink");
  if (count < SIZE_MAX) g_object_set(sink, "num-buffers", gint(count), nullptr);
  g_signal_connect(sink, "handoff", G_CALLBACK(keep), &frames);
  gst_object_unref(sink);
  gst_element_set_state(pipeline, GST_STATE_PLAYING);
  GstBus *bus = gst_element_get_bus(pipeline);
  GstMessage *end = gst_bus_timed_pop_filtered(
      bus, 120 * GST_SECOND, static_cast<GstMessageType>(GST_MESSAGE_EOS | GST_MESSAGE_ERROR));
  if (!end || GST_MESSAGE_TYPE(end) == GST_MESSAGE_ERROR) {
    leave_out(path + " can't be decoded");
    frames.list.clear();
  }
  if (end) gst_message_unref(end);
  gst_object_unref(bus);
  gst_element_set_state(pipeline, GST_STATE_NULL);
  gst_object_unref(pipeline);
  return frames.list;
}

}  // namespace film
