// SPDX-License-Identifier: LGPL-2.1-or-later
// Constants that the files of Flow share.
#pragma once

#include "flow.h"
#include "tiles.h"

namespace glcl::opticalflow {

constexpr int pitch_unit = 16;                // texels
constexpr int grey_rows = 14;                 // ROWS of flow_grey
constexpr int steps[] = {1, 2, 4};            // texels; powers of 2
constexpr int step_windows[] = {15, 31, 63};  // px, the largest window for each step
constexpr int window_radius = 3;              // nodes; on the finest level finest_radius
constexpr int finest_radius = 1;
constexpr int row_bands =
    120;  // parts of the frame's height between which rolling brightness may differ
constexpr Size pixel_group{32, 8};
constexpr Size upsample_group{64, 4};
constexpr size_t most_small = 3000;  // texels of a level, for one group
// The part of the noise of a node's vote that the mean of its four texels in the last warp keeps.
constexpr float dense_noise_share = 0.4f;

inline int half(int n) { return (n + 1) / 2; }

inline int window_class(int window) {
  int i = 0;
  while (i < 2 && window > step_windows[i]) i++;
  return i;
}

inline cl_int2 vector(Size size) { return {{static_cast<int>(size.x), static_cast<int>(size.y)}}; }

}  // namespace glcl::opticalflow
