// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Threads. The streaming thread runs prepare, process and reset, and enqueues all kernels on the
// element's own queue. The GL thread only does work of OpenGL: it hands frames from OpenGL to
// OpenCL and back, and runs unprepare at a stop. A frame that has its textures never waits for the
// GL thread, because the GL thread may wait for these textures. Any thread sets and gets
// properties, takes contexts and answers queries; no other code is called while a lock is held.
// GstGLBaseFilter holds its own context lock around gl_start and gl_stop. So neighbours and the
// application are only queried from decide_allocation before chaining up, when this lock is not
// held. A thread with this lock may wait for the GL thread. So messages and notifications from the
// GL thread, and from the work on a frame, wait in `outbox`.
#include "gstglclfilter.h"

#include <chrono>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "glclconsumers.h"
#include "glclerrorreporter.h"
#include "glclfilterproperties.h"
#include "glclframecontinuity.h"
#include "glclframeprocessor.h"
#include "glcloutbox.h"
#include "glcloutputdelay.h"
#include "glclstats.h"
#include "glcltime.h"
#include "opencl/processexit.h"

GST_DEBUG_CATEGORY(glcl_filter_debug);
#define GST_CAT_DEFAULT glcl_filter_debug

struct GstGLCLFilterPrivate {
  explicit GstGLCLFilterPrivate(GstGLCLFilter *self);

  glcl::Guarded<glcl::FilterSettings> settings;
  glcl::StatsRecorder stats;
  glcl::ErrorReporter errors;
  glcl::Outbox outbox;
  glcl::FrameContinuity continuity;
  /// Held during a frame, and while the application replaces the GL display: that frees everything
  /// the processor has on the GL thread.
  std::mutex frame_mutex;
  glcl::FrameProcessor processor;
  glcl::Consumers consumers = glcl::Consumers::unknown;  // unknown until queried; streaming thread
  glcl::OutputDelay delay;
};

G_DEFINE_ABSTRACT_TYPE_WITH_CODE(GstGLCLFilter, gst_glcl_filter, GST_TYPE_GL_FILTER,
                                 G_ADD_PRIVATE(GstGLCLFilter)
                                     G_IMPLEMENT_INTERFACE(GST_TYPE_PRESET, nullptr))

