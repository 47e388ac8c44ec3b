// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "canvas.h"
#include "opencl/kernel.h"

namespace glcl::drawing {

/// The layout of the kernels.
struct Arrow {
  cl_float x, y;         ///< px, where it begins
  cl_float right, down;  ///< its direction, of length 1
  cl_float length;       ///< px from there to the tip; below 0 there is no arrow
  cl_uchar4 colour;      ///< RGBA
};

/// Draws arrows with a head and an outline. Their width grows with the frame.
class Arrows {
 public:
  struct Width {
    float thick;    ///< px, half the shaft
    float outline;  ///< px around all of it
  };
  static Width width(int frame_width, int frame_height);
  /// Px between arrows that fields of vectors are shown by, unless somebody chooses.
  static int spacing(int frame_width, int frame_height) {
    return std::clamp(std::min(frame_width, frame_height) / 24, 12, 96);
  }
  static constexpr int most = (1 << 24) - 1;  ///< arrows

  /// Throws Error::failed.
  Arrows(Context &context, int width, int height, Layout layout);

  /// A buffer for so many arrows, for kernels to write before draw(). Throws.
  const cl::Buffer &room(int count);
  /// Enqueues the drawing of those; where arrows meet, a pixel is of the one that it is deepest in.
  void draw(Queue &queue, int count, cl_uint outline_color, const Canvas &canvas);

 private:
  Context *context_;
  int width_, height_;
  Kernel claim_, paint_;
  cl::Buffer arrows_, keys_;
  int room_ = 0;
};

}  // namespace glcl::drawing
