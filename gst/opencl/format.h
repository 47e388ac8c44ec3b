// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cl.h"

namespace glcl {

/// The format of one plane of a picture for each API: as a texture, an image, a block of device
/// memory.
struct PlaneFormat {
  cl_channel_order order;
  cl_channel_type type;
  uint32_t gl;       ///< OpenGL's sized internal format
  uint32_t gl_base;  ///< the same without a size
  const char *glsl;  ///< layout qualifier of its images in shaders
  uint32_t vulkan;   ///< VkFormat
  uint32_t bytes;    ///< bytes per pixel

  static const PlaneFormat rgba8, r8, rg8, r16, rg16, rgba16;

  cl::ImageFormat image() const { return {order, type}; }
};

/// A format of frames, from the single table of supported formats.
struct PixelFormat {
  /// The meaning of a frame's channels.
  enum class Model { rgb, grey, yuv };

  const char *name;  ///< GStreamer's name
  Model model;
  int plane_count;
  const PlaneFormat *planes[3];
  /// RGB: the texture's channels, in order, as GStreamer names them; x has no meaning.
  const char *channels = "";
  int chroma_shift = 0;  ///< log2 of the pixels that share a chroma sample, along both axes
  int bits = 8;          ///< of a luma or chroma value
  int padding = 0;       ///< unused low bits of a stored value

  static const PixelFormat rgba;
  /// RGBA with 16 bits per channel. It is not in the table: only kernels use it, between others.
  static const PixelFormat rgba64;
  /// All rows of the table; RGBA first.
  static const std::vector<const PixelFormat *> &all();

  /// Null if the table has no such name.
  static const PixelFormat *find(const std::string &name);
  /// True if kernels read and write frames of this format as they are.
  bool is_rgba() const { return this == &rgba; }
  /// True if its first plane is luma.
  bool has_luma() const { return model != Model::rgb; }
};

}  // namespace glcl
