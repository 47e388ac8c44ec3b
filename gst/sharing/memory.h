// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/gl/gl.h>

#include <memory>

#include "exporter.h"
#include "sharing.h"

namespace glcl::sharing {

/// The format of frames by its GStreamer name. Throws Error::failed if it is not in the table.
const PixelFormat &format_of(const GstVideoInfo &info);

/// A pool of textures that record whether OpenGL or OpenCL wrote them last. OpenCL may keep them
/// acquired, or keep the frame in its own memory, from frame to frame. A map, or a wait on the
/// GstGLSyncMeta of a texture shared with OpenCL, hands it over first. With an exporter the
/// textures lie in memory that OpenGL and OpenCL both import. A sync meta can't fail, so a failed
/// hand-over is reported. Transfer full.
GstBufferPool *make_pool(GstGLContext *context, std::shared_ptr<Exporter> exporter,
                         ErrorHandler report);

/// A buffer with one plane of a frame in such a texture, without a pool. Transfer full. Throws
/// Error::failed.
GstBuffer *allocate(GstGLContext *context, std::shared_ptr<Exporter> exporter,
                    const GstVideoInfo &info, guint plane);

/// True if OpenCL or the host has the content of a frame and OpenGL has not.
bool needs_hand_over(GstBuffer *frame);
/// Waits until the device has written a frame, so that its next user does not wait on the GL
/// thread. Does nothing on that thread. The next user reports failures.
void wait_for_device(GstBuffer *frame);
/// Hands such a frame to OpenGL, for consumers that use its textures without a map, and sets the
/// sync point of its GstGLSyncMeta. On the GL thread. Throws Error::failed.
void hand_to_gl(GstBuffer *frame, GstGLContext *context);

/// True if OpenCL wrote the memory last and still holds it.
bool held(GstGLMemory *memory);

/// True if the memory comes from such a pool.
bool hands_over(GstGLMemory *memory);

}  // namespace glcl::sharing
