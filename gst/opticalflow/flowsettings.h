// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

namespace glcl::opticalflow {

/// The values that Flow compares: grey, or soft differences of opposite neighbours.
enum class FlowChannels { grey, census };

/// The settings of Flow.
struct FlowSettings {
  int levels = 0;        ///< of the pyramid, 1..; 0: until the short side is about 16 px
  int warps = 2;         ///< per level, 1..20, and one more on the finest
  int window = 15;       ///< side in px, odd, 3..63
  double alpha = 0.001;  ///< on the tensor's diagonal, levels²/px² (grey) or 1/127²/px² (census)
  int median = 5;        ///< 0, 3 or 5: the nine nodes are 0, 1 or 2 apart
  double noise = -1;     ///< of the frames, standard deviation in levels; below 0: measured
  bool check = false;    ///< also computes the flow back to the previous frame; the
                         ///< confidence becomes 0 where both disagree by a pixel or more
  int refinement = 0;    ///< steps of Refinement on each of its levels; census only
};

}  // namespace glcl::opticalflow
