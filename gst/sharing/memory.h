// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/gl/gl.h>

#include <memory>

#include "exporter.h"
#include "sharing.h"

namespace glcl::sharing {

/// The format of frames by GStreamer's name of it. Throws Error::failed where the table has none.
const PixelFormat &format_of(const GstVideoInfo &info);

/// A pool of textures that know whether OpenGL or OpenCL wrote them last: OpenCL may keep them, or
/// the frame in memory of its own, from frame to frame, and whoever maps one, or waits on the
/// GstGLSyncMeta of one that OpenCL shares, gets it handed over first. With an exporter the
/// textures live in memory that OpenGL and OpenCL both import. A sync meta can't fail, so a texture
/// that could not be handed over is reported. Transfer full.
GstBufferPool *make_pool(GstGLContext *context, std::shared_ptr<Exporter> exporter,
                         ErrorHandler report);

/// A buffer of one such texture without a pool. Transfer full. Throws Error::failed.
GstBuffer *allocate(GstGLContext *context, std::shared_ptr<Exporter> exporter,
                    const PixelFormat &format, int width, int height);

/// Orders what OpenGL does next on this thread, for an element of ours, after what was done to the
/// frame of this sync meta. Unlike others that wait on it, ours does not count as a reader
/// (Texture::read_by_gl). On the GL thread.
void wait_for_gl(GstGLSyncMeta *sync, GstGLMemory *memory, GstGLContext *context);

/// Gives OpenGL a frame of such a pool, in its textures, for those who use them without a map, and
/// marks that in its GstGLSyncMeta. On the GL thread. Throws Error::failed.
void hand_to_gl(GstBuffer *frame, GstGLContext *context);

/// Whether OpenCL wrote the memory last and still has it. On the GL thread.
bool held(GstGLMemory *memory);

/// Whether the memory hands itself over: it came from such a pool.
bool hands_over(GstGLMemory *memory);

}  // namespace glcl::sharing
