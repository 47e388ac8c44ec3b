// SPDX-License-Identifier: LGPL-2.1-or-later
/**
 * SECTION:element-glclhough
 * @title: glclhough
 *
 * Finds templates in frames by their edges, at any position, rotation and scale, and straight
 * lines and circles. It draws their outlines or all edges, posts them in `glclhough` messages, and
 * attaches a GstCustomMeta and regions of interest. Templates come from image files, from the video
 * itself (action signal `learn`), or from samples (`learn-picture`).
 *
 * ## Example launch lines
 * |[
 * gst-launch-1.0 -m v4l2src ! glupload ! glcolorconvert ! glclhough template=logo.png
 * display=objects ! glimagesink
 * ]|
 * Draws the outline of a logo over a camera picture and prints messages with its position.
 * |[
 * gst-launch-1.0 v4l2src ! glupload ! glcolorconvert ! glclhough display=edges ! glimagesink
 * ]|
 * Draws the edges of a camera picture.
 * |[
 * gst-launch-1.0 -m v4l2src ! glupload ! glcolorconvert ! glclhough lines=20 circles=10
 * display=objects ! glimagesink
 * ]|
 * Draws straight lines and circles, and prints messages with their positions.
 *
 * Since: 0.1
 */
#include "gstglclhough.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>

#include "base/glclelement.h"
#include "base/glcloverlay.h"
#include "base/glclregion.h"
#include "base/glclresult.h"
#include "config.h"
#include "gstglclhoughregions.h"
#include "gstglclhoughshapes.h"
#include "gstglclhoughtemplateset.h"
#include "hough/globalmotion.h"
#include "hough/hough.h"
#include "hough/renderer.h"
#include "opencl/error.h"
#include "opencl/lazy.h"

GST_DEBUG_CATEGORY_STATIC(glcl_hough_debug);
#define GST_CAT_DEFAULT glcl_hough_debug

namespace {

using glcl::Rect;
using glcl::hough::CircleFinder;
using glcl::hough::FoundCircle;
using glcl::hough::FoundLine;
using glcl::hough::FoundShapes;
using glcl::hough::GlobalMotion;
using glcl::hough::Hough;
using glcl::hough::HoughRenderer;
using glcl::hough::HoughSettings;
using glcl::hough::LineFinder;
using glcl::hough::ShapeSearch;
using glcl::hough::ShapeSettings;
using glcl::hough::TemplateSet;

GType display_type() {
  using Display = HoughRenderer::Display;
  return glcl::enum_type<Display>(
      "GstGLCLHoughDisplay",
      {{Display::none, "Unchanged input", "none"},
       {Display::edges, "Edges drawn over the frame", "edges"},
       {Display::objects, "Outlines of the objects found, lines and circles", "objects"}});
}

struct HoughProperties : Hough::Settings, ShapeSettings {
  std::string files;
  Rect roi;
  HoughRenderer::Display display = HoughRenderer::Display::none;
  guint color = 0xff00ff40;
};

struct HoughState {
  glcl::Guarded<HoughProperties> settings;
  HoughProperties frame_settings;     // of the current frame
  glcl::Guarded<FoundShapes> latest;  // last results
  TemplateSet templates;
  ShapeSearch shapes;

  // GL thread
  int width = 0, height = 0;
  std::shared_ptr<glcl::Context> context;
  std::unique_ptr<Hough> hough;
  std::unique_ptr<HoughRenderer> renderer;
  glcl::Lazy<std::unique_ptr<GlobalMotion>> motion;
  bool roi_warned = false;  // a warning was posted since the roi was last inside the frames
};

constexpr char kind[] = "glclhough";
constexpr size_t most_read = std::max(Hough::result_bytes, ShapeSearch::most_bytes);

TemplateSet::Settings template_settings(const HoughProperties &settings) {
  return {settings.files, settings};
}

}  // namespace

struct _GstGLCLHough {
  GstGLCLAnalyzer parent;
  HoughState *state;
};

