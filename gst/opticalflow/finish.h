// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "flowfield.h"
#include "solver.h"

namespace glcl::opticalflow {

/// Makes the field of Flow from the solver's result: verifies that motion explains the change
/// between the frames (docs/methods/encoders.md), and upsamples.
class FlowFinish {
 public:
  /// Throws cl::Error.
  FlowFinish(Context &context, const FlowPyramids &pyramids, FlowChannels channels);

  /// Enqueues the field from the frame before to the one after. `backward`: instead only its
  /// vectors, for check().
  void run(Queue &queue, const FlowSettings &settings, const FramePair &frames,
           const FlowSolver &solver, bool backward);
  /// Enqueues the comparison with the backward field. Where both disagree by a pixel or more, the
  /// confidence becomes 0.
  void check(Queue &queue);

  const FlowField &field() const { return field_; }
  /// Cells of the verification, see kernels/opticalflow/verify.clh.
  cl_int2 cells(const FlowSettings &settings) const;
  /// Float per cell: the factor of its flow, 0..1.
  const cl::Buffer &keep_factors() const { return keep_factors_; }

 private:
  void verify(Queue &queue, const FlowSettings &settings, const FramePair &frames,
              const FlowSolver &solver);
  void upsample(Queue &queue, const FlowSettings &settings, const FramePair &frames,
                const FlowSolver &solver, const cl::Buffer &vectors);

  int rows_;  // ROWS of flow_upsample
  Kernel verify_, upsample_, check_;
  cl::Buffer evidence_, keep_factors_, backward_;
  FlowField field_;
};

}  // namespace glcl::opticalflow
