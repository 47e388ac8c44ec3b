// SPDX-License-Identifier: LGPL-2.1-or-later
/**
 * SECTION:element-glclbilateral
 * @title: glclbilateral
 *
 * Smooths a picture and preserves its edges: every pixel becomes a mean of its neighbourhood,
 * weighted by the distance and the colour similarity of each neighbour (Tomasi and Manduchi, ICCV
 * 1998). The frames stay in OpenGL textures. Alpha stays unchanged.
 *
 * `method=brute-force` is the exact filter over the square window of `radius`, with repeated edge
 * pixels; its cost grows with the square of the radius. `method=grid` approximates the whole
 * Gaussian by a bilateral grid (Chen, Paris and Durand, SIGGRAPH 2007) at a cost that does not
 * depend on `sigma-space`; with `weight=color` it uses differences in brightness only. `auto` is
 * the exact filter with `weight=color` or a `radius` above 0, otherwise the faster method on this
 * device. `roi` and `mask` limit where it acts. All properties may change while playing, and all
 * numbers are controllable.
 *
 * ## Example launch lines
 * |[
 * gst-launch-1.0 v4l2src ! glupload ! glcolorconvert ! glclbilateral ! glimagesink
 * ]|
 * Removes the noise of a camera.
 * |[
 * gst-launch-1.0 filesrc location=in.mp4 ! decodebin ! glupload ! glcolorconvert ! glclbilateral
 * sigma-space=5 sigma-range=0.15 split=0.5 ! glimagesink
 * ]|
 * Filters the right half and keeps the left half.
 * |[
 * gst-launch-1.0 v4l2src ! glupload ! glcolorconvert ! glclbilateral method=grid weight=intensity
 * sigma-space=16 amount=0.7 ! glimagesink
 * ]|
 * Strong smoothing at low cost, which leaves a part of the texture.
 *
 * Since: 0.1
 */
#include "gstglclbilateral.h"

#include <memory>
#include <optional>
#include <string>

#include "base/glclelement.h"
#include "base/glclerrorreporter.h"
#include "base/glclregion.h"
#include "base/glclstillpicture.h"
#include "base/glclwatchedpicture.h"
#include "bilateral/bilateral.h"
#include "bilateral/grid.h"
#include "bilateral/mix.h"
#include "config.h"

GST_DEBUG_CATEGORY_STATIC(glcl_bilateral_debug);
#define GST_CAT_DEFAULT glcl_bilateral_debug

namespace {

using glcl::bilateral::BilateralFilter;
using glcl::bilateral::Grid;
using glcl::bilateral::Mix;
using Weight = BilateralFilter::Weight;

enum class BilateralChannels { all, luma };

GType channels_type() {
  return glcl::enum_type<BilateralChannels>(
      "GstGLCLBilateralChannels",
      {{BilateralChannels::all, "Brightness and colour", "all"},
       {BilateralChannels::luma,
        "Brightness only: the chroma of YUV stays, and R, G and B change by the change of "
        "brightness",
        "luma"}});
}

enum class BilateralMethod { automatic, brute_force, grid };

GType method_type() {
  return glcl::enum_type<BilateralMethod>(
      "GstGLCLBilateralMethod",
      {{BilateralMethod::automatic,
        "The faster method on this device; always brute-force with weight=color or a radius above "
        "0",
        "auto"},
       {BilateralMethod::brute_force, "Exact filter: weighs every pixel of the window",
        "brute-force"},
       {BilateralMethod::grid,
        "Bilateral grid: approximates the whole Gaussian at a cost that does not depend on "
        "sigma-space. Falls back to brute-force where the grid would be too large (sigma-space "
        "below 2 or a very small sigma-range)",
        "grid"}});
}

GType weight_type() {
  return glcl::enum_type<Weight>(
      "GstGLCLBilateralWeight",
      {{Weight::intensity,
        "One weight for all channels, from the difference in intensity (0.30 R + 0.59 G + 0.11 B)",
        "intensity"},
       {Weight::color,
        "One weight for all channels, from the Euclidean distance of the RGB colours", "color"},
       {Weight::per_channel, "One weight per channel, from the difference in that channel",
        "per-channel"}});
}

struct BilateralProperties : BilateralFilter::Settings {
  BilateralMethod method = BilateralMethod::automatic;
  double amount = 1;
  BilateralChannels channels = BilateralChannels::all;
  std::string mask;  // file
  bool watch = false;
};

struct BilateralState {
  glcl::Guarded<BilateralProperties> settings;
  BilateralProperties frame_settings;
  std::unique_ptr<BilateralFilter> exact;  // GL thread, like the grid and the mix
  std::unique_ptr<Grid> grid;
  std::unique_ptr<Mix> mix;
  glcl::WatchedPicture mask{glcl::load_levels, "mask", "The mask stays as it was."};
  std::shared_ptr<glcl::Context> context;
  bool roi_warned = false;  // a warning was posted since the roi was last inside the frames

