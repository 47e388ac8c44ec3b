// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "opencl/context.h"
#include "opencl/kernel.h"
#include "opencl/planeoptions.h"

namespace glcl::conversion {

/// Converts frames of another format to RGBA, and back. A chroma sample goes to all its pixels and
/// becomes their mean, so that an unchanged frame survives both. Integers only: results
/// are the same on all devices.
class Converter {
 public:
  /// For frames of width × height px. Builds the kernels; throws Error::failed if the device
  /// refuses them.
  Converter(Context &context, int width, int height, Layout layout, const PixelFormat &format,
            const Colorimetry &colorimetry);

  /// Enqueues the conversion of a frame with all its planes; the result is valid until the next
  /// call.
  const Picture &to_rgba(Queue &queue, const Picture &frame);
  /// The picture for kernels that write a frame as RGBA.
  const Picture &rgba_out();
  /// Enqueues the conversion of that picture into all planes of a frame.
  void from_rgba(Queue &queue, const Picture &frame);

 private:
  Picture &scratch(Picture &picture);

  cl::Context context_;
  int width_, height_;
  Layout layout_;
  int chroma_side_;  // px that share a chroma sample along an axis
  Kernel to_rgba_, from_rgba_;
  Picture in_, out_;  // RGBA, made when needed
};

}  // namespace glcl::conversion
