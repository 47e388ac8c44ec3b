// SPDX-License-Identifier: LGPL-2.1-or-later
// The fast generalised Hough transform (Gómez Luna 2012). Pairs of edges at right angles vote for turn, scale and place one after
// the other. Three small spaces replace one of four dimensions.
//
// An edge pair is an edge and another one whose direction is SQUARE steps on. Its key has two parts: the first edge's direction, and the
// direction of the way between both relative to that. A turn of the picture changes only the first part, a change of size neither.
//
// Lists are sorted by keys, so a group knows its comparisons and the place of each result. Build with -DFORM=n: how a group compares two
// stretches of lists.
#include "hough/edgepair.clh"

#define BALANCED 0  // both stretches in local memory, comparisons dealt to the items
#define SAVING 1    // one stretch in local memory, each item with one of the other in registers

// Takes a list of edges, sorted by direction. `begins`: where each direction begins, up to one past all. `firsts`: the first edge pair
// of each first direction, then the number of edge pairs. `histogram`: by direction + 1. At most `room` edge pairs are kept: each
// `every`-th. Clears `space`. One group.
__kernel void edge_pairs_begin(__global const uint *restrict histogram, uint room, __global uint *restrict begins,
                             __global uint *restrict firsts, __global uint *restrict space, __global uint *restrict kept) {
  __local uint counts[STEPS];
  const uint item = get_local_id(0), items = get_local_size(0);
  for (uint i = item; i < KEYS; i += items) space[i] = 0;
  for (uint i = item; i < STEPS; i += items) counts[i] = histogram[i + 1];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint i = item; i <= STEPS; i += items) {
    uint edges = 0, pairs = 0;
    for (uint k = 0; k < i; k++) edges += counts[k], pairs += counts[k] * counts[(k + SQUARE) % STEPS];
    begins[i] = edges, firsts[i] = pairs;
    if (i == STEPS) {
      const uint every = max(pairs / room + (pairs % room != 0), 1u);
      kept[0] = pairs / every + (pairs % every != 0), kept[1] = every;
    }
  }
}

// Counts edge pairs by their keys and, with `listed`, lists them. An entry has the key and the places of both edges in the list of edges,
// the second one in the upper half. A group takes stretches of the edges of one direction, so that it needs one row of the space.
__kernel void edge_pairs_vote(__global const uint *restrict places, int width, __global const uint *restrict begins,
                            __global const uint *restrict firsts, __global const uint *restrict kept, int listed,
                            __global uint *restrict space, __global uint *restrict keys, __global uint *restrict pairs) {
  __local uint row[STEPS];
  __local int2 own[CHUNK];
  __local int2 others[CHUNK];
  const int item = get_local_id(0), items = get_local_size(0), direction = get_group_id(1), other = (direction + SQUARE) % STEPS;
  const int begin = begins[direction], n = begins[direction + 1] - begin, from = begins[other], m = begins[other + 1] - from;
  const uint first = firsts[direction], every = kept[1];
  for (int i = item; i < STEPS; i += items) row[i] = 0;
  for (int at = get_group_id(0) * CHUNK; at < n; at += get_num_groups(0) * CHUNK) {
    const int count = min(n - at, CHUNK);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = item; i < count; i += items) own[i] = point_at(places[begin + at + i], width);
#if FORM == BALANCED
    for (int with = 0; with < m; with += CHUNK) {
      const int wide = min(m - with, CHUNK);
      barrier(CLK_LOCAL_MEM_FENCE);
      for (int i = item; i < wide; i += items) others[i] = point_at(places[from + with + i], width);
      barrier(CLK_LOCAL_MEM_FENCE);
      for (int k = item; k < count * wide; k += items) {
        const int i = k / wide, j = k % wide;
        const int2 q = others[j];
#else
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int j = item, with = 0; j < m; j += items) {
      const int2 q = point_at(places[from + j], width);
      for (int i = 0; i < count; i++) {
#endif
        const uint number = first + (uint)(at + i) * m + with + j;
        if (every > 1 && number % every) continue;
        const int way = way_of(own[i], q, direction);
        atomic_inc(row + way);
        if (listed) {
          keys[number / every] = direction * STEPS + way;
          pairs[number / every] = (uint)(begin + at + i) | (uint)(from + with + j) << 16;
        }
      }
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = item; i < STEPS; i += items)
    if (row[i]) atomic_add(space + direction * STEPS + i, row[i]);
}

// How well the spaces of two pictures agree, by the turn between them: a group for each. `sums`: a ulong for each item, a power of two.
__kernel void edge_pairs_correlate(__global const uint *restrict before, __global const uint *restrict after,
                                 __global ulong *restrict agreement, __local ulong *sums) {
  const int item = get_local_id(0), items = get_local_size(0), turn = get_group_id(0);
  ulong sum = 0;
  for (int i = item; i < KEYS; i += items) sum += (ulong)before[i] * after[(i + turn * STEPS) % KEYS];
  sums[item] = sum;
  for (int left = items / 2; left > 0; left /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item < left) sums[item] += sums[item + left];
  }
  if (item == 0) agreement[turn] = sums[0];
}

