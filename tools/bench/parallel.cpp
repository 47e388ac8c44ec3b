// SPDX-License-Identifier: LGPL-2.1-or-later
#include "parallel.h"

#include <gst/gst.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <map>
#include <mutex>

#include "opencl/error.h"
#include "pipeline.h"

namespace glcl::bench {

namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

constexpr GstClockTime patience = 300 * GST_SECOND;

/// Calls `seen` with each frame that reaches the sink pad of an element.
template <class Seen>
void watch(GstElement *pipeline, const std::string &element, Seen *seen) {
  GstElement *found = gst_bin_get_by_name(GST_BIN(pipeline), element.c_str());
  GstPad *pad = gst_element_get_static_pad(found, "sink");
  gst_pad_add_probe(
      pad, GST_PAD_PROBE_TYPE_BUFFER,
      [](GstPad *, GstPadProbeInfo *info, gpointer data) {
        (*static_cast<Seen *>(data))(GST_PAD_PROBE_INFO_BUFFER(info));
        return GST_PAD_PROBE_OK;
      },
      seen, nullptr);
  gst_object_unref(pad);
  gst_object_unref(found);
}

/// The pipeline of all streams. Stream N has an identity `first-N` before its row and a sink
/// `last-N`.
class Streams {
 public:
  /// `first` and `last` are the properties of these two elements.
  Streams(const ParallelStreams &streams, const std::string &source, const std::string &first,
          const std::string &last) {
    std::string line;
    for (int i = 0; i < streams.count; i++) {
      const std::string number = std::to_string(i);
      line += source + " ! identity " + first + " name=first-" + number +
              (streams.row.empty() ? "" : " ! " + streams.row) + " ! fakesink " + last +
              " name=last-" + number + " ";
    }
    GError *error = nullptr;
    pipeline_ = gst_parse_launch(line.c_str(), &error);
    const std::string reason = error ? error->message : "";
    g_clear_error(&error);
    if (!pipeline_) throw Error(Error::Kind::failed, "The pipeline can't be made.", reason);
    gst_object_ref_sink(pipeline_);
  }
  ~Streams() {
    gst_element_set_state(pipeline_, GST_STATE_NULL);
    gst_object_unref(pipeline_);
  }
  Streams(const Streams &) = delete;

  GstElement *pipeline() const { return pipeline_; }

  void play() { gst_element_set_state(pipeline_, GST_STATE_PLAYING); }
  /// True if the stream ended within the time. Throws Error::failed for an error.
  bool ended(GstClockTime within) {
    GstBus *bus = gst_element_get_bus(pipeline_);
    GstMessage *message = gst_bus_timed_pop_filtered(
        bus, within, static_cast<GstMessageType>(GST_MESSAGE_EOS | GST_MESSAGE_ERROR));
    gst_object_unref(bus);
    if (!message) return false;
    GError *error = nullptr;
    if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_ERROR)
      gst_message_parse_error(message, &error, nullptr);
    gst_message_unref(message);
    if (!error) return true;
    const std::string reason = error->message;
    g_error_free(error);
    throw Error(Error::Kind::failed, "The pipeline ended in an error.", reason);
  }

  /// Frames that elements and sinks dropped so far.
  int dropped() const {
    int dropped = 0;
    GstIterator *all = gst_bin_iterate_recurse(GST_BIN(pipeline_));
    GValue item = G_VALUE_INIT;
    while (gst_iterator_next(all, &item) == GST_ITERATOR_OK) {
      dropped += dropped_by(G_OBJECT(g_value_get_object(&item)));
      g_value_reset(&item);
    }
    g_value_unset(&item);
    gst_iterator_free(all);
    return dropped;
  }

 private:
  static int dropped_by(GObject *element) {
    if (!g_object_class_find_property(G_OBJECT_GET_CLASS(element), "stats")) return 0;
    GstStructure *stats = nullptr;
    guint64 dropped = 0;
    g_object_get(element, "stats", &stats, nullptr);
    if (stats) {
      gst_structure_get_uint64(stats, "dropped", &dropped);
      gst_structure_free(stats);
    }
    return static_cast<int>(dropped);
  }

