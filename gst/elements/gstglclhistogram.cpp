// SPDX-License-Identifier: LGPL-2.1-or-later
/**
 * SECTION:element-glclhistogram
 * @title: glclhistogram
 *
 * Computes exact histograms of every frame, publishes them in messages and metas, draws them over
 * the video, equalises the video, and detects shot changes. The frames stay in OpenGL textures.
 * Results are downloaded without waiting, so a message may be posted a frame later, with the times
 * of its own frame.
 *
 * Message `glclhistogram`, at most one per `interval`:
 *
 * * `timestamp`, `stream-time`, `running-time`, `duration` (GstClockTime): of the frame
 * * `mode` (string), `bins` (guint), `pixels` (guint64): mode, bins and number of counted pixels
 * * `counts`: an array per channel (luma; R, G, B; or one for the joint modes) of guint
 * * `mean`, `stddev`, `p5`, `median`, `p95`: arrays of double with a level, 0 to 255, per channel
 *   (R, G and B for the joint modes)
 * * `clipped-low`, `clipped-high`: arrays of double, the fraction of the pixels in the first and
 * the last bin
 *
 * Message `shot`, with `shot-detection`: the times of the first frame of the new shot, `frame`
 * (guint64, its number since the start), `kind` (string: cut, fade-in, fade-out, dissolve, wipe)
 * and `score` (double, 0 to 1: difference between the shots). It is posted 8 frames after a cut and
 * up to 60 frames after a gradual transition or a change of a page of text. With
 * `shot-method=shape` only cuts and fades are detected.
 *
 * Luma is (77 R + 150 G + 29 B + 128) / 256. All results refer to the input frame.
 *
 * ## Example launch lines
 * |[
 * gst-launch-1.0 v4l2src ! glupload ! glcolorconvert ! glclhistogram mode=rgb display=overlay !
 * glimagesink
 * ]|
 * Shows a camera with its histogram.
 * |[
 * gst-launch-1.0 -m filesrc location=in.mp4 ! decodebin ! glupload ! glcolorconvert !
 * glclhistogram shot-detection=true post-messages=false ! fakesink
 * ]|
 * Prints where the shots of a film begin.
 * |[
 * gst-launch-1.0 v4l2src ! glupload ! glcolorconvert ! glclhistogram equalize=luma ! glimagesink
 * ]|
 * Makes a dark room visible.
 *
 * Since: 0.1
 */
#include "gstglclhistogram.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "base/glclelement.h"
#include "base/glclengineswap.h"
#include "base/glcloverlay.h"
#include "base/glclregion.h"
#include "base/glclresult.h"
#include "config.h"
#include "gstglclhistogrammessages.h"
#include "histogram/histograms.h"
#include "histogram/renderer.h"
#include "histogram/shotvalues.h"
#include "hough/edgepairs.h"

GST_DEBUG_CATEGORY_STATIC(glcl_histogram_debug);
#define GST_CAT_DEFAULT glcl_histogram_debug

