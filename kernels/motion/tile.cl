// SPDX-License-Identifier: LGPL-2.1-or-later
// Full search on GPUs. A work-group searches the blocks of a strip in pieces (window.clh). LANES
// work-items share a block; each takes a column of D candidates at once, so that every row of the window is
// read once for all of them. Columns that are left over when all lanes have had as many go to the lanes in
// pairs of candidates.
//
// Build with -DB=4, 8, 16 or 32 (block size), -DD=… (3, 11 or 33).
#include "common/absdiff.clh"
#include "common/least.clh"
#include "motion/cost.clh"
#include "motion/limit.clh"

#define LANES 32
#define GROUP (STRIP / B * LANES)
#include "motion/window.clh"
#define ROWS ((SIDE + D - 1) / D * D + B)  // of the window

// Within a piece a candidate's key is cost * 4096 + y * 64 + x. `rest` is the part of it that y brings, of
// the N candidates below each other: λ times its bits, and y itself; more than any key beyond the piece.
// (A macro, since compilers unroll before they inline.)
#define SEARCH_COLUMN(name, N)                                                                              \
  inline uint name(__local const uint *block, __local const uint *window, __local const uint *rest) {       \
    uint sad[N], pixels[B][WORDS];                                                                          \
    UNROLL for (int d = 0; d < N; d++) sad[d] = 0;                                                          \
    UNROLL for (int r = 0; r < B + N - 1; r++) {                                                            \
      uint line[WORDS];                                                                                     \
      UNROLL for (int w = 0; w < WORDS; w++) line[w] = window[r * ROW + 4 * w];                             \
      if (r < B) {                                                                                          \
        UNROLL for (int w = 0; w < WORDS; w++) pixels[r][w] = block[r * (STRIP / 4) + w];                   \
      }                                                                                                     \
      UNROLL for (int d = 0; d < N; d++) if (r >= d && r < d + B) {                                         \
        UNROLL for (int w = 0; w < WORDS; w++) sad[d] = sad4(pixels[r - d][w], line[w], sad[d]);            \
      }                                                                                                     \
    }                                                                                                       \
    uint least = UINT_MAX;                                                                                  \
    UNROLL for (int d = 0; d < N; d++) least = min(least, sad[d] * 4096 + rest[d]);                         \
    return least;                                                                                           \
  }
#define UNROLL _Pragma("unroll")
SEARCH_COLUMN(search_column_D, D)
SEARCH_COLUMN(search_column_2, 2)

// Nothing, which compilers can't know: from large blocks they would keep all pixels in registers from task
// to task, and have none left for other groups.
#if B > 8
#define NOTHING(task) ((task) >> 16)
#else
#define NOTHING(task) 0
#endif

// `first`, `count`: the candidates along x and y, the first one's offset in px. `columns`: blocks in a row
// of the frame. Work-groups: strips along x, rows of blocks.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void motion_search_tile(__global const uchar *current, __global const uchar *reference, int pitch,
                        int2 first, int2 count, int lambda, __global ulong *keys, int columns LIMIT_ARGUMENT) {
  __local uint window[ROWS * ROW];
  __local uint blocks[B * STRIP / 4] __attribute__((aligned(16)));
  __local uint rests[SIDE + D + 2];
  __local uint least_cost[BLOCKS], least_place[BLOCKS];
  const int item = get_local_id(0), strip = get_group_id(0), row = get_group_id(1);
  const int block = item / LANES, lane = item % LANES;

  KEEP_WITHIN_LIMIT(first, count, strip, row);
  load_blocks(current, pitch, strip * STRIP, row * B, blocks);
  if (item < BLOCKS) least_cost[item] = least_place[item] = UINT_MAX;

  uint best_cost = UINT_MAX, best_place = UINT_MAX;
  const int2 pieces = pieces_of(count), side = piece_size(count, pieces);
  for (int piece = 0; piece < pieces.x * pieces.y; piece++) {
    const int2 begin = (int2)(piece % pieces.x, piece / pieces.x) * side;
    const int2 size = min(side, count - begin), at = first + begin;
    const int runs = (size.y + D - 1) / D, height = (size.y + runs - 1) / runs, left = at.x & ~3;
    barrier(CLK_LOCAL_MEM_FENCE);
    load_window(reference, pitch, strip * STRIP + left, row * B + at.y, (runs - 1) * height + D + B - 1,
                window);
    for (int i = item; i < SIDE + D + 2; i += GROUP)
      rests[i] = i < size.y ? lambda * component_bits(4 * (at.y + i)) * 4096 + i * 64 : INT_MAX;
    barrier(CLK_LOCAL_MEM_FENCE);

    __local const uint *own = blocks + block * WORDS, *from = window + at.x - left + block * B;
    const int tasks = size.x * runs, even = tasks / LANES * LANES, pairs = (height + 1) / 2;
    // A pair takes about as long as three in a column.
    const int whole = 3 * (((tasks - even) * pairs + LANES - 1) / LANES) < D + 3 ? even : tasks;
    uint best = UINT_MAX;
    for (int task = lane; task < whole; task += LANES) {
      const int2 c = column_of(task / LANES, lane, size, runs);
      const int y = c.y * height;
      best = min(best, search_column_D(own + NOTHING(task), from + y * ROW + c.x, rests + y) +
                           lambda * component_bits(4 * (at.x + c.x)) * 4096 + c.x);
    }
    for (int task = lane; task < (tasks - whole) * pairs; task += LANES) {
      const int number = whole + task / pairs;
      const int2 c = column_of(number / LANES, number % LANES, size, runs);
      const int y = c.y * height + task % pairs * 2;
      best = min(best, search_column_2(own + NOTHING(task), from + y * ROW + c.x, rests + y) +
                           lambda * component_bits(4 * (at.x + c.x)) * 4096 + c.x);
    }
    const int2 v = at + (int2)(best & 63, best >> 6 & 63);
    const uint cost = best >> 12, where = place(4 * v.x, 4 * v.y);
    const bool better = cost < best_cost || (cost == best_cost && where < best_place);
    best_cost = better ? cost : best_cost;
    best_place = better ? where : best_place;
  }

#ifdef WARP_LEAST
  const uint cost = warp_least(best_cost), where = warp_least(best_cost == cost ? best_place : UINT_MAX);
  const bool speaks = item % 32 == 0;
#else
  const uint cost = best_cost, where = best_place;
  const bool speaks = true;
#endif
  if (speaks) atomic_min(&least_cost[block], cost);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (speaks && cost == least_cost[block]) atomic_min(&least_place[block], where);
  barrier(CLK_LOCAL_MEM_FENCE);
  const int column = strip * BLOCKS + item;
  if (item < BLOCKS && column < columns)
    keys[row * columns + column] = key_of(least_cost[item], least_place[item]);
}
