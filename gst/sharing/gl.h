// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "sharing.h"

namespace glcl {

/// The texture itself by cl_khr_gl_sharing. With cl_khr_gl_event the driver orders OpenGL and
/// OpenCL; without it a GL fence is waited for before acquire and the queue is finished after
/// release, which is what the OpenCL 1.2 extension specification, section 9.7.6.1, asks for.
class GlSharing : public Sharing {
 public:
  void acquire(Queue &queue, Layout layout, Use *uses, size_t count) override;
  void release(Queue &queue, Use *uses, size_t count, bool complete) override;

 private:
  std::vector<cl::Memory> crossing_;  // reused, so that a frame allocates nothing
};

/// Why the device can't share textures of the GL context by cl_khr_gl_sharing; empty where it can.
std::string gl_obstacle(GstGLContext *gl_context, const Device &device);

/// What an OpenCL context that shares with the GL context is made with; empty for a kind of GL
/// context that OpenCL does not know.
std::vector<cl_context_properties> gl_properties(GstGLContext *gl_context);

}  // namespace glcl
