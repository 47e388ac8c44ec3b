// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Threads. The GL thread runs prepare, process, reset and unprepare and owns the fields below `GL
// thread`. Any thread sets and gets properties, takes contexts and answers queries: `mutex` guards
// what those share with the GL thread (`settings` guard themselves), and nothing is called while it
// is held. GstGLBaseFilter holds its own context lock around gl_start and gl_stop, so neighbours
// and the application are only asked from decide_allocation, before chaining up, where it is not
// held. A thread with that lock may wait for the GL thread, so messages and notifications of the GL
// thread wait in `outbox` for the thread that gave it the work.
#include "gstglclfilter.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <utility>

#include "glclconsumers.h"
#include "glclcontextslot.h"
#include "glclerrorreporter.h"
#include "glclframecontinuity.h"
#include "glcloutbox.h"
#include "glclproperties.h"
#include "glclstats.h"
#include "glcltexturebridge.h"
#include "glcltime.h"
#include "opencl/asynctask.h"
#include "opencl/ending.h"
#include "opencl/error.h"
#include "opencl/launchthrottle.h"
#include "opencl/stop.h"
#include "opencl/waiting.h"

GST_DEBUG_CATEGORY_STATIC(glcl_filter_debug);
#define GST_CAT_DEFAULT glcl_filter_debug

namespace {

using glcl::sharing::SharingMethod;

/// Values of the `sharing` properties: auto, then those of SharingMethod::all in order.
constexpr int sharing_auto = 0;
int sharing_value(const SharingMethod *method) {
  const auto *const *first = std::begin(SharingMethod::all);
  return 1 + static_cast<int>(std::find(first, std::end(SharingMethod::all), method) - first);
}

GType sharing_type() {
  static const GType type = [] {
    std::vector<GEnumValue> values{
        {sharing_auto, "The first of gl, external and copy that works", "auto"}};
    for (const SharingMethod *method : SharingMethod::all)
      values.push_back({sharing_value(method), method->description, method->name});
    return glcl::register_enum("GstGLCLSharing", values);
  }();
  return type;
}

struct FilterSettings {
  std::string device = "auto";
  int sharing = sharing_auto;
  bool profile = false;
};

}  // namespace

struct GstGLCLFilterPrivate {
  glcl::Guarded<FilterSettings> settings;
  std::mutex mutex;
  glcl::Stats stats;
  glcl::ContextSlot context_slot;

  glcl::AsyncTask<std::shared_ptr<glcl::Context>> preloading;  // until a frame needs it
  glcl::ErrorReporter errors;
  glcl::Outbox outbox;
  glcl::FrameContinuity continuity;
  std::unique_ptr<glcl::Stop> stop;  // whether frames that are under way are still wanted
  std::atomic<bool> reset_pending{true};
  bool consumers_map = false;  // as far as known; streaming thread

