// SPDX-License-Identifier: LGPL-2.1-or-later
// Measures how regularly one branch of a pipeline draws while another filters frames with a heavy
// kernel.
#include <gst/gst.h>

#include <algorithm>
#include <chrono>
#include <mutex>
#include <string>
#include <vector>

#include "../table.h"
#include "mode.h"
#include "opencl/error.h"
#include "text.h"

namespace glcl::bench {

namespace {

using Clock = std::chrono::steady_clock;

/// The branch that draws 30 frames/s.
constexpr const char *preview =
    " gltestsrc is-live=true ! "
    "video/x-raw(memory:GLMemory),width=64,height=64,framerate=30/1 ! "
    "fakesink name=preview sync=false";

/// The times at which frames arrive at a sink.
class ArrivalTimes {
 public:
  void record(GstElement *pipeline, const char *sink) {
    GstElement *element = gst_bin_get_by_name(GST_BIN(pipeline), sink);
    GstPad *pad = gst_element_get_static_pad(element, "sink");
    gst_pad_add_probe(
        pad, GST_PAD_PROBE_TYPE_BUFFER,
        [](GstPad *, GstPadProbeInfo *, gpointer self) {
          static_cast<ArrivalTimes *>(self)->add();
          return GST_PAD_PROBE_OK;
        },
        this, nullptr);
    gst_object_unref(pad);
    gst_object_unref(element);
  }

  /// ms between successive frames after the time `after`, sorted.
  std::vector<double> gaps(Clock::time_point after) const {
    std::vector<double> gaps;
    for (size_t i = 1; i < times_.size(); i++)
      if (times_[i - 1] >= after)
        gaps.push_back(
            std::chrono::duration<double, std::milli>(times_[i] - times_[i - 1]).count());
    std::sort(gaps.begin(), gaps.end());
    return gaps;
  }
  Clock::time_point first() const { return times_.empty() ? Clock::now() : times_.front(); }

 private:
  void add() {
    const std::lock_guard lock(mutex_);
    times_.push_back(Clock::now());
  }

  std::mutex mutex_;
  std::vector<Clock::time_point> times_;
};

/// Plays both branches for some seconds. Throws Error::failed.
void play(const std::string &heavy, double seconds, ArrivalTimes &filtered, ArrivalTimes &drawn) {
  GError *error = nullptr;
  GstElement *pipeline = gst_parse_launch((heavy + preview).c_str(), &error);
  const std::string reason = error ? error->message : "";
  g_clear_error(&error);
  if (!pipeline) throw Error(Error::Kind::failed, "The pipeline can't be made.", reason);
  gst_object_ref_sink(pipeline);
  filtered.record(pipeline, "filtered");
  drawn.record(pipeline, "preview");
  gst_element_set_state(pipeline, GST_STATE_PLAYING);
  GstBus *bus = gst_element_get_bus(pipeline);
  GstMessage *message = gst_bus_timed_pop_filtered(
      bus, static_cast<GstClockTime>(seconds * GST_SECOND), GST_MESSAGE_ERROR);
  gst_element_set_state(pipeline, GST_STATE_NULL);
  gst_object_unref(bus);
  gst_object_unref(pipeline);
  if (!message) return;
  gst_message_unref(message);
  throw Error(Error::Kind::failed, "The pipeline ended in an error.", heavy);
}

bool print_preview(const Request &request) {
  if (!gst_is_initialized()) gst_init(nullptr, nullptr);
  const auto sizes =
      request.sizes.empty() ? std::vector<std::pair<int, int>>{{1920, 1080}} : request.sizes;
  const double seconds = std::max(request.seconds, 20.0);
  Table table({"behind the filter", "frames filtered", "frames drawn", "gap ms, median", "99 %",
               "longest"});
  for (const auto &[width, height] : sizes)
    for (const std::string behind :
         {"gldownload", "glcolorconvert ! video/x-raw(memory:GLMemory),format=BGRA",
          "queue ! glcolorconvert ! video/x-raw(memory:GLMemory),format=BGRA"}) {
      ArrivalTimes filtered, drawn;
      play("videotestsrc ! video/x-raw,format=RGBA,width=" + std::to_string(width) +
               ",height=" + std::to_string(height) +
               " ! glupload ! glclbilateral radius=20 method=brute-force sharing=copy device=\"" +
               request.device + "\" ! " + behind + " ! fakesink name=filtered sync=false",
           seconds, filtered, drawn);
      const std::vector<double> heavy = filtered.gaps({}), gaps = drawn.gaps(filtered.first());
      if (gaps.empty() || heavy.empty())
        throw Error(Error::Kind::failed, "Two frames take too long. Give a longer time.",
                    "--seconds " + number(seconds));
      table.add({size_name({width, height}) + ", " + behind.substr(0, behind.find(" ! video")),
                 std::to_string(heavy.size() + 1), std::to_string(gaps.size() + 1),
                 number(gaps[gaps.size() / 2], 0), number(gaps[gaps.size() * 99 / 100], 0),
                 number(gaps.back(), 0)});
    }
  table.print();
  return true;
}

const Mode mode(
    "preview", "Measure the gaps in a branch that draws 64x64 at 30 frames/s, beside glclbilateral",
    print_preview);

}  // namespace

}  // namespace glcl::bench
