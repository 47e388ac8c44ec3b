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
 * * `mode`, `levels` (string), `bins` (guint), `pixels` (guint64): mode, levels, bins and number of
 *   counted pixels
 * * `counts`: an array per channel (luma; R, G, B; or one for the joint modes) of guint
 * * `mean`, `stddev`, `p5`, `median`, `p95`: arrays of double with a level, 0 to 255, per channel
 *   (R, G and B for the joint modes)
 * * `clipped-low`, `clipped-high`: arrays of double, the fraction of the pixels in the bin of black
 *   and below, and in the bin of white and above
 * * `below-black`, `above-white`: arrays of double, the fraction of the pixels with illegal values
 * of luma. Only for `mode=luma` of frames in limited range
 *
 * Message `shot`, with `shot-detection`: the times of the first frame of the new shot, `frame`
 * (guint64, its number since the start), `kind` (string: cut, fade-in, fade-out, dissolve, wipe)
 * and `score` (double, 0 to 1: difference between the shots). It is posted 8 frames after a cut and
 * up to 60 frames after a gradual transition or a change of a page of text. With
 * `shot-method=shape` only cuts and fades are detected.
 *
 * Message `shot-sharpest`, with `shot-detection`: the times of the sharpest frame of the first
 * `shot-sharpest` seconds of a shot, `frame` (guint64), `shot` (guint64: first frame of the shot)
 * and `sharpness` (double). It comes 65 frames after these seconds. It also goes downstream as a
 * custom event, for example to `glclgate open-on=shots`.
 *
 * Luma of RGB is (77 R + 150 G + 29 B + 128) / 256. All results refer to the input frame and to its
 * signal, also with the transfer functions PQ and HLG.
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
#include "base/glclerrorreporter.h"
#include "base/glcloverlay.h"
#include "base/glclregion.h"
#include "base/glclresult.h"
#include "config.h"
#include "gstglclhistogrammessages.h"
#include "gstglclhistogramproperties.h"
#include "gstglclhistogramshots.h"
#include "histogram/framehistograms.h"
#include "histogram/renderer.h"

GST_DEBUG_CATEGORY_STATIC(glcl_histogram_debug);
#define GST_CAT_DEFAULT glcl_histogram_debug

namespace {

namespace histogram = glcl::histogram;
using glcl::Rect;
using histogram::Histogram;
using histogram::HistogramProperties;
using histogram::HistogramRenderer;

constexpr size_t most_bytes =
    std::max(4096 * sizeof(cl_uint), histogram::ShotDetection::most_bytes);
constexpr char kind[] = "glclhistogram";

struct HistogramState {
  glcl::Guarded<HistogramProperties> settings;
  HistogramProperties frame_settings;  // of the current frame

  // GL thread
  std::unique_ptr<histogram::FrameHistograms> histograms;
  std::unique_ptr<HistogramRenderer> renderer;
  // In use. They change to the values of the properties once these formats are ready.
  Histogram::Format format;
  glcl::FrameFormat frame;
  HistogramRenderer::Equalize equalize = HistogramRenderer::Equalize::none;
  bool roi_warned = false;  // a warning was posted since the roi was last inside the frames

  histogram::ShotDetection shots;
};

}  // namespace

struct _GstGLCLHistogram {
  GstGLCLAnalyzer parent;
  HistogramState *state;
};

G_DEFINE_TYPE(GstGLCLHistogram, gst_glcl_histogram, GST_TYPE_GLCL_ANALYZER)
GST_ELEMENT_REGISTER_DEFINE(glclhistogram, "glclhistogram", GST_RANK_NONE,
                            gst_glcl_histogram_get_type())

/// Builds the engines of histograms. Returns the format of the frames.
static glcl::FrameFormat gst_glcl_histogram_build(GstGLCLFilter *filter, glcl::Context &context,
                                                  int width, int height,
                                                  const HistogramProperties &settings) {
  HistogramState *state = GST_GLCL_HISTOGRAM(filter)->state;
  state->frame = gst_glcl_filter_frame_format(filter, glcl::layout_for(context.device()));
  state->histograms.reset();
  state->renderer = std::make_unique<HistogramRenderer>(context, width, height, state->frame);
  state->histograms =
      std::make_unique<histogram::FrameHistograms>(context, width, height, state->frame);
  state->format = settings.format();
  state->histograms->build(state->format);
  state->equalize = settings.equalize;
  if (state->equalize != HistogramRenderer::Equalize::none)
    state->histograms->build(HistogramRenderer::format_for(state->equalize));
  gst_glcl_analyzer_prepare(GST_GLCL_ANALYZER(filter), context, most_bytes);
  return state->frame;
}

