// SPDX-License-Identifier: LGPL-2.1-or-later
#include "windowsums.h"

#include "opencl/buffer.h"
#include "tiles.h"

namespace glcl::opticalflow {

void WindowSums::set_program(Context &context, const Program &program) {
  columns_ = Kernel(context, program, "lk_columns", {64, 1});
  rows_ = Kernel(context, program, "lk_rows", {64, 1});
}

void WindowSums::run(Queue &queue, const cl::Buffer &previous, const cl::Buffer &current,
                     cl_int2 size, int radius, int column_stretch, const LeastSquares &solution,
                     const FlowField &field) {
  const size_t width = size.s[0], height = size.s[1];
  ensure_size(sums4_, queue.context().cl(), width * height * sizeof(cl_int4));
  ensure_size(sums1_, queue.context().cl(), width * height * sizeof(cl_int));
  columns_(queue, {width, size_t(divide_up(size.s[1], column_stretch))}, previous, current, size,
           radius, column_stretch, sums4_, sums1_);
  rows_(queue, {height, size_t(divide_up(size.s[0], row_stretch))}, sums4_, sums1_, size, radius,
        row_stretch, solution.alpha, solution.half_confidence, solution.scale, field.vectors,
        field.confidence);
}

}  // namespace glcl::opticalflow
