// SPDX-License-Identifier: LGPL-2.1-or-later
#include "analysis.h"

#include <gst/video/video.h>
#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <utility>

#include "base/glcllocaldecoder.h"
#include "containercheck.h"
#include "events/json.h"
#include "pictures.h"
#include "table.h"

namespace glcl::analyze {

namespace {

// Frames before and after that the detection of shots depends on, and some more.
constexpr size_t reach_back = 160, reach_on = 80;
constexpr double blank_deviation = 6;  // levels, as for shots

std::string text_of(GstMessage *message) {
  GError *error = nullptr;
  gst_message_parse_error(message, &error, nullptr);
  // Sound alone gives this too.
  const bool no_decoder =
      g_error_matches(error, GST_CORE_ERROR, GST_CORE_ERROR_MISSING_PLUGIN) ||
      g_error_matches(error, GST_STREAM_ERROR, GST_STREAM_ERROR_CODEC_NOT_FOUND);
  std::string text =
      no_decoder ? "there is no video in it that GStreamer can decode" : error->message;
  g_error_free(error);
  return text;
}

/// The elements that a task asks for, as a part of a pipeline.
std::string chain_of(const Task &task) {
  std::string chain;
  const auto add = [&](const char *element) {
    chain += std::string(" ! ") + element + " name=" + element + " interval=0";
  };
  if (task.has("shots") || task.has("histogram")) {
    add("glclhistogram");
    chain += " mode=rgb bins=256";
    if (task.has("shots")) chain += " shot-detection=true";
  }
  if (task.has("motion") || task.has("objects")) add("glclmotion");
  if (task.has("objects")) chain += " detect=true";
  if (task.has("flow")) add("glopenclflow");
  if (task.has("tracks")) add("glclklt");
  return chain;
}

void check_pads(GstElement *decoder, gpointer) {
  if (decoder->numsrcpads == 0)
    GST_ELEMENT_ERROR(decoder, STREAM, WRONG_TYPE, ("there is no video in it"), (nullptr));
}

/// A pipeline from a file; its errors are Failures.
class Pipeline {
 public:
  Pipeline(const std::string &behind, const std::string &file) {
    GError *error = nullptr;
    pipeline_ =
        gst_parse_launch_full(("filesrc name=source ! decodebin name=decoder caps=video/x-raw(ANY) "
                               "expose-all-streams=false ! " +
                               behind)
                                  .c_str(),
                              nullptr, GST_PARSE_FLAG_FATAL_ERRORS, &error);
    if (!pipeline_) {
      const std::string reason = error ? error->message : "?";
      g_clear_error(&error);
      throw Failure("can't create the pipeline: " + reason);
    }
    bus_ = gst_element_get_bus(pipeline_);
    g_signal_connect(pipeline_, "deep-element-added",
                     G_CALLBACK(+[](GstBin *, GstBin *, GstElement *element, gpointer self) {
                       static_cast<Pipeline *>(self)->note_decoder(element);
                     }),
                     this);
    GstElement *source = get("source"), *decoder = get("decoder");
    g_object_set(source, "location", file.c_str(), nullptr);
    decode_local_only(decoder);
    g_signal_connect(decoder, "no-more-pads", G_CALLBACK(check_pads), nullptr);
    g_signal_connect(
        decoder, "pad-added", G_CALLBACK(+[](GstElement *, GstPad *pad, gpointer self) {
          gst_pad_add_probe(
              pad,
              static_cast<GstPadProbeType>(GST_PAD_PROBE_TYPE_BUFFER |
                                           GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM),
              [](GstPad *, GstPadProbeInfo *info, gpointer on) {
                auto *pipeline = static_cast<Pipeline *>(on);
                const bool buffer = info->type & GST_PAD_PROBE_TYPE_BUFFER;
                const bool caps =
                    !buffer && GST_EVENT_TYPE(GST_PAD_PROBE_INFO_EVENT(info)) == GST_EVENT_CAPS;
                if (!buffer) pipeline->note_orientation(GST_PAD_PROBE_INFO_EVENT(info));
                // Behind the caps the first picture waits until kernels are built.
                if (buffer || caps) pipeline->decoded_ = true;
                if (caps) pipeline->sizes_++;
                return GST_PAD_PROBE_OK;
              },
              self, nullptr);
        }),
        this);
    gst_object_unref(source);
    gst_object_unref(decoder);
  }
  ~Pipeline() {
    gst_element_set_state(pipeline_, GST_STATE_NULL);
    gst_bus_set_sync_handler(bus_, nullptr, nullptr, nullptr);
    gst_object_unref(bus_);
    gst_object_unref(pipeline_);
  }
  Pipeline(const Pipeline &) = delete;
  Pipeline &operator=(const Pipeline &) = delete;

