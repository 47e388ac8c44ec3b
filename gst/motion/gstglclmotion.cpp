// SPDX-License-Identifier: LGPL-2.1-or-later
/**
 * SECTION:element-glclmotion
 * @title: glclmotion
 *
 * Finds where every block of a frame lay in the frame before, by the least sum of absolute
 * differences of luma and the bits of the vector, as a video encoder does. It shows the vectors,
 * the frame they predict or what the prediction lacks, posts `glclmotion` messages with the quality
 * of the prediction, and attaches a GstGLCLMotionMeta with the vectors.
 *
 * ## Example launch lines
 * |[
 * gst-launch-1.0 v4l2src ! glupload ! glcolorconvert ! glclmotion display=vectors ! glimagesink
 * ]|
 * Arrows over the blocks of a camera's picture.
 * |[
 * gst-launch-1.0 -m filesrc location=in.mp4 ! decodebin ! glupload ! glcolorconvert ! glclmotion
 * partitions=true subpel=quarter interval=0 ! fakesink
 * ]|
 * The PSNR of a prediction with partitions and quarter pixels, frame by frame.
 *
 * Since: 0.2
 */
#include "gstglclmotion.h"

#include <memory>
#include <mutex>
#include <string>

#include "gstglclmotionmeta.h"
#include "motion.h"
#include "opencl/team.h"

namespace {

using glcl::motion::Motion;

enum {
  PROP_0,
  PROP_SEARCH,
  PROP_RANGE,
  PROP_BLOCK_SIZE,
  PROP_PARTITIONS,
  PROP_SUBPEL,
  PROP_LAMBDA,
  PROP_DEVICES,
  PROP_DISPLAY
};

enum Display { display_none, display_vectors, display_prediction, display_residual };

GType search_type() {
  using Method = Motion::Method;
  static const GEnumValue values[] = {
      {static_cast<int>(Method::full), "Every candidate within the range", "full"},
      {static_cast<int>(Method::hierarchical), "Coarse to fine: for large ranges", "hierarchical"},
      {static_cast<int>(Method::hexagon), "From hexagon to hexagon, the cheapest", "hexagon"},
      {0, nullptr, nullptr}};
  static const GType type = g_enum_register_static("GstGLCLMotionSearch", values);
  return type;
}

GType block_size_type() {
  static const GEnumValue values[] = {{4, "4 × 4 px", "4"},
                                      {8, "8 × 8 px", "8"},
                                      {16, "16 × 16 px", "16"},
                                      {32, "32 × 32 px", "32"},
                                      {0, nullptr, nullptr}};
  static const GType type = g_enum_register_static("GstGLCLMotionBlockSize", values);
  return type;
}

GType subpel_type() {
  using Precision = Motion::Precision;
  static const GEnumValue values[] = {
      {static_cast<int>(Precision::full), "Whole pixels", "full"},
      {static_cast<int>(Precision::half), "Half pixels, by six taps", "half"},
      {static_cast<int>(Precision::quarter), "Quarter pixels", "quarter"},
      {0, nullptr, nullptr}};
  static const GType type = g_enum_register_static("GstGLCLMotionSubpel", values);
  return type;
}

GType display_type() {
  static const GEnumValue values[] = {
      {display_none, "The frame as it came", "none"},
      {display_vectors, "Arrows from where blocks were, and the edges of blocks and partitions",
       "vectors"},
      {display_prediction, "The luma predicted from the frame before", "prediction"},
      {display_residual, "What the prediction lacks, around mid-grey", "residual"},
      {0, nullptr, nullptr}};
  static const GType type = g_enum_register_static("GstGLCLMotionDisplay", values);
  return type;
}

struct Settings {
  Motion::Settings motion;
  std::string devices;
  int display = display_none;
};

struct State {
  std::mutex mutex;
  Settings settings;
  int width = 0, height = 0;
  std::unique_ptr<Motion> motion;  // GL thread, like all below
  std::unique_ptr<glcl::ResultPool> pool;
  size_t pool_bytes = 0;
};

const GstMetaInfo *motion_meta_info() {
  static const gchar *tags[] = {nullptr};
  static const GstMetaInfo *info = glcl::register_result_meta<GstGLCLMotionMeta>(
      gst_meta_api_type_register("GstGLCLMotionMetaAPI", tags), "GstGLCLMotionMeta");
  return info;
}

}  // namespace

struct _GstGLCLMotion {
  GstGLCLAnalyzer parent;
  State *state;
};

G_DEFINE_TYPE(GstGLCLMotion, gst_glcl_motion, GST_TYPE_GLCL_ANALYZER)
GST_ELEMENT_REGISTER_DEFINE(glclmotion, "glclmotion", GST_RANK_NONE, gst_glcl_motion_get_type())

