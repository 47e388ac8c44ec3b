// SPDX-License-Identifier: LGPL-2.1-or-later
/**
 * SECTION:element-glopenclflow
 * @title: glopenclflow
 *
 * Dense optical flow: the motion of every pixel of the previous frame, computed with OpenCL on
 * OpenGL textures. Vectors are in pixels per frame, +x right, +y down.
 *
 * The flow is drawn (`display`), summarized in messages on the bus, attached to frames in a
 * GstCustomMeta (`attach-meta`) and written to .flo files (`dump-location`). A frame that does not
 * follow the previous one (the first frame, after a seek or after a gap of more than four frames)
 * has no vectors, so it gets no message, meta or file, and nothing is drawn.
 *
 * ## Message
 * An element message named `glopenclflow`, at most one per `interval`:
 *
 * * #GstClockTime `timestamp`, `stream-time`, `running-time`, `duration`: of the frame
 * * #gdouble `mean-x`, `mean-y`: the mean vector, px per frame
 * * #gdouble `mean-magnitude`, `max-magnitude`: of the vectors' lengths
 * * #gdouble `moving`: the fraction of pixels faster than half a pixel per frame
 * * #gdouble `direction`: of the mean vector in radians, 0 to the right, π/2 down
 * * #gdouble `confidence`: mean, 0 to 1
 * * #gdouble `noise`: of the frames, standard deviation in levels of 0 to 255; not with
 *   `method=lucas-kanade`
 *
 * ## Example launch lines
 * |[
 * gst-launch-1.0 v4l2src ! glupload ! glcolorconvert ! glopenclflow ! glimagesink
 * ]|
 * Direction as hue, speed as brightness.
 * |[
 * gst-launch-1.0 filesrc location=in.mp4 ! decodebin ! glupload ! glcolorconvert ! glopenclflow
 * display=arrows legend=true method=census ! glimagesink
 * ]|
 * Draws arrows over the video, robust to changing light.
 * |[
 * gst-launch-1.0 -m filesrc location=in.mp4 ! decodebin ! glupload ! glcolorconvert ! glopenclflow
 * display=none ! fakesink
 * ]|
 * Prints only the messages.
 *
 * Since: 0.1
 */
#include "gstglopenclflow.h"

#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/compat.h"
#include "base/glclelement.h"
#include "base/glclengineswap.h"
#include "base/glcloverlay.h"
#include "base/glclresult.h"
#include "config.h"
#include "gstglopenclflowdump.h"
#include "gstglopenclflowproperties.h"
#include "opencl/lazy.h"
#include "opticalflow/estimator.h"
#include "opticalflow/renderer.h"
#include "opticalflow/signatures.h"

GST_DEBUG_CATEGORY(gl_opencl_flow_debug);
#define GST_CAT_DEFAULT gl_opencl_flow_debug

namespace {

namespace opticalflow = glcl::opticalflow;
using opticalflow::FlowEstimator;
using opticalflow::FlowMethod;
using opticalflow::FlowProperties;
using opticalflow::FlowRenderer;
using opticalflow::FlowSummary;
using opticalflow::Signatures;

constexpr char kind[] = "glopenclflow";

struct FlowElementState {
  glcl::Guarded<FlowProperties> settings;
  FlowProperties frame_settings;  // of the current frame

  // GL thread
  int width = 0, height = 0;
  glcl::FrameFormat frame_format;
  glcl::EngineSwap<FlowMethod, FlowEstimator> engine{"The method stays unchanged."};
  std::unique_ptr<FlowRenderer> view;
  glcl::Lazy<Signatures> signatures;  // for metas
  bool listed = false;                // `signatures` has the list of the last frame
  opticalflow::FlowDump dump;
  bool fresh_gain = true;
};

}  // namespace

struct _GstGLOpenCLFlow {
  GstGLCLAnalyzer parent;
  FlowElementState *state;
};

G_DEFINE_TYPE(GstGLOpenCLFlow, gst_gl_opencl_flow, GST_TYPE_GLCL_ANALYZER)
GST_ELEMENT_REGISTER_DEFINE(glopenclflow, "glopenclflow", GST_RANK_NONE,
                            gst_gl_opencl_flow_get_type())

