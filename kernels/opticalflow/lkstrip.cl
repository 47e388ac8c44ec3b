// SPDX-License-Identifier: LGPL-2.1-or-later
// Lucas and Kanade's method for GPUs, for windows too large for lktile.cl. A group of STRIP_LANES
// items processes a strip of columns from top to bottom, ROWS rows per step. Every item sums the
// products of its column's derivatives along y. It adds the rows that enter the window and
// subtracts those that leave it, both from global memory. The sums go to local memory. Then every
// item sums RUN pixels of a row along x.
//   -DRADIUS  (STRIP_LANES - RUN) / 2 at most
//   -DROWS    STRIP_LANES / RUNS at most
#include "opticalflow/lucaskanade.clh"

#define RUN STRIP_RUN                            // pixels of an item along x
#define RUNS ((STRIP_LANES - 2 * RADIUS) / RUN)  // per row

// The index of word `w` of a row; a word has four sums. The even words of a row come first, then
// the odd ones, so neighbouring items read neighbouring words.
#define AT_WORD(w) ((w) % 2 * STRIP_WORDS + (w) / 2)

// The type of a window's sums. 32 bits modulo 2^32 suffice up to a radius of 19. A derivative along
// x or y is at most D = 1530, so squares stay below 2^32 up to a window of 42. The sum of products
// with the change over n pixels of a row is Σ (g[x+1] - g[x]) (t[x] + t[x+1]). Here g is 0 to D and
// t is -g to D - g. Apart from the ends that is Σ t[x] (g[x+1] - g[x-1]). It is largest if each g
// is 0 or D. Then every second x adds at most D², which is below 2^31 up to a window of 39.
#if RADIUS <= 19
#define TOTAL uint
#define TOTAL_OF_SQUARES(total) ((float)(total))
#define TOTAL_OF_PRODUCTS(total) ((float)(int)(total))
#else
#define TOTAL long
#define TOTAL_OF_SQUARES(total) ((float)(total))
#define TOTAL_OF_PRODUCTS(total) ((float)(total))
#endif

// The difference of the greys of two adjacent pixels, and their sum. The lower half belongs to the
// older frame, the upper half to the newer one.
struct pair {
  uint across, sum;
};

inline struct pair pair_at(__global const uint *greys, int2 size, int left, int right, int y) {
  __global const uint *row = greys + clamp(y, 0, size.y - 1) * size.x;
  struct pair pair;
  pair.across = row[right] - row[left];
  pair.sum = row[left] + row[right];
  return pair;
}

// Adds the products of the derivatives between two adjacent rows to the sums of a column, or
// subtracts them.
inline void add_products(int *sums, struct pair row, struct pair below) {
  const int dx = (short)(row.across + below.across), dy = (short)(below.sum - row.sum);
  const int dt = newer_minus_older(row.sum + below.sum);
  ADD_PRODUCTS(sums, dx, dy, dt)
}
inline void subtract_products(int *sums, struct pair row, struct pair below) {
  const int dx = (short)(row.across + below.across), dy = (short)(below.sum - row.sum);
  const int dt = newer_minus_older(row.sum + below.sum);
  SUBTRACT_PRODUCTS(sums, dx, dy, dt)
}

// The sums of RUN adjacent windows from the column sums of a row. `words` starts with those of the
// first window.
inline void sum_along_row(__local const int4 *words, const bool squares, float *windows) {
  int come[RUN + 4], go[RUN];
#pragma unroll
  for (int w = 0; w <= RUN / 4; w++) vstore4(words[AT_WORD(RADIUS / 2 + w)], w, come);
#pragma unroll
  for (int w = 0; w < RUN / 4; w++) vstore4(words[AT_WORD(w)], w, go);
  TOTAL total = 0;
#pragma unroll
  for (int w = 0; w < RADIUS / 2; w++) {
    const int4 four = words[AT_WORD(w)];
    total += four.x + four.y + four.z + four.w;  // below 2^31
  }
#pragma unroll
  for (int i = 0; i <= 2 * RADIUS % 4; i++) total += come[i];
#pragma unroll
  for (int j = 0; j < RUN; j++) {
    if (j > 0) total += come[2 * RADIUS % 4 + j] - go[j - 1];
    windows[j] = squares ? TOTAL_OF_SQUARES(total) : TOTAL_OF_PRODUCTS(total);
  }
}

// `greys`: words with the older frame in the lower half, the newer one in the upper half.
// `stretch`: rows per group.
__kernel __attribute__((reqd_work_group_size(STRIP_LANES, 1, 1))) void lk_strip(
    __global const uint *restrict greys, int2 size, int stretch, SOLUTION) {
  __local int4 columns[5][ROWS][2 * STRIP_WORDS];
  const int lane = get_local_id(0);
  const int2 first = (int2)(get_group_id(0) * RUNS * RUN, get_group_id(1) * stretch);
  const int end = min(first.y + stretch, size.y), column = first.x - RADIUS + lane;
  const int left = clamp(column, 0, size.x - 1), right = clamp(column + 1, 0, size.x - 1);
  const int slot = 4 * AT_WORD(lane / 4) + lane % 4;
  const int row = lane / RUNS, run = lane % RUNS;

  int sums[5] = {0, 0, 0, 0, 0};
  struct pair out = pair_at(greys, size, left, right, first.y - RADIUS), in = out;
#pragma unroll 6
  for (int i = 1; i <= 2 * RADIUS; i++) {
    const struct pair below = pair_at(greys, size, left, right, first.y - RADIUS + i);
    add_products(sums, in, below);
    in = below;
  }

  for (int top = first.y; top < end; top += ROWS) {
    struct pair ins[ROWS], outs[ROWS];
#pragma unroll
    for (int i = 0; i < ROWS; i++) {
      ins[i] = pair_at(greys, size, left, right, top + i + RADIUS + 1);
      outs[i] = pair_at(greys, size, left, right, top + i - RADIUS + 1);
    }
#pragma unroll
    for (int i = 0; i < ROWS; i++) {
      add_products(sums, in, ins[i]);
      in = ins[i];
#pragma unroll
      for (int k = 0; k < 5; k++) ((__local int *)columns[k][i])[slot] = sums[k];
      subtract_products(sums, out, outs[i]);
      out = outs[i];
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    const int2 at = (int2)(first.x + run * RUN, top + row);
    if (row < ROWS && at.x < size.x && at.y < end) {
      float windows[5][RUN];
#pragma unroll
      for (int k = 0; k < 5; k++)
        sum_along_row(columns[k][row] + run, k == 0 || k == 2, windows[k]);
#pragma unroll
      for (int i = 0; i < RUN; i += 4) {
        float3 v[4];
#pragma unroll
        for (int j = 0; j < 4; j++) {
          v[j] = solution(windows[0][i + j], windows[1][i + j], windows[2][i + j],
                          windows[3][i + j], windows[4][i + j], alpha, half_confidence);
          v[j].xy *= scale;
          if (on_rim(at + (int2)(i + j, 0), size, RADIUS)) v[j] = 0.0f;
        }
        if (at.x + i < size.x) store_four(v, at + (int2)(i, 0), size, vectors, confidence);
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}
