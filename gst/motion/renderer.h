// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "drawing/arrows.h"
#include "motion.h"

namespace glcl::motion {

/// Draws the results of BlockMotion over its last frame. Calls enqueue and never wait.
class MotionRenderer {
 public:
  enum class Display {
    none,        ///< the unchanged frame
    vectors,     ///< the frame with arrows from the previous to the current position of blocks
    prediction,  ///< the prediction in grey
    residual,    ///< 128 + frame − prediction in grey
    objects,     ///< moving objects, drawn by objects::ObjectRenderer
    rules,       ///< the same, and zones and lines
  };
  struct MotionStyle {
    /// True if objects are drawn.
    bool draws_objects() const { return display == Display::objects || display == Display::rules; }

    Display display = Display::none;
    bool grid = false;  ///< edges of blocks and partitions, for Display::vectors
    int spacing = 0;    ///< minimum px between arrows; 0: derived from the size of the frame
    cl_uint color = 0xffffdc00;  ///< of arrows, 0xAARRGGBB
    cl_uint outline_color = 0xff000000;
  };

  /// For frames of width × height px. Throws Error::failed if the device refuses the kernels.
  MotionRenderer(Context &context, int width, int height, Layout layout);

  void draw(Queue &queue, const MotionStyle &drawing, const BlockMotion &motion,
            const drawing::Canvas &canvas);

 private:
  void draw_vectors(Queue &queue, const MotionStyle &drawing, const BlockMotion &motion,
                    const drawing::Canvas &canvas);

  int width_, height_;
  Kernel plane_, residual_, grid_, arrow_;
  drawing::Arrows arrows_;
};

}  // namespace glcl::motion
