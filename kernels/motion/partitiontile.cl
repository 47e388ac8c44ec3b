// SPDX-License-Identifier: LGPL-2.1-or-later
// Full search of all partitions on GPUs (window.clh). 32 work-items share a macroblock. Each
// computes the 4×4 SADs of D candidates below each other and adds them to those of all partitions.
//
// Within a piece a candidate's key is cost * 4096 + y * 64 + x, so the smallest 32-bit key
// describes a partition. A cost above 65535 is ignored. It can't be the smallest if the vector 0 is
// searched, which costs at most 16² · 255 + 2 · 127.
//
// Build with -DD=2 or 3.
#include "common/absdiff.clh"
#include "common/least.clh"
#include "motion/limit.clh"
#include "motion/cost.clh"
#include "motion/partitions.clh"

#define B 16
#define LANES 32
#define GROUP (STRIP / B * LANES)
#include "motion/window.clh"
#define ROWS ((SIDE + D - 1) / D * D + B - 1)  // rows of the window

// The state of a candidate while its rows are processed from top to bottom.
typedef struct {
  uint rest;                              // the key without the SAD
  uint cell[4];                           // SADs of the current four rows
  uint p4x4[4], p8x4[2], p8x8[2], p16x8;  // keys of the partitions that were completed last
} Candidate;

// The keys of the partitions that a row of cells completes.
typedef struct {
  uint p4x4[4], p8x4[2], p4x8[4], p8x8[2], p16x8, p8x16[2], p16x16;
} Ended;

#define WITH(key, sad) ((sad)*4096 + (key))
#define SUM(key, other) ((key) + (other)-candidate->rest)

// Completes the partitions that end with row j of a candidate's cells. j is a compile-time
// constant.
inline Ended end_cells(Candidate *candidate, const int j) {
  Ended end;
  uint *cell = candidate->cell;
#pragma unroll
  for (int i = 0; i < 4; i++) end.p4x4[i] = WITH(candidate->rest, cell[i]);
#pragma unroll
  for (int i = 0; i < 2; i++) end.p8x4[i] = WITH(end.p4x4[2 * i], cell[2 * i + 1]);
  if (j % 2) {
#pragma unroll
    for (int i = 0; i < 4; i++) end.p4x8[i] = WITH(candidate->p4x4[i], cell[i]);
#pragma unroll
    for (int i = 0; i < 2; i++)
      end.p8x8[i] = WITH(WITH(candidate->p8x4[i], cell[2 * i]), cell[2 * i + 1]);
    end.p16x8 = SUM(end.p8x8[0], end.p8x8[1]);
    if (j == 3) {
#pragma unroll
      for (int i = 0; i < 2; i++) end.p8x16[i] = SUM(candidate->p8x8[i], end.p8x8[i]);
      end.p16x16 = SUM(candidate->p16x8, end.p16x8);
    }
    candidate->p16x8 = end.p16x8;
#pragma unroll
    for (int i = 0; i < 2; i++) candidate->p8x8[i] = end.p8x8[i];
  }
#pragma unroll
  for (int i = 0; i < 4; i++) candidate->p4x4[i] = end.p4x4[i], cell[i] = 0;
#pragma unroll
  for (int i = 0; i < 2; i++) candidate->p8x4[i] = end.p8x4[i];
  return end;
}

// Updates the smallest keys of partitions with those of two candidates, completed by row j of their
// cells. j is a compile-time constant. Some devices have an instruction for the minimum of three
// values.
inline void update_least(uint least[PARTITIONS], const Ended *a, const Ended *b, const int j) {
#define LEAST(partition, member) least[partition] = min(least[partition], min(a->member, b->member))
#pragma unroll
  for (int i = 0; i < 4; i++) LEAST(P4X4 + 4 * j + i, p4x4[i]);
#pragma unroll
  for (int i = 0; i < 2; i++) LEAST(P8X4 + 2 * j + i, p8x4[i]);
  if (j % 2) {
#pragma unroll
    for (int i = 0; i < 4; i++) LEAST(P4X8 + j / 2 * 4 + i, p4x8[i]);
#pragma unroll
    for (int i = 0; i < 2; i++) LEAST(P8X8 + j / 2 * 2 + i, p8x8[i]);
    LEAST(P16X8 + j / 2, p16x8);
  }
  if (j == 3) {
#pragma unroll
    for (int i = 0; i < 2; i++) LEAST(P8X16 + i, p8x16[i]);
    LEAST(P16X16, p16x16);
  }
}