  // GL thread
  std::unique_ptr<glcl::TextureBridge> bridge;
  glcl::LaunchThrottle throttle;
  bool prepared = false;
  GstVideoInfo info{};  // of the frames prepared for
  glcl::Layout layout = glcl::Layout::image;
  std::chrono::steady_clock::time_point first_frame;
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

/// Runs the work on the GL thread and waits for it.
template <class Work>
void on_gl_thread(GstGLContext *context, Work work) {
  gst_gl_context_thread_add(
      context, [](GstGLContext *, gpointer data) { (*static_cast<Work *>(data))(); }, &work);
}

/// The OpenCL context for the settings, on the device of the neighbours or the application's where
/// any will do; the process has one for each device, GL context and method. GL thread. Throws.
GstGLCLContext *obtain_context(GstGLCLFilter *self, GstGLContext *gl_context, bool *created) {
  GstGLCLFilterPrivate *priv = private_of(self);
  FilterSettings settings = priv->settings.get();
  const std::string offered = priv->context_slot.offered_device(gl_context);
  if (settings.device == "auto" && !offered.empty()) settings.device = offered;
  std::vector<const SharingMethod *> methods;
  for (const SharingMethod *method : SharingMethod::all)
    if (settings.sharing == sharing_auto || settings.sharing == sharing_value(method))
      methods.push_back(method);
  return gst_glcl_context_get(gl_context,
                              glcl::sharing::choose(gl_context, settings.device, methods), created);
}

void drop_context(GstGLCLFilter *self) {
  GstGLCLFilterPrivate *priv = private_of(self);
  GstGLCLContext *context = priv->context_slot.in_use();
  if (!context) return;
  GstGLCLFilterClass *klass = GST_GLCL_FILTER_GET_CLASS(self);
  guarded(self, [&] { glcl::finish(gst_glcl_context_queue(context, false).cl()); });
  guarded(self, [&] {
    if (klass->unprepare) klass->unprepare(self);
  });
  priv->prepared = false;
  priv->bridge.reset();
  priv->throttle = {};
  priv->context_slot.use(nullptr);
}

void adopt_context(GstGLCLFilter *self, GstGLCLContext *context) {
  GstGLCLFilterPrivate *priv = private_of(self);
  const glcl::Device &device = gst_glcl_context_device(context);
  const SharingMethod *method = gst_glcl_context_choice(context).method;
  const std::string name = device.id() + " " + device.name;
  GST_INFO_OBJECT(self, "sharing: %s, device: %s", method->name, name.c_str());
  priv->reset_pending = true;
  priv->context_slot.use(context);
  const std::lock_guard lock(priv->mutex);
  priv->stats.device = name;
  priv->stats.method = method;
}

/// Gets everything ready for frames of the current caps on the current GL context, unless it is. GL
/// thread. Throws.
void prepare(GstGLCLFilter *self, GstGLContext *gl_context, bool *created) {
  GstGLCLFilterPrivate *priv = private_of(self);
  GstGLCLContext *context = priv->context_slot.in_use();
  if (context && gst_glcl_context_gl_context(context) != gl_context) drop_context(self);
  if (!priv->context_slot.in_use()) adopt_context(self, obtain_context(self, gl_context, created));
  context = priv->context_slot.in_use();
  if (!priv->bridge)
    priv->bridge = std::make_unique<glcl::TextureBridge>(GST_BASE_TRANSFORM(self), context,
                                                         priv->stats.copies);
  if (priv->prepared) return;
  priv->info = GST_GL_FILTER(self)->in_info;
  priv->layout = GST_GLCL_FILTER_GET_CLASS(self)->prepare(
      self, gst_glcl_context_queue(context, false).context(), GST_VIDEO_INFO_WIDTH(&priv->info),
      GST_VIDEO_INFO_HEIGHT(&priv->info));
  priv->bridge->prepare(gst_glcl_context_queue(context, false).context(), priv->layout, priv->info);
  priv->prepared = true;
  priv->reset_pending = true;
  priv->preloading = {};
}

/// Throws where there is no device. A context that OpenGL has no part in is made, and the compiler
/// loaded, while OpenGL starts.
void look_for_device(GstGLCLFilter *self) {
  GstGLCLFilterPrivate *priv = private_of(self);
  const glcl::Device device = glcl::choose_device(priv->settings.get().device);
  if (!device.has_extension("cl_khr_gl_sharing"))
    priv->preloading.start([device] { return gst_glcl_context_load(device); });
}

/// Whether a bin around the element is on its way to READY or NULL. Elements behind this one stop
/// before it, and their GL thread is the one that works for it.
bool bin_stops(GstGLCLFilter *self) {
  bool stops = false;
  GstObject *bin = gst_object_get_parent(GST_OBJECT(self));
  while (bin) {
    if (GST_IS_ELEMENT(bin)) {
      GST_OBJECT_LOCK(bin);
      stops =
          stops || (GST_STATE_TARGET(bin) <= GST_STATE_READY && GST_STATE(bin) > GST_STATE_READY);
      GST_OBJECT_UNLOCK(bin);
    }
    GstObject *outer = gst_object_get_parent(bin);
    gst_object_unref(bin);
    bin = outer;
  }
  return stops;
}

/// Runs work that needs OpenCL on the GL thread, after getting ready for it. FLUSHING where it was
/// left since the element stops. Streaming thread.
template <class Work>
GstFlowReturn with_opencl(GstGLCLFilter *self, const Work &work) {
  GstGLCLFilterPrivate *priv = private_of(self);
  GstGLContext *gl_context = gst_gl_base_filter_get_gl_context(GST_GL_BASE_FILTER(self));
  if (!gl_context) return GST_FLOW_ERROR;
  const glcl::Outbox::Scope outbox(priv->outbox);
  bool created = false;
  GstFlowReturn flow = GST_FLOW_ERROR;
  on_gl_thread(gl_context, [&] {
    const bool good = guarded(self, [&] {
      const glcl::Stop::Scope scope(*priv->stop);
      try {
        prepare(self, gl_context, &created);
        work();
        flow = GST_FLOW_OK;
      } catch (const glcl::Stopped &) {
        priv->reset_pending = true;
        flow = GST_FLOW_FLUSHING;
      }
    });
    if (!good) flow = GST_FLOW_ERROR;
  });
  if (flow == GST_FLOW_FLUSHING) GST_DEBUG_OBJECT(self, "stops in the middle of its work");
  if (created)
    priv->context_slot.announce(GST_ELEMENT(self), priv->settings.get().device == "auto");
  gst_object_unref(gl_context);
  return flow;
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

/// Sees every frame that arrives, also those that are dropped because the device is slow: they
/// leave no gap.
GstPadProbeReturn on_arrival(GstPad *, GstPadProbeInfo *info, gpointer self) {
  GstGLCLFilterPrivate *priv = private_of(self);
  if (priv->continuity.breaks(GST_BASE_TRANSFORM(self)->segment, GST_PAD_PROBE_INFO_BUFFER(info),
                              GST_GLCL_FILTER_GET_CLASS(self)->gaps_break))
    priv->reset_pending = true;
  return GST_PAD_PROBE_OK;
}

void process(GstGLCLFilter *self, GstBuffer *inbuf, GstBuffer *outbuf) {
  GstGLCLFilterPrivate *priv = private_of(self);
  GstGLCLFilterClass *klass = GST_GLCL_FILTER_GET_CLASS(self);
  const auto start = std::chrono::steady_clock::now();

  if (priv->reset_pending.exchange(false) && klass->reset) klass->reset(self);

  glcl::Queue &queue =
      gst_glcl_context_queue(priv->context_slot.in_use(), priv->settings.get().profile);
  priv->bridge->run(queue, priv->layout, priv->info, inbuf, outbuf,
                    [&](const glcl::Picture &in, const glcl::Picture &out) {
                      const glcl::LaunchThrottle::FrameScope frame(priv->throttle, queue);
                      klass->process(self, queue, in, out, inbuf, outbuf);
                    });

  std::unique_lock lock(priv->mutex);
  if (priv->stats.frames++ == 0) priv->first_frame = start;
  if (!queue.profiles()) return;
  auto timings = priv->stats.timings;
  lock.unlock();
  queue.collect(timings);  // waits for the kernels
  timings["frame"].add(std::chrono::nanoseconds(std::chrono::steady_clock::now() - start).count());
  lock.lock();
  priv->stats.timings = std::move(timings);
}

/// Whether frames of two formats look the same to kernels, whatever the frame rate.
bool same_pictures(const GstVideoInfo &a, const GstVideoInfo &b) {
  return a.finfo == b.finfo && a.width == b.width && a.height == b.height && a.views == b.views &&
         a.par_n == b.par_n && a.par_d == b.par_d &&
         (GST_VIDEO_INFO_IS_RGB(&a) || (a.colorimetry.matrix == b.colorimetry.matrix &&
                                        a.colorimetry.range == b.colorimetry.range)) &&
         GST_VIDEO_INFO_MULTIVIEW_MODE(&a) == GST_VIDEO_INFO_MULTIVIEW_MODE(&b);
}

/// Pads that take and give frames of every format in the table.
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

void count_dropped(GstGLCLFilter *self) {
  GstGLCLFilterPrivate *priv = private_of(self);
  const std::lock_guard lock(priv->mutex);
  priv->stats.dropped++;
}

void get_active_sharing(GObject *object, GValue *value) {
  GstGLCLFilterPrivate *priv = private_of(object);
  const std::lock_guard lock(priv->mutex);
  g_value_set_enum(value, priv->stats.method ? sharing_value(priv->stats.method) : sharing_auto);
}

void get_stats(GObject *object, GValue *value) {
  GstGLCLFilterPrivate *priv = private_of(object);
  std::unique_lock lock(priv->mutex);
  const glcl::Stats stats = priv->stats;
  lock.unlock();
  g_value_take_boxed(value, stats.structure());
}

}  // namespace

GstGLCLContext *gst_glcl_filter_context(GstGLCLFilter *self) {
  return private_of(self)->context_slot.in_use();
}

bool gst_glcl_filter_has_failed(GstGLCLFilter *self) { return private_of(self)->errors.failed(); }

bool gst_glcl_filter_has_begun(GstGLCLFilter *self) {
  const std::lock_guard lock(private_of(self)->mutex);
  return private_of(self)->stats.frames > 0;
}

float gst_glcl_filter_pixel_aspect(GstGLCLFilter *self) {
  const GstVideoInfo &info = private_of(self)->info;
  return float(GST_VIDEO_INFO_PAR_N(&info)) / float(GST_VIDEO_INFO_PAR_D(&info));
}

void gst_glcl_filter_counts_square(GstGLCLFilter *self, const char *what) {
  private_of(self)->continuity.warn_of_pixels(GST_ELEMENT(self), private_of(self)->info, what);
}

bool gst_glcl_filter_guard(GstGLCLFilter *self, const std::function<void()> &work) {
  return guarded(self, work);
}

static void gst_glcl_filter_set_context(GstElement *element, GstContext *context) {
  if (GstGLCLContext *offered = gst_glcl_context_unwrap(context))
    private_of(element)->context_slot.offer(offered);
  GST_ELEMENT_CLASS(gst_glcl_filter_parent_class)->set_context(element, context);
}

/// Keeps messages of the GL thread in order with those of other threads.
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
  if (!glcl::Outbox::on_gl_thread()) return dispatch(object, count, properties);
  std::vector<GParamSpec *> kept(properties, properties + count);
  private_of(object)->outbox.keep([=]() mutable { dispatch(object, count, kept.data()); });
  send_elsewhere(object);
}

