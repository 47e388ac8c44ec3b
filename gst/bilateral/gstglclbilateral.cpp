// SPDX-License-Identifier: LGPL-2.1-or-later
/**
 * SECTION:element-glclbilateral
 * @title: glclbilateral
 *
 * Smooths a picture and keeps its edges: every pixel becomes the mean of its neighbourhood,
 * weighted by how near and how similar in colour each neighbour is (Tomasi and Manduchi, ICCV
 * 1998). The frames stay in OpenGL textures and are computed by OpenCL. Alpha is kept.
 *
 * `method=brute-force` is the exact filter over the square window of `radius`, with the frame's
 * edge repeated; its cost grows with the square of the radius. `method=grid` approximates the whole
 * Gaussian by a bilateral grid (Chen, Paris and Durand, SIGGRAPH 2007) in a time that does not
 * depend on `sigma-space`; for `weight=color` it sees differences in brightness only. `auto` takes
 * the exact one for `weight=color` and where `radius` is set, else whichever is faster on this
 * device. All properties may change while playing, and all numeric ones can be controlled.
 *
 * ## Example launch lines
 * |[
 * gst-launch-1.0 v4l2src ! glupload ! glcolorconvert ! glclbilateral ! glimagesink
 * ]|
 * A camera's noise smoothed away.
 * |[
 * gst-launch-1.0 filesrc location=in.mp4 ! decodebin ! glupload ! glcolorconvert ! glclbilateral
 * sigma-space=5 sigma-range=0.15 split=0.5 ! glimagesink
 * ]|
 * The left half untouched, the right half filtered.
 * |[
 * gst-launch-1.0 v4l2src ! glupload ! glcolorconvert ! glclbilateral method=grid weight=intensity
 * sigma-space=16 ! glimagesink
 * ]|
 * Strong smoothing for the price of a little.
 *
 * Since: 0.1
 */
#include "gstglclbilateral.h"

#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "bilateral.h"
#include "grid.h"

namespace {

enum {
  PROP_0,
  PROP_SIGMA_SPACE,
  PROP_SIGMA_RANGE,
  PROP_RADIUS,
  PROP_METHOD,
  PROP_WEIGHT,
  PROP_ITERATIONS,
  PROP_SPLIT
};

enum Method { method_auto, method_brute_force, method_grid };

GType method_type() {
  static const GEnumValue values[] = {
      {method_auto,
       "brute-force or, where weight is not color and radius is 0, whichever of the two is faster "
       "on this device",
       "auto"},
      {method_brute_force, "The exact filter, every neighbour weighed", "brute-force"},
      {method_grid,
       "A bilateral grid, an approximation of the whole Gaussian at a cost independent of "
       "sigma-space; where the grid would be too large (sigma-space below 2, very small "
       "sigma-range), brute-force",
       "grid"},
      {0, nullptr, nullptr}};
  static const GType type = g_enum_register_static("GstGLCLBilateralMethod", values);
  return type;
}

GType weight_type() {
  using Weight = glcl::Bilateral::Weight;
  static const GEnumValue values[] = {
      {static_cast<int>(Weight::intensity),
       "One weight from the difference of intensity, 0.30 R + 0.59 G + 0.11 B", "intensity"},
      {static_cast<int>(Weight::color), "One weight from the Euclidean distance of the RGB colours",
       "color"},
      {static_cast<int>(Weight::per_channel), "A weight for each channel from its own difference",
       "per-channel"},
      {0, nullptr, nullptr}};
  static const GType type = g_enum_register_static("GstGLCLBilateralWeight", values);
  return type;
}

struct State {
  std::mutex mutex;
  glcl::Bilateral::Settings settings;
  int method = method_auto;
  std::unique_ptr<glcl::Bilateral> exact;  // GL thread, like the grid
  std::unique_ptr<glcl::Grid> grid;
  std::optional<std::pair<double, glcl::Bilateral::Weight>> pays_for;  // what `pays` answers
  bool pays = false;  // whether method=auto takes the grid
};

}  // namespace

