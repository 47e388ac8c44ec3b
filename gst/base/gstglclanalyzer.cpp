// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gstglclanalyzer.h"

#include <new>

#include "glcldelivery.h"
#include "glcloverlay.h"
#include "glclproperties.h"
#include "glcltime.h"
#include "glclunread.h"

GST_DEBUG_CATEGORY_STATIC(glcl_analyzer_debug);
#define GST_CAT_DEFAULT glcl_analyzer_debug

namespace {

constexpr size_t most_unread = 300;

struct AnalyzerSettings {
  bool post_messages = true, attach_meta = false, attach_overlay = false;
  GstClockTime interval = 100 * GST_MSECOND;
};

/// When messages are due, in running time.
class Schedule {
 public:
  /// True if the frame of this time gets a message. Every frame without a time gets one.
  bool due(const AnalyzerSettings &settings, GstClockTime time) {
    if (!settings.post_messages) return false;
    if (!GST_CLOCK_TIME_IS_VALID(time)) return true;
    const GstClockTime interval = settings.interval;
    const bool first = !GST_CLOCK_TIME_IS_VALID(next_) || time < last_ || interval != interval_;
    // Timestamps are rounded, so accept a frame up to 1 µs early.
    if (!first && time + GST_USECOND < next_) return false;
    next_ = first || next_ + interval <= time ? time + interval : next_ + interval;
    last_ = time;
    interval_ = interval;
    return true;
  }

 private:
  GstClockTime next_ = GST_CLOCK_TIME_NONE, last_ = 0, interval_ = 0;
};

}  // namespace

struct GstGLCLAnalyzerPrivate {
  explicit GstGLCLAnalyzerPrivate(GstGLCLFilter *self)
      : delivery([self](const auto &work) { return gst_glcl_filter_guard(self, work); }) {}

  glcl::Guarded<AnalyzerSettings> settings;
  glcl::Guarded<Schedule> schedule;

  glcl::Delivery delivery;
  int depth = gst_glcl_analyzer_depth;  // most pending reads
  std::unique_ptr<glcl::ResultPool> results;
  AnalyzerSettings frame;         // of the current frame
  bool attaches_overlay = false;  // of the current frame
  glcl::Overlay overlay;
  glcl::Unread unread;
};

G_DEFINE_ABSTRACT_TYPE_WITH_CODE(GstGLCLAnalyzer, gst_glcl_analyzer, GST_TYPE_GLCL_FILTER,
                                 G_ADD_PRIVATE(GstGLCLAnalyzer))

namespace {

GstGLCLAnalyzerPrivate *private_of(gpointer self) {
  return static_cast<GstGLCLAnalyzerPrivate *>(
      gst_glcl_analyzer_get_instance_private(static_cast<GstGLCLAnalyzer *>(self)));
}

/// True if the peer of the pad accepts frames with overlays.
bool takes_overlays(GstPad *pad) {
  GstCaps *caps = gst_pad_get_current_caps(pad);
  const bool takes = glcl::has_overlays(caps);
  gst_clear_caps(&caps);
  return takes;
}

}  // namespace

void gst_glcl_analyzer_prepare(GstGLCLAnalyzer *self, glcl::Context &context, size_t bytes) {
  GstGLCLAnalyzerPrivate *priv = private_of(self);
  priv->delivery.reads().allocate(context, bytes, gst_glcl_analyzer_depth);
  const GstVideoInfo &info = GST_GL_FILTER(self)->in_info;
  priv->overlay.prepare(
      context, GST_VIDEO_INFO_WIDTH(&info), GST_VIDEO_INFO_HEIGHT(&info),
      gst_glcl_filter_frame_format(GST_GLCL_FILTER(self), glcl::layout_for(context.device())));
}

glcl::FrameRequest gst_glcl_analyzer_request(GstGLCLAnalyzer *self, GstBuffer *inbuf) {
  const GstSegment &segment = GST_BASE_TRANSFORM(self)->segment;
  const GstClockTime timestamp = GST_BUFFER_PTS(inbuf);
  const glcl::FrameTimes times = {timestamp, glcl::stream_time(segment, timestamp),
                                  glcl::running_time(segment, timestamp),
                                  GST_BUFFER_DURATION(inbuf)};
  GstGLCLAnalyzerPrivate *priv = private_of(self);
  const bool due = priv->schedule.with(
      [&](Schedule &schedule) { return schedule.due(priv->frame, times.running_time); });
  return {times, due, priv->frame.attach_meta};
}

void gst_glcl_analyzer_read(GstGLCLAnalyzer *self, glcl::Queue &queue, const cl::Buffer &from,
                            size_t bytes, glcl::Readback::Take take) {
  private_of(self)->delivery.reads().read(queue, from, bytes, std::move(take));
}