static GstStateChangeReturn gst_glcl_filter_change_state(GstElement *element,
                                                         GstStateChange transition) {
  GstGLCLFilter *self = GST_GLCL_FILTER(element);
  GstGLCLFilterPrivate *priv = private_of(self);
  const glcl::Outbox::Scope outbox(priv->outbox);
  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY) priv->stop->request();
  if (transition == GST_STATE_CHANGE_READY_TO_PAUSED) {
    priv->stop->withdraw();
    priv->errors.start();
    // A missing driver is reported now, not at the first frame.
    if (!guarded(self, [&] { look_for_device(self); })) return GST_STATE_CHANGE_FAILURE;
    priv->continuity.start();
    const std::lock_guard lock(priv->mutex);
    priv->stats = {};
  }
  const GstStateChangeReturn result =
      GST_ELEMENT_CLASS(gst_glcl_filter_parent_class)->change_state(element, transition);
  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY) {
    priv->reset_pending = true;
    priv->preloading = {};
  }
  if (transition == GST_STATE_CHANGE_READY_TO_NULL) priv->context_slot.offer(nullptr);
  return result;
}

static gboolean gst_glcl_filter_query(GstBaseTransform *trans, GstPadDirection direction,
                                      GstQuery *query) {
  if (GST_QUERY_TYPE(query) == GST_QUERY_CONTEXT && private_of(trans)->context_slot.answer(query))
    return TRUE;
  // A pad that is stopped still lets queries through. GstBaseTransform would negotiate for them, or
  // put the allocation query that it keeps back after it released everything. Nothing would free
  // either then, or the GL context that its pools hold. The pad's stream lock is held here, and an
  // element that stops takes it once its pad is inactive.
  if (GST_QUERY_TYPE(query) == GST_QUERY_ALLOCATION && !gst_pad_is_active(trans->sinkpad))
    return FALSE;
  return GST_BASE_TRANSFORM_CLASS(gst_glcl_filter_parent_class)->query(trans, direction, query);
}

