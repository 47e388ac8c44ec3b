// SPDX-License-Identifier: LGPL-2.1-or-later
/**
 * SECTION:element-glclklt
 * @title: glclklt
 *
 * Selects good features and tracks them from frame to frame (Kanade, Lucas, Tomasi), with OpenCL on
 * OpenGL textures. Lost points are replaced by new ones with new ids. Vectors are in pixels per
 * frame, +x right, +y down.
 *
 * The points are drawn (`display`), summarized in messages on the bus, attached to frames as a
 * result (`attach-meta`) and written to a file (`dump-location`). They can also stabilize the
 * picture (`stabilize`).
 *
 * ## Message
 * An element message named `glclklt`, at most one per `interval`:
 *
 * * #GstClockTime `timestamp`, `stream-time`, `running-time`, `duration`: of the frame
 * * #guint `tracked`: points tracked to this frame
 * * #guint `lost`, `new`: points lost and selected since the last message
 * * #gboolean `cut`: true if the scene changed since the last message, so that all points were lost
 * * #gdouble `mean-x`, `mean-y`: mean motion of the tracked points, px per frame
 * * #gdouble `mean-age`: mean age of the tracked points, frames
 * * #gdouble `camera-confidence`: with `stabilize`, confidence of the camera motion, 0 to 1
 * * #gdouble `noise`: of the frames, standard deviation in levels of 0 to 255; not for a first
 * frame
 *
 * ## Example launch lines
 * |[
 * gst-launch-1.0 v4l2src ! glupload ! glcolorconvert ! glclklt display=tracks ! glimagesink
 * ]|
 * Draws the points of a camera picture and their paths.
 * |[
 * gst-launch-1.0 filesrc location=in.mp4 ! decodebin ! glupload ! glcolorconvert ! glclklt
 * dump-location=tracks.csv ! fakesink
 * ]|
 * Writes all points of all frames to a file.
 * |[
 * gst-launch-1.0 v4l2src ! glupload ! glcolorconvert ! glclklt stabilize=true ! glimagesink
 * ]|
 * Removes the shake of a handheld camera.
 *
 * Since: 0.1
 */
#include "gstglclklt.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "base/glclelement.h"
#include "base/glclengineswap.h"
#include "base/glcloverlay.h"
#include "base/glclresult.h"
#include "config.h"
#include "klt/klt.h"
#include "klt/renderer.h"
#include "klt/stabilizer.h"
#include "klt/trackwriter.h"
#include "opencl/error.h"
#include "opencl/lazy.h"

GST_DEBUG_CATEGORY_STATIC(glcl_klt_debug);
#define GST_CAT_DEFAULT glcl_klt_debug

namespace {

using glcl::klt::Klt;
using glcl::klt::PointRenderer;
using glcl::klt::Points;
using glcl::klt::Stabilizer;
using glcl::klt::TrackWriter;

constexpr char kind[] = "glclklt";

GType display_type() {
  using Display = PointRenderer::Display;
  return glcl::enum_type<Display>(
      "GstGLCLKltDisplay", {{Display::none, "Unchanged input", "none"},
                            {Display::points, "Dots at the tracked points", "points"},
                            {Display::tracks, "Dots and the paths of the points", "tracks"}});
}

struct KltProperties : Klt::Settings, PointRenderer::PointStyle, Stabilizer::Settings {
  std::string dump_location;
};

/// The totals of the messages so far.
struct PostedTotals {
  guint lost = 0, chosen = 0, cuts = 0;
};

/// A steady picture, and the frame with a drawing before it is moved.
struct Stabilization {
  glcl::Lazy<Stabilizer> stabilizer;
  glcl::Picture drawn;
};

struct KltState {
  glcl::Guarded<KltProperties> settings;
  KltProperties frame_settings;  // for the frame that is under way

  // GL thread
  int width = 0, height = 0;
  float aspect = 1;  // width of a pixel by its height
  std::unique_ptr<Klt> klt;
  std::unique_ptr<PointRenderer> renderer;
  std::unique_ptr<Stabilization> stabilization;
  Stabilizer *active_stabilizer = nullptr;  // where this frame is moved
  cl::Buffer unmoved;                       // as Stabilizer::Steady::rows
  std::shared_ptr<PostedTotals> posted;     // of this engine

  // Streaming thread
  std::unique_ptr<TrackWriter> file;
  guint64 frames = 0;  // since the start
};

}  // namespace

struct _GstGLCLKlt {
  GstGLCLAnalyzer parent;
  KltState *state;
};

