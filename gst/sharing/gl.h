// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "copier.h"
#include "exporter.h"
#include "sharing.h"
#include "texture.h"

namespace glcl {

/// OpenCL works in the texture's own memory: by cl_khr_gl_sharing, or (with an exporter,
/// sharing=external) in memory that both import.
///
/// What OpenCL wrote stays acquired until OpenGL or the host want it, so that elements of ours in a
/// row never touch OpenGL. What OpenGL wrote is released as soon as it is read, and whoever writes
/// it next waits for that alone. Only textures from elsewhere, which can't tell when they are
/// wanted, are waited for at the end of the frame. The crossing: OpenCL waits for a semaphore that
/// OpenGL signals, or the host for a GL fence where there are none, before acquire, and OpenCL's
/// release before OpenGL's next use, which is what the OpenCL 1.2 extension specification,
/// section 9.7.6.1, asks for; with cl_khr_gl_event the driver sees to it.
class TextureSharing : public Sharing {
 public:
  explicit TextureSharing(std::shared_ptr<Exporter> exporter = nullptr)
      : exporter_(std::move(exporter)) {}
  ~TextureSharing() override;

  void acquire(Queue &queue, Layout layout, Use *uses, size_t count) override;
  void release(Queue &queue, Use *uses, size_t count, bool complete) override;
  GstBufferPool *make_pool(GstGLContext *context, Report report) override;

 private:
  Texture &texture_of(size_t index, Use &use);
  bool ordered_on_device(Queue &queue);
  GstGLMemory *exported_copy(size_t index, Use &use);
  void write_back(Queue &queue, const Use *uses);

  std::shared_ptr<Exporter> exporter_;
  std::unique_ptr<TextureCopier> copier_;
  std::vector<GstBuffer *> copies_of_foreign_;  // by index in the frame
  struct Held {
    Texture *texture;
    bool crossed;       // came from OpenGL in this frame
    bool back = false;  // goes back to it with the frame
  };
  std::vector<Held> textures_;  // of the frame, between acquire and release
  std::vector<cl_mem> crossing_;
  std::vector<guint> crossing_ids_;
};

/// Why the device can't share textures of the GL context by cl_khr_gl_sharing; empty where it can.
std::string gl_obstacle(GstGLContext *gl_context, const Device &device);

/// What an OpenCL context that shares with the GL context is made with; empty for a kind of GL
/// context that OpenCL does not know.
std::vector<cl_context_properties> gl_properties(GstGLContext *gl_context);

/// Leaves the EGL display of the GL context initialised for good. There is one per device and
/// process; GStreamer ends it with the first GstGLDisplay of any pipeline, and then the others
/// can't activate their GL contexts ("Failed to activate the GL Context"), and OpenCL takes none of
/// their textures (CL_INVALID_GL_SHAREGROUP_REFERENCE_KHR). Not where the display belongs to a
/// connection (X11, Wayland, GBM), which closes with its GstGLDisplay.
void keep_display(GstGLContext *gl_context);

}  // namespace glcl
