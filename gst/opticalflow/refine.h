// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <vector>

#include "opencl/context.h"
#include "opencl/kernel.h"
#include "opencl/queue.h"

namespace glcl::opticalflow {

/// Variational refinement of a flow (after Brox et al. 2004 and Sun et al. 2010): it follows edges
/// of the picture, and what has no texture takes the flow of what is around it.
///
/// On up to three of the finest levels, the coarsest of them first, every step linearizes the
/// differences d of the four channels of soft census (-1 to 1) at the flow w that there is, with g
/// the mean of the channel's slopes in both frames, and looks for the flow of least
///
///   Σ ψ(d + g·(w' - w), 0.6) + 0.2 Σ e |w'ₚ - w'ₙ|,    ψ(d, s) ~ √(1 + d²/s²), |x| ~ √(x² + 0.05²)
///
/// over all texels and all pairs (p, n) of neighbours, e = 0.12 + 0.88 exp(-|Δgrey| / 8 levels) in
/// steps of 1 / 255. What lies between texels is blurred by bilinear weights; what it is compared
/// with is blurred as much, else flows would tend to whole texels. The texels at the frame's edge,
/// whose census lacks neighbours, are compared with nothing. It comes near the least by successive
/// over-relaxation (1.9), texels like the fields of a chessboard; the weights of ψ are those at w,
/// those of |x| are renewed every 6 of 12 sweeps, on the coarsest level 24. It does so in tiles of
/// 64 × 48 texels, 56 × 40 apart, each with the flow that there was around it; every second step
/// has them half a tile aside.
///
/// Then every vector becomes a mean of those of 3 × 3 texels four apart: weights are Gaussian in
/// the distance (8 texels) and the difference in grey (14 levels), times 1 / (1 + 10 Σ d²), not
/// below 0.02; three steps that count vectors less the farther they are from the mean bring it
/// towards their spatial median. So edges and covered pixels get the flow of what they belong to.
///
/// Noise softens census (see Flow). 0.6 and 0.2 then are less, like 2.5 by the softness, but not
/// below 0.4 times that; from 1 to 2 levels of noise they come back, and 0.2 becomes three times
/// that, so that more is taken from around. What moves by less than 0.05 px (by parts to 0.1) stays
/// as it is, by parts from 0.75 to 1.25 levels. The confidence is multiplied by 1 / (1 + (Σ d²)²).
class Refinement {
 public:
  static constexpr int levels = 3;
  static constexpr int tile_x = 64, tile_y = 48, halo = 4;  ///< texels
  static constexpr int sweeps = 6;                          ///< between which weights are the same
  static constexpr int rounds = 2;                          ///< of sweeps in a step
  static constexpr int coarsest_rounds = 4;                 ///< on the coarsest level

  /// What the levels have in common; `levels` as the kernels have them, finest first.
  struct Frames {
    const cl::Buffer &before, &after, &grey;  ///< census of both, and grey of the earlier one
    const cl::Buffer &noise;
    const std::vector<cl_int4> &levels;
    const std::vector<float> &gains;  ///< of noise, see kernels/opticalflow/noise.clh
    const cl::Buffer &kept;  ///< of the field, by cells, see kernels/opticalflow/support.clh
    cl_int2 cells;
    int shift;  ///< nodes of the field lie 1 << shift px apart
  };

  /// Builds the programs. Throws cl::Error.
  explicit Refinement(Context &context);

  /// Enqueues `steps` on each level for a field: vectors and confidence. The first call with
  /// frames of a size allocates.
  void run(Queue &queue, int steps, const Frames &frames, const cl::Buffer &vectors,
           const cl::Buffer &confidence);

 private:
  void step(Queue &queue, const Frames &frames, int level, const cl::Buffer &from,
            cl_int4 from_level, float ratio, bool aside, int rounds);

  cl::Context context_;
  Kernel step_, mean_, finish_;
  size_t pixels_ = 0;  // that there is room for
  cl::Buffer flow_, other_, matches_;
};

}  // namespace glcl::opticalflow
