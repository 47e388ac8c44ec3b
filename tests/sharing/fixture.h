// SPDX-License-Identifier: LGPL-2.1-or-later
// Textures of a GL context and their inverter, for the tests of the sharing methods.
#pragma once

#include <gst/gl/gstglfuncs.h>

#include <algorithm>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "elements/pipeline.h"
#include "opencl/error.h"
#include "opencl/kernel.h"
#include "opencl/processexit.h"
#include "sharing/memory.h"
#include "sharing/sharing.h"

namespace test::sharing {

using glcl::Layout;
using glcl::sharing::Access;
using glcl::sharing::AcquiredScope;
using glcl::sharing::Choice;
using glcl::sharing::choose;
using glcl::sharing::SharingMethod;
using glcl::sharing::TextureUse;

/// A GL context of the test's own.
class Gl {
 public:
  Gl() : display_(gst_gl_display_new()) {
    glcl::wait_at_exit();  // as the plugin does
    expect(gst_gl_display_create_context(display_, nullptr, &context_, nullptr), "no GL context");
  }
  /// One that shares its objects with another.
  explicit Gl(const Gl &other)
      : display_(static_cast<GstGLDisplay *>(gst_object_ref(other.display_))) {
    expect(gst_gl_display_create_context(display_, other.context_, &context_, nullptr),
           "no second GL context");
  }
  ~Gl() {
    gst_object_unref(context_);
    gst_object_unref(display_);
  }
  Gl &operator=(const Gl &) = delete;

  GstGLContext *context() const { return context_; }

  /// Runs work on the GL thread and rethrows its error here.
  void run(const std::function<void()> &work) { glcl::sharing::on_gl_thread(context_, work); }

 private:
  GstGLDisplay *display_;
  GstGLContext *context_ = nullptr;
};

/// A texture with its host copy. On the GL thread only.
class Picture {
 public:
  Picture(const Gl &gl, int width, int height) {
    GstVideoInfo info;
    gst_video_info_set_format(&info, GST_VIDEO_FORMAT_RGBA, width, height);
    auto *allocator =
        GST_GL_BASE_MEMORY_ALLOCATOR(gst_gl_memory_allocator_get_default(gl.context()));
    GstGLVideoAllocationParams *params = gst_gl_video_allocation_params_new(
        gl.context(), nullptr, &info, 0, nullptr, GST_GL_TEXTURE_TARGET_2D, GST_GL_RGBA8);
    memory_ = GST_GL_MEMORY_CAST(
        gst_gl_base_memory_alloc(allocator, reinterpret_cast<GstGLAllocationParams *>(params)));
    gst_gl_allocation_params_free(reinterpret_cast<GstGLAllocationParams *>(params));
    gst_object_unref(allocator);
    expect(memory_, "no texture");
  }
  /// Memory that hands itself over, as the elements' own does.
  static Picture handing_over(const Gl &gl, int width, int height) {
    GstVideoInfo info;
    gst_video_info_set_format(&info, GST_VIDEO_FORMAT_RGBA, width, height);
    GstBuffer *buffer = glcl::sharing::allocate(gl.context(), nullptr, info, 0);
    GstMemory *memory = gst_buffer_get_memory(buffer, 0);
    gst_buffer_unref(buffer);
    return Picture(GST_GL_MEMORY_CAST(memory));
  }
  /// The texture of a buffer, which stays its own.
  explicit Picture(GstBuffer *buffer)
      : Picture(GST_GL_MEMORY_CAST(gst_buffer_get_memory(buffer, 0))) {}
  ~Picture() { gst_memory_unref(GST_MEMORY_CAST(memory_)); }
  Picture(const Picture &) = delete;

  GstGLMemory *memory() const { return memory_; }

  /// Writes the frame as an element in host memory does.
  void write(const Frame &frame) {
    GstMapInfo map = this->map(GST_MAP_WRITE);
    expect(map.size == frame.rgba.size(), "rows have gaps");
    std::copy(frame.rgba.begin(), frame.rgba.end(), map.data);
    unmap(map);
  }

  /// Has OpenGL draw another picture here so many times, and does not wait for it.
  void draw(const Picture &other, int times = 1) {
    GstMapInfo source = other.map(GST_MAP_READ | GST_MAP_GL);
    draw_mapped(other, times);
    other.unmap(source);
  }