  bool wants_grid(const BilateralProperties &now) const {
    if (now.method == BilateralMethod::brute_force || !grid->suits(now)) return false;
    return now.method == BilateralMethod::grid ||
           (now.weight != Weight::color && !now.radius && grid->cost(now) < exact->cost(now));
  }
};

}  // namespace

struct _GstGLCLBilateral {
  GstGLCLFilter parent;
  BilateralState *state;
};

G_DEFINE_TYPE(GstGLCLBilateral, gst_glcl_bilateral, GST_TYPE_GLCL_FILTER)
GST_ELEMENT_REGISTER_DEFINE(glclbilateral, "glclbilateral", GST_RANK_NONE,
                            gst_glcl_bilateral_get_type())

static glcl::Layout gst_glcl_bilateral_prepare(GstGLCLFilter *filter, glcl::Context &context,
                                               int width, int height) {
  BilateralState *state = GST_GLCL_BILATERAL(filter)->state;
  const glcl::PixelFormat &pixels =
      *gst_glcl_filter_frame_format(filter, glcl::layout_for(context.device())).pixels;
  state->exact = std::make_unique<BilateralFilter>(context, width, height, pixels);
  state->grid = std::make_unique<Grid>(context, width, height, state->exact->layout(), pixels);
  state->mix = std::make_unique<Mix>(context, width, height, state->exact->layout(), pixels);
  state->context = context.shared_from_this();
  state->roi_warned = false;
  const BilateralProperties settings = state->settings.get();
  state->mask.prepare(GST_ELEMENT(filter), state->context, gst_glcl_filter_has_begun(filter),
                      settings.mask);
  GST_INFO_OBJECT(filter, "frames of %d×%d px, at first by %s; brute force: %s", width, height,
                  state->wants_grid(settings) ? "a grid" : "brute force",
                  glcl::describe(state->exact->variant_for(settings)).c_str());
  if (state->wants_grid(settings))
    state->grid->prepare(settings);
  else
    state->exact->prepare(settings);
  return state->exact->layout();
}

/// How the next frame is mixed. The conversion of YUV keeps its chroma, so all of it may change
/// here.
static Mix::Settings mix_settings(GstGLCLFilter *filter) {
  BilateralState *state = GST_GLCL_BILATERAL(filter)->state;
  const BilateralProperties &settings = state->frame_settings;
  const GstVideoInfo &info = GST_GL_FILTER(filter)->in_info;
  return {
      settings.amount, settings.channels == BilateralChannels::luma && GST_VIDEO_INFO_IS_RGB(&info),
      Mix::hairline(settings, GST_VIDEO_INFO_WIDTH(&info)), settings.region, state->mask.current()};
}

static bool gst_glcl_bilateral_passes_on(GstGLCLFilter *filter) {
  return mix_settings(filter).passes_on();
}

static std::optional<int> gst_glcl_bilateral_keeps_chroma(GstGLCLFilter *filter) {
  if (GST_GLCL_BILATERAL(filter)->state->frame_settings.channels == BilateralChannels::all)
    return {};
  return mix_settings(filter).hairline;
}