  GstElement *self() const { return pipeline_; }
  GstBus *bus() const { return bus_; }
  GstElement *get(const char *name) const { return gst_bin_get_by_name(GST_BIN(pipeline_), name); }

  /// Waits for a message of these types, at most so long; null where none comes. An error is a
  /// Failure.
  GstMessage *wait(GstClockTime time, int types) const {
    constexpr int others = GST_MESSAGE_ERROR | GST_MESSAGE_ELEMENT;
    for (;;) {
      GstMessage *message =
          gst_bus_timed_pop_filtered(bus_, time, static_cast<GstMessageType>(types | others));
      if (!message || GST_MESSAGE_TYPE(message) & types) return message;
      const std::string reason =
          GST_MESSAGE_TYPE(message) == GST_MESSAGE_ERROR ? text_of(message) : redirection(message);
      gst_message_unref(message);
      if (!reason.empty()) throw Failure(reason);
    }
  }

  /// Has the first frame come. False where the stream ends without one.
  bool preroll() const {
    gst_element_set_state(pipeline_, GST_STATE_PAUSED);
    constexpr int types = GST_MESSAGE_ASYNC_DONE | GST_MESSAGE_EOS;
    GstMessage *message = wait(longest_opening, types);
    // A decoder may lose its error for a broken file and then wait forever.
    if (!message && !decoded_) throw Failure("no picture arrived within 30 s");
    if (!message) message = wait(GST_CLOCK_TIME_NONE, types);
    const bool here = GST_MESSAGE_TYPE(message) == GST_MESSAGE_ASYNC_DONE;
    gst_message_unref(message);
    return here;
  }

  /// The element that decodes, the last one that was tried.
  std::string decoder() const {
    const std::lock_guard lock(mutex_);
    return decoder_;
  }

  /// How the file says that its pictures are to be turned, by the values of
  /// GST_TAG_IMAGE_ORIENTATION.
  std::string orientation() const {
    const std::lock_guard lock(mutex_);
    return orientation_;
  }

  /// How often the decoder named the format of its pictures.
  int sizes() const { return sizes_; }

  GstClockTime duration() const {
    gint64 duration = -1;
    gst_element_query_duration(pipeline_, GST_FORMAT_TIME, &duration);
    return duration > 0 ? GstClockTime(duration) : GST_CLOCK_TIME_NONE;
  }

  bool seekable() const {
    GstQuery *query = gst_query_new_seeking(GST_FORMAT_TIME);
    gboolean seekable = FALSE;
    if (gst_element_query(pipeline_, query))
      gst_query_parse_seeking(query, nullptr, &seekable, nullptr, nullptr);
    gst_query_unref(query);
    return seekable;
  }

 private:
  static constexpr GstClockTime longest_opening = 30 * GST_SECOND;

  void note_decoder(GstElement *element) {
    GstElementFactory *factory = gst_element_get_factory(element);
    if (!factory ||
        !gst_element_factory_list_is_type(factory, GST_ELEMENT_FACTORY_TYPE_DECODER |
                                                       GST_ELEMENT_FACTORY_TYPE_MEDIA_VIDEO |
                                                       GST_ELEMENT_FACTORY_TYPE_MEDIA_IMAGE))
      return;
    const std::lock_guard lock(mutex_);
    decoder_ = GST_OBJECT_NAME(factory);
  }

  void note_orientation(GstEvent *event) {
    if (GST_EVENT_TYPE(event) != GST_EVENT_TAG) return;
    GstTagList *tags = nullptr;
    gst_event_parse_tag(event, &tags);
    gchar *orientation = nullptr;
    if (!gst_tag_list_get_string(tags, GST_TAG_IMAGE_ORIENTATION, &orientation)) return;
    const std::lock_guard lock(mutex_);
    orientation_ = orientation;
    g_free(orientation);
  }

