// SPDX-License-Identifier: LGPL-2.1-or-later
/**
 * SECTION:element-glopenclflow
 * @title: glopenclflow
 *
 * Dense optical flow: where every pixel of the previous frame went, computed by OpenCL on OpenGL
 * textures. Vectors are in pixels per frame, +x right, +y down.
 *
 * The flow is drawn (`display`), summed up in messages on the bus, attached to frames as a
 * #GstGLCLFlowMeta (`attach-meta`) and written to .flo files (`dump-location`). A frame that does
 * not follow the one before it, because it is the first, after a seek or after a gap of more than
 * four frames, has no vectors: none of these, and nothing is drawn.
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
 * Arrows over the video, robust to changing light.
 * |[
 * gst-launch-1.0 -m filesrc location=in.mp4 ! decodebin ! glupload ! glcolorconvert ! glopenclflow
 * display=none ! fakesink
 * ]|
 * The messages alone.
 *
 * Since: 0.1
 */
#include "gstglopenclflow.h"

#include <atomic>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "flow.h"
#include "gstglclflowmeta.h"
#include "lucaskanade.h"
#include "opencl/error.h"
#include "view.h"

namespace {

enum {
  PROP_0,
  PROP_METHOD,
  PROP_LEVELS,
  PROP_WARPS,
  PROP_WINDOW,
  PROP_ALPHA,
  PROP_MEDIAN,
  PROP_GRID,
  PROP_MIN_CONFIDENCE,
  PROP_CHECK,
  PROP_DISPLAY,
  PROP_GAIN,
  PROP_LEGEND,
  PROP_DUMP_LOCATION
};

using glcl::FlowView;

enum Method { method_lucas_kanade, method_pyramidal, method_census };

constexpr GstClockTime gap_frames = 4;

GType method_type() {
  static const GEnumValue values[] = {
      {method_lucas_kanade,
       "Lucas and Kanade's method of 1981 on one scale, for motion below about a pixel",
       "lucas-kanade"},
      {method_pyramidal, "Coarse to fine, in grey", "pyramidal"},
      {method_census, "Coarse to fine, by comparisons of neighbours, robust to changing light",
       "census"},
      {0, nullptr, nullptr}};
  static const GType type = g_enum_register_static("GstGLOpenCLFlowMethod", values);
  return type;
}

GType display_type() {
  using Display = FlowView::Display;
  static const GEnumValue values[] = {
      {static_cast<int>(Display::none), "The video as it came", "none"},
      {static_cast<int>(Display::color), "Direction as hue, speed as brightness, still is black",
       "color"},
      {static_cast<int>(Display::overlay), "The video, coloured where it moves", "overlay"},
      {static_cast<int>(Display::arrows), "The video with arrows", "arrows"},
      {0, nullptr, nullptr}};
  static const GType type = g_enum_register_static("GstGLOpenCLFlowDisplay", values);
  return type;
}

GType median_type() {
  static const GEnumValue values[] = {{0, "None", "0"},
                                      {3, "Over 3 x 3 vectors", "3"},
                                      {5, "Over 9 of 5 x 5 vectors", "5"},
                                      {0, nullptr, nullptr}};
  static const GType type = g_enum_register_static("GstGLOpenCLFlowMedian", values);
  return type;
}

const GstMetaInfo *flow_meta_info() {
  static const gchar *tags[] = {nullptr};
  static const GstMetaInfo *info = glcl::register_result_meta<GstGLCLFlowMeta>(
      gst_meta_api_type_register(GST_GLCL_FLOW_META_API_NAME, tags), "GstGLCLFlowMeta");
  return info;
}

struct Settings {
  int method = method_pyramidal;
  glcl::Flow::Settings flow;
  int grid = 1;
  double min_confidence = 0;
  FlowView::Display display = FlowView::Display::color;
  double gain = 0;
  bool legend = false;
  std::string dump_location;
};

struct State {
  std::mutex mutex;
  Settings settings;

  // GL thread
  int width = 0, height = 0;
  std::unique_ptr<glcl::Flow> flow;
  std::unique_ptr<glcl::LucasKanade> lucas_kanade;
  std::unique_ptr<FlowView> view;
  std::unique_ptr<glcl::ResultPool> pool;
  size_t pool_bytes = 0;
  cl::Buffer dump;
  bool fresh_gain = true;
  guint64 dumped = 0;

