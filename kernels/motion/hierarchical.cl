// SPDX-License-Identifier: LGPL-2.1-or-later
// Searches that test only some of the candidates. Build with -DB=4, 8, 16 or 32 (block size), and
// with -DPARTITIONED for all partitions of macroblocks.
#include "common/bands.clh"
#include "motion/area.clh"
#include "motion/interface.h"
#include "motion/tuned.clh"

// The key of a vector in whole pixels; ULONG_MAX outside the range.
inline ulong try_vector(const Area *a, int2 v) {
  if (any(abs(v) > (uint2)(a->range))) return ULONG_MAX;
  __global const uchar *there = a->there + v.y * a->pitch + v.x;
  uint sum = a->lambda * vector_bits(4 * v.x, 4 * v.y);
  for (int y = 0; y < a->size.y; y++)
    for (int x = 0; x < a->size.x; x += 4)
      sum = sad4(*(__global const uint *)(a->own + y * a->pitch + x),
                 (uint)five_bytes(there + y * a->pitch + x), sum);
  return key_of(sum, pack_vector(4 * v.x, 4 * v.y));
}

// Hexagon search. It starts at the vector 0 and moves to the cheapest corner of a hexagon until no
// corner is cheaper. Then it takes the cheapest of the eight neighbours. A work-item per key.
__kernel void motion_hexagon(__global const uchar *current, __global const uchar *reference,
                             __global ulong *keys, KeySearch search) {
  const int i = get_global_id(1) * get_global_size(0) + get_global_id(0);
  if (i >= search.count) return;
  const Area area = area_of(current, reference, search, i);
  const int2 corners[] = {(int2)(-1, -2), (int2)(1, -2), (int2)(-2, 0),
                          (int2)(2, 0),   (int2)(-1, 2), (int2)(1, 2)};
  ulong best = try_vector(&area, (int2)(0)), before;
  do {
    const int2 centre = vector_of((uint)best) / 4;
    before = best;
    for (int c = 0; c < 6; c++) best = min(best, try_vector(&area, centre + corners[c]));
  } while (best < before);
  const int2 centre = vector_of((uint)best) / 4;
  for (int n = 0; n < 9; n++)
    best = min(best, try_vector(&area, centre + (int2)(n % 3 - 1, n / 3 - 1)));
  keys[i] = best;
}

// Searches REACH px on all sides of 0 and of five predictions from planes of half the size. The
// predictions are twice the vectors of a block of COARSE_BLOCK px and of its four neighbours. That
// block contains the centre of the area. `parent_count`: blocks along x and y there. A work-group
// per key.
#define GROUP 32
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void motion_refine_level(
    __global const uchar *current, __global const uchar *reference, __global ulong *keys,
    __global const ulong *parents, KeySearch search, int2 parent_count) {
  __local ulong found[GROUP];
  const int item = get_local_id(0), key = GROUP_ROW * get_num_groups(0) + get_group_id(0),
            side = 2 * REACH + 1;
  if (key >= search.count) return;
  const Area area = area_of(current, reference, search, key);
  const int2 parent = (area.at + area.size / 2) / (2 * COARSE_BLOCK);
  const int2 around[] = {(int2)(0, 0), (int2)(0, -1), (int2)(-1, 0), (int2)(1, 0), (int2)(0, 1)};
  ulong best = ULONG_MAX;
  for (int c = item; c < 6 * side * side; c += GROUP) {
    const int origin = c / (side * side), n = c % (side * side);
    int2 centre = 0;
    if (origin < 5) {
      const int2 from = clamp(parent + around[origin], (int2)(0), parent_count - 1);
      centre = vector_of((uint)parents[from.y * parent_count.x + from.x]) / 2;
    }
    best = min(best, try_vector(&area, centre + (int2)(n % side, n / side) - REACH));
  }
  found[item] = best;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (item) return;
  for (int i = 1; i < GROUP; i++) best = min(best, found[i]);
  keys[key] = best;
}
