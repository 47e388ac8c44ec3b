// SPDX-License-Identifier: LGPL-2.1-or-later
/**
 * SECTION:element-glclinvert
 * @title: glclinvert
 *
 * Inverts the colours of a frame and keeps alpha: the smallest element that can be written on
 * GstGLCLFilter, which docs/extending.md walks through.
 *
 * ## Example launch line
 * |[
 * gst-launch-1.0 videotestsrc ! glupload ! glcolorconvert ! glclinvert ! glimagesink
 * ]|
 *
 * Since: 0.1
 */
#include "gstglclinvert.h"

#include "opencl/kernel.h"

struct _GstGLCLInvert {
  GstGLCLFilter parent;
  gdouble strength;
  glcl::Kernel *kernel;
};

enum { PROP_0, PROP_STRENGTH };

G_DEFINE_TYPE(GstGLCLInvert, gst_glcl_invert, GST_TYPE_GLCL_FILTER)
GST_ELEMENT_REGISTER_DEFINE(glclinvert, "glclinvert", GST_RANK_NONE, gst_glcl_invert_get_type())

static glcl::Layout gst_glcl_invert_prepare(GstGLCLFilter *filter, glcl::Context &context,
                                            int width, int height) {
  GstGLCLInvert *self = GST_GLCL_INVERT(filter);
  const bool buffers = context.device().prefers_buffers();
  *self->kernel = glcl::Kernel(context, context.program("example/invert.cl"),
                               buffers ? "invert_buffer" : "invert_image", {16, 16});
  return buffers ? glcl::Layout::buffer : glcl::Layout::image;
}

static void gst_glcl_invert_process(GstGLCLFilter *filter, glcl::Queue &queue,
                                    const glcl::Picture &in, const glcl::Picture &out, GstBuffer *,
                                    GstBuffer *) {
  GstGLCLInvert *self = GST_GLCL_INVERT(filter);
  GST_OBJECT_LOCK(self);
  const auto strength = static_cast<cl_float>(self->strength);
  GST_OBJECT_UNLOCK(self);

  const glcl::Size items{static_cast<size_t>(in.width), static_cast<size_t>(in.height)};
  if (in.layout == glcl::Layout::buffer)
    (*self->kernel)(queue, items, in.buffer, in.pitch, out.buffer, out.pitch, in.width, in.height,
                    strength);
  else
    (*self->kernel)(queue, items, in.image, out.image, strength);
}

static void gst_glcl_invert_unprepare(GstGLCLFilter *filter) {
  *GST_GLCL_INVERT(filter)->kernel = {};
}

static void gst_glcl_invert_set_property(GObject *object, guint, const GValue *value,
                                         GParamSpec *) {
  GstGLCLInvert *self = GST_GLCL_INVERT(object);
  GST_OBJECT_LOCK(self);
  self->strength = g_value_get_double(value);
  GST_OBJECT_UNLOCK(self);
}

static void gst_glcl_invert_get_property(GObject *object, guint, GValue *value, GParamSpec *) {
  GstGLCLInvert *self = GST_GLCL_INVERT(object);
  GST_OBJECT_LOCK(self);
  g_value_set_double(value, self->strength);
  GST_OBJECT_UNLOCK(self);
}

static void gst_glcl_invert_init(GstGLCLInvert *self) {
  self->strength = 1;
  self->kernel = new glcl::Kernel;
}

static void gst_glcl_invert_finalize(GObject *object) {
  delete GST_GLCL_INVERT(object)->kernel;
  G_OBJECT_CLASS(gst_glcl_invert_parent_class)->finalize(object);
}

static void gst_glcl_invert_class_init(GstGLCLInvertClass *klass) {
  auto *object_class = G_OBJECT_CLASS(klass);
  object_class->set_property = gst_glcl_invert_set_property;
  object_class->get_property = gst_glcl_invert_get_property;
  object_class->finalize = gst_glcl_invert_finalize;
  g_object_class_install_property(
      object_class, PROP_STRENGTH,
      g_param_spec_double(
          "strength", "Strength", "0 leaves the picture as it is, 1 inverts it", 0, 1, 1,
          static_cast<GParamFlags>(G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS |
                                   GST_PARAM_CONTROLLABLE | GST_PARAM_MUTABLE_PLAYING)));

  gst_element_class_set_static_metadata(
      GST_ELEMENT_CLASS(klass), "OpenCL colour inversion", "Filter/Effect/Video",
      "Inverts the colours of OpenGL textures with OpenCL", "The gst-glcl developers");
  auto *filter_class = GST_GLCL_FILTER_CLASS(klass);
  filter_class->prepare = gst_glcl_invert_prepare;
  filter_class->process = gst_glcl_invert_process;
  filter_class->unprepare = gst_glcl_invert_unprepare;
}
