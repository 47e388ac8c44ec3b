// SPDX-License-Identifier: LGPL-2.1-or-later
// Tensors and residuals of all lattices of flow_warp. See window.clh for the build options.
#include "opticalflow/window.clh"
#include "opticalflow/tensors.clh"

// The last groups call sum_tensors(), one per tile in the order of the table. The finest lattice
// has a window of its own. The groups before them compute rows of the frames by find_row_ratios().
// Local memory `scratch`: see sum_tensor_tiles(); it has at least an element per item.
__kernel void flow_tensors(__global const TEXEL *restrict before,
                           __global const TEXEL *restrict after,
                           __global const float *restrict grey_before,
                           __global const float *restrict grey_after,
                           __global const float2 *restrict brightness,
                           __global const float *restrict noise_table,
                           __constant LatticeLevel *lattices, __global float *tables,
                           TensorSums sums, __local float4 *scratch) {
  __local int last;
  const int group = get_group_id(0);
  const int row_groups = get_num_groups(0) - sums.tiles;
  if (group < row_groups)
    find_row_ratios(grey_before, grey_after, lattices[0].level, brightness[0], group, row_groups,
                    sums.rows, sums.row_spacing, tables, scratch, &last);
  else
    sum_tensor_tiles(before, after, grey_before, brightness[0], noise_table, lattices,
                     group - row_groups, tables, sums, scratch);
}
