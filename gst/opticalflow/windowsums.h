// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "flowfield.h"
#include "opencl/context.h"
#include "opencl/kernel.h"
#include "opencl/queue.h"

namespace glcl::opticalflow {

/// The constants of the least squares of LucasKanade, in the units of its kernels.
struct LeastSquares {
  cl_float alpha, half_confidence, scale;
};

/// The last steps of LucasKanade::Form::columns: sums of a window along y, then along x with the
/// solution.
class WindowSums {
 public:
  static constexpr int row_stretch = 64;  ///< pixels of a row per work-item

  /// Selects the kernels. `program`: lucaskanade.cl.
  void set_program(Context &context, const Program &program);

  /// Enqueues both steps for greys of two frames of `size` px. `column_stretch`: pixels of a column
  /// per work-item. Throws cl::Error.
  void run(Queue &queue, const cl::Buffer &previous, const cl::Buffer &current, cl_int2 size,
           int radius, int column_stretch, const LeastSquares &solution, const FlowField &field);

 private:
  Kernel columns_, rows_;
  cl::Buffer sums4_, sums1_;  // along y, allocated when first needed
};

}  // namespace glcl::opticalflow
