// SPDX-License-Identifier: LGPL-2.1-or-later
// glclhalf: an element outside of gst-glcl, on its installed base class. docs/extending.md explains
// the functions.
#include "base/glclelement.h"
#include "base/gstglclfilter.h"
#include "glclmean.h"
#include "opencl/kernel.h"

G_DECLARE_FINAL_TYPE(GstGLCLHalf, gst_glcl_half, GST, GLCL_HALF, GstGLCLFilter)

namespace {

struct Settings {
  double share = 0.5;
};

struct State {
  glcl::Guarded<Settings> settings;
  glcl::Kernel kernel;
};

}  // namespace

struct _GstGLCLHalf {
  GstGLCLFilter parent;
  State *state;
};

G_DEFINE_TYPE(GstGLCLHalf, gst_glcl_half, GST_TYPE_GLCL_FILTER)

static glcl::Layout gst_glcl_half_prepare(GstGLCLFilter *filter, glcl::Context &context, int, int) {
  const glcl::Layout layout = glcl::layout_for(context.device());
  const glcl::FrameFormat frame = gst_glcl_filter_frame_format(filter, layout);
  GST_GLCL_HALF(filter)->state->kernel = glcl::Kernel(
      context, context.program("half/half.cl", glcl::frame_options(frame)), "darken", {16, 16});
  return layout;
}

static void gst_glcl_half_process(GstGLCLFilter *filter, glcl::Queue &queue,
                                  const glcl::Picture &in, const glcl::Picture &out, GstBuffer *,
                                  GstBuffer *) {
  State *state = GST_GLCL_HALF(filter)->state;
  const auto share = static_cast<cl_float>(state->settings.get().share);
  state->kernel(queue, glcl::block_items(in), in, out, in.width, in.height, share);
}

static void gst_glcl_half_unprepare(GstGLCLFilter *filter) {
  GST_GLCL_HALF(filter)->state->kernel = {};
}

static void gst_glcl_half_init(GstGLCLHalf *self) { self->state = new State; }

static void gst_glcl_half_class_init(GstGLCLHalfClass *klass) {
  glcl::init_element_class<GstGLCLHalf>(
      klass,
      {"Darkener", "Filter/Effect/Video", "Darkens OpenGL textures with OpenCL", nullptr, "You"});
  glcl::install_properties<GstGLCLHalf>(klass).number(
      "share", "Share", "of the light that stays, 0 none, 1 all", &Settings::share, 0, 1);
  auto *filter_class = GST_GLCL_FILTER_CLASS(klass);
  filter_class->prepare = gst_glcl_half_prepare;
  filter_class->process = gst_glcl_half_process;
  filter_class->unprepare = gst_glcl_half_unprepare;
  filter_class->takes_planes = true;
  filter_class->takes_fields = [](GstGLCLFilter *) { return true; };
}

static gboolean plugin_init(GstPlugin *plugin) {
  return gst_element_register(plugin, "glclhalf", GST_RANK_NONE, gst_glcl_half_get_type()) &&
         gst_element_register(plugin, "glclmean", GST_RANK_NONE, gst_glcl_mean_get_type());
}

#define PACKAGE "glclhalf"
GST_PLUGIN_DEFINE(GST_VERSION_MAJOR, GST_VERSION_MINOR, glclhalf, "Elements outside of gst-glcl",
                  plugin_init, "0.1", "LGPL", "glclhalf", "https://example.org")
