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
 * picture (`stabilize`), better with a delay (`look-ahead`).
 *
 * ## Message
 * An element message named `glclklt`, at most one per `interval`:
 *
 * * #GstClockTime `timestamp`, `stream-time`, `running-time`, `duration`: of the frame
 * * #guint `tracked`: points tracked to this frame; 0 in a blank frame
 * * #guint `lost`, `new`: points lost and selected since the last message
 * * #gboolean `cut`: true if the scene changed since the last message, so that all points were lost
 * * #guint `blank`: blank frames since the last message: black, white, damaged or covered ones, in
 * which no point is seen and none is lost
 * * #gdouble `mean-x`, `mean-y`: mean motion of the tracked points, px per frame; not for a blank
 * frame
 * * #gdouble `mean-age`: mean age of the tracked points, frames; not for a blank frame
 * * #gdouble `camera-confidence`: with `stabilize`, confidence of the camera motion, 0 to 1
 * * #gdouble `margin-used`: with `stabilize`, fraction of `margin` in use; at 1 shake remains
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

#include <functional>
#include <memory>
#include <optional>

#include "base/glclelement.h"
#include "base/glclengineswap.h"
#include "base/glcloverlay.h"
#include "config.h"
#include "gstglclkltlookahead.h"
#include "gstglclkltproperties.h"
#include "gstglclkltreports.h"
#include "klt/klt.h"
#include "klt/pathplanner.h"
#include "klt/renderer.h"
#include "klt/stabilizer.h"
#include "opencl/buffer.h"
#include "opencl/lazy.h"

GST_DEBUG_CATEGORY_STATIC(glcl_klt_debug);
#define GST_CAT_DEFAULT glcl_klt_debug

namespace {

using glcl::klt::Klt;
using glcl::klt::KltProperties;
using glcl::klt::PathPlanner;
using glcl::klt::PointRenderer;
using glcl::klt::PointReports;
using glcl::klt::Stabilizer;
using glcl::klt::WaitingPicture;
using glcl::klt::WaitingPictures;

/// The stabilizer, its look-ahead, and a picture for the frame with its drawing before it is moved.
struct Stabilization {
  glcl::Lazy<Stabilizer> stabilizer;
  glcl::Lazy<PathPlanner> planner;
  glcl::Picture drawn;
  WaitingPictures waiting;
};

struct KltState {
  glcl::Guarded<KltProperties> settings;
  KltProperties frame_settings;  // of the current frame

  // GL thread
  std::shared_ptr<glcl::Context> context;
  int width = 0, height = 0;
  float aspect = 1;  // width of a pixel by its height
  std::unique_ptr<Klt> klt;
  std::unique_ptr<PointRenderer> renderer;
  std::unique_ptr<Stabilization> stabilization;
  Stabilizer *active_stabilizer = nullptr;  // null if this frame is not moved

  PointReports reports;  // GL thread; started and stopped while no frame is processed
};

}  // namespace

struct _GstGLCLKlt {
  GstGLCLAnalyzer parent;
  KltState *state;
};

G_DEFINE_TYPE(GstGLCLKlt, gst_glcl_klt, GST_TYPE_GLCL_ANALYZER)
GST_ELEMENT_REGISTER_DEFINE(glclklt, "glclklt", GST_RANK_NONE, gst_glcl_klt_get_type())

/// Returns the stabilizer once it is built, with `wait` at once. A failure is reported once.
static Stabilizer *gst_glcl_klt_stabilizer(GstGLCLKlt *self, glcl::Context &context, bool wait) {
  KltState *state = self->state;
  const auto make = [context = context.shared_from_this(), width = state->width,
                     height = state->height, aspect = state->aspect,
                     frame = gst_glcl_filter_frame_format(GST_GLCL_FILTER(self),
                                                          glcl::layout_for(context.device()))] {
    return Stabilizer(*context, width, height, frame, aspect);
  };
  return glcl::optional_engine(GST_ELEMENT(self), state->stabilization->stabilizer, make,
                               "The picture is not stabilized.", wait);
}

/// Returns the planner of the look-ahead in the same way.
static PathPlanner *gst_glcl_klt_planner(GstGLCLKlt *self, glcl::Context &context, bool wait) {
  const auto make = [context = context.shared_from_this()] { return PathPlanner(*context); };
  return glcl::optional_engine(GST_ELEMENT(self), self->state->stabilization->planner, make,
                               "The picture is stabilized without look-ahead.", wait);
}

