// SPDX-License-Identifier: LGPL-2.1-or-later
// Numbers from the counts of a frame. Build option: ONE_GROUP, work-items of a single group.
#include "scopes/interface.h"

// The least and the largest value of each column, the sum, and the samples outside of the legal
// range: out[(channel * COLUMN_VALUES + which) * columns + column]. An item per column and channel.
__kernel void scope_columns(__global const uint *counts, __global uint *out, Legal how) {
  const int column = get_global_id(0), channel = get_global_id(1);
  if (column >= how.columns || channel >= how.channels) return;
  const int blacks[] = {how.black.x, how.black.y, how.black.z},
            whites[] = {how.white.x, how.white.y, how.white.z};
  const int black = blacks[channel], white = whites[channel];
  __global const uint *own = counts + channel * how.levels * how.columns + column;
  uint least = how.levels - 1, most = 0, sum = 0, below = 0, above = 0;
  for (int level = 0; level < how.levels; level++) {
    const uint count = own[level * how.columns];
    if (count) least = min(least, (uint)level), most = level;
    sum += level * count;
    below += level < black ? count : 0;
    above += level > white ? count : 0;
  }
  out += channel * COLUMN_VALUES * how.columns + column;
  out[COLUMN_LEAST * how.columns] = least;
  out[COLUMN_MOST * how.columns] = most;
  out[COLUMN_SUM * how.columns] = sum;
  out[COLUMN_BELOW * how.columns] = below;
  out[COLUMN_ABOVE * how.columns] = above;
}

// The samples of all columns: totals[channel * levels + value]. An item per value of a channel.
__kernel void scope_totals(__global const uint *counts, __global uint *totals, int columns,
                           int rows) {
  const int row = get_global_id(0);
  if (row >= rows) return;
  uint sum = 0;
  for (int column = 0; column < columns; column++) sum += counts[row * columns + column];
  totals[row] = sum;
}

// The heights of bars, of FULL_HEIGHT for the fullest one. One group.
__kernel __attribute__((reqd_work_group_size(ONE_GROUP, 1, 1))) void scope_heights(
    __global const uint *totals, __global uint *heights, int rows, int logarithmic) {
  __local uint shared;
  const int lane = get_local_id(0);
  uint most = 1;
  for (int i = lane; i < rows; i += ONE_GROUP) most = max(most, totals[i]);
  if (!lane) shared = 1;
  barrier(CLK_LOCAL_MEM_FENCE);
  atomic_max(&shared, most);
  barrier(CLK_LOCAL_MEM_FENCE);
  most = shared;
  const float scale = FULL_HEIGHT / log(1.0f + most);
  for (int i = lane; i < rows; i += ONE_GROUP)
    heights[i] = logarithmic ? (uint)(log(1.0f + totals[i]) * scale + 0.5f)
                             : (uint)((ulong)totals[i] * FULL_HEIGHT / most);
}

// COLOUR_NUMBERS from out[first] on. `table`: of each cell its
// hue, or NO_HUE, and above these 16 bits its saturation. One group.
__kernel __attribute__((reqd_work_group_size(ONE_GROUP, 1, 1))) void scope_hues(
    __global const uint *cells, __global const uint *table, __global uint *out, int first) {
  __local uint sums[SATURATIONS + HUES], loudest;
  const int lane = get_local_id(0);
  uint own = NO_HUE;
  if (!lane) loudest = own;
  for (int i = lane; i < SATURATIONS + HUES; i += ONE_GROUP) sums[i] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = lane; i < SIDE * SIDE; i += ONE_GROUP) {
    const uint count = cells[i], of_cell = table[i];
    if (!count) continue;
    atomic_add(&sums[of_cell >> 16], count);
    if ((of_cell & NO_HUE) == NO_HUE) continue;
    atomic_add(&sums[SATURATIONS + (of_cell & NO_HUE)], count);
    own = max(own, of_cell);
  }
  atomic_max(&loudest, own);
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = lane; i < SATURATIONS + HUES; i += ONE_GROUP) out[first + i] = sums[i];
  if (!lane) out[first + SATURATIONS + HUES] = loudest & NO_HUE;
}