namespace {

GstGLCLFilterPrivate *private_of(gpointer self) {
  return static_cast<GstGLCLFilterPrivate *>(
      gst_glcl_filter_get_instance_private(static_cast<GstGLCLFilter *>(self)));
}

/// Runs the work and posts its errors.
template <class Work>
bool guarded(GstGLCLFilter *self, const Work &work) {
  return private_of(self)->errors.guard(GST_ELEMENT(self), work);
}

/// Makes another thread send messages from outside of a Scope, for example if a neighbour maps a
/// frame.
void send_elsewhere(gpointer self) {
  if (!private_of(self)->outbox.needs_sender()) return;
  gst_element_call_async(
      GST_ELEMENT(self), [](GstElement *element, gpointer) { private_of(element)->outbox.send(); },
      nullptr, nullptr);
}

/// Runs work that needs OpenCL, after preparing for the caps. FLUSHING if the work ended early
/// because the element stops. Streaming thread.
GstFlowReturn with_opencl(GstGLCLFilter *self, const std::function<void()> &work) {
  GstGLCLFilterPrivate *priv = private_of(self);
  const glcl::Outbox::Scope outbox(priv->outbox);
  const std::lock_guard lock(priv->frame_mutex);
  GstGLContext *gl_context = gst_gl_base_filter_get_gl_context(GST_GL_BASE_FILTER(self));
  if (!gl_context) return GST_FLOW_ERROR;
  const GstFlowReturn flow = priv->processor.run(gl_context, work);
  gst_object_unref(gl_context);
  return flow;
}

/// Hands a written frame to its consumers; for the work of with_opencl().
void hand_over(GstGLCLFilter *self, GstBuffer *frame) {
  GstGLCLFilterPrivate *priv = private_of(self);
  if (priv->consumers == glcl::Consumers::unknown)
    priv->consumers = glcl::consumers_of(GST_BASE_TRANSFORM_SRC_PAD(self));
  if (priv->consumers != glcl::Consumers::opencl)
    priv->processor.bridge()->prepare_for_gl(frame, priv->consumers == glcl::Consumers::mapping);
}

/// Renders a frame that has waited, and pushes it.
GstFlowReturn push_waiting(GstGLCLFilter *self, const glcl::WaitingFrames::WaitingFrame &frame) {
  GstBaseTransform *trans = GST_BASE_TRANSFORM(self);
  GstBuffer *outbuf = nullptr;
  GstFlowReturn flow = GST_BASE_TRANSFORM_CLASS(gst_glcl_filter_parent_class)
                           ->prepare_output_buffer(trans, frame.buffer, &outbuf);
  if (flow == GST_FLOW_OK) flow = GST_GLCL_FILTER_GET_CLASS(self)->waiting.render(self, outbuf);
  gst_buffer_unref(frame.buffer);
  if (flow != GST_FLOW_OK) {
    gst_clear_buffer(&outbuf);
    return flow == GST_BASE_TRANSFORM_FLOW_DROPPED ? GST_FLOW_OK : flow;
  }
  private_of(self)->stats.add_latency(glcl::WaitingFrames::Clock::now() - frame.arrival);
  return gst_pad_push(trans->srcpad, outbuf);
}

/// True if frames that wait must leave before an event.
bool ends_waiting(GstEvent *event) {
  switch (GST_EVENT_TYPE(event)) {
    case GST_EVENT_CAPS:
    case GST_EVENT_SEGMENT:
    case GST_EVENT_GAP:
    case GST_EVENT_EOS:
    case GST_EVENT_SEGMENT_DONE:
    case GST_EVENT_STREAM_GROUP_DONE:
    case GST_EVENT_STREAM_START:
      return true;
    default:
      return false;
  }
}

/// True if the context holds another GL display than the element uses.
bool replaces_display(GstElement *element, GstContext *context) {
  const GstGLDisplay *in_use = GST_GL_BASE_FILTER(element)->display;
  if (!in_use || !gst_context_has_context_type(context, GST_GL_DISPLAY_CONTEXT_TYPE)) return false;
  GstGLDisplay *display = nullptr;
  gst_context_get_gl_display(context, &display);
  const bool other = display != in_use;
  gst_clear_object(&display);
  return other;
}

/// Posts errors as this element's messages while the element lives.
glcl::sharing::ErrorHandler reporter(GstGLCLFilter *self) {
  const std::shared_ptr<GWeakRef> element(new GWeakRef, [](GWeakRef *reference) {
    g_weak_ref_clear(reference);
    delete reference;
  });
  g_weak_ref_init(element.get(), self);
  return [element](std::exception_ptr error) {
    auto *self = static_cast<GstGLCLFilter *>(g_weak_ref_get(element.get()));
    if (!self) return;
    guarded(self, [&] { std::rethrow_exception(error); });
    gst_object_unref(self);
  };
}

/// Observes every frame that arrives, including frames dropped because the device is slow: these
/// leave no gap.
GstPadProbeReturn on_arrival(GstPad *, GstPadProbeInfo *info, gpointer self) {
  GstGLCLFilterPrivate *priv = private_of(self);
  if (priv->continuity.breaks(GST_BASE_TRANSFORM(self)->segment, GST_PAD_PROBE_INFO_BUFFER(info),
                              GST_GLCL_FILTER_GET_CLASS(self)->gaps_break))
    priv->processor.request_reset();
  priv->delay.take_discontinuity(info);
  return GST_PAD_PROBE_OK;
}

/// Adds pad templates with every format of the table.
void add_pad_templates(GstElementClass *klass) {
  std::string names;
  for (const glcl::PixelFormat *format : glcl::PixelFormat::all())
    names += (names.empty() ? "" : ", ") + std::string(format->name);
  const std::string rest = ", format=(string){ " + names +
                           " }, width=" GST_VIDEO_SIZE_RANGE ", height=" GST_VIDEO_SIZE_RANGE
                           ", framerate=" GST_VIDEO_FPS_RANGE ", texture-target=(string)2D";
  GstCaps *caps = gst_caps_from_string(
      ("video/x-raw(memory:GLMemory)" + rest +
       "; video/x-raw(memory:GLMemory, meta:GstVideoOverlayComposition)" + rest)
          .c_str());
  for (const auto &[name, direction] : {std::pair{"sink", GST_PAD_SINK}, {"src", GST_PAD_SRC}})
    gst_element_class_add_pad_template(klass,
                                       gst_pad_template_new(name, direction, GST_PAD_ALWAYS, caps));
  gst_caps_unref(caps);
}

}  // namespace

