// SPDX-License-Identifier: LGPL-2.1-or-later
#include "texture.h"

#include <gst/gl/gstglfuncs.h>

#include "opencl/error.h"

namespace glcl {

namespace {

GQuark quark() {
  static const GQuark name = g_quark_from_static_string("gst.glcl.Texture");
  return name;
}

}  // namespace

Texture &Texture::of(GstGLMemory *memory) {
  auto *object = GST_MINI_OBJECT_CAST(memory);
  auto *texture = static_cast<Texture *>(gst_mini_object_get_qdata(object, quark()));
  if (!texture) {
    texture = new Texture(memory);
    // The memory dies on any thread. Its qdata goes before its texture, and both go on the GL
    // thread.
    gst_mini_object_set_qdata(object, quark(), texture, [](gpointer data) {
      gst_gl_context_thread_add(
          static_cast<Texture *>(data)->memory_->mem.context,
          [](GstGLContext *, gpointer gone) { delete static_cast<Texture *>(gone); }, data);
    });
  }
  return *texture;
}

cl::Image2D Texture::image(const std::shared_ptr<Context> &context) {
  for (const Shared &shared : images_)
    if (shared.context == context) return shared.image;
  try {
    const cl::ImageGL of_texture(context->cl(), CL_MEM_READ_WRITE, GL_TEXTURE_2D, 0,
                                 memory_->tex_id);
    images_.push_back({context, cl::Image2D(of_texture(), true)});
  } catch (const cl::Error &error) {
    throw Error(Error::Kind::failed,
                "OpenCL can't share the OpenGL texture with " + context->device().name +
                    ". sharing=copy works without it.",
                std::string(error.what()) + ": " + error_name(error.err()) + ", texture " +
                    std::to_string(memory_->tex_id) + ", format " +
                    std::to_string(memory_->tex_format));
  }
  return images_.back().image;
}

}  // namespace glcl
