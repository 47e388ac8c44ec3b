// SPDX-License-Identifier: LGPL-2.1-or-later
/**
 * SECTION:element-glclmotion
 * @title: glclmotion
 *
 * Estimates a motion vector for every block of a frame, like a video encoder: it minimizes the sum
 * of absolute differences of luma plus the cost of the vector's bits. It draws the vectors, the
 * predicted frame or the residual, posts `glclmotion` messages with the quality of the prediction,
 * and attaches the vectors in a GstCustomMeta. Blocks that only noise seems to move get a zero
 * vector.
 *
 * ## Example launch lines
 * |[
 * gst-launch-1.0 v4l2src ! glupload ! glcolorconvert ! glclmotion display=vectors ! glimagesink
 * ]|
 * Draws arrows over the blocks of a camera picture.
 * |[
 * gst-launch-1.0 -m filesrc location=in.mp4 ! decodebin ! glupload ! glcolorconvert ! glclmotion
 * partitions=true subpel=quarter interval=0 ! fakesink
 * ]|
 * Prints the PSNR of the prediction with partitions and quarter pixels, frame by frame.
 *
 * Since: 0.1
 */
#include "gstglclmotion.h"

#include <memory>
#include <string>
#include <utility>

#include "base/compat.h"
#include "base/glclelement.h"
#include "base/glclerrorreporter.h"
#include "base/glclmetaboxes.h"
#include "base/glcloverlay.h"
#include "base/glclrealtime.h"
#include "base/glclresult.h"
#include "base/glcluploadtap.h"
#include "config.h"
#include "gstglclmotiondetection.h"
#include "gstglclmotionproperties.h"
#include "motion/devicepool.h"
#include "motion/motion.h"
#include "motion/renderer.h"
#include "objects/renderer.h"
#include "opencl/lazy.h"

GST_DEBUG_CATEGORY_STATIC(glcl_motion_debug);
#define GST_CAT_DEFAULT glcl_motion_debug

namespace {

using glcl::motion::BlockMotion;
using glcl::motion::MotionProperties;
using glcl::motion::MotionRenderer;
using glcl::motion::MotionSummary;
using glcl::motion::ObjectDetection;
using glcl::motion::VectorField;

struct Renderers {
  std::unique_ptr<MotionRenderer> motion;
  std::unique_ptr<glcl::objects::ObjectRenderer> objects;
};

struct MotionState {
  glcl::Guarded<MotionProperties> settings;
  MotionProperties frame_settings;  // of the current frame
  glcl::motion::RuleWatch rule_watch;
  std::shared_ptr<glcl::Context> context;
  glcl::Layout layout{};
  int width = 0, height = 0;
  std::unique_ptr<BlockMotion> motion;
  glcl::Lazy<Renderers> renderers;             // GL thread
  glcl::UploadTap tap;                         // streaming thread
  bool warned_left = false;                    // left-after does nothing
  std::shared_ptr<ObjectDetection> detection;  // GL and streaming thread, one at a time
};

Renderers build_renderers(const MotionState *state) {
  return {
      std::make_unique<MotionRenderer>(*state->context, state->width, state->height, state->layout),
      std::make_unique<glcl::objects::ObjectRenderer>(*state->context, state->width, state->height,
                                                      state->layout)};
}

constexpr char kind[] = "glclmotion";
constexpr int most_side = 16384;  // px of a frame

}  // namespace

struct _GstGLCLMotion {
  GstGLCLAnalyzer parent;
  MotionState *state;
};

G_DEFINE_TYPE(GstGLCLMotion, gst_glcl_motion, GST_TYPE_GLCL_ANALYZER)
GST_ELEMENT_REGISTER_DEFINE(glclmotion, "glclmotion", GST_RANK_NONE, gst_glcl_motion_get_type())

