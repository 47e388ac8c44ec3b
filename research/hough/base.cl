// SPDX-License-Identifier: LGPL-2.1-or-later
// The first form of the fast generalised Hough transform of Gómez Luna (2012). Lists are not sorted. A stretch of one list in local memory
// is compared with all of the other. Atomics in global memory count votes and give places in the list.
#include "hough/edgepair.clh"

// `keys`: directions + 1, `places` in a map of `width` px a row; `counts`: how many edges there are. `space`, `found`: zeroed. `room`: of
// the list of edge pairs.
__kernel void base_edge_pairs(__global const uint *restrict keys, __global const uint *restrict places, __global const uint *restrict counts,
                            int width, uint room, __global uint *space, __global uint *found, __global uint *restrict kinds,
                            __global uint *restrict pairs) {
  __local int4 own[CHUNK];
  const int item = get_local_id(0), items = get_local_size(0), n = counts[0], at = get_group_id(0) * CHUNK;
  const int count = clamp(n - at, 0, CHUNK);
  for (int i = item; i < count; i += items) own[i] = (int4)(point_at(places[at + i], width), keys[at + i] - 1, 0);
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int j = item; count > 0 && j < n; j += items) {
    const int2 to = point_at(places[j], width);
    const int direction = keys[j] - 1;
    for (int i = 0; i < count; i++) {
      if ((own[i].z + SQUARE) % STEPS != direction) continue;
      const int kind = own[i].z * STEPS + relative_direction(own[i].xy, to, own[i].z);
      atomic_inc(space + kind);
      const uint number = atomic_inc(found);
      if (number < room) kinds[number] = kind, pairs[number] = (uint)(at + i) | (uint)j << 16;
    }
  }
}

// EdgePairs in no order: their kinds, the edges of each, and how many there are; at most `room` of them.
#define LIST(name)                                                                                                                        \
  __global const uint *restrict name##_places, __global const uint *restrict name##_kinds, __global const uint *restrict name##_pairs, \
      __global const uint *restrict name##_count, uint name##_room

// Votes for sizes, of which `space` has SIZES, zeroed.
__kernel void base_scale(LIST(before), int before_width, LIST(after), int after_width, __global const int *restrict turn,
                         __global uint *restrict space) {
  __local uint votes[SIZES];
  __local uint2 own[CHUNK];
  const uint item = get_local_id(0), items = get_local_size(0), turned = *turn * STEPS;
  const uint n = min(*before_count, before_room), m = min(*after_count, after_room);
  for (uint i = item; i < SIZES; i += items) votes[i] = 0;
  for (uint at = get_group_id(0) * CHUNK; at < n; at += get_num_groups(0) * CHUNK) {
    const uint count = min(n - at, (uint)CHUNK);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = item; i < count; i += items)
      own[i] = (uint2)((before_kinds[at + i] + turned) % KEYS, length_of(before_places, before_pairs[at + i], before_width));
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint j = item; j < m; j += items) {
      const uint kind = after_kinds[j];
      const int length = length_of(after_places, after_pairs[j], after_width);
      for (uint i = 0; i < count; i++) {
        if (own[i].x != kind) continue;
        const int size = size_of(own[i].y, length);
        if (size >= 0) atomic_inc(votes + size);
      }
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint i = item; i < SIZES; i += items)
    if (votes[i]) atomic_add(space + i, votes[i]);
}

// Votes for places, as edge_pairs_shift has them; `space`: zeroed.
__kernel void base_shift(LIST(before), int2 before_size, LIST(after), int2 after_size, __global const int2 *restrict turns,
                         __global const int *restrict turn, __global const int *restrict size, int copies, int plane,
                         __global uint *restrict space) {
  __local uint own_kinds[CHUNK];
  __local int4 own[CHUNK];
  const uint item = get_local_id(0), items = get_local_size(0), turned_by = *turn * STEPS;
  const uint n = min(*before_count, before_room), m = min(*after_count, after_room);
  const int2 turned = turns[size[1] * STEPS + *turn];
  __global uint *mine = space + item % copies * plane;
  for (uint at = get_group_id(0) * CHUNK; at < n; at += get_num_groups(0) * CHUNK) {
    const uint count = min(n - at, (uint)CHUNK);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = item; i < count; i += items) {
      const uint pair = before_pairs[at + i];
      own_kinds[i] = (before_kinds[at + i] + turned_by) % KEYS;
      own[i] = (int4)(to_middle(before_places[pair & 0xffff], before_size, turned), to_middle(before_places[pair >> 16], before_size, turned));
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint j = item; j < m; j += items) {
      const uint kind = after_kinds[j], pair = after_pairs[j];
      const int4 there = (int4)(point_at(after_places[pair & 0xffff], after_size.x), point_at(after_places[pair >> 16], after_size.x));
      for (uint i = 0; i < count; i++) {
        if (own_kinds[i] != kind) continue;
        vote(mine, after_size, 0, own[i].xy + there.xy), vote(mine, after_size, 0, own[i].zw + there.zw);
      }
    }
  }
}