namespace {

namespace histogram = glcl::histogram;
using glcl::Rect;
using glcl::hough::FrameEdgePairs;
using histogram::Histogram;
using histogram::HistogramRenderer;
using histogram::ShotMessages;
using histogram::Shots;

enum { mode_luma, mode_rgb, mode_color_8, mode_color_16 };
constexpr size_t most_bytes = std::max(4096 * sizeof(cl_uint), glcl::hough::EdgePairs::space_bytes);

GType mode_type() {
  return glcl::enum_type<int>(
      "GstGLCLHistogramMode",
      {{mode_luma, "Luma", histogram::mode_name(mode_luma)},
       {mode_rgb, "R, G and B separately", histogram::mode_name(mode_rgb)},
       {mode_color_8, "Joint RGB histogram with 8 levels per channel (512 bins)",
        histogram::mode_name(mode_color_8)},
       {mode_color_16, "Joint RGB histogram with 16 levels per channel (4096 bins)",
        histogram::mode_name(mode_color_16)}});
}

GType bins_type() {
  return glcl::enum_type<int>("GstGLCLHistogramBins", {{32, "32 bins of 8 levels", "32"},
                                                       {64, "64 bins of 4 levels", "64"},
                                                       {128, "128 bins of 2 levels", "128"},
                                                       {256, "256 bins of 1 level", "256"}});
}

GType display_type() {
  using Display = HistogramRenderer::Display;
  return glcl::enum_type<Display>("GstGLCLHistogramDisplay",
                                  {{Display::none, "No drawing", "none"},
                                   {Display::overlay, "All channels in one plot", "overlay"},
                                   {Display::parade, "Channels side by side", "parade"},
                                   {Display::stack, "Channels one above the other", "stack"}});
}

GType scale_type() {
  return glcl::enum_type<bool>("GstGLCLHistogramScale",
                               {{false, "Bar height is the count", "linear"},
                                {true, "Bar height is the logarithm of the count", "log"}});
}

GType equalize_type() {
  using Equalize = HistogramRenderer::Equalize;
  return glcl::enum_type<Equalize>(
      "GstGLCLHistogramEqualize",
      {{Equalize::none, "No equalisation", "none"},
       {Equalize::luma, "Equalise luma; R, G and B change together", "luma"},
       {Equalize::rgb, "Equalise each channel separately", "rgb"}});
}

GType shot_method_type() {
  using Method = ShotMessages::Method;
  return glcl::enum_type<Method>(
      "GstGLCLHistogramShotMethod",
      {{Method::histogram, "Compare histograms of R, G and B", "histogram"},
       {Method::shape,
        "Compare the shapes of edges, also in slowly changing light; finds cuts and fades only",
        "shape"}});
}

constexpr char kind[] = "glclhistogram", no_shots[] = "Shots are not detected.";

struct HistogramProperties : HistogramRenderer::Settings {
  int mode = mode_luma, bins = 256;
  Rect roi;
  bool shot_detection = false;
  ShotMessages::Method shot_method = ShotMessages::Method::histogram;
  double shot_threshold = Shots::default_threshold;

  Histogram::Format format() const {
    constexpr Histogram::Mode modes[] = {Histogram::Mode::luma, Histogram::Mode::rgb,
                                         Histogram::Mode::color_8, Histogram::Mode::color_16};
    return {modes[mode], bins};
  }
};

void set_roi(HistogramProperties &settings, const GValue *value) {
  glcl::set_region(settings.roi, value);
}
void get_roi(const HistogramProperties &settings, GValue *value) {
  glcl::get_region(settings.roi, value);
}

std::unique_ptr<FrameEdgePairs> make_edge_pairs(glcl::Context &context, int width, int height) {
  return std::make_unique<FrameEdgePairs>(
      context, width, height, glcl::layout_for(context.device()), histogram::ShapeShots::edges);
}

std::unique_ptr<histogram::ShotValues> make_shot_values(glcl::Context &context,
                                                        glcl::Layout layout) {
  return std::make_unique<histogram::ShotValues>(context, layout);
}

struct HistogramState {
  glcl::Guarded<HistogramProperties> settings;
  HistogramProperties frame_settings;  // for the frame that is under way

  // GL thread
  std::unique_ptr<histogram::Histograms> histograms;
  std::unique_ptr<HistogramRenderer> renderer;
  // In use; the properties' values follow once they are ready.
  Histogram::Format format;
  HistogramRenderer::Equalize equalize = HistogramRenderer::Equalize::none;
  uint64_t frames = 0;
  glcl::Context *context = nullptr;
  glcl::Lazy<std::unique_ptr<FrameEdgePairs>> edge_pairs;
  glcl::Lazy<std::unique_ptr<histogram::ShotValues>> shot_values;
  std::optional<ShotMessages::Method> followed;  // how `shots` has seen the frame before
  bool roi_warned = false;  // that the roi leaves these frames, since it was inside of them