/// Builds the engines for the size of frames has changed, or on another context.
static void gst_glcl_motion_build(GstGLCLMotion *self, glcl::Context &context, int width,
                                  int height, const glcl::FrameFormat &frame) {
  MotionState *state = self->state;
  const MotionProperties settings = state->settings.get();
  state->motion.reset();
  state->renderers = {};
  state->context = context.shared_from_this();
  state->layout = frame.layout;
  state->width = width;
  state->height = height;
  auto motion = std::make_unique<BlockMotion>(context, width, height, frame);
  if (!settings.devices.empty()) {
    std::string failures;
    const std::vector<glcl::Device> all = glcl::devices(&failures);
    motion->share(std::make_unique<glcl::motion::DevicePool>(
        glcl::motion::choose_devices(all, settings.devices, failures)));
  }
  motion->prepare(settings);
  if (state->detection) state->detection->end();  // of the old size or context
  state->detection = std::make_shared<ObjectDetection>(GST_GLCL_ANALYZER(self), context, width,
                                                       height, frame, settings);
  state->motion = std::move(motion);  // all engines are built
  if (settings.display != MotionRenderer::Display::none)
    state->renderers.get([state] { return build_renderers(state); });
  GST_INFO_OBJECT(self, "frames of %d×%d px, devices=%s", width, height, settings.devices.c_str());
}

/// Prepares everything that does not depend on the engines. Returns the format of the frames.
static glcl::FrameFormat gst_glcl_motion_prepare_analyzer(GstGLCLFilter *filter,
                                                          glcl::Context &context) {
  gst_glcl_analyzer_prepare(
      GST_GLCL_ANALYZER(filter), context,
      std::max(BlockMotion::sums_bytes,
               sizeof(glcl::objects::RegionList) + sizeof(glcl::objects::SceneSums)));
  return gst_glcl_filter_frame_format(filter, glcl::layout_for(context.device()));
}

static glcl::Layout gst_glcl_motion_prepare(GstGLCLFilter *filter, glcl::Context &context,
                                            int width, int height) {
  const glcl::FrameFormat frame = gst_glcl_motion_prepare_analyzer(filter, context);
  gst_glcl_motion_build(GST_GLCL_MOTION(filter), context, width, height, frame);
  return frame.layout;
}

/// The previous frame, the background model and the objects stay.
static glcl::Layout gst_glcl_motion_set_format(GstGLCLFilter *filter, glcl::Context &context, int,
                                               int) {
  const glcl::FrameFormat frame = gst_glcl_motion_prepare_analyzer(filter, context);
  MotionState *state = GST_GLCL_MOTION(filter)->state;
  state->motion->set_format(frame);
  state->detection->set_format(frame);
  return frame.layout;
}

static void gst_glcl_motion_attach(GstGLCLMotion *self, glcl::Queue &queue, bool detect,
                                   GstBuffer *outbuf) {
  MotionState *state = self->state;
  const VectorField field = state->motion->field();
  std::vector<glcl::ResultArray> arrays{
      {"vectors", "int16", {field.rows, field.columns, 2}, 0},
      {"costs", "uint32", {field.block_rows, field.block_columns}, field.costs},
      {"shapes", "uint16", {field.block_rows, field.block_columns}, field.shapes}};
  size_t bytes = field.bytes;
  if (detect) {
    const cl_int2 mask = state->detection->mask_size();
    arrays.push_back({"mask", "uint8", {mask.s[1], mask.s[0]}, bytes});
    bytes += arrays.back().bytes();
  }
  const glcl::AttachedResult result =
      gst_glcl_analyzer_attach(GST_GLCL_ANALYZER(self), outbuf, kind, bytes, arrays);
  gst_structure_set(result.fields, "width", G_TYPE_INT, state->width, "height", G_TYPE_INT,
                    state->height, "cell", G_TYPE_INT, field.cell, "block", G_TYPE_INT, field.block,
                    nullptr);
  state->motion->copy_field(queue, glcl::result_memory(result.buffer));
  if (detect)
    state->detection->mask(queue, glcl::result_memory(result.buffer), arrays.back().offset);
  glcl::result_written(result.buffer, queue, state->motion->deferred_error());
  if (!detect) return;
  state->detection->attach(outbuf, result.fields);
  glcl::attach_mask(outbuf, glcl::result_array(result.fields, "mask"), arrays.back().shape[1],
                    arrays.back().shape[0], state->width, state->height);
}

