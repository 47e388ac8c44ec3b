// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipeline.h"

#include <gst/gst.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>

namespace glcl::bench {

double processor_time() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto of = [](const timeval &time) {
    return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_usec) / 1e3;
  };
  return of(usage.ru_utime) + of(usage.ru_stime);
}

namespace {

constexpr GstClockTime patience = 120 * GST_SECOND;

/// Reads a frame on the host, as an encoder does.
GstPadProbeReturn read(GstPad *, GstPadProbeInfo *info, gpointer) {
  GstMapInfo map;
  if (!gst_buffer_map(GST_PAD_PROBE_INFO_BUFFER(info), &map, GST_MAP_READ))
    return GST_PAD_PROBE_DROP;
  gst_buffer_unmap(GST_PAD_PROBE_INFO_BUFFER(info), &map);
  return GST_PAD_PROBE_OK;
}

void read_at(GstElement *pipeline, const char *sink) {
  GstElement *element = gst_bin_get_by_name(GST_BIN(pipeline), sink);
  GstPad *pad = gst_element_get_static_pad(element, "sink");
  gst_pad_add_probe(pad, GST_PAD_PROBE_TYPE_BUFFER, read, nullptr, nullptr);
  gst_object_unref(pad);
  gst_object_unref(element);
}

/// Plays a pipeline: ms from PLAYING to EOS; nothing if it ends in an error or not at all.
std::optional<Pipeline::Cost> run(const std::string &description, bool mapped) {
  GError *error = nullptr;
  GstElement *pipeline = gst_parse_launch(description.c_str(), &error);
  g_clear_error(&error);
  if (!pipeline) return {};
  gst_object_ref_sink(pipeline);
  if (mapped) read_at(pipeline, "sink");
  const double processor = processor_time();
  const auto start = std::chrono::steady_clock::now();
  gst_element_set_state(pipeline, GST_STATE_PLAYING);
  GstBus *bus = gst_element_get_bus(pipeline);
  GstMessage *message = gst_bus_timed_pop_filtered(
      bus, patience, static_cast<GstMessageType>(GST_MESSAGE_EOS | GST_MESSAGE_ERROR));
  const bool ended = message && GST_MESSAGE_TYPE(message) == GST_MESSAGE_EOS;
  const std::chrono::duration<double, std::milli> wall = std::chrono::steady_clock::now() - start;
  const Pipeline::Cost cost{wall.count(), processor_time() - processor};
  if (message) gst_message_unref(message);
  gst_element_set_state(pipeline, GST_STATE_NULL);
  gst_object_unref(bus);
  gst_object_unref(pipeline);
  return ended ? std::optional(cost) : std::nullopt;
}

}  // namespace

std::optional<Pipeline::Cost> Pipeline::frame_cost(int frames) const {
  const int few = std::max(frames / 10, 1);
  const auto description = [&](int count) {
    return source + " num-buffers=" + std::to_string(count) + " ! " + rest +
           " ! fakesink name=sink sync=false";
  };
  if (!run(description(few), mapped)) return {};  // the first run of a process also loads drivers
  const auto few_time = run(description(few), mapped),
             all_time = run(description(few + frames), mapped);
  if (!few_time || !all_time) return {};
  return Cost{(all_time->wall - few_time->wall) / frames,
              (all_time->processor - few_time->processor) / frames};
}

std::vector<Pipeline> pipelines(const std::string &element, const std::vector<std::string> &methods,
                                int width, int height) {
  const std::string size = ",format=RGBA,width=" + std::to_string(width) +
                           ",height=" + std::to_string(height) + ",framerate=60/1";
  const std::string drawn = "video/x-raw(memory:GLMemory)" + size;
  const std::string host = "video/x-raw" + size, raw = host + " ! glupload";
  const std::string black = "videotestsrc pattern=black";
  std::vector<Pipeline> list{{"gltestsrc", "", "gltestsrc", drawn},
                             {"raw ! glupload", "", black, raw}};
  for (const std::string &method : methods) {
    const std::string one = " ! " + element + " sharing=" + method;
    for (const bool mapped : {false, true}) {
      std::string row;
      for (int count = 1; count <= 4; count++) {
        row += one;
        if (count == 3) continue;
        const std::string name = "gltestsrc ! " + std::to_string(count) + " × " + element;
        list.push_back({name + (mapped ? " ! gldownload" : ""), method, "gltestsrc",
                        drawn + row + (mapped ? " ! gldownload ! video/x-raw" : ""), mapped});
      }
    }
    list.push_back({"raw ! glupload ! " + element, method, black, raw + one});
    list.push_back(
        {"raw ! queue ! glupload ! " + element, method, black, host + " ! queue ! glupload" + one});
  }
  return list;
}

}  // namespace glcl::bench
