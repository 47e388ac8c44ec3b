// SPDX-License-Identifier: LGPL-2.1-or-later
#include "canvas.h"

#include <cmath>

#include "opencl/queue.h"

namespace glcl::drawing {

Rect panel(double x, double y, double width, double height, int frame_width, int frame_height) {
  const auto place = [](double part, int whole) {
    return static_cast<int>(std::lround(std::clamp(part, 0.0, 1.0) * whole));
  };
  Rect area;
  area.x = std::min(place(x, frame_width), frame_width - 1);
  area.y = std::min(place(y, frame_height), frame_height - 1);
  area.width = std::clamp(place(width, frame_width), 1, frame_width - area.x);
  area.height = std::clamp(place(height, frame_height), 1, frame_height - area.y);
  return area;
}

void Canvas::begin(Queue &queue) const {
  if (!overlay)
    copy_picture(queue, in, out);
  else if (out.layout == Layout::buffer)
    queue.cl().enqueueFillBuffer(out.buffer, cl_uchar4{}, 0, out.bytes());
  else
    queue.cl().enqueueFillImage(out.image, cl_float4{}, {0, 0, 0},
                                {size_t(out.width), size_t(out.height), 1});
}

}  // namespace glcl::drawing
