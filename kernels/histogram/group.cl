// SPDX-License-Identifier: LGPL-2.1-or-later
// The histogram by work-groups, for GPUs: a few groups per compute unit go through the frame and count in
// local memory, in COPIES sub-histograms so that neighbours seldom hit one counter (Gómez Luna, PhD thesis
// 2012, chapter 4). Four equal pixels are one vote. The last group to finish gives the result, so one launch
// does it all. Build as count.clh says, with
//   COPIES      sub-histograms of a group; 0: the votes go to global memory at once
//   BY_TEAM     1: a sub-histogram per 32 work-items; 0: neighbours take turns
//   COPY_STEP, COUNTER_STEP  from one copy to the next, from one counter to the next
//   INTERLEAVE  1: the teams of 32 of a group read far apart, each its part of the frame; 0: side by side
#include "histogram/count.clh"

#define TEAM 32
#define SIZE ((COPIES - 1) * COPY_STEP + (COUNTERS - 1) * COUNTER_STEP + 1)

// A run is PIXELS pixels, `across` of them side by side: those of a row in buffers. In images the runs of a
// team fill a tile of 16 columns, as textures lie in memory, each pixel of a run two rows below the last.
#if IMAGE
#define TILE 16
#define TILE_ROWS (TEAM / TILE * PIXELS)
#define ROW_RUNS ((area.z + TILE - 1) / TILE * TEAM)
#define RUN_ROWS ((area.w + TILE_ROWS - 1) / TILE_ROWS)
#define RUN_X(i) (column / TEAM * TILE + column % TILE)
#define RUN_Y(i) (row * TILE_ROWS + column % TEAM / TILE + (i) * (TEAM / TILE))
#else
#define ROW_RUNS ((area.z + PIXELS - 1) / PIXELS)
#define RUN_ROWS area.w
#define RUN_X(i) (column * PIXELS + (i))
#define RUN_Y(i) row
#endif
#define IN_AREA(i) (RUN_X(i) < area.z && RUN_Y(i) < area.w)

#if COPIES
#define COUNTS __local uint
#else
#define COUNTS __global uint
#endif

// Votes for the pixels of a run, of which the first `count` are in the area.
inline void vote(COUNTS *own, const VALUE *pixels, int count) {
#pragma unroll
  for (int channel = 0; channel < VOTES; channel++) {
    uint counter[PIXELS];
#pragma unroll
    for (int i = 0; i < PIXELS; i++) counter[i] = counter_of(pixels[i], channel) * COUNTER_STEP;
    if (count < PIXELS) {
      for (int i = 0; i < PIXELS; i++)
        if (i < count) atomic_inc(own + counter[i]);
      continue;
    }
#if PIXELS % 4
#pragma unroll
    for (int i = 0; i < PIXELS; i++) atomic_inc(own + counter[i]);
#else
#pragma unroll
    for (int i = 0; i < PIXELS; i += 4) {
      const uint first = counter[i];
      if (first == counter[i + 1] && first == counter[i + 2] && first == counter[i + 3]) {
        atomic_add(own + first, 4u);
      } else {
        atomic_inc(own + first);
        atomic_inc(own + counter[i + 1]);
        atomic_inc(own + counter[i + 2]);
        atomic_inc(own + counter[i + 3]);
      }
    }
#endif
  }
}

// `sums`: COUNTERS + 1 zeros per frame, and zeros again afterwards. `out`: COUNTERS counts per frame.
// Work-items: the groups along x, frames along y.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void histogram_group(SOURCE, __global uint *sums, __global uint *out) {
  const int lane = get_local_id(0), group = get_group_id(0), groups = get_num_groups(0);
  __global uint *frame_sums = SUMS;
#if COPIES
  __local uint counts[SIZE];
  for (int i = lane; i < SIZE; i += GROUP) counts[i] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
#if BY_TEAM
  COUNTS *own = counts + lane / TEAM * COPY_STEP;
#else
  COUNTS *own = counts + lane % COPIES * COPY_STEP;
#endif
#else
  COUNTS *own = frame_sums;
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
#if !IMAGE
  const bool aligned = ((area.x | pitch | frame_pitch) & 3) == 0;
#endif
  const int step_rows = step / row_runs, step_columns = step % row_runs;
  int row = run / row_runs, column = run % row_runs;

  for (; run < end; run += step) {
    VALUE pixels[PIXELS];
    int count = 0;
#if IMAGE || PIXELS % 4 || !defined(WIDE)
#pragma unroll
    for (int i = 0; i < PIXELS; i++) {
      pixels[i] = PIXEL_AT(min(RUN_X(i), area.z - 1), min(RUN_Y(i), area.w - 1));
      count += IN_AREA(i);
    }
#else
    // Sixteen bytes at a time where the run is whole and lies at a multiple of them.
    count = min(area.z - RUN_X(0), PIXELS);
    if (aligned && count == PIXELS) {
      __global const uint4 *wide = (__global const uint4 *)&PIXEL_AT(RUN_X(0), row);
#pragma unroll
      for (int i = 0; i < PIXELS / 4; i++) {
        const uint4 four = wide[i];
        pixels[4 * i] = four.x, pixels[4 * i + 1] = four.y;
        pixels[4 * i + 2] = four.z, pixels[4 * i + 3] = four.w;
      }
    } else {
      for (int i = 0; i < PIXELS; i++) pixels[i] = PIXEL_AT(min(RUN_X(i), area.z - 1), row);
    }
#endif
    vote(own, pixels, count);
    row += step_rows;
    column += step_columns;
    if (column >= row_runs) {
      column -= row_runs;
      row++;
    }
  }

#if COPIES
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = lane; i < COUNTERS; i += GROUP) {
    // Groups begin at different counters.
    int at = i + group * 32 % COUNTERS;
    if (at >= COUNTERS) at -= COUNTERS;
    uint sum = 0;
#pragma unroll
    for (int copy = 0; copy < COPIES; copy++) sum += counts[copy * COPY_STEP + at * COUNTER_STEP];
    if (sum) atomic_add(frame_sums + at, sum);
  }
#endif
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  __local int last;
  if (lane == 0) last = last_of(frame_sums, groups);
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  if (last) {
    __global uint *result = out + (size_t)get_global_id(1) * COUNTERS;
    for (int i = lane; i < COUNTERS; i += GROUP) result[i] = take_sum(frame_sums, i);
    if (lane == 0) take_sum(frame_sums, COUNTERS);
  }
}
