// SPDX-License-Identifier: LGPL-2.1-or-later
// The histogram by sorting. A group sorts the counters that its pixels vote for and counts the
// lengths of equal ones. It needs no atomics, and its speed does not depend on the frame. Build as
// count.clh says; GROUP is a power of two and PIXELS 1.
#include "histogram/count.clh"

#define NONE 0xffffffffu

// Work-items: the groups along x, frames along y.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void histogram_sort(
    SOURCE, __global uint *out, __global uint *next) {
  __local uint keys[GROUP], counts[COUNTERS], first[COUNTERS];
  const int lane = get_local_id(0), groups = get_num_groups(0);
  clear_next(next);
  for (int i = lane; i < COUNTERS; i += GROUP) counts[i] = 0;

  const int pixels = area.z * area.w;
  for (int start = get_group_id(0) * GROUP; start < pixels; start += groups * GROUP) {
    const int at = start + lane;
    const int inside = min(at, pixels - 1);
    const VALUE pixel = PIXEL_AT(inside % area.z, inside / area.z);
    for (int vote = 0; vote < VOTES; vote++) {
      barrier(CLK_LOCAL_MEM_FENCE);
      keys[lane] = at < pixels ? counter_of(pixel, vote) : NONE;
      for (int size = 2; size <= GROUP; size *= 2)
        for (int distance = size / 2; distance > 0; distance /= 2) {
          barrier(CLK_LOCAL_MEM_FENCE);
          const int other = lane ^ distance;
          const uint mine = keys[lane], theirs = keys[other];
          barrier(CLK_LOCAL_MEM_FENCE);
          const bool lower = (lane & size) == 0 ? lane < other : lane > other;
          keys[lane] = lower ? min(mine, theirs) : max(mine, theirs);
        }
      barrier(CLK_LOCAL_MEM_FENCE);
      const uint key = keys[lane];
      if (key != NONE && (lane == 0 || keys[lane - 1] != key)) first[key] = lane;
      barrier(CLK_LOCAL_MEM_FENCE);
      if (key != NONE && (lane == GROUP - 1 || keys[lane + 1] != key))
        counts[key] += lane + 1 - first[key];
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = lane; i < COUNTERS; i += GROUP)
    if (counts[i]) atomic_add(COUNTS_OF(out) + i, counts[i]);
}
