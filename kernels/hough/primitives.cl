// SPDX-License-Identifier: LGPL-2.1-or-later
// Operations on lists of uint (gst/hough/primitives.h): prefix sum, compaction, radix sort,
// maximum. The number of elements is in device memory, `*count`. Each group has one block of the
// list. `blocks`: a uint per group. `sums`: a local uint per item.
#include "hough/group.clh"
#include "hough/interface.h"

#define NO_KEY 0xffffffffu

__kernel void scan_count(__global const uint *restrict values, __global const uint *count,
                         __global uint *restrict blocks, __local uint *sums) {
  const uint2 block = block_of(*count);
  uint mine = 0;
  for (uint i = block.x + get_local_id(0); i < block.y; i += get_local_size(0)) mine += values[i];
  const uint sum = group_sum(mine, sums);
  if (get_local_id(0) == 0) blocks[get_group_id(0)] = sum;
}

// Exclusive prefix sum. `scanned` has one element more than there are values: their sum. It may be
// the same buffer as `values`.
__kernel void scan_write(__global const uint *values, __global const uint *count,
                         __global const uint *restrict blocks, __global uint *scanned,
                         __local uint *sums) {
  const uint2 block = block_of(*count);
  const uint items = get_local_size(0);
  uint total;
  uint before = blocks_before(blocks, sums, &total);
  if (get_group_id(0) == 0 && get_local_id(0) == 0) scanned[*count] = total;
  for (uint first = block.x; first < block.y; first += items) {
    const uint i = first + get_local_id(0);
    const uint own = before + group_scan(i < block.y ? values[i] : 0, sums, &total);
    if (i < block.y) scanned[i] = own;
    before += total;
  }
}

// Counts the keys that a block keeps, which are all except NO_KEY. Clears the histogram.
__kernel void compact_count(__global const uint *restrict keys, __global const uint *count,
                            __global uint *restrict blocks, __global uint *restrict histogram,
                            int bins, __local uint *sums) {
  for (int i = get_global_id(0); i < bins; i += get_global_size(0)) histogram[i] = 0;
  const uint2 block = block_of(*count);
  uint mine = 0;
  for (uint i = block.x + get_local_id(0); i < block.y; i += get_local_size(0))
    mine += keys[i] != NO_KEY;
  const uint sum = group_sum(mine, sums);
  if (get_local_id(0) == 0) blocks[get_group_id(0)] = sum;
}

// Moves the kept elements to the front, up to `capacity`, and counts their keys. `scratch`: a uint
// per item, then one per bin.
__kernel void compact_move(__global const uint *restrict keys, __global const uint *restrict a,
                           __global const uint *restrict b, __global const uint *count,
                           __global const uint *restrict blocks, __global uint *restrict keys_out,
                           __global uint *restrict a_out, __global uint *restrict b_out,
                           __global uint *restrict kept_count, __global uint *restrict histogram,
                           CompactionLimits limits, __local uint *scratch) {
  const uint item = get_local_id(0), items = get_local_size(0), capacity = limits.capacity;
  const int bins = limits.bins;
  __local uint *sums = scratch, *local_bins = scratch + items;
  const uint2 block = block_of(*count);
  for (int i = item; i < bins; i += items) local_bins[i] = 0;
  uint total;
  uint before = blocks_before(blocks, sums, &total);
  if (get_group_id(0) == 0 && item == 0) *kept_count = min(total, capacity);
  for (uint first = block.x; first < block.y; first += items) {
    const uint i = first + item, key = i < block.y ? keys[i] : NO_KEY;
    const uint to = before + group_scan(key != NO_KEY, sums, &total);
    if (key != NO_KEY && to < capacity) {
      keys_out[to] = key, a_out[to] = a[i], b_out[to] = b[i];
      if (key < (uint)bins) atomic_inc(local_bins + key);
    }
    before += total;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = item; i < bins; i += items)
    if (local_bins[i]) atomic_add(histogram + i, local_bins[i]);
}

// A pass of the radix sort, by the digit `key >> shift & mask`; it has at most DIGITS values.
#define RUN 4  // adjacent elements of an item

// Counts each digit in a block. `table` has a row of all groups for each digit. `digits`: DIGITS
// local elements.
__kernel void sort_count(__global const uint *restrict keys, __global const uint *count, int shift,
                         uint mask, __global uint *restrict table, __local uint *digits) {
  const uint item = get_local_id(0), items = get_local_size(0);
  for (uint i = item; i < DIGITS; i += items) digits[i] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  const uint2 block = block_of(*count);
  for (uint i = block.x + item; i < block.y; i += items)
    atomic_inc(digits + (keys[i] >> shift & mask));
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint i = item; i < DIGITS; i += items)
    table[i * get_num_groups(0) + get_group_id(0)] = digits[i];
}

