// SPDX-License-Identifier: LGPL-2.1-or-later
// The kernels of A. Uta, "Collaborative multi-device motion estimation on multi/many-core
// platforms", 2012, for comparison: blocks of 16 px. Its "reference method" has a work-group per
// block and a work-item per candidate; its "collaborative method" has a launch per candidate (a
// "job") and a work-item per block. Windows are centred, the minimum is found on the device, and
// rows of local memory take turns, so that one barrier a row is enough.
#include "motion/cost.clh"
#include "motion/plane.clh"

#define B 16

// Build with -DITEMS=… for groups of as many items as there are candidates: drivers allow more
// where a kernel demands them.
#ifdef ITEMS
#define ITEM_PER_CANDIDATE __attribute__((reqd_work_group_size(ITEMS, 1, 1)))
#else
#define ITEM_PER_CANDIDATE
#endif

inline ulong key_at(uint sad, int2 v, int lambda) {
  return key_of(sad + lambda * vector_bits(4 * v.x, 4 * v.y), pack_vector(4 * v.x, 4 * v.y));
}

// The least of `count` keys, one per work-item; ends in found[0].
inline void reduce(__local ulong *found, ulong own, int count) {
  const int item = get_local_id(0);
  found[item] = own;
  while (count > 1) {
    const int rest = (count + 1) / 2;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item + rest < count) found[item] = min(found[item], found[item + rest]);
    count = rest;
  }
}

// Work-groups: blocks along x, along y; their items are the candidates.
__kernel ITEM_PER_CANDIDATE void search_reference_naive(__global const uchar *current,
                                                        __global const uchar *reference, int pitch,
                                                        int2 first, int2 count, int lambda,
                                                        __global ulong *keys, int columns,
                                                        __local ulong *found,
                                                        __local uchar *unused) {
  const int item = get_local_id(0), x = get_group_id(0), y = get_group_id(1);
  const int2 v = first + (int2)(item % count.x, item / count.x);
  uint sad = 0;
  for (int i = 0; i < B; i++)
    for (int j = 0; j < B; j++)
      sad += abs_diff(reference[AT(x * B + j + v.x, y * B + i + v.y, pitch)],
                      current[AT(x * B + j, y * B + i, pitch)]);
  reduce(found, key_at(sad, v, lambda), count.x * count.y);
  if (item == 0) keys[y * columns + x] = found[0];
}

// The same from local memory: the block, then the window, (B + count - 1) pixels along each axis.
__kernel ITEM_PER_CANDIDATE void search_reference_local(__global const uchar *current,
                                                        __global const uchar *reference, int pitch,
                                                        int2 first, int2 count, int lambda,
                                                        __global ulong *keys, int columns,
                                                        __local ulong *found,
                                                        __local uchar *pixels) {
  const int item = get_local_id(0), items = count.x * count.y, x = get_group_id(0),
            y = get_group_id(1);
  __local uchar *window = pixels + B * B;
  const int2 side = count + B - 1;
  for (int i = item; i < B * B; i += items)
    pixels[i] = current[AT(x * B + i % B, y * B + i / B, pitch)];
  for (int i = item; i < side.x * side.y; i += items)
    window[i] = reference[AT(x * B + first.x + i % side.x, y * B + first.y + i / side.x, pitch)];
  barrier(CLK_LOCAL_MEM_FENCE);
  const int2 at = (int2)(item % count.x, item / count.x);
  uint sad = 0;
  for (int i = 0; i < B; i++)
    for (int j = 0; j < B; j++)
      sad += abs_diff(window[(at.y + i) * side.x + at.x + j], pixels[i * B + j]);
  reduce(found, key_at(sad, first + at, lambda), items);
  if (item == 0) keys[y * columns + x] = found[0];
}

// A job lowers the keys of all blocks to those of candidate v. `start`: there are none yet.
inline void lower(__global ulong *key, ulong other, int start) {
  *key = start ? other : min(*key, other);
}

// Work-items: blocks along x and y.
__kernel void search_collaborative_naive(__global const uchar *current,
                                         __global const uchar *reference, int pitch, int2 v,
                                         int lambda, int start, __global ulong *keys, int columns,
                                         int rows) {
  const int x = get_global_id(0), y = get_global_id(1);
  if (x >= columns || y >= rows) return;
  uint sad = 0;
  for (int i = 0; i < B; i++)
    for (int j = 0; j < B; j++)
      sad += abs_diff(reference[AT(x * B + j + v.x, y * B + i + v.y, pitch)],
                      current[AT(x * B + j, y * B + i, pitch)]);
  lower(&keys[y * columns + x], key_at(sad, v, lambda), start);
}