GstGLCLFilterPrivate::GstGLCLFilterPrivate(GstGLCLFilter *self)
    : processor(self, settings, stats),
      delay(
          self, [self](const auto &frame) { return push_waiting(self, frame); },
          [this, self] {
            const GstGLCLFilterClass *klass = GST_GLCL_FILTER_GET_CLASS(self);
            const std::lock_guard lock(frame_mutex);
            if (klass->waiting.drop) klass->waiting.drop(self);
          }) {}

int gst_glcl_filter_frame_delay(GstGLCLFilter *self) { return private_of(self)->delay.frames(); }

void gst_glcl_filter_drain(GstGLCLFilter *self) {
  // After a failure no later frame comes, so those that wait would be shown in other positions.
  if (private_of(self)->errors.failed()) return private_of(self)->delay.drop();
  const GstFlowReturn flow = private_of(self)->delay.drain();
  if (flow != GST_FLOW_OK)
    GST_DEBUG_OBJECT(self, "the last frames are dropped: %s", gst_flow_get_name(flow));
}

GstGLCLContext *gst_glcl_filter_context(GstGLCLFilter *self) {
  return private_of(self)->processor.contexts().in_use();
}

glcl::FrameFormat gst_glcl_filter_frame_format(GstGLCLFilter *self, glcl::Layout layout) {
  const GstGLCLFilterClass *klass = GST_GLCL_FILTER_GET_CLASS(self);
  const glcl::FrameFormat frame =
      glcl::TextureBridge::frame_format(private_of(self)->processor.info(), layout);
  if (klass->takes_planes) return frame;
  if (klass->takes_deep && frame.pixels->bits > 8) return {layout, glcl::PixelFormat::rgba64, {}};
  return layout;
}

const glcl::Picture &gst_glcl_filter_rgba(GstGLCLFilter *self, glcl::Queue &queue,
                                          const glcl::Picture &in) {
  return private_of(self)->processor.bridge()->rgba(queue, in);
}

void gst_glcl_filter_run_as_rgba(GstGLCLFilter *self, glcl::Queue &queue, const glcl::Picture &in,
                                 const glcl::Picture &out,
                                 const glcl::TextureBridge::Process &work) {
  private_of(self)->processor.bridge()->run_as_rgba(queue, in, out, work);
}

bool gst_glcl_filter_has_failed(GstGLCLFilter *self) { return private_of(self)->errors.failed(); }

bool gst_glcl_filter_has_begun(GstGLCLFilter *self) {
  return private_of(self)->stats.get().frames > 0;
}

float gst_glcl_filter_pixel_aspect(GstGLCLFilter *self) {
  const GstVideoInfo &info = private_of(self)->processor.info();
  return float(GST_VIDEO_INFO_PAR_N(&info)) / float(GST_VIDEO_INFO_PAR_D(&info));
}

void gst_glcl_filter_counts_square(GstGLCLFilter *self, const char *what) {
  private_of(self)->continuity.warn_of_pixels(GST_ELEMENT(self), private_of(self)->processor.info(),
                                              what);
}

bool gst_glcl_filter_guard(GstGLCLFilter *self, const std::function<void()> &work) {
  return guarded(self, work);
}

