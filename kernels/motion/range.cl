// SPDX-License-Identifier: LGPL-2.1-or-later
// Finds the search range that each area of a frame needs, by full searches with increasing ranges
// on smaller planes. -DBLOCKS=N: an area has N × N blocks there.
#include "motion/cost.clh"
#include "motion/interface.h"

#pragma OPENCL FP_CONTRACT OFF
#define GROUP 64

// Sums the squared SADs of `columns` × `rows` blocks by area. A work-item per area.
__kernel void motion_range_sum(__global const ulong *keys, int columns, int rows, int2 areas,
                               int lambda, int step, __global ulong *sums) {
  const int2 area = (int2)(get_global_id(0), get_global_id(1));
  if (area.x >= areas.x || area.y >= areas.y) return;
  ulong sum = 0;
  for (int y = area.y * BLOCKS; y < min(area.y * BLOCKS + BLOCKS, rows); y++)
    for (int x = area.x * BLOCKS; x < min(area.x * BLOCKS + BLOCKS, columns); x++) {
      const ulong key = keys[y * columns + x];
      const int2 vector = vector_of((uint)key);
      const ulong sad = (key >> 32) - lambda * vector_bits(vector.x, vector.y);
      sum += sad * sad;
    }
  sums[(step * areas.y + area.y) * areas.x + area.x] = sum;
}

// Returns to all items the sum over a work-group.
inline ulong sum_of(__local ulong *all, ulong own) {
  const int item = get_local_id(0);
  barrier(CLK_LOCAL_MEM_FENCE);
  all[item] = own;
  for (int left = GROUP / 2; left > 0; left /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item < left) all[item] += all[item + left];
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  return all[0];
}

// Selects one of `ranges` for each of `areas`: the first whose sum is close to that of the largest
// range. The difference may be 1 / SHARE of the mean sum. An area also has at least the ranges that
// its neighbours need.
//
// A smaller range suffices if the expected squared error stays within `target`. The errors of the
// last frame, the first of `errors`, relate to its sum `last` as those of this frame to its sum.
// There is no such rule with a `target` below 0 or without `follows`. Afterwards `last` is the sum
// with the selected ranges.
//
// `needed`: an int of scratch memory per area. `mean` gets the mean of the squared ranges. One
// work-group of GROUP items.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void motion_range_choose(
    __global const ulong *sums, __global const int *ranges, __global const long8 *errors,
    __global ulong *last, __global int *needed, __global int *limits, __global int *mean,
    RangeChoice choice) {
  __local ulong all[GROUP];
  const int2 areas = choice.areas;
  const int item = get_local_id(0), count = areas.x * areas.y, steps = choice.steps;
  __global const ulong *least = sums + (steps - 1) * count;
  ulong own = 0;
  for (int i = item; i < count; i += GROUP) own += least[i];
  const ulong total = sum_of(all, own);

  long error = 0;
  float excess = -1;  // error that remains up to `target`, times the sum
  if (choice.target >= 0.0f && choice.follows) {
    for (int i = 0; i < choice.parts; i++) error += errors[i].s0;
    const float allowed = choice.target * (float)*last, there = (float)error * (float)total;
    excess = allowed - there;
  }
  const long allowance = total / SHARE / count;
  for (int area = item; area < count; area += GROUP) {
    int chosen = steps - 1;
    for (int i = steps - 2; i >= 0; i--) {
      const long above = (long)sums[i * count + area] - (long)least[area];
      const float expected = (float)above * (float)error * (float)count;
      if (above <= allowance || expected <= excess) chosen = i;
    }
    needed[area] = chosen;
  }
  barrier(CLK_GLOBAL_MEM_FENCE);
  ulong chosen_sum = 0, squares = 0;
  for (int area = item; area < count; area += GROUP) {
    const int x = area % areas.x, y = area / areas.x;
    int chosen = 0;
    for (int v = max(y - 1, 0); v <= min(y + 1, areas.y - 1); v++)
      for (int u = max(x - 1, 0); u <= min(x + 1, areas.x - 1); u++)
        chosen = max(chosen, needed[v * areas.x + u]);
    limits[area] = ranges[chosen];
    chosen_sum += sums[chosen * count + area];
    squares += ranges[chosen] * ranges[chosen];
  }
  const ulong chosen_total = sum_of(all, chosen_sum), square_total = sum_of(all, squares);
  if (item == 0) {
    *last = chosen_total;
    *mean = (int)(square_total / count);
  }
}
