// SPDX-License-Identifier: LGPL-2.1-or-later
#include "run.h"

#include <gst/video/video.h>

#include <algorithm>
#include <utility>

#include "base/glcllocaldecoder.h"
#include "settings.h"

namespace glcl::analyze {

namespace {

/// The elements that a task requests, as part of a pipeline.
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

/// The scope reads decoded planes, because RGB has no illegal values.
std::string scope_of(const Task &task) {
  return task.has("scope") ? " ! glclscope name=glclscope interval=0 display=none mode=ycbcr "
                             "events=black+freeze ! glcolorconvert"
                           : "";
}

/// The planes to which frames in system memory are converted, so that the scope reads YUV and grey
/// as such. RGB, and frames in other memory, stay as they are.
GstCaps *planes_for(const GstCaps *caps) {
  GstVideoInfo video;
  const GstCapsFeatures *memory = gst_caps_get_features(caps, 0);
  const bool mapped =
      !memory || gst_caps_features_contains(memory, GST_CAPS_FEATURE_MEMORY_SYSTEM_MEMORY);
  if (!mapped || !gst_video_info_from_caps(&video, caps) || GST_VIDEO_INFO_IS_RGB(&video))
    return gst_caps_new_any();
  return gst_caps_from_string(GST_VIDEO_INFO_IS_GRAY(&video)
                                  ? "video/x-raw,format={GRAY8,GRAY16_LE}"
                                  : "video/x-raw,format={I420,NV12,P010_10LE}");
}

std::string elements_after_decoder(const Task &task, bool with_thumbnails) {
  const std::string thumbnails =
      with_thumbnails
          ? " frames. ! queue max-size-buffers=4 max-size-bytes=0 max-size-time=0 ! glcolorscale ! "
            "video/x-raw(memory:GLMemory),format=RGBA,width=" +
                std::to_string(Thumbnails::width) +
                ",height=[1,4096],pixel-aspect-ratio=1/1 ! appsink name=pictures sync=false "
                "async=false"
          : "";
  // Dithering would change code values.
  const std::string dither = task.has("scope") ? " dither=none" : "";
  return "videoconvert name=converter" + dither +
         " ! capsfilter name=planes ! queue max-size-buffers=4 "
         "max-size-bytes=0 max-size-time=0 ! glupload ! glcolorconvert name=decoded" +
         scope_of(task) +
         " ! glvideoflip video-direction=auto ! capsfilter name=textures "
         "caps=video/x-raw(memory:GLMemory),format=RGBA "
         "! tee name=frames ! queue max-size-buffers=4 max-size-bytes=0 max-size-time=0" +
         chain_of(task) + " ! fakesink name=sink sync=false" + thumbnails;
}

void add_probe(const Pipeline &pipeline, const char *element, const char *pad,
               GstPadProbeType types, GstPadProbeCallback call, gpointer data) {
  GstElement *of = pipeline.get(element);
  GstPad *on = gst_element_get_static_pad(of, pad);
  gst_pad_add_probe(on, types, call, data, nullptr);
  gst_object_unref(on);
  gst_object_unref(of);
}

std::unique_ptr<Thumbnails> thumbnails_of(const Pipeline &pipeline) {
  GstElement *sink = pipeline.get("pictures");
  if (!sink) return nullptr;
  auto thumbnails = std::make_unique<Thumbnails>(sink);
  gst_object_unref(sink);
  return thumbnails;
}

}  // namespace

Run::Run(const Task &task, GstClockTime back, GstClockTime on, bool with_thumbnails)
    : task_(task),
      pipeline_(elements_after_decoder(task, with_thumbnails), task.file),
      thumbnails_(thumbnails_of(pipeline_)),
      begin_(task.from > back ? task.from - back : 0),
      end_(GST_CLOCK_TIME_IS_VALID(task.to) ? task.to + on : GST_CLOCK_TIME_NONE),
      results_(task, thumbnails_.get()) {
  for (const char *name : {"glclhistogram", "glclmotion", "glopenclflow", "glclklt", "glclscope"})
    if (GstElement *element = pipeline_.get(name)) {
      g_object_set(element, "device", task.device.c_str(), nullptr);
      gst_object_unref(element);
    }
  apply_settings(task, pipeline_.self());
  if (!task.rules.empty()) {
    GstElement *motion = pipeline_.get("glclmotion");
    g_object_set(motion, "rules", task.rules.c_str(), nullptr);
    gst_object_unref(motion);
  }
  watch_messages();
  watch_frames();
}

Run::~Run() {
  if (thumbnails_) thumbnails_->end();
  stop_decoding(pipeline_.self());
  thumbnails_.reset();
  scene_.forget();
}

/// Handles messages on the threads that post them, because an unread bus drops messages.
void Run::watch_messages() {
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
}

/// Frames count before the first element that posts messages about them.
void Run::watch_frames() {
  add_probe(
      pipeline_, "decoded", "src", GST_PAD_PROBE_TYPE_BUFFER,
      [](GstPad *pad, GstPadProbeInfo *info, gpointer self) {
        info->data = gst_buffer_make_writable(GST_PAD_PROBE_INFO_BUFFER(info));
        static_cast<Run *>(self)->on_frame(pad, GST_PAD_PROBE_INFO_BUFFER(info));
        return GST_PAD_PROBE_OK;
      },
      this);
  add_probe(
      pipeline_, "textures", "src",
      static_cast<GstPadProbeType>(GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM |
                                   GST_PAD_PROBE_TYPE_EVENT_FLUSH),
      [](GstPad *, GstPadProbeInfo *info, gpointer data) {
        auto *self = static_cast<Run *>(data);
        if (GST_EVENT_TYPE(GST_PAD_PROBE_INFO_EVENT(info)) == GST_EVENT_FLUSH_STOP)
          self->forget();
        else if (GST_EVENT_TYPE(GST_PAD_PROBE_INFO_EVENT(info)) == GST_EVENT_CAPS)
          self->on_caps(GST_PAD_PROBE_INFO_EVENT(info));
        return GST_PAD_PROBE_OK;
      },
      this);
  if (!task_.rules.empty())
    add_probe(
        pipeline_, "textures", "src", GST_PAD_PROBE_TYPE_BUFFER,
        [](GstPad *pad, GstPadProbeInfo *info, gpointer data) {
          auto *self = static_cast<Run *>(data);
          self->scene_.offer(pad, GST_PAD_PROBE_INFO_BUFFER(info), self->task_.from);
          return GST_PAD_PROBE_OK;
        },
        this);
  if (!task_.has("scope")) return;
  add_probe(
      pipeline_, "converter", "sink", GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM,
      [](GstPad *, GstPadProbeInfo *info, gpointer self) {
        if (GST_EVENT_TYPE(GST_PAD_PROBE_INFO_EVENT(info)) == GST_EVENT_CAPS)
          static_cast<Run *>(self)->choose_planes(GST_PAD_PROBE_INFO_EVENT(info));
        return GST_PAD_PROBE_OK;
      },
      this);
}

void Run::choose_planes(GstEvent *event) {
  GstCaps *decoded = nullptr, *now = nullptr;
  gst_event_parse_caps(event, &decoded);
  GstElement *filter = pipeline_.get("planes");
  GstCaps *planes = planes_for(decoded);
  g_object_get(filter, "caps", &now, nullptr);
  if (!gst_caps_is_equal(now, planes)) g_object_set(filter, "caps", planes, nullptr);
  gst_caps_unref(now);
  gst_caps_unref(planes);
  gst_object_unref(filter);
}

void Run::on_caps(GstEvent *event) {
  GstCaps *caps = nullptr;
  gst_event_parse_caps(event, &caps);
  GstVideoInfo video;
  if (!gst_video_info_from_caps(&video, caps)) return;
  const std::lock_guard lock(mutex_);
  if (video.fps_d > 0) format_.rate = double(video.fps_n) / video.fps_d;
  format_.width = video.width;
  format_.height = video.height;
}

void Run::on_frame(GstPad *pad, GstBuffer *buffer) {
  guarded([&] {
    if (!GST_BUFFER_PTS_IS_VALID(buffer)) {
      const double period = GST_SECOND / std::max(format_.rate, 1.0);
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
    results_.add_frame(last_timestamp_, time);
  });
}

void Run::on_message(GstMessage *message) {
  guarded([&] {
    if (const GstStructure *structure = gst_message_get_structure(message))
      results_.add_message(structure);
  });
}

/// Results from before a seek no longer count.
void Run::forget() {
  if (thumbnails_) thumbnails_->clear();
  scene_.forget();
  guarded([&] {
    results_.forget();
    frames_ = reported_frames_ = 0;
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
  if (task_.from > 0 && GST_CLOCK_TIME_IS_VALID(duration_) && task_.from >= duration_)
    throw Failure("--from=" + seconds(task_.from) + " is not before its end, " +
                  seconds(duration_) + " s: give an earlier time");
  if ((begin_ > 0 || GST_CLOCK_TIME_IS_VALID(end_)) && !seek()) {
    begin_ = 0;  // the whole file is played
    end_ = GST_CLOCK_TIME_NONE;
  }
  gst_element_set_state(pipeline_.self(), GST_STATE_PLAYING);
  for (bool ended = false; !ended;) {
    GstMessage *message = pipeline_.wait(GST_SECOND / 4, GST_MESSAGE_EOS);
    ended = message != nullptr;
    if (message) gst_message_unref(message);
    const std::lock_guard lock(mutex_);
    if (failure_) break;
    const GstClockTime end = GST_CLOCK_TIME_IS_VALID(end_) ? end_ : duration_;
    const double span = GST_CLOCK_TIME_IS_VALID(end) && end > begin_ ? double(end - begin_) : 0;
    const double done = position_ > begin_ ? double(position_ - begin_) : 0;
    report({frames_ - std::exchange(reported_frames_, frames_),
            span > 0 ? std::min(done / span, 1.0) : 0});
  }
  if (failure_) throw Failure(*failure_);
  if (!frames_) throw Failure("there is no picture in it");
}

bool Run::needs_more_before() const { return begin_ > 0 && results_.needs_more_before(); }

bool Run::needs_more_after() const {
  return GST_CLOCK_TIME_IS_VALID(end_) &&
         (!GST_CLOCK_TIME_IS_VALID(duration_) || end_ < duration_) && results_.needs_more_after();
}

/// Bits per second of a whole file; null if its duration is unknown.
static Json bit_rate(guint64 size, GstClockTime duration) {
  if (!GST_CLOCK_TIME_IS_VALID(duration)) return {};
  return gst_util_uint64_scale_round(size, 8 * GST_SECOND, duration);
}

void Run::finish() {
  Json summary = identity_of(task_.file);
  summary["bit-rate"] = bit_rate(summary.at("size"), duration_);
  summary["elements"] = task_.elements;
  summary["settings"] = task_.settings;
  summary["from"] = task_.from;
  summary["to"] = GST_CLOCK_TIME_IS_VALID(task_.to) ? Json(task_.to) : Json();
  summary["duration"] = GST_CLOCK_TIME_IS_VALID(duration_) ? Json(duration_) : Json();
  summary["width"] = format_.width;
  summary["height"] = format_.height;
  summary["orientation"] = pipeline_.orientation();
  summary["rate"] = format_.rate;
  summary["decoder"] = pipeline_.decoder();
  const Pipeline::FileFacts facts = pipeline_.facts();
  summary["video"] = facts.video;
  summary["audio"] = facts.audio;
  summary["colorimetry"] = facts.colorimetry;
  if (!task_.rules.empty()) scene_.write(Folder(task_.folder));
  results_.finish(summary, format_.rate);
}

}  // namespace glcl::analyze