  GstClockTime last = GST_CLOCK_TIME_NONE;  // streaming thread
  std::atomic<bool> gap{false};
};

/// A .flo file: Middlebury's, all little endian. Throws.
void write_flo(const std::string &path, int width, int height, const void *vectors) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE *)> file(std::fopen(path.c_str(), "wb"),
                                                              std::fclose);
  const gint32 size[] = {GINT32_TO_LE(width), GINT32_TO_LE(height)};
  const size_t pixels = size_t(width) * height;
  if (!file || std::fwrite("PIEH", 1, 4, file.get()) != 4 ||
      std::fwrite(size, 4, 2, file.get()) != 2 ||
      std::fwrite(vectors, 8, pixels, file.get()) != pixels || std::fflush(file.get()) != 0)
    throw glcl::Error(glcl::Error::Kind::failed,
                      "dump-location: the vectors can't be written to " + path + ".",
                      g_strerror(errno));
}

/// Whether a printf pattern has one number in it and nothing else to fill in.
bool is_pattern(const char *text) {
  return g_regex_match_simple("^([^%]|%%)*%0?[0-9]*d([^%]|%%)*$", text, G_REGEX_DEFAULT,
                              G_REGEX_MATCH_DEFAULT);
}

}  // namespace

struct _GstGLOpenCLFlow {
  GstGLCLAnalyzer parent;
  State *state;
};

G_DEFINE_TYPE(GstGLOpenCLFlow, gst_gl_opencl_flow, GST_TYPE_GLCL_ANALYZER)
GST_ELEMENT_REGISTER_DEFINE(glopenclflow, "glopenclflow", GST_RANK_NONE,
                            gst_gl_opencl_flow_get_type())

static glcl::Layout gst_gl_opencl_flow_prepare(GstGLCLFilter *filter, glcl::Context &context,
                                               int width, int height) {
  State *state = GST_GL_OPENCL_FLOW(filter)->state;
  std::unique_lock lock(state->mutex);
  const Settings settings = state->settings;
  lock.unlock();
  const glcl::Device &device = context.device();
  const glcl::Layout layout = device.prefers_buffers() ? glcl::Layout::buffer : glcl::Layout::image;
  state->flow.reset();
  state->lucas_kanade.reset();
  if (settings.method == method_lucas_kanade)
    state->lucas_kanade = std::make_unique<glcl::LucasKanade>(context, width, height, layout);
  else
    state->flow =
        std::make_unique<glcl::Flow>(context, width, height, layout,
                                     settings.method == method_census ? glcl::Flow::Channels::census
                                                                      : glcl::Flow::Channels::grey);
  state->view = std::make_unique<FlowView>(context, width, height, layout);
  state->pool.reset();
  state->width = width, state->height = height;
  const size_t dump_bytes =
      settings.dump_location.empty() ? 0 : FlowView::sample_bytes(width, height, 1);
  if (dump_bytes) state->dump = cl::Buffer(context.cl(), CL_MEM_READ_WRITE, dump_bytes);
  gst_glcl_analyzer_prepare(GST_GLCL_ANALYZER(filter), context,
                            std::max(dump_bytes, sizeof(FlowView::Summary)));
  return layout;
}

/// Sees every frame that arrives, also those that are dropped because the device is slow: they
/// leave no gap.
static GstPadProbeReturn gst_gl_opencl_flow_arrived(GstPad *, GstPadProbeInfo *info,
                                                    gpointer user_data) {
  auto *state = static_cast<State *>(user_data);
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER(info);
  const GstClockTime time = GST_BUFFER_PTS(buffer), duration = GST_BUFFER_DURATION(buffer);
  const GstClockTime last = std::exchange(state->last, time);
  if (GST_CLOCK_TIME_IS_VALID(last) && GST_CLOCK_TIME_IS_VALID(time) &&
      (time < last || (GST_CLOCK_TIME_IS_VALID(duration) && time - last > gap_frames * duration)))
    state->gap = true;
  return GST_PAD_PROBE_OK;
}

static void gst_gl_opencl_flow_post(GstGLCLAnalyzer *self, const glcl::FrameTimes &times,
                                    const FlowView::Summary &summary) {
  GstStructure *message = gst_glcl_analyzer_structure("glopenclflow", times);
  gst_structure_set(message, "mean-x", G_TYPE_DOUBLE, double(summary.mean_x), "mean-y",
                    G_TYPE_DOUBLE, double(summary.mean_y), "mean-magnitude", G_TYPE_DOUBLE,
                    double(summary.mean_magnitude), "max-magnitude", G_TYPE_DOUBLE,
                    double(summary.max_magnitude), "moving", G_TYPE_DOUBLE, double(summary.moving),
                    "direction", G_TYPE_DOUBLE, std::atan2(summary.mean_y, summary.mean_x),
                    "confidence", G_TYPE_DOUBLE, double(summary.confidence), nullptr);
  gst_glcl_analyzer_post(self, message);
}

