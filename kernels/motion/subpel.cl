// SPDX-License-Identifier: LGPL-2.1-or-later
// Sub-pixel refinement of the keys of a full search. It tests the eight half-pixel neighbours of
// every best vector, then the eight quarter-pixel neighbours of the new best one. A work-group has
// a strip of blocks or, with -DPARTITIONED, of macroblocks with all their partitions.
//
// A work-item has a cell of 4 × 4 pixels. It computes the SADs of eight neighbours at once from
// shared words, for each shape of partitions with a new vector there. Local memory sums the cells
// of a block. Build with -DB=4, 8, 16 or 32 (block size).
#include "common/absdiff.clh"
#include "common/bands.clh"
#include "motion/cost.clh"
#include "motion/partitions.clh"
#include "motion/samples.clh"

#define ACROSS (STRIP / 4)  // cells of a work-group along x
#define CELLS (ACROSS * (B / 4))
#define GROUP CELLS
#ifdef PARTITIONED
#define SHAPES 7
#define EACH PARTITIONS  // keys per block
#define SHAPE_OF(number) shape_of((number) / (STRIP / B))
#define FIRST(shape) shape_firsts[shape]
#define WIDTH(shape) (shape_widths[shape] / 4)
#define HEIGHT(shape) (shape_heights[shape] / 4)
#else
#define SHAPES 1
#define EACH 1
#define SHAPE_OF(number) 0
#define FIRST(shape) 0
#define WIDTH(shape) (B / 4)
#define HEIGHT(shape) (B / 4)
#endif
#define KEYS (STRIP / B * EACH)

// The index of the key of the partition of a shape that contains cell (x, y) of the work-group.
inline int key_at(int shape, int x, int y) {
  const int across = B / 4 / WIDTH(shape);  // partitions across a block
  return x / (B / 4) * EACH + FIRST(shape) + y / HEIGHT(shape) * across +
         x % (B / 4) / WIDTH(shape);
}

// The words of a cell's rows and of those around it. `centre` is at the position itself. The others
// are half a pixel away: [0] to the left or above, [1] to the right or below.
typedef struct {
  uint centre[4], side[2][4], above[5], corner[2][5];
} Around;

// Rows of samples of one plane. `words` points to the word that contains the first byte.
typedef struct {
  __global const uint *words;
  int step, shift;  // words between rows; bit position of the first byte in its word
} Rows;

// The rows from the byte at `place` on, in half pixels.
inline Rows rows_at(const Samples *s, int2 place) {
  __global const uchar *at = sample_at(s, place);
  const int byte = (size_t)at & 3;
  const Rows rows = {(__global const uint *)(at - byte), s->pitch / 4, 8 * byte};
  return rows;
}
inline ulong row_of(const Rows *rows, int r) {
  __global const uint *at = rows->words + r * rows->step;
  return (ulong)at[1] << 32 | at[0];
}

// Loads the surroundings of a cell at `place`, in half pixels.
inline void load_around(const Samples *s, int2 place, Around *a) {
  const Rows centre = rows_at(s, place), side = rows_at(s, place - (int2)(1, 0)),
             above = rows_at(s, place - (int2)(0, 1)), corner = rows_at(s, place - 1);
#pragma unroll
  for (int r = 0; r < 5; r++) {
    if (r < 4) {
      a->centre[r] = (uint)(row_of(&centre, r) >> centre.shift);
#pragma unroll
      for (int i = 0; i < 2; i++) a->side[i][r] = (uint)(row_of(&side, r) >> side.shift + 8 * i);
    }
    a->above[r] = (uint)(row_of(&above, r) >> above.shift);
#pragma unroll
    for (int i = 0; i < 2; i++)
      a->corner[i][r] = (uint)(row_of(&corner, r) >> corner.shift + 8 * i);
  }
}

// The SADs of the eight neighbours half a pixel away.
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

// The SADs of the eight neighbours a quarter pixel away. `mixed`: the position itself is one of b
// and h, so the diagonal uses the other one at the corner.
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
        const uint diagonal =
            mixed ? mean4(centre, a->corner[i][r + j]) : mean4(a->side[i][r], a->above[r + j]);
        sads[5 * j + 2 * i] = sad4(own[r], diagonal, sads[5 * j + 2 * i]);
      }
      sads[3 + i] = sad4(own[r], mean4(centre, a->side[i][r]), sads[3 + i]);
      sads[1 + 5 * i] = sad4(own[r], mean4(centre, a->above[r + i]), sads[1 + 5 * i]);
    }
  }
}

