// SPDX-License-Identifier: LGPL-2.1-or-later
#include "decode.h"

#include <gst/gst.h>

#include <chrono>
#include <memory>

namespace glcl::bench {

namespace {

using Clock = std::chrono::steady_clock;

constexpr GstClockTime patience = 120 * GST_SECOND;

struct Unref {
  void operator()(gpointer object) const { gst_object_unref(object); }
};
using Owned = std::unique_ptr<GstElement, Unref>;

GstPadProbeReturn note(GstPad *, GstPadProbeInfo *, gpointer times) {
  static_cast<std::vector<Clock::time_point> *>(times)->push_back(Clock::now());
  return GST_PAD_PROBE_OK;
}

Decoding::Element counts_of(GstElement *element) {
  GstStructure *stats = nullptr;
  g_object_get(element, "stats", &stats, nullptr);
  Decoding::Element counts;
  guint64 latency = 0, longest = 0;
  gst_structure_get(stats, "frames", G_TYPE_UINT64, &counts.frames, "dropped", G_TYPE_UINT64,
                    &counts.dropped, "latency", G_TYPE_UINT64, &latency, "latency-max",
                    G_TYPE_UINT64, &longest, nullptr);
  gst_structure_free(stats);
  counts.latency = static_cast<double>(latency) / 1e6;
  counts.longest = static_cast<double>(longest) / 1e6;
  return counts;
}

/// Plays the pipeline to EOS; on an error returns false and sets `failure`.
bool play(GstElement *pipeline, std::string *failure) {
  gst_element_set_state(pipeline, GST_STATE_PLAYING);
  GstBus *bus = gst_element_get_bus(pipeline);
  GstMessage *message = gst_bus_timed_pop_filtered(
      bus, patience, static_cast<GstMessageType>(GST_MESSAGE_EOS | GST_MESSAGE_ERROR));
  const bool ended = message && GST_MESSAGE_TYPE(message) == GST_MESSAGE_EOS;
  if (message && !ended) {
    GError *error = nullptr;
    gst_message_parse_error(message, &error, nullptr);
    *failure = error->message;
    g_error_free(error);
  } else if (!ended) {
    *failure = "it did not end within two minutes";
  }
  if (message) gst_message_unref(message);
  gst_object_unref(bus);
  return ended;
}

}  // namespace

std::vector<std::string> decoders() {
  std::vector<std::string> found;
  for (const char *name : {"nvh264dec", "vah264dec", "avdec_h264", "openh264dec"})
    if (GstElementFactory *factory = gst_element_factory_find(name)) {
      found.emplace_back(name);
      gst_object_unref(factory);
    }
  return found;
}

std::optional<Decoding::Result> Decoding::run(const std::string &file, std::string *failure) const {
  std::string row = "filesrc name=file ! parsebin ! " + decoder +
                    " ! queue max-size-buffers=4 ! glupload ! glcolorconvert ! "
                    "video/x-raw(memory:GLMemory),format=RGBA";
  for (int i = 0; i < count; i++)
    row += " ! " + element + " sharing=" + method + " name=e" + std::to_string(i);
  Result result;
  for (const bool in_time : {false, true}) {
    if (in_time && !count) break;
    GError *error = nullptr;
    const Owned pipeline(gst_parse_launch(
        (row + " ! fakesink name=sink qos=true sync=" + (in_time ? "true" : "false")).c_str(),
        &error));
    if (error) *failure = error->message;
    g_clear_error(&error);
    if (!pipeline) return {};
    gst_object_ref_sink(pipeline.get());
    const auto named = [&](const std::string &name) {
      return Owned(gst_bin_get_by_name(GST_BIN(pipeline.get()), name.c_str()));
    };
    g_object_set(named("file").get(), "location", file.c_str(), nullptr);
    std::vector<Clock::time_point> times;
    GstPad *pad = gst_element_get_static_pad(named("sink").get(), "sink");
    gst_pad_add_probe(pad, GST_PAD_PROBE_TYPE_BUFFER, note, &times, nullptr);
    gst_object_unref(pad);
    const bool played = play(pipeline.get(), failure);
    for (int i = 0; in_time && i < count; i++)
      result.in_time.push_back(counts_of(named("e" + std::to_string(i)).get()));
    gst_element_set_state(pipeline.get(), GST_STATE_NULL);
    if (!played) return {};
    if (in_time) break;
    result.frames = static_cast<int>(times.size());
    const size_t first = times.size() / 10;
    if (times.size() < first + 2) {
      *failure = "it produced too few frames";
      return {};
    }
    const std::chrono::duration<double, std::milli> time = times.back() - times[first];
    result.cost = time.count() / static_cast<double>(times.size() - 1 - first);
  }
  return result;
}

}  // namespace glcl::bench
