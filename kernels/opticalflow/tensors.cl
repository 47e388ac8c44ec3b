// SPDX-License-Identifier: LGPL-2.1-or-later
// What the solver needs of every lattice but the last before it begins. Build as window.clh says.
#include "opticalflow/window.clh"
#include "opticalflow/rows.clh"

// The window's sums of the structure tensor and of texel_noise() for all lattices of flow_warp, the finest with a window
// of its own; and as `rests` those of the squared change in time of what stands still, less what any motion could explain of it
// there. Groups are tiles of `side` nodes in the order of the table, `tiles` in all; then rows of the frames, whose grey is `grey` and `later`,
// for light_row(). `tile` has room for one of every item.
__kernel void flow_tensors(__global const TEXEL *restrict before, __global const TEXEL *restrict after,
                           __global const float *restrict grey, __global const float2 *restrict light,
                           __global const float *restrict noise_table, __global const float4 *restrict gains,
                           __constant TableRow *lattices, int count, int2 side, __global float4 *restrict tensors,
                           __global float *restrict rests, __global uint *restrict votes, Window finest, Window other, float alpha,
                           int tiles, __global const float *restrict later, volatile __global float *rows, int rows_apart,
                           __local float4 *tile, __local float4 *strip) {
  __local int last;
  const int group = get_group_id(0);
  if (group >= tiles) {
    light_row(grey, later, lattices[0].level, light[0], group - tiles, get_num_groups(0) - tiles, rows_apart, rows, votes, tile, &last);
    return;
  }
  int number = 0;
  if (group == 0 && get_local_id(0) == 0 && get_local_id(1) == 0) votes[0] = votes[1] = 0;
  while (number + 1 < count && group >= lattices[number + 1].first_tile) number++;
  const TableRow lattice = lattices[number];
  Window window = finest;
  if (number > 0) window = other;
  const int columns = (lattice.size.x + side.x - 1) / side.x, tile_number = group - lattice.first_tile;
  const int2 origin = (int2)(tile_number % columns, tile_number / columns) * side;
  const int2 voters = side + 2 * RADIUS, inside = min(side, lattice.size - origin);
  FOR_ITEMS(x, y, voters) {
    const int2 at = lattice.step * clamp(origin - RADIUS + (int2)(x, y), 0, lattice.size - 1);
    const int index = texel_index(lattice.level, at);
    __global const TEXEL *p = before + index;
    tile[y * voters.x + x] = (float4)(tensor(slope(p, 1), slope(p, lattice.level.z), alpha),
                                      texel_noise(noise_table, grey[index], LOAD(p[0])));
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  SUM_Y(tile, strip, voters.x, side.y, window, float4)
  barrier(CLK_LOCAL_MEM_FENCE);
  FOR_ITEMS(x, y, inside) {
    float4 sum;
    SUM_X(sum, strip + y * voters.x + x, window)
    tensors[lattice.first_tensor + (origin.y + y) * lattice.size.x + origin.x + x] = sum;
  }
  const float limit = change_limit(noise_of(noise_table), gains[number]);
  FOR_ITEMS(x, y, voters) {
    const int2 at = lattice.step * clamp(origin - RADIUS + (int2)(x, y), 0, lattice.size - 1);
    const int index = texel_index(lattice.level, at);
    __global const TEXEL *p = before + index;
    const CHANNELS change = clamp(RELIT(LOAD(after[index]), light[0]) - LOAD(p[0]), -limit, limit);
    tile[y * voters.x + x] = (float4)(CHANNEL_SUM(slope(p, 1), change), CHANNEL_SUM(slope(p, lattice.level.z), change),
                                      CHANNEL_SUM(change, change), 0.0f);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  SUM_Y(tile, strip, voters.x, side.y, window, float4)
  barrier(CLK_LOCAL_MEM_FENCE);
  FOR_ITEMS(x, y, inside) {
    const int index = lattice.first_tensor + (origin.y + y) * lattice.size.x + origin.x + x;
    float4 sum;
    SUM_X(sum, strip + y * voters.x + x, window)
    rests[index] = fmax(sum.z - dot(sum.xy, solve(tensors[index].xyz, sum.xy)), 0.0f);
  }
}
