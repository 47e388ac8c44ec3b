// SPDX-License-Identifier: LGPL-2.1-or-later
// flat FRAMES PIPELINE: plays one pipeline and fails if each frame leaves something on the heap.
//
// It looks at the heap twenty times, on the thread of the element `last`, while frames are in
// flight.
#include <gst/gst.h>
#include <malloc.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#include "options.h"
#include "process.h"

namespace {

constexpr int looks = 20;
constexpr double warm_up = .1;  // of the frames: caches fill

struct Run {
  int frames = 0, played = 0;
  std::vector<Sample> samples;
};

GstPadProbeReturn on_frame(GstPad *, GstPadProbeInfo *, gpointer data) {
  auto *run = static_cast<Run *>(data);
  const int step = run->frames / looks;
  if (++run->played % step == 0) {
    Sample sample;
    sample.frames = sample.seconds = run->played;
    sample.heap = static_cast<double>(mallinfo2().uordblks) / (1 << 20);
    run->samples.push_back(sample);
    std::printf("%9d frames, heap %8.3f MiB\n", run->played, sample.heap);
  }
  return GST_PAD_PROBE_OK;
}

/// Plays to the end of the stream, and takes the messages meanwhile.
bool play(GstElement *pipeline) {
  gst_element_set_state(pipeline, GST_STATE_PLAYING);
  GstBus *bus = gst_element_get_bus(pipeline);
  GstMessageType type = GST_MESSAGE_UNKNOWN;
  while (!(type & (GST_MESSAGE_EOS | GST_MESSAGE_ERROR))) {
    GstMessage *message = gst_bus_timed_pop(bus, GST_CLOCK_TIME_NONE);
    type = GST_MESSAGE_TYPE(message);
    if (type == GST_MESSAGE_ERROR) {
      GError *error = nullptr;
      gst_message_parse_error(message, &error, nullptr);
      std::fprintf(stderr, "flat: %s\n", error->message);
      g_error_free(error);
    }
    gst_message_unref(message);
  }
  gst_object_unref(bus);
  gst_element_set_state(pipeline, GST_STATE_NULL);
  return type == GST_MESSAGE_EOS;
}

}  // namespace

int main(int argc, char **argv) {
  limit_arenas();
  gst_init(&argc, &argv);
  Run run;
  run.frames = argc == 3 ? std::atoi(argv[1]) : 0;
  if (run.frames < looks) {
    std::fprintf(stderr, "flat FRAMES PIPELINE: at least %d frames\n", looks);
    return 2;
  }
  GError *error = nullptr;
  GstElement *pipeline = gst_parse_launch(argv[2], &error);
  GstElement *last = error ? nullptr : gst_bin_get_by_name(GST_BIN(pipeline), "last");
  if (!last) {
    std::fprintf(stderr, "flat: %s\n", error ? error->message : "no element is named last");
    return 2;
  }
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  GstPad *pad = gst_element_get_static_pad(last, "sink");
  gst_pad_add_probe(pad, GST_PAD_PROBE_TYPE_BUFFER, on_frame, &run, nullptr);
  gst_object_unref(pad);
  gst_object_unref(last);
  const bool played = play(pipeline) && run.played >= run.frames;
  gst_object_unref(pipeline);
  const Options options;
  const Growth growth(run.samples, warm_up * run.frames, {options.limit_per_frame, 0});
  std::printf("%d frames, %.2f bytes a frame, bound %.0f: %s\n", run.played, growth.heap_per_frame,
              options.limit_per_frame, played && !growth.leaks ? "passed" : "FAILED");
  return played && !growth.leaks ? 0 : 1;
}
