// SPDX-License-Identifier: LGPL-2.1-or-later
#include "copier.h"

#include <gst/gl/gstglfuncs.h>

#include <string>

#include "functions.h"
#include "opencl/error.h"

#ifndef GL_COMPUTE_SHADER
#define GL_COMPUTE_SHADER 0x91B9
#endif

namespace glcl::sharing {

namespace {

constexpr GLenum write_only = 0x88B9;
constexpr guint all_barrier_bits = 0xFFFFFFFF;

}  // namespace

TextureCopier::TextureCopier(GstGLContext *context, const PlaneFormat &plane)
    : context_(context), format_(plane.gl), shader_(gst_gl_shader_new(context)) {
  load(context, more_.BindImageTexture, "glBindImageTexture");
  load(context, more_.DispatchCompute, "glDispatchCompute");
  load(context, more_.MemoryBarrier, "glMemoryBarrier");
  static const char source[] = R"(, binding = 0) writeonly uniform highp image2D to;
uniform highp sampler2D from;
void main() {
  ivec2 at = ivec2(gl_GlobalInvocationID.xy);
  if (all(lessThan(at, imageSize(to)))) imageStore(to, at, texelFetch(from, at, 0));
}
)";
  const bool es = gst_gl_context_get_gl_api(context) & GST_GL_API_GLES2;
  const std::string text = std::string(es ? "#version 310 es\n" : "#version 430\n") +
                           "layout(local_size_x = 16, local_size_y = 16) in;\nlayout(" +
                           plane.glsl + source;
  const gchar *strings[] = {text.c_str()};
  GstGLSLStage *stage = gst_glsl_stage_new_with_strings(
      context, GL_COMPUTE_SHADER, GST_GLSL_VERSION_NONE, GST_GLSL_PROFILE_NONE, 1, strings);
  GError *error = nullptr;
  if (gst_glsl_stage_compile(stage, &error) && gst_gl_shader_attach(shader_, stage) &&
      gst_gl_shader_link(shader_, &error))
    return;
  const std::string reason = error ? error->message : "";
  g_clear_error(&error);
  gst_clear_object(&shader_);
  throw Error(Error::Kind::failed, "The shader that copies textures does not compile.", reason);
}

TextureCopier::~TextureCopier() { gst_clear_object(&shader_); }

void TextureCopier::copy(guint from, guint to, int width, int height) {
  const GstGLFuncs *gl = context_->gl_vtable;
  gst_gl_shader_use(shader_);
  gst_gl_shader_set_uniform_1i(shader_, "from", 0);
  gl->ActiveTexture(GL_TEXTURE0);
  gl->BindTexture(GL_TEXTURE_2D, from);
  more_.BindImageTexture(0, to, 0, GL_FALSE, 0, write_only, format_);
  more_.DispatchCompute((width + 15) / 16, (height + 15) / 16, 1);
  more_.MemoryBarrier(all_barrier_bits);
  more_.BindImageTexture(0, 0, 0, GL_FALSE, 0, write_only, format_);
  gl->BindTexture(GL_TEXTURE_2D, 0);
  gst_gl_context_clear_shader(context_);
}

}  // namespace glcl::sharing
