// SPDX-License-Identifier: LGPL-2.1-or-later
// Sub-pixel refinement of the keys of a full search: the eight half-pixel neighbours of every winner, then
// the eight quarter-pixel neighbours of what won. A work-item has a cell, 4 × 4 pixels of a block, and
// finds the sums of eight neighbours at once from words that they share; cells of a block are added up in
// local memory. A work-group has the blocks of a strip or, with -DPARTITIONED, a macroblock with all its
// partitions, whose cells follow each other shape by shape. Build with -DB=4, 8, 16 or 32 (block size).
#include "common/absdiff.clh"
#include "motion/cost.clh"
#include "motion/partitions.clh"
#include "motion/samples.clh"

#ifdef PARTITIONED
#define ACROSS 16  // pixels of a work-group
#define CELLS 112  // 7 shapes
#define KEYS PARTITIONS
#define GROUP 128
#else
#define ACROSS STRIP
#define CELLS (STRIP / 4 * (B / 4))
#define KEYS (STRIP / B)
#define GROUP CELLS
#endif

// A cell's block, and its place in the work-group's pixels.
typedef struct {
  int key;
  int2 at;
} Cell;

// Cell `i`; the cells of a block follow each other, `cells` of them from `first` on.
inline Cell cell_of(int i) {
  Cell cell;
#ifdef PARTITIONED
  const int shape = i / 16, width = shape_widths[shape], height = shape_heights[shape];
#else
  const int shape = 0, width = B, height = B;
#endif
  const int cells = width * height / 16, block = (i - 16 * shape) / cells, inner = i % cells;
  const int2 grid = (int2)(ACROSS / width, width / 4);  // blocks and cells side by side
  cell.at = (int2)(block % grid.x * width + inner % grid.y * 4, block / grid.x * height + inner / grid.y * 4);
#ifdef PARTITIONED
  cell.key = shape_firsts[shape] + block;
#else
  cell.key = block;
#endif
  return cell;
}

// Where the cells of a block begin, and how many there are.
inline int2 cells_of(int key) {
#ifdef PARTITIONED
  const int shape = shape_of(key);
  const int cells = shape_widths[shape] * shape_heights[shape] / 16;
  return (int2)(16 * shape + (key - shape_firsts[shape]) * cells, cells);
#else
  return (int2)(key * B * B / 16, B * B / 16);
#endif
}

// Eight neighbours of a place in raster order: offset i.
inline int2 neighbour(int i) {
  const int n = i < 4 ? i : i + 1;
  return (int2)(n % 3 - 1, n / 3 - 1);
}

// The words of a cell's four rows, from one and a half pixels around: `centre` at the place itself, the
// others half a pixel away; [0] before it, [1] after it.
typedef struct {
  uint centre[4], side[2][4], above[5], corner[2][5];
} Around;

// `place`: of the cell, in half pixels.
inline void load_around(const Samples *s, int2 place, Around *a) {
  for (int r = 0; r < 5; r++) {
    const int2 row = place + (int2)(0, 2 * r);
    if (r < 4) {
      const ulong side = five_bytes(sample_at(s, row - (int2)(1, 0)));
      a->centre[r] = (uint)five_bytes(sample_at(s, row));
      a->side[0][r] = (uint)side, a->side[1][r] = (uint)(side >> 8);
    }
    const ulong corner = five_bytes(sample_at(s, row - (int2)(1, 1)));
    a->above[r] = (uint)five_bytes(sample_at(s, row - (int2)(0, 1)));
    a->corner[0][r] = (uint)corner, a->corner[1][r] = (uint)(corner >> 8);
  }
}

// SADs of the eight neighbours, half a pixel away.
inline void half_sads(const Around *a, const uint own[4], uint sads[8]) {
#pragma unroll
  for (int i = 0; i < 8; i++) sads[i] = 0;
#pragma unroll
  for (int r = 0; r < 4; r++) {
    sads[0] = sad4(own[r], a->corner[0][r], sads[0]);
    sads[1] = sad4(own[r], a->above[r], sads[1]);
    sads[2] = sad4(own[r], a->corner[1][r], sads[2]);
    sads[3] = sad4(own[r], a->side[0][r], sads[3]);
    sads[4] = sad4(own[r], a->side[1][r], sads[4]);
    sads[5] = sad4(own[r], a->corner[0][r + 1], sads[5]);
    sads[6] = sad4(own[r], a->above[r + 1], sads[6]);
    sads[7] = sad4(own[r], a->corner[1][r + 1], sads[7]);
  }
}