  ShotMessages shots;
};

}  // namespace

struct _GstGLCLHistogram {
  GstGLCLAnalyzer parent;
  HistogramState *state;
};

G_DEFINE_TYPE(GstGLCLHistogram, gst_glcl_histogram, GST_TYPE_GLCL_ANALYZER)
GST_ELEMENT_REGISTER_DEFINE(glclhistogram, "glclhistogram", GST_RANK_NONE,
                            gst_glcl_histogram_get_type())

static glcl::Layout gst_glcl_histogram_prepare(GstGLCLFilter *filter, glcl::Context &context,
                                               int width, int height) {
  HistogramState *state = GST_GLCL_HISTOGRAM(filter)->state;
  const HistogramProperties settings = state->settings.get();
  const glcl::Layout layout = glcl::layout_for(context.device());
  state->histograms.reset();
  state->renderer = std::make_unique<HistogramRenderer>(context, width, height, layout);
  state->histograms = std::make_unique<histogram::Histograms>(context, width, height, layout);
  state->format = settings.format();
  state->histograms->build(state->format);
  state->equalize = settings.equalize;
  if (state->equalize != HistogramRenderer::Equalize::none)
    state->histograms->build(HistogramRenderer::format_for(state->equalize));
  state->context = &context;
  state->edge_pairs = {};
  state->shot_values = {};
  if (settings.shot_detection) {
    if (settings.shot_method == ShotMessages::Method::histogram) {
      state->histograms->build(ShotMessages::format);
      state->shot_values.get([&] { return make_shot_values(context, layout); });
    } else {
      state->edge_pairs.get([&] { return make_edge_pairs(context, width, height); });
    }
  }
  gst_glcl_analyzer_prepare(GST_GLCL_ANALYZER(filter), context, most_bytes);
  state->followed.reset();
  state->roi_warned = false;
  GST_INFO_OBJECT(filter, "frames of %d×%d px, at first %s of %d bins", width, height,
                  histogram::mode_name(settings.mode), state->format.counters());
  return layout;
}

/// A meta with a copy of the counts.
static void gst_glcl_histogram_attach(GstGLCLHistogram *self, glcl::Queue &queue,
                                      const cl::Buffer &counts, const Rect &area,
                                      GstBuffer *outbuf) {
  const Histogram::Format &format = self->state->format;
  const size_t bytes = sizeof(cl_uint) * format.counters();
  const glcl::AttachedResult result = gst_glcl_analyzer_attach(
      GST_GLCL_ANALYZER(self), outbuf, kind, bytes,
      {{"counts", "uint32", {format.channels(), format.counters() / format.channels()}, 0}});
  gst_structure_set(result.fields, "mode", G_TYPE_STRING,
                    histogram::mode_name(histogram::mode_of(format)), "x", G_TYPE_INT, area.x, "y",
                    G_TYPE_INT, area.y, "width", G_TYPE_INT, area.width, "height", G_TYPE_INT,
                    area.height, nullptr);
  queue.cl().enqueueCopyBuffer(counts, glcl::result_memory(result.buffer), 0, 0, bytes);
  glcl::result_written(result.buffer, queue);
}

/// True if frames can be counted in this format. `consequence` says what happens if they never can.
static bool gst_glcl_histogram_ready(GstGLCLHistogram *self, const Histogram::Format &format,
                                     const char *consequence) {
  bool ready = false;
  glcl::guard_optional(GST_ELEMENT(self), consequence,
                       [&] { ready = self->state->histograms->ready(format); });
  return ready;
}

