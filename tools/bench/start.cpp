// SPDX-License-Identifier: LGPL-2.1-or-later
#include "start.h"

#include <glib/gstdio.h>
#include <gst/gst.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>

#include "../table.h"
#include "measure.h"
#include "opencl/error.h"
#include "progress.h"
#include "text.h"

namespace glcl::bench {

using Json = nlohmann::ordered_json;

namespace {

constexpr int late = 10;  // number of a frame by which every part of an element has worked
constexpr GstClockTime patience = 120 * GST_SECOND;

/// ms from PLAYING to the first and to a later frame at the sink; 0 for a missing frame.
struct Start {
  double first = 0, later = 0;
};

struct Watch {
  std::chrono::steady_clock::time_point start;
  std::atomic<int> frames{0};
  Start times;
};

GstPadProbeReturn on_frame(GstPad *, GstPadProbeInfo *, gpointer data) {
  auto *watch = static_cast<Watch *>(data);
  const std::chrono::duration<double, std::milli> time =
      std::chrono::steady_clock::now() - watch->start;
  const int frame = ++watch->frames;
  if (frame == 1) watch->times.first = time.count();
  if (frame == late) watch->times.later = time.count();
  return GST_PAD_PROBE_OK;
}

Start run(const std::string &description) {
  gst_init(nullptr, nullptr);
  GError *error = nullptr;
  GstElement *pipeline = gst_parse_launch(description.c_str(), &error);
  if (error) std::cerr << "glcl-bench: " << error->message << '\n';
  g_clear_error(&error);
  if (!pipeline) return {};
  Watch watch;
  GstElement *sink = gst_bin_get_by_name(GST_BIN(pipeline), "sink");
  GstPad *pad = gst_element_get_static_pad(sink, "sink");
  gst_pad_add_probe(pad, GST_PAD_PROBE_TYPE_BUFFER, on_frame, &watch, nullptr);
  watch.start = std::chrono::steady_clock::now();
  gst_element_set_state(pipeline, GST_STATE_PLAYING);
  GstBus *bus = gst_element_get_bus(pipeline);
  GstMessage *message = gst_bus_timed_pop_filtered(
      bus, patience, static_cast<GstMessageType>(GST_MESSAGE_EOS | GST_MESSAGE_ERROR));
  if (message && GST_MESSAGE_TYPE(message) == GST_MESSAGE_ERROR) {
    gst_message_parse_error(message, &error, nullptr);
    std::cerr << "glcl-bench: " << error->message << '\n';
    g_clear_error(&error);
    watch.times = {};
  }
  if (message) gst_message_unref(message);
  gst_element_set_state(pipeline, GST_STATE_NULL);
  gst_object_unref(bus);
  gst_object_unref(pad);
  gst_object_unref(sink);
  gst_object_unref(pipeline);
  return watch.times;
}

/// The same in a child process, with driver caches below a folder.
Start run_in_a_child(const std::string &description, const std::string &caches) {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) return {};
  std::cout.flush();
  const pid_t child = fork();
  if (child == 0) {
    for (const char *name : {"POCL_CACHE_DIR", "CUDA_CACHE_PATH", "MESA_SHADER_CACHE_DIR",
                             "NEO_CACHE_DIR", "AMD_COMGR_CACHE_DIR"}) {
      const std::string folder = caches + "/" + name;
      g_mkdir_with_parents(folder.c_str(), 0700);
      g_setenv(name, folder.c_str(), TRUE);
    }
    const Start times = run(description);
    const bool written = write(ends[1], &times, sizeof times) == sizeof times;
    _exit(written ? 0 : 1);  // drivers don't survive calls at exit
  }
  close(ends[1]);
  Start times;
  if (child < 0 || read(ends[0], &times, sizeof times) != sizeof times) times = {};
  close(ends[0]);
  if (child > 0) waitpid(child, nullptr, 0);
  return times;
}

}  // namespace

void print_starts(const Options &options, size_t line) {
  const std::vector<std::string> all{"",           "glclinvert",   "glclbilateral", "glclhistogram",
                                     "glclmotion", "glopenclflow", "glclklt",       "glclhough",
                                     "glclscope"};
  const auto &[width, height] = options.sizes.front();
  const std::vector<std::string> &elements = options.elements.empty() ? all : options.elements;
  const std::string later = std::to_string(late) + "th frame";
  glcl::Table table({"element", "cold: first frame, ms", later, "warm: first frame, ms", later});
  Json json = Json::array();
  constexpr int runs = 3;
  Progress progress(elements.size() * runs);
  for (const std::string &element : elements) {
    const std::string name = element.empty() ? "nothing, OpenGL alone" : element;
    const std::string description =
        "gltestsrc num-buffers=" + std::to_string(late) +
        " ! video/x-raw(memory:GLMemory),format=RGBA,width=" + std::to_string(width) +
        ",height=" + std::to_string(height) + ",framerate=60/1 ! " +
        (element.empty()
             ? ""
             : element + (options.device == "auto" ? "" : " device=" + options.device) + " ! ") +
        "fakesink name=sink sync=false";
    std::array<std::vector<double>, 4> times;  // as in the table
    for (int i = 0; i < runs; i++) {
      progress.step(name);
      gchar *folder = g_dir_make_tmp("glcl-start-XXXXXX", nullptr);
      if (!folder) throw Error(Error::Kind::failed, "no temporary folder for the drivers' caches.");
      const Start cold = run_in_a_child(description, folder),
                  warm = run_in_a_child(description, folder);
      std::filesystem::remove_all(folder);
      g_free(folder);
      if (cold.later <= 0 || warm.later <= 0)
        throw Error(Error::Kind::failed, "a pipeline of " + name + " does not play.");
      size_t column = 0;
      for (const double time : {cold.first, cold.later, warm.first, warm.later})
        times[column++].push_back(time);
    }
    std::vector<std::string> row{name};
    Json entry = {{"element", name}, {"width", width}, {"height", height}};
    const std::array<const char *, 4> names{"cold-first-ms", "cold-later-ms", "warm-first-ms",
                                            "warm-later-ms"};
    for (size_t column = 0; column < times.size(); column++) {
      row.push_back(number(median(times[column]), 0));
      entry[names[column]] = times[column];
    }
    table.add(row);
    json.push_back(entry);
  }
  table.print(line);
  if (!options.json.empty()) open_file(options.json) << Json{{"starts", json}}.dump(2) << '\n';
}

}  // namespace glcl::bench