  mutable std::mutex mutex_;  // of the texts, which come on threads of GStreamer's
  std::string decoder_, orientation_ = "rotate-0";
  GstElement *pipeline_;
  GstBus *bus_;
  std::atomic<bool> decoded_ = false;
  std::atomic<int> sizes_ = 0;
};

/// One run over a task's range and the frames around it.
class Run {
 public:
  Run(const Task &task, GstClockTime back, GstClockTime on, bool with_pictures);
  ~Run();

  void play(const std::function<void(const Progress &)> &report);
  /// Whether there is more of the file that the range's results depend on.
  bool needs_more_before() const;
  bool needs_more_after() const;
  bool changed_size() const { return pipeline_.sizes() > 1; }
  /// Writes the remaining rows. Throws Failure.
  void finish();

 private:
  bool seek();
  void on_frame(GstPad *pad, GstBuffer *buffer);
  void on_message(GstMessage *message);
  void on_shot(const GstStructure *shot);
  void on_objects(const GstStructure *message);
  void add_event(GstClockTime time, Json event);
  void first_picture(const GstStructure *message);
  void first_shot();
  void forget();
  bool in_range(GstClockTime time) const {
    return time >= task_.from && (!GST_CLOCK_TIME_IS_VALID(task_.to) || time < task_.to);
  }
  /// Runs work that may throw on a thread of GStreamer.
  template <class Function>
  void guarded(const Function &function) {
    const std::lock_guard lock(mutex_);
    if (failed_) return;
    try {
      function();
    } catch (const std::exception &error) {
      failed_ = true;
      failure_ = error.what();
    }
  }