static void gst_glcl_filter_set_context(GstElement *element, GstContext *context) {
  GstGLCLFilterPrivate *priv = private_of(element);
  if (GstGLCLContext *offered = gst_glcl_context_unwrap(context))
    priv->processor.contexts().offer(offered);
  std::unique_lock lock(priv->frame_mutex, std::defer_lock);
  if (replaces_display(element, context)) lock.lock();
  GST_ELEMENT_CLASS(gst_glcl_filter_parent_class)->set_context(element, context);
}

/// Queues messages in the outbox if they must wait, in order with those of other threads.
static gboolean gst_glcl_filter_post_message(GstElement *element, GstMessage *message) {
  const auto post = GST_ELEMENT_CLASS(gst_glcl_filter_parent_class)->post_message;
  switch (GST_MESSAGE_TYPE(message)) {
    case GST_MESSAGE_ELEMENT:
    case GST_MESSAGE_ERROR:
    case GST_MESSAGE_WARNING:
    case GST_MESSAGE_INFO:
      break;
    default:
      return post(element, message);  // GStreamer's own, which may need an answer now
  }
  if (!private_of(element)->outbox.keep([=] { post(element, message); }))
    return post(element, message);
  send_elsewhere(element);
  return TRUE;
}

static void gst_glcl_filter_dispatch_properties_changed(GObject *object, guint count,
                                                        GParamSpec **properties) {
  const auto dispatch = G_OBJECT_CLASS(gst_glcl_filter_parent_class)->dispatch_properties_changed;
  if (!glcl::Outbox::must_wait()) return dispatch(object, count, properties);
  std::vector<GParamSpec *> kept(properties, properties + count);
  private_of(object)->outbox.keep([=]() mutable { dispatch(object, count, kept.data()); });
  send_elsewhere(object);
}

static GstStateChangeReturn gst_glcl_filter_change_state(GstElement *element,
                                                         GstStateChange transition) {
  GstGLCLFilter *self = GST_GLCL_FILTER(element);
  GstGLCLFilterPrivate *priv = private_of(self);
  const glcl::Outbox::Scope outbox(priv->outbox);
  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY) priv->processor.stop().request();
  if (transition == GST_STATE_CHANGE_READY_TO_PAUSED) {
    priv->errors.start();
    if (!guarded(self, [&] { priv->processor.start(); })) return GST_STATE_CHANGE_FAILURE;
    priv->continuity.start();
    priv->delay.start();
    priv->stats.start();
  }
  const GstStateChangeReturn result =
      GST_ELEMENT_CLASS(gst_glcl_filter_parent_class)->change_state(element, transition);
  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY) {
    priv->delay.drop();
    priv->processor.end();
  }
  if (transition == GST_STATE_CHANGE_READY_TO_NULL) priv->processor.contexts().offer(nullptr);
  return result;
}

static gboolean gst_glcl_filter_query(GstBaseTransform *trans, GstPadDirection direction,
                                      GstQuery *query) {
  if (GST_QUERY_TYPE(query) == GST_QUERY_CONTEXT &&
      private_of(trans)->processor.contexts().answer(query))
    return TRUE;
  // A stopped pad still passes queries. GstBaseTransform would negotiate for them, or store its
  // allocation query again after it released everything. Nothing would free the query then, nor the
  // GL context that its pools hold. The pad's stream lock is held here, and an element that stops
  // takes it once its pad is inactive.
  if (GST_QUERY_TYPE(query) == GST_QUERY_ALLOCATION && !gst_pad_is_active(trans->sinkpad))
    return FALSE;
  if (GST_QUERY_TYPE(query) == GST_QUERY_DRAIN && direction == GST_PAD_SINK)
    gst_glcl_filter_drain(GST_GLCL_FILTER(trans));
  const gboolean answered =
      GST_BASE_TRANSFORM_CLASS(gst_glcl_filter_parent_class)->query(trans, direction, query);
  if (answered && GST_QUERY_TYPE(query) == GST_QUERY_LATENCY)
    private_of(trans)->delay.add_to(query);
  return answered;
}

