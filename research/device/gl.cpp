// SPDX-License-Identifier: LGPL-2.1-or-later
// The transfer of a frame to a texture of OpenGL and back, as in table 1 of the survey, beside the
// rows "frame to the device" and "frame to the host". Also the transfer of a texture that OpenGL
// has written to OpenCL, by every sharing method of the elements.
#include <gst/gl/gl.h>
#include <gst/gl/gstglfuncs.h>

#include <algorithm>
#include <exception>
#include <memory>

#include "opencl/error.h"
#include "reference/frames.h"
#include "reference/transfer.h"
#include "sharing/sharing.h"
#include "tools/bench/device.h"
#include "tools/bench/measure.h"

namespace glcl::research {

namespace {

using namespace bench;
using ContextPointer = std::shared_ptr<Context>;

constexpr int width = 1920, height = 1080;

struct Unref {
  void operator()(gpointer object) const { gst_object_unref(object); }
};
using GlContext = std::unique_ptr<GstGLContext, Unref>;

/// The context that GStreamer makes in this environment. Displays stay: one ends EGL for the whole
/// process when it goes. Throws Error::failed.
GlContext make_context() {
  if (!gst_is_initialized()) gst_init(nullptr, nullptr);
  static GstGLDisplay *const display = gst_gl_display_new();
  if (!display || gst_gl_display_get_handle_type(display) == GST_GL_DISPLAY_TYPE_ANY)
    throw Error(Error::Kind::failed, "no OpenGL: no Wayland, X11, GBM or EGL display");
  GlContext context(gst_gl_context_new(display));
  GError *failure = nullptr;
  if (context && gst_gl_context_create(context.get(), nullptr, &failure)) return context;
  const std::string reason = failure ? failure->message : "none on this display";
  g_clear_error(&failure);
  throw Error(Error::Kind::failed, "no OpenGL: " + reason);
}

template <class Work>
void on_gl_thread(GstGLContext *context, Work work) {
  gst_gl_context_thread_add(
      context, [](GstGLContext *, gpointer data) { (*static_cast<Work *>(data))(); }, &work);
}

/// By the wall clock, each transfer waited for, the median of 20. `upload`: the frame goes to the
/// texture; else comes back.
DeviceTime transfer(bool upload) {
  const GlContext context = make_context();
  const reference::Frame frame = reference::random_frame(width, height);
  std::vector<uint8_t> back(frame.rgba.size());
  std::vector<double> times;
  on_gl_thread(context.get(), [&] {
    const GstGLFuncs *gl = context->gl_vtable;
    GLuint texture, target;
    gl->GenTextures(1, &texture);
    gl->BindTexture(GL_TEXTURE_2D, texture);
    gl->TexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, width, height, 0, GL_RGBA, GL_UNSIGNED_BYTE, nullptr);
    gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    gl->GenFramebuffers(1, &target);
    gl->BindFramebuffer(GL_FRAMEBUFFER, target);
    gl->FramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture, 0);
    const auto to_texture = [&] {
      gl->TexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, width, height, GL_RGBA, GL_UNSIGNED_BYTE,
                        frame.rgba.data());
      gl->Finish();
    };
    const auto to_host = [&] {
      gl->ReadPixels(0, 0, width, height, GL_RGBA, GL_UNSIGNED_BYTE, back.data());
    };
    to_texture();
    to_host();
    std::fill(back.begin(), back.end(), uint8_t(0));
    for (int i = 0; i < 20; i++)
      times.push_back(upload ? wall_time(to_texture) : wall_time(to_host));
    if (upload) to_host();
    gl->DeleteFramebuffers(1, &target);
    gl->DeleteTextures(1, &texture);
  });
  const double microseconds = median(times);
  return {microseconds, static_cast<double>(back.size()) / microseconds / 1e3, back == frame.rgba};
}

struct UnrefMemory {
  void operator()(GstMemory *memory) const { gst_memory_unref(memory); }
};
using Memory = std::unique_ptr<GstMemory, UnrefMemory>;