/// Builds the engines, because the size of frames has changed, or on another context.
static void gst_glcl_klt_build(GstGLCLKlt *self, glcl::Context &context, int width, int height,
                               const glcl::FrameFormat &frame) {
  KltState *state = self->state;
  state->klt.reset();  // of the old size or context
  state->context = context.shared_from_this();
  state->width = width, state->height = height;
  state->aspect = gst_glcl_filter_pixel_aspect(GST_GLCL_FILTER(self));
  auto klt = std::make_unique<Klt>(context, width, height, frame);
  state->renderer = std::make_unique<PointRenderer>(context, width, height, frame.layout);
  state->stabilization = std::make_unique<Stabilization>();
  state->reports.prepare(context, width, height);
  state->klt = std::move(klt);  // all engines are built
  GST_INFO_OBJECT(self, "frames of %d×%d px", width, height);
}

/// Prepares everything that does not depend on the engine of points.
static void gst_glcl_klt_finish_preparation(GstGLCLKlt *self, glcl::Context &context) {
  const KltProperties settings = self->state->settings.get();
  if (settings.stabilize) gst_glcl_klt_stabilizer(self, context, true);
  if (settings.delay() > 0) gst_glcl_klt_planner(self, context, true);
  gst_glcl_analyzer_prepare(GST_GLCL_ANALYZER(self), context,
                            self->state->reports.bytes(settings.features));
}

static glcl::Layout gst_glcl_klt_prepare(GstGLCLFilter *filter, glcl::Context &context, int width,
                                         int height) {
  GstGLCLKlt *self = GST_GLCL_KLT(filter);
  const glcl::Layout layout = glcl::layout_for(context.device());
  gst_glcl_klt_build(self, context, width, height, gst_glcl_filter_frame_format(filter, layout));
  gst_glcl_klt_finish_preparation(self, context);
  return layout;
}

/// Points, trails and the stabilized position stay.
static glcl::Layout gst_glcl_klt_set_format(GstGLCLFilter *filter, glcl::Context &context, int,
                                            int) {
  GstGLCLKlt *self = GST_GLCL_KLT(filter);
  const glcl::Layout layout = glcl::layout_for(context.device());
  const glcl::FrameFormat frame = gst_glcl_filter_frame_format(filter, layout);
  self->state->klt->set_format(context, frame);
  glcl::Lazy<Stabilizer> &stabilizer = self->state->stabilization->stabilizer;
  if (Stabilizer *built = stabilizer.value())
    built->set_format(context, frame);
  else
    stabilizer = {};  // waits for one that is being built for the old format
  gst_glcl_klt_finish_preparation(self, context);
  return layout;
}

/// Decides whether the frame is moved, and computes the motion.
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
  if (PathPlanner *planner = state->stabilization->planner.value();
      planner && gst_glcl_filter_frame_delay(GST_GLCL_FILTER(self)) == 0)
    planner->forget();
}

/// The picture for a frame with its drawing, RGBA.
static const glcl::Picture &gst_glcl_klt_drawn(KltState *state, glcl::Queue &queue) {
  glcl::Picture &drawn = state->stabilization->drawn;
  if (!drawn)
    drawn =
        glcl::make_picture(queue.context().cl(), state->width, state->height, state->klt->layout());
  return drawn;
}

/// Renders the frame with its drawing, and moves it if it is stabilized.
static void gst_glcl_klt_draw(KltState *state, glcl::Queue &queue, const KltProperties &settings,
                              const glcl::drawing::Canvas &canvas) {
  if (!state->active_stabilizer) return state->renderer->draw(queue, settings, *state->klt, canvas);
  const glcl::Picture &drawn = gst_glcl_klt_drawn(state, queue);
  state->renderer->draw(queue, settings, *state->klt,
                        {canvas.in, drawn, canvas.overlay, canvas.has_frame});
  state->active_stabilizer->show(queue, drawn, canvas.out);
}