static gboolean gst_glcl_filter_sink_event(GstBaseTransform *trans, GstEvent *event) {
  if (ends_waiting(event))
    gst_glcl_filter_drain(GST_GLCL_FILTER(trans));
  else if (GST_EVENT_IS_SERIALIZED(event) && GST_EVENT_TYPE(event) != GST_EVENT_FLUSH_STOP &&
           private_of(trans)->delay.keep(event))
    return TRUE;
  if (GST_EVENT_TYPE(event) == GST_EVENT_FLUSH_STOP || GST_EVENT_TYPE(event) == GST_EVENT_SEGMENT)
    private_of(trans)->processor.request_reset();
  if (GST_EVENT_TYPE(event) == GST_EVENT_FLUSH_START) private_of(trans)->processor.stop().request();
  if (GST_EVENT_TYPE(event) == GST_EVENT_FLUSH_STOP) {
    private_of(trans)->processor.stop().withdraw();
    private_of(trans)->continuity.flush();
    private_of(trans)->delay.drop();
    private_of(trans)->errors.flush();
  }
  return GST_BASE_TRANSFORM_CLASS(gst_glcl_filter_parent_class)->sink_event(trans, event);
}

/// Observes QoS events: upstream elements may drop late frames.
static gboolean gst_glcl_filter_src_event(GstBaseTransform *trans, GstEvent *event) {
  if (GST_EVENT_TYPE(event) == GST_EVENT_QOS) {
    event = private_of(trans)->delay.before_delay(event);
    GstClockTimeDiff late = 0;
    GstClockTime time = GST_CLOCK_TIME_NONE;
    gst_event_parse_qos(event, nullptr, nullptr, &late, &time);
    if (GST_CLOCK_TIME_IS_VALID(time)) private_of(trans)->continuity.late(time, late);
  }
  return GST_BASE_TRANSFORM_CLASS(gst_glcl_filter_parent_class)->src_event(trans, event);
}

static gboolean gst_glcl_filter_decide_allocation(GstBaseTransform *trans, GstQuery *query) {
  GstGLCLFilter *self = GST_GLCL_FILTER(trans);
  private_of(self)->processor.contexts().ask(GST_ELEMENT(self));
  // Renegotiation may come from newly linked downstream elements: find the consumers again.
  private_of(self)->consumers = glcl::Consumers::unknown;
  if (!GST_BASE_TRANSFORM_CLASS(gst_glcl_filter_parent_class)->decide_allocation(trans, query))
    return FALSE;
  // FLUSHING is no failure here: the next frame returns it.
  return with_opencl(self, [&] {
           private_of(self)->processor.bridge()->replace_pool(query, reporter(self));
         }) != GST_FLOW_ERROR;
}

static gboolean gst_glcl_filter_propose_allocation(GstBaseTransform *trans, GstQuery *decide_query,
                                                   GstQuery *query) {
  // The parent's pool would abort without a GL context, for example while neighbours shut down.
  GstGLContext *gl_context = gst_gl_base_filter_get_gl_context(GST_GL_BASE_FILTER(trans));
  if (!gl_context) return FALSE;
  const gboolean proposed = GST_BASE_TRANSFORM_CLASS(gst_glcl_filter_parent_class)
                                ->propose_allocation(trans, decide_query, query);
  GstGLCLFilter *self = GST_GLCL_FILTER(trans);
  const glcl::Outbox::Scope outbox(private_of(self)->outbox);
  if (proposed)
    guarded(self, [&] {
      if (auto *bridge = private_of(self)->processor.bridge())
        bridge->replace_pool(query, reporter(self));
    });
  gst_object_unref(gl_context);
  return proposed;
}

