// SPDX-License-Identifier: LGPL-2.1-or-later
// Converts keys to a field of vectors, and predicts a frame from the field.
//
// A field has a vector per cell, from the reference frame to the current one. It has a cost and a
// word of shapes per block; the shapes are 0 for an undivided block. Otherwise
// (motion/partitions.clh) bits 0-1 are the macroblock's division, bits 2 + 2q and 3 + 2q that of
// quarter q.
#include "motion/cost.clh"
#include "motion/interface.h"
#include "motion/partitions.clh"
#include "motion/samples.clh"

// Converts one key per block. A work-item per block.
__kernel void motion_field(__global const ulong *keys, __global short2 *vectors,
                           __global uint *costs, __global ushort *shapes, int blocks) {
  const int i = get_global_id(0);
  if (i >= blocks) return;
  vectors[i] = -convert_short2(vector_of((uint)keys[i]));
  costs[i] = keys[i] >> 32;
  shapes[i] = 0;
}

// The sum of the costs of a division's parts: `count` keys, `step` elements apart.
inline uint cost_of_parts(__global const ulong *keys, int count, int step) {
  uint sum = 0;
  for (int i = 0; i < count; i++) sum += (uint)(keys[i * step] >> 32);
  return sum;
}

// Selects the cheapest division of each macroblock. The cost is that of the parts plus λ times the
// bits that H.264 needs for the type. These are 1 for 16×16, 3 for 16×8 and 8×16, 5 for quarters.
// Each quarter adds 1 for 8×8, 3 for 8×4 and 4×8, 5 for 4×4. If costs are equal, the first wins.
// Cells have 4 × 4 pixels. A work-item per macroblock.
__kernel void motion_choose(__global const ulong *keys, __global short2 *vectors,
                            __global uint *costs, __global ushort *shapes, int lambda, int columns,
                            int rows) {
  const int mx = get_global_id(0), my = get_global_id(1), at = my * columns + mx;
  if (mx >= columns || my >= rows) return;
  keys += (size_t)at * PARTITIONS;
  uint quarters = 5 * lambda, shape = DIVIDED_8X8;
  for (int q = 0; q < 4; q++) {
    const int x = q % 2, y = q / 2;
    const uint parts[] = {
        (uint)(keys[P8X8 + q] >> 32) + lambda,
        cost_of_parts(keys + P8X4 + 4 * y + x, 2, 2) + 3 * lambda,
        cost_of_parts(keys + P4X8 + 4 * y + 2 * x, 2, 1) + 3 * lambda,
        cost_of_parts(keys + P4X4 + 8 * y + 2 * x, 2, 1) +
            cost_of_parts(keys + P4X4 + 8 * y + 4 + 2 * x, 2, 1) + 5 * lambda,
    };
    int best = 0;
    for (int i = 1; i < 4; i++)
      if (parts[i] < parts[best]) best = i;
    quarters += parts[best];
    shape |= best << (2 + 2 * q);
  }
  const uint whole[] = {(uint)(keys[P16X16] >> 32) + lambda,
                        cost_of_parts(keys + P16X8, 2, 1) + 3 * lambda,
                        cost_of_parts(keys + P8X16, 2, 1) + 3 * lambda, quarters};
  int best = 0;
  for (int i = 1; i < 4; i++)
    if (whole[i] < whole[best]) best = i;
  if (best != DIVIDED_8X8) shape = best;
  costs[at] = whole[best];
  shapes[at] = shape;
  for (int y = 0; y < 4; y++)
    for (int x = 0; x < 4; x++)
      vectors[(4 * my + y) * 4 * columns + 4 * mx + x] =
          -convert_short2(vector_of((uint)keys[partition_of(shape, x, y)]));
}

// Predicts a plane: each cell copies the pixels to which its vector points. `cell`: px.
// `cell_columns`: cells per row. `bytes`: size of a half-pixel plane. A work-item has four pixels
// of a row.
__kernel void motion_predict(__global const uchar *reference, __global const uchar *halves,
                             int pitch, int bytes, __global const short2 *vectors, int cell,
                             int cell_columns, __global uchar *predicted, int width, int height) {
  const int x = (int)get_global_id(0) * 4, y = get_global_id(1);
  if (x >= width || y >= height) return;
  const Samples samples = samples_of(reference, halves, pitch, bytes);
  const int2 v = convert_int2(vectors[y / cell * cell_columns + x / cell]);
  *(__global uint *)(predicted + AT(x, y, pitch)) = quarter_sample(&samples, 4 * (int2)(x, y) - v);
}

// The sum of the values of the pixels from `x` to `x` + 3 that lie in the frame.
inline long sum_of(int4 values, int x, int width) {
  const int4 inside = x + (int4)(0, 1, 2, 3) < width ? values : 0;
  return inside.x + inside.y + inside.z + inside.w;
}

// Sums over a frame: squared errors of the prediction, number of zero vectors, Σ x and Σ y of the
// vectors, changed pixels, explained pixels. Each cell counts its vector once. A changed pixel
// differs from the previous frame by more than noise. It is explained if it is close to the
// prediction. Each work-group writes one partial sum. `cells`: columns and rows of cells inside the
// frame. `cell_columns`: cells per row in memory. `noise`: the first value is the variance.
__kernel __attribute__((reqd_work_group_size(SUMMERS, 1, 1))) void motion_sums(
    __global const uchar *current, __global const uchar *before, __global const uchar *predicted,
    int pitch, int width, int height, __global const short2 *vectors, int2 cells, int cell_columns,
    __global const float *noise, __global long8 *sums) {
  __local long8 all[SUMMERS];
  const int item = get_local_id(0), group = get_group_id(0), groups = get_num_groups(0);
  const int change = max(LEAST_CHANGE, convert_int_rte(CHANGE_DEVIATIONS * sqrt(noise[0])));
  long8 sum = 0;
  for (int y = group; y < height; y += groups)
    for (int x = 4 * item; x < width; x += 4 * SUMMERS) {
      const int at = AT(x, y, pitch);
      const int4 now = convert_int4(*(__global const uchar4 *)(current + at)),
                 error = now - convert_int4(*(__global const uchar4 *)(predicted + at)),
                 step = now - convert_int4(*(__global const uchar4 *)(before + at));
      const int4 changed = abs(step) > (uint4)(change) ? 1 : 0,
                 explained = abs(error) > (uint4)(change) ? 0 : changed;
      sum.s0 += sum_of(error * error, x, width);
      sum.s4 += sum_of(changed, x, width);
      sum.s5 += sum_of(explained, x, width);
    }
  for (int y = group; y < cells.y; y += groups)
    for (int x = item; x < cells.x; x += SUMMERS) {
      const int2 v = convert_int2(vectors[y * cell_columns + x]);
      sum.s1 += v.x == 0 && v.y == 0;
      sum.s2 += v.x, sum.s3 += v.y;
    }
  all[item] = sum;
  for (int step = SUMMERS / 2; step; step /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item < step) all[item] += all[item + step];
  }
  if (item == 0) sums[group] = all[0];
}