G_DEFINE_TYPE(GstGLCLKlt, gst_glcl_klt, GST_TYPE_GLCL_ANALYZER)
GST_ELEMENT_REGISTER_DEFINE(glclklt, "glclklt", GST_RANK_NONE, gst_glcl_klt_get_type())

/// The stabilizer once it is built; with `wait` at once. A failure is reported once.
static Stabilizer *gst_glcl_klt_stabilizer(GstGLCLKlt *self, glcl::Context &context, bool wait) {
  KltState *state = self->state;
  const auto make = [context = context.shared_from_this(), width = state->width,
                     height = state->height, aspect = state->aspect] {
    return Stabilizer(*context, width, height, glcl::layout_for(context->device()), aspect);
  };
  return glcl::optional_engine(GST_ELEMENT(self), state->stabilization->stabilizer, make,
                               "The picture is not stabilized.", wait);
}

static glcl::Layout gst_glcl_klt_prepare(GstGLCLFilter *filter, glcl::Context &context, int width,
                                         int height) {
  KltState *state = GST_GLCL_KLT(filter)->state;
  const KltProperties settings = state->settings.get();
  const glcl::Layout layout = glcl::layout_for(context.device());
  state->width = width, state->height = height;
  state->aspect = gst_glcl_filter_pixel_aspect(filter);
  state->klt = std::make_unique<Klt>(context, width, height, layout);
  state->renderer = std::make_unique<PointRenderer>(context, width, height, layout);
  state->stabilization = std::make_unique<Stabilization>();
  if (settings.stabilize) gst_glcl_klt_stabilizer(GST_GLCL_KLT(filter), context, true);
  const float unmoved[] = {1, 0, 0, 0, 1, 0};
  state->unmoved = cl::Buffer(context.cl(), CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof unmoved,
                              const_cast<float *>(unmoved));
  state->posted = std::make_shared<PostedTotals>();
  gst_glcl_analyzer_prepare(
      GST_GLCL_ANALYZER(filter), context,
      state->file ? Points::bytes(settings.features) : sizeof(Points::PointSummary));
  GST_INFO_OBJECT(filter, "frames of %d×%d px, %d points at most", width, height,
                  settings.features);
  return layout;
}

static void gst_glcl_klt_post(GstGLCLAnalyzer *self, const glcl::FrameTimes &times,
                              const Points::PointSummary &summary, PostedTotals &posted) {
  GstStructure *message = gst_glcl_analyzer_structure(kind, times);
  gst_structure_set(message, "tracked", G_TYPE_UINT, summary.count - summary.chosen, "lost",
                    G_TYPE_UINT, summary.all_lost - posted.lost, "new", G_TYPE_UINT,
                    summary.all_chosen - posted.chosen, "cut", G_TYPE_BOOLEAN,
                    gboolean(summary.all_cuts != posted.cuts), "mean-x", G_TYPE_DOUBLE,
                    double(summary.mean_x), "mean-y", G_TYPE_DOUBLE, double(summary.mean_y),
                    "mean-age", G_TYPE_DOUBLE, double(summary.mean_age), nullptr);
  if (summary.noise >= 0)
    gst_structure_set(message, "noise", G_TYPE_DOUBLE, double(summary.noise), nullptr);
  if (summary.confidence >= 0)
    gst_structure_set(message, "camera-confidence", G_TYPE_DOUBLE, double(summary.confidence),
                      nullptr);
  posted = {summary.all_lost, summary.all_chosen, summary.all_cuts};
  gst_glcl_analyzer_post(self, message);
}

/// Copies one part of every point; all in bytes.
static void gst_glcl_klt_copy_part(KltState *state, glcl::Queue &queue, size_t from, size_t bytes,
                                   const cl::Buffer &to, size_t offset) {
  const size_t count = state->klt->features(), point = sizeof(Points::Record);
  queue.cl().enqueueCopyBufferRect(state->klt->points().report(), to,
                                   {sizeof(Points::PointSummary) + from, 0, 0}, {offset, 0, 0},
                                   {bytes, count, 1}, point, point * count, bytes, bytes * count);
}