G_DEFINE_TYPE(GstGLCLHough, gst_glcl_hough, GST_TYPE_GLCL_ANALYZER)
GST_ELEMENT_REGISTER_DEFINE(glclhough, "glclhough", GST_RANK_NONE, gst_glcl_hough_get_type())

static glcl::Layout gst_glcl_hough_prepare(GstGLCLFilter *filter, glcl::Context &context, int width,
                                           int height) {
  GstGLCLHough *self = GST_GLCL_HOUGH(filter);
  HoughState *state = self->state;
  const HoughProperties settings = state->settings.get();
  const glcl::Layout layout = glcl::layout_for(context.device());
  gst_glcl_analyzer_prepare(GST_GLCL_ANALYZER(filter), context, most_read);
  state->width = width;
  state->height = height;
  state->roi_warned = false;
  state->motion = {};
  state->context = context.shared_from_this();
  state->shapes.prepare(state->context, width, height);
  auto hough =
      std::make_unique<Hough>(context, width, height, gst_glcl_filter_frame_format(filter, layout));
  state->renderer = std::make_unique<HoughRenderer>(context, width, height, layout);
  // After the first frame neither smaller frames nor missing files are an error.
  state->templates.prepare(GST_ELEMENT(self), state->context, width, height,
                           template_settings(settings), gst_glcl_filter_has_begun(filter));
  hough->set_templates(state->templates.templates());
  state->hough = std::move(hough);
  GST_INFO_OBJECT(filter, "frames of %d×%d px, %zu templates", width, height,
                  state->hough->templates().size());
  return layout;
}

/// The previous frame, the last result and the templates stay.
static glcl::Layout gst_glcl_hough_set_format(GstGLCLFilter *filter, glcl::Context &context, int,
                                              int) {
  const glcl::Layout layout = glcl::layout_for(context.device());
  GST_GLCL_HOUGH(filter)->state->hough->set_format(context,
                                                   gst_glcl_filter_frame_format(filter, layout));
  gst_glcl_analyzer_prepare(GST_GLCL_ANALYZER(filter), context, most_read);
  return layout;
}

static void gst_glcl_hough_attach(GstGLCLHough *self, glcl::Queue &queue, GstBuffer *outbuf) {
  HoughState *state = self->state;
  std::vector<glcl::ResultArray> arrays{{"list-count", "int32", {1}, 0},
                                        {"list", "float32", {HoughSettings::most_objects, 8}, 32}};
  const size_t bytes = state->shapes.add_arrays(arrays, Hough::result_bytes);
  const glcl::AttachedResult result =
      gst_glcl_analyzer_attach(GST_GLCL_ANALYZER(self), outbuf, kind, bytes, arrays);
  gst_structure_set(result.fields, "width", G_TYPE_INT, state->width, "height", G_TYPE_INT,
                    state->height, nullptr);
  queue.cl().enqueueCopyBuffer(state->hough->result(), glcl::result_memory(result.buffer), 0, 0,
                               Hough::result_bytes);
  state->shapes.copy(queue, glcl::result_memory(result.buffer), Hough::result_bytes);
  glcl::result_written(result.buffer, queue);
  // The last result is some frames old.
  glcl::hough::attach_regions(outbuf, state->latest.get(), state->width, state->height);
}

/// The results of a frame that are read before its templates.
struct HoughReads {
  std::optional<GlobalMotion::Estimate> motion;
  std::optional<std::vector<FoundLine>> lines;      // absent if lines=0
  std::optional<std::vector<FoundCircle>> circles;  // absent if circles=0
};