void gst_glcl_analyzer_check_deferred(GstGLCLAnalyzer *self, glcl::Queue &queue,
                                      std::shared_ptr<const glcl::DeferredError> deferred_error) {
  if (deferred_error)
    private_of(self)->delivery.reads().check_deferred(queue, std::move(deferred_error));
}

void gst_glcl_analyzer_set_depth(GstGLCLAnalyzer *self, int depth) {
  private_of(self)->depth = depth;
}

bool gst_glcl_analyzer_posts(GstGLCLAnalyzer *self) {
  return private_of(self)->settings.get().post_messages;
}

glcl::AttachedResult gst_glcl_analyzer_attach(GstGLCLAnalyzer *self, GstBuffer *to,
                                              const char *kind, size_t bytes,
                                              const std::vector<glcl::ResultArray> &arrays) {
  GstGLCLContext *context = gst_glcl_filter_context(GST_GLCL_FILTER(self));
  std::unique_ptr<glcl::ResultPool> &pool = private_of(self)->results;
  if (!pool || !pool->suits(context, bytes))
    pool = std::make_unique<glcl::ResultPool>(context, bytes);
  GstBuffer *buffer = pool->acquire();
  return {buffer, glcl::attach_result(to, kind, GST_OBJECT_NAME(self), buffer, arrays)};
}

bool gst_glcl_analyzer_attaches_overlay(GstGLCLAnalyzer *self) {
  return private_of(self)->attaches_overlay;
}

bool gst_glcl_analyzer_attaches_meta(GstGLCLAnalyzer *self) {
  return private_of(self)->frame.attach_meta;
}

bool gst_glcl_analyzer_wants_metas(GstGLCLAnalyzer *self) {
  return private_of(self)->settings.get().attach_meta;
}

void gst_glcl_analyzer_draw(GstGLCLAnalyzer *self, glcl::Queue &queue, const glcl::Picture &in,
                            const glcl::Picture &out, GstBuffer *outbuf,
                            const std::optional<glcl::Rect> &covered,
                            const glcl::RenderDrawing &draw, const glcl::RenderFrame &frame) {
  GstGLCLAnalyzerPrivate *priv = private_of(self);
  const bool attaches = covered && priv->attaches_overlay, drawn = covered && !attaches;
  if (out && drawn && in.format == &glcl::PlaneFormat::rgba8)
    draw({in, out});
  else if (out && drawn)
    priv->overlay.blend(queue, in, *covered, draw, frame, out);
  else if (out && frame)
    frame(in, out);
  else if (out)
    glcl::copy_picture(queue, in, out);
  if (attaches)
    priv->overlay.attach(gst_glcl_filter_context(GST_GLCL_FILTER(self)), queue, in, *covered, draw,
                         outbuf);
}

bool gst_glcl_analyzer_drain(GstGLCLAnalyzer *self) {
  gst_glcl_filter_drain(GST_GLCL_FILTER(self));
  return private_of(self)->delivery.deliver(0) &&
         !gst_glcl_filter_has_failed(GST_GLCL_FILTER(self));
}

GstStructure *gst_glcl_analyzer_structure(const char *name, const glcl::FrameTimes &times) {
  return gst_structure_new(name, "timestamp", GST_TYPE_CLOCK_TIME, times.timestamp, "stream-time",
                           GST_TYPE_CLOCK_TIME, times.stream_time, "running-time",
                           GST_TYPE_CLOCK_TIME, times.running_time, "duration", GST_TYPE_CLOCK_TIME,
                           times.duration, nullptr);
}

void gst_glcl_analyzer_post(GstGLCLAnalyzer *self, GstStructure *structure) {
  glcl::Unread &unread = private_of(self)->unread;
  GstMessage *message = gst_message_new_element(GST_OBJECT(self), structure);
  if (!unread.add(GST_ELEMENT(self), message, most_unread)) {
    gst_message_unref(message);
    if (unread.must_warn())
      GST_ELEMENT_WARNING(self, CORE, TOO_LAZY,
                          ("Results are dropped: the bus holds %zu unread messages of this "
                           "element. Read the bus or set post-messages=false.",
                           most_unread),
                          ("posting resumes when the application reads the bus"));
    return;
  }
  gst_element_post_message(GST_ELEMENT(self), message);  // the message holds the element
}

void gst_glcl_analyzer_announce(GstGLCLAnalyzer *self, GstStructure *structure) {
  gst_pad_push_event(
      GST_BASE_TRANSFORM_SRC_PAD(self),
      gst_event_new_custom(GST_EVENT_CUSTOM_DOWNSTREAM_OOB, gst_structure_copy(structure)));
  if (gst_glcl_analyzer_posts(self))
    gst_glcl_analyzer_post(self, structure);
  else
    gst_structure_free(structure);
}

