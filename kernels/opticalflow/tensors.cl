// SPDX-License-Identifier: LGPL-2.1-or-later
// What the solver needs of every lattice but the last before it begins. Build as window.clh says.
#include "opticalflow/window.clh"
#include "opticalflow/tensors.clh"

// sum_tile() for all lattices of flow_warp, the finest with a window of its own. The last groups, `tiles` of them, take tiles of `side` nodes
// in the order of the table; those ahead rows of the frames, whose grey is `grey` and `later`, for light_rows(). `tile` has room for one of every
// item.
__kernel void flow_tensors(__global const TEXEL *restrict before, __global const TEXEL *restrict after,
                           __global const float *restrict grey, __global const float2 *restrict light,
                           __global const float *restrict noise_table, __global const float4 *restrict gains,
                           __constant TableRow *lattices, int2 side, __global float4 *restrict tensors,
                           __global float *restrict rests, __global float4 *restrict slopes, __global uint *restrict votes, Window finest, Window other, float alpha,
                           int tiles, __global const float *restrict later, volatile __global float *rows, int row_count, int row_spacing,
                           __local float4 *tile, __local float4 *strip) {
  __local int last;
  const int group = get_group_id(0);
  const int others = get_num_groups(0) - tiles;
  if (group < others)
    light_rows(grey, later, lattices[0].level, light[0], group, others, row_count, row_spacing, rows, votes, tile, &last);
  else
    sum_tiles(before, after, grey, light[0], noise_table, gains, lattices, group - others, side, tensors, rests, slopes, votes, finest, other, alpha,
              tile, strip);
}