  Task task_;
  Folder folder_;
  Pipeline pipeline_;
  GstClockTime begin_ = 0, end_ = GST_CLOCK_TIME_NONE;  // where it plays
  GstClockTime duration_ = GST_CLOCK_TIME_NONE;
  std::mutex mutex_;  // of all below
  Table table_;
  std::unique_ptr<Writer> objects_, shots_;
  std::unique_ptr<Pictures> pictures_;
  std::vector<std::pair<GstClockTime, Json>> events_;
  Json crossing_ = Json::array();  // objects of the last frame before the range
  std::set<guint64> ids_;          // of objects in the range
  bool failed_ = false;
  std::string failure_;
  bool begins_blank_ = false, ends_blank_ = false, seen_ = false;
  guint64 frames_ = 0, reported_frames_ = 0;
  GstClockTime position_ = 0, last_timestamp_ = GST_CLOCK_TIME_NONE;
  std::atomic<double> rate_ = 0;
  int width_ = 0, height_ = 0;
};

std::string behind_decoder(const Task &task, bool with_pictures) {
  const std::string pictures =
      with_pictures
          ? " frames. ! queue max-size-buffers=4 max-size-bytes=0 max-size-time=0 ! glcolorscale ! "
            "video/x-raw(memory:GLMemory),format=RGBA,width=" +
                std::to_string(Pictures::width) +
                ",height=[1,4096],pixel-aspect-ratio=1/1 ! appsink name=pictures sync=false "
                "async=false"
          : "";
  return "videoconvert ! queue max-size-buffers=4 max-size-bytes=0 max-size-time=0 ! glupload ! "
         "glcolorconvert ! glvideoflip video-direction=auto ! capsfilter name=textures "
         "caps=video/x-raw(memory:GLMemory),format=RGBA "
         "! tee name=frames ! queue max-size-buffers=4 max-size-bytes=0 max-size-time=0" +
         chain_of(task) + " ! fakesink name=sink sync=false" + pictures;
}

Run::Run(const Task &task, GstClockTime back, GstClockTime on, bool with_pictures)
    : task_(task),
      folder_(task.folder),
      pipeline_(behind_decoder(task, with_pictures), task.file),
      begin_(task.from > back ? task.from - back : 0),
      end_(GST_CLOCK_TIME_IS_VALID(task.to) ? task.to + on : GST_CLOCK_TIME_NONE),
      table_(task, folder_) {
  if (task.has("objects")) {
    objects_ = std::make_unique<Writer>(folder_, "objects.csv");
    objects_->write("time,frame,id,x,y,width,height,velocity-x,velocity-y,score,age\n");
  }
  for (const char *name : {"glclhistogram", "glclmotion", "glopenclflow", "glclklt"})
    if (GstElement *element = pipeline_.get(name)) {
      g_object_set(element, "device", task.device.c_str(), nullptr);
      gst_object_unref(element);
    }
  if (with_pictures) {
    shots_ = std::make_unique<Writer>(folder_, "shots.rgb");
    GstElement *sink = pipeline_.get("pictures");
    pictures_ = std::make_unique<Pictures>(sink);
    gst_object_unref(sink);
  }
  // On the posting threads, because an unread bus drops messages.
  gst_bus_set_sync_handler(
      pipeline_.bus(),
      [](GstBus *, GstMessage *message, gpointer self) {
        if (GST_MESSAGE_TYPE(message) != GST_MESSAGE_ELEMENT || !redirection(message).empty())
          return GST_BUS_PASS;
        static_cast<Run *>(self)->on_message(message);
        gst_message_unref(message);
        return GST_BUS_DROP;
      },
      this, nullptr);
  GstElement *textures = pipeline_.get("textures");
  GstPad *pad = gst_element_get_static_pad(textures, "src");
  gst_pad_add_probe(
      pad,
      static_cast<GstPadProbeType>(GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM |
                                   GST_PAD_PROBE_TYPE_EVENT_FLUSH),
      [](GstPad *on_pad, GstPadProbeInfo *info, gpointer data) {
        auto *self = static_cast<Run *>(data);
        if (info->type & GST_PAD_PROBE_TYPE_BUFFER) {
          info->data = gst_buffer_make_writable(GST_PAD_PROBE_INFO_BUFFER(info));
          self->on_frame(on_pad, GST_PAD_PROBE_INFO_BUFFER(info));
        } else if (GST_EVENT_TYPE(GST_PAD_PROBE_INFO_EVENT(info)) == GST_EVENT_FLUSH_STOP) {
          self->forget();
        } else if (GST_EVENT_TYPE(GST_PAD_PROBE_INFO_EVENT(info)) == GST_EVENT_CAPS) {
          GstCaps *caps = nullptr;
          gst_event_parse_caps(GST_PAD_PROBE_INFO_EVENT(info), &caps);
          GstVideoInfo video;
          if (!gst_video_info_from_caps(&video, caps)) return GST_PAD_PROBE_OK;
          if (video.fps_d > 0) self->rate_ = double(video.fps_n) / video.fps_d;
          self->width_ = video.width;
          self->height_ = video.height;
        }
        return GST_PAD_PROBE_OK;
      },
      this, nullptr);
  gst_object_unref(pad);
  gst_object_unref(textures);
}

Run::~Run() {
  gst_element_set_state(pipeline_.self(), GST_STATE_NULL);
  pictures_.reset();
}

void Run::on_frame(GstPad *pad, GstBuffer *buffer) {
  guarded([&] {
    if (!GST_BUFFER_PTS_IS_VALID(buffer)) {
      const double period = GST_SECOND / std::max(rate_.load(), 1.0);
      GST_BUFFER_PTS(buffer) =
          GST_CLOCK_TIME_IS_VALID(last_timestamp_) ? last_timestamp_ + guint64(period) : 0;
    }
    last_timestamp_ = GST_BUFFER_PTS(buffer);
    GstEvent *event = gst_pad_get_sticky_event(pad, GST_EVENT_SEGMENT, 0);
    GstClockTime time = last_timestamp_;
    if (event) {
      const GstSegment *segment = nullptr;
      gst_event_parse_segment(event, &segment);
      time = gst_segment_to_stream_time(segment, GST_FORMAT_TIME, last_timestamp_);
      gst_event_unref(event);
    }
    if (!GST_CLOCK_TIME_IS_VALID(time)) time = last_timestamp_;
    position_ = time;
    frames_++;
    table_.frame(last_timestamp_, time);
  });
}

void Run::add_event(GstClockTime time, Json event) {
  if (in_range(time)) events_.emplace_back(time, std::move(event));
}

void Run::on_shot(const GstStructure *shot) {
  guint64 timestamp = 0, time = 0;
  double score = 0;
  gst_structure_get_uint64(shot, "timestamp", &timestamp);
  gst_structure_get_uint64(shot, "stream-time", &time);
  gst_structure_get_double(shot, "score", &score);
  if (!in_range(time)) return;
  add_event(
      time,
      {{"event", "shot"}, {"kind", gst_structure_get_string(shot, "kind")}, {"score", score}});
  if (pictures_) pictures_->write(timestamp, time, *shots_);
}

void Run::on_objects(const GstStructure *message) {
  guint64 time = GST_CLOCK_TIME_NONE;
  gst_structure_get_uint64(message, "stream-time", &time);
  const Json found = events::json_of(gst_structure_get_value(message, "objects"));
  if (time < task_.from) crossing_ = found;
  const auto row = table_.row(time);
  if (!row) return;
  for (const Json &object : found) {
    if (object.contains("id")) ids_.insert(object["id"].get<guint64>());
    std::string line = seconds(time) + "," + std::to_string(*row);
    for (const char *field :
         {"id", "x", "y", "width", "height", "velocity-x", "velocity-y", "score", "age"})
      line += "," + (object.contains(field) && object[field].is_number()
                         ? number(object[field].get<double>())
                         : std::string());
    objects_->write(line + "\n");
  }
}

void Run::on_message(GstMessage *message) {
  guarded([&] {
    const GstStructure *structure = gst_message_get_structure(message);
    if (!structure) return;
    const std::string name = gst_structure_get_name(structure);
    table_.take(structure);
    if (name == "glclhistogram") {
      double variance = 0;
      const Json deviations = events::json_of(gst_structure_get_value(structure, "stddev"));
      for (const Json &deviation : deviations)
        variance += std::pow(deviation.get<double>(), 2) / double(deviations.size());
      ends_blank_ = variance < blank_deviation * blank_deviation;
      if (!std::exchange(seen_, true)) {
        begins_blank_ = ends_blank_;
        if (pictures_ && !task_.from) first_picture(structure);
      }
    } else if (name == "shot") {
      on_shot(structure);
    } else if (name == "objects" && objects_) {
      on_objects(structure);
    } else if (name == "motion-begin" || name == "motion-end") {
      guint64 time = GST_CLOCK_TIME_NONE;
      gst_structure_get_uint64(structure, "stream-time", &time);
      Json event{{"event", name}};
      const Json fields = events::json_of(structure);
      for (const auto &[key, value] : fields.items())
        if (key != "timestamp" && key != "stream-time" && key != "running-time" &&
            key != "duration")
          event[key] = value;
      add_event(time, std::move(event));
    }
  });
}

/// Results from before a seek no longer count.
void Run::forget() {
  if (pictures_) pictures_->clear();
  guarded([&] {
    table_.forget();
    events_.clear();
    crossing_ = Json::array();
    begins_blank_ = ends_blank_ = seen_ = false;
    frames_ = reported_frames_ = 0;
    if (shots_) shots_ = std::make_unique<Writer>(folder_, "shots.rgb");
  });
}

bool Run::seek() {
  const auto flags = static_cast<GstSeekFlags>(GST_SEEK_FLAG_FLUSH | GST_SEEK_FLAG_KEY_UNIT |
                                               GST_SEEK_FLAG_SNAP_BEFORE);
  return pipeline_.seekable() &&
         gst_element_seek(pipeline_.self(), 1, GST_FORMAT_TIME, flags, GST_SEEK_TYPE_SET,
                          static_cast<gint64>(begin_),
                          GST_CLOCK_TIME_IS_VALID(end_) ? GST_SEEK_TYPE_SET : GST_SEEK_TYPE_NONE,
                          static_cast<gint64>(end_));
}

void Run::play(const std::function<void(const Progress &)> &report) {
  if (!pipeline_.preroll()) throw Failure("there is no picture in it");
  duration_ = pipeline_.duration();
  if ((begin_ > 0 || GST_CLOCK_TIME_IS_VALID(end_)) && !seek()) {
    begin_ = 0;  // it plays from its begin to its end
    end_ = GST_CLOCK_TIME_NONE;
  }
  gst_element_set_state(pipeline_.self(), GST_STATE_PLAYING);
  for (bool ended = false; !ended;) {
    GstMessage *message = pipeline_.wait(GST_SECOND / 4, GST_MESSAGE_EOS);
    ended = message != nullptr;
    if (message) gst_message_unref(message);
    const std::lock_guard lock(mutex_);
    if (failed_) break;
    const GstClockTime end = GST_CLOCK_TIME_IS_VALID(end_) ? end_ : duration_;
    const double span = GST_CLOCK_TIME_IS_VALID(end) && end > begin_ ? double(end - begin_) : 0;
    const double done = position_ > begin_ ? double(position_ - begin_) : 0;
    report({frames_ - std::exchange(reported_frames_, frames_),
            span > 0 ? std::min(done / span, 1.0) : 0});
  }
  if (failed_) throw Failure(failure_);
  if (!frames_) throw Failure("there is no picture in it");
}

bool Run::needs_more_before() const {
  return begin_ > 0 && (table_.before() < reach_back || begins_blank_);
}

bool Run::needs_more_after() const {
  return GST_CLOCK_TIME_IS_VALID(end_) &&
         (!GST_CLOCK_TIME_IS_VALID(duration_) || end_ < duration_) &&
         (table_.after() < reach_on || ends_blank_);
}

void Run::first_picture(const GstStructure *message) {
  guint64 timestamp = 0, time = 0;
  if (gst_structure_get_uint64(message, "timestamp", &timestamp) &&
      gst_structure_get_uint64(message, "stream-time", &time) &&
      table_.row(time) == std::optional<size_t>(0))
    pictures_->write(timestamp, time, *shots_);
}

/// The first shot begins with the first frame of the file.
void Run::first_shot() {
  if (!task_.has("shots") || task_.from > 0 || !table_.rows()) return;
  add_event(table_.time(0), {{"event", "shot"}, {"kind", "start"}, {"score", 0.0}});
}

void Run::finish() {
  first_shot();
  table_.finish();
  std::stable_sort(events_.begin(), events_.end(),
                   [](const auto &a, const auto &b) { return a.first < b.first; });
  Writer out(folder_, "events.jsonl");
  guint64 shots = 0;
  for (const auto &[time, event] : events_) {
    Json line{{"time", time}, {"frame", nullptr}};
    if (const auto row = table_.row(time)) line["frame"] = *row;
    line.update(event);
    out.write(dump(line) + "\n");
    shots += event["event"] == "shot";
  }
  out.close();
  if (objects_) objects_->close();
  if (shots_) shots_->close();
  Json summary = identity_of(task_.file);
  summary["elements"] = task_.elements;
  summary["from"] = task_.from;
  summary["to"] = GST_CLOCK_TIME_IS_VALID(task_.to) ? Json(task_.to) : Json();
  summary["duration"] = GST_CLOCK_TIME_IS_VALID(duration_) ? Json(duration_) : Json();
  summary["width"] = width_;
  summary["height"] = height_;
  summary["orientation"] = pipeline_.orientation();
  summary["rate"] = rate_.load();
  summary["decoder"] = pipeline_.decoder();
  summary["frames"] = table_.rows();
  summary["lost"] = table_.lost(rate_);
  if (task_.has("shots")) summary["shots"] = shots;
  if (objects_) summary["objects"] = ids_.size();
  if (task_.part) summary["crossing"] = crossing_;
  folder_.write("summary.json", dump(summary, 2) + "\n");
}

}  // namespace

void analyze(const Task &task, const std::function<void(const Progress &)> &report) {
  identity_of(task.file);  // whether it is there
  check_complete(task.file);
  // Seconds around the range, more where they hold too few frames or no picture.
  GstClockTime back = 8 * GST_SECOND, on = 4 * GST_SECOND;
  bool with_pictures = task.has("shots");
  for (;;) {
    Run run(task, back, on, with_pictures);
    try {
      run.play(report);
    } catch (const Failure &) {
      // The converter for small pictures can't handle every change of size.
      if (!with_pictures || !run.changed_size()) throw;
      with_pictures = false;
      continue;
    }
    const bool before = run.needs_more_before(), after = run.needs_more_after();
    if (!before && !after) {
      run.finish();
      return;
    }
    if (before) back *= 2;
    if (after) on *= 2;
  }
}

Extent extent_of(const std::string &file) {
  identity_of(file);  // whether it is there
  const Pipeline pipeline("fakesink", file);
  if (!pipeline.preroll()) throw Failure("there is no picture in it");
  return {pipeline.duration(), pipeline.seekable()};
}

Json identity_of(const std::string &file) {
  struct stat status {};
  if (stat(file.c_str(), &status)) throw Failure(g_strerror(errno));
  if (S_ISDIR(status.st_mode)) throw Failure("it is a folder");
  if (!S_ISREG(status.st_mode)) throw Failure("it is not a regular file");
  return {{"file", escaped(file)},
          {"size", status.st_size},
          {"changed", status.st_mtim.tv_sec * GST_SECOND + status.st_mtim.tv_nsec}};
}

}  // namespace glcl::analyze