// The turn of up to `most` steps to either side that agrees best; the first one of equals. By one item.
__kernel void edge_pairs_turn(__global const ulong *restrict agreement, int most, __global int *restrict turn) {
  ulong best = 0;
  int at = 0;
  for (int i = 0; i < STEPS; i++)
    if (min(i, STEPS - i) <= most && agreement[i] > best) best = agreement[i], at = i;
  *turn = at;
}

// The edges of a picture, and its edge pairs, sorted by keys: where those of each key begin.
#define LIST(name) __global const uint *restrict name##_places, __global const uint *restrict name##_pairs, __global const uint *restrict name##_begins

// EdgePairs of the same key, once the first ones are turned, vote for the sizes that they differ by. `off`: steps, that they are turned by
// beyond `turn`. `space`: SIZES, zeroed.
__kernel void edge_pairs_scale(LIST(before), int before_width, LIST(after), int after_width, __global const int *restrict turn,
                             int off, __global uint *restrict space) {
  __local uint votes[SIZES];
  __local int own[CHUNK];
  __local int others[CHUNK];
  const int item = get_local_id(0), items = get_local_size(0), turned = (*turn + off) % STEPS * STEPS;
  for (int i = item; i < SIZES; i += items) votes[i] = 0;
  for (int key = get_group_id(0); key < KEYS; key += get_num_groups(0)) {
    const int begin = before_begins[key], n = before_begins[key + 1] - begin;
    const int from = after_begins[(key + turned) % KEYS], m = after_begins[(key + turned) % KEYS + 1] - from;
    if (m == 0) continue;
    for (int at = 0; at < n; at += CHUNK) {
      const int count = min(n - at, CHUNK);
      barrier(CLK_LOCAL_MEM_FENCE);
      for (int i = item; i < count; i += items) own[i] = length_of(before_places, before_pairs[begin + at + i], before_width);
#if FORM == BALANCED
      for (int with = 0; with < m; with += CHUNK) {
        const int wide = min(m - with, CHUNK);
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int i = item; i < wide; i += items) others[i] = length_of(after_places, after_pairs[from + with + i], after_width);
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = item; k < count * wide; k += items) {
          const int size = size_of(own[k / wide], others[k % wide]);
          if (size >= 0) atomic_inc(votes + size);
        }
      }
#else
      barrier(CLK_LOCAL_MEM_FENCE);
      for (int j = item; j < m; j += items) {
        const int length = length_of(after_places, after_pairs[from + j], after_width);
        for (int i = 0; i < count; i++) {
          const int size = size_of(own[i], length);
          if (size >= 0) atomic_inc(votes + size);
        }
      }
#endif
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = item; i < SIZES; i += items)
    if (votes[i]) atomic_add(space + i, votes[i]);
}

