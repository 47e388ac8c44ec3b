// SPDX-License-Identifier: LGPL-2.1-or-later
// Tensors and residuals of all lattices but the last, before the solver starts. See window.clh for the build options.
#include "opticalflow/window.clh"
#include "opticalflow/tensors.clh"

// sum_tensors() for all lattices of flow_warp; the finest one has a window of its own. The last groups take tiles in the
// order of the table. The groups before them compute rows of the frames by find_row_ratios(). `room`: as of
// sum_tensor_tiles(), with an element per item at least.
__kernel void flow_tensors(__global const TEXEL *restrict before, __global const TEXEL *restrict after,
                           __global const float *restrict grey_before, __global const float *restrict grey_after,
                           __global const float2 *restrict brightness, __global const float *restrict noise_table,
                           __constant TableRow *lattices, __global float4 *restrict tensors,
                           __global float *restrict residuals, __global float4 *restrict slopes,
                           __global FrameTally *restrict tally, volatile __global float *row_ratios, TensorSums sums,
                           __local float4 *room) {
  __local int last;
  const int group = get_group_id(0);
  const int row_groups = get_num_groups(0) - sums.tiles;
  if (group < row_groups)
    find_row_ratios(grey_before, grey_after, lattices[0].level, brightness[0], group, row_groups, sums.rows,
                    sums.row_spacing, row_ratios, tally, room, &last);
  else
    sum_tensor_tiles(before, after, grey_before, brightness[0], noise_table, lattices, group - row_groups, tensors,
                     residuals, slopes, tally, sums, room);
}
