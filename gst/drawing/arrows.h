// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "canvas.h"
#include "opencl/kernel.h"

namespace glcl::drawing {

/// An arrow, in the memory layout of the kernels.
struct Arrow {
  cl_float x, y;         ///< start, px
  cl_float right, down;  ///< direction, a unit vector
  cl_float length;       ///< px to the tip; no arrow if below 0
  cl_uchar4 colour;      ///< RGBA
};

/// Draws arrows with a head and an outline. Their width grows with the frame.
class Arrows {
 public:
  struct Width {
    float half_width;     ///< px, half the shaft
    float outline_width;  ///< px
  };
  static Width width(int frame_width, int frame_height);
  /// Default distance between arrows of vector fields, px.
  static int spacing(int frame_width, int frame_height) {
    return std::clamp(std::min(frame_width, frame_height) / 24, 12, 96);
  }
  static constexpr int most = (1 << 24) - 1;  ///< largest number of arrows

  /// Throws Error::failed.
  Arrows(Context &context, int width, int height, Layout layout);

  /// Returns a buffer for `count` arrows, for kernels to write before draw(). Throws.
  const cl::Buffer &reserve(int count);
  /// Enqueues the drawing of these arrows. If arrows overlap, a pixel belongs to the arrow in which
  /// it lies deepest.
  void draw(Queue &queue, int count, cl_uint outline_color, const Canvas &canvas);

 private:
  Context *context_;
  int width_, height_;
  Kernel claim_, paint_;
  cl::Buffer arrows_, keys_;
  int capacity_ = 0;
};

}  // namespace glcl::drawing
