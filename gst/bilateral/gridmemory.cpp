// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gridmemory.h"

#include <algorithm>

#include "opencl/buffer.h"

namespace glcl::bilateral {

void GridMemory::reserve(const cl::Context &context, const GridGeometry &geometry,
                         const GridShape &shape) {
  ensure_size(sums_, context, geometry.sums_bytes(shape));
  if (geometry.layout() == Layout::buffer) {
    const size_t cells = shape.row_cells(shape.columns) * shape.rows;
    ensure_size(blurred_, context, cells * shape.cell);
    return;
  }
  std::array<int, 3> &known = image_size_;
  const std::array<int, 3> size{shape.columns, shape.rows, shape.channels * shape.stored};
  if (size[0] <= known[0] && size[1] <= known[1] && size[2] <= known[2]) return;
  for (int i = 0; i < 3; i++) known[i] = std::max(known[i], size[i]);
  blurred_image_ = cl::Image2DArray(context, CL_MEM_READ_WRITE, {CL_RGBA, CL_HALF_FLOAT}, known[2],
                                    known[0], known[1], 0, 0);
}

}  // namespace glcl::bilateral
