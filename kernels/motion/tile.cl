// SPDX-License-Identifier: LGPL-2.1-or-later
// Full search on GPUs. A work-group searches the blocks of a strip, TALL pixels high, in pieces
// (window.clh). LANES work-items share a block, or STACK blocks below each other. Each takes a
// column of D candidates at once, so it reads every row of the window once for all of them. Lanes
// get equal numbers of columns; the remaining columns are split into runs of REMAINDER candidates.
//
// Build with -DB=4, 8, 16 or 32 (block size), -DD=3, 11 or 33, -DLANES=n. LANES is 32, or a smaller
// power of two of at least STACK where groups can't be as large.
#include "common/absdiff.clh"
#include "common/least.clh"
#include "motion/cost.clh"
#include "motion/limit.clh"

#if LANES != 32
#undef WARP_LEAST
#endif
#define GROUP (STRIP / B * LANES)
#include "motion/window.clh"
#define STACK (TALL / B)
#define REMAINDER (STACK + 1)
#define ROWS ((SIDE + D - 1) / D * D + REMAINDER - 1 + TALL - 1)  // of the window

// Within a piece a candidate's key is cost * 4096 + y * 64 + x. `rest` is the part of the key from
// y: λ times its bits, and y itself. It has an element per candidate. Beyond the piece it exceeds
// any key. Searches N candidates below each other. A macro, because compilers unroll before they
// inline.
#define SEARCH_COLUMN(name, N)                                                                   \
  inline uint name(__local const uint *block, __local const uint *window,                        \
                   __local const uint *rest) {                                                   \
    uint sad[N], pixels[B][WORDS];                                                               \
    UNROLL for (int d = 0; d < N; d++) sad[d] = 0;                                               \
    UNROLL for (int r = 0; r < B + N - 1; r++) {                                                 \
      uint line[WORDS];                                                                          \
      UNROLL for (int w = 0; w < WORDS; w++) line[w] = window[r * ROW + 4 * w];                  \
      if (r < B) {                                                                               \
        UNROLL for (int w = 0; w < WORDS; w++) pixels[r][w] = block[r * (STRIP / 4) + w];        \
      }                                                                                          \
      UNROLL for (int d = 0; d < N; d++) if (r >= d && r < d + B) {                              \
        UNROLL for (int w = 0; w < WORDS; w++) sad[d] = sad4(pixels[r - d][w], line[w], sad[d]); \
      }                                                                                          \
    }                                                                                            \
    uint least = UINT_MAX;                                                                       \
    UNROLL for (int d = 0; d < N; d++) least = min(least, sad[d] * 4096 + rest[d]);              \
    return least;                                                                                \
  }
#define UNROLL _Pragma("unroll")
SEARCH_COLUMN(search_column, D)
SEARCH_COLUMN(search_run, REMAINDER)

// Zero, which compilers can't know. Otherwise they would keep all pixels of large blocks in
// registers from task to task, so fewer groups would run at once.
#if B > 8
#define OPAQUE_ZERO(task) ((task) >> 16)
#else
#define OPAQUE_ZERO(task) 0
#endif

