// SPDX-License-Identifier: LGPL-2.1-or-later
// The histogram by work-groups, for GPUs: a few groups per compute unit go through the frame and count in
// local memory, in COPIES sub-histograms so that neighbours seldom hit one counter (Gómez Luna, PhD thesis
// 2012, chapter 4), and add what they have to the result. Build as count.clh says, with
//   COPIES      sub-histograms of a group; 0: the votes go to global memory at once
//   BY_TEAM     1: a sub-histogram per 32 work-items; 0: neighbours take turns
//   PACKED      1: a word of local memory counts for two channels, 16 bits each, which no group overflows
//   COPY_STEP, WORD_STEP  from one copy to the next, from one word to the next
//   INTERLEAVE  1: the teams of 32 of a group read far apart, each its part of the frame; 0: side by side
//   MERGE       1: four equal pixels are one vote
#include "histogram/count.clh"

#define TEAM 32

// The word that counts for a bin, and one vote in it.
#if PACKED
#define WORDS ((VOTES + 1) / 2 * LEVELS)
#define WORD_OF(pixel, channel) (bin_of(pixel, channel) + (channel) / 2 * LEVELS)
#define ONE(channel) ((channel) % 2 ? 1u << 16 : 1u)
#else
#define WORDS COUNTERS
#define WORD_OF(pixel, channel) counter_of(pixel, channel)
#define ONE(channel) 1u
#endif
#define SIZE (((COPIES - 1) * COPY_STEP + (WORDS - 1) * WORD_STEP + 4) / 4)  // of all copies, four words each

// A run is PIXELS pixels: adjacent ones of a row in buffers. In images the runs of a team fill a tile of 16
// columns, as textures lie in memory, each pixel of a run DOWN rows below the last.
#if IMAGE
#define TILE 16
#define DOWN (TEAM / TILE)
#define ROW_RUNS ((area.z + TILE - 1) / TILE * TEAM)
#define RUN_ROWS ((area.w + DOWN * PIXELS - 1) / (DOWN * PIXELS))
#define RUN_X (column / TEAM * TILE + column % TILE)
#define RUN_Y (row * DOWN * PIXELS + column % TEAM / TILE)
#else
#define ROW_RUNS ((area.z + PIXELS - 1) / PIXELS)
#define RUN_ROWS area.w
#endif

#if COPIES
#define WORDS_OF_ITEM __local uint
#else
#define WORDS_OF_ITEM __global uint
#endif

// Reads a run where all are whole, and in a buffer in one row from a multiple of sixteen bytes on.
inline void read_whole(SOURCE, int run, int row, int column, VALUE *pixels) {
#if IMAGE
#pragma unroll
  for (int i = 0; i < PIXELS; i++) pixels[i] = PIXEL_AT(RUN_X, RUN_Y + i * DOWN);
#elif defined(WIDE) && PIXELS % 4 == 0
  __global const uint4 *wide = (__global const uint4 *)&PIXEL_AT(0, 0);
#pragma unroll
  for (int i = 0; i < PIXELS / 4; i++) {
    const uint4 four = wide[run * (PIXELS / 4) + i];
    pixels[4 * i] = four.x, pixels[4 * i + 1] = four.y;
    pixels[4 * i + 2] = four.z, pixels[4 * i + 3] = four.w;
  }
#else
#pragma unroll
  for (int i = 0; i < PIXELS; i++) pixels[i] = PIXEL_AT(run * PIXELS + i, 0);
#endif
}

// Reads any run and says how many pixels of it are in the area.
inline int read_some(SOURCE, int row, int column, VALUE *pixels) {
#if IMAGE
  const int count = RUN_X < area.z ? (area.w - RUN_Y + DOWN - 1) / DOWN : 0;
#pragma unroll
  for (int i = 0; i < PIXELS; i++) pixels[i] = PIXEL_AT(RUN_X, RUN_Y + i * DOWN);
#else
  const int count = area.z - column * PIXELS;
#pragma unroll
  for (int i = 0; i < PIXELS; i++) pixels[i] = PIXEL_AT(column * PIXELS + min(i, count - 1), row);
#endif
  return count;
}