static void gst_glcl_hough_post(GstGLCLHough *self, const glcl::FrameTimes &times,
                                const Hough::TemplateMatches &found, const HoughReads &reads) {
  glcl::FieldRows list({"template", "x", "y", "angle", "scale", "score"});
  for (const Hough::TemplateMatch &object : found.objects)
    list.add(gst_structure_new("object", "template", G_TYPE_STRING, object.templ->name.c_str(), "x",
                               G_TYPE_DOUBLE, object.x, "y", G_TYPE_DOUBLE, object.y, "angle",
                               G_TYPE_DOUBLE, object.angle, "scale", G_TYPE_DOUBLE, object.scale,
                               "score", G_TYPE_DOUBLE, object.score, nullptr));
  GstStructure *structure = gst_glcl_analyzer_structure(kind, times);
  list.into(structure, "objects");
  gst_structure_set(structure, "edges", G_TYPE_UINT, found.edges, nullptr);
  if (reads.lines) glcl::hough::set_lines(structure, *reads.lines);
  if (reads.circles) glcl::hough::set_circles(structure, *reads.circles);
  if (const auto &motion = reads.motion)
    gst_structure_set(structure, "rotation", G_TYPE_DOUBLE, motion->rotation, "zoom", G_TYPE_DOUBLE,
                      motion->zoom, "shift-x", G_TYPE_DOUBLE, motion->shift_x, "shift-y",
                      G_TYPE_DOUBLE, motion->shift_y, nullptr);
  gst_glcl_analyzer_post(GST_GLCL_ANALYZER(self), structure);
}

/// Enqueues the search for the global motion since the previous frame; null without a previous
/// frame. The programs are built in the background during the first frame. The second frame waits
/// for them, so that results are reproducible.
static const cl::Buffer *gst_glcl_hough_move(GstGLCLHough *self, glcl::Queue &queue,
                                             const HoughProperties &settings) {
  HoughState *state = self->state;
  const auto make = [context = state->context, width = state->width, height = state->height] {
    return std::make_unique<GlobalMotion>(*context, width, height);
  };
  const glcl::hough::Canny &canny = state->hough->canny();
  if (!canny.before()) {
    state->motion.poll(make);
    return nullptr;
  }
  GlobalMotion &motion = *state->motion.get(make);
  motion.run(queue, *canny.before(), canny.edges(), state->hough->region(settings), canny.number());
  return &motion.result();
}

/// Enqueues the read of the lines or circles of a frame, at most `most`. They are absent if that is
/// 0, and an empty list while the kernels of their search are built.
template <class Finder, class List>
static void gst_glcl_hough_read_shapes(GstGLCLHough *self, glcl::Queue &queue, int most,
                                       const cl::Buffer *result,
                                       const std::shared_ptr<HoughReads> &reads,
                                       List HoughReads::*kind) {
  if (most > 0) ((*reads).*kind).emplace();
  if (!result) return;
  gst_glcl_analyzer_read(
      GST_GLCL_ANALYZER(self), queue, *result, Finder::result_bytes,
      [reads, kind](const void *bytes) { (*reads).*kind = Finder::read(bytes); });
}

/// Enqueues the reads of a frame's results, and posts them once they have arrived.
static void gst_glcl_hough_read(GstGLCLHough *self, glcl::Queue &queue,
                                const HoughProperties &settings, const glcl::FrameRequest &wanted) {
  HoughState *state = self->state;
  auto *analyzer = GST_GLCL_ANALYZER(self);
  auto reads = std::make_shared<HoughReads>();
  if (wanted.message) {
    if (const cl::Buffer *moved = gst_glcl_hough_move(self, queue, settings)) {
      gst_glcl_filter_counts_square(GST_GLCL_FILTER(self), "rotations of the picture");
      gst_glcl_analyzer_read(
          analyzer, queue, *moved, GlobalMotion::result_bytes,
          [reads](const void *bytes) { reads->motion = GlobalMotion::read(bytes); });
    }
  }
  const glcl::hough::ShapeResults &shapes = state->shapes.results();
  gst_glcl_hough_read_shapes<LineFinder>(self, queue, settings.lines, shapes.lines, reads,
                                         &HoughReads::lines);
  gst_glcl_hough_read_shapes<CircleFinder>(self, queue, settings.circles, shapes.circles, reads,
                                           &HoughReads::circles);
  gst_glcl_analyzer_read(
      analyzer, queue, state->hough->result(), Hough::result_bytes,
      [self, wanted, reads, templates = state->hough->templates()](const void *bytes) {
        const Hough::TemplateMatches found = Hough::read(bytes, templates);
        self->state->latest.set({found.objects, reads->lines.value_or(std::vector<FoundLine>()),
                                 reads->circles.value_or(std::vector<FoundCircle>())});
        if (wanted.message) gst_glcl_hough_post(self, wanted.times, found, *reads);
      });
}