struct _GstGLCLBilateral {
  GstGLCLFilter parent;
  State *state;
};

G_DEFINE_TYPE(GstGLCLBilateral, gst_glcl_bilateral, GST_TYPE_GLCL_FILTER)
GST_ELEMENT_REGISTER_DEFINE(glclbilateral, "glclbilateral", GST_RANK_NONE,
                            gst_glcl_bilateral_get_type())

namespace {

/// Whether the grid gives what the exact filter gives, nearly, and sooner.
bool grid_pays(State &state, const glcl::Device &device,
               const glcl::Bilateral::Settings &settings) {
  if (settings.weight == glcl::Bilateral::Weight::color || settings.radius) return false;
  if (!state.pays_for || *state.pays_for != std::pair{settings.sigma_space, settings.weight}) {
    state.pays_for = std::pair{settings.sigma_space, settings.weight};
    state.pays = glcl::Grid::cost(device, settings) < glcl::Bilateral::cost(device, settings);
  }
  return state.pays;
}

}  // namespace

static glcl::Layout gst_glcl_bilateral_prepare(GstGLCLFilter *filter, glcl::Context &context,
                                               int width, int height) {
  State *state = GST_GLCL_BILATERAL(filter)->state;
  state->exact = std::make_unique<glcl::Bilateral>(context, width, height);
  {
    const std::lock_guard lock(state->mutex);
    state->exact->prepare(state->settings);
  }
  state->grid = std::make_unique<glcl::Grid>(
      context, width, height, glcl::Grid::variant(context.device(), state->exact->layout()));
  return state->exact->layout();
}

static void gst_glcl_bilateral_process(GstGLCLFilter *filter, glcl::Queue &queue,
                                       const glcl::Picture &in, const glcl::Picture &out,
                                       GstBuffer *, GstBuffer *) {
  State *state = GST_GLCL_BILATERAL(filter)->state;
  std::unique_lock lock(state->mutex);
  const glcl::Bilateral::Settings settings = state->settings;
  const int method = state->method;
  lock.unlock();
  if ((method == method_grid ||
       (method == method_auto && grid_pays(*state, queue.context().device(), settings))) &&
      state->grid->suits(settings))
    state->grid->run(queue, settings, in, out);
  else
    state->exact->run(queue, settings, in, out);
}

static void gst_glcl_bilateral_unprepare(GstGLCLFilter *filter) {
  State *state = GST_GLCL_BILATERAL(filter)->state;
  state->pays_for.reset();
  state->grid.reset();
  state->exact.reset();
}

static void gst_glcl_bilateral_set_property(GObject *object, guint id, const GValue *value,
                                            GParamSpec *pspec) {
  State *state = GST_GLCL_BILATERAL(object)->state;
  const std::lock_guard lock(state->mutex);
  switch (id) {
    case PROP_SIGMA_SPACE:
      state->settings.sigma_space = g_value_get_double(value);
      break;
    case PROP_SIGMA_RANGE:
      state->settings.sigma_range = g_value_get_double(value);
      break;
    case PROP_RADIUS:
      state->settings.radius = g_value_get_int(value);
      break;
    case PROP_METHOD:
      state->method = g_value_get_enum(value);
      break;
    case PROP_WEIGHT:
      state->settings.weight = static_cast<glcl::Bilateral::Weight>(g_value_get_enum(value));
      break;
    case PROP_ITERATIONS:
      state->settings.iterations = g_value_get_int(value);
      break;
    case PROP_SPLIT:
      state->settings.split = g_value_get_double(value);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, pspec);
  }
}