// The size that most edge pairs vote for: how many, and which; the first one of equals. With `chance`, votes of those that are turned wrong,
// it is the one that stands out most from them. By one item.
__kernel void edge_pairs_size(__global const uint *restrict votes, __global const uint *restrict chance, int against,
                            __global uint *restrict size) {
  float all = 0.0f, by_chance = 0.0f, most = -1e9f;
  for (int i = 0; i < SIZES; i++) all += votes[i], by_chance += chance[i];
  int at = 0;
  for (int i = 0; i < SIZES; i++) {
    const float expected = chance[i] * all / fmax(by_chance, 1.0f);
    const float above = against ? (votes[i] - expected) / sqrt(expected + 1.0f) : (float)votes[i];
    if (above > most) most = above, at = i;
  }
  size[0] = votes[at], size[1] = at;
}

// EdgePairs of the same key, once the first ones are turned and scaled, vote for where the first picture's middle is, by both their edges.
// `turns`: for each size the cosine and sine of every turn, by it and by 4096; `size`: its votes, and its number. `space`: zeroed, `copies` of squares of 2^`fine` px, of
// which the items take turns, `plane` apart.
__kernel void edge_pairs_shift(LIST(before), int2 before_size, LIST(after), int2 after_size, __global const int2 *restrict turns,
                             __global const int *restrict turn, __global const int *restrict size, int fine, int copies, int plane,
                             __global uint *restrict space) {
  __local int4 own[CHUNK];
  __local int4 others[CHUNK];
  const int item = get_local_id(0), items = get_local_size(0), step = *turn;
  const int2 turned = turns[size[1] * STEPS + step];
  __global uint *mine = space + item % copies * plane;
  for (int key = get_group_id(0); key < KEYS; key += get_num_groups(0)) {
    const int begin = before_begins[key], n = before_begins[key + 1] - begin;
    const int from = after_begins[(key + step * STEPS) % KEYS], m = after_begins[(key + step * STEPS) % KEYS + 1] - from;
    if (m == 0) continue;
    for (int at = 0; at < n; at += CHUNK) {
      const int count = min(n - at, CHUNK);
      barrier(CLK_LOCAL_MEM_FENCE);
      for (int i = item; i < count; i += items) {
        const uint pair = before_pairs[begin + at + i];
        own[i] = (int4)(to_middle(before_places[pair & 0xffff], before_size, turned), to_middle(before_places[pair >> 16], before_size, turned));
      }
#if FORM == BALANCED
      for (int with = 0; with < m; with += CHUNK) {
        const int wide = min(m - with, CHUNK);
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int i = item; i < wide; i += items) {
          const uint pair = after_pairs[from + with + i];
          others[i] = (int4)(point_at(after_places[pair & 0xffff], after_size.x), point_at(after_places[pair >> 16], after_size.x));
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = item; k < count * wide; k += items) {
          const int4 there = own[k / wide] + others[k % wide];
          vote(mine, after_size, fine, there.xy), vote(mine, after_size, fine, there.zw);
        }
      }
#else
      barrier(CLK_LOCAL_MEM_FENCE);
      for (int j = item; j < m; j += items) {
        const uint pair = after_pairs[from + j];
        const int4 there = (int4)(point_at(after_places[pair & 0xffff], after_size.x), point_at(after_places[pair >> 16], after_size.x));
        for (int i = 0; i < count; i++) {
          vote(mine, after_size, fine, own[i].xy + there.xy), vote(mine, after_size, fine, own[i].zw + there.zw);
        }
      }
#endif
    }
  }
}

// Adds the copies of a space to the first.
__kernel void edge_pairs_fold(__global uint *space, int copies, int plane) {
  const int i = get_global_id(0);
  if (i >= plane) return;
  uint sum = 0;
  for (int copy = 0; copy < copies; copy++) sum += space[copy * plane + i];
  space[i] = sum;
}
