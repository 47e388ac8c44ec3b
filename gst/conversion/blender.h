// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "opencl/context.h"
#include "opencl/frameformat.h"
#include "opencl/kernel.h"
#include "opencl/rect.h"

namespace glcl::conversion {

/// Puts drawings over frames with a plane of luma. A chroma sample changes as the pixels around it
/// do, by its site. Values below no drawing remain as they are.
class Blender {
 public:
  /// For frames of width × height px with a plane of luma. Builds the kernel; throws Error::failed
  /// if the device refuses it.
  Blender(Context &context, int width, int height, const FrameFormat &frame);

  /// Enqueues `out`, all planes of the frame `in` below a drawing: a picture of the same size in
  /// BGRA, premultiplied, of which `covered` counts, px in the frame.
  void run(Queue &queue, const Picture &in, const Picture &drawing, const Rect &covered,
           const Picture &out);

 private:
  int width_, height_;
  int block_side_;  // px that share a chroma sample along an axis
  Kernel blend_;
};

}  // namespace glcl::conversion
