// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gl.h"

#include <CL/cl_gl.h>
#include <gst/gl/gstglfuncs.h>

#include "config.h"
#include "opencl/error.h"
#include "texture.h"

#if HAVE_GL_EGL
#include <gst/gl/egl/gstgldisplay_egl.h>
#endif

namespace glcl {

namespace {

/// Waits on the host until OpenGL has done all work queued so far.
void wait_for_gl(GstGLContext *context) {
  const GstGLFuncs *gl = context->gl_vtable;
  if (!gl->FenceSync) {
    gl->Finish();
    return;
  }
  GLsync fence = gl->FenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
  const GLenum status = gl->ClientWaitSync(fence, GL_SYNC_FLUSH_COMMANDS_BIT, 10 * GST_SECOND);
  gl->DeleteSync(fence);
  if (status != GL_ALREADY_SIGNALED && status != GL_CONDITION_SATISFIED)
    throw Error(Error::Kind::failed, "OpenGL did not finish a frame in 10 s.",
                "glClientWaitSync gave " + std::to_string(status));
}

}  // namespace

void GlSharing::acquire(Queue &queue, Layout layout, Use *uses, size_t count) {
  const auto context = queue.context().shared_from_this();
  crossing_.clear();
  for (size_t i = 0; i < count; i++) {
    uses[i].map(GST_MAP_GL);
    Texture &texture = Texture::of(uses[i].memory);
    uses[i].picture.image = texture.image(context);
    if (texture.holder != &queue) crossing_.push_back(uses[i].picture.image);
  }
  if (!crossing_.empty()) {
    if (!context->device().has_extension("cl_khr_gl_event"))
      wait_for_gl(uses[0].memory->mem.context);
    queue.cl().enqueueAcquireGLObjects(&crossing_);
  }
  for (size_t i = 0; i < count; i++) {
    Use &use = uses[i];
    Texture::of(use.memory).holder = &queue;
    const cl::Image2D image = use.picture.image;
    if (layout == Layout::buffer) {
      use.picture = staging(queue, i, use, layout);
      use.picture.image = image;
      if (use.access == Access::read)
        queue.cl().enqueueCopyImageToBuffer(image, use.picture.buffer, {0, 0, 0},
                                            {size_t(use.width()), size_t(use.height()), 1}, 0);
    }
    use.picture.width = use.width();
    use.picture.height = use.height();
  }
}

void GlSharing::release(Queue &queue, Use *uses, size_t count, bool complete) {
  crossing_.clear();
  for (size_t i = 0; i < count; i++) {
    const Use &use = uses[i];
    Texture &texture = Texture::of(use.memory);
    if (texture.holder != &queue) continue;
    texture.holder = nullptr;
    crossing_.push_back(use.picture.image);
    if (complete && use.access == Access::write && use.picture.layout == Layout::buffer)
      queue.cl().enqueueCopyBufferToImage(use.picture.buffer, use.picture.image, 0, {0, 0, 0},
                                          {size_t(use.width()), size_t(use.height()), 1});
  }
  if (!crossing_.empty()) queue.cl().enqueueReleaseGLObjects(&crossing_);
  if (queue.context().device().has_extension("cl_khr_gl_event"))
    queue.cl().flush();
  else
    queue.cl().finish();
  for (size_t i = 0; i < count; i++) uses[i].unmap();
}

std::string gl_obstacle(GstGLContext *gl_context, const Device &device) {
  // The one safe gate: PoCL makes contexts with GL properties and old rusticl crashes when asked
  // for the GL device, and neither lists the extension.
  if (!device.has_extension("cl_khr_gl_sharing"))
    return "the OpenCL driver of " + device.name + " does not offer cl_khr_gl_sharing";

  auto properties = gl_properties(gl_context);
  if (properties.empty()) return "OpenCL can't share with this kind of OpenGL context";
  properties.insert(
      properties.end(),
      {CL_CONTEXT_PLATFORM, reinterpret_cast<cl_context_properties>(device.platform()), 0});

  const auto context_info = reinterpret_cast<clGetGLContextInfoKHR_fn>(
      clGetExtensionFunctionAddressForPlatform(device.platform(), "clGetGLContextInfoKHR"));
  if (!context_info) return "the OpenCL driver has no clGetGLContextInfoKHR";
  cl_device_id driving = nullptr;
  const cl_int status = context_info(properties.data(), CL_CURRENT_DEVICE_FOR_GL_CONTEXT_KHR,
                                     sizeof(driving), &driving, nullptr);
  if (status == CL_SUCCESS && driving == device.device()) return {};

  const auto *gl_string =
      reinterpret_cast<const char *>(gl_context->gl_vtable->GetString(GL_RENDERER));
  return "OpenGL runs on " + std::string(gl_string ? gl_string : "another device") + ", not on " +
         device.name + (status != CL_SUCCESS ? " (" + error_name(status) + ")" : "");
}

std::vector<cl_context_properties> gl_properties(GstGLContext *gl_context) {
  const auto handle = static_cast<cl_context_properties>(gst_gl_context_get_gl_context(gl_context));
  switch (gst_gl_context_get_gl_platform(gl_context)) {
#if HAVE_GL_EGL
    case GST_GL_PLATFORM_EGL: {
      GstGLDisplayEGL *egl = gst_gl_display_egl_from_gl_display(gl_context->display);
      if (!egl) return {};
      const auto display =
          static_cast<cl_context_properties>(gst_gl_display_get_handle(GST_GL_DISPLAY(egl)));
      gst_object_unref(egl);
      return {CL_GL_CONTEXT_KHR, handle, CL_EGL_DISPLAY_KHR, display};
    }
#endif
    case GST_GL_PLATFORM_GLX:
      return {CL_GL_CONTEXT_KHR, handle, CL_GLX_DISPLAY_KHR,
              static_cast<cl_context_properties>(gst_gl_display_get_handle(gl_context->display))};
    default:
      return {};
  }
}

}  // namespace glcl
