// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/gl/gl.h>

#include "interop.h"

namespace glcl::sharing {

/// Size of the texture for same_pixels().
constexpr int trial_width = 61, trial_height = 47;

/// True if OpenGL and OpenCL read each other's pixels in a texture of PlaneFormat::rgba8, whose
/// image belongs to the queue's context. No extension reports whether two drivers use the same
/// pixel layout and the same device. On the thread of the GL context. Throws cl::Error.
bool same_pixels(GstGLContext *gl_context, guint texture, Queue &queue, cl_mem image,
                 const Interop &interop);

}  // namespace glcl::sharing