/// Returns the engine that matches single pixels anywhere in the frame, for the list in metas. Null
/// until it is built; frames do not wait for it.
static Signatures *gst_gl_opencl_flow_signatures(GstGLOpenCLFlow *self, glcl::Context &context,
                                                 bool wait) {
  FlowElementState *state = self->state;
  if (!state->engine.engine()->flow()) return nullptr;
  const auto make = [context = context.shared_from_this(), width = state->width,
                     height = state->height] { return Signatures(*context, width, height); };
  return glcl::optional_engine(GST_ELEMENT(self), state->signatures, make,
                               "Metas contain no list of single pixels.", wait);
}

/// Builds the engine for a method, here or in the background.
static auto gst_gl_opencl_flow_maker(GstGLOpenCLFlow *self, glcl::Context &context,
                                     const FlowProperties &settings) {
  return [context = context.shared_from_this(), width = self->state->width,
          height = self->state->height, frame = self->state->frame_format,
          settings](FlowMethod method) {
    return FlowEstimator(*context, width, height, frame, settings, method);
  };
}

/// Takes the format of the next frames and prepares downloads and overlays for it.
static glcl::Layout gst_gl_opencl_flow_take_format(GstGLOpenCLFlow *self, glcl::Context &context,
                                                   const FlowProperties &settings) {
  const glcl::Layout layout = glcl::layout_for(context.device());
  self->state->frame_format = gst_glcl_filter_frame_format(GST_GLCL_FILTER(self), layout);
  const size_t bytes =
      opticalflow::FlowDump::bytes(settings.dump_location, self->state->width, self->state->height);
  gst_glcl_analyzer_prepare(GST_GLCL_ANALYZER(self), context, std::max(bytes, sizeof(FlowSummary)));
  return layout;
}

static glcl::Layout gst_gl_opencl_flow_prepare(GstGLCLFilter *filter, glcl::Context &context,
                                               int width, int height) {
  GstGLOpenCLFlow *self = GST_GL_OPENCL_FLOW(filter);
  FlowElementState *state = self->state;
  const FlowProperties settings = state->settings.get();
  state->width = width, state->height = height;
  const glcl::Layout layout = gst_gl_opencl_flow_take_format(self, context, settings);
  state->engine.clear();
  state->engine.prepare(GST_ELEMENT(filter), gst_glcl_filter_has_begun(filter), settings.method,
                        gst_gl_opencl_flow_maker(self, context, settings));
  state->signatures = {};
  if (gst_glcl_analyzer_wants_metas(GST_GLCL_ANALYZER(filter)))
    gst_gl_opencl_flow_signatures(self, context, true);
  state->view = std::make_unique<FlowRenderer>(context, width, height, layout);
  state->dump.prepare(context, settings.dump_location, width, height);
  GST_INFO_OBJECT(filter, "frames of %d×%d px, dump-location '%s'", width, height,
                  settings.dump_location.c_str());
  return layout;
}

/// The previous frame stays, except between RGB and luma; so does the gain of the display.
static glcl::Layout gst_gl_opencl_flow_set_format(GstGLCLFilter *filter, glcl::Context &context,
                                                  int, int) {
  GstGLOpenCLFlow *self = GST_GL_OPENCL_FLOW(filter);
  FlowElementState *state = self->state;
  const glcl::Layout layout = gst_gl_opencl_flow_take_format(self, context, state->settings.get());
  state->engine.cancel();  // one that is being built for the old format
  state->engine.engine()->set_format(state->frame_format);
  return layout;
}

static void gst_gl_opencl_flow_post(GstGLCLAnalyzer *self, const glcl::FrameTimes &times,
                                    const FlowSummary &summary) {
  GstStructure *message = gst_glcl_analyzer_structure(kind, times);
  gst_structure_set(message, "mean-x", G_TYPE_DOUBLE, double(summary.mean_x), "mean-y",
                    G_TYPE_DOUBLE, double(summary.mean_y), "mean-magnitude", G_TYPE_DOUBLE,
                    double(summary.mean_magnitude), "max-magnitude", G_TYPE_DOUBLE,
                    double(summary.max_magnitude), "moving", G_TYPE_DOUBLE, double(summary.moving),
                    "direction", G_TYPE_DOUBLE, std::atan2(summary.mean_y, summary.mean_x),
                    "confidence", G_TYPE_DOUBLE, double(summary.confidence), nullptr);
  if (summary.noise >= 0)
    gst_structure_set(message, "noise", G_TYPE_DOUBLE, double(summary.noise), nullptr);
  gst_glcl_analyzer_post(self, message);
}

