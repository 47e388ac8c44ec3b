// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "exporter.h"

namespace glcl::sharing {

/// Whether the GL context's driver exports textures as dma-bufs.
bool exports_dma_bufs(GstGLContext *context);

/// A texture that OpenGL made and exported. On the thread of the GL context. Throws Error::failed.
std::unique_ptr<ExportedTexture> export_texture(GstGLContext *context, const PlaneFormat &plane,
                                                int width, int height);

}  // namespace glcl::sharing