// Moves the elements to their sorted places. Local memory: `ranks` has DIGITS elements per item,
// `parts` DIGITS × DIGITS, `starts` DIGITS.
__kernel void sort_move(__global const uint *restrict keys, __global const uint *restrict values,
                        __global const uint *count, int shift, uint mask,
                        __global const uint *restrict table, __global uint *restrict keys_out,
                        __global uint *restrict values_out, __local uint *ranks,
                        __local uint *parts, __local uint *starts) {
  const uint item = get_local_id(0), items = get_local_size(0), groups = get_num_groups(0);
  const uint2 block = block_of(*count);
  // The block's elements of each digit begin after all smaller digits, and after the same digit of
  // earlier groups.
  for (uint i = item; i < DIGITS * DIGITS; i += items) {
    const uint digit = i / DIGITS;
    uint sum = 0;
    for (uint group = i % DIGITS; group < groups; group += DIGITS)
      sum += table[digit * groups + group];
    parts[i] = sum;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint digit = item; digit < DIGITS; digit += items) {
    uint sum = 0;
    for (uint i = 0; i < digit * DIGITS; i++) sum += parts[i];
    for (uint group = 0; group < get_group_id(0); group++) sum += table[digit * groups + group];
    starts[digit] = sum;
  }
  const uint stretch = (items + DIGITS - 1) / DIGITS;
  for (uint first = block.x; first < block.y; first += items * RUN) {
    const uint own = first + item * RUN;
    uint key[RUN];
    for (uint digit = 0; digit < DIGITS; digit++) ranks[digit * items + item] = 0;
    for (uint i = 0; i < RUN; i++)
      if (own + i < block.y) {
        key[i] = keys[own + i];
        ranks[(key[i] >> shift & mask) * items + item]++;
      }
    // Ranks become the number of elements with the same digit in earlier items.
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = item; i < DIGITS * DIGITS; i += items) {
      const uint from = i % DIGITS * stretch, end = min(from + stretch, items);
      uint sum = 0;
      for (uint k = from; k < end; k++) sum += ranks[i / DIGITS * items + k];
      parts[i] = sum;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = item; i < DIGITS * DIGITS; i += items) {
      const uint from = i % DIGITS * stretch, end = min(from + stretch, items);
      uint sum = 0;
      for (uint k = i / DIGITS * DIGITS; k < i; k++) sum += parts[k];
      for (uint k = from; k < end; k++) {
        const uint here = ranks[i / DIGITS * items + k];
        ranks[i / DIGITS * items + k] = sum;
        sum += here;
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = 0; i < RUN; i++)
      if (own + i < block.y) {
        const uint digit = key[i] >> shift & mask,
                   to = starts[digit] + ranks[digit * items + item]++;
        keys_out[to] = key[i], values_out[to] = values[own + i];
      }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint digit = item; digit < DIGITS; digit += items)
      for (uint k = 0; k < DIGITS; k++) starts[digit] += parts[digit * DIGITS + k];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}

// The larger of two (value, index); of equal values the first.
inline uint2 larger(uint2 a, uint2 b) { return b.x > a.x || (b.x == a.x && b.y < a.y) ? b : a; }

inline uint2 group_largest(uint2 own, __local uint2 *maxima) {
  const int item = get_local_id(0);
  barrier(CLK_LOCAL_MEM_FENCE);
  maxima[item] = own;
  for (int count = get_local_size(0); count > 1; count = (count + 1) / 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    const int other = item + (count + 1) / 2;
    if (other < count) maxima[item] = larger(maxima[item], maxima[other]);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  return maxima[0];
}

#define NOWHERE ((uint2)(0u, 0xffffffffu))

__kernel void argmax_blocks(__global const uint *restrict values, __global const uint *count,
                            __global uint2 *restrict found, __local uint2 *maxima) {
  const uint2 block = block_of(*count);
  uint2 own = NOWHERE;
  for (uint i = block.x + get_local_id(0); i < block.y; i += get_local_size(0))
    own = larger(own, (uint2)(values[i], i));
  own = group_largest(own, maxima);
  if (get_local_id(0) == 0) found[get_group_id(0)] = own;
}

// The maximum of all blocks' maxima. One work-group.
__kernel void argmax_all(__global const uint2 *restrict found, int blocks,
                         __global uint2 *restrict maximum, __local uint2 *maxima) {
  uint2 own = NOWHERE;
  for (int i = get_local_id(0); i < blocks; i += get_local_size(0)) own = larger(own, found[i]);
  own = group_largest(own, maxima);
  if (get_local_id(0) == 0) *maximum = own;
}