static void gst_gl_opencl_flow_attach(GstGLOpenCLFlow *self, glcl::Queue &queue,
                                      const Settings &settings, const glcl::FlowField &field,
                                      GstBuffer *outbuf) {
  State *state = self->state;
  const int grid = settings.grid;
  const bool list = settings.method == method_census;
  const size_t sampled =
      (FlowView::sample_bytes(field.width, field.height, grid) + 15) & ~size_t(15);
  const size_t bytes = sampled + (list ? FlowView::list_bytes(field.width, field.height) : 0);
  if (!state->pool || state->pool_bytes != bytes) {
    state->pool = gst_glcl_analyzer_pool(GST_GLCL_ANALYZER(self), bytes);
    state->pool_bytes = bytes;
  }
  const auto least = static_cast<float>(settings.min_confidence);
  GstBuffer *result = state->pool->acquire();
  const cl::Buffer &memory = glcl::result_memory(result);
  state->view->sample(queue, field, least, grid, 0, memory);
  if (list) state->view->list(queue, field, std::max(least, 0.5f), memory, sampled);
  glcl::result_written(result, queue);
  auto *meta =
      reinterpret_cast<GstGLCLFlowMeta *>(gst_buffer_add_meta(outbuf, flow_meta_info(), nullptr));
  meta->buffer = result;
  meta->columns = FlowView::cells(field.width, grid);
  meta->rows = FlowView::cells(field.height, grid);
  meta->grid = grid;
  meta->width = field.width;
  meta->height = field.height;
  meta->confidence_offset = gsize(2) * meta->columns * meta->rows * sizeof(gfloat);
  meta->list_offset = list ? sampled : 0;
}

static void gst_gl_opencl_flow_dump(GstGLOpenCLFlow *self, glcl::Queue &queue,
                                    const Settings &settings, const glcl::FlowField &field) {
  State *state = self->state;
  state->view->sample(queue, field, static_cast<float>(settings.min_confidence), 1, 1e10f,
                      state->dump);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
  gchar *name = g_strdup_printf(settings.dump_location.c_str(), int(state->dumped++));
#pragma GCC diagnostic pop
  const std::string path = name;
  g_free(name);
  const int width = field.width, height = field.height;
  gst_glcl_analyzer_read(GST_GLCL_ANALYZER(self), queue, state->dump,
                         size_t(width) * height * sizeof(cl_float2),
                         [=](const void *bytes) { write_flo(path, width, height, bytes); });
}

static void gst_gl_opencl_flow_process(GstGLCLFilter *filter, glcl::Queue &queue,
                                       const glcl::Picture &in, const glcl::Picture &out,
                                       GstBuffer *inbuf, GstBuffer *outbuf) {
  GstGLOpenCLFlow *self = GST_GL_OPENCL_FLOW(filter);
  auto *analyzer = GST_GLCL_ANALYZER(filter);
  State *state = self->state;
  std::unique_lock lock(state->mutex);
  const Settings settings = state->settings;
  lock.unlock();

  if (state->gap.exchange(false)) GST_GLCL_FILTER_GET_CLASS(filter)->reset(filter);
  const glcl::FlowField *field = nullptr;
  if (state->lucas_kanade) {
    if (state->lucas_kanade->run(queue, {settings.flow.window, settings.flow.alpha, false}, in))
      field = &state->lucas_kanade->field();
  } else if (state->flow->run(queue, settings.flow, in)) {
    field = &state->flow->field();
  }

  const auto least = static_cast<float>(settings.min_confidence);
  if (field) {
    const glcl::Wanted wanted = gst_glcl_analyzer_wanted(analyzer, inbuf);
    const bool automatic = settings.display != FlowView::Display::none;
    if (automatic || wanted.message)
      state->view->summarize(queue, *field, least, static_cast<float>(settings.gain),
                             std::exchange(state->fresh_gain, false));
    if (wanted.message)
      gst_glcl_analyzer_read(analyzer, queue, state->view->summary(), sizeof(FlowView::Summary),
                             [analyzer, times = wanted.times](const void *bytes) {
                               gst_gl_opencl_flow_post(
                                   analyzer, times, *static_cast<const FlowView::Summary *>(bytes));
                             });
    if (wanted.meta) gst_gl_opencl_flow_attach(self, queue, settings, *field, outbuf);
    if (!settings.dump_location.empty() && state->dump())
      gst_gl_opencl_flow_dump(self, queue, settings, *field);
  }
  state->view->draw(queue, settings.display, settings.legend, field, least, in, out);
}

