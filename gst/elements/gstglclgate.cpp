// SPDX-License-Identifier: LGPL-2.1-or-later
/**
 * SECTION:element-glclgate
 * @title: glclgate
 *
 * Passes only the frames around events of a glclmotion upstream, or one frame of each moving object
 * or of each shot that a glclhistogram upstream finds, so that an encoder, a file or a model gets
 * only what matters. It takes raw frames and encoded ones.
 *
 * ## Example launch line
 * |[
 * gst-launch-1.0 v4l2src ! glupload ! glcolorconvert ! glclmotion detect=true ! glclgate !
 * glimagesink
 * ]|
 *
 * Since: 0.1
 */
#include "gstglclgate.h"

#include <gst/video/video.h>

#include <atomic>
#include <cmath>
#include <memory>
#include <utility>

#include "base/glclproperties.h"
#include "config.h"
#include "gate/eventwindows.h"
#include "gstglclgatequeue.h"
#include "histogram/sharpestframes.h"

GST_DEBUG_CATEGORY_STATIC(glcl_gate_debug);
#define GST_CAT_DEFAULT glcl_gate_debug

namespace {

using glcl::gate::EventWindows;
using glcl::gate::Fate;
using glcl::gate::GateFrame;
using glcl::gate::GateQueue;
using glcl::gate::Margins;

constexpr GstClockTime gap_interval = 200 * GST_MSECOND;

/// The events that open the gate.
enum class OpenOn { motion, rules, shots, objects };

/// True if an event passes one frame.
bool passes_one(OpenOn events) { return events == OpenOn::shots || events == OpenOn::objects; }

/// Frames may be as much away from the frame of an event: muxers round timestamps.
constexpr guint64 rounding = 500 * GST_USECOND;
/// Results of elements upstream come so many frames late.
constexpr guint most_late = 8;

/// How late events come: so many frames after a time. At first that of glclhistogram.
struct Delay {
  guint64 time = GST_SECOND;  // ns
  guint frames = glcl::histogram::SharpestFrames::late;
};

struct GateProperties {
  double pre = 2, post = 2;  // s
  OpenOn open_on = OpenOn::motion;
  int most_held = 1000;
  bool send_gaps = true;
  std::shared_ptr<std::atomic<bool>> open = std::make_shared<std::atomic<bool>>(false);

  Margins margins() const {
    if (passes_one(open_on)) return {rounding, rounding};
    return {static_cast<guint64>(std::llround(pre * GST_SECOND)),
            static_cast<guint64>(std::llround(post * GST_SECOND))};
  }
};

/// The stream, for the streaming thread.
struct GateStream {
  GstSegment segment;
  GateQueue queue;
  GstClockTime newest = 0;  ///< running time of the last frame
  GstClockTime gap_begin =
      GST_CLOCK_TIME_NONE;  ///< timestamp of dropped frames without a gap event
  GstFlowReturn flow = GST_FLOW_OK;
  bool key_requested = false;                  ///< since the last passed frame
  bool started = false;                        ///< a frame came since the last flush
  bool warned = false;                         ///< of too few held frames
  guint key_requests = 0;                      ///< number of the next request for a key frame
  GstClockTime latency = GST_CLOCK_TIME_NONE;  ///< as the pipeline knows it
};

struct GateState {
  glcl::Guarded<GateProperties> settings;
  glcl::Guarded<EventWindows> windows;
  glcl::Guarded<Delay> shot_delay;
  std::atomic<guint64> frame_duration = 0;  // ns; 0: unknown
  GateStream stream;
};

}  // namespace

struct _GstGLCLGate {
  GstElement parent;
  GstPad *sink, *src;
  GateState *state;
};

G_DEFINE_TYPE(GstGLCLGate, gst_glcl_gate, GST_TYPE_ELEMENT)
GST_ELEMENT_REGISTER_DEFINE(glclgate, "glclgate", GST_RANK_NONE, gst_glcl_gate_get_type())

