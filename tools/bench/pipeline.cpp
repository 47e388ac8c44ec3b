// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipeline.h"

#include <gst/gst.h>

#include <algorithm>
#include <chrono>

namespace glcl::bench {

namespace {

constexpr GstClockTime patience = 120 * GST_SECOND;

/// Seconds from PLAYING to the end; nothing where it ends in an error or not at all.
std::optional<double> run(const std::string &description) {
  GError *error = nullptr;
  GstElement *pipeline = gst_parse_launch(description.c_str(), &error);
  g_clear_error(&error);
  if (!pipeline) return {};
  gst_object_ref_sink(pipeline);
  const auto start = std::chrono::steady_clock::now();
  gst_element_set_state(pipeline, GST_STATE_PLAYING);
  GstBus *bus = gst_element_get_bus(pipeline);
  GstMessage *message = gst_bus_timed_pop_filtered(
      bus, patience, static_cast<GstMessageType>(GST_MESSAGE_EOS | GST_MESSAGE_ERROR));
  const bool ended = message && GST_MESSAGE_TYPE(message) == GST_MESSAGE_EOS;
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  if (message) gst_message_unref(message);
  gst_element_set_state(pipeline, GST_STATE_NULL);
  gst_object_unref(bus);
  gst_object_unref(pipeline);
  return ended ? std::optional(seconds.count()) : std::nullopt;
}

}  // namespace

std::optional<double> Pipeline::frame_cost(int frames) const {
  const int few = std::max(frames / 10, 1);
  const auto description = [&](int count) {
    return source + " num-buffers=" + std::to_string(count) + " ! " + rest +
           " ! fakesink sync=false";
  };
  if (!run(description(few))) return {};  // the first one in a process also loads drivers
  const auto few_time = run(description(few)), all_time = run(description(few + frames));
  if (!few_time || !all_time) return {};
  return (*all_time - *few_time) * 1000 / frames;
}

std::vector<Pipeline> pipelines(const std::string &element, int width, int height) {
  const std::string size = ",format=RGBA,width=" + std::to_string(width) +
                           ",height=" + std::to_string(height) + ",framerate=60/1";
  const std::string drawn = "video/x-raw(memory:GLMemory)" + size;
  const std::string raw = "video/x-raw" + size + " ! glupload";
  const std::string black = "videotestsrc pattern=black";
  std::vector<Pipeline> list{{"gltestsrc", "", "gltestsrc", drawn},
                             {"raw ! glupload", "", black, raw}};
  for (const char *way : {"gl", "external", "copy"}) {
    const std::string one = " ! " + element + " sharing=" + way;
    std::string row;
    for (int count = 1; count <= 4; count++) {
      row += one;
      if (count != 3)
        list.push_back({"gltestsrc ! " + std::to_string(count) + " × " + element, way, "gltestsrc",
                        drawn + row});
    }
    list.push_back({"raw ! glupload ! " + element, way, black, raw + one});
  }
  return list;
}

}  // namespace glcl::bench