static void gst_gl_opencl_flow_reset(GstGLCLFilter *filter) {
  State *state = GST_GL_OPENCL_FLOW(filter)->state;
  if (state->flow) state->flow->reset();
  if (state->lucas_kanade) state->lucas_kanade->reset();
  state->fresh_gain = true;
}

static void gst_gl_opencl_flow_unprepare(GstGLCLFilter *filter) {
  State *state = GST_GL_OPENCL_FLOW(filter)->state;
  state->pool.reset();
  state->view.reset();
  state->lucas_kanade.reset();
  state->flow.reset();
  state->dump = cl::Buffer();
}

static void gst_gl_opencl_flow_set_property(GObject *object, guint id, const GValue *value,
                                            GParamSpec *pspec) {
  State *state = GST_GL_OPENCL_FLOW(object)->state;
  const std::lock_guard lock(state->mutex);
  Settings &settings = state->settings;
  switch (id) {
    case PROP_METHOD:
      settings.method = g_value_get_enum(value);
      break;
    case PROP_LEVELS:
      settings.flow.levels = g_value_get_int(value);
      break;
    case PROP_WARPS:
      settings.flow.warps = g_value_get_int(value);
      break;
    case PROP_WINDOW:
      settings.flow.window = g_value_get_int(value) | 1;
      break;
    case PROP_ALPHA:
      settings.flow.alpha = g_value_get_double(value);
      break;
    case PROP_MEDIAN:
      settings.flow.median = g_value_get_enum(value);
      break;
    case PROP_GRID:
      settings.grid = g_value_get_int(value);
      break;
    case PROP_MIN_CONFIDENCE:
      settings.min_confidence = g_value_get_double(value);
      break;
    case PROP_CHECK:
      settings.flow.check = g_value_get_boolean(value);
      break;
    case PROP_DISPLAY:
      settings.display = static_cast<FlowView::Display>(g_value_get_enum(value));
      break;
    case PROP_GAIN:
      settings.gain = g_value_get_double(value);
      break;
    case PROP_LEGEND:
      settings.legend = g_value_get_boolean(value);
      break;
    case PROP_DUMP_LOCATION: {
      const gchar *text = g_value_get_string(value);
      if (text && *text && !is_pattern(text))
        g_warning(
            "dump-location=%s is ignored: it needs one number to fill in, as in flow-%%05d.flo",
            text);
      else
        settings.dump_location = text ? text : "";
      break;
    }
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, pspec);
  }
}

static void gst_gl_opencl_flow_get_property(GObject *object, guint id, GValue *value,
                                            GParamSpec *pspec) {
  State *state = GST_GL_OPENCL_FLOW(object)->state;
  const std::lock_guard lock(state->mutex);
  const Settings &settings = state->settings;
  switch (id) {
    case PROP_METHOD:
      g_value_set_enum(value, settings.method);
      break;
    case PROP_LEVELS:
      g_value_set_int(value, settings.flow.levels);
      break;
    case PROP_WARPS:
      g_value_set_int(value, settings.flow.warps);
      break;
    case PROP_WINDOW:
      g_value_set_int(value, settings.flow.window);
      break;
    case PROP_ALPHA:
      g_value_set_double(value, settings.flow.alpha);
      break;
    case PROP_MEDIAN:
      g_value_set_enum(value, settings.flow.median);
      break;
    case PROP_GRID:
      g_value_set_int(value, settings.grid);
      break;
    case PROP_MIN_CONFIDENCE:
      g_value_set_double(value, settings.min_confidence);
      break;
    case PROP_CHECK:
      g_value_set_boolean(value, settings.flow.check);
      break;
    case PROP_DISPLAY:
      g_value_set_enum(value, static_cast<int>(settings.display));
      break;
    case PROP_GAIN:
      g_value_set_double(value, settings.gain);
      break;
    case PROP_LEGEND:
      g_value_set_boolean(value, settings.legend);
      break;
    case PROP_DUMP_LOCATION:
      g_value_set_string(value, settings.dump_location.c_str());
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, pspec);
  }
}

static void gst_gl_opencl_flow_init(GstGLOpenCLFlow *self) {
  self->state = new State;
  gst_pad_add_probe(GST_BASE_TRANSFORM_SINK_PAD(self), GST_PAD_PROBE_TYPE_BUFFER,
                    gst_gl_opencl_flow_arrived, self->state, nullptr);
}

static void gst_gl_opencl_flow_finalize(GObject *object) {
  delete GST_GL_OPENCL_FLOW(object)->state;
  G_OBJECT_CLASS(gst_gl_opencl_flow_parent_class)->finalize(object);
}

