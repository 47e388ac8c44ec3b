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

#include <atomic>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/compat.h"
#include "base/glclelement.h"
#include "base/glclengineswap.h"
#include "base/glclerrorreporter.h"
#include "base/glcloverlay.h"
#include "base/glclresult.h"
#include "config.h"
#include "opencl/error.h"
#include "opencl/lazy.h"
#include "opticalflow/dump.h"
#include "opticalflow/flow.h"
#include "opticalflow/lucaskanade.h"
#include "opticalflow/preset.h"
#include "opticalflow/renderer.h"
#include "opticalflow/signatures.h"

GST_DEBUG_CATEGORY_STATIC(gl_opencl_flow_debug);
#define GST_CAT_DEFAULT gl_opencl_flow_debug

namespace {

namespace opticalflow = glcl::opticalflow;
using glcl::opticalflow::Signatures;
using opticalflow::Flow;
using opticalflow::FlowRenderer;
using opticalflow::LucasKanade;
using opticalflow::Preset;

enum class FlowMethod { lucas_kanade, pyramidal, census };

GType method_type() {
  return glcl::enum_type<FlowMethod>(
      "GstGLOpenCLFlowMethod",
      {{FlowMethod::lucas_kanade,
        "Lucas and Kanade (1981) on a single scale, for motion below about 1 px", "lucas-kanade"},
       {FlowMethod::pyramidal, "Coarse to fine on grey values", "pyramidal"},
       {FlowMethod::census, "Coarse to fine on the census transform, robust to changing light",
        "census"}});
}

GType preset_type() {
  return glcl::enum_type<Preset>(
      "GstGLOpenCLFlowPreset",
      {{Preset::fast, "method=pyramidal, warps=2, refinement=0", "fast"},
       {Preset::balanced, "method=census, warps=3, refinement=0", "balanced"},
       {Preset::accurate, "method=census, warps=3, refinement=2", "accurate"}});
}

GType display_type() {
  using Display = FlowRenderer::Display;
  return glcl::enum_type<Display>(
      "GstGLOpenCLFlowDisplay",
      {{Display::none, "Unchanged input", "none"},
       {Display::color, "Direction as hue, speed as brightness; static pixels are black", "color"},
       {Display::overlay, "Input, coloured where it moves", "overlay"},
       {Display::arrows, "Input with arrows", "arrows"}});
}

GType median_type() {
  return glcl::enum_type<int>("GstGLOpenCLFlowMedian",
                              {{0, "None", "0"},
                               {3, "Median of 3 × 3 vectors", "3"},
                               {5, "Median of 9 out of 5 × 5 vectors", "5"}});
}

constexpr char kind[] = "glopenclflow";

struct FlowProperties : Flow::Settings, FlowRenderer::FlowStyle {
  Preset preset = Preset::fast;
  FlowMethod method = FlowMethod::pyramidal;
  // set in addition to the preset
  bool own_method = false, own_warps = false, own_refinement = false;

  void follow_preset() {
    const auto values = opticalflow::preset_values(preset);
    if (!own_method)
      method =
          values.channels == Flow::Channels::census ? FlowMethod::census : FlowMethod::pyramidal;
    if (!own_warps) warps = values.warps;
    if (!own_refinement) refinement = values.refinement;
  }

  int grid = 1;
  double min_confidence = 0;
  double gain = 0;
  std::string dump_location;
};

LucasKanade::Settings lucas_kanade_settings(const FlowProperties &settings) {
  return {settings.window, settings.alpha};
}

/// The engine of a method: one of the two.
struct FlowEngine {
  std::unique_ptr<Flow> flow;
  std::unique_ptr<LucasKanade> lucas_kanade;

  FlowEngine(glcl::Context &context, int width, int height, const FlowProperties &settings,
             FlowMethod method) {
    const glcl::Layout layout = glcl::layout_for(context.device());
    if (method == FlowMethod::lucas_kanade) {
      lucas_kanade = std::make_unique<LucasKanade>(context, width, height, layout);
      lucas_kanade->prepare(lucas_kanade_settings(settings));
    } else {
      flow = std::make_unique<Flow>(
          context, width, height, layout,
          method == FlowMethod::census ? Flow::Channels::census : Flow::Channels::grey);
      flow->prepare(settings);
    }
  }

  /// The flow to a frame, or null.
  const opticalflow::FlowField *run(glcl::Queue &queue, const FlowProperties &settings,
                                    const glcl::Picture &in) const {
    if (lucas_kanade)
      return lucas_kanade->run(queue, lucas_kanade_settings(settings), in) ? &lucas_kanade->field()
                                                                           : nullptr;
    return flow->run(queue, settings, in) ? &flow->field() : nullptr;
  }

