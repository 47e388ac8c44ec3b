// SPDX-License-Identifier: LGPL-2.1-or-later
#include "glclpicturefile.h"

#include <gst/video/video.h>

#include <algorithm>
#include <memory>

#include "glcllocaldecoder.h"
#include "opencl/error.h"

namespace glcl {

namespace {

constexpr GstClockTime patience = 20 * GST_SECOND;

struct Unref {
  void operator()(gpointer object) const { gst_object_unref(object); }
};
using ElementPtr = std::unique_ptr<GstElement, Unref>;

Error unreadable(const std::string &why) { return {Error::Kind::not_found, why}; }

/// The reason in an error message why there is no picture.
std::string reason_in(GstMessage *message) {
  std::string text = redirection(message);
  if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_ERROR) {
    GError *error = nullptr;
    gst_message_parse_error(message, &error, nullptr);
    text = error->message;
    g_error_free(error);
    if (text.empty()) text = "?";
  }
  if (!text.empty() && text.back() != '.') text += '.';
  return text;
}

/// Waits for the first frame of a pipeline; throws the pipeline's error if it ends without a frame.
std::string failure_of(GstElement *pipeline) {
  const std::unique_ptr<GstBus, Unref> bus(gst_element_get_bus(pipeline));
  const gint64 end = g_get_monotonic_time() + gint64(patience / GST_USECOND);
  for (;;) {
    const gint64 left = std::max<gint64>(end - g_get_monotonic_time(), 0);
    GstMessage *message = gst_bus_timed_pop_filtered(
        bus.get(), left * GST_USECOND,
        static_cast<GstMessageType>(GST_MESSAGE_ERROR | GST_MESSAGE_ASYNC_DONE |
                                    GST_MESSAGE_ELEMENT));
    if (!message) return "decoding took too long.";
    const bool here = GST_MESSAGE_TYPE(message) == GST_MESSAGE_ASYNC_DONE;
    std::string reason = reason_in(message);
    gst_message_unref(message);
    if (here || !reason.empty()) return reason;
  }
}

HostPicture picture_of(GstSample *sample) {
  GstVideoInfo info;
  GstVideoFrame frame;
  if (!gst_video_info_from_caps(&info, gst_sample_get_caps(sample)) ||
      !gst_video_frame_map(&frame, &info, gst_sample_get_buffer(sample), GST_MAP_READ))
    throw unreadable("its pixels can't be mapped.");
  HostPicture picture{GST_VIDEO_FRAME_WIDTH(&frame), GST_VIDEO_FRAME_HEIGHT(&frame), {}};
  const auto *rows = static_cast<const unsigned char *>(GST_VIDEO_FRAME_PLANE_DATA(&frame, 0));
  const size_t bytes = size_t(picture.width) * GST_VIDEO_FRAME_COMP_PSTRIDE(&frame, 0);
  for (int y = 0; y < picture.height; y++) {
    const unsigned char *row = rows + ptrdiff_t(y) * GST_VIDEO_FRAME_PLANE_STRIDE(&frame, 0);
    picture.levels.insert(picture.levels.end(), row, row + bytes);
  }
  gst_video_frame_unmap(&frame);
  return picture;
}

}  // namespace

HostPicture read_picture_file(const std::string &path, const char *format) {
  // Refuses pipes, which would block, and names that GStreamer can't put into a message.
  if (!g_file_test(path.c_str(), G_FILE_TEST_EXISTS)) throw unreadable("there is no such file.");
  if (!g_file_test(path.c_str(), G_FILE_TEST_IS_REGULAR))
    throw unreadable("it is not a regular file.");
  GError *error = nullptr;
  const std::string launch =
      std::string(
          "filesrc name=source ! decodebin name=decoder ! videoconvert ! video/x-raw,format=") +
      format + " ! fakesink name=sink";
  const ElementPtr pipeline(
      GST_ELEMENT(g_object_ref_sink(gst_parse_launch(launch.c_str(), &error))));
  if (error) {
    const std::string text = error->message;
    g_error_free(error);
    throw unreadable(text + ".");
  }
  const ElementPtr source(gst_bin_get_by_name(GST_BIN(pipeline.get()), "source")),
      decoder(gst_bin_get_by_name(GST_BIN(pipeline.get()), "decoder")),
      sink(gst_bin_get_by_name(GST_BIN(pipeline.get()), "sink"));
  decode_local_only(decoder.get());
  g_object_set(source.get(), "location", path.c_str(), nullptr);
  gst_element_set_state(pipeline.get(), GST_STATE_PAUSED);
  std::string failure = failure_of(pipeline.get());
  GstSample *sample = nullptr;
  g_object_get(sink.get(), "last-sample", &sample, nullptr);
  if (failure.empty() && !sample) failure = "it contains no picture.";
  stop_decoding(pipeline.get());
  const std::unique_ptr<GstSample, decltype(&gst_sample_unref)> held(sample, gst_sample_unref);
  if (!failure.empty()) throw unreadable(failure);
  return picture_of(sample);
}

HostPicture read_picture_sample(GstSample *sample, const char *format) {
  const auto free_caps = [](GstCaps *caps) { gst_caps_unref(caps); };
  const std::unique_ptr<GstCaps, decltype(free_caps)> caps(
      gst_caps_new_simple("video/x-raw", "format", G_TYPE_STRING, format, nullptr), free_caps);
  if (!gst_sample_get_buffer(sample) || !gst_sample_get_caps(sample))
    throw unreadable("it lacks a buffer or caps.");
  const GstCaps *given = gst_sample_get_caps(sample);
  const bool video = gst_caps_get_size(given) > 0 &&
                     gst_structure_has_name(gst_caps_get_structure(given, 0), "video/x-raw");
  if (!video || !gst_caps_is_fixed(given)) {
    g_autofree gchar *text = gst_caps_to_string(given);
    throw unreadable("its caps, " + std::string(text) + ", are not " +
                     (video ? "fixed." : "video/x-raw."));
  }
  if (gst_caps_can_intersect(gst_sample_get_caps(sample), caps.get())) return picture_of(sample);
  GError *error = nullptr;
  const std::unique_ptr<GstSample, decltype(&gst_sample_unref)> converted(
      gst_video_convert_sample(sample, caps.get(), patience, &error), gst_sample_unref);
  if (converted) return picture_of(converted.get());
  const std::string text = error ? error->message : "its caps are not video/x-raw";
  g_clear_error(&error);
  throw unreadable(text + ".");
}

GParamSpec *sample_spec(const char *name, const char *nick, const char *blurb) {
  static const GType type = [] {
    GParamSpecTypeInfo info{};
    info.instance_size = sizeof(GParamSpec);
    info.value_type = GST_TYPE_SAMPLE;
    info.value_set_default = [](GParamSpec *, GValue *value) {
      gst_value_take_sample(value, gst_sample_new(nullptr, nullptr, nullptr, nullptr));
    };
    return g_param_type_register_static("GstGLCLParamSample", &info);
  }();
  const auto flags = static_cast<GParamFlags>(G_PARAM_WRITABLE | G_PARAM_STATIC_STRINGS |
                                              GST_PARAM_MUTABLE_PLAYING);
  return G_PARAM_SPEC(g_param_spec_internal(type, name, nick, blurb, flags));
}

}  // namespace glcl
