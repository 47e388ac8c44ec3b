// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "drawing/canvas.h"
#include "tracker.h"

namespace glcl::objects {

/// Draws boxes, numbers and trails over frames, and what the camera does: a line from the middle to
/// where that goes in ten frames, with a square around it, grown and turned. Lines and digits grow
/// with the frame. Everything is enqueued, nothing waits.
class ObjectRenderer {
 public:
  static constexpr size_t most = 64;  ///< objects; others are not drawn

  /// For pictures of a size and layout. Throws Error::failed where the device refuses the kernels.
  ObjectRenderer(Context &context, int width, int height, Layout layout);

  /// `step`: of the camera, from the frame before; one that stands still is not drawn.
  void draw(Queue &queue, const std::vector<Object> &objects, const camera::SimilarityMotion &step,
            cl_uint color, cl_uint outline_color, const drawing::Canvas &canvas);

 private:
  int thickness() const;
  void draw_way(Queue &queue, const std::deque<Object::Point> &points, cl_float4 colour,
                cl_float4 edge, const drawing::Canvas &canvas);

  int width_, height_;
  Kernel box_, trail_;
};

}  // namespace glcl::objects