static void gst_glcl_klt_attach(GstGLCLKlt *self, glcl::Queue &queue, GstBuffer *outbuf) {
  KltState *state = self->state;
  const int most = state->klt->features();
  // Each after the one before, behind the first four numbers of the summary.
  const size_t counts = 4 * sizeof(cl_uint), points = counts, ids = points + most * size_t(16),
               ages = ids + most * size_t(4), residues = ages + most * size_t(4),
               moved = residues + most * size_t(4);
  const glcl::AttachedResult result = gst_glcl_analyzer_attach(
      GST_GLCL_ANALYZER(self), outbuf, kind, moved + sizeof glcl::klt::StabilizerState::rows,
      {{"summary", "int32", {4}, 0},
       {"points-count", "int32", {1}, 0},
       {"points", "float32", {most, 4}, points},
       {"ids-count", "int32", {1}, 0},
       {"ids", "uint32", {most}, ids},
       {"ages-count", "int32", {1}, 0},
       {"ages", "uint32", {most}, ages},
       {"residues-count", "int32", {1}, 0},
       {"residues", "float32", {most}, residues},
       {"moved", "float32", {2, 3}, moved}});
  const cl::Buffer &memory = glcl::result_memory(result.buffer);
  queue.cl().enqueueCopyBuffer(state->klt->points().report(), memory, 0, 0, counts);
  gst_glcl_klt_copy_part(state, queue, offsetof(Points::Record, x), 16, memory, points);
  gst_glcl_klt_copy_part(state, queue, offsetof(Points::Record, id), 4, memory, ids);
  gst_glcl_klt_copy_part(state, queue, offsetof(Points::Record, age), 4, memory, ages);
  gst_glcl_klt_copy_part(state, queue, offsetof(Points::Record, residue), 4, memory, residues);
  queue.cl().enqueueCopyBuffer(
      state->active_stabilizer ? state->active_stabilizer->state() : state->unmoved, memory,
      state->active_stabilizer ? offsetof(glcl::klt::StabilizerState, rows) : 0, moved,
      sizeof glcl::klt::StabilizerState::rows);
  glcl::result_written(result.buffer, queue);
  gst_structure_set(result.fields, "width", G_TYPE_INT, state->width, "height", G_TYPE_INT,
                    state->height, nullptr);
}

/// The stream goes on without the file.
static void gst_glcl_klt_write(GstGLCLKlt *self, guint64 frame, GstClockTime timestamp,
                               const void *bytes) {
  const auto *summary = static_cast<const Points::PointSummary *>(bytes);
  const auto *points = reinterpret_cast<const Points::Record *>(summary + 1);
  try {
    self->state->file->write(
        frame,
        GST_CLOCK_TIME_IS_VALID(timestamp) ? std::optional<uint64_t>(timestamp) : std::nullopt,
        points, summary->count);
  } catch (const glcl::Error &error) {
    glcl::warn(GST_ELEMENT(self), GST_RESOURCE_ERROR_WRITE, error.what(),
               "no further points are written to this file");
  }
}

static void gst_glcl_klt_report(GstGLCLKlt *self, glcl::Queue &queue, GstBuffer *inbuf,
                                GstBuffer *outbuf) {
  KltState *state = self->state;
  auto *analyzer = GST_GLCL_ANALYZER(self);
  const glcl::FrameRequest wanted = gst_glcl_analyzer_request(analyzer, inbuf);
  if (!wanted.message && !wanted.meta && !state->file) return;
  state->klt->report(queue);
  if (state->active_stabilizer)
    state->klt->points().report_confidence(queue, state->active_stabilizer->state(),
                                           offsetof(glcl::klt::StabilizerState, confidence));
  const cl::Buffer &report = state->klt->points().report();
  if (wanted.message)
    gst_glcl_analyzer_read(
        analyzer, queue, report, sizeof(Points::PointSummary),
        [analyzer, times = wanted.times, posted = state->posted](const void *bytes) {
          gst_glcl_klt_post(analyzer, times, *static_cast<const Points::PointSummary *>(bytes),
                            *posted);
        });
  if (wanted.meta) gst_glcl_klt_attach(self, queue, outbuf);
  if (state->file)
    gst_glcl_analyzer_read(
        analyzer, queue, report, Points::bytes(state->klt->features()),
        [self, frame = state->frames, timestamp = wanted.times.timestamp](const void *bytes) {
          gst_glcl_klt_write(self, frame, timestamp, bytes);
        });
}

/// Whether the frame is moved, and where to.
static void gst_glcl_klt_stabilize(GstGLCLKlt *self, glcl::Queue &queue,
                                   const KltProperties &settings) {
  KltState *state = self->state;
  Stabilizer *const known = state->stabilization->stabilizer.value();
  state->active_stabilizer =
      settings.stabilize ? gst_glcl_klt_stabilizer(self, queue.context(), false) : nullptr;
  if (state->active_stabilizer)
    state->active_stabilizer->run(queue, settings, *state->klt);
  else if (known)
    known->forget();
}

