// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/gl/gl.h>

namespace glcl::sharing {

/// Adds a GstGLSyncMeta to a buffer of the pool. A wait on it hands textures that OpenCL holds to
/// OpenGL before it waits for OpenGL's last work.
void add_sync_meta(GstGLContext *context, GstBuffer *buffer);

/// Orders the next OpenGL commands of a gst-glcl element on this thread after OpenGL's work on the
/// frame of this sync meta. Unlike other waits on it, this one hands no texture to OpenGL. On the
/// GL thread.
void wait_for_gl(GstGLSyncMeta *meta, GstGLContext *context);

}  // namespace glcl::sharing