static gboolean gst_glcl_filter_sink_event(GstBaseTransform *trans, GstEvent *event) {
  if (GST_EVENT_TYPE(event) == GST_EVENT_FLUSH_STOP || GST_EVENT_TYPE(event) == GST_EVENT_SEGMENT)
    private_of(trans)->reset_pending = true;
  if (GST_EVENT_TYPE(event) == GST_EVENT_FLUSH_START) private_of(trans)->stop->request();
  if (GST_EVENT_TYPE(event) == GST_EVENT_FLUSH_STOP) {
    private_of(trans)->stop->withdraw();
    private_of(trans)->continuity.flush();
    private_of(trans)->errors.flush();
  }
  return GST_BASE_TRANSFORM_CLASS(gst_glcl_filter_parent_class)->sink_event(trans, event);
}

/// Sees which frames those ahead may drop.
static gboolean gst_glcl_filter_src_event(GstBaseTransform *trans, GstEvent *event) {
  if (GST_EVENT_TYPE(event) == GST_EVENT_QOS) {
    GstClockTimeDiff late = 0;
    GstClockTime time = GST_CLOCK_TIME_NONE;
    gst_event_parse_qos(event, nullptr, nullptr, &late, &time);
    if (GST_CLOCK_TIME_IS_VALID(time)) private_of(trans)->continuity.late(time, late);
  }
  return GST_BASE_TRANSFORM_CLASS(gst_glcl_filter_parent_class)->src_event(trans, event);
}

