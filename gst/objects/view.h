// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "drawing/canvas.h"
#include "tracker.h"

namespace glcl::objects {

/// Draws boxes, numbers and trails over frames. Their lines and digits grow with the frame.
/// Everything is enqueued, nothing waits.
class View {
 public:
  static constexpr size_t most = 64;  ///< objects; others are not drawn

  /// For pictures of a size and layout. Throws Error::failed where the device refuses the kernels.
  View(Context &context, int width, int height, Layout layout);

  void draw(Queue &queue, const std::vector<Object> &objects, cl_uint color, cl_uint outline_color,
            const drawing::Canvas &canvas);

 private:
  int width_, height_;
  Kernel box_, trail_;
};

}  // namespace glcl::objects
