// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "drawing/canvas.h"
#include "hough.h"

namespace glcl::hough {

/// Results of the searches for shapes on the device; null of those that were not searched.
struct ShapeResults {
  const cl::Buffer *lines = nullptr;    ///< see LineFinder::result()
  const cl::Buffer *circles = nullptr;  ///< see CircleFinder::result()
};

/// Draws the results of Hough over its last frame. Calls enqueue and never wait.
class HoughRenderer {
 public:
  enum class Display {
    none,     ///< the unchanged frame
    edges,    ///< the frame with its edges
    objects,  ///< the frame with the outlines of objects, and with shapes
  };

  /// For frames of width × height px. Throws Error::failed if the device refuses the kernels.
  HoughRenderer(Context &context, int width, int height, Layout layout);

  /// `color`: 0xAARRGGBB. `hysteresis`: as in the settings of `hough`; without it, only edges above
  /// the upper threshold are drawn.
  void draw(Queue &queue, Display display, cl_uint color, bool hysteresis, const Hough &hough,
            const ShapeResults &shapes, const drawing::Canvas &canvas);

 private:
  cl_int2 size_;
  Kernel edges_, objects_, lines_, circles_;
};

}  // namespace glcl::hough