static void gst_glcl_filter_before_transform(GstBaseTransform *trans, GstBuffer *buffer) {
  GstGLCLFilter *self = GST_GLCL_FILTER(trans);
  const GstClockTime time = glcl::stream_time(trans->segment, GST_BUFFER_PTS(buffer));
  if (GST_CLOCK_TIME_IS_VALID(time)) gst_object_sync_values(GST_OBJECT(self), time);
  GstGLCLFilterClass *klass = GST_GLCL_FILTER_GET_CLASS(self);
  glcl::FrameContinuity &continuity = private_of(self)->continuity;
  if (continuity.has_fields(GST_GL_FILTER(self)->in_info, buffer) &&
      !(klass->takes_fields && klass->takes_fields(self)))
    continuity.warn_of_fields(GST_ELEMENT(self), GST_GL_FILTER(self)->in_info);
}

static gboolean gst_glcl_filter_transform_meta(GstBaseTransform *trans, GstBuffer *outbuf,
                                               GstMeta *meta, GstBuffer *inbuf) {
  // Frames keep size, orientation and colours, so metas with only these tags stay valid.
  static const gchar *const kept[] = {GST_META_TAG_VIDEO_STR, GST_META_TAG_VIDEO_SIZE_STR,
                                      GST_META_TAG_VIDEO_ORIENTATION_STR,
                                      GST_META_TAG_VIDEO_COLORSPACE_STR, nullptr};
  const gchar *const *tags = gst_meta_api_type_get_tags(meta->info->api);
  // The output's own sync meta is kept. A frame that waits has no memory to wait for.
  if (meta->info->api == GST_GL_SYNC_META_API_TYPE &&
      (gst_buffer_get_gl_sync_meta(outbuf) || gst_buffer_n_memory(outbuf) == 0))
    return FALSE;
  bool all_kept = true;
  for (; tags && *tags; tags++) all_kept = all_kept && g_strv_contains(kept, *tags);
  return all_kept || GST_BASE_TRANSFORM_CLASS(gst_glcl_filter_parent_class)
                         ->transform_meta(trans, outbuf, meta, inbuf);
}

static gboolean gst_glcl_filter_gl_set_caps(GstGLBaseFilter *base, GstCaps *incaps,
                                            GstCaps *outcaps) {
  // Does not chain up, because GstGLFilter would allocate an unused framebuffer.
  private_of(base)->processor.set_info(GST_GL_FILTER(base)->in_info);
  private_of(base)->delay.set_info(GST_GL_FILTER(base)->in_info);
  return TRUE;
}

static void gst_glcl_filter_gl_stop(GstGLBaseFilter *base) {
  private_of(base)->stats.log(GST_ELEMENT(base));
  private_of(base)->delay.lose();
  private_of(base)->processor.drop_context();
  GST_GL_BASE_FILTER_CLASS(gst_glcl_filter_parent_class)->gl_stop(base);
}

static GstCaps *gst_glcl_filter_transform_internal_caps(GstGLFilter *filter,
                                                        GstPadDirection direction, GstCaps *caps,
                                                        GstCaps *filter_caps) {
  return gst_caps_ref(caps);
}

/// Counts late frames that the parent drops before the transform (QoS).
static GstFlowReturn gst_glcl_filter_submit_input_buffer(GstBaseTransform *trans,
                                                         gboolean discontinuous, GstBuffer *inbuf) {
  GstGLCLFilterPrivate *priv = private_of(trans);
  const GstClockTime timestamp = GST_BUFFER_PTS(inbuf);
  const GstFlowReturn flow = GST_BASE_TRANSFORM_CLASS(gst_glcl_filter_parent_class)
                                 ->submit_input_buffer(trans, discontinuous, inbuf);
  GstFlowReturn pushed = GST_FLOW_OK;
  if (flow == GST_BASE_TRANSFORM_FLOW_DROPPED) {
    priv->stats.add_dropped();
    pushed = priv->delay.skip(timestamp);
  }
  return pushed == GST_FLOW_OK ? flow : pushed;
}