/// Keeps a frame that waits, with its drawing: into the frame if this is RGBA and gets no overlay.
static void gst_glcl_klt_keep_pictures(GstGLCLKlt *self, glcl::Queue &queue,
                                       const KltProperties &settings, const glcl::Picture &in,
                                       WaitingPicture &kept) {
  KltState *state = self->state;
  const bool drawn = settings.display != PointRenderer::Display::none;
  const bool is_rgba = in.format == &glcl::PlaneFormat::rgba8;
  kept.has_drawing =
      drawn && (!is_rgba || gst_glcl_analyzer_attaches_overlay(GST_GLCL_ANALYZER(self)));
  if (!drawn || kept.has_drawing)
    glcl::copy_picture(queue, in, kept.frame);
  else
    state->renderer->draw(queue, settings, *state->klt, {in, kept.frame});
  if (!kept.has_drawing) return;
  if (!kept.drawing)
    kept.drawing = glcl::make_picture(queue.context().cl(), state->width, state->height, in.layout);
  state->renderer->draw(
      queue, settings, *state->klt,
      {is_rgba ? in : gst_glcl_klt_drawn(state, queue), kept.drawing, true, is_rgba});
}

/// Keeps how a frame that waits is moved. Without a planner it is moved as without
/// look-ahead.
static void gst_glcl_klt_keep_motion(GstGLCLKlt *self, glcl::Queue &queue,
                                     const KltProperties &settings, WaitingPicture &kept) {
  KltState *state = self->state;
  Stabilizer *stabilizer = state->active_stabilizer;
  kept.moves = stabilizer;
  if (!stabilizer) return;
  const size_t bytes = sizeof(glcl::klt::StabilizerState);
  glcl::ensure_size(kept.state, queue.context().cl(), bytes);
  const int ahead = gst_glcl_filter_frame_delay(GST_GLCL_FILTER(self));
  if (PathPlanner *planner = gst_glcl_klt_planner(self, queue.context(), false))
    kept.number = planner->record(queue, settings, ahead, *stabilizer, *state->klt);
  else
    queue.cl().enqueueCopyBuffer(stabilizer->state(), kept.state, 0, 0, bytes);
}

/// Keeps a frame for `release`.
static void gst_glcl_klt_keep(GstGLCLKlt *self, glcl::Queue &queue, const glcl::Picture &in,
                              GstBuffer *inbuf, GstBuffer *outbuf) {
  KltState *state = self->state;
  WaitingPictures &waiting = state->stabilization->waiting;
  WaitingPicture &kept = waiting.add(queue, in);
  try {
    gst_glcl_klt_keep_pictures(self, queue, state->frame_settings, in, kept);
    gst_glcl_klt_keep_motion(self, queue, state->frame_settings, kept);
    kept.report = state->reports.begin(GST_GLCL_ANALYZER(self), queue, *state->klt, inbuf, outbuf,
                                       &kept.summary);
  } catch (...) {
    waiting.remove_last();
    throw;
  }
}

static bool gst_glcl_klt_release_waiting(GstGLCLFilter *filter, glcl::Queue &queue,
                                         const glcl::Picture &out, GstBuffer *outbuf) {
  KltState *state = GST_GLCL_KLT(filter)->state;
  auto *analyzer = GST_GLCL_ANALYZER(filter);
  if (!state->stabilization || state->stabilization->waiting.empty()) return false;
  WaitingPicture &kept = state->stabilization->waiting.oldest();
  Stabilizer *stabilizer = state->stabilization->stabilizer.value();
  if (!stabilizer) kept.moves = false;
  const cl::Buffer *moved = kept.moves ? &kept.state : nullptr;
  if (PathPlanner *planner = state->stabilization->planner.value();
      kept.moves && kept.number && planner) {
    planner->plan(queue, state->frame_settings, *stabilizer, *kept.number);
    moved = &planner->state();
  }
  state->reports.finish(analyzer, queue, kept.report, moved);
  const auto show = [&](const glcl::Picture &from, const glcl::Picture &to) {
    if (moved)
      stabilizer->show(queue, from, to, *moved);
    else
      glcl::copy_picture(queue, from, to);
  };
  gst_glcl_analyzer_draw(
      analyzer, queue, kept.frame, out, outbuf,
      kept.has_drawing ? std::optional(glcl::Rect{0, 0, out.width, out.height}) : std::nullopt,
      [&](const glcl::drawing::Canvas &canvas) {
        show(canvas.overlay ? kept.drawing : kept.frame, canvas.out);
      },
      show);
  state->stabilization->waiting.release_oldest();
  return true;
}

static void gst_glcl_klt_drop_waiting(GstGLCLFilter *filter) {
  KltState *state = GST_GLCL_KLT(filter)->state;
  if (state->stabilization) state->stabilization->waiting.clear();
}