/// Frame or drawing, and moved as it is to be.
static void gst_glcl_klt_draw(KltState *state, glcl::Queue &queue, const KltProperties &settings,
                              const glcl::drawing::Canvas &canvas) {
  if (!state->active_stabilizer) return state->renderer->draw(queue, settings, *state->klt, canvas);
  if (settings.display == PointRenderer::Display::none)
    return state->active_stabilizer->show(queue, canvas.in, canvas.out);
  glcl::Picture &drawn = state->stabilization->drawn;
  if (!drawn)
    drawn =
        glcl::make_picture(queue.context().cl(), state->width, state->height, state->klt->layout());
  state->renderer->draw(queue, settings, *state->klt, {canvas.in, drawn, canvas.overlay});
  state->active_stabilizer->show(queue, drawn, canvas.out);
}

static void gst_glcl_klt_process(GstGLCLFilter *filter, glcl::Queue &queue, const glcl::Picture &in,
                                 const glcl::Picture &out, GstBuffer *inbuf, GstBuffer *outbuf) {
  GstGLCLKlt *self = GST_GLCL_KLT(filter);
  auto *analyzer = GST_GLCL_ANALYZER(filter);
  KltState *state = self->state;
  const KltProperties &settings = state->frame_settings;
  state->klt->run(queue, settings, in);
  gst_glcl_klt_stabilize(self, queue, settings);
  gst_glcl_klt_report(self, queue, inbuf, outbuf);
  state->frames++;
  const bool drawn = settings.display != PointRenderer::Display::none;
  if (!drawn) state->renderer->forget();
  const auto draw = [&](const glcl::drawing::Canvas &canvas) {
    gst_glcl_klt_draw(state, queue, settings, canvas);
  };
  const auto frame = [&] { state->active_stabilizer->show(queue, in, out); };
  gst_glcl_analyzer_draw(
      analyzer, queue, in, out, outbuf,
      drawn ? std::optional(glcl::Rect{0, 0, in.width, in.height}) : std::nullopt, draw,
      state->active_stabilizer ? std::function<void()>(frame) : nullptr);
}

static bool gst_glcl_klt_passes_on(GstGLCLFilter *filter) {
  const KltProperties &settings = GST_GLCL_KLT(filter)->state->frame_settings;
  if (settings.stabilize) return false;
  return settings.display == PointRenderer::Display::none ||
         gst_glcl_analyzer_attaches_overlay(GST_GLCL_ANALYZER(filter));
}

static void gst_glcl_klt_reset(GstGLCLFilter *filter) {
  KltState *state = GST_GLCL_KLT(filter)->state;
  GST_DEBUG_OBJECT(filter, "the stream has a gap before the next frame");
  if (state->klt) state->klt->reset();
}

static void gst_glcl_klt_unprepare(GstGLCLFilter *filter) {
  KltState *state = GST_GLCL_KLT(filter)->state;
  state->active_stabilizer = nullptr;
  state->stabilization.reset();
  state->renderer.reset();
  state->klt.reset();
}

static gboolean gst_glcl_klt_start(GstBaseTransform *trans) {
  KltState *state = GST_GLCL_KLT(trans)->state;
  const std::string path = state->settings.get().dump_location;
  state->frames = 0;
  if (!path.empty() && !gst_glcl_filter_guard(GST_GLCL_FILTER(trans), [&] {
        state->file = std::make_unique<TrackWriter>(path);
      }))
    return FALSE;
  return GST_BASE_TRANSFORM_CLASS(gst_glcl_klt_parent_class)->start(trans);
}

static gboolean gst_glcl_klt_stop(GstBaseTransform *trans) {
  const gboolean stopped = GST_BASE_TRANSFORM_CLASS(gst_glcl_klt_parent_class)->stop(trans);
  GST_GLCL_KLT(trans)->state->file.reset();
  return stopped;
}

static void gst_glcl_klt_init(GstGLCLKlt *self) { self->state = new KltState; }

