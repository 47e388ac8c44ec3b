// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <array>
#include <vector>

#include "format.h"
#include "image.h"

namespace glcl {

class Queue;

/// How a kernel accesses pixels.
enum class Layout {
  image,   ///< Image of the format's channels, coordinates in pixels
  buffer,  ///< cl::Buffer of rows of pixels, `pitch` pixels apart
};

/// A frame on the device, or its first plane, as image or buffer.
struct Picture {
  int width = 0, height = 0;  ///< px
  Layout layout = Layout::image;
  int pitch = 0;  ///< px from row to row, buffers only
  Image image;
  cl::Buffer buffer;
  const PlaneFormat *format = &PlaneFormat::rgba8;
  std::vector<Picture> chroma;  ///< the frame's other planes; empty for RGB and grey

  /// True if there is a picture.
  explicit operator bool() const { return width > 0; }

  /// Of this plane, for buffers: bytes from row to row, total bytes, and the region of pixels for
  /// OpenCL's rectangle copies.
  size_t row_bytes() const { return size_t(pitch) * format->bytes; }
  size_t bytes() const { return row_bytes() * height; }
  std::array<size_t, 3> region() const {
    return {size_t(width) * format->bytes, size_t(height), 1};
  }
};

/// A frame as an argument of a kernel that reads only its first plane: IN_LUMA of common/luma.clh.
struct FirstPlane {
  const Picture &frame;
};

/// The layout on which kernels are faster: see Device::prefers_buffers.
Layout layout_for(const Device &device);

/// True if the device has images of all planes of the format. PoCL has none of two channels.
bool supports_images(const cl::Context &context, const PixelFormat &format);

/// Creates a picture of one plane; throws Error::settings if the device does not support images of
/// that size.
Picture make_picture(const cl::Context &context, int width, int height, Layout layout,
                     const PlaneFormat &format = PlaneFormat::rgba8);

/// Creates a frame with the same size, layout and format as another one. Throws like
/// make_picture().
Picture make_frame_like(const cl::Context &context, const Picture &frame);

/// Enqueues a copy of all planes to another picture of the same size, layout and format.
void copy_picture(Queue &queue, const Picture &from, const Picture &to);

}  // namespace glcl
