// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/gl/gl.h>

#include <memory>
#include <vector>

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

  /// The image made from the texture itself in this context (cl_khr_gl_sharing), made at the first
  /// call. Throws Error::failed where OpenCL can't share the texture.
  cl::Image2D image(const std::shared_ptr<Context> &context);

  /// The queue that holds the texture acquired and wrote it last, or null when it is OpenGL's. A
  /// memory that its reader's queue holds needs no crossing.
  const Queue *holder = nullptr;

 private:
  explicit Texture(GstGLMemory *memory) : memory_(memory) {}

  struct Shared {
    std::shared_ptr<Context> context;
    cl::Image2D image;
  };
  GstGLMemory *memory_;
  std::vector<Shared> images_;  // one per OpenCL context, nearly always one
};

}  // namespace glcl
