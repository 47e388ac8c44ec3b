// SPDX-License-Identifier: LGPL-2.1-or-later
// Lucas and Kanade's method in one kernel, for GPUs. A group of LANES items processes a strip of
// columns from top to bottom, in BLOCKS blocks of 2 RADIUS + 1 rows. It loads the greys of a block
// to local memory. Every item sums the products of its column's derivatives along y. It keeps the
// rows that will leave the window in registers. Then every item sums RUN pixels at a time along x.
//   -DRADIUS  1..10: more would overflow 32 bits
//   -DLANES   32 or more
//   -DBLOCKS  1 or more
#include "opticalflow/lucaskanade.clh"

#define SIDE (2 * RADIUS + 1)
#define RUN TILE_RUN                        // pixels of an item along x
#define RUNS ((LANES - 2 * RADIUS) / RUN)   // per row
#define QUADS ((RUN + 2 * RADIUS + 3) / 4)  // words of four sums that a run reads
// words of four sums per row, without bank conflicts
#define PITCH ((LANES / 4 - RUNS % 8 + 7) / 8 * 8 + RUNS % 8)

__kernel __attribute__((reqd_work_group_size(LANES, 1, 1))) void lk_tile(
    IN_LUMA(in), __global const ushort *restrict before, __global ushort *restrict after, int2 size,
    SOLUTION) {
  __local uint
      greys[SIDE][LANES + 1];  // the older frame in the lower half, the newer one in the upper half
  __local int4 columns[5][SIDE][PITCH];
  const int lane = get_local_id(0);
  const int2 first = (int2)(get_group_id(0) * RUNS * RUN, get_group_id(1) * BLOCKS * SIDE);
  const int end = min(first.y + BLOCKS * SIDE, size.y);
  const int column = first.x - RADIUS + lane, inside = clamp(column, 0, size.x - 1);
  const bool keeps = column >= first.x && column < min(first.x + RUNS * RUN, size.x);

  const bool rim =
      any(first < RADIUS) || any(first + (int2)(RUNS * RUN, BLOCKS * SIDE) > size - RADIUS);

  uint slopes[SIDE];  // Ix in the lower half, Iy in the upper half
  int changes[SIDE];
#pragma unroll
  for (int i = 0; i < SIDE; i++) slopes[i] = changes[i] = 0;
  int sums[5] = {0, 0, 0, 0, 0};
  uint last_across = 0, last_sum = 0;

  // The first block only starts the sums of the first window.
  for (int block = 0; block <= BLOCKS; block++) {
    const int top = first.y - RADIUS + block * SIDE;
#pragma unroll
    for (int i = 0; i < SIDE; i++) {
      const int y = clamp(top + i, 0, size.y - 1);
      const uint older = before[y * size.x + inside], newer = GREY_AT(in, column, y, size.x);
      greys[i][lane] = low_halves(older, newer);
      if (keeps && top + i >= first.y && top + i < end) after[y * size.x + column] = newer;
    }
    if (lane < SIDE) {
      const int x = min(first.x - RADIUS + LANES, size.x - 1), y = clamp(top + lane, 0, size.y - 1);
      greys[lane][LANES] = low_halves(before[y * size.x + x], GREY_AT(in, x, y, size.x));
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    // Row i of the greys completes the derivatives of the row above it.
#pragma unroll
    for (int i = 0; i < SIDE; i++) {
      const uint left = greys[i][lane], right = greys[i][lane + 1];
      const uint across = right - left, sum = left + right;
      if (block > 0 || i > 0) {
        const int out = (i + SIDE - 1) % SIDE;
        const int old_dx = (short)slopes[out], old_dy = (int)slopes[out] >> 16;
        SUBTRACT_PRODUCTS(sums, old_dx, old_dy, changes[out])
        slopes[out] = low_halves(across + last_across, sum - last_sum);
        changes[out] = newer_minus_older(sum + last_sum);
        const int dx = (short)(across + last_across), dy = (short)(sum - last_sum);
        ADD_PRODUCTS(sums, dx, dy, changes[out])
      }
      last_across = across;
      last_sum = sum;
      if (block > 0) {
#pragma unroll
        for (int k = 0; k < 5; k++) ((__local int *)columns[k][i])[lane] = sums[k];
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    for (int i = lane; block > 0 && i < RUNS * SIDE; i += LANES) {
      const int run = i % RUNS, row = i / RUNS;
      int window[5][RUN];
#pragma unroll
      for (int k = 0; k < 5; k++) {
        int sum[4 * QUADS];
#pragma unroll
        for (int j = 0; j < QUADS; j++) vstore4(columns[k][row][run + j], j, sum);
        int middle = 0;
#pragma unroll
        for (int j = RUN - 1; j < SIDE; j++) middle += sum[j];
        int before_it = 0, behind_it = 0;
#pragma unroll
        for (int j = 0; j < RUN; j++) window[k][j] = middle;
#pragma unroll
        for (int j = 1; j < RUN; j++) {
          window[k][RUN - 1 - j] += before_it += sum[RUN - 1 - j];
          window[k][j] += behind_it += sum[SIDE - 1 + j];
        }
      }
      const int2 at = first + (int2)(run * RUN, row + (block - 1) * SIDE);
      if (any(at >= size)) continue;
      float3 v[RUN];
#pragma unroll
      for (int j = 0; j < RUN; j++) {
        v[j] = solution(window[0][j], window[1][j], window[2][j], window[3][j], window[4][j], alpha,
                        half_confidence);
        v[j].xy *= scale;
      }
      if (rim) {
#pragma unroll
        for (int j = 0; j < RUN; j++)
          if (on_rim(at + (int2)(j, 0), size, RADIUS)) v[j] = 0.0f;
      }
      store_four(v, at, size, vectors, confidence);
    }
  }
}