/// Passes on the data for the shot detection; returns the method if it is ready.
static std::optional<ShotMessages::Method> gst_glcl_histogram_follow(
    GstGLCLHistogram *self, glcl::Queue &queue, const HistogramProperties &settings, uint64_t frame,
    const glcl::FrameTimes &times, const glcl::Picture &in) {
  HistogramState *state = self->state;
  const ShotMessages::Method method = settings.shot_method;
  if (!settings.shot_detection) return {};
  cl::Buffer values;
  size_t bytes = glcl::hough::EdgePairs::space_bytes;
  if (method == ShotMessages::Method::histogram) {
    auto *shot_values = glcl::optional_engine(
        GST_ELEMENT(self), state->shot_values,
        [context = state->context, layout = in.layout] {
          return make_shot_values(*context, layout);
        },
        no_shots);
    if (!gst_glcl_histogram_ready(self, ShotMessages::format, no_shots) || !shot_values) return {};
    bytes = sizeof(cl_uint) * Shots::values;
    values = (*shot_values)
                 ->run(queue, in,
                       state->histograms->count(queue, in, ShotMessages::format,
                                                glcl::clipped({}, in.width, in.height)));
  } else {
    auto *edge_pairs = glcl::optional_engine(
        GST_ELEMENT(self), state->edge_pairs,
        [context = state->context, width = in.width, height = in.height] {
          return make_edge_pairs(*context, width, height);
        },
        no_shots);
    if (!edge_pairs) return {};
    if (state->followed != method) (*edge_pairs)->reset();
    values = (*edge_pairs)->run(queue, in);
  }
  auto *analyzer = GST_GLCL_ANALYZER(self);
  gst_glcl_analyzer_read(analyzer, queue, values, bytes,
                         [=, first = state->followed != method,
                          threshold = settings.shot_threshold](const void *data) {
                           state->shots.follow(analyzer, method, frame, first, threshold, times,
                                               static_cast<const uint32_t *>(data));
                         });
  return method;
}

static void gst_glcl_histogram_process(GstGLCLFilter *filter, glcl::Queue &queue,
                                       const glcl::Picture &in, const glcl::Picture &out,
                                       GstBuffer *inbuf, GstBuffer *outbuf) {
  GstGLCLHistogram *self = GST_GLCL_HISTOGRAM(filter);
  HistogramState *state = self->state;
  auto *analyzer = GST_GLCL_ANALYZER(filter);
  HistogramProperties settings = state->frame_settings;
  const glcl::FrameRequest wanted = gst_glcl_analyzer_request(analyzer, inbuf);
  const Rect whole = glcl::clipped({}, in.width, in.height),
             area = glcl::clipped(settings.roi, in.width, in.height);
  glcl::warn_of_region(GST_ELEMENT(filter), settings.roi, in.width, in.height, area,
                       state->roi_warned);
  const uint64_t frame = state->frames++;
  histogram::Histograms &histograms = *state->histograms;
  histograms.next_frame();

  if (!(state->format == settings.format()) &&
      gst_glcl_histogram_ready(self, settings.format(), "The histogram stays as it was.")) {
    state->format = settings.format();
    GST_DEBUG_OBJECT(filter, "%s of %d bins from now on", histogram::mode_name(settings.mode),
                     state->format.counters());
  }
  const Histogram::Format format = state->format;
  cl::Buffer counts;
  if (wanted.message || wanted.meta || settings.display != HistogramRenderer::Display::none)
    counts = histograms.count(queue, in, format, area);
  if (wanted.meta) gst_glcl_histogram_attach(self, queue, counts, area, outbuf);
  if (wanted.message) {
    const guint64 pixels = guint64(area.width) * area.height;
    gst_glcl_analyzer_read(analyzer, queue, counts, sizeof(cl_uint) * format.counters(),
                           [=, times = wanted.times](const void *bytes) {
                             histogram::post(analyzer, times, format, pixels,
                                             static_cast<const uint32_t *>(bytes));
                           });
  }

  state->followed = gst_glcl_histogram_follow(self, queue, settings, frame, wanted.times, in);

  HistogramRenderer::Equalize &equalize = settings.equalize;
  if (equalize == HistogramRenderer::Equalize::none ||
      gst_glcl_histogram_ready(self, HistogramRenderer::format_for(equalize),
                               "The equalization stays as it was."))
    state->equalize = equalize;
  equalize = state->equalize;
  cl::Buffer equalize_counts;
  if (equalize != HistogramRenderer::Equalize::none)
    equalize_counts = histograms.count(queue, in, HistogramRenderer::format_for(equalize), whole);
  const Rect panel = HistogramRenderer::panel(settings, in.width, in.height);
  gst_glcl_analyzer_draw(
      analyzer, queue, in, out, outbuf,
      settings.display == HistogramRenderer::Display::none ? std::nullopt : std::optional(panel),
      [&](const glcl::drawing::Canvas &canvas) {
        state->renderer->run(queue, settings, canvas, format, counts, equalize_counts);
      },
      [&] {
        HistogramProperties frame = settings;
        frame.display = HistogramRenderer::Display::none;
        state->renderer->run(queue, frame, {in, out}, format, counts, equalize_counts);
      });
}

