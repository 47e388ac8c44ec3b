// SPDX-License-Identifier: LGPL-2.1-or-later
#include "canvas.h"

#include "opencl/queue.h"

namespace glcl::drawing {

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
