// SPDX-License-Identifier: LGPL-2.1-or-later
#include "trial.h"

#include <gst/gl/gstglfuncs.h>

#include <vector>

#include "opencl/waiting.h"

namespace glcl::sharing {

namespace {

std::vector<guint32> pixels(guint32 seed) {
  std::vector<guint32> made(size_t(trial_width) * trial_height);
  for (guint32 &pixel : made) pixel = seed *= 2654435761u;
  return made;
}

void write_by_gl(const GstGLFuncs *gl, guint texture, const std::vector<guint32> &put) {
  gl->BindTexture(GL_TEXTURE_2D, texture);
  gl->TexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, trial_width, trial_height, GL_RGBA, GL_UNSIGNED_BYTE,
                    put.data());
  gl->BindTexture(GL_TEXTURE_2D, 0);
  gl->Finish();
}

std::vector<guint32> read_by_gl(const GstGLFuncs *gl, guint texture) {
  std::vector<guint32> got(size_t(trial_width) * trial_height);
  guint framebuffer = 0;
  gl->GenFramebuffers(1, &framebuffer);
  gl->BindFramebuffer(GL_FRAMEBUFFER, framebuffer);
  gl->FramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture, 0);
  gl->ReadPixels(0, 0, trial_width, trial_height, GL_RGBA, GL_UNSIGNED_BYTE, got.data());
  gl->BindFramebuffer(GL_FRAMEBUFFER, 0);
  gl->DeleteFramebuffers(1, &framebuffer);
  return got;
}

}  // namespace

bool same_pixels(GstGLContext *gl_context, guint texture, Queue &queue, cl_mem image,
                 const Interop &interop) {
  constexpr size_t origin[] = {0, 0, 0}, region[] = {trial_width, trial_height, 1};
  const GstGLFuncs *gl = gl_context->gl_vtable;
  const std::vector<guint32> by_gl = pixels(1), by_opencl = pixels(3);
  std::vector<guint32> got(by_gl.size());
  write_by_gl(gl, texture, by_gl);
  interop.acquire(queue, {image});
  const cl_int read = clEnqueueReadImage(queue.cl()(), image, CL_TRUE, origin, region, 0, 0,
                                         got.data(), 0, nullptr, nullptr);
  const cl_int written = clEnqueueWriteImage(queue.cl()(), image, CL_TRUE, origin, region, 0, 0,
                                             by_opencl.data(), 0, nullptr, nullptr);
  wait_noexcept(queue.cl());
  wait(interop.release(queue.context(), image, {}));
  if (read != CL_SUCCESS) throw cl::Error(read, "clEnqueueReadImage");
  if (written != CL_SUCCESS) throw cl::Error(written, "clEnqueueWriteImage");
  return got == by_gl && read_by_gl(gl, texture) == by_opencl;
}

}  // namespace glcl::sharing