// SADs of the eight neighbours a quarter pixel away. On the diagonal: `mixed` where the place itself is one
// of b and h, so that the other one lies at the corner.
inline void quarter_sads(const Around *a, bool mixed, const uint own[4], uint sads[8]) {
#pragma unroll
  for (int i = 0; i < 8; i++) sads[i] = 0;
#pragma unroll
  for (int r = 0; r < 4; r++) {
    const uint centre = a->centre[r];
#pragma unroll
    for (int i = 0; i < 2; i++) {
#pragma unroll
      for (int j = 0; j < 2; j++) {
        const uint diagonal = mixed ? mean4(centre, a->corner[i][r + j])
                                    : mean4(a->side[i][r], a->above[r + j]);
        sads[5 * j + 2 * i] = sad4(own[r], diagonal, sads[5 * j + 2 * i]);
      }
      sads[3 + i] = sad4(own[r], mean4(centre, a->side[i][r]), sads[3 + i]);
      sads[1 + 5 * i] = sad4(own[r], mean4(centre, a->above[r + i]), sads[1 + 5 * i]);
    }
  }
}

// `keys`: of whole pixels, replaced by those found. `quarter`: whether to go beyond half pixels.
// Work-groups: strips (macroblocks) along x, rows of blocks.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void motion_subpel(__global const uchar *current, __global const uchar *reference,
                   __global const uchar *halves, int pitch, int bytes, int lambda, int quarter,
                   __global ulong *keys, int columns) {
  __local ulong best[KEYS];
  __local uint sums[CELLS][8];
  const int item = get_local_id(0), row = get_group_id(1);
#ifdef PARTITIONED
  __global ulong *own_keys = keys + ((size_t)row * columns + get_group_id(0)) * KEYS;
  const int count = KEYS;
#else
  __global ulong *own_keys = keys + (size_t)row * columns + get_group_id(0) * KEYS;
  const int count = min(KEYS, columns - (int)get_group_id(0) * KEYS);
#endif
  for (int i = item; i < KEYS; i += GROUP) 
    best[i] = min(i < count ? own_keys[i] : ULONG_MAX, key_of(UINT_MAX, place(0, 0)));
  barrier(CLK_LOCAL_MEM_FENCE);

  const Samples samples = samples_of(reference, halves, pitch, bytes);
  const Cell cell = cell_of(min(item, CELLS - 1));
  const int2 at = cell.at + (int2)((int)get_group_id(0) * ACROSS, row * B);
  uint own[4];
  for (int r = 0; r < 4; r++)
    own[r] = *(__global const uint *)(current + AT(at.x, at.y + r, pitch));

  for (int step = 2; step > (quarter ? 0 : 1); step--) {
    if (item < CELLS) {
      const int2 from = 2 * at + (vector_of((uint)best[cell.key]) >> 1);
      Around around;
      uint sads[8];
      load_around(&samples, from, &around);
      if (step == 2)
        half_sads(&around, own, sads);
      else
        quarter_sads(&around, (from.x ^ from.y) & 1, own, sads);
      for (int i = 0; i < 8; i++) sums[item][i] = sads[i];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = item; i < KEYS; i += GROUP) {
      const int2 cells = cells_of(i), centre = vector_of((uint)best[i]);
      ulong least = best[i];
      for (int n = 0; n < 8; n++) {
        uint sad = 0;
        for (int c = 0; c < cells.y; c++) sad += sums[cells.x + c][n];
        const int2 v = centre + step * neighbour(n);
        least = min(least, key_of(sad + lambda * vector_bits(v.x, v.y), place(v.x, v.y)));
      }
      best[i] = least;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  for (int i = item; i < count; i += GROUP) own_keys[i] = best[i];
}