static void gst_glcl_hough_process(GstGLCLFilter *filter, glcl::Queue &queue,
                                   const glcl::Picture &in, const glcl::Picture &out,
                                   GstBuffer *inbuf, GstBuffer *outbuf) {
  GstGLCLHough *self = GST_GLCL_HOUGH(filter);
  HoughState *state = self->state;
  HoughProperties settings = state->frame_settings;
  const Rect area = glcl::clipped(settings.roi, in.width, in.height);
  glcl::warn_of_region(GST_ELEMENT(filter), settings.roi, in.width, in.height, area,
                       state->roi_warned);
  settings.region = area;
  if (settings.scale_max < settings.scale_min) settings.scale_max = settings.scale_min;
  if (state->templates.update(
          GST_ELEMENT(self), queue, template_settings(settings),
          [&]() -> const glcl::Picture & { return gst_glcl_filter_rgba(filter, queue, in); })) {
    state->hough->set_templates(state->templates.templates());
    GST_DEBUG_OBJECT(self, "%zu templates from now on", state->hough->templates().size());
  }
  const glcl::FrameRequest wanted = gst_glcl_analyzer_request(GST_GLCL_ANALYZER(filter), inbuf);
  const bool searches =
      wanted.message || wanted.meta || settings.display == HoughRenderer::Display::objects;
  state->hough->run(queue, settings, in, searches);
  if (searches)
    state->shapes.run(queue, settings, state->hough->canny().edges(), settings.hysteresis,
                      state->hough->region(settings));
  gst_glcl_analyzer_draw(GST_GLCL_ANALYZER(filter), queue, in, out, outbuf,
                         settings.display == HoughRenderer::Display::none
                             ? std::nullopt
                             : std::optional(glcl::Rect{0, 0, in.width, in.height}),
                         [&](const glcl::drawing::Canvas &canvas) {
                           state->renderer->draw(queue, settings.display, settings.color,
                                                 settings.hysteresis, *state->hough,
                                                 state->shapes.results(), canvas);
                         });
  if (wanted.meta) gst_glcl_hough_attach(self, queue, outbuf);
  if (!state->hough->templates().empty()) gst_glcl_filter_counts_square(filter, "turned templates");
  if (settings.lines > 0 && searches) gst_glcl_filter_counts_square(filter, "angles of lines");
  if (settings.circles > 0 && searches) gst_glcl_filter_counts_square(filter, "circles");
  if (!wanted.message && !wanted.meta) return;
  gst_glcl_hough_read(self, queue, settings, wanted);
}

static bool gst_glcl_hough_passes_on(GstGLCLFilter *filter) {
  return GST_GLCL_HOUGH(filter)->state->frame_settings.display == HoughRenderer::Display::none ||
         gst_glcl_analyzer_attaches_overlay(GST_GLCL_ANALYZER(filter));
}

/// Only templates cut out of a frame use colours.
static bool gst_glcl_hough_reads_luma(GstGLCLFilter *filter) {
  return !GST_GLCL_HOUGH(filter)->state->templates.take_requests();
}

static void gst_glcl_hough_reset(GstGLCLFilter *filter) {
  HoughState *state = GST_GLCL_HOUGH(filter)->state;
  GST_DEBUG_OBJECT(filter, "the stream has a gap before the next frame");
  state->latest.set({});
  if (state->hough) state->hough->reset();
}

