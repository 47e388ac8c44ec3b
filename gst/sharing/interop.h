// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/gl/gl.h>

#include <vector>

#include "opencl/format.h"
#include "opencl/image.h"
#include "opencl/queue.h"

namespace glcl::sharing {

/// Access of OpenCL to the memory of textures, one object per method for the whole process. On the
/// thread of the texture's GL context.
class Interop {
 public:
  virtual ~Interop() = default;

  /// The texture's image. Throws Error::failed.
  virtual Image image(const Context &context, GstGLMemory *memory) const = 0;
  /// Acquires textures for OpenCL in one call; the queue's context has images of them. Throws
  /// cl::Error.
  virtual void acquire(Queue &queue, const std::vector<cl_mem> &images) const = 0;
  /// Releases the image of a texture to OpenGL after an event, or null, on the context's
  /// releasing_queue(). Returns the end of the release. Throws cl::Error.
  virtual cl::Event release(Context &context, cl_mem image, const cl::Event &after) const = 0;
  /// True if the driver orders acquire and release with OpenGL's work, so that no wait is needed.
  virtual bool ordered_by_driver(const Device &) const { return false; }
  /// False if OpenGL may use a texture as soon as the last kernel has used it, without a release.
  virtual bool needs_release(const Device &) const { return true; }

 protected:
  /// The type of all functions that acquire or release.
  using OwnershipFunction = decltype(&clEnqueueAcquireGLObjects);
  // Does not use CLHPP, which would take another reference to each image.
  static void enqueue(Queue &queue, const std::vector<cl_mem> &images, OwnershipFunction function,
                      const char *name) {
    const cl_int status = function(queue.cl()(), images.size(), images.data(), 0, nullptr, nullptr);
    if (status != CL_SUCCESS) throw cl::Error(status, name);
  }
  static cl::Event enqueue_release(Context &context, cl_mem image, const cl::Event &after,
                                   OwnershipFunction function, const char *name) {
    cl::Event end;
    const cl_int status = function(context.releasing_queue()(), 1, &image, after() ? 1 : 0,
                                   after() ? &after() : nullptr, &end());
    if (status != CL_SUCCESS) throw cl::Error(status, name);
    return end;
  }
};

}  // namespace glcl::sharing
