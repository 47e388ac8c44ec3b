// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "drawing/canvas.h"
#include "klt.h"

namespace glcl::klt {

/// Draws points and their paths. Every call enqueues; nothing waits.
class PointRenderer {
 public:
  enum class Display {
    none,
    points,  ///< the frame with dots
    tracks,  ///< and a line from each to where it was
  };
  static constexpr int most_trail = TRAIL_LENGTH - 1;  ///< frames
  struct PointStyle {
    Display display = Display::none;
    int trail = 0;  ///< frames that lines go back, 1..255; 0: to where a point was chosen. Then of
                    ///< more than 256 frames every second, fourth, … place is kept
    cl_uint color = 0xffffdc00;  ///< 0xAARRGGBB
    cl_uint outline_color = 0xff000000;
  };

  /// For pictures of a size and layout. Throws Error::failed where the device refuses the kernels.
  PointRenderer(Context &context, int width, int height, Layout layout);

  /// Once for each frame that is drawn or not, after Klt::run().
  void draw(Queue &queue, const PointStyle &drawing, const Klt &klt, const drawing::Canvas &canvas);
  /// Clears the tracks before the next frame.
  void forget() { known_ = false; }

 private:
  void follow(Queue &queue, const PointStyle &drawing, const Klt &klt);

  cl::Context context_;
  int width_, height_;
  Kernel trail_, claim_, paint_;
  cl::Buffer keys_, trails_, places_;
  bool cleared_ = false, known_ = false, all_ = false;
};

}  // namespace glcl::klt
