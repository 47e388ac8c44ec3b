// SPDX-License-Identifier: LGPL-2.1-or-later
// The first form of the fast generalised Hough transform of Gómez Luna (2012). Lists are not
// sorted. A stretch of one list in local memory is compared with all of the other. Atomics in
// global memory count votes and give indices in the list.
#include "hough/edgepair.clh"

// `keys`: directions + 1, `indices` in a map of `width` px a row; `counts`: how many edges there
// are. `space`, `found`: zeroed. `capacity`: of the list of edge pairs.
__kernel void base_edge_pairs(__global const uint *restrict keys,
                              __global const uint *restrict indices,
                              __global const uint *restrict counts, int width, uint capacity,
                              __global uint *space, __global uint *found,
                              __global uint *restrict kinds, __global uint *restrict pairs) {
  __local int4 own[CHUNK];
  const int item = get_local_id(0), items = get_local_size(0), n = counts[0],
            at = get_group_id(0) * CHUNK;
  const int count = clamp(n - at, 0, CHUNK);
  for (int i = item; i < count; i += items)
    own[i] = (int4)(point_at(indices[at + i], width), keys[at + i] - 1, 0);
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int j = item; count > 0 && j < n; j += items) {
    const int2 to = point_at(indices[j], width);
    const int direction = keys[j] - 1;
    for (int i = 0; i < count; i++) {
      if ((own[i].z + SQUARE) % STEPS != direction) continue;
      const int kind = own[i].z * STEPS + relative_direction(own[i].xy, to, own[i].z);
      atomic_inc(space + kind);
      const uint number = atomic_inc(found);
      if (number < capacity) kinds[number] = kind, pairs[number] = (uint)(at + i) | (uint)j << 16;
    }
  }
}

// EdgePairs in no order: their kinds, the edges of each, and how many there are; at most `capacity`
// of them.
#define LIST(name)                                                                            \
  __global const uint *restrict name##_indices, __global const uint *restrict name##_kinds,   \
      __global const uint *restrict name##_pairs, __global const uint *restrict name##_count, \
      uint name##_capacity

// Votes for scales, of which `space` has SCALES, zeroed.
__kernel void base_scale(LIST(before), int before_width, LIST(after), int after_width,
                         __global const int *restrict rotation, __global uint *restrict space) {
  __local uint votes[SCALES];
  __local uint2 own[CHUNK];
  const uint item = get_local_id(0), items = get_local_size(0), rotated = *rotation * STEPS;
  const uint n = min(*before_count, before_capacity), m = min(*after_count, after_capacity);
  for (uint i = item; i < SCALES; i += items) votes[i] = 0;
  for (uint at = get_group_id(0) * CHUNK; at < n; at += get_num_groups(0) * CHUNK) {
    const uint count = min(n - at, (uint)CHUNK);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = item; i < count; i += items)
      own[i] = (uint2)((before_kinds[at + i] + rotated) % KEYS,
                       length_of(before_indices, before_pairs[at + i], before_width));
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint j = item; j < m; j += items) {
      const uint kind = after_kinds[j];
      const int length = length_of(after_indices, after_pairs[j], after_width);
      for (uint i = 0; i < count; i++) {
        if (own[i].x != kind) continue;
        const int scale = scale_bin_of(own[i].y, length);
        if (scale >= 0) atomic_inc(votes + scale);
      }
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint i = item; i < SCALES; i += items)
    if (votes[i]) atomic_add(space + i, votes[i]);
}

// Votes for positions, as edge_pairs_shift has them; `space`: zeroed.
__kernel void base_shift(LIST(before), int2 before_size, LIST(after), int2 after_size,
                         __global const int2 *restrict rotations,
                         __global const int *restrict rotation, __global const int *restrict scale,
                         int copies, int plane, __global uint *restrict space) {
  __local uint own_kinds[CHUNK];
  __local int4 own[CHUNK];
  const uint item = get_local_id(0), items = get_local_size(0), rotated_by = *rotation * STEPS;
  const uint n = min(*before_count, before_capacity), m = min(*after_count, after_capacity);
  const int2 rotated = rotations[scale[1] * STEPS + *rotation];
  __global uint *mine = space + item % copies * plane;
  for (uint at = get_group_id(0) * CHUNK; at < n; at += get_num_groups(0) * CHUNK) {
    const uint count = min(n - at, (uint)CHUNK);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = item; i < count; i += items) {
      const uint pair = before_pairs[at + i];
      own_kinds[i] = (before_kinds[at + i] + rotated_by) % KEYS;
      own[i] = (int4)(vector_to_centre(before_indices[pair & 0xffff], before_size, rotated),
                      vector_to_centre(before_indices[pair >> 16], before_size, rotated));
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint j = item; j < m; j += items) {
      const uint kind = after_kinds[j], pair = after_pairs[j];
      const int4 there = (int4)(point_at(after_indices[pair & 0xffff], after_size.x),
                                point_at(after_indices[pair >> 16], after_size.x));
      for (uint i = 0; i < count; i++) {
        if (own_kinds[i] != kind) continue;
        vote(mine, after_size, 0, own[i].xy + there.xy),
            vote(mine, after_size, 0, own[i].zw + there.zw);
      }
    }
  }
}
