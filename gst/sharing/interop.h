// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/gl/gl.h>

#include <vector>

#include "opencl/format.h"
#include "opencl/image.h"
#include "opencl/queue.h"

namespace glcl::sharing {

/// Access of OpenCL to the memory of a texture. On the thread of its GL context.
class Interop {
 public:
  virtual ~Interop() = default;

  /// The texture's image. Throws Error::failed.
  virtual Image image(const Context &context, const GstGLMemory *memory) const = 0;
  /// Acquire textures for OpenCL, or release them to OpenGL (at the event), in one call; the
  /// queue's context has images of them. Throw cl::Error.
  virtual void acquire(Queue &queue, const std::vector<cl_mem> &images) const = 0;
  virtual cl::Event release(Queue &queue, const std::vector<cl_mem> &images) const = 0;
  /// True if the driver orders both with OpenGL's work, so that no wait is needed.
  virtual bool ordered_by_driver(const Device &) const { return false; }
  /// False if OpenGL may use a texture as soon as the last kernel has used it, without a release.
  virtual bool needs_release(const Device &) const { return true; }

 protected:
  /// Without CLHPP, which would take another reference of each image.
  static cl::Event enqueue(Queue &queue, const std::vector<cl_mem> &images,
                           decltype(&clEnqueueAcquireGLObjects) function, const char *name) {
    cl::Event event;
    const cl_int status =
        function(queue.cl()(), images.size(), images.data(), 0, nullptr, &event());
    if (status != CL_SUCCESS) throw cl::Error(status, name);
    return event;
  }
};

/// The access to textures in OpenGL's memory (cl_khr_gl_sharing).
const Interop &gl_interop();

}  // namespace glcl::sharing