static void gst_gl_opencl_flow_attach(GstGLOpenCLFlow *self, glcl::Queue &queue,
                                      const FlowProperties &settings,
                                      const opticalflow::FlowField &field, bool listed,
                                      GstBuffer *outbuf) {
  FlowElementState *state = self->state;
  const int grid = settings.grid;
  Signatures *list = gst_gl_opencl_flow_signatures(self, queue.context(), false);
  const size_t sampled =
      (FlowRenderer::sample_bytes(field.width, field.height, grid) + 15) & ~size_t(15);
  const size_t bytes = sampled + (list ? Signatures::list_bytes(field.width, field.height) : 0);
  const int columns = FlowRenderer::cells(field.width, grid),
            rows = FlowRenderer::cells(field.height, grid);
  std::vector<glcl::ResultArray> arrays{
      {"vectors", "float32", {rows, columns, 2}, 0},
      {"confidence", "float32", {rows, columns}, 2 * sizeof(cl_float) * columns * rows}};
  if (list) {
    const int most = Signatures::columns(field.width) * Signatures::rows(field.height);
    arrays.push_back({"list-count", "int32", {1}, sampled});
    arrays.push_back({"list", "float32", {most, 4}, sampled + sizeof(cl_float4)});
  }
  const glcl::AttachedResult result =
      gst_glcl_analyzer_attach(GST_GLCL_ANALYZER(self), outbuf, kind, bytes, arrays);
  const auto least = static_cast<float>(settings.min_confidence);
  const cl::Buffer &memory = glcl::result_memory(result.buffer);
  state->view->sample(queue, field, least, grid, 0, memory);
  if (list) {
    const opticalflow::Flow &flow = *state->engine.engine()->flow();
    list->match(queue, flow.before(), flow.after(), listed);
    state->listed = true;
    list->list(queue, memory, sampled);
  }
  glcl::result_written(result.buffer, queue);
  gst_structure_set(result.fields, "width", G_TYPE_INT, field.width, "height", G_TYPE_INT,
                    field.height, "grid", G_TYPE_INT, grid, nullptr);
  glcl::attach_tensors(outbuf, {{"glopenclflow-vectors",
                                 glcl::result_array(result.fields, "vectors"),
                                 {gsize(rows), gsize(columns), 2}},
                                {"glopenclflow-confidence",
                                 glcl::result_array(result.fields, "confidence"),
                                 {gsize(rows), gsize(columns)}}});
}

static void gst_gl_opencl_flow_process(GstGLCLFilter *filter, glcl::Queue &queue,
                                       const glcl::Picture &in, const glcl::Picture &out,
                                       GstBuffer *inbuf, GstBuffer *outbuf) {
  GstGLOpenCLFlow *self = GST_GL_OPENCL_FLOW(filter);
  auto *analyzer = GST_GLCL_ANALYZER(filter);
  FlowElementState *state = self->state;
  const FlowProperties &settings = state->frame_settings;

  // Only a preset changes the method while playing. A new engine has no frame before it.
  state->engine.update(GST_ELEMENT(filter), settings.method,
                       gst_gl_opencl_flow_maker(self, queue.context(), settings));
  const opticalflow::FlowField *field = state->engine.engine()->run(queue, settings, in);

  const bool listed = std::exchange(state->listed, false) && field;
  const auto least = static_cast<float>(settings.min_confidence);
  if (field) {
    const glcl::FrameRequest wanted = gst_glcl_analyzer_request(analyzer, inbuf);
    const bool automatic = settings.display != FlowRenderer::Display::none;
    if (automatic || wanted.message)
      state->view->summarize(queue, *field, least, static_cast<float>(settings.gain),
                             std::exchange(state->fresh_gain, false));
    if (wanted.message)
      gst_glcl_analyzer_read(analyzer, queue, state->view->summary(), sizeof(FlowSummary),
                             [analyzer, times = wanted.times](const void *bytes) {
                               gst_gl_opencl_flow_post(analyzer, times,
                                                       *static_cast<const FlowSummary *>(bytes));
                             });
    if (wanted.meta) gst_gl_opencl_flow_attach(self, queue, settings, *field, listed, outbuf);
    if (state->dump)
      state->dump.add(analyzer, queue, *state->view, *field, settings.min_confidence);
  }
  // Without a flow field the colours are black, and nothing else is drawn.
  const bool drawn = settings.display == FlowRenderer::Display::color ||
                     (field && settings.display != FlowRenderer::Display::none);
  gst_glcl_analyzer_draw(
      analyzer, queue, in, out, outbuf,
      drawn ? std::optional(glcl::Rect{0, 0, in.width, in.height}) : std::nullopt,
      [&](const glcl::drawing::Canvas &canvas) {
        state->view->draw(queue, settings, field, least, canvas);
      });
}

