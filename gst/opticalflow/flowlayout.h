// SPDX-License-Identifier: LGPL-2.1-or-later
// Constants and structs that the files of Flow share with its kernels.
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
constexpr int step_windows[] = {15, 31, 63};  // px, the largest window for each step
constexpr int window_radius = 3;              // nodes; on the finest level finest_radius
constexpr int finest_radius = 1;
constexpr int cell_nodes = 8;                             // nodes; CELL_NODES in the kernels
constexpr int area_reach = 3;                             // cells; MOST_REACH
constexpr size_t evidence_bytes = 16 * sizeof(cl_float);  // sizeof(CellEvidence)
constexpr int row_spacing = 2;                            // px; ROW_SPACING
constexpr size_t row_items = 64;                          // ROW_ITEMS
constexpr int row_bands =
    120;  // parts of the frame's height between which rolling brightness may differ
constexpr Size pixel_group{32, 8};
constexpr Size upsample_group{64, 4};
constexpr size_t most_small = 3000;  // texels of a level, for one group
// The part of the noise of a node's vote that the mean of its four texels in the last warp keeps.
constexpr float dense_noise_share = 0.4f;

inline int half(int n) { return (n + 1) / 2; }

/// An entry in the table for flow_tensors, see kernels/opticalflow/window.clh.
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
