// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/gl/gl.h>

#include "opencl/queue.h"

namespace glcl::sharing {

/// Orders OpenCL after OpenGL without blocking the calling thread. A second GL context, which
/// shares objects with the first, waits for a fence on its own thread and completes a user event.
/// Each GL context has one waiter, which lives as long as the context.
class FenceWaiter {
 public:
  /// The waiter of a GL context; call it on the thread of that context. Null if OpenGL has no
  /// fences or can't create a second context.
  static FenceWaiter *of(GstGLContext *context);
  ~FenceWaiter();
  FenceWaiter(const FenceWaiter &) = delete;

  /// Orders the next commands of the queue after all OpenGL commands so far. On the thread of the
  /// GL context. Throws cl::Error.
  void order(Queue &queue);

 private:
  explicit FenceWaiter(GstGLContext *context);

  GstGLContext *context_;
  GstGLContext *waiting_ = nullptr;
};

}  // namespace glcl::sharing
