// SPDX-License-Identifier: LGPL-2.1-or-later
// Tensors and residuals of all lattices but the last, before the solver starts. See window.clh for the build options.
#include "opticalflow/window.clh"
#include "opticalflow/tensors.clh"

// sum_tensors() for all lattices of flow_warp; the finest one has a window of its own. The last `tiles` groups take
// tiles of `side` nodes in the order of the table. The groups before them compute rows of the frames by
// find_row_ratios(), with `grey_before` and `grey_after`. `tile` has an element per item.
__kernel void flow_tensors(__global const TEXEL *restrict before, __global const TEXEL *restrict after,
                           __global const float *restrict grey_before, __global const float2 *restrict brightness,
                           __global const float *restrict noise_table, __global const float4 *restrict gains,
                           __constant TableRow *lattices, int2 side, __global float4 *restrict tensors,
                           __global float *restrict residuals, __global float4 *restrict slopes,
                           __global uint *restrict frame_counts, Window finest_window, Window other_window, float alpha,
                           int tiles, __global const float *restrict grey_after, volatile __global float *row_ratios,
                           int row_count, int row_spacing, __local float4 *tile, __local float4 *strip) {
  __local int last;
  const int group = get_group_id(0);
  const int row_groups = get_num_groups(0) - tiles;
  if (group < row_groups)
    find_row_ratios(grey_before, grey_after, lattices[0].level, brightness[0], group, row_groups, row_count,
                    row_spacing, row_ratios, frame_counts, tile, &last);
  else
    sum_tensor_tiles(before, after, grey_before, brightness[0], noise_table, gains, lattices, group - row_groups, side,
                     tensors, residuals, slopes, frame_counts, finest_window, other_window, alpha, tile, strip);
}
