// SPDX-License-Identifier: LGPL-2.1-or-later
// A frame to a texture of OpenGL and back, beside the rows "frame to the device" and "frame to the
// host", as table 1 of the survey has it.
#include <gst/gl/gl.h>
#include <gst/gl/gstglfuncs.h>

#include <algorithm>
#include <memory>

#include "opencl/error.h"
#include "reference/frames.h"
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

const DeviceLines registration([](std::vector<DeviceLine> &lines) {
  for (const bool upload : {true, false})
    lines.push_back({upload ? "frame to the device" : "frame to the host", "OpenGL texture", "GB/s",
                     [=](const ContextPointer &) { return transfer(upload); }});
});

}  // namespace

}  // namespace glcl::research