// As motion_search_tile. `keys` has PARTITIONS elements per macroblock.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void motion_partitions_tile(
    __global const uchar *current, __global const uchar *reference, int pitch, int2 first,
    int2 count, int lambda, __global ulong *keys, int columns, int rows LIMIT_ARGUMENT) {
  __local uint window[ROWS * ROW];
  __local uint blocks[B * STRIP / 4] __attribute__((aligned(16)));
  __local uint rests[ROWS], found[BLOCKS][2 * LANES];
  const int item = get_local_id(0), strip = get_group_id(0), row = get_global_id(1);
  const int block = item / LANES, lane = item % LANES;

  KEEP_WITHIN_LIMIT(first, count, strip, row);
  load_blocks(current, pitch, strip * STRIP, row * B, blocks);

  ulong best[2] = {ULONG_MAX, ULONG_MAX};  // keys of partitions `lane` and LANES + `lane`
  const int2 side = piece_size(count);
  for (int down = 0; down < count.y; down += side.y)
    for (int right = 0; right < count.x; right += side.x) {
      const int2 begin = (int2)(right, down), size = min(side, count - begin), at = first + begin;
      const int left = at.x & ~3, runs = (size.y + D - 1) / D;
      barrier(CLK_LOCAL_MEM_FENCE);
      load_window(reference, pitch, strip * STRIP + left, row * B + at.y, size.y + B - 1, window);
      for (int i = item; i < ROWS; i += GROUP)
        rests[i] = i < size.y ? lambda * component_bits(4 * (at.y + i)) * 4096 + i * 64 : 1 << 30;
      barrier(CLK_LOCAL_MEM_FENCE);

      uint least[PARTITIONS];
#pragma unroll
      for (int p = 0; p < PARTITIONS; p++) least[p] = UINT_MAX;
      for (int round = 0; round * LANES + lane < size.x * runs; round++) {
        const int2 column = column_of(round * LANES + lane, size, runs);
        const int x = column.x, y = column.y * D;
        __local const uint *from = window + y * ROW + block * B + at.x - left + x;
        // The addend is 0, which compilers can't know. Otherwise they would keep all pixels in
        // registers.
        __local const uint4 *own_rows = (__local const uint4 *)blocks + block + (round >> 16);
        const uint rest = lambda * component_bits(4 * (at.x + x)) * 4096 + x;
        Candidate candidates[D];
#pragma unroll
        for (int d = 0; d < D; d++) {
          candidates[d].rest = rest + rests[y + d];
#pragma unroll
          for (int i = 0; i < 4; i++) candidates[d].cell[i] = 0;
        }
        Ended before;  // the candidate above
        uint own[B][WORDS];
#pragma unroll
        for (int r = 0; r < B + D - 1; r++) {
          uint line[WORDS];
#pragma unroll
          for (int w = 0; w < WORDS; w++) line[w] = from[r * ROW + 4 * w];
          if (r < B) vstore4(own_rows[r * BLOCKS], 0, own[r]);
#pragma unroll
          for (int d = 0; d < D; d++)
            if (r >= d && r < d + B) {
              Candidate *candidate = &candidates[d];
#pragma unroll
              for (int w = 0; w < WORDS; w++)
                candidate->cell[w] = sad4(own[r - d][w], line[w], candidate->cell[w]);
              if ((r - d) % 4 == 3) {
                const int j = (r - d) / 4;
                const Ended ended = end_cells(candidate, j);
                if (d % 2 == 0 && d + 1 < D)
                  before = ended;
                else
                  update_least(least, d % 2 ? &before : &ended, &ended, j);
              }
            }
        }
      }

#ifdef WARP_LEAST
#pragma unroll
      for (int p = 0; p < PARTITIONS; p++) {
        const uint of_all = warp_least(least[p]);
        if (lane == 0) found[block][p] = of_all;
      }
#else
      for (int i = 0; i < 2; i++) found[block][lane + i * LANES] = UINT_MAX;
      barrier(CLK_LOCAL_MEM_FENCE);
      for (int p = 0; p < PARTITIONS; p++) atomic_min(&found[block][p], least[p]);
#endif
      barrier(CLK_LOCAL_MEM_FENCE);
      for (int i = 0; i < 2; i++) {
        const uint value = found[block][lane + i * LANES];
        const int2 v = at + (int2)(value & 63, value >> 6 & 63);
        if (!(value >> 28))
          best[i] = min(best[i], key_of(value >> 12, pack_vector(4 * v.x, 4 * v.y)));
      }
    }

  const int column = strip * BLOCKS + block;
  for (int i = 0; i < 2; i++)
    if (column < columns && lane + i * LANES < PARTITIONS)
      keys[(row * columns + column) * PARTITIONS + lane + i * LANES] = best[i];
}
