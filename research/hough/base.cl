// SPDX-License-Identifier: LGPL-2.1-or-later
// The fast generalised Hough transform's search for pairings as Gómez Luna (2012) begins with it: lists that are not sorted, a stretch of
// the list in local memory that is compared with all of it, votes and places in the list by atomics in global memory.
#include "hough/angle.clh"

#define CHUNK 128

// `keys`: directions + 1, `places` in a map of `width` px a row; `counts`: how many edges there are. `space`, `found`: zeroed. `room`: of
// the list of pairings.
__kernel void base_pairings(__global const uint *restrict keys, __global const uint *restrict places, __global const uint *restrict counts,
                            int width, uint room, __global uint *space, __global uint *found, __global uint *restrict kinds,
                            __global uint *restrict pairs) {
  __local int4 own[CHUNK];
  const int item = get_local_id(0), items = get_local_size(0), n = counts[0], at = get_group_id(0) * CHUNK;
  const int count = clamp(n - at, 0, CHUNK);
  for (int i = item; i < count; i += items) {
    const uint place = places[at + i];
    own[i] = (int4)(place % width, place / width, keys[at + i] - 1, 0);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (count == 0) return;
  for (int j = item; j < n; j += items) {
    const int x = places[j] % width, y = places[j] / width, direction = keys[j] - 1;
    for (int i = 0; i < count; i++) {
      if ((own[i].z + STEPS / 2) % STEPS != direction) continue;
      const int kind = own[i].z * STEPS + (line_step(x - own[i].x, y - own[i].y) - own[i].z + STEPS) % STEPS;
      atomic_inc(space + kind);
      const uint to = atomic_inc(found);
      if (to < room) kinds[to] = kind, pairs[to] = (uint)(at + i) | (uint)j << 16;
    }
  }
}
