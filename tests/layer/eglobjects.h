// SPDX-License-Identifier: LGPL-2.1-or-later
// EGLImages and EGLSyncs that OpenCL uses: an EGLImage outlives OpenCL's images of it, an EGLSync
// the events of it. All calls with state_mutex() held.
#pragma once

#include <CL/cl.h>

#include "timeline.h"

namespace glcl_layer {

struct EglImage {
  const void *display;
  TextureKey texture;
  int width, height;
};

void egl_image_created(const void *handle, const EglImage &image);
/// The EGLImage of this handle; null if it is not known.
const EglImage *egl_image(const void *handle);
/// OpenCL made an image of it, or released that.
void egl_image_used(const void *handle, cl_mem object);
void egl_image_unused(cl_mem object);
/// It is about to be destroyed.
void egl_image_ends(const void *handle);

/// OpenCL made an event of an EGLSync, which is kept as long as the EGLSync. A queue that waits for
/// it waits for that work of OpenGL.
void egl_event_created(cl_event event, const void *sync);
Clock work_before(cl_event event);
/// It is about to be destroyed.
void egl_sync_ends(const void *sync);

}  // namespace glcl_layer
