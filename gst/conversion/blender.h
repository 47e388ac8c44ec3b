// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "opencl/context.h"
#include "opencl/frameformat.h"
#include "opencl/kernel.h"
#include "opencl/rect.h"

namespace glcl::conversion {

/// Blends drawings over frames with a luma plane. A chroma sample changes with the pixels around
/// its site. Values outside the drawing do not change.
class Blender {
 public:
  /// For frames of width × height px with a luma plane. Builds the kernel; throws Error::failed if
  /// the device refuses it.
  Blender(Context &context, int width, int height, const FrameFormat &frame);

  /// Enqueues `out`: all planes of the frame `in` with the drawing on top. `drawing` is a picture
  /// of the same size in premultiplied BGRA; only its area `covered`, px, is used.
  void run(Queue &queue, const Picture &in, const Picture &drawing, const Rect &covered,
           const Picture &out);

 private:
  int width_, height_;
  int block_side_;  // px that share a chroma sample along an axis
  bool copies_;     // the kernel also copies the values outside the drawing
  Kernel blend_;
};

}  // namespace glcl::conversion