// `first`, `count`: offset of the first candidate, px, and number of candidates along x and y.
// `columns`, `rows`: blocks of the frame. `keys` gets the key of the best candidate per block.
// Work-groups: strips along x, STACK rows of blocks each.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void motion_search_tile(
    __global const uchar *current, __global const uchar *reference, int pitch, int2 first,
    int2 count, int lambda, __global ulong *keys, int columns, int rows LIMIT_ARGUMENT) {
  __local uint window[ROWS * ROW];
  __local uint blocks[TALL * STRIP / 4] __attribute__((aligned(16)));
  __local uint rests[SIDE + D + REMAINDER] __attribute__((aligned(16)));
#ifndef WARP_LEAST
  __local uint least[STACK][BLOCKS];
#endif
  const int item = get_local_id(0), strip = get_group_id(0), row = get_global_id(1) * STACK;
  const int block = item / LANES, lane = item % LANES;

  KEEP_WITHIN_LIMIT(first, count, strip, row);
  load_blocks(current, pitch, strip * STRIP, row * B, blocks);

  ulong best[STACK];
#pragma unroll
  for (int k = 0; k < STACK; k++) best[k] = ULONG_MAX;
  const int2 side = piece_size(count);
  for (int down = 0; down < count.y; down += side.y)
    for (int right = 0; right < count.x; right += side.x) {
      const int2 begin = (int2)(right, down), size = min(side, count - begin), at = first + begin;
      const int runs = D < SIDE ? (size.y + D - 1) / D : 1,
                height = D < SIDE ? (size.y + runs - 1) / runs : size.y;
      const int left = at.x & ~3;
      barrier(CLK_LOCAL_MEM_FENCE);
      load_window(reference, pitch, strip * STRIP + left, row * B + at.y,
                  (runs - 1) * height + D + TALL - 1, window);
      for (int i = item; i < SIDE + D + REMAINDER; i += GROUP)
        rests[i] = i < size.y ? lambda * component_bits(4 * (at.y + i)) * 4096 + i * 64 : INT_MAX;
#ifndef WARP_LEAST
      if (item < BLOCKS * STACK) least[item / BLOCKS][item % BLOCKS] = UINT_MAX;
#endif
      barrier(CLK_LOCAL_MEM_FENCE);

      __local const uint *own = blocks + block * WORDS, *from = window + at.x - left + block * B;
      const int tasks = size.x * runs, even = tasks / LANES * LANES,
                parts = (height + REMAINDER - 1) / REMAINDER;
      const int rest_tasks = (tasks - even) * parts * STACK;
      // Searching a remaining run takes about as long as one more candidate in a column.
      const int whole =
          (REMAINDER + 1) * ((rest_tasks + LANES - 1) / LANES) < D * STACK + 3 ? even : tasks;
      uint found[STACK], rest = UINT_MAX;
#pragma unroll
      for (int k = 0; k < STACK; k++) found[k] = UINT_MAX;
      for (int task = lane; task < whole; task += LANES) {
        const int2 c = column_of(task, size, runs);
        const int y = c.y * height;
        const uint x_part = lambda * component_bits(4 * (at.x + c.x)) * 4096 + c.x;
#pragma unroll
        for (int k = 0; k < STACK; k++)
          found[k] = min(found[k], search_column(own + k * B * (STRIP / 4) + OPAQUE_ZERO(task),
                                                 from + (y + k * B) * ROW + c.x, rests + y) +
                                       x_part);
      }
      if (whole < tasks)
        for (int task = lane; task < rest_tasks; task += LANES) {
          const int k = lane % STACK, part = task / STACK, number = whole + part / parts;
          const int2 c = column_of(number, size, runs);
          const int y = c.y * height + part % parts * REMAINDER;
          rest = min(rest, search_run(own + k * B * (STRIP / 4) + OPAQUE_ZERO(task),
                                      from + (y + k * B) * ROW + c.x, rests + y) +
                               lambda * component_bits(4 * (at.x + c.x)) * 4096 + c.x);
        }
#pragma unroll
      for (int k = 0; k < STACK; k++) {
        uint of_all = k == lane % STACK ? min(found[k], rest) : found[k];
#ifdef WARP_LEAST
        of_all = warp_least(of_all);
#else
        atomic_min(&least[k][block], of_all);
        barrier(CLK_LOCAL_MEM_FENCE);
        of_all = least[k][block];
#endif
        const int2 v = at + (int2)(of_all & 63, of_all >> 6 & 63);
        best[k] = min(best[k], key_of(of_all >> 12, pack_vector(4 * v.x, 4 * v.y)));
      }
    }

  const int column = strip * BLOCKS + block;
#pragma unroll
  for (int k = 0; k < STACK; k++)
    if (lane == k && column < columns && row + k < rows)
      keys[(row + k) * columns + column] = best[k];
}