// Votes for the pixels of a whole run.
inline void vote(WORDS_OF_ITEM *own, const VALUE *pixels) {
#pragma unroll
  for (int channel = 0; channel < VOTES; channel++) {
    uint word[PIXELS];
#pragma unroll
    for (int i = 0; i < PIXELS; i++) word[i] = WORD_OF(pixels[i], channel) * WORD_STEP;
#if MERGE
#pragma unroll
    for (int i = 0; i < PIXELS; i += 4) {
      const uint first = word[i];
      if (first == word[i + 1] && first == word[i + 2] && first == word[i + 3]) {
        atomic_add(own + first, 4 * ONE(channel));
      } else {
#pragma unroll
        for (int k = i; k < i + 4; k++) atomic_add(own + word[k], ONE(channel));
      }
    }
#else
#pragma unroll
    for (int i = 0; i < PIXELS; i++) atomic_add(own + word[i], ONE(channel));
#endif
  }
}

// Votes for the first `count` pixels of a run.
inline void vote_some(WORDS_OF_ITEM *own, const VALUE *pixels, int count) {
  for (int i = 0; i < PIXELS; i++)
    if (i < count)
      for (int channel = 0; channel < VOTES; channel++)
        atomic_add(own + WORD_OF(pixels[i], channel) * WORD_STEP, ONE(channel));
}

// `words`: of local memory. `whole`: all runs are as read_whole() wants them.
inline void count(SOURCE, __global uint *out, __global uint *next, __local uint4 *words, bool whole) {
  const int lane = get_local_id(0), group = get_group_id(0), groups = get_num_groups(0);
  __global uint *sums = COUNTS_OF(out);
  clear_next(next);
#if COPIES
  for (int i = lane; i < SIZE; i += GROUP) words[i] = (uint4)(0);
  barrier(CLK_LOCAL_MEM_FENCE);
  __local uint *copies = (__local uint *)words;
#if BY_TEAM
  WORDS_OF_ITEM *own = copies + lane / TEAM * COPY_STEP;
#else
  WORDS_OF_ITEM *own = copies + lane % COPIES * COPY_STEP;
#endif
#else
  WORDS_OF_ITEM *own = sums;
#endif

  const int row_runs = ROW_RUNS, runs = row_runs * RUN_ROWS;
#if INTERLEAVE
  const int parts = (GROUP + TEAM - 1) / TEAM, part = lane / TEAM;
  const int step = min(GROUP, TEAM) * groups;
  int run = (int)((long)runs * part / parts) + min(GROUP, TEAM) * group + lane % TEAM;
  const int end = (int)((long)runs * (part + 1) / parts);
#else
  const int step = GROUP * groups, end = runs;
  int run = group * GROUP + lane;
#endif
  const int step_rows = step / row_runs, step_columns = step % row_runs;
  int row = run / row_runs, column = run % row_runs;

  for (; run < end; run += step) {
    VALUE pixels[PIXELS];
    int inside = PIXELS;
    if (whole)
      read_whole(in, pitch, frame_pitch, area, run, row, column, pixels);
    else
      inside = read_some(in, pitch, frame_pitch, area, row, column, pixels);
    if (inside >= PIXELS)
      vote(own, pixels);
    else
      vote_some(own, pixels, inside);
    row += step_rows;
    column += step_columns;
    if (column >= row_runs) {
      column -= row_runs;
      row++;
    }
  }

#if COPIES
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = lane; i < WORDS; i += GROUP) {
    // Groups begin at different words, neighbours at different copies.
    const int at = (i + group * TEAM) % WORDS;
    uint sum = 0, upper = 0;
#pragma unroll
    for (int copy = 0; copy < COPIES; copy++) {
      const uint word = copies[(copy + lane) % COPIES * COPY_STEP + at * WORD_STEP];
      sum += PACKED ? word & 0xffff : word;
      upper += word >> 16;
    }
    const int counter = PACKED ? at + at / LEVELS * LEVELS : at;
    if (sum) atomic_add(sums + counter, sum);
    if (PACKED && upper) atomic_add(sums + counter + LEVELS, upper);
  }
#endif
}

#if COPIES
#define LOCAL_WORDS __local uint4 words[SIZE]
#else
#define LOCAL_WORDS __local uint4 *words = 0
#endif

// Work-items: the groups along x, frames along y.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void histogram_group(SOURCE, __global uint *out, __global uint *next) {
  LOCAL_WORDS;
  count(in, pitch, frame_pitch, area, out, next, words, false);
}
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void histogram_whole(SOURCE, __global uint *out, __global uint *next) {
  LOCAL_WORDS;
  count(in, pitch, frame_pitch, area, out, next, words, true);
}