static void gst_glcl_hough_unprepare(GstGLCLFilter *filter) {
  HoughState *state = GST_GLCL_HOUGH(filter)->state;
  state->templates.unprepare();
  state->shapes.unprepare();
  state->motion = {};
  state->hough.reset();
  state->renderer.reset();
  state->context.reset();
  state->latest.set({});
}

static gboolean gst_glcl_hough_learn(GstGLCLHough *self, const gchar *name, gint x, gint y,
                                     gint width, gint height) {
  const Rect box{x, y, width, height};
  if (!name || !*name || box.empty()) {
    g_warning("learn needs a name and a width and height above 0.");
    return FALSE;
  }
  return self->state->templates.learn(name, box);
}

static gboolean gst_glcl_hough_learn_picture(GstGLCLHough *self, const gchar *name,
                                             GstSample *sample) {
  if (!name || !*name || !sample) {
    g_warning("learn-picture needs a name and a sample.");
    return FALSE;
  }
  return self->state->templates.learn(name, sample);
}

static gboolean gst_glcl_hough_forget(GstGLCLHough *self, const gchar *name) {
  return self->state->templates.forget(
      glcl::utf8(name ? name : ""));  // names of templates are valid UTF-8
}

static void gst_glcl_hough_init(GstGLCLHough *self) { self->state = new HoughState; }

static void gst_glcl_hough_add_properties(glcl::Properties<HoughProperties> &properties) {
  properties
      .text("template", "Template",
            "Image files of the shapes to find, separated by commas. At most 16 templates, "
            "including learned ones",
            &HoughProperties::files)
      .number("min-score", "Minimum score",
              "Minimum score of an object: 0 is a chance match, 1 is the complete outline",
              &HoughProperties::min_score, 0, 1)
      .number("max-objects", "Maximum objects",
              "Maximum number of objects reported; those with the highest scores are kept",
              &HoughProperties::max_objects, 1, HoughSettings::most_objects)
      .number("scale-min", "Minimum scale", "Minimum size of an object, relative to its template",
              &HoughProperties::scale_min, HoughSettings::least_scale, HoughSettings::most_scale)
      .number("scale-max", "Maximum scale",
              "Maximum size of an object, relative to its template. A value below scale-min counts "
              "as scale-min",
              &HoughProperties::scale_max, HoughSettings::least_scale, HoughSettings::most_scale)
      .number(
          "angle-min", "Minimum angle",
          "Minimum rotation of an object relative to its template, in degrees counter-clockwise",
          &HoughProperties::angle_min, -180, 180)
      .number("angle-max", "Maximum angle",
              "Maximum rotation of an object relative to its template, in degrees "
              "counter-clockwise. If it is below angle-min, the range wraps around at 180",
              &HoughProperties::angle_max, -180, 180)
      .other(
          gst_param_spec_array(
              "roi", "Region of interest",
              "Region in which edges are detected: <x, y, width, height> in px. It is clipped to "
              "the frame; a region outside moves to the nearest edge. Empty: whole frame",
              nullptr, glcl::while_playing),
          [](HoughProperties &settings, const GValue *value) {
            glcl::set_region(settings.roi, value);
          },
          [](const HoughProperties &settings, GValue *value) {
            glcl::get_region(settings.roi, value);
          })
      .number("low", "Lower threshold",
              "Lower hysteresis threshold: minimum gradient of an edge connected to a stronger "
              "one, in grey levels per px; -1 is half of the upper threshold",
              &HoughProperties::low, -1, glcl::hough::Canny::most)
      .number("high", "Upper threshold",
              "Upper threshold: minimum gradient of an edge, in grey levels per px; -1 follows the "
              "measured noise",
              &HoughProperties::high, -1, glcl::hough::Canny::most)
      .flag("hysteresis", "Hysteresis",
            "Also keep edges between the two thresholds that are connected to a stronger edge. "
            "FALSE: only edges above the upper threshold count",
            &HoughProperties::hysteresis)
      .choice("display", "Display", "What the output shows", &HoughProperties::display,
              display_type())
      .color("color", "Color", "Colour of edges, outlines, lines and circles (0xAARRGGBB)",
             &HoughProperties::color);
}