static bool gst_glcl_histogram_passes_on(GstGLCLFilter *filter) {
  const HistogramProperties &settings = GST_GLCL_HISTOGRAM(filter)->state->frame_settings;
  return settings.equalize == HistogramRenderer::Equalize::none &&
         (settings.display == HistogramRenderer::Display::none ||
          gst_glcl_analyzer_attaches_overlay(GST_GLCL_ANALYZER(filter)));
}

/// Levels do, edges don't.
static bool gst_glcl_histogram_takes_fields(GstGLCLFilter *filter) {
  const HistogramProperties settings = GST_GLCL_HISTOGRAM(filter)->state->settings.get();
  return !settings.shot_detection || settings.shot_method == ShotMessages::Method::histogram;
}

/// The next frame does not follow the last one.
static void gst_glcl_histogram_reset(GstGLCLFilter *filter) {
  GST_DEBUG_OBJECT(filter, "the stream has a gap before the next frame");
  GST_GLCL_HISTOGRAM(filter)->state->followed.reset();
}

static void gst_glcl_histogram_unprepare(GstGLCLFilter *filter) {
  HistogramState *state = GST_GLCL_HISTOGRAM(filter)->state;
  state->edge_pairs = {};
  state->shot_values = {};
  state->histograms.reset();
  state->renderer.reset();
}

static gboolean gst_glcl_histogram_start(GstBaseTransform *trans) {
  HistogramState *state = GST_GLCL_HISTOGRAM(trans)->state;
  state->frames = 0;
  state->shots.drop();
  return GST_BASE_TRANSFORM_CLASS(gst_glcl_histogram_parent_class)->start(trans);
}

static gboolean gst_glcl_histogram_sink_event(GstBaseTransform *trans, GstEvent *event) {
  HistogramState *state = GST_GLCL_HISTOGRAM(trans)->state;
  const bool flushed = GST_EVENT_TYPE(event) == GST_EVENT_FLUSH_STOP;
  const gboolean done =
      GST_BASE_TRANSFORM_CLASS(gst_glcl_histogram_parent_class)->sink_event(trans, event);
  if (flushed) state->shots.drop();  // no result is on its way now
  return done;
}

static void gst_glcl_histogram_finish(GstGLCLAnalyzer *analyzer) {
  GST_GLCL_HISTOGRAM(analyzer)->state->shots.finish(analyzer);
}

static void gst_glcl_histogram_init(GstGLCLHistogram *self) { self->state = new HistogramState; }

