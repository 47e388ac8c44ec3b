// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <map>
#include <string>
#include <vector>

#include "drawing/canvas.h"
#include "tracker.h"

namespace glcl::objects {

/// Parts of an object's label; flags.
enum LabelPart : unsigned { number_label = 1, speed_label = 2, age_label = 4 };

/// How objects are drawn.
struct ObjectStyle {
  bool color_by_id = true;            ///< each object has a colour of its own
  unsigned labels = number_label;     ///< LabelPart
  cl_uint camera_color = 0xffffffff;  ///< of the camera motion, 0xAARRGGBB; transparent: not drawn
};

/// The things to draw over a frame.
struct ObjectView {
  /// A line through points, px.
  struct Outline {
    std::vector<Object::Point> points;
    float opacity;  ///< 0 to 1
  };

  std::vector<Object> objects;
  camera::SimilarityMotion step{};      ///< motion of the camera from the previous frame
  double seconds = 0.04;                ///< duration of a frame
  std::map<uint64_t, double> speeds{};  ///< km/h, of objects whose speed on the ground is known
  std::vector<Outline> outlines{};      ///< they lie below the objects
};

/// Draws boxes, labels and trails over frames, and the camera motion: a line from the centre to
/// the point that it reaches in ten frames, and a square there that scales and rotates with the
/// camera. Lines and text scale with the frame. Everything is enqueued, nothing waits.
class ObjectRenderer {
 public:
  static constexpr size_t most = 64;  ///< most objects that are drawn

  /// For pictures of a size and layout. Throws Error::failed if the device refuses the kernels.
  ObjectRenderer(Context &context, int width, int height, Layout layout);

  /// A camera that moves no pixel by one pixel is not drawn. `color`: of outlines, and of objects
  /// that have no colour of their own.
  void draw(Queue &queue, const ObjectView &view, const ObjectStyle &style, cl_uint color,
            cl_uint outline_color, const drawing::Canvas &canvas);

 private:
  int thickness() const;
  void draw_box(Queue &queue, const Object &object, const std::string &label, cl_float4 colour,
                cl_float4 edge, const drawing::Canvas &canvas);
  void draw_outline(Queue &queue, const ObjectView::Outline &outline, cl_float4 colour,
                    cl_float4 edge, const drawing::Canvas &canvas);
  void draw_trail(Queue &queue, const std::deque<Object::Point> &points, cl_float4 colour,
                  cl_float4 edge, const drawing::Canvas &canvas);

  int width_, height_;
  Kernel box_, trail_;
};

}  // namespace glcl::objects
