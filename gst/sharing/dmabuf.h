// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "exporter.h"

namespace glcl::sharing {

/// True if the driver of the GL context exports textures as dma-bufs.
bool exports_dma_bufs(GstGLContext *context);

/// Exports a texture created by OpenGL. On the thread of the GL context. Throws Error::failed.
std::unique_ptr<ExportedTexture> export_texture(GstGLContext *context, const PlaneFormat &plane,
                                                int width, int height);

}  // namespace glcl::sharing
