// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "drawing/canvas.h"
#include "klt.h"

namespace glcl::klt {

/// Draws points and their trails. Calls enqueue and never wait.
class PointRenderer {
 public:
  enum class Display {
    none,    ///< the unchanged frame
    points,  ///< the frame with dots
    tracks,  ///< the frame with dots and trails
  };
  static constexpr int most_trail = TRAIL_LENGTH - 1;  ///< frames
  struct PointStyle {
    Display display = Display::none;
    int trail = 0;  ///< length of trails in frames, 1..255; 0: since the selection of a point.
                    ///< Beyond 256 frames these keep every second, fourth, … position
    cl_uint color = 0xffffdc00;  ///< 0xAARRGGBB
    cl_uint outline_color = 0xff000000;
  };

  /// For frames of width × height px. Throws Error::failed if the device refuses the kernels,
  /// cl::Error if it refuses memory.
  PointRenderer(Context &context, int width, int height, Layout layout);

  /// Enqueues the drawing of a frame after Klt::run(). Trails need a call for every frame.
  void draw(Queue &queue, const PointStyle &drawing, const Klt &klt, const drawing::Canvas &canvas);
  /// Forgets all trails.
  void forget() { has_trails_ = false; }

 private:
  void extend_trails(Queue &queue, const PointStyle &drawing, const Klt &klt);

  cl::Context context_;
  int width_, height_;
  Kernel trail_, claim_, paint_;
  cl::Buffer keys_, trails_, trail_positions_;
  bool cleared_ = false, has_trails_ = false, unlimited_ = false;
};

}  // namespace glcl::klt