static void gst_glcl_histogram_class_init(GstGLCLHistogramClass *klass) {
  GST_DEBUG_CATEGORY_INIT(glcl_histogram_debug, "glclhistogram", 0, "OpenCL histogram");
  glcl::init_element_class<GstGLCLHistogram>(
      klass, {"OpenCL histogram", "Filter/Analyzer/Video",
              "Computes, draws and equalises histograms of video in "
              "OpenGL textures with OpenCL, and detects shot changes",
              DOCS_PAGE("glclhistogram")});
  glcl::install_properties<GstGLCLHistogram>(klass)
      .choice("mode", "Mode", "Values that the histogram counts", &HistogramProperties::mode,
              mode_type())
      .choice("bins", "Bins", "Number of bins per channel for mode=luma and mode=rgb",
              &HistogramProperties::bins, bins_type())
      .choice("display", "Display", "How the histogram is drawn over the frame",
              &HistogramProperties::display, display_type())
      .choice("scale", "Scale", "Scale of the bar heights", &HistogramProperties::logarithmic,
              scale_type())
      .number("level-height", "Level height",
              "Minimum height of the 95th percentile of the bins, as a fraction of the plot. It "
              "keeps a few very full bins, for example from black borders, from flattening the "
              "others. 0 scales the plot to the fullest bin",
              &HistogramProperties::level_height, 0, 1)
      .number("x", "X", "Left edge of the drawing, as a fraction of the frame width",
              &HistogramProperties::x, 0, 1)
      .number("y", "Y", "Top edge of the drawing, as a fraction of the frame height",
              &HistogramProperties::y, 0, 1)
      .number("width", "Width", "Width of the drawing, as a fraction of the frame width",
              &HistogramProperties::width, 0, 1)
      .number("height", "Height", "Height of the drawing, as a fraction of the frame height",
              &HistogramProperties::height, 0, 1)
      .number("opacity", "Opacity", "Opacity of the drawing, from 0 (invisible) to 1 (opaque)",
              &HistogramProperties::opacity, 0, 1)
      .color("foreground-color", "Foreground color",
             "Colour of text, lines and luma bars (0xAARRGGBB)",
             &HistogramProperties::foreground_color)
      .color("background-color", "Background color", "Colour behind the drawing (0xAARRGGBB)",
             &HistogramProperties::background_color)
      .choice("equalize", "Equalize", "Histogram equalisation of the output frame",
              &HistogramProperties::equalize, equalize_type())
      .other(gst_param_spec_array("roi", "Region of interest",
                                  "Region that messages, meta and display count: <x, y, width, "
                                  "height> in px. It is clipped to the frame; a region outside "
                                  "moves to the nearest edge. Empty: whole frame",
                                  nullptr,  // with one, GStreamer 1.22 crashes on lists in the list
                                  glcl::while_playing),
             set_roi, get_roi)
      .flag("shot-detection", "Shot detection", "Post a `shot` message when a new shot begins",
            &HistogramProperties::shot_detection)
      .choice("shot-method", "Shot method", "How shot changes are detected",
              &HistogramProperties::shot_method, shot_method_type())
      .number("shot-threshold", "Shot threshold",
              "Minimum difference of the histograms at a cut, from 0 to 1; lower values find more "
              "cuts. shot-method=shape uses half of this value",
              &HistogramProperties::shot_threshold, 0, 1);

  auto *transform_class = GST_BASE_TRANSFORM_CLASS(klass);
  transform_class->start = GST_DEBUG_FUNCPTR(gst_glcl_histogram_start);
  transform_class->sink_event = GST_DEBUG_FUNCPTR(gst_glcl_histogram_sink_event);
  GST_GLCL_ANALYZER_CLASS(klass)->finish = gst_glcl_histogram_finish;
  auto *filter_class = GST_GLCL_FILTER_CLASS(klass);
  filter_class->prepare = gst_glcl_histogram_prepare;
  filter_class->process = gst_glcl_histogram_process;
  filter_class->passes_on = gst_glcl_histogram_passes_on;
  filter_class->reset = gst_glcl_histogram_reset;
  filter_class->unprepare = gst_glcl_histogram_unprepare;
  filter_class->takes_fields = gst_glcl_histogram_takes_fields;
}
