// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "candidatesearch.h"
#include "tensors.h"

namespace glcl::opticalflow {

/// The solver of Flow. It warps from the coarsest level to the finest; each warp solves for the
/// whole vector.
class FlowSolver {
 public:
  /// `coarse`, `dense`: variants for the problems of Flow::tunable(). Throws cl::Error.
  FlowSolver(Context &context, const FlowPyramids &pyramids, FlowChannels channels,
             const Parameters &coarse, const Parameters &dense);

  /// Enqueues the flow between two frames on their finest `levels` levels. `candidates`: null, or a
  /// search after match().
  void solve(Queue &queue, const FlowSettings &settings, const FramePair &frames, int levels,
             CandidateSearch *candidates);

  /// The result, float2 per node in px, and its confidence, float 0..1. Nodes are 2, 4 or 8 px
  /// apart, twice the step of the window class (flowlayout.h).
  const cl::Buffer &flow() const { return result_; }
  const cl::Buffer &confidence() const { return confidence_; }
  const FlowTensors &tensors() const { return tensors_; }

 private:
  /// A kernel of the solver and its form.
  struct WarpKernel : SolverForm {
    Kernel kernel;
  };
  /// A flow on a lattice.
  struct FlowState {
    const cl::Buffer *flow;
    cl_int2 size;
  };

  WarpKernel warper(Context &context, const char *kernel, const SolverForm &form);
  const cl::Buffer &next_buffer(const FlowState &state) const;
  TileMemory fused_memory(const FlowSettings &settings, const FlowLattice &lattice) const;
  int last_fused_level(const FlowSettings &settings, int level, int limit) const;
  FlowState warp_fused(Queue &queue, const FlowSettings &settings, const FramePair &frames,
                       int level, int last, const FlowState &state, float scale, bool sums);
  FlowState warp(Queue &queue, const FlowSettings &settings, const FramePair &frames, int level,
                 const FlowState &state, float scale);
  FlowState warp(Queue &queue, const FlowSettings &settings, WarpKernel &warper, Size tile,
                 int warps, const FramePair &frames, int level, const FlowState &state, int shift,
                 float scale);
  void dense_warp(Queue &queue, const FlowSettings &settings, const FramePair &frames,
                  const FlowState &state, float scale);

  FlowChannels channels_;
  int compute_units_;
  size_t local_memory_;                         // bytes per group
  int max_steps_;                               // maximum warps per launch, see warp()
  WarpKernel coarse_, finest_, fused_, dense_;  // fused_: for lattices that fit into one group
  FlowTensors tensors_;
  cl::Buffer zero_, flow_[2], result_, confidence_;
};

}  // namespace glcl::opticalflow