  void reset() const {
    if (flow) flow->reset();
    if (lucas_kanade) lucas_kanade->reset();
  }
};

struct FlowElementState {
  glcl::Guarded<FlowProperties> settings;
  FlowProperties frame_settings;  // for the frame that is under way

  // GL thread
  int width = 0, height = 0;
  glcl::EngineSwap<FlowMethod, FlowEngine> engine{"The method stays unchanged."};
  std::unique_ptr<FlowRenderer> view;
  glcl::Lazy<Signatures> signatures;  // for metas
  bool listed = false;                // they have those of the last frame
  cl::Buffer dump;
  bool fresh_gain = true;
  guint64 dumped = 0;
  std::atomic<bool> dump_failed{false};  // and it was reported, since the start
};

}  // namespace

struct _GstGLOpenCLFlow {
  GstGLCLAnalyzer parent;
  FlowElementState *state;
};

G_DEFINE_TYPE(GstGLOpenCLFlow, gst_gl_opencl_flow, GST_TYPE_GLCL_ANALYZER)
GST_ELEMENT_REGISTER_DEFINE(glopenclflow, "glopenclflow", GST_RANK_NONE,
                            gst_gl_opencl_flow_get_type())

/// Finds single pixels again anywhere in the frame, for the list in metas; null until it is built.
/// The stream goes on without it.
static Signatures *gst_gl_opencl_flow_signatures(GstGLOpenCLFlow *self, glcl::Context &context,
                                                 bool wait) {
  FlowElementState *state = self->state;
  if (!state->engine.engine()->flow) return nullptr;
  const auto make = [context = context.shared_from_this(), width = state->width,
                     height = state->height] { return Signatures(*context, width, height); };
  return glcl::optional_engine(GST_ELEMENT(self), state->signatures, make,
                               "Metas contain no list of single pixels.", wait);
}

/// Builds the engine for a method, here or in the background.
static auto gst_gl_opencl_flow_maker(GstGLOpenCLFlow *self, glcl::Context &context,
                                     const FlowProperties &settings) {
  return [context = context.shared_from_this(), width = self->state->width,
          height = self->state->height, settings](FlowMethod method) {
    return FlowEngine(*context, width, height, settings, method);
  };
}

static glcl::Layout gst_gl_opencl_flow_prepare(GstGLCLFilter *filter, glcl::Context &context,
                                               int width, int height) {
  GstGLOpenCLFlow *self = GST_GL_OPENCL_FLOW(filter);
  FlowElementState *state = self->state;
  const FlowProperties settings = state->settings.get();
  const glcl::Layout layout = glcl::layout_for(context.device());
  state->width = width, state->height = height;
  state->engine.clear();
  state->engine.prepare(GST_ELEMENT(filter), gst_glcl_filter_has_begun(filter), settings.method,
                        gst_gl_opencl_flow_maker(self, context, settings));
  state->signatures = {};
  if (gst_glcl_analyzer_wants_metas(GST_GLCL_ANALYZER(filter)))
    gst_gl_opencl_flow_signatures(self, context, true);
  state->view = std::make_unique<FlowRenderer>(context, width, height, layout);
  const size_t dump_bytes =
      settings.dump_location.empty() ? 0 : FlowRenderer::sample_bytes(width, height, 1);
  if (dump_bytes) state->dump = cl::Buffer(context.cl(), CL_MEM_READ_WRITE, dump_bytes);
  gst_glcl_analyzer_prepare(GST_GLCL_ANALYZER(filter), context,
                            std::max(dump_bytes, sizeof(FlowRenderer::FlowSummary)));
  GST_INFO_OBJECT(filter, "frames of %d×%d px%s%s", width, height,
                  dump_bytes ? ", vectors to " : "", settings.dump_location.c_str());
  return layout;
}

