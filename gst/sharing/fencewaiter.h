// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/gl/gl.h>

#include "opencl/queue.h"

namespace glcl::sharing {

/// Orders OpenCL after OpenGL while the calling thread goes on. A second GL context, which shares
/// objects with the first, waits for a fence on its own thread and completes a user event. Each GL
/// context has one waiter, which lives as long as the context.
class FenceWaiter {
 public:
  /// The waiter of a GL context, on whose thread this is called. Null where OpenGL has no fences or
  /// makes no second context.
  static FenceWaiter *of(GstGLContext *context);
  ~FenceWaiter();
  FenceWaiter(const FenceWaiter &) = delete;

  /// What the queue does next comes after what OpenGL was told so far. On the thread of the GL
  /// context. Throws cl::Error.
  void order(Queue &queue);

 private:
  explicit FenceWaiter(GstGLContext *context);

  GstGLContext *context_;
  GstGLContext *waiting_ = nullptr;
};

}  // namespace glcl::sharing