static void gst_glcl_bilateral_get_property(GObject *object, guint id, GValue *value,
                                            GParamSpec *pspec) {
  State *state = GST_GLCL_BILATERAL(object)->state;
  const std::lock_guard lock(state->mutex);
  switch (id) {
    case PROP_SIGMA_SPACE:
      g_value_set_double(value, state->settings.sigma_space);
      break;
    case PROP_SIGMA_RANGE:
      g_value_set_double(value, state->settings.sigma_range);
      break;
    case PROP_RADIUS:
      g_value_set_int(value, state->settings.radius);
      break;
    case PROP_METHOD:
      g_value_set_enum(value, state->method);
      break;
    case PROP_WEIGHT:
      g_value_set_enum(value, static_cast<int>(state->settings.weight));
      break;
    case PROP_ITERATIONS:
      g_value_set_int(value, state->settings.iterations);
      break;
    case PROP_SPLIT:
      g_value_set_double(value, state->settings.split);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, pspec);
  }
}

static void gst_glcl_bilateral_init(GstGLCLBilateral *self) { self->state = new State; }

static void gst_glcl_bilateral_finalize(GObject *object) {
  delete GST_GLCL_BILATERAL(object)->state;
  G_OBJECT_CLASS(gst_glcl_bilateral_parent_class)->finalize(object);
}

static void gst_glcl_bilateral_class_init(GstGLCLBilateralClass *klass) {
  auto *object_class = G_OBJECT_CLASS(klass);
  object_class->set_property = gst_glcl_bilateral_set_property;
  object_class->get_property = gst_glcl_bilateral_get_property;
  object_class->finalize = gst_glcl_bilateral_finalize;

  const glcl::Bilateral::Settings defaults;
  const auto live = static_cast<GParamFlags>(G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS |
                                             GST_PARAM_MUTABLE_PLAYING);
  const auto controllable = static_cast<GParamFlags>(live | GST_PARAM_CONTROLLABLE);
  g_object_class_install_property(
      object_class, PROP_SIGMA_SPACE,
      g_param_spec_double("sigma-space", "Sigma of space",
                          "Standard deviation of the Gaussian over distance, in px", 0.1, 64,
                          defaults.sigma_space, controllable));
  g_object_class_install_property(
      object_class, PROP_SIGMA_RANGE,
      g_param_spec_double(
          "sigma-range", "Sigma of range",
          "Standard deviation of the Gaussian over colour difference, as a part of full "
          "scale; 0 averages equal colours only",
          0, 1, defaults.sigma_range, controllable));
  g_object_class_install_property(
      object_class, PROP_RADIUS,
      g_param_spec_int(
          "radius", "Radius",
          "Half the width of brute-force's square window, in px; 0 takes 2 sigma-space, rounded up",
          0, 128, defaults.radius, controllable));
  g_object_class_install_property(
      object_class, PROP_METHOD,
      g_param_spec_enum("method", "Method", "How the filter is computed", method_type(),
                        method_auto, live));
  g_object_class_install_property(
      object_class, PROP_WEIGHT,
      g_param_spec_enum("weight", "Weight", "What a neighbour's similarity is measured by",
                        weight_type(), static_cast<int>(defaults.weight), live));
  g_object_class_install_property(
      object_class, PROP_ITERATIONS,
      g_param_spec_int("iterations", "Iterations", "How many times the filter is applied", 1, 16,
                       defaults.iterations, controllable));
  g_object_class_install_property(
      object_class, PROP_SPLIT,
      g_param_spec_double(
          "split", "Split",
          "The left part of the picture that shows the input unfiltered, as a part of "
          "its width, ended by a hairline",
          0, 1, defaults.split, controllable));

  gst_element_class_set_static_metadata(
      GST_ELEMENT_CLASS(klass), "OpenCL bilateral filter", "Filter/Effect/Video",
      "Smooths OpenGL textures and keeps their edges, with OpenCL", "The gst-glcl developers");

  auto *filter_class = GST_GLCL_FILTER_CLASS(klass);
  filter_class->prepare = gst_glcl_bilateral_prepare;
  filter_class->process = gst_glcl_bilateral_process;
  filter_class->unprepare = gst_glcl_bilateral_unprepare;

  gst_type_mark_as_plugin_api(method_type(), static_cast<GstPluginAPIFlags>(0));
  gst_type_mark_as_plugin_api(weight_type(), static_cast<GstPluginAPIFlags>(0));
}
