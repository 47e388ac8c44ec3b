// SPDX-License-Identifier: LGPL-2.1-or-later
// Sharing method `gl`: OpenCL works in the texture itself (cl_khr_gl_sharing).
#include "functions.h"
#include "memory.h"
#include "opencl/error.h"
#include "texture.h"

namespace glcl::sharing {

namespace {

class GlInterop : public Interop {
 public:
  Image image(const Context &context, GstGLMemory *memory) const override {
    try {
      const cl::ImageGL of_texture(context.cl(), CL_MEM_READ_WRITE, GL_TEXTURE_2D, 0,
                                   memory->tex_id);
      return cl::Image2D(of_texture(), true);
    } catch (const cl::Error &error) {
      throw Error(Error::Kind::failed,
                  "OpenCL can't share the OpenGL texture with " + context.device().name +
                      ". Use sharing=copy.",
                  std::string(error.what()) + ": " + error_name(error.err()) + ", texture " +
                      std::to_string(memory->tex_id) + ", format " +
                      std::to_string(memory->tex_format));
    }
  }
  void acquire(Queue &queue, const std::vector<cl_mem> &images) const override {
    enqueue(queue, images, clEnqueueAcquireGLObjects, "clEnqueueAcquireGLObjects");
  }
  cl::Event release(Context &context, cl_mem image, const cl::Event &after) const override {
    return enqueue_release(context, image, after, clEnqueueReleaseGLObjects,
                           "clEnqueueReleaseGLObjects");
  }
  bool ordered_by_driver(const Device &device) const override {
    return device.has_extension("cl_khr_gl_event");
  }
};

const GlInterop gl_interop;

class GlSharing : public TextureSharing {
 public:
  GlSharing() : TextureSharing(gl_interop) {}
  GstBufferPool *make_pool(GstGLContext *context, ErrorHandler report) override {
    return sharing::make_pool(context, nullptr, std::move(report));
  }
};

/// The properties of an OpenCL context that shares with the GL context; empty if OpenCL does not
/// know that kind of GL context.
std::vector<cl_context_properties> properties_of(GstGLContext *gl_context) {
  const auto handle = static_cast<cl_context_properties>(gst_gl_context_get_gl_context(gl_context));
  switch (gst_gl_context_get_gl_platform(gl_context)) {
    case GST_GL_PLATFORM_EGL:
      if (const gpointer display = egl_display(gl_context))
        return {CL_GL_CONTEXT_KHR, handle, CL_EGL_DISPLAY_KHR,
                reinterpret_cast<cl_context_properties>(display)};
      return {};
    case GST_GL_PLATFORM_GLX:
      return {CL_GL_CONTEXT_KHR, handle, CL_GLX_DISPLAY_KHR,
              static_cast<cl_context_properties>(gst_gl_display_get_handle(gl_context->display))};
    default:
      return {};
  }
}

Factory probe_gl(GstGLContext *gl_context, const Device &device) {
  const auto refuse = [](const std::string &reason) {
    throw Error(Error::Kind::not_found, reason);
  };
  // The only safe check is the extension. Without it PoCL still creates contexts with GL
  // properties, and old rusticl crashes when asked for the GL device.
  if (!device.has_extension("cl_khr_gl_sharing"))
    refuse("the OpenCL driver of " + device.name + " does not offer cl_khr_gl_sharing");

  const auto properties = properties_of(gl_context);
  if (properties.empty()) refuse("OpenCL can't share textures with this type of OpenGL context");
  auto asked = properties;
  asked.insert(asked.end(), {CL_CONTEXT_PLATFORM,
                             reinterpret_cast<cl_context_properties>(device.platform()), 0});

  const auto context_info = reinterpret_cast<clGetGLContextInfoKHR_fn>(
      clGetExtensionFunctionAddressForPlatform(device.platform(), "clGetGLContextInfoKHR"));
  if (!context_info) refuse("the OpenCL driver has no clGetGLContextInfoKHR");
  cl_device_id driving = nullptr;
  const cl_int status = context_info(asked.data(), CL_CURRENT_DEVICE_FOR_GL_CONTEXT_KHR,
                                     sizeof(driving), &driving, nullptr);
  if (status == CL_OUT_OF_RESOURCES || status == CL_OUT_OF_HOST_MEMORY)
    throw Error(Error::Kind::failed, "OpenCL does not report which device runs OpenGL",
                "clGetGLContextInfoKHR: " + error_name(status));
  if (status != CL_SUCCESS || driving != device.device()) {
    const auto *renderer =
        reinterpret_cast<const char *>(gl_context->gl_vtable->GetString(GL_RENDERER));
    refuse("OpenGL runs on " + std::string(renderer ? renderer : "another device") + ", not on " +
           device.name + (status != CL_SUCCESS ? " (" + error_name(status) + ")" : ""));
  }
  return {[] { return std::make_unique<GlSharing>(); }, properties};
}

}  // namespace

const SharingMethod SharingMethod::gl = {
    "gl", "OpenCL accesses the OpenGL texture directly (cl_khr_gl_sharing)", probe_gl};

}  // namespace glcl::sharing