/// Processes a frame that waits, or that follows frames which wait, and pushes those that are due.
static GstFlowReturn gst_glcl_filter_delay_output(GstBaseTransform *trans, GstBuffer **outbuf) {
  GstGLCLFilterPrivate *priv = private_of(trans);
  const auto arrival = glcl::WaitingFrames::Clock::now();
  GstFlowReturn flow =
      GST_BASE_TRANSFORM_CLASS(gst_glcl_filter_parent_class)->generate_output(trans, outbuf);
  if (flow == GST_BASE_TRANSFORM_FLOW_DROPPED)
    priv->stats.add_dropped();
  else if (flow != GST_FLOW_OK)
    priv->delay.drop();  // the element may have kept this frame
  if (flow != GST_FLOW_OK || !*outbuf) return flow;
  if (priv->delay.frames() > 0) {
    flow = priv->delay.add(*outbuf, arrival);
    gst_clear_buffer(outbuf);
    return flow;
  }
  flow = priv->delay.drain();
  priv->delay.restore_discontinuity(outbuf);
  if (flow != GST_FLOW_OK)
    gst_clear_buffer(outbuf);
  else
    priv->stats.add_latency(glcl::WaitingFrames::Clock::now() - arrival);
  return flow;
}

/// Measures the latency of a frame, including the work of subclasses.
static GstFlowReturn gst_glcl_filter_generate_output(GstBaseTransform *trans, GstBuffer **outbuf) {
  GstGLCLFilterPrivate *priv = private_of(trans);
  if (trans->queued_buf) priv->delay.begin_frame(trans->queued_buf);
  if (trans->queued_buf && priv->delay.is_active())
    return gst_glcl_filter_delay_output(trans, outbuf);
  const auto start = std::chrono::steady_clock::now();
  const GstFlowReturn flow =
      GST_BASE_TRANSFORM_CLASS(gst_glcl_filter_parent_class)->generate_output(trans, outbuf);
  if (flow == GST_BASE_TRANSFORM_FLOW_DROPPED) priv->stats.add_dropped();
  if (flow != GST_FLOW_OK || !*outbuf) return flow;
  priv->stats.add_latency(std::chrono::steady_clock::now() - start);
  return flow;
}

/// A frame that passes unchanged is its own output buffer.
static GstFlowReturn gst_glcl_filter_prepare_output_buffer(GstBaseTransform *trans,
                                                           GstBuffer *inbuf, GstBuffer **outbuf) {
  GstGLCLFilterClass *klass = GST_GLCL_FILTER_GET_CLASS(trans);
  if (klass->begin_frame) klass->begin_frame(GST_GLCL_FILTER(trans));
  if (!klass->passes_on || !klass->passes_on(GST_GLCL_FILTER(trans)))
    return GST_BASE_TRANSFORM_CLASS(gst_glcl_filter_parent_class)
        ->prepare_output_buffer(trans, inbuf, outbuf);
  *outbuf = inbuf;
  return GST_FLOW_OK;
}

static GstFlowReturn gst_glcl_filter_transform(GstBaseTransform *trans, GstBuffer *inbuf,
                                               GstBuffer *outbuf) {
  // Not the parent's: its waits and fences would involve OpenGL between two gst-glcl elements.
  GstGLCLFilter *self = GST_GLCL_FILTER(trans);
  GstGLCLFilterPrivate *priv = private_of(self);
  if (!priv->continuity.has_size_of_caps(GST_ELEMENT(self), GST_GL_FILTER(self)->in_info, inbuf))
    return GST_BASE_TRANSFORM_FLOW_DROPPED;
  const bool waits = priv->delay.frames() > 0;
  return with_opencl(self, [&] {
    priv->processor.process(inbuf, outbuf);
    if (!waits) hand_over(self, outbuf);
  });
}

static GstFlowReturn gst_glcl_filter_render_waiting(GstGLCLFilter *self, GstBuffer *outbuf) {
  bool released = false;
  const GstFlowReturn flow = with_opencl(self, [&] {
    released = private_of(self)->processor.release_waiting(outbuf);
    if (released) hand_over(self, outbuf);
  });
  return flow == GST_FLOW_OK && !released ? GST_BASE_TRANSFORM_FLOW_DROPPED : flow;
}