static void gst_gl_opencl_flow_class_init(GstGLOpenCLFlowClass *klass) {
  auto *object_class = G_OBJECT_CLASS(klass);
  object_class->set_property = gst_gl_opencl_flow_set_property;
  object_class->get_property = gst_gl_opencl_flow_get_property;
  object_class->finalize = gst_gl_opencl_flow_finalize;

  const Settings defaults;
  const auto flags = static_cast<GParamFlags>(G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS);
  const auto ready = static_cast<GParamFlags>(flags | GST_PARAM_MUTABLE_READY);
  const auto live = static_cast<GParamFlags>(flags | GST_PARAM_MUTABLE_PLAYING);
  const auto controllable = static_cast<GParamFlags>(live | GST_PARAM_CONTROLLABLE);
  const auto install = [&](guint id, GParamSpec *spec) {
    g_object_class_install_property(object_class, id, spec);
  };
  install(PROP_METHOD, g_param_spec_enum("method", "Method", "How the flow is found", method_type(),
                                         defaults.method, ready));
  install(PROP_LEVELS,
          g_param_spec_int("levels", "Levels",
                           "Levels of the pyramid; 0 halves the frame until its short side is "
                           "about 16 px",
                           0, 16, defaults.flow.levels, controllable));
  install(PROP_WARPS, g_param_spec_int("warps", "Warps", "Steps of the solver on each level", 1, 20,
                                       defaults.flow.warps, controllable));
  install(PROP_WINDOW,
          g_param_spec_int("window", "Window",
                           "Side of the window around each pixel that moves as one, in px; an even "
                           "number becomes the next odd one",
                           3, 63, defaults.flow.window, controllable));
  install(PROP_ALPHA,
          g_param_spec_double("alpha", "Alpha",
                              "What is added to the diagonal of the structure tensor, in squared "
                              "levels of 0 to 255: more of it keeps vectors short (lucas-kanade) "
                              "or like their neighbours' where there is little texture",
                              1e-6, 1e6, defaults.flow.alpha, controllable));
  install(PROP_MEDIAN,
          g_param_spec_enum("median", "Median", "Side of the median filter between warps",
                            median_type(), defaults.flow.median, live));
  install(PROP_GRID, g_param_spec_int("grid", "Grid", "Px between the vectors in the meta", 1, 16,
                                      defaults.grid, controllable));
  install(PROP_MIN_CONFIDENCE,
          g_param_spec_double("min-confidence", "Least confidence",
                              "Vectors less sure than this count as still, 0 to 1", 0, 1,
                              defaults.min_confidence, controllable));
  install(PROP_CHECK,
          g_param_spec_boolean("check-backward", "Check backward",
                               "Also find the flow backward; where both do not agree within a "
                               "pixel the confidence becomes 0. Not for method=lucas-kanade",
                               defaults.flow.check, live));
  install(PROP_DISPLAY, g_param_spec_enum("display", "Display", "What is shown", display_type(),
                                          static_cast<int>(defaults.display), live));
  install(PROP_GAIN,
          g_param_spec_double("gain", "Gain",
                              "Speed shown at full brightness, in px per frame; 0 follows the "
                              "scene slowly",
                              0, 1000, defaults.gain, controllable));
  install(PROP_LEGEND, g_param_spec_boolean("legend", "Legend",
                                            "Show the colours' meaning and scale in a corner",
                                            defaults.legend, live));
  install(PROP_DUMP_LOCATION,
          g_param_spec_string("dump-location", "Dump location",
                              "Pattern of .flo files to write every frame's vectors to, for "
                              "instance flow-%05d.flo; vectors below min-confidence are marked "
                              "unknown",
                              "", ready));

  gst_element_class_set_static_metadata(
      GST_ELEMENT_CLASS(klass), "OpenCL optical flow", "Filter/Analyzer/Video",
      "Finds, shows and publishes the motion of every pixel of OpenGL textures, with OpenCL",
      "The gst-glcl developers");

  auto *filter_class = GST_GLCL_FILTER_CLASS(klass);
  filter_class->prepare = gst_gl_opencl_flow_prepare;
  filter_class->process = gst_gl_opencl_flow_process;
  filter_class->reset = gst_gl_opencl_flow_reset;
  filter_class->unprepare = gst_gl_opencl_flow_unprepare;

  flow_meta_info();
  for (GType type : {method_type(), display_type(), median_type()})
    gst_type_mark_as_plugin_api(type, static_cast<GstPluginAPIFlags>(0));
}
