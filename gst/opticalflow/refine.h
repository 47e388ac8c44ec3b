// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <vector>

#include "opencl/context.h"
#include "opencl/kernel.h"
#include "opencl/queue.h"
#include "opticalflow/interface.h"

namespace glcl::opticalflow {

/// Edge-aware variational refinement of a flow (after Brox et al. 2004 and Sun et al. 2010). Areas
/// without texture get the flow of their surroundings. It minimizes the energy by red-black
/// successive over-relaxation in tiles, on up to three of the finest levels; a weighted spatial
/// median follows. docs/methods/refinement.md has the energy, the weights and the influence of
/// noise.
class Refinement {
 public:
  static constexpr int levels = 3;
  static constexpr int rounds = 2;           ///< rounds of sweeps per step
  static constexpr int coarsest_rounds = 4;  ///< on the coarsest level

  /// The input of all levels, in the layout of the kernels; `levels`: finest first.
  struct RefinementFrames {
    const cl::Buffer &before, &after, &grey;  ///< census of both frames, grey of the earlier frame
    const cl::Buffer &noise;                  ///< see noise::Noise::variances()
    const std::vector<cl_int4> &levels;
    const std::vector<float> &gains;  ///< of each level, .x in kernels/opticalflow/noise.clh
    const cl::Buffer &keep_factors;   ///< see FlowFinish
    cl_int2 cells;                    ///< columns and rows of them
    int shift;                        ///< the field's nodes are 1 << shift px apart
  };

  /// Builds the programs. Throws cl::Error.
  explicit Refinement(Context &context);

  /// Enqueues `steps` steps on each level, and overwrites vectors (float2 per pixel, px) and
  /// confidence (float per pixel). The first call with larger frames allocates.
  void run(Queue &queue, int steps, const RefinementFrames &frames, const cl::Buffer &vectors,
           const cl::Buffer &confidence);

 private:
  void step(Queue &queue, const RefinementFrames &frames, int level, const cl::Buffer &from,
            cl_int4 from_level, float ratio, bool shifted, int rounds);

  cl::Context context_;
  Kernel step_, mean_, finish_;
  size_t pixels_ = 0;  // that the buffers hold
  cl::Buffer flow_, solution_, matches_;
};

}  // namespace glcl::opticalflow
