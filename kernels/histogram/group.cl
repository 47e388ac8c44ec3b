// SPDX-License-Identifier: LGPL-2.1-or-later
// The histogram by work-groups, for GPUs: a few groups per compute unit go through the frame and count in
// local memory, in COPIES sub-histograms so that neighbours seldom hit one counter (Gómez Luna, PhD thesis
// 2012, chapter 4). Equal pixels in a row are one vote. The last group to finish gives the result, so one
// launch does it all. Build as count.clh says, with
//   COPIES      sub-histograms of a group; 0: the votes go to global memory at once
//   BY_TEAM     1: a sub-histogram per 32 work-items; 0: neighbours take turns
//   STRIDE      counters from one copy to the next: COUNTERS, or one more to shift the banks (padding)
//   INTERLEAVE  1: the teams of 32 of a group read far apart, each its part of the frame; 0: side by side
#include "histogram/count.clh"

#define TEAM 32

#if IMAGE || PIXELS % 4 || !defined(WIDE)
#define LOAD_RUN(left, row, pixels) \
  for (int i = 0; i < PIXELS; i++) pixels[i] = PIXEL_AT(min(left + i, area.z - 1), row)
#else
// Sixteen bytes at a time where the run is whole and lies at a multiple of them.
#define LOAD_RUN(left, row, pixels)                                                                  \
  if (aligned && left + PIXELS <= area.z) {                                                          \
    __global const uint4 *wide = (__global const uint4 *)&PIXEL_AT(left, row);                       \
    for (int i = 0; i < PIXELS / 4; i++) {                                                           \
      const uint4 four = wide[i];                                                                    \
      pixels[4 * i] = four.x, pixels[4 * i + 1] = four.y;                                            \
      pixels[4 * i + 2] = four.z, pixels[4 * i + 3] = four.w;                                        \
    }                                                                                                \
  } else {                                                                                           \
    for (int i = 0; i < PIXELS; i++) pixels[i] = PIXEL_AT(min(left + i, area.z - 1), row);           \
  }
#endif

// `sums`: COUNTERS + 1 zeros per frame, and zeros again afterwards. `out`: COUNTERS counts per frame.
// Work-items: the groups along x, frames along y.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void histogram_group(SOURCE, __global uint *sums, __global uint *out) {
  const int lane = get_local_id(0), group = get_group_id(0), groups = get_num_groups(0);
  __global uint *frame_sums = SUMS;
#if COPIES
  __local uint counts[COPIES * STRIDE];
  for (int i = lane; i < COPIES * STRIDE; i += GROUP) counts[i] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
#if BY_TEAM
  __local uint *own = counts + lane / TEAM * STRIDE;
#else
  __local uint *own = counts + lane % COPIES * STRIDE;
#endif
#else
  __global uint *own = frame_sums;
#endif

  const int row_runs = (area.z + PIXELS - 1) / PIXELS, runs = row_runs * area.w;
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
  int y = run / row_runs, column = run % row_runs;

  // Per vote of a pixel: the counter of the pixels before, and how many of them have not been counted.
  uint counter[VOTES], equal[VOTES];
  for (int vote = 0; vote < VOTES; vote++) counter[vote] = equal[vote] = 0;
  for (; run < end; run += step) {
    VALUE pixels[PIXELS];
    const int x = column * PIXELS;
    LOAD_RUN(x, y, pixels);
#pragma unroll
    for (int i = 0; i < PIXELS; i++) {
      if (x + i >= area.z) break;
#pragma unroll
      for (int vote = 0; vote < VOTES; vote++) {
        const uint next = counter_of(pixels[i], vote);
        if (next != counter[vote]) {
          if (equal[vote]) atomic_add(own + counter[vote], equal[vote]);
          counter[vote] = next;
          equal[vote] = 0;
        }
        equal[vote]++;
      }
    }
    y += step_rows;
    column += step_columns;
    if (column >= row_runs) {
      column -= row_runs;
      y++;
    }
  }
  for (int vote = 0; vote < VOTES; vote++)
    if (equal[vote]) atomic_add(own + counter[vote], equal[vote]);

#if COPIES
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = lane; i < COUNTERS; i += GROUP) {
    // Groups begin at different counters.
    int at = i + group * 32 % COUNTERS;
    if (at >= COUNTERS) at -= COUNTERS;
    uint sum = 0;
    for (int copy = 0; copy < COPIES; copy++) sum += counts[copy * STRIDE + at];
    if (sum) atomic_add(frame_sums + at, sum);
  }
#endif
  device_fence();
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  __local int last;
  if (lane == 0) last = last_of(frame_sums, groups);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (last) {
    device_fence();
    __global uint *result = out + (size_t)get_global_id(1) * COUNTERS;
    for (int i = lane; i < COUNTERS; i += GROUP) result[i] = take_sum(frame_sums, i);
    if (lane == 0) take_sum(frame_sums, COUNTERS);
  }
}
