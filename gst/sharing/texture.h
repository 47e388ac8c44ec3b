// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/gl/gl.h>

#include <memory>
#include <vector>

#include "exporter.h"
#include "opencl/context.h"
#include "opencl/queue.h"

namespace glcl {

/// What the project keeps on a GstGLMemory: its OpenCL images and who wrote it last. It lives as
/// qdata of the memory, never in a table by texture id, because ids are reused while an old image
/// still shows the old texture. Use it on the GL thread only.
class Texture {
 public:
  /// The record of a memory, made at the first call.
  static Texture &of(GstGLMemory *memory);
  /// The record, or null where there is none yet.
  static Texture *find(GstGLMemory *memory);
  ~Texture();

  /// The image in this context, made at the first call: of the exported memory where there is one,
  /// else of the texture itself (cl_khr_gl_sharing). Throws Error::failed where OpenCL can't share
  /// it.
  Image image(const std::shared_ptr<Context> &context);

  /// Orders what the queue does next after what OpenGL was told so far, on the device, by a
  /// semaphore of this texture; false where the drivers share none. The texture goes to OpenCL
  /// then, and the next call comes after to_gl(). Throws.
  bool order_after_gl(Queue &queue, Exporter &exporter, const std::vector<guint> &textures);

  /// The queue that holds the texture and wrote it last, or null when it is OpenGL's. A memory that
  /// its reader's queue holds needs no crossing.
  const Queue *holder() const { return released_ ? nullptr : holder_.get(); }
  void held_by(std::shared_ptr<Queue> queue) {
    holder_ = std::move(queue);
    released_ = false;
  }

  /// OpenGL wrote it last, and OpenCL, having released it, reads it until this event.
  void read_until(const cl::Event &event) { reading_ = event; }

  /// Gives the texture to OpenGL, with what OpenCL wrote in it: releases it and waits, or only
  /// waits until OpenCL has read it. Nothing to do where OpenCL has no part in it. Throws; then the
  /// texture is not OpenGL's yet, and the next call tries again.
  void to_gl();

  /// The memory behind the texture, where OpenGL and OpenCL import the same (sharing=external).
  std::unique_ptr<ExportedTexture> exported;

 private:
  explicit Texture(GstGLMemory *memory) : memory_(memory) {}

  struct Shared {
    std::shared_ptr<Context> context;
    Image image;
    std::unique_ptr<ExportedSemaphore> semaphore;
  };
  Shared &shared_with(const std::shared_ptr<Context> &context);

  GstGLMemory *memory_;
  std::shared_ptr<Queue> holder_;
  bool released_ = false;  // by the holder, but not known to have finished
  cl::Event reading_;
  std::vector<Shared> images_;  // one per OpenCL context, nearly always one
};

/// Hands textures that the queue's context has images of to OpenCL, or back to OpenGL (at the
/// event), in one call. All of them exported, or none.
void enqueue_acquire(Queue &queue, const std::vector<cl_mem> &images, bool exported);
cl::Event enqueue_release(Queue &queue, const std::vector<cl_mem> &images, bool exported);

/// Waits until OpenGL may use what was released, unless the driver sees to that (cl_khr_gl_event).
void finish_release(Queue &queue, bool exported);

}  // namespace glcl