Memory make_texture(GstGLContext *context) {
  GstVideoInfo info;
  gst_video_info_set_format(&info, GST_VIDEO_FORMAT_RGBA, width, height);
  GstGLVideoAllocationParams *params = gst_gl_video_allocation_params_new(
      context, nullptr, &info, 0, nullptr, GST_GL_TEXTURE_TARGET_2D, GST_GL_RGBA8);
  GstGLMemoryAllocator *allocator = gst_gl_memory_allocator_get_default(context);
  GstGLBaseMemory *memory =
      gst_gl_base_memory_alloc(GST_GL_BASE_MEMORY_ALLOCATOR_CAST(allocator),
                               reinterpret_cast<GstGLAllocationParams *>(params));
  gst_object_unref(allocator);
  gst_gl_allocation_params_free(reinterpret_cast<GstGLAllocationParams *>(params));
  if (!memory) throw Error(Error::Kind::failed, "no memory for a texture");
  return Memory(GST_MEMORY_CAST(memory));
}

/// OpenGL writes the frame to the texture, and is done.
void write_texture(const GstGLFuncs *gl, GstMemory *memory, const reference::Frame &frame) {
  GstMapInfo map;
  if (!gst_memory_map(memory, &map, static_cast<GstMapFlags>(GST_MAP_WRITE | GST_MAP_GL)))
    throw Error(Error::Kind::failed, "the texture can't be mapped");
  gl->BindTexture(GL_TEXTURE_2D, *reinterpret_cast<const GLuint *>(map.data));
  gl->TexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, width, height, GL_RGBA, GL_UNSIGNED_BYTE,
                    frame.rgba.data());
  gl->Finish();
  gst_memory_unmap(memory, &map);
}

/// By the wall clock, from the texture to a picture that kernels can read and back: nothing is
/// computed. On the GL thread.
DeviceTime acquire(GstGLContext *gl_context, const sharing::SharingMethod &method,
                   const Device &device) {
  const sharing::Choice choice = sharing::choose(gl_context, device.id(), {&method});
  const auto context = choice.factory.properties.empty()
                           ? Context::of_device(choice.device)
                           : std::make_shared<Context>(choice.device, choice.factory.properties);
  const auto shared = std::make_shared<Queue>(context);  // textures keep it
  Queue &queue = *shared;
  const auto sharing = choice.factory.make();
  const Layout layout = layout_for(context->device());
  const Memory memory = make_texture(gl_context);
  std::vector<double> times;
  bool good = true;
  for (unsigned i = 0; i < 12; i++) {
    const reference::Frame frame = reference::random_frame(width, height, i + 1);
    write_texture(gl_context->gl_vtable, memory.get(), frame);
    reference::Frame seen;
    const bool looks = i < 2;  // the first ones, which are not timed
    const double time = wall_time([&] {
      sharing::TextureUse use(GST_GL_MEMORY_CAST(memory.get()), sharing::Access::read);
      sharing::AcquiredScope scope(*sharing, gl_context, queue, layout, &use, 1);
      if (looks) seen = reference::download(queue, use.picture);
      scope.finish();
      queue.cl().finish();
    });
    if (looks)
      good = good && seen.rgba == frame.rgba;
    else
      times.push_back(time);
  }
  const double microseconds = median(times);
  return {microseconds, 4.0 * width * height / microseconds / 1e3, good};
}

DeviceTime handed_over(const Context &context, const sharing::SharingMethod &method) {
  const GlContext gl_context = make_context();
  DeviceTime time;
  std::exception_ptr failure;
  on_gl_thread(gl_context.get(), [&] {
    try {
      time = acquire(gl_context.get(), method, context.device());
    } catch (...) {
      failure = std::current_exception();
    }
  });
  if (failure) std::rethrow_exception(failure);
  return time;
}

const DeviceLines registration([](std::vector<DeviceLine> &lines) {
  for (const bool upload : {true, false})
    lines.push_back({upload ? "frame to the device" : "frame to the host", "OpenGL texture", "GB/s",
                     [=](const ContextPointer &) { return transfer(upload); }});
  for (const sharing::SharingMethod *method : sharing::SharingMethod::all)
    lines.push_back(
        {"texture handed to OpenCL", method->name, "GB/s",
         [=](const ContextPointer &context) { return handed_over(*context, *method); }});
});

}  // namespace

}  // namespace glcl::research
