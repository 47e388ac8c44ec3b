// SPDX-License-Identifier: LGPL-2.1-or-later
// Measures the processor time that the analyzers take on the host for each frame.
#include <gst/gl/gl.h>
#include <gst/gst.h>
#include <pthread.h>
#include <time.h>

#include <algorithm>
#include <atomic>
#include <string>
#include <utility>
#include <vector>

#include "../table.h"
#include "mode.h"
#include "opencl/error.h"
#include "pipeline.h"
#include "text.h"

namespace glcl::bench {

namespace {

constexpr int warm_up = 30, least_frames = 20;
constexpr GstClockTime patience = 300 * GST_SECOND;
constexpr const char *analyzers[] = {"glclhistogram mode=luma", "glclmotion",
                                     "glopenclflow display=none", "glclklt"};

/// Processor time of a thread so far, µs.
double thread_time(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) * 1e6 + static_cast<double>(time.tv_nsec) / 1e3;
}

/// Processor time of the process by threads, µs: the streaming thread, the OpenGL thread, and all
/// threads.
struct Times {
  double streaming = 0, gl = 0, all = 0;

  Times &operator+=(const Times &other) {
    streaming += other.streaming, gl += other.gl, all += other.all;
    return *this;
  }
  Times operator-(const Times &other) const {
    return {streaming - other.streaming, gl - other.gl, all - other.all};
  }
};

/// The processor time from the sink pad of the first element of a row to the source pad of the last
/// one. Both probes run on the streaming thread, which does nothing else in between.
class RowTimes {
 public:
  void watch(GstElement *pipeline) {
    probe(pipeline, "first", &RowTimes::enter);
    probe(pipeline, "last", &RowTimes::leave);
  }
  int frames() const { return std::max(0, seen_ - warm_up); }
  /// Means per frame.
  Times mean() const {
    const double count = std::max(1, frames());
    return {sum_.streaming / count, sum_.gl / count, sum_.all / count};
  }

 private:
  void probe(GstElement *pipeline, const char *identity, void (RowTimes::*call)(GstElement *)) {
    struct Call {
      RowTimes *times;
      GstElement *pipeline;
      void (RowTimes::*call)(GstElement *);
    };
    GstElement *element = gst_bin_get_by_name(GST_BIN(pipeline), identity);
    GstPad *pad = gst_element_get_static_pad(element, "src");
    gst_pad_add_probe(
        pad, GST_PAD_PROBE_TYPE_BUFFER,
        [](GstPad *, GstPadProbeInfo *, gpointer data) {
          const auto *call = static_cast<Call *>(data);
          (call->times->*call->call)(call->pipeline);
          return GST_PAD_PROBE_OK;
        },
        new Call{this, pipeline, call}, [](gpointer data) { delete static_cast<Call *>(data); });
    gst_object_unref(pad);
    gst_object_unref(element);
  }

  void enter(GstElement *pipeline) {
    if (!gl_clock_known_) find_gl_clock(pipeline);
    begin_ = now();
  }
  void leave(GstElement *) {
    if (seen_++ >= warm_up) sum_ += now() - begin_;
  }

  Times now() const {
    return {thread_time(CLOCK_THREAD_CPUTIME_ID), gl_clock_known_ ? thread_time(gl_clock_) : 0,
            processor_time() * 1e3};
  }

  /// Asks the element `tested` for its OpenGL context, which exists once frames have caps.
  void find_gl_clock(GstElement *pipeline) {
    GstElement *element = gst_bin_get_by_name(GST_BIN(pipeline), "tested");
    GstGLContext *context = nullptr;
    g_object_get(element, "context", &context, nullptr);
    gst_object_unref(element);
    if (!context) return;
    gst_gl_context_thread_add(
        context,
        [](GstGLContext *, gpointer data) {
          auto *self = static_cast<RowTimes *>(data);
          self->gl_clock_known_ = pthread_getcpuclockid(pthread_self(), &self->gl_clock_) == 0;
        },
        this);
    gst_object_unref(context);
  }

  clockid_t gl_clock_{};
  bool gl_clock_known_ = false;
  Times begin_, sum_;
  std::atomic<int> seen_{0};
};

/// Plays a row of elements until it has been measured for `seconds`. Throws Error::failed.
Times play(const std::string &source, const std::string &row, double seconds, int &frames) {
  const std::string line = source + " ! identity name=first ! " + row +
                           " name=tested ! identity name=last ! fakesink sync=false";
  GError *error = nullptr;
  GstElement *pipeline = gst_parse_launch(line.c_str(), &error);
  const std::string reason = error ? error->message : "";
  g_clear_error(&error);
  if (!pipeline) throw Error(Error::Kind::failed, "The pipeline can't be made.", reason);
  gst_object_ref_sink(pipeline);
  RowTimes times;
  times.watch(pipeline);
  gst_element_set_state(pipeline, GST_STATE_PLAYING);
  GstBus *bus = gst_element_get_bus(pipeline);
  const auto wait = [&](GstClockTime within) {
    GstMessage *message = gst_bus_timed_pop_filtered(bus, within, GST_MESSAGE_ERROR);
    if (message) gst_message_unref(message);
    return !message;
  };
  const GstClockTime step = 50 * GST_MSECOND;
  GstClockTime waited = 0, measured = 0;
  bool good = true;
  while (good && waited < patience &&
         (times.frames() < least_frames || measured < GstClockTime(seconds * GST_SECOND))) {
    good = wait(step);
    waited += step;
    if (times.frames() > 0) measured += step;
  }
  gst_element_set_state(pipeline, GST_STATE_NULL);
  gst_object_unref(bus);
  gst_object_unref(pipeline);
  if (!good) throw Error(Error::Kind::failed, "The pipeline ended in an error.", line);
  frames = times.frames();
  return times.mean();
}

bool print_host(const Request &request) {
  if (!gst_is_initialized()) gst_init(nullptr, nullptr);
  const auto sizes =
      request.sizes.empty() ? std::vector<std::pair<int, int>>{{1920, 1080}} : request.sizes;
  Table table({"µs of processor time a frame", "frames", "streaming thread", "OpenGL thread",
               "other threads"});
  for (const auto &[width, height] : sizes) {
    std::vector<std::string> rows;
    std::string all;
    for (const std::string analyzer : analyzers) {
      rows.push_back(analyzer + " device=\"" + request.device + "\"");
      all += (all.empty() ? "" : " ! ") + rows.back();
    }
    rows.push_back(all);
    for (size_t i = 0; i < rows.size(); i++) {
      int frames = 0;
      const Times mean =
          play("gltestsrc ! video/x-raw(memory:GLMemory),width=" + std::to_string(width) +
                   ",height=" + std::to_string(height),
               rows[i], request.seconds, frames);
      const std::string name = i < std::size(analyzers) ? analyzers[i] : "the four in a row";
      table.add({size_name({width, height}) + " " + name, std::to_string(frames),
                 number(mean.streaming, 0), number(mean.gl, 0),
                 number(std::max(0.0, mean.all - mean.streaming - mean.gl), 0)});
    }
  }
  table.print();
  return true;
}

const Mode mode("host", "Measure the host's processor time per frame of the analyzers", print_host);

}  // namespace

}  // namespace glcl::bench
