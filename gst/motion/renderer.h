// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "drawing/arrows.h"
#include "motion.h"

namespace glcl::motion {

/// Draws the vectors of a search over its input, the last frame. Every call enqueues; nothing
/// waits.
class MotionRenderer {
 public:
  enum class Display {
    none,
    vectors,     ///< the frame with arrows from where blocks were to where they are
    prediction,  ///< in grey
    residual,    ///< 128 + what the prediction lacks, in grey
    objects,     ///< moving objects, drawn by objects::ObjectRenderer
  };
  struct MotionStyle {
    Display display = Display::none;
    bool grid = true;            ///< the edges of blocks and partitions, with vectors
    int spacing = 0;             ///< least px between the blocks with arrows; 0 goes by the frame
    cl_uint color = 0xffffdc00;  ///< 0xAARRGGBB, of arrows
    cl_uint outline_color = 0xff000000;
  };

  /// For pictures of a size and layout. Throws Error::failed where the device refuses the kernels.
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