static gboolean gst_glcl_filter_decide_allocation(GstBaseTransform *trans, GstQuery *query) {
  GstGLCLFilter *self = GST_GLCL_FILTER(trans);
  private_of(self)->context_slot.ask(GST_ELEMENT(self));
  private_of(self)->consumers_map = false;  // whatever was linked behind renegotiates
  if (!GST_BASE_TRANSFORM_CLASS(gst_glcl_filter_parent_class)->decide_allocation(trans, query))
    return FALSE;
  // The frames report a stop.
  return with_opencl(self, [&] {
           private_of(self)->bridge->replace_pool(query, reporter(self));
         }) != GST_FLOW_ERROR;
}

static gboolean gst_glcl_filter_propose_allocation(GstBaseTransform *trans, GstQuery *decide_query,
                                                   GstQuery *query) {
  // Without a GL context, as when neighbours are shut down meanwhile, the parent's pool would
  // abort.
  GstGLContext *gl_context = gst_gl_base_filter_get_gl_context(GST_GL_BASE_FILTER(trans));
  if (!gl_context) return FALSE;
  const gboolean proposed = GST_BASE_TRANSFORM_CLASS(gst_glcl_filter_parent_class)
                                ->propose_allocation(trans, decide_query, query);
  GstGLCLFilter *self = GST_GLCL_FILTER(trans);
  const glcl::Outbox::Scope outbox(private_of(self)->outbox);
  if (proposed)
    on_gl_thread(gl_context, [&] {
      if (auto &bridge = private_of(self)->bridge) bridge->replace_pool(query, reporter(self));
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
  // Frames keep size, orientation and colours, so whatever is tagged with these alone stays true.
  static const gchar *const kept[] = {GST_META_TAG_VIDEO_STR, GST_META_TAG_VIDEO_SIZE_STR,
                                      GST_META_TAG_VIDEO_ORIENTATION_STR,
                                      GST_META_TAG_VIDEO_COLORSPACE_STR, nullptr};
  const gchar *const *tags = gst_meta_api_type_get_tags(meta->info->api);
  // The output's own one counts.
  if (meta->info->api == GST_GL_SYNC_META_API_TYPE && gst_buffer_get_gl_sync_meta(outbuf))
    return FALSE;
  bool all_kept = true;
  for (; tags && *tags; tags++) all_kept = all_kept && g_strv_contains(kept, *tags);
  return all_kept || GST_BASE_TRANSFORM_CLASS(gst_glcl_filter_parent_class)
                         ->transform_meta(trans, outbuf, meta, inbuf);
}

static gboolean gst_glcl_filter_gl_set_caps(GstGLBaseFilter *base, GstCaps *incaps,
                                            GstCaps *outcaps) {
  // No chaining up: GstGLFilter would allocate an unused framebuffer. Caps are also set again
  // without a change, when downstream elements renegotiate: state survives that.
  GstGLCLFilterPrivate *priv = private_of(base);
  const GstVideoInfo &info = GST_GL_FILTER(base)->in_info;
  priv->prepared = priv->prepared && same_pictures(priv->info, info);
  priv->info = info;
  return TRUE;
}

static void gst_glcl_filter_gl_stop(GstGLBaseFilter *base) {
  GstGLCLFilter *self = GST_GLCL_FILTER(base);
  GstGLCLFilterPrivate *priv = private_of(self);
  if (priv->context_slot.in_use() && priv->stats.frames) {
    const std::chrono::duration<double> seconds =
        std::chrono::steady_clock::now() - priv->first_frame;
    GST_INFO_OBJECT(self,
                    "done: %" G_GUINT64_FORMAT " frames, %.1f frames/s, %" G_GUINT64_FORMAT
                    " copies, %" G_GUINT64_FORMAT " dropped, latency %.2f ms, longest %.2f",
                    priv->stats.frames, priv->stats.frames / seconds.count(),
                    priv->stats.copies->load(), priv->stats.dropped,
                    static_cast<double>(priv->stats.latency.mean()) / 1e6,
                    static_cast<double>(priv->stats.latency.max) / 1e6);
  }
  drop_context(self);
  GST_GL_BASE_FILTER_CLASS(gst_glcl_filter_parent_class)->gl_stop(base);
}

static GstCaps *gst_glcl_filter_transform_internal_caps(GstGLFilter *filter,
                                                        GstPadDirection direction, GstCaps *caps,
                                                        GstCaps *filter_caps) {
  return gst_caps_ref(caps);
}

/// Counts the frames that the parent keeps from being transformed, because they are late (QoS).
static GstFlowReturn gst_glcl_filter_submit_input_buffer(GstBaseTransform *trans,
                                                         gboolean discontinuous, GstBuffer *inbuf) {
  const GstFlowReturn flow = GST_BASE_TRANSFORM_CLASS(gst_glcl_filter_parent_class)
                                 ->submit_input_buffer(trans, discontinuous, inbuf);
  if (flow == GST_BASE_TRANSFORM_FLOW_DROPPED) count_dropped(GST_GLCL_FILTER(trans));
  return flow;
}

/// Measures how long a frame is kept from going on, with all that subclasses do.
static GstFlowReturn gst_glcl_filter_generate_output(GstBaseTransform *trans, GstBuffer **outbuf) {
  const auto start = std::chrono::steady_clock::now();
  const GstFlowReturn flow =
      GST_BASE_TRANSFORM_CLASS(gst_glcl_filter_parent_class)->generate_output(trans, outbuf);
  if (flow == GST_BASE_TRANSFORM_FLOW_DROPPED) count_dropped(GST_GLCL_FILTER(trans));
  if (flow != GST_FLOW_OK || !*outbuf) return flow;
  const std::chrono::nanoseconds time = std::chrono::steady_clock::now() - start;
  GstGLCLFilterPrivate *priv = private_of(trans);
  const std::lock_guard lock(priv->mutex);
  priv->stats.latency.add(time.count());
  return flow;
}

/// Without a change the frame itself is passed on.
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
  bool &consumers_map = priv->consumers_map;
  consumers_map = consumers_map || glcl::consumers_map(trans->srcpad);
  const auto work = [&] {
    process(self, inbuf, outbuf);
    if (!consumers_map) priv->bridge->hand_to_gl(outbuf);
  };
  return with_opencl(self, work);
}

static void gst_glcl_filter_init(GstGLCLFilter *self) {
  glcl::wait_at_end();
  auto *priv = new (gst_glcl_filter_get_instance_private(self)) GstGLCLFilterPrivate;
  priv->stop = std::make_unique<glcl::Stop>([self] { return bin_stops(self); });
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
  const auto settings_of = [](GObject *object) -> glcl::Guarded<FilterSettings> & {
    return private_of(object)->settings;
  };
  const FilterSettings defaults;
  glcl::Properties<FilterSettings>(object_class, settings_of)
      .other(
          g_param_spec_string("device", "Device",
                              "OpenCL device: auto, P:D (platform and device number as glcl-info "
                              "prints them) or part of its name. auto takes the device that runs "
                              "OpenGL, else the first GPU, else the first CPU",
                              defaults.device.c_str(), glcl::before_paused),
          [](FilterSettings &settings, const GValue *value) {
            const gchar *device = g_value_get_string(value);
            settings.device = device && *device ? device : "auto";
          },
          [](const FilterSettings &settings, GValue *value) {
            g_value_set_string(value, settings.device.c_str());
          })
      .choice("sharing", "Sharing",
              "How OpenCL accesses the OpenGL textures. A method chosen by name that is not "
              "available is an error",
              &FilterSettings::sharing, sharing_type(), glcl::before_paused)
      .flag("profile", "Profile",
            "Time every kernel with OpenCL events and report the times in stats",
            &FilterSettings::profile);
  const auto read_only = static_cast<GParamFlags>(G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
  glcl::install_property(
      object_class,
      g_param_spec_enum("active-sharing", "Active sharing",
                        "Sharing method in use; auto until the first frame is negotiated",
                        sharing_type(), sharing_auto, read_only),
      {nullptr, get_active_sharing});
  glcl::install_property(
      object_class,
      g_param_spec_boxed(
          "stats", "Statistics",
          "Statistics since PAUSED: frames, device, sharing, copies (transfers of a frame to or "
          "from host memory) and dropped (late or unusable frames). latency and latency-max are "
          "the mean and maximum time in ns from the arrival of a frame until it is pushed; a GPU "
          "may still work on it then. With profile, KERNEL-mean and KERNEL-max are the times of "
          "every kernel and of the whole frame, in ns",
          GST_TYPE_STRUCTURE, read_only),
      {nullptr, get_stats});

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

  gst_type_mark_as_plugin_api(GST_TYPE_GLCL_FILTER, static_cast<GstPluginAPIFlags>(0));
}