namespace {

void set_open(GstGLCLGate *self, bool open) {
  const auto flag = self->state->settings.get().open;
  if (flag->exchange(open) == open) return;
  GST_DEBUG_OBJECT(self, "%s", open ? "opens" : "closes");
  g_object_notify(G_OBJECT(self), "open");
}

/// The time before the newest frame, and the number of frames before this, that are held.
Delay held(GstGLCLGate *self) {
  const GateProperties settings = self->state->settings.get();
  Delay delay = settings.open_on == OpenOn::shots ? self->state->shot_delay.get()
                                                  : Delay{settings.margins().pre, 0};
  delay.frames += most_late;
  return delay;
}

/// The number of frames that the gate holds if max-size-buffers allows it.
guint64 wanted_frames(GstGLCLGate *self, guint64 frame_duration) {
  const Delay delay = held(self);
  return (frame_duration ? delay.time / frame_duration + 1 : 0) + delay.frames + 1;
}

/// Takes an event of glclmotion or glclhistogram. Any thread.
void take_event(GstGLCLGate *self, const GstStructure *event) {
  const std::string name = gst_structure_get_name(event);
  if (name == "shot-delay") {
    Delay delay;
    if (gst_structure_get(event, "time", G_TYPE_UINT64, &delay.time, "frames", G_TYPE_UINT,
                          &delay.frames, nullptr))
      self->state->shot_delay.set(delay);
    return;
  }
  guint64 time = GST_CLOCK_TIME_NONE, id = 0;
  if (!gst_structure_get_uint64(event, "running-time", &time) || !GST_CLOCK_TIME_IS_VALID(time))
    return;
  gst_structure_get_uint64(event, "id", &id);
  const gchar *zone = gst_structure_get_string(event, "zone");
  const std::string key = std::to_string(id) + (zone ? std::string(" ") + zone : std::string());
  const OpenOn on = self->state->settings.get().open_on;
  self->state->windows.with([&](EventWindows &windows) {
    if (passes_one(on)) {
      if (name == (on == OpenOn::shots ? "shot-sharpest" : "motion-begin")) windows.moment(time);
    } else if (name == (on == OpenOn::motion ? "motion-begin" : "zone-enter"))
      windows.begin(key, time);
    else if (name == (on == OpenOn::motion ? "motion-end" : "zone-leave"))
      windows.end(key, time);
    else if (name == "line-cross" && on == OpenOn::rules)
      windows.moment(time);
  });
}

/// Reports downstream that no frame comes until the end of dropped ones, at most five times a
/// second.
void send_gap(GstGLCLGate *self, GstBuffer *dropped) {
  GateStream &stream = self->state->stream;
  const GstClockTime begin = GST_BUFFER_PTS(dropped), length = GST_BUFFER_DURATION(dropped);
  if (!GST_CLOCK_TIME_IS_VALID(begin)) return;
  if (!GST_CLOCK_TIME_IS_VALID(stream.gap_begin)) stream.gap_begin = begin;
  const GstClockTime end = begin + (GST_CLOCK_TIME_IS_VALID(length) ? length : 0);
  if (end < stream.gap_begin + gap_interval) return;
  gst_pad_push_event(self->src, gst_event_new_gap(stream.gap_begin, end - stream.gap_begin));
  stream.gap_begin = end;
}

/// Begins a sequence of passed frames: encoders downstream begin it with a key frame.
GstBuffer *begin_sequence(GstGLCLGate *self, GstBuffer *first) {
  GateStream &stream = self->state->stream;
  const GstClockTime time = GST_BUFFER_PTS(first);
  gst_pad_push_event(self->src,
                     gst_video_event_new_downstream_force_key_unit(
                         time, gst_segment_to_stream_time(&stream.segment, GST_FORMAT_TIME, time),
                         gst_segment_to_running_time(&stream.segment, GST_FORMAT_TIME, time), TRUE,
                         stream.key_requests++));
  first = gst_buffer_make_writable(first);
  GST_BUFFER_FLAG_SET(first, GST_BUFFER_FLAG_DISCONT);
  return first;
}

void release(GstGLCLGate *self, const GateFrame &frame, Fate fate) {
  GateStream &stream = self->state->stream;
  if (fate == Fate::drop) {
    if (self->state->settings.get().send_gaps) send_gap(self, frame.buffer);
    gst_buffer_unref(frame.buffer);
    return;
  }
  stream.gap_begin = GST_CLOCK_TIME_NONE;
  stream.key_requested = false;
  GstBuffer *buffer = frame.buffer;
  if (!stream.queue.continues()) buffer = begin_sequence(self, buffer);
  set_open(self, true);
  const GstFlowReturn flow = gst_pad_push(self->src, buffer);
  if (stream.flow == GST_FLOW_OK) stream.flow = flow;
}

/// Warns once that frames of shots or objects are dropped before they are known.
void warn_of_size(GstGLCLGate *self, OpenOn events) {
  const char *name = events == OpenOn::shots ? "shots" : "objects";
  if (std::exchange(self->state->stream.warned, true)) return;
  GST_ELEMENT_WARNING(
      self, STREAM, FAILED,
      ("max-size-buffers=%d is too small for open-on=%s: frames of %s are missing. Set it to "
       "%" G_GUINT64_FORMAT " or more, and for encoded frames to the distance of key frames more.",
       self->state->settings.get().most_held, name, name,
       wanted_frames(self, self->state->frame_duration)),
      ("frames are dropped before the element upstream can announce them"));
}

/// Releases the held frames whose fate is known, or all of them.
void release_frames(GstGLCLGate *self, bool all) {
  GateState *state = self->state;
  GateStream &stream = state->stream;
  const GateProperties settings = state->settings.get();
  const Margins margins = settings.margins();
  const Delay delay = held(self);
  const EventWindows windows = state->windows.with([&](EventWindows &known) {
    known.forget_before(stream.queue.oldest(stream.newest), margins);
    return known;
  });
  const auto to = [self](const GateFrame &frame, Fate fate) { release(self, frame, fate); };
  stream.queue.release([&](GstClockTime time) { return windows.covers(time, margins); },
                       stream.newest, {delay.time, delay.frames, size_t(settings.most_held)}, to);
  if (all) stream.queue.settle(to);
  if (stream.queue.take_overflow() && passes_one(settings.open_on))
    warn_of_size(self, settings.open_on);
  if (stream.queue.size() > 0 || !stream.queue.continues()) set_open(self, false);
  if (stream.queue.take_need_of_key() && !std::exchange(stream.key_requested, true))
    gst_pad_push_event(self->sink, gst_video_event_new_upstream_force_key_unit(
                                       GST_CLOCK_TIME_NONE, TRUE, stream.key_requests++));
}

void reset(GstGLCLGate *self) {
  GateStream &stream = self->state->stream;
  stream.queue.clear();
  gst_segment_init(&stream.segment, GST_FORMAT_UNDEFINED);
  stream.newest = 0;
  stream.gap_begin = GST_CLOCK_TIME_NONE;
  stream.flow = GST_FLOW_OK;
  stream.key_requested = stream.started = false;
  self->state->windows.with([](EventWindows &windows) { windows.clear(); });
  set_open(self, false);
}

/// Moves the time of the stream on to that of a timestamp, if it is later.
void advance(GateStream &stream, GstClockTime timestamp) {
  if (stream.segment.format != GST_FORMAT_TIME || !GST_CLOCK_TIME_IS_VALID(timestamp)) return;
  const GstClockTime time =
      gst_segment_to_running_time(&stream.segment, GST_FORMAT_TIME, timestamp);
  if (GST_CLOCK_TIME_IS_VALID(time)) stream.newest = MAX(stream.newest, time);
}

/// Frames may pass so long after they have come.
GstClockTime latency(GstGLCLGate *self) {
  const Delay delay = held(self);
  return delay.time + delay.frames * self->state->frame_duration.load();
}

/// Makes the pipeline ask for the latency again if it has changed.
void report_latency(GstGLCLGate *self) {
  const GstClockTime now = latency(self);
  if (std::exchange(self->state->stream.latency, now) != now)
    gst_element_post_message(GST_ELEMENT(self), gst_message_new_latency(GST_OBJECT(self)));
}

/// The running time at which a frame is shown.
GstClockTime shown(const GateStream &stream, const GstBuffer *buffer) {
  if (stream.segment.format != GST_FORMAT_TIME || !GST_BUFFER_PTS_IS_VALID(buffer))
    return stream.newest;
  const GstClockTime time =
      gst_segment_to_running_time(&stream.segment, GST_FORMAT_TIME, GST_BUFFER_PTS(buffer));
  return GST_CLOCK_TIME_IS_VALID(time) ? time : stream.newest;
}

GstFlowReturn chain(GstPad *, GstObject *parent, GstBuffer *buffer) {
  GstGLCLGate *self = GST_GLCL_GATE(parent);
  GateStream &stream = self->state->stream;
  report_latency(self);  // `pre` may have changed
  advance(stream,
          GST_BUFFER_PTS_IS_VALID(buffer) ? GST_BUFFER_PTS(buffer) : GST_BUFFER_DTS(buffer));
  stream.flow = GST_FLOW_OK;
  // Sinks preroll with this event, because no frame may come for a long time.
  if (!std::exchange(stream.started, true) && GST_BUFFER_PTS_IS_VALID(buffer) &&
      self->state->settings.get().send_gaps)
    gst_pad_push_event(self->src, gst_event_new_gap(GST_BUFFER_PTS(buffer), 0));
  stream.queue.add({buffer, stream.newest, shown(stream, buffer),
                    !GST_BUFFER_FLAG_IS_SET(buffer, GST_BUFFER_FLAG_DELTA_UNIT)});
  release_frames(self, false);
  return stream.flow;
}

/// The duration of frames in these caps, ns; 0 if it is unknown.
guint64 duration_in(const GstCaps *caps) {
  gint rate = 0, per = 1;
  const GstStructure *format = gst_caps_get_structure(caps, 0);
  if (!gst_structure_get_fraction(format, "framerate", &rate, &per) || rate <= 0) return 0;
  return gst_util_uint64_scale_int(GST_SECOND, per, rate);
}

/// Handles an event at which held frames can't wait any longer.
void finish_stream(GstGLCLGate *self, GstEvent *event) {
  release_frames(self, true);
  if (GST_EVENT_TYPE(event) == GST_EVENT_SEGMENT)
    gst_event_copy_segment(event, &self->state->stream.segment);
  if (GST_EVENT_TYPE(event) != GST_EVENT_CAPS) return;
  GstCaps *caps = nullptr;
  gst_event_parse_caps(event, &caps);
  self->state->frame_duration = duration_in(caps);
  report_latency(self);
}

bool changes_caps(GstPad *pad, GstEvent *event) {
  GstCaps *caps = nullptr, *now = gst_pad_get_current_caps(pad);
  gst_event_parse_caps(event, &caps);
  const bool changes = !now || !gst_caps_is_equal(caps, now);
  if (now) gst_caps_unref(now);
  return changes;
}

gboolean sink_event(GstPad *pad, GstObject *parent, GstEvent *event) {
  GstGLCLGate *self = GST_GLCL_GATE(parent);
  GateStream &stream = self->state->stream;
  switch (GST_EVENT_TYPE(event)) {
    case GST_EVENT_CUSTOM_DOWNSTREAM:
    case GST_EVENT_CUSTOM_DOWNSTREAM_OOB:
      take_event(self, gst_event_get_structure(event));
      break;
    case GST_EVENT_FLUSH_STOP:
      reset(self);
      break;
    case GST_EVENT_CAPS:
      if (changes_caps(self->src, event)) finish_stream(self, event);
      break;
    case GST_EVENT_STREAM_START:
    case GST_EVENT_SEGMENT:
    case GST_EVENT_SEGMENT_DONE:
    case GST_EVENT_STREAM_GROUP_DONE:
    case GST_EVENT_EOS:
      finish_stream(self, event);
      break;
    case GST_EVENT_GAP: {
      GstClockTime begin = GST_CLOCK_TIME_NONE;
      gst_event_parse_gap(event, &begin, nullptr);
      advance(stream, begin);
      release_frames(self, false);
      if (stream.queue.size() == 0) break;
      gst_event_unref(event);  // frames from before it are held
      return TRUE;
    }
    default:
      break;
  }
  return gst_pad_event_default(pad, parent, event);
}

/// Pools upstream need buffers for the frames that are held.
void ask_for_buffers(GstGLCLGate *self, GstQuery *query) {
  GstCaps *caps = nullptr;
  gst_query_parse_allocation(query, &caps, nullptr);
  if (!caps || !gst_structure_has_name(gst_caps_get_structure(caps, 0), "video/x-raw")) return;
  const guint more = guint(
      MIN(wanted_frames(self, duration_in(caps)), guint64(self->state->settings.get().most_held)));
  for (guint i = 0; i < gst_query_get_n_allocation_pools(query); i++) {
    GstBufferPool *pool = nullptr;
    guint size = 0, least = 0, most = 0;
    gst_query_parse_nth_allocation_pool(query, i, &pool, &size, &least, &most);
    gst_query_set_nth_allocation_pool(query, i, pool, size, least + more, most ? most + more : 0);
    if (pool) gst_object_unref(pool);
  }
  GstVideoInfo video;
  if (gst_query_get_n_allocation_pools(query) == 0 && gst_video_info_from_caps(&video, caps))
    gst_query_add_allocation_pool(query, nullptr, guint(GST_VIDEO_INFO_SIZE(&video)), more, 0);
}

gboolean sink_query(GstPad *pad, GstObject *parent, GstQuery *query) {
  GstGLCLGate *self = GST_GLCL_GATE(parent);
  switch (GST_QUERY_TYPE(query)) {
    case GST_QUERY_ALLOCATION: {
      const gboolean answered = gst_pad_peer_query(self->src, query);
      if (answered) ask_for_buffers(self, query);
      return answered;
    }
    case GST_QUERY_DRAIN:
      release_frames(self, true);
      break;
    default:
      break;
  }
  return gst_pad_query_default(pad, parent, query);
}

gboolean src_query(GstPad *pad, GstObject *parent, GstQuery *query) {
  GstGLCLGate *self = GST_GLCL_GATE(parent);
  if (!gst_pad_query_default(pad, parent, query)) return FALSE;
  if (GST_QUERY_TYPE(query) != GST_QUERY_LATENCY) return TRUE;
  gboolean live = FALSE;
  GstClockTime least = 0, most = GST_CLOCK_TIME_NONE;
  gst_query_parse_latency(query, &live, &least, &most);
  const GstClockTime more = latency(self);
  gst_query_set_latency(query, live, least + more,
                        GST_CLOCK_TIME_IS_VALID(most) ? most + more : GST_CLOCK_TIME_NONE);
  return TRUE;
}

GstStateChangeReturn change_state(GstElement *element, GstStateChange transition) {
  const GstStateChangeReturn result =
      GST_ELEMENT_CLASS(gst_glcl_gate_parent_class)->change_state(element, transition);
  if (transition == GST_STATE_CHANGE_READY_TO_PAUSED ||
      transition == GST_STATE_CHANGE_PAUSED_TO_READY)
    reset(GST_GLCL_GATE(element));
  return result;
}

void install_gate_properties(GObjectClass *object_class) {
  const auto settings_of = [](GObject *object) -> glcl::Guarded<GateProperties> & {
    return GST_GLCL_GATE(object)->state->settings;
  };
  glcl::Properties<GateProperties>(object_class, settings_of)
      .number("pre", "Time before",
              "Time before an event whose frames pass, s; not with open-on=shots or objects",
              &GateProperties::pre, 0, 600)
      .number("post", "Time after",
              "Time after an event whose frames pass, s; not with open-on=shots or objects",
              &GateProperties::post, 0, 3600)
      .choice("open-on", "Events", "Events of glclmotion or glclhistogram that open the gate",
              &GateProperties::open_on,
              glcl::enum_type<OpenOn>(
                  "GstGLCLGateOpenOn",
                  {{OpenOn::motion, "Moving objects: motion-begin to motion-end", "motion"},
                   {OpenOn::rules, "zone-enter to zone-leave, and line-cross", "rules"},
                   {OpenOn::shots, "One frame of each shot: shot-sharpest", "shots"},
                   {OpenOn::objects, "One frame of each moving object: motion-begin", "objects"}}))
      .number("max-size-buffers", "Maximum held buffers",
              "Maximum number of held frames; further ones replace the oldest",
              &GateProperties::most_held, 1, 100000)
      .flag("send-gaps", "Send gaps",
            "Send gap events while the gate is closed; encoders keep these until it opens",
            &GateProperties::send_gaps)
      .other(
          g_param_spec_boolean("open", "Open", "TRUE while frames pass", FALSE,
                               static_cast<GParamFlags>(G_PARAM_READABLE | G_PARAM_STATIC_STRINGS)),
          [](GateProperties &, const GValue *) {},
          [](const GateProperties &settings, GValue *value) {
            g_value_set_boolean(value, settings.open->load());
          });
}

}  // namespace

