// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/gl/gl.h>

namespace glcl::sharing {

/// Adds a GstGLSyncMeta to a buffer of the pool. A wait on it hands textures that OpenCL holds to
/// OpenGL before it waits for OpenGL's last work.
void add_sync_meta(GstGLContext *context, GstBuffer *buffer);

}  // namespace glcl::sharing
