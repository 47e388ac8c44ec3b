// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "drawing/canvas.h"
#include "hough.h"

namespace glcl::hough {

/// Draws the results of a search over its input, the last frame. Every call enqueues; nothing
/// waits.
class HoughRenderer {
 public:
  enum class Display {
    none,
    edges,    ///< over the frame
    objects,  ///< their outlines
  };

  /// For pictures of a size and layout. Throws Error::failed where the device refuses the kernels.
  HoughRenderer(Context &context, int width, int height, Layout layout);

  /// `color`: 0xAARRGGBB. Where there was no hysteresis, edges below the upper threshold are left
  /// out.
  void draw(Queue &queue, Display display, cl_uint color, bool hysteresis, const Hough &hough,
            const drawing::Canvas &canvas);

 private:
  cl_int2 size_;
  Kernel edges_, objects_;
};

}  // namespace glcl::hough
