// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "flowfield.h"
#include "solver.h"

namespace glcl::opticalflow {

/// Makes the field of Flow from the solver's result. It verifies that motion explains the change
/// between the frames (docs/methods/encoders.md), then upsamples to a vector per pixel.
class FlowFinish {
 public:
  /// Throws cl::Error.
  FlowFinish(Context &context, const FlowPyramids &pyramids, FlowChannels channels);

  /// Enqueues the field of two frames. `backward`: keeps its vectors for check() instead of writing
  /// field().vectors.
  void run(Queue &queue, const FlowSettings &settings, const FramePair &frames,
           const FlowSolver &solver, bool backward);
  /// Enqueues the comparison of field() with the backward vectors. Where both disagree by a pixel
  /// or more, the confidence becomes 0.
  void check(Queue &queue);

  const FlowField &field() const { return field_; }
  /// Columns and rows of cells of the verification, see kernels/opticalflow/verify.clh.
  cl_int2 cells(const FlowSettings &settings) const;
  /// The factor by which the verification scales the flow of each cell: float, 0..1.
  const cl::Buffer &keep_factors() const { return keep_factors_; }

 private:
  void verify(Queue &queue, const FlowSettings &settings, const FramePair &frames,
              const FlowSolver &solver);
  void upsample(Queue &queue, const FlowSettings &settings, const FramePair &frames,
                const FlowSolver &solver, const cl::Buffer &vectors);

  int rows_;  // pixels of a column per item of flow_upsample
  Kernel verify_, upsample_, check_;
  cl::Buffer evidence_, keep_factors_, backward_;
  FlowField field_;
};

}  // namespace glcl::opticalflow