static glcl::Layout gst_glcl_motion_prepare(GstGLCLFilter *filter, glcl::Context &context,
                                            int width, int height) {
  State *state = GST_GLCL_MOTION(filter)->state;
  const auto layout =
      context.device().prefers_buffers() ? glcl::Layout::buffer : glcl::Layout::image;
  gst_glcl_analyzer_prepare(GST_GLCL_ANALYZER(filter), context, Motion::sums_bytes);
  state->width = width;
  state->height = height;
  state->motion = std::make_unique<Motion>(context, width, height, layout);
  std::unique_lock lock(state->mutex);
  const Settings settings = state->settings;
  lock.unlock();
  if (!settings.devices.empty())
    state->motion->share(
        std::make_unique<glcl::Team>(glcl::choose_devices(glcl::devices(), settings.devices)));
  state->motion->prepare(settings.motion);
  return layout;
}

static void gst_glcl_motion_attach(GstGLCLMotion *self, glcl::Queue &queue, GstBuffer *outbuf) {
  State *state = self->state;
  const Motion::Field field = state->motion->field();
  if (!state->pool || state->pool_bytes != field.bytes) {
    state->pool = gst_glcl_analyzer_pool(GST_GLCL_ANALYZER(self), field.bytes);
    state->pool_bytes = field.bytes;
  }
  GstBuffer *buffer = state->pool->acquire();
  auto *meta = reinterpret_cast<GstGLCLMotionMeta *>(
      gst_buffer_add_meta(outbuf, motion_meta_info(), nullptr));
  *meta = {meta->meta,
           buffer,
           guint(state->width),
           guint(state->height),
           guint(field.cell),
           guint(field.columns),
           guint(field.rows),
           guint(field.block),
           guint(field.block_columns),
           guint(field.block_rows),
           field.costs,
           field.shapes};
  state->motion->copy_field(queue, glcl::result_memory(buffer));
  glcl::result_written(buffer, queue);
}

static void gst_glcl_motion_post(GstGLCLMotion *self, glcl::Queue &queue,
                                 const glcl::FrameTimes &times) {
  State *state = self->state;
  const auto take = [self, times, field = state->motion->field(), width = state->width,
                     height = state->height](const void *sums) {
    const Motion::Summary summary(field, width, height, sums);
    GstStructure *structure = gst_glcl_analyzer_structure("glclmotion", times);
    gst_structure_set(structure, "psnr", G_TYPE_DOUBLE, summary.psnr(), "mse", G_TYPE_DOUBLE,
                      summary.mse, "zero", G_TYPE_DOUBLE, summary.zero, "mean-x", G_TYPE_DOUBLE,
                      summary.mean_x, "mean-y", G_TYPE_DOUBLE, summary.mean_y, nullptr);
    gst_glcl_analyzer_post(GST_GLCL_ANALYZER(self), structure);
  };
  gst_glcl_analyzer_read(GST_GLCL_ANALYZER(self), queue, state->motion->sum_up(queue),
                         Motion::sums_bytes, take);
}

static void gst_glcl_motion_process(GstGLCLFilter *filter, glcl::Queue &queue,
                                    const glcl::Picture &in, const glcl::Picture &out,
                                    GstBuffer *inbuf, GstBuffer *outbuf) {
  GstGLCLMotion *self = GST_GLCL_MOTION(filter);
  State *state = self->state;
  std::unique_lock lock(state->mutex);
  const Settings settings = state->settings;
  lock.unlock();

  Motion &motion = *state->motion;
  const bool moved = motion.next(queue, settings.motion, in);
  switch (settings.display) {
    case display_vectors:
      motion.show_vectors(queue, in, out);
      break;
    case display_prediction:
      motion.show_prediction(queue, in, out);
      break;
    case display_residual:
      motion.show_residual(queue, in, out);
      break;
    default:
      glcl::copy_picture(queue, in, out);
  }
  if (!moved) return;
  const glcl::Wanted wanted = gst_glcl_analyzer_wanted(GST_GLCL_ANALYZER(filter), inbuf);
  if (wanted.meta) gst_glcl_motion_attach(self, queue, outbuf);
  if (wanted.message) gst_glcl_motion_post(self, queue, wanted.times);
}

static void gst_glcl_motion_reset(GstGLCLFilter *filter) {
  State *state = GST_GLCL_MOTION(filter)->state;
  if (state->motion) state->motion->reset();
}

static void gst_glcl_motion_unprepare(GstGLCLFilter *filter) {
  State *state = GST_GLCL_MOTION(filter)->state;
  state->pool.reset();
  state->motion.reset();
}

static void gst_glcl_motion_set_property(GObject *object, guint id, const GValue *value,
                                         GParamSpec *pspec) {
  State *state = GST_GLCL_MOTION(object)->state;
  const std::lock_guard lock(state->mutex);
  Settings &settings = state->settings;
  switch (id) {
    case PROP_SEARCH:
      settings.motion.method = static_cast<Motion::Method>(g_value_get_enum(value));
      break;
    case PROP_RANGE:
      settings.motion.range = g_value_get_int(value);
      break;
    case PROP_BLOCK_SIZE:
      settings.motion.block = g_value_get_enum(value);
      break;
    case PROP_PARTITIONS:
      settings.motion.partitions = g_value_get_boolean(value);
      break;
    case PROP_SUBPEL:
      settings.motion.precision = static_cast<Motion::Precision>(g_value_get_enum(value));
      break;
    case PROP_LAMBDA:
      settings.motion.lambda = g_value_get_int(value);
      break;
    case PROP_DEVICES: {
      const gchar *text = g_value_get_string(value);
      settings.devices = text ? text : "";
      break;
    }
    case PROP_DISPLAY:
      settings.display = g_value_get_enum(value);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, pspec);
  }
}