  GstElement *pipeline_ = nullptr;
};

}  // namespace

ParallelStreams::Throughput ParallelStreams::play_fast(int frames) const {
  struct Counter {
    int all, first;
    std::atomic<int> seen{0};
    Clock::time_point from, to;
    double processor_from = 0, processor_to = 0;

    void operator()(GstBuffer *) {
      const int now = ++seen;
      if (now == first) from = Clock::now(), processor_from = processor_time();
      if (now == all) to = Clock::now(), processor_to = processor_time();
    }
  };
  Counter counter;
  counter.all = frames * count;
  counter.first = std::max(counter.all / 10, 1);
  Streams streams(*this, source, "eos-after=" + std::to_string(frames + 1), "sync=false");
  for (int i = 0; i < count; i++) watch(streams.pipeline(), "last-" + std::to_string(i), &counter);
  streams.play();
  if (!streams.ended(patience) || counter.seen < counter.all)
    throw Error(Error::Kind::failed, "The streams did not end in five minutes, or are too short.",
                std::to_string(counter.seen) + " of " + std::to_string(counter.all) + " frames");
  const double measured = counter.all - counter.first;
  return {measured / Seconds(counter.to - counter.from).count(),
          (counter.processor_to - counter.processor_from) / measured};
}

ParallelStreams::Live ParallelStreams::play_live(double seconds) const {
  /// The frames of a stream that are between its first element and its sink.
  struct FramesInFlight {
    std::mutex mutex;
    std::map<GstClockTime, Clock::time_point> entered;
    std::vector<double> latencies;
    bool counts = false;
  };
  struct EntryProbe {
    FramesInFlight *frames;
    void operator()(GstBuffer *buffer) {
      const std::lock_guard lock(frames->mutex);
      frames->entered[GST_BUFFER_PTS(buffer)] = Clock::now();
    }
  };
  struct ExitProbe {
    FramesInFlight *frames;
    void operator()(GstBuffer *buffer) {
      const std::lock_guard lock(frames->mutex);
      const auto entry = frames->entered.find(GST_BUFFER_PTS(buffer));
      if (entry == frames->entered.end()) return;
      if (frames->counts)
        frames->latencies.push_back(1e3 * Seconds(Clock::now() - entry->second).count());
      frames->entered.erase(frames->entered.begin(), std::next(entry));
    }
  };
  std::vector<FramesInFlight> frames(count);
  std::vector<EntryProbe> entries(count);
  std::vector<ExitProbe> exits(count);
  Streams streams(*this, live_source, "", "sync=true qos=true max-lateness=60000000");
  for (int i = 0; i < count; i++) {
    entries[i].frames = exits[i].frames = &frames[i];
    watch(streams.pipeline(), "first-" + std::to_string(i), &entries[i]);
    watch(streams.pipeline(), "last-" + std::to_string(i), &exits[i]);
  }
  streams.play();
  const bool too_short = streams.ended(2 * GST_SECOND);
  const int before = streams.dropped();
  for (FramesInFlight &stream : frames) {
    const std::lock_guard lock(stream.mutex);
    stream.counts = true;
  }
  if (too_short || streams.ended(static_cast<GstClockTime>(seconds * GST_SECOND)))
    throw Error(Error::Kind::failed, "The streams ended too early. Give a shorter time.",
                "--seconds");
  Live live;
  live.dropped = streams.dropped() - before;
  for (FramesInFlight &stream : frames) {
    const std::lock_guard lock(stream.mutex);
    live.latencies.insert(live.latencies.end(), stream.latencies.begin(), stream.latencies.end());
  }
  std::sort(live.latencies.begin(), live.latencies.end());
  return live;
}

}  // namespace glcl::bench