// For each shape, four bits with the number of the first shape that has the same vector at cell (x,
// y).
inline uint first_equal_shapes(__local const ulong *best, int x, int y) {
  uint vectors[SHAPES], all = 0;
#pragma unroll
  for (int shape = 0; shape < SHAPES; shape++) {
    vectors[shape] = (uint)best[key_at(shape, x, y)];
    uint first = shape;
#pragma unroll
    for (int before = shape - 1; before >= 0; before--)
      first = vectors[before] == vectors[shape] ? before : first;
    all |= first << 4 * shape;
  }
  return all;
}

// The smallest key among a partition and its eight neighbours, `step` quarter pixels away. `sums`:
// of its first cell.
inline ulong least_around(ulong best, __local const uint4 *sums, int width, int height, int step,
                          int lambda) {
  uint8 sads = 0;
  for (int y = 0; y < height; y++) {
    uint4 row = 0;
    for (int x = 0; x < width; x++) row += sums[y * ACROSS + x];
    sads.even += row & 0xffff;
    sads.odd += row >> 16;
  }
  const int2 centre = vector_of((uint)best);
  uint sad[8], columns[3], rows[3];
  vstore8(sads, 0, sad);
#pragma unroll
  for (int i = 0; i < 3; i++) {
    columns[i] = lambda * component_bits(centre.x + step * (i - 1));
    rows[i] = lambda * component_bits(centre.y + step * (i - 1));
  }
  // Each value is 16 times the cost, plus the number of the candidate in raster order.
  uint least = min((uint)(best >> 32), 1u << 27) * 16 + 4;
#pragma unroll
  for (int i = 0; i < 8; i++) {
    const int n = i < 4 ? i : i + 1;
    least = min(least, (sad[i] + columns[n % 3] + rows[n / 3]) * 16 + n);
  }
  const int n = least & 15;
  const int2 v = centre + step * (int2)(n % 3 - 1, n / 3 - 1);
  return key_of(least >> 4, pack_vector(v.x, v.y));
}

// `keys`: of whole-pixel vectors, replaced by the refined ones. `quarter`: whether to refine to
// quarter pixels. Work-groups: strips along x, rows of blocks.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void motion_subpel(
    __global const uchar *current, __global const uchar *reference, __global const uchar *halves,
    int pitch, int bytes, int lambda, int quarter, __global ulong *keys, int columns) {
  __local ulong best[KEYS];
  __local uint4 sums[SHAPES * CELLS];  // SADs of eight neighbours, 16 bits each
  const int item = get_local_id(0), strip = get_group_id(0), row = GROUP_ROW;
  const int x = item % ACROSS, y = item / ACROSS;
  __global ulong *own_keys = keys + ((size_t)row * columns + strip * (STRIP / B)) * EACH;
  const int count = min(KEYS, (columns - strip * (STRIP / B)) * EACH);
  for (int i = item; i < KEYS; i += GROUP)
    best[i] = min(i < count ? own_keys[i] : ULONG_MAX, key_of(UINT_MAX, pack_vector(0, 0)));
  barrier(CLK_LOCAL_MEM_FENCE);

  const Samples samples = samples_of(reference, halves, pitch, bytes);
  const int2 at = (int2)(strip * STRIP + 4 * x, row * B + 4 * y);
  uint own[4];
  for (int r = 0; r < 4; r++)
    own[r] = *(__global const uint *)(current + AT(at.x, at.y + r, pitch));

  for (int step = 2; step > (quarter ? 0 : 1); step--) {
    const uint alike = first_equal_shapes(best, x, y);
    for (int shape = 0; shape < SHAPES; shape++) {
      __local uint4 *own_sums = sums + shape * CELLS + item;
      const int first = alike >> 4 * shape & 15;
      if (first < shape) {
        *own_sums = sums[first * CELLS + item];
      } else {
        const int2 from = 2 * at + (vector_of((uint)best[key_at(shape, x, y)]) >> 1);
        Around around;
        uint sads[8];
        load_around(&samples, from, &around);
        if (step == 2)
          half_sads(&around, own, sads);
        else
          quarter_sads(&around, (from.x ^ from.y) & 1, own, sads);
        *own_sums = (uint4)(sads[0], sads[2], sads[4], sads[6]) |
                    (uint4)(sads[1], sads[3], sads[5], sads[7]) << 16;
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = item; i < KEYS; i += GROUP) {  // keys of a shape are adjacent
      const int shape = SHAPE_OF(i), number = i - FIRST(shape) * (STRIP / B),
                across = ACROSS / WIDTH(shape);
      const int left = number % across * WIDTH(shape), top = number / across * HEIGHT(shape);
      __local ulong *key = best + key_at(shape, left, top);
      *key = least_around(*key, sums + shape * CELLS + top * ACROSS + left, WIDTH(shape),
                          HEIGHT(shape), step, lambda);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  for (int i = item; i < count; i += GROUP) own_keys[i] = best[i];
}