static void gst_glcl_motion_post(GstGLCLMotion *self, glcl::Queue &queue,
                                 const glcl::FrameTimes &times) {
  MotionState *state = self->state;
  const auto take = [self, times, field = state->motion->field(), width = state->width,
                     height = state->height,
                     detection = std::weak_ptr(state->detection)](const void *sums) {
    const MotionSummary summary(field, width, height, sums);
    GstStructure *structure = gst_glcl_analyzer_structure(kind, times);
    gst_structure_set(structure, "psnr", G_TYPE_DOUBLE, summary.psnr(), "mse", G_TYPE_DOUBLE,
                      summary.mse, "zero", G_TYPE_DOUBLE, summary.zero, "mean-x", G_TYPE_DOUBLE,
                      summary.mean_x, "mean-y", G_TYPE_DOUBLE, summary.mean_y, "noise",
                      G_TYPE_DOUBLE, summary.noise, "range", G_TYPE_INT, summary.range, "changed",
                      G_TYPE_DOUBLE, summary.changed, nullptr);
    if (summary.changed > 0)
      gst_structure_set(structure, "explained", G_TYPE_DOUBLE, summary.explained, nullptr);
    if (const auto known = detection.lock()) known->add_camera(structure, !summary.fails());
    gst_glcl_analyzer_post(GST_GLCL_ANALYZER(self), structure);
  };
  gst_glcl_analyzer_read(GST_GLCL_ANALYZER(self), queue, state->motion->sum_up(queue),
                         BlockMotion::sums_bytes, take);
}

/// The boxes that other elements have attached to a frame.
static std::vector<glcl::MetaBox> gst_glcl_motion_upstream_boxes(GstGLCLMotion *self,
                                                                 GstBuffer *frame) {
  std::vector<glcl::MetaBox> boxes = glcl::meta_boxes(frame);
  return boxes.empty() ? self->state->tap.boxes(GST_BUFFER_PTS(frame)) : boxes;
}

/// The frame as the rules see it.
static glcl::motion::RuleFrame gst_glcl_motion_rule_frame(GstGLCLMotion *self,
                                                          const glcl::FrameRequest &wanted,
                                                          GstBuffer *frame, bool moved) {
  const MotionProperties &settings = self->state->frame_settings;
  glcl::motion::RuleFrame result{wanted.times, 0, wanted.message && moved};
  if (settings.on_upstream())
    for (const glcl::MetaBox &box : gst_glcl_motion_upstream_boxes(self, frame))
      result.boxes.push_back({box.box, box.id, box.type});
  if (settings.rules->set->has_times())
    result.second_of_week = glcl::rules::second_of_week(
        glcl::real_time(GST_ELEMENT(self), frame, wanted.times.running_time));
  return result;
}

static void gst_glcl_motion_process(GstGLCLFilter *filter, glcl::Queue &queue,
                                    const glcl::Picture &in, const glcl::Picture &out,
                                    GstBuffer *inbuf, GstBuffer *outbuf) {
  GstGLCLMotion *self = GST_GLCL_MOTION(filter);
  MotionState *state = self->state;
  const MotionProperties &settings = state->frame_settings;

  BlockMotion &motion = *state->motion;
  ObjectDetection &detection = *state->detection;
  glcl::guard_optional(GST_ELEMENT(filter), "The search stays as it was.",
                       [&] { motion.ready(settings); });
  const bool moved =
      motion.next(queue, settings, in, settings.display != MotionRenderer::Display::none);
  glcl::Queue &results = motion.results(queue);
  detection.sample_colours(queue, results, settings, in);
  gst_glcl_analyzer_draw(GST_GLCL_ANALYZER(filter), queue, in, out, outbuf,
                         settings.display == MotionRenderer::Display::none
                             ? std::nullopt
                             : std::optional(glcl::Rect{0, 0, in.width, in.height}),
                         [&](const glcl::drawing::Canvas &canvas) {
                           const Renderers &renderers =
                               state->renderers.get([state] { return build_renderers(state); });
                           if (!settings.draws_objects())
                             return renderers.motion->draw(queue, settings, motion, canvas);
                           renderers.objects->draw(
                               queue,
                               detection.view(settings.display == MotionRenderer::Display::rules),
                               settings, settings.color, settings.outline_color, canvas);
                         });
  if (settings.display == MotionRenderer::Display::none)
    state->renderers.request([state] { return build_renderers(state); });
  gst_glcl_analyzer_check_deferred(GST_GLCL_ANALYZER(filter), results, motion.deferred_error());
  const glcl::FrameRequest wanted = gst_glcl_analyzer_request(GST_GLCL_ANALYZER(filter), inbuf);
  if (settings.compensation() == glcl::camera::Compensation::first_order_flow)
    gst_glcl_filter_counts_square(filter, "rotations of the camera");
  detection.next(results, settings, motion, moved,
                 gst_glcl_motion_rule_frame(self, wanted, inbuf, moved));
  if (moved && wanted.meta) gst_glcl_motion_attach(self, results, settings.detect, outbuf);
  if (moved && wanted.message) gst_glcl_motion_post(self, results, wanted.times);
  if (&results != &queue) results.cl().flush();
}

