// SPDX-License-Identifier: LGPL-2.1-or-later
// Lists the strongest values of a map of ushort, among those with a bit of WANTED, in the order of
// the map. A value's strength is `value >> SHIFT & (STRENGTHS - 1)`; its key is the lower bits.
//
// Build with -DSHIFT=n -DSTRENGTHS=n -DWANTED=n. `sums`: a local element per item.
#include "hough/group.clh"
#include "hough/interface.h"

inline ushort value_at(__global const ushort *map, uint i, int width, int4 region) {
  const int x = i % width, y = i / width;
  const bool inside = x >= region.x && x < region.z && y >= region.y && y < region.w;
  return inside && (map[i] & WANTED) ? map[i] : 0;
}

inline int strength_of(ushort value) { return value >> SHIFT & (STRENGTHS - 1); }

// Counts the values by strength. `histogram`: zeroed.
__kernel void top_k_strengths(__global const ushort *restrict map, __global uint *histogram,
                              TopKSearch search) {
  __local uint counts[STRENGTHS];
  const uint item = get_local_id(0), items = get_local_size(0);
  for (uint i = item; i < STRENGTHS; i += items) counts[i] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  const uint2 block = block_of(search.size.x * search.size.y);
  for (uint i = block.x + item; i < block.y; i += items) {
    const ushort value = value_at(map, i, search.size.x, search.region);
    if (value) atomic_inc(counts + strength_of(value));
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint i = item; i < STRENGTHS; i += items)
    if (counts[i]) atomic_add(histogram + i, counts[i]);
}

// The strength at which the list becomes full; 0 if all values fit. `found`: a local int.
inline int least_strength(__global const uint *histogram, uint capacity, __local uint4 *sums,
                          __local int *found, uint *total) {
  const int item = get_local_id(0), items = get_local_size(0),
            share = (STRENGTHS + items - 1) / items;
  const int end = STRENGTHS - min(item * share, STRENGTHS), first = max(end - share, 0);
  uint mine = 0;
  for (int i = first; i < end; i++) mine += histogram[i];
  if (item == 0) *found = 0;
  uint above = group_scan(mine, (__local uint *)sums, total);
  if (above <= capacity && above + mine > capacity)
    for (int i = end - 1; i >= first; i--) {
      above += histogram[i];
      if (above > capacity) {
        *found = i;
        break;
      }
    }
  barrier(CLK_LOCAL_MEM_FENCE);
  return *found;
}

// Counts the values of each block that exceed this strength, and those that equal it. Clears the
// histogram of keys.
__kernel void top_k_count(__global const ushort *restrict map,
                          __global const uint *restrict histogram, __global uint *restrict stronger,
                          __global uint *restrict equal, __global uint *restrict keys_histogram,
                          TopKSearch search, __local uint4 *sums) {
  __local int found;
  uint total;
  for (int i = get_global_id(0); i < search.key_count; i += get_global_size(0))
    keys_histogram[i] = 0;
  const int least = least_strength(histogram, search.capacity, sums, &found, &total);
  const uint2 block = block_of(search.size.x * search.size.y);
  uint above = 0, same = 0;
  for (uint i = block.x + get_local_id(0); i < block.y; i += get_local_size(0)) {
    const ushort value = value_at(map, i, search.size.x, search.region);
    if (!value) continue;
    above += strength_of(value) > least;
    same += strength_of(value) == least;
  }
  const uint4 sum = group_sum_four((uint4)(above, same, 0, 0), sums);
  if (get_local_id(0) == 0) stronger[get_group_id(0)] = sum.x, equal[get_group_id(0)] = sum.y;
}

// Writes the list. `list_keys` and `list_indices` get keys and indices in the map. `counts` gets
// the length of the list and the number of all values. Values with exactly this strength fill the
// remaining room, first ones first.
__kernel void top_k_move(__global const ushort *restrict map,
                         __global const uint *restrict histogram,
                         __global const uint *restrict stronger,
                         __global const uint *restrict equal, __global uint *restrict list_keys,
                         __global uint *restrict list_indices, __global uint *restrict counts,
                         __global uint *restrict keys_histogram, TopKSearch search,
                         __local uint4 *sums) {
  const uint capacity = search.capacity;
  __local int found;
  uint all, total;
  const int least = least_strength(histogram, capacity, sums, &found, &all);
  uint4 own_blocks = 0;  // stronger and equal values of earlier blocks; the same of all blocks
  for (uint i = get_local_id(0); i < get_num_groups(0); i += get_local_size(0)) {
    const uint2 block = (uint2)(stronger[i], equal[i]);
    own_blocks += (uint4)(i < get_group_id(0) ? block : (uint2)(0, 0), block);
  }
  const uint4 blocks = group_sum_four(own_blocks, sums);
  uint above = blocks.x, same = blocks.y;
  const uint left = min(capacity - blocks.z, blocks.w);
  if (get_group_id(0) == 0 && get_local_id(0) == 0) counts[0] = blocks.z + left, counts[1] = all;
  const uint2 block = block_of(search.size.x * search.size.y);
  const uint items = get_local_size(0);
  for (uint first = block.x; first < block.y; first += items) {
    const uint i = first + get_local_id(0);
    const ushort value = i < block.y ? value_at(map, i, search.size.x, search.region) : 0;
    const int strength = strength_of(value);
    // One scan sums both counts, because a group has fewer than 2^16 items.
    const uint own = value ? (strength > least) + (strength == least ? 0x10000u : 0u) : 0u;
    const uint before = group_scan(own, (__local uint *)sums, &total);
    const uint earlier = same + (before >> 16), to = above + (before & 0xffff) + min(earlier, left);
    if ((own & 1) || (own && earlier < left)) {
      const uint key = value & ((1 << SHIFT) - 1);
      list_keys[to] = key, list_indices[to] = i;
      atomic_inc(keys_histogram + key);
    }
    above += total & 0xffff, same += total >> 16;
  }
}