static void gst_glcl_bilateral_process(GstGLCLFilter *filter, glcl::Queue &queue,
                                       const glcl::Picture &in, const glcl::Picture &out,
                                       GstBuffer *, GstBuffer *) {
  BilateralState *state = GST_GLCL_BILATERAL(filter)->state;
  const BilateralProperties &settings = state->frame_settings;
  if (settings.watch) state->mask.watch(settings.mask);
  state->mask.update(GST_ELEMENT(filter), settings.mask);
  glcl::warn_of_region(GST_ELEMENT(filter), settings.region, in.width, in.height,
                       glcl::clipped(settings.region, in.width, in.height), state->roi_warned);
  if (!out) return;
  // The exact filter is used until the grid is built, or if the grid can't be built.
  bool ready = false;
  if (state->wants_grid(settings))
    glcl::guard_optional(GST_ELEMENT(filter), "The exact filter takes its place.",
                         [&] { ready = state->grid->ready(settings); });
  state->mix->run(queue, mix_settings(filter), in, out, [&](const glcl::Picture &to) {
    if (ready)
      state->grid->run(queue, settings, in, to);
    else
      state->exact->run(queue, settings, in, to);
  });
}

static void gst_glcl_bilateral_unprepare(GstGLCLFilter *filter) {
  BilateralState *state = GST_GLCL_BILATERAL(filter)->state;
  state->mask.clear();
  state->mix.reset();
  state->grid.reset();
  state->exact.reset();
  state->context.reset();
}

static void gst_glcl_bilateral_init(GstGLCLBilateral *self) { self->state = new BilateralState; }

static void gst_glcl_bilateral_class_init(GstGLCLBilateralClass *klass) {
  GST_DEBUG_CATEGORY_INIT(glcl_bilateral_debug, "glclbilateral", 0, "OpenCL bilateral filter");
  glcl::init_element_class<GstGLCLBilateral>(
      klass, {"OpenCL bilateral filter", "Filter/Effect/Video",
              "Smooths video in OpenGL textures with OpenCL and preserves edges",
              DOCS_PAGE("glclbilateral")});
  glcl::install_properties<GstGLCLBilateral>(klass)
      .number("sigma-space", "Spatial sigma", "Standard deviation of the spatial Gaussian, in px",
              &BilateralProperties::sigma_space, 0.1, 64)
      .number("sigma-range", "Range sigma",
              "Standard deviation of the Gaussian over colour differences, as a fraction of full "
              "scale; 0 averages equal colours only",
              &BilateralProperties::sigma_range, 0, 1)
      .number("radius", "Radius",
              "Radius of the square window of method=brute-force, in px; 0 is 2 × sigma-space, "
              "rounded up",
              &BilateralProperties::radius, 0, BilateralFilter::max_radius)
      .choice("method", "Method", "How the filter is computed", &BilateralProperties::method,
              method_type())
      .choice("weight", "Weight", "How the similarity of two pixels is measured",
              &BilateralProperties::weight, weight_type())
      .number("iterations", "Iterations", "Number of times the filter is applied",
              &BilateralProperties::iterations, 1, 16)
      .number("amount", "Amount",
              "Weight of the filtered picture; the rest is the input. 0 passes frames unchanged",
              &BilateralProperties::amount, 0, 1)
      .choice("channels", "Channels", "Which parts of the picture change",
              &BilateralProperties::channels, channels_type())
      .other(
          gst_param_spec_array(
              "roi", "Region of interest",
              "Region that is filtered: <x, y, width, height> in px. It is clipped to the frame; a "
              "region outside moves to the nearest edge. Empty: whole frame",
              nullptr, glcl::while_playing),
          [](BilateralProperties &settings, const GValue *value) {
            glcl::set_region(settings.region, value);
          },
          [](const BilateralProperties &settings, GValue *value) {
            glcl::get_region(settings.region, value);
          })
      .text("mask", "Mask",
            "Picture file, stretched over the frame: white filters, black keeps the input, grey "
            "mixes. Transparent parts count as black. Empty: no mask",
            &BilateralProperties::mask)
      .flag("watch", "Watch", "Reload the mask when its file changes", &BilateralProperties::watch)
      .number("split", "Split",
              "Fraction of the width, from the left, that shows the unfiltered input; a hairline "
              "marks the border",
              &BilateralProperties::split, 0, 1);

  auto *filter_class = GST_GLCL_FILTER_CLASS(klass);
  filter_class->prepare = gst_glcl_bilateral_prepare;
  filter_class->keeps_chroma = gst_glcl_bilateral_keeps_chroma;
  filter_class->passes_on = gst_glcl_bilateral_passes_on;
  filter_class->process = gst_glcl_bilateral_process;
  filter_class->unprepare = gst_glcl_bilateral_unprepare;
  filter_class->takes_deep = true;
}