static bool gst_gl_opencl_flow_passes_on(GstGLCLFilter *filter) {
  return GST_GL_OPENCL_FLOW(filter)->state->frame_settings.display == FlowRenderer::Display::none ||
         gst_glcl_analyzer_attaches_overlay(GST_GLCL_ANALYZER(filter));
}

static void gst_gl_opencl_flow_reset(GstGLCLFilter *filter) {
  FlowElementState *state = GST_GL_OPENCL_FLOW(filter)->state;
  GST_DEBUG_OBJECT(filter, "the stream has a gap before the next frame");
  if (FlowEstimator *engine = state->engine.engine()) engine->reset();
  state->fresh_gain = true;
}

static void gst_gl_opencl_flow_unprepare(GstGLCLFilter *filter) {
  FlowElementState *state = GST_GL_OPENCL_FLOW(filter)->state;
  state->view.reset();
  state->signatures = {};
  state->engine.clear();
  state->dump.unprepare();
}

static gboolean gst_gl_opencl_flow_start(GstBaseTransform *trans) {
  FlowElementState *state = GST_GL_OPENCL_FLOW(trans)->state;
  if (!gst_glcl_filter_guard(GST_GLCL_FILTER(trans),
                             [&] { state->dump.start(state->settings.get().dump_location); }))
    return FALSE;
  return GST_BASE_TRANSFORM_CLASS(gst_gl_opencl_flow_parent_class)->start(trans);
}

static void gst_gl_opencl_flow_init(GstGLOpenCLFlow *self) { self->state = new FlowElementState; }

static void gst_gl_opencl_flow_class_init(GstGLOpenCLFlowClass *klass) {
  GST_DEBUG_CATEGORY_INIT(gl_opencl_flow_debug, "glopenclflow", 0, "OpenCL optical flow");
  glcl::init_element_class<GstGLOpenCLFlow>(
      klass,
      {"OpenCL optical flow", "Filter/Analyzer/Video",
       "Computes and displays the motion of every pixel of video in OpenGL textures with OpenCL",
       DOCS_PAGE("glopenclflow")});
  auto properties = glcl::install_properties<GstGLOpenCLFlow>(klass);
  opticalflow::add_properties(properties);

  GST_BASE_TRANSFORM_CLASS(klass)->start = GST_DEBUG_FUNCPTR(gst_gl_opencl_flow_start);
  auto *filter_class = GST_GLCL_FILTER_CLASS(klass);
  filter_class->prepare = gst_gl_opencl_flow_prepare;
  filter_class->set_format = gst_gl_opencl_flow_set_format;
  filter_class->process = gst_gl_opencl_flow_process;
  filter_class->passes_on = gst_gl_opencl_flow_passes_on;
  filter_class->reset = gst_gl_opencl_flow_reset;
  filter_class->unprepare = gst_gl_opencl_flow_unprepare;
  filter_class->takes_planes = true;
  filter_class->reads_luma = [](GstGLCLFilter *) { return true; };
  filter_class->gaps_break = true;
}