static glcl::Layout gst_glcl_histogram_prepare(GstGLCLFilter *filter, glcl::Context &context,
                                               int width, int height) {
  HistogramState *state = GST_GLCL_HISTOGRAM(filter)->state;
  const HistogramProperties settings = state->settings.get();
  const glcl::FrameFormat frame =
      gst_glcl_histogram_build(filter, context, width, height, settings);
  state->shots.prepare(context, width, height, frame, settings, *state->histograms);
  state->roi_warned = false;
  GST_INFO_OBJECT(filter, "frames of %d×%d px, at first %s of %d bins", width, height,
                  histogram::mode_name(settings.mode), state->format.counters());
  return frame.layout;
}

/// Each frame has its own histogram; the detection of shots goes on.
static glcl::Layout gst_glcl_histogram_set_format(GstGLCLFilter *filter, glcl::Context &context,
                                                  int width, int height) {
  HistogramState *state = GST_GLCL_HISTOGRAM(filter)->state;
  const HistogramProperties settings = state->settings.get();
  const glcl::FrameFormat frame =
      gst_glcl_histogram_build(filter, context, width, height, settings);
  state->shots.set_format(frame, settings, *state->histograms);
  return frame.layout;
}

/// A meta with a copy of the counts.
static void gst_glcl_histogram_attach(GstGLCLHistogram *self, glcl::Queue &queue,
                                      const cl::Buffer &counts, const Rect &area,
                                      GstBuffer *outbuf) {
  const Histogram::Format &format = self->state->format;
  const glcl::FrameFormat &frame = self->state->frame;
  std::vector<glcl::ResultArray> arrays{
      {"counts", "uint32", {format.channels(), format.counters() / format.channels()}, 0}};
  if (Histogram::counts_illegal(format, frame)) {
    arrays.push_back({"below-black", "uint32", {1}, arrays.back().bytes()});
    arrays.push_back({"above-white", "uint32", {1}, arrays[0].bytes() + arrays[1].bytes()});
  }
  const size_t bytes = sizeof(cl_uint) * Histogram::counters(format, frame);
  const glcl::AttachedResult result =
      gst_glcl_analyzer_attach(GST_GLCL_ANALYZER(self), outbuf, kind, bytes, arrays);
  gst_structure_set(result.fields, "mode", G_TYPE_STRING,
                    histogram::mode_name(histogram::mode_of(format)), "levels", G_TYPE_STRING,
                    histogram::levels_of(format, frame), "x", G_TYPE_INT, area.x, "y", G_TYPE_INT,
                    area.y, "width", G_TYPE_INT, area.width, "height", G_TYPE_INT, area.height,
                    nullptr);
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
  histogram::FrameHistograms &histograms = *state->histograms;
  histograms.next_frame(
      in, [&]() -> const glcl::Picture & { return gst_glcl_filter_rgba(filter, queue, in); });

  if (!(state->format == settings.format()) &&
      gst_glcl_histogram_ready(self, settings.format(), "The histogram stays as it was.")) {
    state->format = settings.format();
    GST_DEBUG_OBJECT(filter, "%s of %d bins from now on", histogram::mode_name(settings.mode),
                     state->format.counters());
  }
  const Histogram::Format format = state->format;
  cl::Buffer counts;
  if (wanted.message || wanted.meta || settings.display != HistogramRenderer::Display::none)
    counts = histograms.count(queue, format, area);
  if (wanted.meta) gst_glcl_histogram_attach(self, queue, counts, area, outbuf);
  if (wanted.message) {
    const guint64 pixels = guint64(area.width) * area.height;
    gst_glcl_analyzer_read(analyzer, queue, counts,
                           sizeof(cl_uint) * Histogram::counters(format, state->frame),
                           [=, times = wanted.times, frame = state->frame](const void *bytes) {
                             histogram::post(analyzer, times, format, frame, pixels,
                                             static_cast<const uint32_t *>(bytes));
                           });
  }

  state->shots.add(analyzer, queue, settings, wanted.times, in);

  HistogramRenderer::Equalize &equalize = settings.equalize;
  if (equalize == HistogramRenderer::Equalize::none ||
      gst_glcl_histogram_ready(self, HistogramRenderer::format_for(equalize),
                               "The equalization stays as it was."))
    state->equalize = equalize;
  equalize = state->equalize;
  cl::Buffer equalize_counts;
  if (equalize != HistogramRenderer::Equalize::none)
    equalize_counts = histograms.count(queue, HistogramRenderer::format_for(equalize), whole);
  const Rect panel = HistogramRenderer::panel(settings, in.width, in.height);
  const auto equalized = [&](const glcl::Picture &from, const glcl::Picture &to) {
    state->renderer->equalize(queue, equalize, equalize_counts, from, to);
  };
  gst_glcl_analyzer_draw(
      analyzer, queue, in, out, outbuf,
      settings.display == HistogramRenderer::Display::none ? std::nullopt : std::optional(panel),
      [&](const glcl::drawing::Canvas &canvas) {
        state->renderer->run(queue, settings, canvas, format, counts, equalize_counts);
      },
      equalize != HistogramRenderer::Equalize::none ? glcl::RenderFrame(equalized) : nullptr);
}