/// Takes the rules of a file that has changed, unless the property has.
static void gst_glcl_motion_check_rules(GstGLCLMotion *self) {
  MotionState *state = self->state;
  std::shared_ptr<const glcl::motion::RuleSource> &rules = state->frame_settings.rules;
  const auto fresh = state->rule_watch.check(GST_ELEMENT(self), rules);
  if (!fresh) return;
  state->settings.with([&](MotionProperties &settings) {
    if (settings.rules == rules) settings.rules = fresh;
  });
  rules = fresh;
}

/// Warns once of settings that do nothing together.
static void gst_glcl_motion_warn(GstGLCLMotion *self) {
  MotionState *state = self->state;
  const MotionProperties &settings = state->frame_settings;
  const bool set =
                 settings.max_duration > 0 || settings.left_after != MotionProperties().left_after,
             idle = settings.detect && set && settings.left_after >= settings.max_duration;
  if (std::exchange(state->warned_left, idle) || !idle) return;
  char text[200];
  g_snprintf(text, sizeof text,
             "left-after=%g does nothing with max-duration=%g: no object is reported as left or "
             "removed. Set max-duration to more than left-after.",
             settings.left_after, settings.max_duration);
  glcl::warn(GST_ELEMENT(self), GST_RESOURCE_ERROR_SETTINGS, text);
}

static void gst_glcl_motion_begin_frame(GstGLCLFilter *filter) {
  MotionState *state = GST_GLCL_MOTION(filter)->state;
  state->frame_settings = state->settings.get();
  gst_glcl_motion_check_rules(GST_GLCL_MOTION(filter));
  gst_glcl_motion_warn(GST_GLCL_MOTION(filter));
  if (state->frame_settings.on_upstream())
    state->tap.follow(GST_BASE_TRANSFORM_SINK_PAD(filter));
  else
    state->tap.close();
  // Boxes and zones in a frame are predicted from the previous frame, whose results must have
  // arrived.
  const MotionProperties &settings = state->frame_settings;
  const bool attaches = gst_glcl_analyzer_attaches_meta(GST_GLCL_ANALYZER(filter)),
             draws = settings.draws_objects(),
             predicts =
                 (settings.detect && (attaches || draws)) || (settings.on_upstream() && draws);
  gst_glcl_analyzer_set_depth(GST_GLCL_ANALYZER(filter), predicts ? 1 : gst_glcl_analyzer_depth);
}

static bool gst_glcl_motion_passes_on(GstGLCLFilter *filter) {
  return GST_GLCL_MOTION(filter)->state->frame_settings.display == MotionRenderer::Display::none ||
         gst_glcl_analyzer_attaches_overlay(GST_GLCL_ANALYZER(filter));
}

/// Colours are needed only to separate shadows from objects, and for ir-switch.
static bool gst_glcl_motion_reads_luma(GstGLCLFilter *filter) {
  return !GST_GLCL_MOTION(filter)->state->frame_settings.needs_colours();
}

static void gst_glcl_motion_reset(GstGLCLFilter *filter) {
  MotionState *state = GST_GLCL_MOTION(filter)->state;
  GST_DEBUG_OBJECT(filter, "the stream has a gap before the next frame");
  if (state->motion) state->motion->reset();
}

