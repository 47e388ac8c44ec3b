// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstdint>
#include <string>

#include "cl.h"

namespace glcl {

/// The format of one plane of a picture for each API: as a texture, an image, a block of device
/// memory.
struct PlaneFormat {
  cl_channel_order order;
  cl_channel_type type;
  uint32_t gl;       ///< OpenGL's sized internal format
  uint32_t gl_base;  ///< the same without a size
  const char *glsl;  ///< layout qualifier of an image of it in a shader
  uint32_t vulkan;   ///< VkFormat
  uint32_t bytes;    ///< bytes per pixel

  cl::ImageFormat image() const { return {order, type}; }
};

/// A format of frames, from the single table of supported formats.
struct PixelFormat {
  const char *name;  ///< GStreamer's name
  int plane_count;
  PlaneFormat planes[3];

  static const PixelFormat rgba;
  static constexpr const PixelFormat *all[] = {&rgba};

  /// Null if the table has no such name.
  static const PixelFormat *find(const std::string &name);
};

}  // namespace glcl