static void gst_gl_opencl_flow_post(GstGLCLAnalyzer *self, const glcl::FrameTimes &times,
                                    const FlowRenderer::FlowSummary &summary) {
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
    const Flow &flow = *state->engine.engine()->flow;
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

/// The stream goes on without the file.
static void gst_gl_opencl_flow_write(GstGLOpenCLFlow *self, const std::string &path, int width,
                                     int height, const void *vectors) {
  try {
    opticalflow::write_flo(path, width, height, vectors);
  } catch (const glcl::Error &error) {
    GST_INFO_OBJECT(self, "%s", error.what());
    if (!self->state->dump_failed.exchange(true))
      glcl::warn(GST_ELEMENT(self), GST_RESOURCE_ERROR_WRITE, error.what(),
                 "failures of later files are not reported");
  }
}

static void gst_gl_opencl_flow_dump(GstGLOpenCLFlow *self, glcl::Queue &queue,
                                    const FlowProperties &settings,
                                    const opticalflow::FlowField &field) {
  FlowElementState *state = self->state;
  state->view->sample(queue, field, static_cast<float>(settings.min_confidence), 1, 1e10f,
                      state->dump);
  const std::string path = opticalflow::dump_path(settings.dump_location, state->dumped++);
  const int width = field.width, height = field.height;
  gst_glcl_analyzer_read(
      GST_GLCL_ANALYZER(self), queue, state->dump, size_t(width) * height * sizeof(cl_float2),
      [=](const void *bytes) { gst_gl_opencl_flow_write(self, path, width, height, bytes); });
}

static void gst_gl_opencl_flow_process(GstGLCLFilter *filter, glcl::Queue &queue,
                                       const glcl::Picture &in, const glcl::Picture &out,
                                       GstBuffer *inbuf, GstBuffer *outbuf) {
  GstGLOpenCLFlow *self = GST_GL_OPENCL_FLOW(filter);
  auto *analyzer = GST_GLCL_ANALYZER(filter);
  FlowElementState *state = self->state;
  const FlowProperties &settings = state->frame_settings;

  // Only a preset changes the method while playing. A new engine has no frame before it.
  state->engine.follow(GST_ELEMENT(filter), settings.method,
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
      gst_glcl_analyzer_read(
          analyzer, queue, state->view->summary(), sizeof(FlowRenderer::FlowSummary),
          [analyzer, times = wanted.times](const void *bytes) {
            gst_gl_opencl_flow_post(analyzer, times,
                                    *static_cast<const FlowRenderer::FlowSummary *>(bytes));
          });
    if (wanted.meta) gst_gl_opencl_flow_attach(self, queue, settings, *field, listed, outbuf);
    if (!settings.dump_location.empty() && state->dump())
      gst_gl_opencl_flow_dump(self, queue, settings, *field);
  }
  // Without a field the colours are black, and nothing else is drawn.
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
  if (const FlowEngine *engine = state->engine.engine()) engine->reset();
  state->fresh_gain = true;
}

static void gst_gl_opencl_flow_unprepare(GstGLCLFilter *filter) {
  FlowElementState *state = GST_GL_OPENCL_FLOW(filter)->state;
  state->view.reset();
  state->signatures = {};
  state->engine.clear();
  state->dump = cl::Buffer();
}

static gboolean gst_gl_opencl_flow_start(GstBaseTransform *trans) {
  FlowElementState *state = GST_GL_OPENCL_FLOW(trans)->state;
  const std::string pattern = state->settings.get().dump_location;
  if (!pattern.empty() && !gst_glcl_filter_guard(GST_GLCL_FILTER(trans),
                                                 [&] { opticalflow::check_dump_pattern(pattern); }))
    return FALSE;
  state->dump_failed = false;
  return GST_BASE_TRANSFORM_CLASS(gst_gl_opencl_flow_parent_class)->start(trans);
}

static void gst_gl_opencl_flow_init(GstGLOpenCLFlow *self) { self->state = new FlowElementState; }

static void gst_gl_opencl_flow_add_solver_properties(glcl::Properties<FlowProperties> &properties) {
  const FlowProperties defaults;
  properties
      .other(
          g_param_spec_enum("preset", "Preset",
                            "Trade-off of speed and accuracy: sets method, warps and refinement, "
                            "except those that are set explicitly",
                            preset_type(), static_cast<gint>(defaults.preset), glcl::while_playing),
          [](FlowProperties &settings, const GValue *value) {
            settings.preset = static_cast<Preset>(g_value_get_enum(value));
            settings.follow_preset();
          },
          [](const FlowProperties &settings, GValue *value) {
            g_value_set_enum(value, static_cast<gint>(settings.preset));
          })
      .other(
          g_param_spec_enum("method", "Method", "How the flow is computed", method_type(),
                            static_cast<gint>(defaults.method), glcl::before_paused),
          [](FlowProperties &settings, const GValue *value) {
            settings.method = static_cast<FlowMethod>(g_value_get_enum(value));
            settings.own_method = true;
          },
          [](const FlowProperties &settings, GValue *value) {
            g_value_set_enum(value, static_cast<gint>(settings.method));
          })
      .number("levels", "Levels",
              "Number of pyramid levels; 0 halves the frame until its shorter side is about 16 px",
              &FlowProperties::levels, 0, 16)
      .other(
          g_param_spec_int("warps", "Warps",
                           "Solver iterations per pyramid level; the finest level gets one more", 1,
                           20, defaults.warps, glcl::controllable),
          [](FlowProperties &settings, const GValue *value) {
            settings.warps = g_value_get_int(value);
            settings.own_warps = true;
          },
          [](const FlowProperties &settings, GValue *value) {
            g_value_set_int(value, settings.warps);
          })
      .other(
          g_param_spec_int("refinement", "Refinement",
                           "Iterations of the edge-aware variational refinement on each of the "
                           "three finest levels; only for method=census",
                           0, 10, defaults.refinement, glcl::controllable),
          [](FlowProperties &settings, const GValue *value) {
            settings.refinement = g_value_get_int(value);
            settings.own_refinement = true;
          },
          [](const FlowProperties &settings, GValue *value) {
            g_value_set_int(value, settings.refinement);
          })
      .other(
          g_param_spec_int("window", "Window",
                           "Side of the window around a pixel in which motion counts as constant, "
                           "in px. Even values become the next odd one",
                           3, 63, defaults.window, glcl::controllable),
          [](FlowProperties &settings, const GValue *value) {
            settings.window = g_value_get_int(value) | 1;
          },
          [](const FlowProperties &settings, GValue *value) {
            g_value_set_int(value, settings.window);
          })
      .number("alpha", "Alpha",
              "Regularisation: added to the diagonal of the structure tensor, in squared grey "
              "levels (0 to 255). Higher values keep vectors in areas of little texture short "
              "(lucas-kanade) or close to their neighbours (other methods)",
              &FlowProperties::alpha, 1e-6, 1e6)
      .choice("median", "Median", "Side of the median filter between warps",
              &FlowProperties::median, median_type())
      .number(
          "noise", "Noise",
          "Standard deviation of the image noise, in grey levels (0 to 255). Motion that noise "
          "alone explains counts as zero. -1 measures the noise. Not used by method=lucas-kanade",
          &FlowProperties::noise, -1, 64);
}

static void gst_gl_opencl_flow_add_result_properties(glcl::Properties<FlowProperties> &properties) {
  properties
      .number("grid", "Grid", "Spacing of the vectors in the meta, in px", &FlowProperties::grid, 1,
              16)
      .number("min-confidence", "Minimum confidence",
              "Minimum confidence of a vector, 0 to 1; vectors below it count as zero",
              &FlowProperties::min_confidence, 0, 1)
      .flag("check-backward", "Check backward",
            "Also compute the backward flow; where both differ by more than 1 px the confidence "
            "becomes 0. Not used by method=lucas-kanade",
            &FlowProperties::check)
      .choice("display", "Display", "What the output shows", &FlowProperties::display,
              display_type())
      .number("gain", "Gain",
              "Speed shown at full brightness, in px per frame; 0 adapts slowly to the scene",
              &FlowProperties::gain, 0, 1000)
      .flag("legend", "Legend", "Draw a legend of the colours and their scale in a corner",
            &FlowProperties::legend)
      .number("arrow-spacing", "Arrow spacing",
              "Distance between arrows, in px, at least 4; 0 is 1/24 of the shorter side of the "
              "frame, 12 to 96",
              &FlowProperties::spacing, 0, 256)
      .color(
          "color", "Color",
          "Colour of arrows (0xAARRGGBB); with alpha 0 each arrow gets the colour of its direction",
          &FlowProperties::color)
      .color("outline-color", "Outline color", "Colour of the outline around arrows (0xAARRGGBB)",
             &FlowProperties::outline_color)
      .text("dump-location", "Dump location",
            "Pattern of the .flo files that receive the vectors of every frame, for example "
            "flow-%05d.flo. Vectors below min-confidence are marked unknown",
            &FlowProperties::dump_location, glcl::before_paused);
}

static void gst_gl_opencl_flow_class_init(GstGLOpenCLFlowClass *klass) {
  GST_DEBUG_CATEGORY_INIT(gl_opencl_flow_debug, "glopenclflow", 0, "OpenCL optical flow");
  glcl::init_element_class<GstGLOpenCLFlow>(
      klass,
      {"OpenCL optical flow", "Filter/Analyzer/Video",
       "Computes and displays the motion of every pixel of video in OpenGL textures with OpenCL",
       DOCS_PAGE("glopenclflow")});
  auto properties = glcl::install_properties<GstGLOpenCLFlow>(klass);
  gst_gl_opencl_flow_add_solver_properties(properties);
  gst_gl_opencl_flow_add_result_properties(properties);

  GST_BASE_TRANSFORM_CLASS(klass)->start = GST_DEBUG_FUNCPTR(gst_gl_opencl_flow_start);
  auto *filter_class = GST_GLCL_FILTER_CLASS(klass);
  filter_class->prepare = gst_gl_opencl_flow_prepare;
  filter_class->process = gst_gl_opencl_flow_process;
  filter_class->passes_on = gst_gl_opencl_flow_passes_on;
  filter_class->reset = gst_gl_opencl_flow_reset;
  filter_class->unprepare = gst_gl_opencl_flow_unprepare;
  filter_class->gaps_break = true;
}
