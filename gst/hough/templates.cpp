// SPDX-License-Identifier: LGPL-2.1-or-later
#include "templates.h"

#include <gst/video/video.h>

#include <filesystem>
#include <memory>
#include <system_error>

#include "opencl/error.h"

namespace glcl::hough {

namespace {

constexpr GstClockTime patience = 20 * GST_SECOND;

struct Unref {
  void operator()(gpointer object) const { gst_object_unref(object); }
};

Error unreadable(const std::string &path, const std::string &why) {
  return {Error::Kind::not_found,
          "The template " + path + " can't be read: " + why +
              " Give files of pictures that GStreamer decodes, separated by commas."};
}

/// Waits for a pipeline's first frame; what it says where there is none.
std::string failure_of(GstElement *pipeline) {
  const std::unique_ptr<GstBus, Unref> bus(gst_element_get_bus(pipeline));
  GstMessage *message = gst_bus_timed_pop_filtered(
      bus.get(), patience, static_cast<GstMessageType>(GST_MESSAGE_ERROR | GST_MESSAGE_ASYNC_DONE));
  if (!message) return "it takes too long.";
  std::string text;
  if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_ERROR) {
    GError *error = nullptr;
    gst_message_parse_error(message, &error, nullptr);
    text = error->message;
    g_error_free(error);
    if (text.empty() || text.back() != '.') text += '.';
  }
  gst_message_unref(message);
  return text;
}

HostPicture picture_of(GstSample *sample, const std::string &path) {
  GstVideoInfo info;
  GstVideoFrame frame;
  if (!gst_video_info_from_caps(&info, gst_sample_get_caps(sample)) ||
      !gst_video_frame_map(&frame, &info, gst_sample_get_buffer(sample), GST_MAP_READ))
    throw unreadable(path, "its pixels are not at hand.");
  HostPicture picture{GST_VIDEO_FRAME_WIDTH(&frame), GST_VIDEO_FRAME_HEIGHT(&frame), {}};
  picture.rgba.reserve(size_t(picture.width) * picture.height * 4);
  for (int y = 0; y < picture.height; y++) {
    const auto *row = static_cast<const uint8_t *>(GST_VIDEO_FRAME_PLANE_DATA(&frame, 0)) +
                      size_t(y) * GST_VIDEO_FRAME_PLANE_STRIDE(&frame, 0);
    for (int x = 0; x < picture.width; x++, row += 4) {
      for (int c = 0; c < 3; c++)
        picture.rgba.push_back(
            static_cast<uint8_t>((row[c] * row[3] + 128 * (255 - row[3])) / 255));
      picture.rgba.push_back(255);
    }
  }
  gst_video_frame_unmap(&frame);
  return picture;
}

}  // namespace

HostPicture load_picture(const std::string &path) {
  std::error_code failed;
  if (!std::filesystem::exists(path, failed)) throw unreadable(path, "there is no such file.");
  GError *error = nullptr;
  const std::unique_ptr<GstElement, Unref> pipeline(
      gst_parse_launch("filesrc name=source ! decodebin ! videoconvert ! video/x-raw,format=RGBA ! "
                       "fakesink name=sink",
                       &error));
  if (error) {
    const std::string text = error->message;
    g_error_free(error);
    throw unreadable(path, text + ".");
  }
  const std::unique_ptr<GstElement, Unref> source(
      gst_bin_get_by_name(GST_BIN(pipeline.get()), "source")),
      sink(gst_bin_get_by_name(GST_BIN(pipeline.get()), "sink"));
  g_object_set(source.get(), "location", path.c_str(), nullptr);
  gst_element_set_state(pipeline.get(), GST_STATE_PAUSED);
  std::string failure = failure_of(pipeline.get());
  GstSample *sample = nullptr;
  g_object_get(sink.get(), "last-sample", &sample, nullptr);
  if (failure.empty() && !sample) failure = "there is no picture in it.";
  gst_element_set_state(pipeline.get(), GST_STATE_NULL);
  const std::unique_ptr<GstSample, decltype(&gst_sample_unref)> held(sample, gst_sample_unref);
  if (!failure.empty()) throw unreadable(path, failure);
  return picture_of(sample, path);
}

Picture upload_picture(Queue &queue, const HostPicture &host, Layout layout) {
  Picture picture = make_picture(queue.context().cl(), host.width, host.height, layout);
  const std::array<size_t, 3> none{0, 0, 0};
  const std::array<size_t, 3> region{size_t(host.width), size_t(host.height), 1};
  if (layout == Layout::image)
    queue.cl().enqueueWriteImage(picture.image, CL_TRUE, none, region, 0, 0, host.rgba.data());
  else
    queue.cl().enqueueWriteBufferRect(picture.buffer, CL_TRUE, none, none, picture.region(),
                                      picture.row_bytes(), 0, size_t(host.width) * 4, 0,
                                      host.rgba.data());
  return picture;
}

std::vector<std::string> split_files(const std::string &list) {
  std::vector<std::string> files;
  for (size_t at = 0; at < list.size();) {
    const size_t end = std::min(list.find(',', at), list.size());
    const size_t first = list.find_first_not_of(" \t\n", at);
    if (first < end)
      files.push_back(list.substr(first, list.find_last_not_of(" \t\n", end - 1) + 1 - first));
    at = end + 1;
  }
  return files;
}

std::vector<std::shared_ptr<const Shape>> load_shapes(Queue &queue, const std::string &files,
                                                      const Canny::Settings &settings,
                                                      Layout layout) {
  std::vector<std::shared_ptr<const Shape>> shapes;
  for (const std::string &file : split_files(files))
    shapes.push_back(make_shape(queue, std::filesystem::path(file).stem().string(), settings,
                                upload_picture(queue, load_picture(file), layout)));
  return shapes;
}

}  // namespace glcl::hough