inline uint sum16(ushort16 v) {
  const uint8 a = convert_uint8(v.even) + convert_uint8(v.odd);
  const uint4 b = a.even + a.odd;
  return b.x + b.y + b.z + b.w;
}

// For CPU devices: rows of 16 bytes from any address, no local memory.
__kernel void search_unaligned(__global const uchar *current, __global const uchar *reference,
                               int pitch, int2 v, int lambda, int start, __global ulong *keys,
                               int columns, int rows) {
  const int x = get_global_id(0), y = get_global_id(1);
  if (x >= columns || y >= rows) return;
  ushort16 sum = 0;
  for (int i = 0; i < B; i++) {
    const uchar16 p = vload16(0, reference + AT(x * B + v.x, y * B + i + v.y, pitch));
    const uchar16 q = vload16(0, current + AT(x * B, y * B + i, pitch));
    sum += convert_ushort16(max(p, q) - min(p, q));
  }
  lower(&keys[y * columns + x], key_at(sum16(sum), v, lambda), start);
}

// The SAD of an item's block by aligned rows. Each item puts 16 bytes of the group's stretch of a
// row into local memory, the last one 16 more. It reads its own bytes from v.x mod 16 on.
inline uint staged_sad(__global const uchar *current, __global const uchar *reference, int pitch,
                       int2 v, int x, int y, __local uint4 *lines) {
  const int item = get_local_id(0), items = get_local_size(0), shift = v.x & 15;
  uint sad = 0;
  for (int i = 0; i < B; i++) {
    __local uint4 *line = lines + (i & 1) * (items + 1);
    __global const uint4 *there =
        (__global const uint4 *)(reference + AT(x * B + v.x - shift, y * B + i + v.y, pitch));
    line[item] = there[0];
    if (item == items - 1) line[items] = there[1];
    barrier(CLK_LOCAL_MEM_FENCE);
    const uchar16 own = *(__global const uchar16 *)(current + AT(x * B, y * B + i, pitch));
    const uchar16 other = vload16(0, (__local const uchar *)(line + item) + shift);
    sad += sum16(convert_ushort16(max(own, other) - min(own, other)));
  }
  return sad;
}

// Work-groups: stretches of a row of blocks; what lies beyond its end computes along at the last
// block.
__kernel void search_collaborative_local(__global const uchar *current,
                                         __global const uchar *reference, int pitch, int2 v,
                                         int lambda, int start, __global ulong *keys, int columns,
                                         int rows, __local uint4 *lines) {
  const int x = get_global_id(0), y = get_global_id(1);
  const uint sad = staged_sad(current, reference, pitch, v, min(x, columns), y, lines);
  if (x < columns) lower(&keys[y * columns + x], key_at(sad, v, lambda), start);
}

// All jobs in one launch, job by job along y; the least cost · 65536 + job of each block.
__kernel void search_collaborative_single(__global const uchar *current,
                                          __global const uchar *reference, int pitch, int2 first,
                                          int2 count, int lambda, __global uint *least, int columns,
                                          int rows, __local uint4 *lines) {
  const int x = get_global_id(0), job = get_global_id(1) / rows, y = get_global_id(1) % rows;
  const int2 v = first + (int2)(job % count.x, job / count.x);
  const uint sad = staged_sad(current, reference, pitch, v, min(x, columns), y, lines);
  const uint cost = min(sad + lambda * vector_bits(4 * v.x, 4 * v.y), (uint)65535);
  if (x < columns) atomic_min(&least[y * columns + x], cost * 65536 + job);
}

// What search_collaborative_single found, as keys. Work-items: blocks.
__kernel void search_keys(__global const uint *least, __global ulong *keys, int2 first, int2 count,
                          int blocks) {
  const int i = get_global_id(0);
  if (i >= blocks) return;
  const int job = least[i] & 65535;
  const int2 v = first + (int2)(job % count.x, job / count.x);
  keys[i] = key_of(least[i] >> 16, pack_vector(4 * v.x, 4 * v.y));
}
