// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "candidatesearch.h"
#include "tensors.h"

namespace glcl::opticalflow {

/// The solver of Flow: from the coarsest level to the finest, warps that each solve for the whole
/// vector.
class FlowSolver {
 public:
  /// `coarse`, `dense`: variants for the warps of a level, and for the last one of the finest
  /// level. Throws cl::Error.
  FlowSolver(Context &context, const FlowPyramids &pyramids, FlowChannels channels,
             const Parameters &coarse, const Parameters &dense);

  /// Enqueues the flow between two frames on their finest `levels`. `candidates`: after match(), or
  /// null.
  void solve(Queue &queue, const FlowSettings &settings, const FramePair &frames, int levels,
             CandidateSearch *candidates);

  /// The result, float2 per node in texels, and its confidence, float; nodes are two steps apart.
  const cl::Buffer &flow() const { return result_; }
  const cl::Buffer &confidence() const { return confidence_; }
  const FlowTensors &tensors() const { return tensors_; }

 private:
  /// A kernel of the solver.
  struct Warper : SolverForm {
    Kernel kernel;
  };
  /// A flow on a lattice.
  struct FlowState {
    const cl::Buffer *flow;
    cl_int2 size;
  };

  Warper warper(Context &context, const char *kernel, const SolverForm &form);
  const cl::Buffer &other(const FlowState &state) const;
  TileMemory fused_memory(const FlowSettings &settings, const FlowLattice &lattice) const;
  int last_fused_level(const FlowSettings &settings, int level, int above) const;
  FlowState warp_fused(Queue &queue, const FlowSettings &settings, const FramePair &frames,
                       int level, int last, const FlowState &state, float scale, bool sums);
  FlowState warp(Queue &queue, const FlowSettings &settings, const FramePair &frames, int level,
                 const FlowState &state, float scale);
  FlowState warp(Queue &queue, const FlowSettings &settings, Warper &warper, Size tile, int warps,
                 const FramePair &frames, int level, const FlowState &state, int shift,
                 float scale);
  void dense_warp(Queue &queue, const FlowSettings &settings, const FramePair &frames,
                  const FlowState &state, float scale);

  FlowChannels channels_;
  int compute_units_;
  size_t local_memory_;                     // bytes per group
  int most_steps_;                          // per launch, if a launch leaves the device idle
  Warper coarse_, finest_, fused_, dense_;  // fused_: for lattices that one group takes
  FlowTensors tensors_;
  cl::Buffer zero_, flow_[2], result_, confidence_;
};

}  // namespace glcl::opticalflow
