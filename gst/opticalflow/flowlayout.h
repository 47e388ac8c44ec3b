// SPDX-License-Identifier: LGPL-2.1-or-later
// What the files of Flow share of how its kernels are built.
#pragma once

#include "flow.h"
#include "tiles.h"

namespace glcl::opticalflow {

constexpr int border = 2;                     // texels around a level; BORDER in the kernels
constexpr int pitch_unit = 16;                // texels
constexpr int grey_rows = 14;                 // ROWS of flow_grey
constexpr Size coarsest_part{16, 8};          // COARSEST_X and COARSEST_Y of the kernels
constexpr int census_rows = 4;                // STRIP of flow_census
constexpr int steps[] = {1, 2, 4};            // texels; powers of 2
constexpr int step_windows[] = {15, 31, 63};  // px, the largest for each
constexpr int window_radius = 3;              // nodes; on the finest level
constexpr int finest_radius = 1;
constexpr int support_side = 8;                          // nodes; SUPPORT_SIDE in the kernels
constexpr int support_reach = 3;                         // cells; MOST_REACH
constexpr size_t support_bytes = 16 * sizeof(cl_float);  // a Support
constexpr int row = 2;                                   // px; ROW in the kernels
constexpr size_t row_items = 64;                         // SPAN
constexpr int bands =
    120;  // into which a frame's rows are parted where light may roll through them
constexpr Size pixel_group{32, 8};
constexpr Size finish_group{64, 4};
constexpr size_t most_small = 3000;  // texels of a level that one group makes
// Of the noise of a node's vote what the mean of its four texels in the last warp keeps.
constexpr float last_share = 0.4f;

inline int half(int n) { return (n + 1) / 2; }

/// A row of the table that flow_tensors takes.
struct TableRow {
  cl_int4 level;
  cl_int2 size;
  cl_int step, first_tensor, first_tile, last_tile;
};

inline int window_class(int window) {
  int i = 0;
  while (i < 2 && window > step_windows[i]) i++;
  return i;
}

inline cl_int2 vector(Size size) { return {{static_cast<int>(size.x), static_cast<int>(size.y)}}; }

}  // namespace glcl::opticalflow