static void gst_glcl_filter_init(GstGLCLFilter *self) {
  glcl::wait_at_exit();
  new (gst_glcl_filter_get_instance_private(self)) GstGLCLFilterPrivate(self);
  gst_pad_add_probe(GST_BASE_TRANSFORM_SINK_PAD(self), GST_PAD_PROBE_TYPE_BUFFER, on_arrival, self,
                    nullptr);
}

static void gst_glcl_filter_finalize(GObject *object) {
  private_of(object)->~GstGLCLFilterPrivate();
  G_OBJECT_CLASS(gst_glcl_filter_parent_class)->finalize(object);
}

static void gst_glcl_filter_class_init(GstGLCLFilterClass *klass) {
  GST_DEBUG_CATEGORY_INIT(glcl_filter_debug, "glclfilter", 0,
                          "base of the OpenCL filters on OpenGL");

  auto *object_class = G_OBJECT_CLASS(klass);
  object_class->finalize = gst_glcl_filter_finalize;
  object_class->dispatch_properties_changed = gst_glcl_filter_dispatch_properties_changed;
  glcl::install_filter_properties(
      object_class,
      [](GObject *object) -> glcl::Guarded<glcl::FilterSettings> & {
        return private_of(object)->settings;
      },
      [](GObject *object) -> glcl::StatsRecorder & { return private_of(object)->stats; });

  auto *element_class = GST_ELEMENT_CLASS(klass);
  add_pad_templates(element_class);
  element_class->set_context = GST_DEBUG_FUNCPTR(gst_glcl_filter_set_context);
  element_class->change_state = GST_DEBUG_FUNCPTR(gst_glcl_filter_change_state);
  element_class->post_message = GST_DEBUG_FUNCPTR(gst_glcl_filter_post_message);

  auto *transform_class = GST_BASE_TRANSFORM_CLASS(klass);
  transform_class->query = GST_DEBUG_FUNCPTR(gst_glcl_filter_query);
  transform_class->sink_event = GST_DEBUG_FUNCPTR(gst_glcl_filter_sink_event);
  transform_class->src_event = GST_DEBUG_FUNCPTR(gst_glcl_filter_src_event);
  transform_class->decide_allocation = GST_DEBUG_FUNCPTR(gst_glcl_filter_decide_allocation);
  transform_class->propose_allocation = GST_DEBUG_FUNCPTR(gst_glcl_filter_propose_allocation);
  transform_class->submit_input_buffer = GST_DEBUG_FUNCPTR(gst_glcl_filter_submit_input_buffer);
  transform_class->prepare_output_buffer = GST_DEBUG_FUNCPTR(gst_glcl_filter_prepare_output_buffer);
  transform_class->generate_output = GST_DEBUG_FUNCPTR(gst_glcl_filter_generate_output);
  transform_class->transform = GST_DEBUG_FUNCPTR(gst_glcl_filter_transform);
  transform_class->before_transform = GST_DEBUG_FUNCPTR(gst_glcl_filter_before_transform);
  transform_class->transform_meta = GST_DEBUG_FUNCPTR(gst_glcl_filter_transform_meta);

  auto *base_class = GST_GL_BASE_FILTER_CLASS(klass);
  base_class->gl_set_caps = GST_DEBUG_FUNCPTR(gst_glcl_filter_gl_set_caps);
  base_class->gl_stop = GST_DEBUG_FUNCPTR(gst_glcl_filter_gl_stop);

  auto *filter_class = GST_GL_FILTER_CLASS(klass);
  filter_class->transform_internal_caps =
      GST_DEBUG_FUNCPTR(gst_glcl_filter_transform_internal_caps);
  klass->waiting.render = gst_glcl_filter_render_waiting;

  gst_type_mark_as_plugin_api(GST_TYPE_GLCL_FILTER, static_cast<GstPluginAPIFlags>(0));
}
