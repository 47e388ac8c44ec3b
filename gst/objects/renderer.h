// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "drawing/canvas.h"
#include "tracker.h"

namespace glcl::objects {

/// Draws boxes, numbers and trails over frames, and the camera motion: a line from the centre to
/// the point that it reaches in ten frames, and a square there that scales and rotates with the
/// camera. Lines and digits scale with the frame. Everything is enqueued, nothing waits.
class ObjectRenderer {
 public:
  static constexpr size_t most = 64;  ///< most objects that are drawn

  /// For pictures of a size and layout. Throws Error::failed if the device refuses the kernels.
  ObjectRenderer(Context &context, int width, int height, Layout layout);

  /// A line through points, px.
  struct Outline {
    std::vector<Object::Point> points;
    float opacity;  ///< 0 to 1
  };

  /// `step`: the camera motion from the previous frame; a static camera is not drawn. `outlines`
  /// lie below the objects.
  void draw(Queue &queue, const std::vector<Object> &objects, const camera::SimilarityMotion &step,
            cl_uint color, cl_uint outline_color, const drawing::Canvas &canvas,
            const std::vector<Outline> &outlines = {});

 private:
  int thickness() const;
  void draw_outline(Queue &queue, const Outline &outline, cl_float4 colour, cl_float4 edge,
                    const drawing::Canvas &canvas);
  void draw_trail(Queue &queue, const std::deque<Object::Point> &points, cl_float4 colour,
                  cl_float4 edge, const drawing::Canvas &canvas);

  int width_, height_;
  Kernel box_, trail_;
};

}  // namespace glcl::objects