static void gst_glcl_klt_add_tracking_properties(glcl::Properties<KltProperties> &properties) {
  const KltProperties defaults;
  properties
      .number("features", "Features", "Maximum number of tracked points", &KltProperties::features,
              1, Points::most)
      .number("quality", "Quality",
              "Minimum corner quality relative to the best corner in the frame, 0 to 1. The "
              "quality is the smaller eigenvalue of the structure tensor",
              &KltProperties::quality, 0, 1)
      .number("min-eigenvalue", "Minimum eigenvalue",
              "Minimum absolute corner quality: the smaller eigenvalue of the structure tensor "
              "summed over 7 × 7 px, in squared grey levels (0 to 255)",
              &KltProperties::min_eigenvalue, 0, 1e9)
      .number("min-distance", "Minimum distance",
              "Minimum distance between new points along each axis, in px",
              &KltProperties::min_distance, 1, 64)
      .number("cells", "Cells",
              "Number of cells per axis; each cell gets at most an equal share of the points. 0 "
              "puts no limit on where points lie",
              &KltProperties::cells, 0, 64)
      .number("levels", "Levels", "Number of pyramid levels; small frames use fewer",
              &KltProperties::levels, 1, glcl::klt::Pyramids::most)
      .other(
          g_param_spec_int("window", "Window",
                           "Side of the tracking window, in px of each pyramid level. Even values "
                           "become the next odd one",
                           7, 31, defaults.window, glcl::controllable),
          [](KltProperties &settings, const GValue *value) {
            settings.window = g_value_get_int(value) | 1;
          },
          [](const KltProperties &settings, GValue *value) {
            g_value_set_int(value, settings.window);
          })
      .number("iterations", "Iterations", "Maximum number of iterations per pyramid level",
              &KltProperties::iterations, 1, 100)
      .number("max-residue", "Maximum residue",
              "A point is lost if the mean difference of its windows in two frames exceeds this "
              "value, in grey levels (0 to 255). 255 turns the test off",
              &KltProperties::max_residue, 0, 255)
      .flag("check-backward", "Check backward",
            "Also track each point back to the previous frame; points that miss their origin by "
            "more than 1 px are lost",
            &KltProperties::check)
      .number("reselect", "Reselect",
              "Interval, in frames, at which new points replace lost ones; 0 replaces them only as "
              "min-features demands",
              &KltProperties::reselect, 0, 1000)
      .number("min-features", "Minimum features",
              "If fewer points remain, new ones are selected at once", &KltProperties::min_features,
              0, Points::most)
      .number("noise", "Noise",
              "Standard deviation of the image noise, in grey levels (0 to 255). Motion that noise "
              "alone explains counts as zero. -1 measures the noise",
              &KltProperties::noise, -1, 64);
}

static void gst_glcl_klt_add_output_properties(glcl::Properties<KltProperties> &properties) {
  properties
      .flag("stabilize", "Stabilize",
            "Stabilize the picture: compensate the translation, rotation and zoom of a shaking "
            "camera",
            &KltProperties::stabilize)
      .number("smoothing", "Smoothing",
              "Time constant, in frames, with which stabilize=true follows intended camera motion; "
              "0 holds the picture still as long as the margin allows",
              &KltProperties::smoothing, 0, 10000)
      .number("margin", "Margin",
              "Fraction of width and height that stabilize=true crops on each side and may move "
              "the picture by, 0 to 0.4",
              &KltProperties::margin, 0, 0.4)
      .choice("display", "Display", "What the output shows", &KltProperties::display,
              display_type())
      .number("trail", "Trail",
              "Length of the lines of display=tracks, in frames; 0 draws the whole path since the "
              "point was selected",
              &KltProperties::trail, 0, PointRenderer::most_trail)
      .color("color", "Color", "Colour of dots and lines (0xAARRGGBB)", &KltProperties::color)
      .color("outline-color", "Outline color",
             "Colour of the outline around dots and lines (0xAARRGGBB)",
             &KltProperties::outline_color)
      .text("dump-location", "Dump location",
            "File that receives the points of every frame, as NAME.csv or NAME.json",
            &KltProperties::dump_location, glcl::before_paused);
}

static void gst_glcl_klt_class_init(GstGLCLKltClass *klass) {
  GST_DEBUG_CATEGORY_INIT(glcl_klt_debug, "glclklt", 0, "OpenCL feature tracker");
  glcl::init_element_class<GstGLCLKlt>(
      klass, {"OpenCL feature tracker", "Filter/Analyzer/Video",
              "Selects corner features in OpenGL textures and tracks them with OpenCL",
              DOCS_PAGE("glclklt")});
  auto properties = glcl::install_properties<GstGLCLKlt>(klass);
  gst_glcl_klt_add_tracking_properties(properties);
  gst_glcl_klt_add_output_properties(properties);

  GST_BASE_TRANSFORM_CLASS(klass)->start = GST_DEBUG_FUNCPTR(gst_glcl_klt_start);
  GST_BASE_TRANSFORM_CLASS(klass)->stop = GST_DEBUG_FUNCPTR(gst_glcl_klt_stop);
  auto *filter_class = GST_GLCL_FILTER_CLASS(klass);
  filter_class->prepare = gst_glcl_klt_prepare;
  filter_class->process = gst_glcl_klt_process;
  filter_class->passes_on = gst_glcl_klt_passes_on;
  filter_class->reset = gst_glcl_klt_reset;
  filter_class->unprepare = gst_glcl_klt_unprepare;
  filter_class->gaps_break = true;
}