  /// The same, of a picture that OpenGL asked for some time ago.
  void draw_mapped(const Picture &other, int times = 1) {
    const GstGLFuncs *gl = memory_->mem.context->gl_vtable;
    GstMapInfo target = map(GST_MAP_WRITE | GST_MAP_GL);
    const GLenum targets[] = {GL_READ_FRAMEBUFFER, GL_DRAW_FRAMEBUFFER};
    GLuint framebuffers[2];
    gl->GenFramebuffers(2, framebuffers);
    for (int i = 0; i < 2; i++) {
      gl->BindFramebuffer(targets[i], framebuffers[i]);
      gl->FramebufferTexture2D(targets[i], GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D,
                               (i == 0 ? other : *this).memory_->tex_id, 0);
    }
    const int width = gst_gl_memory_get_texture_width(memory_);
    const int height = gst_gl_memory_get_texture_height(memory_);
    for (int i = 0; i < times; i++)
      gl->BlitFramebuffer(0, 0, width, height, 0, 0, width, height, GL_COLOR_BUFFER_BIT,
                          GL_NEAREST);
    gl->BindFramebuffer(GL_FRAMEBUFFER, 0);
    gl->DeleteFramebuffers(2, framebuffers);
    unmap(target);
  }

  Frame read() const {
    Frame frame(gst_gl_memory_get_texture_width(memory_),
                gst_gl_memory_get_texture_height(memory_));
    GstMapInfo map = this->map(GST_MAP_READ);
    std::copy_n(map.data, frame.rgba.size(), frame.rgba.begin());
    unmap(map);
    return frame;
  }

 private:
  explicit Picture(GstGLMemory *memory) : memory_(memory) {}

  GstMapInfo map(int flags) const {
    GstMapInfo map;
    expect(gst_memory_map(GST_MEMORY_CAST(memory_), &map, static_cast<GstMapFlags>(flags)),
           "the texture can't be mapped");
    return map;
  }
  void unmap(GstMapInfo &map) const { gst_memory_unmap(GST_MEMORY_CAST(memory_), &map); }

  GstGLMemory *memory_;
};

/// A method with all that it needs to invert pictures.
struct Inverter {
  /// On a queue of its own, in a context of its own unless there is one.
  Inverter(const Gl &gl, const SharingMethod &method,
           std::shared_ptr<glcl::Context> in_context = {})
      : gl_context(gl.context()),
        choice(choose(gl.context(), "auto", {&method})),
        context(in_context
                    ? std::move(in_context)
                    : std::make_shared<glcl::Context>(choice.device, choice.factory.properties)),
        queue_owner(std::make_shared<glcl::Queue>(context)),
        queue(*queue_owner),
        sharing(choice.factory.make()) {
    for (const Layout layout : {Layout::image, Layout::buffer})
      kernels[layout] =
          glcl::Kernel(*context, context->program("invert/invert.cl", glcl::frame_options(layout)),
                       "invert", {8, 8});
  }

  void enqueue(const glcl::Picture &in, const glcl::Picture &out) {
    kernels[in.layout](queue, {size_t(in.width), size_t(in.height)}, in, out, in.width, in.height,
                       1.0f);
  }

  /// The frame goes on as it came.
  void look(const Picture &in, Layout layout) {
    TextureUse use(in.memory(), Access::pass_on);
    AcquiredScope scope(*sharing, gl_context, queue, layout, &use, 1);
    scope.finish();
  }

  void invert(const Picture &in, const Picture &out, Layout layout) {
    TextureUse uses[] = {{in.memory(), Access::read}, {out.memory(), Access::write}};
    AcquiredScope scope(*sharing, gl_context, queue, layout, uses, 2);
    enqueue(uses[0].picture, uses[1].picture);
    scope.finish();
  }

  GstGLContext *gl_context;
  Choice choice;
  std::shared_ptr<glcl::Context> context;
  std::shared_ptr<glcl::Queue> queue_owner;
  glcl::Queue &queue;
  std::unique_ptr<glcl::sharing::Sharing> sharing;
  std::map<Layout, glcl::Kernel> kernels;
};

/// The method that works in any texture, and that the drivers of the test support; else null.
inline const SharingMethod *direct_method() {
  for (const SharingMethod *method : {&SharingMethod::gl, &SharingMethod::egl})
    if (std::string(expected_method()) == method->name) return method;
  return nullptr;
}

inline std::vector<const SharingMethod *> usable_methods() {
  if (const SharingMethod *direct = direct_method()) return {direct, &SharingMethod::copy};
  return {&SharingMethod::copy};
}

/// Runs a check on the GL thread for each method that can be had and each layout.
inline void for_each_method(
    const std::function<void(const Gl &, Inverter &, Layout, std::string)> &check) {
  for (const SharingMethod *method : usable_methods())
    for (const Layout layout : {Layout::image, Layout::buffer}) {
      Gl gl;
      gl.run([&] {
        Inverter inverter(gl, *method);
        check(gl, inverter, layout,
              std::string(method->name) + (layout == Layout::image ? ", image" : ", buffer"));
      });
    }
}

inline glcl::Error error_of(Gl &gl, const std::function<void()> &work) {
  try {
    gl.run(work);
  } catch (const glcl::Error &error) {
    return error;
  }
  fail("no glcl::Error was thrown");
  return glcl::Error(glcl::Error::Kind::failed, "");
}

}  // namespace test::sharing