static void gst_glcl_klt_process(GstGLCLFilter *filter, glcl::Queue &queue, const glcl::Picture &in,
                                 const glcl::Picture &out, GstBuffer *inbuf, GstBuffer *outbuf) {
  GstGLCLKlt *self = GST_GLCL_KLT(filter);
  auto *analyzer = GST_GLCL_ANALYZER(filter);
  KltState *state = self->state;
  const KltProperties &settings = state->frame_settings;
  state->klt->run(queue, settings, in);
  gst_glcl_klt_stabilize(self, queue, settings);
  const bool drawn = settings.display != PointRenderer::Display::none;
  if (!drawn) state->renderer->forget();
  if (gst_glcl_filter_frame_delay(filter) > 0)
    return gst_glcl_klt_keep(self, queue, in, inbuf, outbuf);
  state->reports.finish(analyzer, queue,
                        state->reports.begin(analyzer, queue, *state->klt, inbuf, outbuf),
                        state->active_stabilizer ? &state->active_stabilizer->state() : nullptr);
  const auto draw = [&](const glcl::drawing::Canvas &canvas) {
    gst_glcl_klt_draw(state, queue, settings, canvas);
  };
  const auto steady = [&](const glcl::Picture &from, const glcl::Picture &to) {
    state->active_stabilizer->show(queue, from, to);
  };
  gst_glcl_analyzer_draw(
      analyzer, queue, in, out, outbuf,
      drawn ? std::optional(glcl::Rect{0, 0, in.width, in.height}) : std::nullopt, draw,
      state->active_stabilizer ? glcl::RenderFrame(steady) : nullptr);
}

static bool gst_glcl_klt_passes_on(GstGLCLFilter *filter) {
  if (gst_glcl_filter_frame_delay(filter) > 0) return true;  // it is kept
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
  state->context.reset();
}

static gboolean gst_glcl_klt_start(GstBaseTransform *trans) {
  KltState *state = GST_GLCL_KLT(trans)->state;
  if (!gst_glcl_filter_guard(GST_GLCL_FILTER(trans),
                             [&] { state->reports.start(state->settings.get().dump_location); }))
    return FALSE;
  return GST_BASE_TRANSFORM_CLASS(gst_glcl_klt_parent_class)->start(trans);
}

static gboolean gst_glcl_klt_stop(GstBaseTransform *trans) {
  const gboolean stopped = GST_BASE_TRANSFORM_CLASS(gst_glcl_klt_parent_class)->stop(trans);
  GST_GLCL_KLT(trans)->state->reports.stop();
  return stopped;
}

static void gst_glcl_klt_init(GstGLCLKlt *self) { self->state = new KltState; }

static void gst_glcl_klt_class_init(GstGLCLKltClass *klass) {
  GST_DEBUG_CATEGORY_INIT(glcl_klt_debug, "glclklt", 0, "OpenCL feature tracker");
  glcl::init_element_class<GstGLCLKlt>(
      klass, {"OpenCL feature tracker", "Filter/Analyzer/Video",
              "Selects corner features in OpenGL textures and tracks them with OpenCL",
              DOCS_PAGE("glclklt")});
  auto properties = glcl::install_properties<GstGLCLKlt>(klass);
  glcl::klt::add_properties(properties);

  GST_BASE_TRANSFORM_CLASS(klass)->start = GST_DEBUG_FUNCPTR(gst_glcl_klt_start);
  GST_BASE_TRANSFORM_CLASS(klass)->stop = GST_DEBUG_FUNCPTR(gst_glcl_klt_stop);
  auto *filter_class = GST_GLCL_FILTER_CLASS(klass);
  filter_class->prepare = gst_glcl_klt_prepare;
  filter_class->process = gst_glcl_klt_process;
  filter_class->passes_on = gst_glcl_klt_passes_on;
  filter_class->reset = gst_glcl_klt_reset;
  filter_class->unprepare = gst_glcl_klt_unprepare;
  filter_class->takes_planes = true;
  filter_class->reads_luma = [](GstGLCLFilter *filter) {
    return gst_glcl_filter_frame_delay(filter) == 0;
  };
  filter_class->waiting.delay = [](GstGLCLFilter *filter) {
    return GST_GLCL_KLT(filter)->state->settings.get().delay();
  };
  filter_class->waiting.release = gst_glcl_klt_release_waiting;
  filter_class->waiting.drop = gst_glcl_klt_drop_waiting;
  filter_class->gaps_break = true;
  filter_class->set_format = gst_glcl_klt_set_format;
}
