// SPDX-License-Identifier: LGPL-2.1-or-later
#include "spacetable.h"

#include "opencl/buffer.h"

namespace glcl::bilateral {

void SpaceTable::update(Queue &queue, Kernel &kernel, const Window &window, float exponent) {
  if (window == window_) return;
  const size_t side = 2 * window.radius + 1, rows = side + 2 * (window.rows - 1);
  ensure_size(buffer_, queue.context().cl(), side * rows * sizeof(cl_float));
  kernel(queue, {side, rows}, buffer_, exponent, window.radius);
  window_ = window;
}

}  // namespace glcl::bilateral
