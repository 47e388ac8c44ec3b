// SPDX-License-Identifier: LGPL-2.1-or-later
// The allocator of textures that record whether OpenGL or OpenCL wrote them last.
#pragma once

#include <gst/gl/gl.h>

#include <memory>

#include "exporter.h"
#include "sharing.h"

namespace glcl::sharing {

/// Mapping its memory first hands over the texture, or the frame that only OpenCL has. With an
/// exporter the textures lie in memory that OpenGL and OpenCL both import. A failed hand-over is
/// passed to `report`, if set. Transfer full.
GstAllocator *make_allocator(std::shared_ptr<Exporter> exporter, ErrorHandler report);

/// Hands a texture to OpenGL, which reads or writes it from now on; false, with a log line and a
/// report, if that fails. On the GL thread.
bool to_gl(GstGLMemory *memory, bool reads);

/// Waits until the device has finished OpenCL's work on a memory, so that its next user does not
/// wait on the GL thread. Does nothing on that thread. The next user reports failures.
void wait_for_device(GstGLMemory *memory);

/// Drops OpenCL's copy of a memory whose frame is no longer needed.
void forget(GstGLMemory *memory);

}  // namespace glcl::sharing
