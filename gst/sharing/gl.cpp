// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gl.h"

#include <CL/cl_gl.h>
#include <gst/gl/gstglfuncs.h>

#include "config.h"
#include "memory.h"
#include "opencl/error.h"

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

TextureSharing::~TextureSharing() {
  for (GstBuffer *buffer : copies_of_foreign_) gst_clear_buffer(&buffer);
}

GstBufferPool *TextureSharing::make_pool(GstGLContext *context, Report report) {
  return glcl::make_pool(context, exporter_, std::move(report));
}

/// A texture that both sides import, with the contents of one that OpenGL alone knows.
GstGLMemory *TextureSharing::exported_copy(size_t index, Use &use) {
  GstGLContext *context = use.memory->mem.context;
  if (copies_of_foreign_.size() <= index) copies_of_foreign_.resize(index + 1);
  GstBuffer *&buffer = copies_of_foreign_[index];
  auto *copy = buffer ? GST_GL_MEMORY_CAST(gst_buffer_peek_memory(buffer, 0)) : nullptr;
  if (!copy || copy->mem.context != context ||
      gst_gl_memory_get_texture_width(copy) != use.width() ||
      gst_gl_memory_get_texture_height(copy) != use.height()) {
    gst_clear_buffer(&buffer);
    buffer = allocate(context, exporter_, use.width(), use.height());
    copy = GST_GL_MEMORY_CAST(gst_buffer_peek_memory(buffer, 0));
  }
  if (!copier_) copier_ = std::make_unique<TextureCopier>(context);
  use.map(GST_MAP_GL);
  Texture::of(copy).to_gl();
  copier_->copy(use.memory->tex_id, copy->tex_id, use.width(), use.height());
  use.unmap();
  return copy;
}

Texture &TextureSharing::texture_of(size_t index, Use &use) {
  Texture &texture = Texture::of(use.memory);
  if (!exporter_ || texture.exported) return texture;
  if (use.access != Access::read)
    throw Error(Error::Kind::failed, "The output texture is not of exported memory.",
                "downstream's pool was not replaced");
  return Texture::of(exported_copy(index, use));
}

/// Whether the device itself sees to it that OpenCL comes after OpenGL for what crosses.
bool TextureSharing::ordered_on_device(Queue &queue) {
  if (!exporter_) return false;
  Texture *first = nullptr;
  crossing_ids_.clear();
  for (const Held &held : textures_) {
    if (!held.crossed) continue;
    if (!first) first = held.texture;
    crossing_ids_.push_back(held.texture->exported->texture());
  }
  return first->order_after_gl(queue, *exporter_, crossing_ids_);
}

void TextureSharing::acquire(Queue &queue, Layout layout, Use *uses, size_t count) {
  const auto context = queue.context().shared_from_this();
  crossing_.clear();
  textures_.clear();
  for (size_t i = 0; i < count; i++) {
    Texture &texture = texture_of(i, uses[i]);
    const bool crosses = texture.holder() != &queue;
    uses[i].picture.image = texture.image(context);
    if (crosses) {
      texture.to_gl();  // from another queue
      uses[i].map(GST_MAP_GL);
      uses[i].unmap();
      crossing_.push_back(uses[i].picture.image());
    }
    textures_.push_back({&texture, crosses});
  }
  if (!crossing_.empty()) {
    if (!ordered_on_device(queue) &&
        (exporter_ || !context->device().has_extension("cl_khr_gl_event")))
      wait_for_gl(uses[0].memory->mem.context);
    enqueue_acquire(queue, crossing_, exporter_ != nullptr);
  }
  const auto held = queue.shared_from_this();
  for (const Held &one : textures_) one.texture->held_by(held);
  for (size_t i = 0; i < count; i++) {
    Use &use = uses[i];
    if (layout == Layout::buffer) {
      const Image image = use.picture.image;
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

/// Enqueues copies of what kernels wrote elsewhere into the textures.
void TextureSharing::write_back(Queue &queue, const Use *uses) {
  for (size_t i = 0; i < textures_.size(); i++)
    if (uses[i].access == Access::write && uses[i].picture.layout == Layout::buffer)
      queue.cl().enqueueCopyBufferToImage(uses[i].picture.buffer, uses[i].picture.image, 0,
                                          {0, 0, 0},
                                          {size_t(uses[i].width()), size_t(uses[i].height()), 1});
}

void TextureSharing::release(Queue &queue, Use *uses, size_t, bool complete) {
  if (complete) write_back(queue, uses);
  bool foreign = false;
  crossing_.clear();
  for (size_t i = 0; i < textures_.size(); i++) {
    Held &held = textures_[i];
    held.back = false;
    if (held.texture->holder() != &queue) continue;              // done before a failure
    const bool tells = exporter_ || hands_over(uses[i].memory);  // when it is wanted
    if (tells && (uses[i].access == Access::write || !held.crossed)) continue;
    foreign = foreign || !tells;
    held.back = true;
    crossing_.push_back(uses[i].picture.image());
  }
  if (crossing_.empty()) {
    queue.cl().flush();
    return;
  }
  const cl::Event released = enqueue_release(queue, crossing_, exporter_ != nullptr);
  for (const Held &held : textures_)
    if (held.back) held.texture->held_by(nullptr);
  if (foreign) {
    finish_release(queue, exporter_ != nullptr);
    return;
  }
  for (const Held &held : textures_)
    if (held.back) held.texture->read_until(released);
  queue.cl().flush();
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

void keep_display(GstGLContext *gl_context) {
#if HAVE_GL_EGL
  constexpr int of_a_connection =
      GST_GL_DISPLAY_TYPE_X11 | GST_GL_DISPLAY_TYPE_WAYLAND | GST_GL_DISPLAY_TYPE_GBM;
  if (gst_gl_context_get_gl_platform(gl_context) != GST_GL_PLATFORM_EGL ||
      (gst_gl_display_get_handle_type(gl_context->display) & of_a_connection))
    return;
  GstGLDisplayEGL *egl = gst_gl_display_egl_from_gl_display(gl_context->display);
  if (!egl) return;
  egl->foreign_display = TRUE;
  gst_object_unref(egl);
#else
  (void)gl_context;
#endif
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
