// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/gl/gl.h>
#include <gst/gl/gstglfuncs.h>

#include "config.h"

#if HAVE_GL_EGL
#include <gst/gl/egl/gstgldisplay_egl.h>
#endif

namespace glcl::sharing {

/// Loads a function of OpenGL or EGL that GstGLFuncs lacks; null if the driver lacks it too.
template <class Function>
void load(GstGLContext *context, Function &function, const char *name) {
  function = reinterpret_cast<Function>(gst_gl_context_get_proc_address(context, name));
}

/// Clears errors of earlier OpenGL calls.
inline void clear_errors(const GstGLContext *context) {
  while (context->gl_vtable->GetError()) {
  }
}

/// The EGLDisplay of the context; null if it is not an EGL context.
inline gpointer egl_display(const GstGLContext *context) {
#if HAVE_GL_EGL
  if (GstGLDisplayEGL *egl = gst_gl_display_egl_from_gl_display(context->display)) {
    const guintptr handle = gst_gl_display_get_handle(GST_GL_DISPLAY(egl));
    gst_object_unref(egl);
    return reinterpret_cast<gpointer>(handle);
  }
#endif
  return nullptr;
}

/// Sets filters and edge modes of the bound texture, like GstGLMemory.
inline void set_parameters(const GstGLContext *context) {
  const GstGLFuncs *gl = context->gl_vtable;
  gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
  gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
  gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
  gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
}

}  // namespace glcl::sharing