static void gst_glcl_hough_add_signals(GstGLCLHoughClass *klass) {
  /**
   * GstGLCLHough::learn:
   * @name: of the template; one that has the name already is replaced
   * @x, @y, @width, @height: the box of the next frame that becomes a template, px
   *
   * Returns: whether it will be tried. What can't become a template is warned of on the bus.
   */
  g_signal_new_class_handler("learn", G_TYPE_FROM_CLASS(klass),
                             static_cast<GSignalFlags>(G_SIGNAL_RUN_LAST | G_SIGNAL_ACTION),
                             G_CALLBACK(gst_glcl_hough_learn), nullptr, nullptr, nullptr,
                             G_TYPE_BOOLEAN, 5, G_TYPE_STRING, G_TYPE_INT, G_TYPE_INT, G_TYPE_INT,
                             G_TYPE_INT);

  /**
   * GstGLCLHough::learn-picture:
   * @name: of the template; one that has the name already is replaced
   * @sample: a frame of video/x-raw that becomes a template; what is transparent is mid-grey
   *
   * Returns: whether it will be tried, from the next frame on. What can't become a template is
   * warned of on the bus.
   */
  g_signal_new_class_handler("learn-picture", G_TYPE_FROM_CLASS(klass),
                             static_cast<GSignalFlags>(G_SIGNAL_RUN_LAST | G_SIGNAL_ACTION),
                             G_CALLBACK(gst_glcl_hough_learn_picture), nullptr, nullptr, nullptr,
                             G_TYPE_BOOLEAN, 2, G_TYPE_STRING, GST_TYPE_SAMPLE);

  /**
   * GstGLCLHough::forget:
   * @name: (nullable): of a learned template; null or empty for all learned ones
   *
   * The templates of the property `template` stay.
   *
   * Returns: whether it will be done, from the next frame on.
   */
  g_signal_new_class_handler("forget", G_TYPE_FROM_CLASS(klass),
                             static_cast<GSignalFlags>(G_SIGNAL_RUN_LAST | G_SIGNAL_ACTION),
                             G_CALLBACK(gst_glcl_hough_forget), nullptr, nullptr, nullptr,
                             G_TYPE_BOOLEAN, 1, G_TYPE_STRING);
}

static void gst_glcl_hough_class_init(GstGLCLHoughClass *klass) {
  GST_DEBUG_CATEGORY_INIT(glcl_hough_debug, "glclhough", 0, "OpenCL Hough transform");
  glcl::init_element_class<GstGLCLHough>(
      klass, {"OpenCL shape finder", "Filter/Analyzer/Video",
              "Detects edges, and finds lines, circles, and objects by "
              "their template's outline, in OpenGL textures with OpenCL",
              DOCS_PAGE("glclhough")});
  auto properties = glcl::install_properties<GstGLCLHough>(klass);
  gst_glcl_hough_add_properties(properties);
  glcl::hough::add_shape_properties(properties);

  gst_glcl_hough_add_signals(klass);
  auto *filter_class = GST_GLCL_FILTER_CLASS(klass);
  filter_class->prepare = gst_glcl_hough_prepare;
  filter_class->set_format = gst_glcl_hough_set_format;
  filter_class->process = gst_glcl_hough_process;
  filter_class->takes_planes = true;
  filter_class->reads_luma = gst_glcl_hough_reads_luma;
  filter_class->passes_on = gst_glcl_hough_passes_on;
  filter_class->reset = gst_glcl_hough_reset;
  filter_class->unprepare = gst_glcl_hough_unprepare;
}
