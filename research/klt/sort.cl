// SPDX-License-Identifier: LGPL-2.1-or-later
// All candidates in order, the strongest first, by Batcher's bitonic sort.
#include "klt/points.clh"

__kernel void sort_begin(__global const ulong *keys, __global const int *state, int count,
                         __global ulong *sorted) {
  const int i = get_global_id(0);
  if (i < count) sorted[i] = i < state[CANDIDATE_COUNT] ? keys[i] : 0;
}

// Items: all keys, a power of two. Each pair `distance` is put in order, which alternates from part
// to part of `part` keys.
__kernel void sort_step(__global ulong *sorted, int count, int part, int distance) {
  const int i = get_global_id(0), other = i ^ distance;
  if (i >= count || other < i) return;
  const ulong a = sorted[i], b = sorted[other];
  if ((a < b) != ((i & part) != 0)) {
    sorted[i] = b;
    sorted[other] = a;
  }
}
