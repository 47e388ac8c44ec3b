// SPDX-License-Identifier: LGPL-2.1-or-later
// The histogram by work-items, for CPUs. Each item has COPIES sub-histograms in `scratch` and
// counts a band of rows without atomics. Consecutive pixels use different copies, so that no
// increment waits for the previous one. Build options: see count.clh.
#include "histogram/count.clh"

// Work-items: x is the band of rows, y is the frame. Each has COPIES * COUNTERS counters in
// `scratch`.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void histogram_item(
    SOURCE, __global uint *out, __global uint *next, __global uint *scratch) {
  const size_t band = get_global_id(0), bands = get_global_size(0);
  clear_next(next);
  __global uint *counts = scratch + (get_global_id(1) * bands + band) * COPIES * COUNTERS;
  for (int i = 0; i < COPIES * COUNTERS; i++) counts[i] = 0;

  const int end = area.w * (band + 1) / bands;
  for (int y = area.w * band / bands; y < end; y++) {
    int x = 0;
    for (; x + COPIES <= area.z; x += COPIES) {
#pragma unroll
      for (int copy = 0; copy < COPIES; copy++) {
        const VALUE pixel = PIXEL_AT(x + copy, y);
#pragma unroll
        for (int vote = 0; vote < VOTES; vote++)
          counts[copy * COUNTERS + counter_of(pixel, vote)]++;
      }
    }
    for (; x < area.z; x++) {
      const VALUE pixel = PIXEL_AT(x, y);
      for (int vote = 0; vote < VOTES; vote++) counts[counter_of(pixel, vote)]++;
    }
  }

  for (int i = 0; i < COUNTERS; i++) {
    uint sum = 0;
    for (int copy = 0; copy < COPIES; copy++) sum += counts[copy * COUNTERS + i];
    add_count(COUNTS_OF(out), i, sum);
  }
}
