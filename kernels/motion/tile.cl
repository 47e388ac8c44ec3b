// SPDX-License-Identifier: LGPL-2.1-or-later
// Full search on GPUs. A work-group searches the blocks of a strip in pieces (window.clh). LANES
// work-items share a block; each takes a column of up to D candidates at once, so that every row of the
// window is read once for all of them. Columns that are left over when all lanes have had as many go to the
// lanes candidate by candidate.
//
// Build with -DB=4, 8, 16 or 32 (block size), -DLANES=32 or 64, -DD=… (3, 11 or 33).
#include "common/absdiff.clh"
#include "common/least.clh"
#include "motion/cost.clh"

#define GROUP (STRIP / B * LANES)
#include "motion/window.clh"

// search_column_N finds the least of N candidates below each other as cost * 64 + which of them, of those
// before `count`. (A macro, since compilers unroll before they inline.)
#define SEARCH_COLUMN(name, N)                                                                              \
  inline uint name(__local const uint *block, __local const uint *window, int lambda, int x, int y,         \
                   int count) {                                                                             \
    uint sad[N], pixels[B][WORDS];                                                                          \
    UNROLL for (int d = 0; d < N; d++) sad[d] = 0;                                                          \
    UNROLL for (int r = 0; r < B + N - 1; r++) {                                                            \
      uint line[WORDS];                                                                                     \
      UNROLL for (int w = 0; w < WORDS; w++) line[w] = window[r * ROW + w];                                 \
      if (r < B) {                                                                                          \
        UNROLL for (int w = 0; w < WORDS; w++) pixels[r][w] = block[r * (STRIP / 4) + w];                   \
      }                                                                                                     \
      UNROLL for (int d = 0; d < N; d++) if (r >= d && r < d + B) {                                         \
        UNROLL for (int w = 0; w < WORDS; w++) sad[d] = sad4(pixels[r - d][w], line[w], sad[d]);            \
      }                                                                                                     \
    }                                                                                                       \
    const uint bits = component_bits(4 * x);                                                                \
    uint least = UINT_MAX;                                                                                  \
    UNROLL for (int d = 0; d < N; d++) {                                                                    \
      const uint cost = sad[d] + lambda * (bits + component_bits(4 * (y + d)));                             \
      least = d < count ? min(least, cost * 64 + d) : least;                                                \
    }                                                                                                       \
    return least;                                                                                           \
  }
#define UNROLL _Pragma("unroll")
SEARCH_COLUMN(search_column_D, D)
SEARCH_COLUMN(search_column_1, 1)

// `first`, `count`: the candidates along x and y, the first one's offset in px. `columns`: blocks in a row
// of the frame. Work-groups: strips along x, rows of blocks.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void motion_search_tile(__global const uchar *current, __global const uchar *reference, int pitch,
                        int2 first, int2 count, int lambda, __global ulong *keys, int columns) {
  __local uint window[4 * COPY];
  __local uint blocks[B * STRIP / 4];
  __local uint least_cost[BLOCKS], least_place[BLOCKS];
  const int item = get_local_id(0), strip = get_group_id(0), row = get_group_id(1);
  const int block = item / LANES, lane = item % LANES;

  load_blocks(current, pitch, strip * STRIP, row * B, blocks);
  if (item < BLOCKS) least_cost[item] = least_place[item] = UINT_MAX;

  uint best_cost = UINT_MAX, best_place = UINT_MAX;
  const int2 pieces = pieces_of(count), side = (count + pieces - 1) / pieces;
  for (int piece = 0; piece < pieces.x * pieces.y; piece++) {
    const int2 begin = (int2)(piece % pieces.x, piece / pieces.x) * side;
    const int2 size = min(side, count - begin), at = first + begin;
    const int runs = (size.y + D - 1) / D, height = (size.y + runs - 1) / runs, left = at.x & ~3;
    barrier(CLK_LOCAL_MEM_FENCE);
    load_window(reference, pitch, strip * STRIP + left, row * B + at.y, (runs - 1) * height + D + B - 1,
                window);
    barrier(CLK_LOCAL_MEM_FENCE);

    // One candidate takes about as long as two in a column.
    const int tasks = size.x * runs, even = tasks / LANES * LANES, rest = (tasks - even) * height;
    const int columns_end = 2 * ((rest + LANES - 1) / LANES) < D + 3 ? even : tasks;
    const int end = columns_end + (tasks - columns_end) * height;
    for (int task = lane; task < end; task += LANES) {
      const bool whole = task < columns_end;
      const int number = task - columns_end, singles = max(tasks - columns_end, 1);
      const int column = whole ? task : columns_end + number % singles;
      const int single = whole ? 0 : number / singles;
      const int x = column % size.x, y = column / size.x * height + single, byte = at.x - left + x;
      if (y >= size.y) continue;
      __local const uint *own = blocks + block * WORDS;
      __local const uint *from = window + (byte & 3) * COPY + y * ROW + block * WORDS + byte / 4;
      const uint least =
          whole ? search_column_D(own, from, lambda, at.x + x, at.y + y, min(height, size.y - y))
                : search_column_1(own, from, lambda, at.x + x, at.y + y, 1);
      const uint cost = least >> 6, where = place(4 * (at.x + x), 4 * (at.y + y + (int)(least & 63)));
      const bool better = cost < best_cost || (cost == best_cost && where < best_place);
      best_cost = better ? cost : best_cost;
      best_place = better ? where : best_place;
    }
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
