// SPDX-License-Identifier: LGPL-2.1-or-later
#include "glclframeprocessor.h"

#include <string>
#include <utility>

#include "glcloutbox.h"
#include "opencl/waiting.h"

GST_DEBUG_CATEGORY_EXTERN(glcl_filter_debug);
#define GST_CAT_DEFAULT glcl_filter_debug

namespace glcl {

namespace {

/// True if a bin around the element is changing to READY or NULL. Downstream elements stop before
/// this one.
bool bin_stops(GstGLCLFilter *element) {
  bool stops = false;
  GstObject *bin = gst_object_get_parent(GST_OBJECT(element));
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

/// True if the same scene fills the same pixels in frames of two formats.
bool same_geometry(const GstVideoInfo &a, const GstVideoInfo &b) {
  return a.width == b.width && a.height == b.height && a.views == b.views && a.par_n == b.par_n &&
         a.par_d == b.par_d &&
         GST_VIDEO_INFO_MULTIVIEW_MODE(&a) == GST_VIDEO_INFO_MULTIVIEW_MODE(&b);
}

/// True if kernels process frames of two formats in the same way; the frame rate may differ.
bool same_pictures(const GstVideoInfo &a, const GstVideoInfo &b) {
  return same_geometry(a, b) && a.finfo == b.finfo &&
         (GST_VIDEO_INFO_IS_RGB(&a) ||
          (a.colorimetry.matrix == b.colorimetry.matrix &&
           a.colorimetry.range == b.colorimetry.range && a.chroma_site == b.chroma_site));
}

}  // namespace

FrameProcessor::FrameProcessor(GstGLCLFilter *element, Guarded<FilterSettings> &settings,
                               StatsRecorder &stats)
    : element_(element),
      settings_(settings),
      stats_(stats),
      stop_([element] { return bin_stops(element); }) {}

/// Reports a missing driver now, not at the first frame. A context that does not depend on OpenGL
/// is created, and its compiler loaded, while OpenGL starts.
void FrameProcessor::start() {
  stop_.withdraw();
  const Device device = choose_device(settings_.get().device);
  if (!device.has_extension("cl_khr_gl_sharing"))
    preloading_.start([device] { return gst_glcl_context_load(device); });
}

void FrameProcessor::end() {
  request_reset();
  preloading_ = {};
}

GstFlowReturn FrameProcessor::run(GstGLContext *gl_context, const std::function<void()> &work) {
  bool created = false;
  GstFlowReturn flow = GST_FLOW_ERROR;
  const Outbox::Deferral deferral;
  const bool good = gst_glcl_filter_guard(element_, [&] {
    const Stop::Scope scope(stop_);
    try {
      prepare(gl_context, &created);
      work();
      flow = GST_FLOW_OK;
    } catch (const Stopped &) {
      request_reset();
      flow = GST_FLOW_FLUSHING;
    }
  });
  if (!good) flow = GST_FLOW_ERROR;
  if (flow == GST_FLOW_FLUSHING) GST_DEBUG_OBJECT(element_, "stops in the middle of its work");
  if (created) contexts_.announce(GST_ELEMENT(element_), settings_.get().device == "auto");
  return flow;
}

void FrameProcessor::process(GstBuffer *in, GstBuffer *out) {
  GstGLCLFilterClass *klass = GST_GLCL_FILTER_GET_CLASS(element_);
  const auto start = StatsRecorder::Clock::now();
  if (reset_requested_.exchange(false) && klass->reset) klass->reset(element_);
  Queue &queue = this->queue(settings_.get().profile);
  const bool luma_only = klass->reads_luma && klass->reads_luma(element_);
  const auto keeps_chroma = klass->keeps_chroma ? klass->keeps_chroma(element_) : std::nullopt;
  bridge_->run(queue, in, out, luma_only, keeps_chroma,
               [&](const Picture &from, const Picture &to) {
                 const LaunchThrottle::FrameScope frame(throttle_, queue);
                 klass->process(element_, queue, from, to, in, out);
               });
  stats_.add_frame(queue, start);
}

bool FrameProcessor::release_waiting(GstBuffer *out) {
  GstGLCLFilterClass *klass = GST_GLCL_FILTER_GET_CLASS(element_);
  Queue &queue = this->queue(settings_.get().profile);
  bool released = false;
  bridge_->write(queue, out, [&](const Picture &to) {
    const LaunchThrottle::FrameScope frame(throttle_, queue);
    released = klass->waiting.release(element_, queue, to, out);
  });
  return released;
}

/// Downstream elements that renegotiate set the same caps again: state survives that.
void FrameProcessor::set_info(const GstVideoInfo &info) {
  prepared_ = prepared_ && same_pictures(info_, info);
  if (prepared_) info_ = info;
}

void FrameProcessor::drop_context() {
  GstGLCLContext *context = contexts_.in_use();
  if (!context) return;
  GstGLCLFilterClass *klass = GST_GLCL_FILTER_GET_CLASS(element_);
  gst_glcl_filter_guard(element_, [&] {
    if (queue_) finish(queue_->cl());
  });
  gst_glcl_filter_guard(element_, [&] {
    if (klass->unprepare) klass->unprepare(element_);
  });
  prepared_ = has_state_ = false;
  sharing::on_gl_thread(gst_glcl_context_gl_context(context), [&] { bridge_.reset(); });
  throttle_ = {};
  queue_at_exit_.reset();
  queue_.reset();
  contexts_.use(nullptr);
}

/// Uses one queue at a time, so that state of earlier frames needs no synchronisation of queues.
Queue &FrameProcessor::queue(bool profile) {
  if (queue_ && queue_->profiles() == profile) return *queue_;
  if (queue_) finish(queue_->cl());
  Context &context = gst_glcl_context_opencl(contexts_.in_use());
  queue_ = std::make_shared<Queue>(context.shared_from_this(), profile);
  queue_at_exit_ = std::make_unique<QueueWork>(queue_->cl());
  return *queue_;
}

/// Returns the OpenCL context for the settings. With device=auto it is on the device that
/// neighbours or the application offer. The process has one context per device, GL context and
/// method. Throws.
GstGLCLContext *FrameProcessor::obtain_context(GstGLContext *gl_context, bool *created) {
  FilterSettings settings = settings_.get();
  const std::string offered = contexts_.offered_device(gl_context);
  if (settings.device == "auto" && !offered.empty()) settings.device = offered;
  GstGLCLContext *context = nullptr;
  sharing::on_gl_thread(gl_context, [&] {
    context = gst_glcl_context_get(
        gl_context, sharing::choose(gl_context, settings.device, settings.methods()), created);
  });
  return context;
}

void FrameProcessor::adopt_context(GstGLCLContext *context) {
  const Device &device = gst_glcl_context_device(context);
  const sharing::SharingMethod *method = gst_glcl_context_choice(context).method;
  const std::string name = device.id() + " " + device.name;
  GST_INFO_OBJECT(element_, "sharing: %s, device: %s", method->name, name.c_str());
  request_reset();
  contexts_.use(context);
  stats_.set_device(name, method);
}

/// Prepares for frames of the caps on this GL context, unless that was done before. Throws.
void FrameProcessor::prepare(GstGLContext *gl_context, bool *created) {
  GstGLCLContext *context = contexts_.in_use();
  if (context && gst_glcl_context_gl_context(context) != gl_context) drop_context();
  if (!contexts_.in_use()) adopt_context(obtain_context(gl_context, created));
  context = contexts_.in_use();
  if (!bridge_)
    bridge_ =
        std::make_unique<TextureBridge>(GST_BASE_TRANSFORM(element_), context, stats_.get().copies);
  if (prepared_) return;
  const GstVideoInfo before = std::exchange(info_, GST_GL_FILTER(element_)->in_info);
  GstGLCLFilterClass *klass = GST_GLCL_FILTER_GET_CLASS(element_);
  const bool continues =
      std::exchange(has_state_, false) && klass->set_format && same_geometry(before, info_);
  if (!continues) request_reset();
  const Layout layout = (continues ? klass->set_format : klass->prepare)(
      element_, gst_glcl_context_opencl(context), GST_VIDEO_INFO_WIDTH(&info_),
      GST_VIDEO_INFO_HEIGHT(&info_));
  const bool converts = !klass->takes_planes;
  bridge_->prepare(
      gst_glcl_context_opencl(context), layout, info_, converts,
      converts ? *gst_glcl_filter_frame_format(element_, layout).pixels : PixelFormat::rgba);
  prepared_ = has_state_ = true;
  preloading_ = {};
}

}  // namespace glcl
