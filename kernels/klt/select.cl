// SPDX-License-Identifier: LGPL-2.1-or-later
// Selects the best candidates without sorting all of them. Counting finds the smallest key to
// select; only the selected keys are then ordered.
#include "klt/interface.h"
#include "klt/points.clh"
#include "klt/tuned.clh"
#include "noise/bands.clh"

#define BINS (1 << LOG_BINS)

inline ulong least_key(Threshold threshold, __global const int *state,
                       __global const float *noise) {
  const float own = SELECTION_SCATTER * threshold.noise_gain * CORRELATION * noise_variance(noise);
  const float best = threshold.quality * as_float((uint)state[BEST_EIGENVALUE]);
  return key_of(fmax(fmax(best, threshold.min_eigenvalue), fmax(own, 1e-30f)), 0);
}

// Removes candidates that are not the largest within `reach` px: their key becomes 0.
__kernel void klt_spacing(__global const float *values, int2 size, int reach,
                          __global const int *state, float quality, __global ulong *keys) {
  const int count = state[SELECTS] ? state[CANDIDATE_COUNT] : 0;
  const float enough = quality * as_float((uint)state[BEST_EIGENVALUE]);
  for (int n = get_global_id(0); n < count; n += get_global_size(0)) {
    if (eigenvalue_of(keys[n]) < enough) continue;
    const int index = index_of(keys[n]);
    const int2 at = (int2)(index % size.x, index / size.x);
    bool largest = true;
    IS_LARGEST(values + index, size.x, max(at - reach, 0) - at, min(at + reach, size - 1) - at,
               largest)
    if (!largest) keys[n] = 0;
  }
}

// A cell of the frame, px: from `first` to before `last`.
typedef struct {
  int2 first, last;
} Cell;
inline bool in_cell(Cell cell, int index, int width) {
  const int2 at = (int2)(index % width, index / width);
  return all(at >= cell.first) && all(at < cell.last);
}

// Finds the smallest of the `wanted` largest keys in a cell, among `count` keys from `least` to
// `most`. One work-group; `found`: three local ints.
inline ulong threshold_of(__global const ulong *keys, int count, ulong least, ulong most,
                          int wanted, Cell cell, int width, __local int *bins, __local int *sums,
                          __local int *found) {
  const int item = get_local_id(0), part = BINS / ONE_GROUP;
  ulong low = least;
  int bits = least <= most ? 64 - (int)clz(most - least) : 0;
  while (bits > 0) {
    const int shift = max(bits - LOG_BINS, 0);
    for (int i = item; i < BINS; i += ONE_GROUP) bins[i] = 0;
    if (item == 0) found[0] = -1;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = item; i < count; i += ONE_GROUP) {
      const ulong key = keys[i];
      if (key >= low && (key - low) >> bits == 0 && in_cell(cell, index_of(key), width))
        atomic_inc(&bins[(key - low) >> shift]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    // Bins are scanned from the largest key down, so item 0 has the last bins.
    int own = 0, all;
    for (int i = 0; i < part; i++) own += bins[BINS - 1 - item * part - i];
    int above = items_before(own, sums, &all);
    for (int i = 0; i < part; i++) {
      const int bin = BINS - 1 - item * part - i;
      if (above < wanted && above + bins[bin] >= wanted)
        found[0] = bin, found[1] = wanted - above, found[2] = bins[bin];
      above += bins[bin];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const int bin = found[0], left = found[1], within = found[2];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (bin < 0) {
      bits = 0;  // fewer keys than needed, so all are selected
    } else {
      low += (ulong)bin << shift;
      wanted = left;
      bits = within == left ? 0 : shift;
    }
  }
  return low;
}

// Limits each cell to `most` points, including live ones; the keys of its other candidates become
// 0. One group per cell.
__attribute__((reqd_work_group_size(ONE_GROUP, 1, 1))) __kernel void klt_cells(
    __global ulong *keys, __global const int *state, __global const TrackedPoints *points,
    __global const float *noise, CellShares shares, __local int *bins, __local int *sums,
    __local int *found) {
  const int2 size = shares.size, cells = shares.cells;
  const int slots = shares.slots, most = shares.max_points;
  const int item = get_local_id(0), number = get_group_id(0);
  const int2 at = (int2)(number % cells.x, number / cells.x);
  const Cell cell = {at * size / cells, (at + 1) * size / cells};
  const int count = state[SELECTS] ? state[CANDIDATE_COUNT] : 0;
  int own = 0, alive;
  for (int i = item; i < slots; i += ONE_GROUP)
    own += points->identity[i].z == LIVE &&
           all(convert_int2(points->position[i].xy) >= cell.first) &&
           all(convert_int2(points->position[i].xy) < cell.last);
  items_before(own, sums, &alive);
  const ulong low = alive < most
                        ? threshold_of(keys, count, least_key(shares.threshold, state, noise),
                                       key_of(as_float((uint)state[BEST_EIGENVALUE]), -1),
                                       most - alive, cell, size.x, bins, sums, found)
                        : ~(ulong)0;
  barrier(CLK_GLOBAL_MEM_FENCE);
  for (int i = item; i < count; i += ONE_GROUP)
    if (keys[i] < low && in_cell(cell, index_of(keys[i]), size.x)) keys[i] = 0;
}

// Writes the keys of the needed candidates to `selected`, in any order. One work-group.
__attribute__((reqd_work_group_size(ONE_GROUP, 1, 1))) __kernel void klt_select(
    __global const ulong *keys, __global int *state, int2 size, Threshold threshold,
    __global const float *noise, __global ulong *selected, __local int *bins, __local int *sums,
    __local int *found) {
  const int item = get_local_id(0), count = state[SELECTS] ? state[CANDIDATE_COUNT] : 0,
            wanted = state[MAX_NEW];
  const Cell all = {0, size};
  const ulong low = threshold_of(keys, count, least_key(threshold, state, noise),
                                 key_of(as_float((uint)state[BEST_EIGENVALUE]), -1), wanted, all,
                                 size.x, bins, sums, found);
  if (item == 0) found[0] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = item; i < count; i += ONE_GROUP)
    if (keys[i] >= low) selected[atomic_inc(&found[0])] = keys[i];
  barrier(CLK_LOCAL_MEM_FENCE);
  if (item == 0) state[SELECTED_COUNT] = found[0];
}

#define BATCH 256

// Puts the selected candidates into vacant slots, the strongest first, and gives them ids. A
// work-item per feature.
__attribute__((reqd_work_group_size(BATCH, 1, 1))) __kernel void klt_fill_slots(
    __global const ulong *selected, __global const int *state, __global const int *vacant,
    int width, __global TrackedPoints *points) {
  __local ulong batch[BATCH];
  const int item = get_global_id(0), count = state[SELECTED_COUNT];
  const ulong own = item < count ? selected[item] : 0;
  int rank = 0;
  for (int first = 0; first < count; first += BATCH) {
    const int other = first + (int)get_local_id(0);
    barrier(CLK_LOCAL_MEM_FENCE);
    batch[get_local_id(0)] = other < count ? selected[other] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = 0; i < BATCH; i++) rank += batch[i] > own;
  }
  if (item < count) {
    const int slot = vacant[rank], index = index_of(own);
    const float x = index % width, y = index / width;
    points->position[slot] = (float4)(x, y, x, y);
    points->motion[slot] = (float4)(0.0f, 0.0f, 0.0f, eigenvalue_of(own));
    points->identity[slot] = (int4)(state[NEXT_ID] + rank, 0, LIVE, 0);
  }
}
