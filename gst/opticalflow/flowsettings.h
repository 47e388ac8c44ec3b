// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

namespace glcl::opticalflow {

/// The values that Flow compares: grey, or soft differences of opposite neighbours.
enum class FlowChannels { grey, census };

/// The settings of Flow.
struct FlowSettings {
  int levels = 0;        ///< of the pyramid, at least 1; 0: until the short side is about 16 px
  int warps = 2;         ///< per level, 1..20; the finest level has one more
  int window = 15;       ///< side in px, odd, 3..63
  double alpha = 0.001;  ///< on the tensor's diagonal; levels²/px², census: (1/127)²/px²
  int median = 5;        ///< side of the median filter: 3 or 5, nine nodes 1 or 2 apart; 0: off
  double noise = -1;     ///< standard deviation of the frames' noise, levels; below 0: measured
  bool check = false;    ///< also computes the backward flow; where both disagree by a pixel or
                         ///< more, the confidence becomes 0
  int refinement = 0;    ///< steps of Refinement on each of its levels; census only
};

}  // namespace glcl::opticalflow
