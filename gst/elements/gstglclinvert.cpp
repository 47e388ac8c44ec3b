// SPDX-License-Identifier: LGPL-2.1-or-later
/**
 * SECTION:element-glclinvert
 * @title: glclinvert
 *
 * Inverts the colours of a frame and keeps alpha: a minimal GstGLCLFilter element, explained in
 * docs/extending.md.
 *
 * ## Example launch line
 * |[
 * gst-launch-1.0 videotestsrc ! glupload ! glcolorconvert ! glclinvert ! glimagesink
 * ]|
 *
 * Since: 0.1
 */
#include "gstglclinvert.h"

#include "base/glclelement.h"
#include "config.h"
#include "opencl/kernel.h"

GST_DEBUG_CATEGORY_STATIC(glcl_invert_debug);
#define GST_CAT_DEFAULT glcl_invert_debug

namespace {

struct InvertProperties {
  double strength = 1;
};

struct InvertState {
  glcl::Guarded<InvertProperties> settings;
  glcl::Kernel kernel;
};

}  // namespace

struct _GstGLCLInvert {
  GstGLCLFilter parent;
  InvertState *state;
};

G_DEFINE_TYPE(GstGLCLInvert, gst_glcl_invert, GST_TYPE_GLCL_FILTER)
GST_ELEMENT_REGISTER_DEFINE(glclinvert, "glclinvert", GST_RANK_NONE, gst_glcl_invert_get_type())

static glcl::Layout gst_glcl_invert_prepare(GstGLCLFilter *filter, glcl::Context &context,
                                            int width, int height) {
  const glcl::Layout layout = glcl::layout_for(context.device());
  const glcl::FrameFormat frame = gst_glcl_filter_frame_format(filter, layout);
  GST_GLCL_INVERT(filter)->state->kernel = glcl::Kernel(
      context, context.program("invert/invert.cl", glcl::frame_options(frame)), "invert", {16, 16});
  GST_INFO_OBJECT(filter, "frames of %d×%d px", width, height);
  return layout;
}

static void gst_glcl_invert_process(GstGLCLFilter *filter, glcl::Queue &queue,
                                    const glcl::Picture &in, const glcl::Picture &out, GstBuffer *,
                                    GstBuffer *) {
  InvertState *state = GST_GLCL_INVERT(filter)->state;
  const auto strength = static_cast<cl_float>(state->settings.get().strength);

  state->kernel(queue, glcl::block_items(in), in, out, in.width, in.height, strength);
}

static void gst_glcl_invert_unprepare(GstGLCLFilter *filter) {
  GST_GLCL_INVERT(filter)->state->kernel = {};
}

static void gst_glcl_invert_init(GstGLCLInvert *self) { self->state = new InvertState; }

static void gst_glcl_invert_class_init(GstGLCLInvertClass *klass) {
  GST_DEBUG_CATEGORY_INIT(glcl_invert_debug, "glclinvert", 0, "OpenCL colour inversion");
  glcl::init_element_class<GstGLCLInvert>(
      klass, {"OpenCL colour inversion", "Filter/Effect/Video",
              "Inverts the colours of OpenGL textures with OpenCL", DOCS_PAGE("glclinvert")});
  glcl::install_properties<GstGLCLInvert>(klass).number(
      "strength", "Strength", "Strength of the inversion: 0 keeps the picture, 1 inverts it fully",
      &InvertProperties::strength, 0, 1);

  auto *filter_class = GST_GLCL_FILTER_CLASS(klass);
  filter_class->prepare = gst_glcl_invert_prepare;
  filter_class->process = gst_glcl_invert_process;
  filter_class->unprepare = gst_glcl_invert_unprepare;
  filter_class->takes_planes = true;
  filter_class->takes_fields = [](GstGLCLFilter *) { return true; };
}