/// A frame that passes unchanged gets a new buffer of the same memory before a meta or an overlay
/// is attached, because other elements may share the buffer.
static GstFlowReturn gst_glcl_analyzer_prepare_output_buffer(GstBaseTransform *trans,
                                                             GstBuffer *inbuf, GstBuffer **outbuf) {
  GstGLCLAnalyzerPrivate *priv = private_of(trans);
  priv->frame = priv->settings.get();
  priv->attaches_overlay =
      priv->frame.attach_overlay && takes_overlays(GST_BASE_TRANSFORM_SRC_PAD(trans));
  const GstFlowReturn flow = GST_BASE_TRANSFORM_CLASS(gst_glcl_analyzer_parent_class)
                                 ->prepare_output_buffer(trans, inbuf, outbuf);
  const bool attaches = priv->frame.attach_meta || priv->attaches_overlay;
  if (flow == GST_FLOW_OK && *outbuf == inbuf && attaches && !gst_buffer_is_writable(inbuf))
    *outbuf = gst_buffer_copy(inbuf);
  return flow;
}

static GstFlowReturn gst_glcl_analyzer_transform(GstBaseTransform *trans, GstBuffer *inbuf,
                                                 GstBuffer *outbuf) {
  GstGLCLAnalyzerPrivate *priv = private_of(trans);
  if (!priv->delivery.deliver(size_t(priv->depth) - 1)) return GST_FLOW_ERROR;
  const GstFlowReturn flow =
      GST_BASE_TRANSFORM_CLASS(gst_glcl_analyzer_parent_class)->transform(trans, inbuf, outbuf);
  if (flow != GST_FLOW_OK) return flow;
  return priv->delivery.deliver_as_it_arrives() ? GST_FLOW_OK : GST_FLOW_ERROR;
}

static GstFlowReturn gst_glcl_analyzer_render_waiting(GstGLCLFilter *filter, GstBuffer *outbuf) {
  GstGLCLAnalyzerPrivate *priv = private_of(filter);
  if (!priv->delivery.deliver(size_t(priv->depth) - 1)) return GST_FLOW_ERROR;
  const GstFlowReturn flow =
      GST_GLCL_FILTER_CLASS(gst_glcl_analyzer_parent_class)->waiting.render(filter, outbuf);
  if (flow != GST_FLOW_OK) return flow;
  return priv->delivery.deliver_as_it_arrives() ? GST_FLOW_OK : GST_FLOW_ERROR;
}

static gboolean gst_glcl_analyzer_sink_event(GstBaseTransform *trans, GstEvent *event) {
  GstGLCLAnalyzer *self = GST_GLCL_ANALYZER(trans);
  GstGLCLAnalyzerClass *klass = GST_GLCL_ANALYZER_GET_CLASS(self);
  switch (GST_EVENT_TYPE(event)) {
    case GST_EVENT_EOS:
    case GST_EVENT_SEGMENT_DONE:
    case GST_EVENT_STREAM_GROUP_DONE:  // decodebin sends it before EOS
    case GST_EVENT_STREAM_START:
      if (gst_glcl_analyzer_drain(self) && klass->finish) klass->finish(self);
      break;
    case GST_EVENT_CAPS:
    case GST_EVENT_SEGMENT:
    case GST_EVENT_GAP:
      gst_glcl_analyzer_drain(self);
      break;
    case GST_EVENT_FLUSH_STOP:
      private_of(self)->delivery.reads().drop();
      private_of(self)->schedule.set({});
      break;
    default:
      break;
  }
  return GST_BASE_TRANSFORM_CLASS(gst_glcl_analyzer_parent_class)->sink_event(trans, event);
}

/// A drain delivers the results of all frames so far.
static gboolean gst_glcl_analyzer_query(GstBaseTransform *trans, GstPadDirection direction,
                                        GstQuery *query) {
  if (GST_QUERY_TYPE(query) == GST_QUERY_DRAIN && direction == GST_PAD_SINK)
    gst_glcl_analyzer_drain(GST_GLCL_ANALYZER(trans));
  return GST_BASE_TRANSFORM_CLASS(gst_glcl_analyzer_parent_class)->query(trans, direction, query);
}

static gboolean gst_glcl_analyzer_stop(GstBaseTransform *trans) {
  private_of(trans)->delivery.stop();
  return GST_BASE_TRANSFORM_CLASS(gst_glcl_analyzer_parent_class)->stop(trans);
}

static void gst_glcl_analyzer_gl_stop(GstGLBaseFilter *base) {
  // Drops the results, but still posts the error of a frame that has already been pushed.
  private_of(base)->delivery.reads().drop();
  private_of(base)->delivery.deliver(0);
  GST_GL_BASE_FILTER_CLASS(gst_glcl_analyzer_parent_class)->gl_stop(base);
  private_of(base)->delivery.reads().clear();
  private_of(base)->results.reset();
  private_of(base)->overlay.clear();
  private_of(base)->schedule.set({});
}