static GstPad *gst_glcl_gate_add_pad(GstGLCLGate *self, const char *name) {
  GstPadTemplate *pad_template =
      gst_element_class_get_pad_template(GST_ELEMENT_GET_CLASS(self), name);
  GstPad *pad = gst_pad_new_from_template(pad_template, name);
  GST_PAD_SET_PROXY_CAPS(pad);
  gst_element_add_pad(GST_ELEMENT(self), pad);
  return pad;
}

static void gst_glcl_gate_init(GstGLCLGate *self) {
  self->state = new GateState;
  gst_segment_init(&self->state->stream.segment, GST_FORMAT_UNDEFINED);
  self->sink = gst_glcl_gate_add_pad(self, "sink");
  self->src = gst_glcl_gate_add_pad(self, "src");
  gst_pad_set_chain_function(self->sink, chain);
  gst_pad_set_event_function(self->sink, sink_event);
  gst_pad_set_query_function(self->sink, sink_query);
  gst_pad_set_query_function(self->src, src_query);
}

static void gst_glcl_gate_finalize(GObject *object) {
  delete GST_GLCL_GATE(object)->state;
  G_OBJECT_CLASS(gst_glcl_gate_parent_class)->finalize(object);
}

static void gst_glcl_gate_class_init(GstGLCLGateClass *klass) {
  GST_DEBUG_CATEGORY_INIT(glcl_gate_debug, "glclgate", 0, "Gate that events open");
  auto *object_class = G_OBJECT_CLASS(klass);
  object_class->finalize = gst_glcl_gate_finalize;
  install_gate_properties(object_class);
  auto *element_class = GST_ELEMENT_CLASS(klass);
  element_class->change_state = change_state;
  gst_element_class_set_static_metadata(
      element_class, "Gate that events open", "Filter/Video",
      "Passes the frames around events of glclmotion, or one frame of each object or shot",
      "The gst-glcl developers");
  gst_element_class_add_static_metadata(element_class, GST_ELEMENT_METADATA_DOC_URI,
                                        DOCS_PAGE("glclgate"));
  for (const auto &[name, direction] : {std::pair{"sink", GST_PAD_SINK}, {"src", GST_PAD_SRC}}) {
    GstCaps *caps = gst_caps_new_any();
    gst_element_class_add_pad_template(element_class,
                                       gst_pad_template_new(name, direction, GST_PAD_ALWAYS, caps));
    gst_caps_unref(caps);
  }
}
