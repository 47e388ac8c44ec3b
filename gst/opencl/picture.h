// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <string>

#include "image.h"

namespace glcl {

class Queue;

/// How a kernel reaches pixels.
enum class Layout {
  image,   ///< Image, CL_RGBA / CL_UNORM_INT8, coordinates in pixels
  buffer,  ///< cl::Buffer of uchar4 rows, `pitch` pixels apart
};

/// An RGBA frame of 8 bits a channel on the device, by image or by buffer.
struct Picture {
  int width = 0, height = 0;  ///< px
  Layout layout = Layout::image;
  int pitch = 0;  ///< px from row to row, buffers only
  Image image;
  cl::Buffer buffer;

  size_t bytes() const { return size_t(pitch) * height * 4; }
};

/// The layout that kernels are faster on: see Device::prefers_buffers.
Layout layout_for(const Device &device);

/// A picture of its own storage; throws Error::settings where the device has no image that large.
Picture make_picture(const cl::Context &context, int width, int height, Layout layout);

/// Throws Error::settings where a picture is not of this size and layout; "NAME was set up for
/// frames of …".
void check_picture(const Picture &picture, int width, int height, Layout layout,
                   const std::string &name);

/// Enqueues a copy to another picture of the same size and layout.
void copy_picture(Queue &queue, const Picture &from, const Picture &to);

}  // namespace glcl