static GstCaps *gst_glcl_analyzer_transform_internal_caps(GstGLFilter *filter,
                                                          GstPadDirection direction, GstCaps *caps,
                                                          GstCaps *filter_caps) {
  if (private_of(filter)->settings.get().attach_overlay)
    return glcl::transform_overlay_caps(GST_BASE_TRANSFORM_SRC_PAD(filter), direction, caps);
  return GST_GL_FILTER_CLASS(gst_glcl_analyzer_parent_class)
      ->transform_internal_caps(filter, direction, caps, filter_caps);
}

static void gst_glcl_analyzer_init(GstGLCLAnalyzer *self) {
  new (gst_glcl_analyzer_get_instance_private(self)) GstGLCLAnalyzerPrivate(GST_GLCL_FILTER(self));
}

static void gst_glcl_analyzer_finalize(GObject *object) {
  private_of(object)->~GstGLCLAnalyzerPrivate();
  G_OBJECT_CLASS(gst_glcl_analyzer_parent_class)->finalize(object);
}

static GstStructure *gst_glcl_analyzer_get_result(GstGLCLAnalyzer *self, GstBuffer *frame) {
  g_return_val_if_fail(GST_IS_BUFFER(frame), nullptr);
  return glcl::result_of(frame, GST_OBJECT_NAME(self));
}

static void gst_glcl_analyzer_class_init(GstGLCLAnalyzerClass *klass) {
  GST_DEBUG_CATEGORY_INIT(glcl_analyzer_debug, "glclanalyzer", 0, "base of the OpenCL analyzers");

  auto *object_class = G_OBJECT_CLASS(klass);
  object_class->finalize = gst_glcl_analyzer_finalize;
  const auto settings_of = [](GObject *object) -> glcl::Guarded<AnalyzerSettings> & {
    return private_of(object)->settings;
  };
  glcl::Properties<AnalyzerSettings>(object_class, settings_of)
      .flag(
          "post-messages", "Post messages",
          "Post the results as element messages; a bus that nobody reads holds at most 300 of them",
          &AnalyzerSettings::post_messages)
      .number("interval", "Interval",
              "Minimum running time between messages, in ns; 0 posts one per frame",
              &AnalyzerSettings::interval, 0, G_MAXINT64)
      .flag("attach-meta", "Attach meta",
            "Attach a meta with the results to every frame; mapping it downloads the results",
            &AnalyzerSettings::attach_meta)
      .flag("attach-overlay", "Attach overlay",
            "Attach the drawing as a GstVideoOverlayCompositionMeta instead of drawing into the "
            "frame. glimagesink or gloverlaycompositor draws it; elements in between see the plain "
            "frame. If no downstream element accepts such metas, the drawing goes into the frame",
            &AnalyzerSettings::attach_overlay, glcl::before_paused);
  // Returns a copy of this element's result for a frame, for languages that can't read
  // GstCustomMeta.
  g_signal_new_class_handler("get-result", G_TYPE_FROM_CLASS(klass),
                             static_cast<GSignalFlags>(G_SIGNAL_RUN_LAST | G_SIGNAL_ACTION),
                             G_CALLBACK(gst_glcl_analyzer_get_result), nullptr, nullptr, nullptr,
                             GST_TYPE_STRUCTURE, 1, GST_TYPE_BUFFER);

  auto *transform_class = GST_BASE_TRANSFORM_CLASS(klass);
  transform_class->prepare_output_buffer =
      GST_DEBUG_FUNCPTR(gst_glcl_analyzer_prepare_output_buffer);
  transform_class->transform = GST_DEBUG_FUNCPTR(gst_glcl_analyzer_transform);
  transform_class->sink_event = GST_DEBUG_FUNCPTR(gst_glcl_analyzer_sink_event);
  transform_class->query = GST_DEBUG_FUNCPTR(gst_glcl_analyzer_query);
  transform_class->stop = GST_DEBUG_FUNCPTR(gst_glcl_analyzer_stop);
  GST_GL_BASE_FILTER_CLASS(klass)->gl_stop = GST_DEBUG_FUNCPTR(gst_glcl_analyzer_gl_stop);
  GST_GLCL_FILTER_CLASS(klass)->waiting.render = gst_glcl_analyzer_render_waiting;
  GST_GL_FILTER_CLASS(klass)->transform_internal_caps =
      GST_DEBUG_FUNCPTR(gst_glcl_analyzer_transform_internal_caps);

  gst_type_mark_as_plugin_api(GST_TYPE_GLCL_ANALYZER, static_cast<GstPluginAPIFlags>(0));
}