static void gst_glcl_motion_unprepare(GstGLCLFilter *filter) {
  MotionState *state = GST_GLCL_MOTION(filter)->state;
  state->tap.close();
  state->motion.reset();
  state->renderers = {};
  state->detection.reset();
  state->context.reset();
}

static void gst_glcl_motion_finish(GstGLCLAnalyzer *analyzer) {
  const MotionState *state = GST_GLCL_MOTION(analyzer)->state;
  if (state->detection) state->detection->end();
}

/// The size of the current frames; without caps the largest one.
static glcl::Rect gst_glcl_motion_frame_area(GstGLCLMotion *self) {
  glcl::Rect area{0, 0, most_side, most_side};
  GstCaps *caps = gst_pad_get_current_caps(GST_BASE_TRANSFORM_SINK_PAD(self));
  GstVideoInfo info;
  if (caps && gst_video_info_from_caps(&info, caps))
    area = {0, 0, GST_VIDEO_INFO_WIDTH(&info), GST_VIDEO_INFO_HEIGHT(&info)};
  gst_clear_caps(&caps);
  return area;
}

static gboolean gst_glcl_motion_learn_size(GstGLCLMotion *self, gint x, gint y, gint width,
                                           gint height) {
  const glcl::Rect frame = gst_glcl_motion_frame_area(self);
  const gint64 across = MIN(gint64(x) + width, frame.width) - MAX(x, 0),
               down = MIN(gint64(y) + height, frame.height) - MAX(y, 0);
  if (width <= 0 || height <= 0 || across <= 0 || down <= 0) {
    g_warning(
        "learn-size (%d, %d, %d, %d) is ignored. Give x, y, width and height of a box in the frame "
        "of %d×%d px, with a width and height above 0.",
        x, y, width, height, frame.width, frame.height);
    return FALSE;
  }
  // An object's foreground fills at least half of its box.
  g_object_set(self, "min-area", gint(MAX(across * down / 2, 1)), nullptr);
  return TRUE;
}

static void gst_glcl_motion_init(GstGLCLMotion *self) { self->state = new MotionState; }

static void gst_glcl_motion_class_init(GstGLCLMotionClass *klass) {
  GST_DEBUG_CATEGORY_INIT(glcl_motion_debug, "glclmotion", 0, "OpenCL block motion search");
  glcl::init_element_class<GstGLCLMotion>(klass,
                                          {"OpenCL block motion search", "Filter/Analyzer/Video",
                                           "Estimates block motion vectors of video in OpenGL "
                                           "textures with OpenCL, and detects moving objects",
                                           DOCS_PAGE("glclmotion")});
  auto properties = glcl::install_properties<GstGLCLMotion>(klass);
  glcl::motion::add_properties(properties);
  /**
   * GstGLCLMotion::learn-size:
   * @x, @y, @width, @height: a box drawn around an object of the least size, px
   *
   * Sets min-area to half of the box, because an object's foreground fills at least half of its
   * box. Parts outside of the frame do not count.
   *
   * Returns: FALSE for a box without an area in the frame; then min-area stays.
   */
  g_signal_new_class_handler("learn-size", G_TYPE_FROM_CLASS(klass),
                             static_cast<GSignalFlags>(G_SIGNAL_RUN_LAST | G_SIGNAL_ACTION),
                             G_CALLBACK(gst_glcl_motion_learn_size), nullptr, nullptr, nullptr,
                             G_TYPE_BOOLEAN, 4, G_TYPE_INT, G_TYPE_INT, G_TYPE_INT, G_TYPE_INT);

  auto *filter_class = GST_GLCL_FILTER_CLASS(klass);
  filter_class->prepare = gst_glcl_motion_prepare;
  filter_class->process = gst_glcl_motion_process;
  filter_class->begin_frame = gst_glcl_motion_begin_frame;
  filter_class->takes_planes = true;
  filter_class->reads_luma = gst_glcl_motion_reads_luma;
  filter_class->passes_on = gst_glcl_motion_passes_on;
  filter_class->reset = gst_glcl_motion_reset;
  filter_class->set_format = gst_glcl_motion_set_format;
  filter_class->unprepare = gst_glcl_motion_unprepare;
  GST_GLCL_ANALYZER_CLASS(klass)->finish = gst_glcl_motion_finish;
}