/// The format in use matters too, until that of the property is ready.
static bool gst_glcl_histogram_reads_luma(GstGLCLFilter *filter) {
  const HistogramState *state = GST_GLCL_HISTOGRAM(filter)->state;
  const HistogramProperties &settings = state->frame_settings;
  return Histogram::reads_luma(state->format) && Histogram::reads_luma(settings.format()) &&
         !histogram::ShotDetection::reads_colours(settings);
}

static bool gst_glcl_histogram_passes_on(GstGLCLFilter *filter) {
  const HistogramProperties &settings = GST_GLCL_HISTOGRAM(filter)->state->frame_settings;
  return settings.equalize == HistogramRenderer::Equalize::none &&
         (settings.display == HistogramRenderer::Display::none ||
          gst_glcl_analyzer_attaches_overlay(GST_GLCL_ANALYZER(filter)));
}

/// Histograms work on interlaced frames; edges don't.
static bool gst_glcl_histogram_takes_fields(GstGLCLFilter *filter) {
  const HistogramProperties settings = GST_GLCL_HISTOGRAM(filter)->state->settings.get();
  return !settings.shot_detection ||
         settings.shot_method == histogram::ShotDetection::Method::histogram;
}

/// The next frame does not follow the last one.
static void gst_glcl_histogram_reset(GstGLCLFilter *filter) {
  GST_DEBUG_OBJECT(filter, "the stream has a gap before the next frame");
  GST_GLCL_HISTOGRAM(filter)->state->shots.reset();
}

static void gst_glcl_histogram_unprepare(GstGLCLFilter *filter) {
  HistogramState *state = GST_GLCL_HISTOGRAM(filter)->state;
  state->shots.unprepare();
  state->histograms.reset();
  state->renderer.reset();
}

static gboolean gst_glcl_histogram_start(GstBaseTransform *trans) {
  GST_GLCL_HISTOGRAM(trans)->state->shots.start();
  return GST_BASE_TRANSFORM_CLASS(gst_glcl_histogram_parent_class)->start(trans);
}

/// True if caps differ from those before, or are the first.
static bool gst_glcl_histogram_changes_caps(GstBaseTransform *trans, GstEvent *event) {
  GstCaps *caps = nullptr, *now = gst_pad_get_current_caps(GST_BASE_TRANSFORM_SINK_PAD(trans));
  gst_event_parse_caps(event, &caps);
  const bool changes = !now || !gst_caps_is_equal(caps, now);
  if (now) gst_caps_unref(now);
  return changes;
}

/// A gate downstream holds no frame over other caps and segments, and learns before them how many
/// frames it has to hold.
static void gst_glcl_histogram_before_event(GstBaseTransform *trans, GstEvent *event) {
  HistogramState *state = GST_GLCL_HISTOGRAM(trans)->state;
  const HistogramProperties settings = state->settings.get();
  auto *analyzer = GST_GLCL_ANALYZER(trans);
  const bool changes_caps =
      GST_EVENT_TYPE(event) == GST_EVENT_CAPS && gst_glcl_histogram_changes_caps(trans, event);
  if (!settings.shot_detection || !(changes_caps || GST_EVENT_TYPE(event) == GST_EVENT_SEGMENT))
    return;
  if (gst_glcl_analyzer_drain(analyzer)) state->shots.settle(analyzer);
  state->shots.announce_delay(analyzer, settings);
}

static gboolean gst_glcl_histogram_sink_event(GstBaseTransform *trans, GstEvent *event) {
  HistogramState *state = GST_GLCL_HISTOGRAM(trans)->state;
  const bool flushed = GST_EVENT_TYPE(event) == GST_EVENT_FLUSH_STOP;
  gst_glcl_histogram_before_event(trans, event);
  const gboolean done =
      GST_BASE_TRANSFORM_CLASS(gst_glcl_histogram_parent_class)->sink_event(trans, event);
  if (flushed) state->shots.drop();  // no results are pending now
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
  auto properties = glcl::install_properties<GstGLCLHistogram>(klass);
  histogram::add_properties(properties);

  auto *transform_class = GST_BASE_TRANSFORM_CLASS(klass);
  transform_class->start = GST_DEBUG_FUNCPTR(gst_glcl_histogram_start);
  transform_class->sink_event = GST_DEBUG_FUNCPTR(gst_glcl_histogram_sink_event);
  GST_GLCL_ANALYZER_CLASS(klass)->finish = gst_glcl_histogram_finish;
  auto *filter_class = GST_GLCL_FILTER_CLASS(klass);
  filter_class->prepare = gst_glcl_histogram_prepare;
  filter_class->process = gst_glcl_histogram_process;
  filter_class->takes_planes = true;
  filter_class->reads_luma = gst_glcl_histogram_reads_luma;
  filter_class->passes_on = gst_glcl_histogram_passes_on;
  filter_class->reset = gst_glcl_histogram_reset;
  filter_class->set_format = gst_glcl_histogram_set_format;
  filter_class->unprepare = gst_glcl_histogram_unprepare;
  filter_class->takes_fields = gst_glcl_histogram_takes_fields;
}
