// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "motion/interface.h"
#include "opencl/kernel.h"
#include "opencl/picture.h"

namespace glcl::motion {

/// The maximum length of a vector along each axis, px.
constexpr int max_range = 128;

/// A luma plane of a frame, 8 bits per pixel. The frame's edge is repeated for `padding` px on all
/// sides, and on the right and below up to whole strips. So searches read there without tests.
struct LumaPlane {
  static constexpr int padding = PAD;  // max_range and the margin that kernels read
  static constexpr int strip = STRIP;  // px; the largest block is 32

  /// The layout for frames of width × height px, without memory.
  LumaPlane(int width, int height);
  LumaPlane() = default;

  int width = 0, height = 0;  ///< of the frame, px
  int pitch = 0, rows = 0;    ///< of the buffer: bytes from row to row, rows
  cl::Buffer buffer;

  size_t bytes() const { return size_t(pitch) * rows; }
  /// The position of pixel (0, 0) in the buffer, bytes.
  size_t origin() const { return size_t(padding) * pitch + padding; }
};

/// Allocates a plane. Throws cl::Error.
LumaPlane make_plane(const cl::Context &context, int width, int height);

/// Makes luma planes: round(0.30 R + 0.59 G + 0.11 B), so that grey keeps its level.
class LumaConverter {
 public:
  LumaConverter() = default;
  /// For pictures of this format. Throws Error::failed if the device refuses the kernels.
  LumaConverter(Context &context, const FrameFormat &frame);

  /// Enqueues the conversion of a picture to a plane of its size.
  void run(Queue &queue, const Picture &in, const LumaPlane &out);
  /// Enqueues the reduction to a plane of half the size, rounded up, by means of 2 × 2 px.
  void halve(Queue &queue, const LumaPlane &in, const LumaPlane &out);

 private:
  Kernel convert_, halve_;
};

}  // namespace glcl::motion
