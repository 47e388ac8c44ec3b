// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <optional>

#include "opencl/context.h"
#include "opencl/frameformat.h"
#include "opencl/kernel.h"

namespace glcl::conversion {

/// Converts frames of another format to RGBA, and back. To RGBA, a chroma sample is repeated for
/// all its pixels; back, it becomes their mean. Pixels that a kernel does not change keep their
/// values. To 8 bits per channel there are integers only: results are the same on all devices. With
/// 16 bits per channel no value of the frame loses a bit, but colours outside of RGB are clamped.
class Converter {
 public:
  /// For frames of width × height px. Builds the kernels; throws Error::failed if the device
  /// refuses them. `rgba` is PixelFormat::rgba or rgba64, the latter only for frames with luma.
  Converter(Context &context, int width, int height, const FrameFormat &frame,
            const PixelFormat &rgba = PixelFormat::rgba);

  /// Enqueues the conversion of a frame with all its planes; the result is valid until the next
  /// call.
  const Picture &to_rgba(Queue &queue, const Picture &frame);
  /// The picture for kernels that write a frame as RGBA.
  const Picture &rgba_out();
  /// Enqueues the conversion of that picture into all planes of the frame `out`. Pixels that equal
  /// the last result of to_rgba keep their values in `in`, the frame of that call. With
  /// `keeps_chroma` all chroma does, but that of changed pixels in this column.
  void from_rgba(Queue &queue, const Picture &in, const Picture &out,
                 std::optional<int> keeps_chroma = {});

 private:
  Picture &scratch(Picture &picture);

  cl::Context context_;
  int width_, height_;
  Layout layout_;
  const PlaneFormat &rgba_;
  int chroma_side_;  // px that share a chroma sample along an axis
  Kernel to_rgba_, from_rgba_;
  Picture in_, out_;  // RGBA, made when needed
};

}  // namespace glcl::conversion