static void gst_glcl_motion_get_property(GObject *object, guint id, GValue *value,
                                         GParamSpec *pspec) {
  State *state = GST_GLCL_MOTION(object)->state;
  const std::lock_guard lock(state->mutex);
  const Settings &settings = state->settings;
  switch (id) {
    case PROP_SEARCH:
      g_value_set_enum(value, static_cast<int>(settings.motion.method));
      break;
    case PROP_RANGE:
      g_value_set_int(value, settings.motion.range);
      break;
    case PROP_BLOCK_SIZE:
      g_value_set_enum(value, settings.motion.block);
      break;
    case PROP_PARTITIONS:
      g_value_set_boolean(value, settings.motion.partitions);
      break;
    case PROP_SUBPEL:
      g_value_set_enum(value, static_cast<int>(settings.motion.precision));
      break;
    case PROP_LAMBDA:
      g_value_set_int(value, settings.motion.lambda);
      break;
    case PROP_DEVICES:
      g_value_set_string(value, settings.devices.c_str());
      break;
    case PROP_DISPLAY:
      g_value_set_enum(value, settings.display);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, pspec);
  }
}

static void gst_glcl_motion_init(GstGLCLMotion *self) { self->state = new State; }

static void gst_glcl_motion_finalize(GObject *object) {
  delete GST_GLCL_MOTION(object)->state;
  G_OBJECT_CLASS(gst_glcl_motion_parent_class)->finalize(object);
}

static void gst_glcl_motion_class_init(GstGLCLMotionClass *klass) {
  auto *object_class = G_OBJECT_CLASS(klass);
  object_class->set_property = gst_glcl_motion_set_property;
  object_class->get_property = gst_glcl_motion_get_property;
  object_class->finalize = gst_glcl_motion_finalize;

  const Settings defaults;
  const auto live = static_cast<GParamFlags>(G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS |
                                             GST_PARAM_MUTABLE_PLAYING);
  const auto controllable = static_cast<GParamFlags>(live | GST_PARAM_CONTROLLABLE);
  g_object_class_install_property(
      object_class, PROP_SEARCH,
      g_param_spec_enum("search", "Search", "Which candidates are tried", search_type(),
                        static_cast<int>(defaults.motion.method), live));
  g_object_class_install_property(
      object_class, PROP_RANGE,
      g_param_spec_int("range", "Range", "How far blocks may have moved along each axis, in px", 1,
                       glcl::motion::max_range, defaults.motion.range, controllable));
  g_object_class_install_property(
      object_class, PROP_BLOCK_SIZE,
      g_param_spec_enum("block-size", "Block size", "Side of a block; unused with partitions=true",
                        block_size_type(), defaults.motion.block, live));
  g_object_class_install_property(
      object_class, PROP_PARTITIONS,
      g_param_spec_boolean("partitions", "Partitions",
                           "Divide macroblocks of 16 px as costs least, down to 4 px",
                           defaults.motion.partitions, live));
  g_object_class_install_property(
      object_class, PROP_SUBPEL,
      g_param_spec_enum("subpel", "Sub-pixel", "Precision of the vectors", subpel_type(),
                        static_cast<int>(defaults.motion.precision), live));
  g_object_class_install_property(
      object_class, PROP_LAMBDA,
      g_param_spec_int("lambda", "Lambda",
                       "What a bit of a vector costs, in levels of the sum of absolute differences",
                       0, glcl::motion::Search::max_lambda, defaults.motion.lambda, controllable));
  g_object_class_install_property(
      object_class, PROP_DEVICES,
      g_param_spec_string(
          "devices", "Devices",
          "OpenCL devices that share search=full, separated by commas, each as P:D or a part of "
          "its "
          "name; every frame then waits for them. Empty: the device of the element alone",
          "",
          static_cast<GParamFlags>(G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS |
                                   GST_PARAM_MUTABLE_READY)));
  g_object_class_install_property(object_class, PROP_DISPLAY,
                                  g_param_spec_enum("display", "Display", "What the output shows",
                                                    display_type(), defaults.display, live));

  gst_element_class_set_static_metadata(
      GST_ELEMENT_CLASS(klass), "OpenCL block motion search", "Filter/Analyzer/Video",
      "Finds the motion of blocks between OpenGL textures with OpenCL", "The gst-glcl developers");

  auto *filter_class = GST_GLCL_FILTER_CLASS(klass);
  filter_class->prepare = gst_glcl_motion_prepare;
  filter_class->process = gst_glcl_motion_process;
  filter_class->reset = gst_glcl_motion_reset;
  filter_class->unprepare = gst_glcl_motion_unprepare;

  for (const GType type : {search_type(), block_size_type(), subpel_type(), display_type()})
    gst_type_mark_as_plugin_api(type, static_cast<GstPluginAPIFlags>(0));
  motion_meta_info();
}
