// SPDX-License-Identifier: LGPL-2.1-or-later
// The fast generalised Hough transform (Gómez Luna 2012). Pairs of edges at right angles vote for
// rotation, scale and position, one after the other. So three small accumulators replace one of
// four dimensions.
//
// An edge pair is an edge and another one whose direction is SQUARE steps further. Its key has two
// parts: the first edge's direction, and the direction from one edge to the other relative to it. A
// rotation of the picture changes only the first part. A change of scale changes neither.
//
// Lists are sorted by keys, so a group knows its comparisons and the place of each result. Build
// with -DFORM=n: how a group compares two parts of lists.
#include "hough/edgepair.clh"

#define BALANCED 0  // both parts in local memory, comparisons distributed to the items
#define SAVING 1    // one part in local memory, an element of the other in each item's registers

// Input: the edges per direction, as `histogram`, by direction + 1. `begins` gets the index where
// the edges of each direction begin, and the number of edges. `firsts` gets the index of the first
// edge pair of each first direction, then the number of pairs. At most `capacity` pairs are kept,
// which are every n-th one. `pairs_count` gets their number and n. Clears `space`. One work-group.
__kernel void edge_pairs_begin(__global const uint *restrict histogram, uint capacity,
                               __global uint *restrict begins, __global uint *restrict firsts,
                               __global uint *restrict space, __global uint *restrict pairs_count) {
  __local uint counts[STEPS];
  const uint item = get_local_id(0), items = get_local_size(0);
  for (uint i = item; i < KEYS; i += items) space[i] = 0;
  for (uint i = item; i < STEPS; i += items) counts[i] = histogram[i + 1];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint i = item; i <= STEPS; i += items) {
    uint edges = 0, pairs = 0;
    for (uint k = 0; k < i; k++)
      edges += counts[k], pairs += counts[k] * counts[(k + SQUARE) % STEPS];
    begins[i] = edges, firsts[i] = pairs;
    if (i == STEPS) {
      const uint every = max(pairs / capacity + (pairs % capacity != 0), 1u);
      pairs_count[0] = pairs / every + (pairs % every != 0), pairs_count[1] = every;
    }
  }
}

// Counts edge pairs by key. With `listed` it also writes the key of each pair, and its indices in
// the list of edges. The first edge is in the lower half of a uint, the second in the upper half. A
// group takes chunks of the edges of one direction, so it needs one row of the accumulator.
__kernel void edge_pairs_vote(__global const uint *restrict indices, int width,
                              __global const uint *restrict begins,
                              __global const uint *restrict firsts,
                              __global const uint *restrict pairs_count, int listed,
                              __global uint *restrict space, __global uint *restrict keys,
                              __global uint *restrict pairs) {
  __local uint row[STEPS];
  __local int2 own[CHUNK];
  __local int2 others[CHUNK];
  const int item = get_local_id(0), items = get_local_size(0), direction = get_group_id(1),
            other = (direction + SQUARE) % STEPS;
  const int begin = begins[direction], n = begins[direction + 1] - begin, from = begins[other],
            m = begins[other + 1] - from;
  const uint first = firsts[direction], every = pairs_count[1];
  for (int i = item; i < STEPS; i += items) row[i] = 0;
  for (int at = get_group_id(0) * CHUNK; at < n; at += get_num_groups(0) * CHUNK) {
    const int count = min(n - at, CHUNK);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = item; i < count; i += items) own[i] = point_at(indices[begin + at + i], width);
#if FORM == BALANCED
    for (int with = 0; with < m; with += CHUNK) {
      const int wide = min(m - with, CHUNK);
      barrier(CLK_LOCAL_MEM_FENCE);
      for (int i = item; i < wide; i += items)
        others[i] = point_at(indices[from + with + i], width);
      barrier(CLK_LOCAL_MEM_FENCE);
      for (int k = item; k < count * wide; k += items) {
        const int i = k / wide, j = k % wide;
        const int2 q = others[j];
#else
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int j = item, with = 0; j < m; j += items) {
      const int2 q = point_at(indices[from + j], width);
      for (int i = 0; i < count; i++) {
#endif
        const uint number = first + (uint)(at + i) * m + with + j;
        if (every > 1 && number % every) continue;
        const int relative = relative_direction(own[i], q, direction);
        atomic_inc(row + relative);
        if (listed) {
          keys[number / every] = direction * STEPS + relative;
          pairs[number / every] = (uint)(begin + at + i) | (uint)(from + with + j) << 16;
        }
      }
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = item; i < STEPS; i += items)
    if (row[i]) atomic_add(space + direction * STEPS + i, row[i]);
}

// Correlates the accumulators of two pictures for each rotation between them. One group per
// rotation. `sums`: a local ulong per item; the group size is a power of two.
__kernel void edge_pairs_correlate(__global const uint *restrict before,
                                   __global const uint *restrict after,
                                   __global ulong *restrict correlation, __local ulong *sums) {
  const int item = get_local_id(0), items = get_local_size(0), rotation = get_group_id(0);
  ulong sum = 0;
  for (int i = item; i < KEYS; i += items)
    sum += (ulong)before[i] * after[(i + rotation * STEPS) % KEYS];
  sums[item] = sum;
  for (int left = items / 2; left > 0; left /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item < left) sums[item] += sums[item + left];
  }
  if (item == 0) correlation[rotation] = sums[0];
}

// Finds the rotation of at most `most` steps either way with the highest correlation. Of equal ones
// the first counts. One work-item.
__kernel void edge_pairs_find_rotation(__global const ulong *restrict correlation, int most,
                                       __global int *restrict rotation) {
  ulong best = 0;
  int at = 0;
  for (int i = 0; i < STEPS; i++)
    if (min(i, STEPS - i) <= most && correlation[i] > best) best = correlation[i], at = i;
  *rotation = at;
}

// Arguments for the edges of a picture and its edge pairs sorted by key. `begins` has the index
// where each key begins.
#define LIST(name)                                                                          \
  __global const uint *restrict name##_indices, __global const uint *restrict name##_pairs, \
      __global const uint *restrict name##_begins

// Edge pairs of equal keys, after rotating the first picture, vote for the scale between them.
// `off`: steps of additional rotation. `space`: SCALES counters, zeroed.
__kernel void edge_pairs_scale(LIST(before), int before_width, LIST(after), int after_width,
                               __global const int *restrict rotation, int off,
                               __global uint *restrict space) {
  __local uint votes[SCALES];
  __local int own[CHUNK];
  __local int others[CHUNK];
  const int item = get_local_id(0), items = get_local_size(0),
            rotated = (*rotation + off) % STEPS * STEPS;
  for (int i = item; i < SCALES; i += items) votes[i] = 0;
  for (int key = get_group_id(0); key < KEYS; key += get_num_groups(0)) {
    const int begin = before_begins[key], n = before_begins[key + 1] - begin;
    const int from = after_begins[(key + rotated) % KEYS],
              m = after_begins[(key + rotated) % KEYS + 1] - from;
    if (m == 0) continue;
    for (int at = 0; at < n; at += CHUNK) {
      const int count = min(n - at, CHUNK);
      barrier(CLK_LOCAL_MEM_FENCE);
      for (int i = item; i < count; i += items)
        own[i] = length_of(before_indices, before_pairs[begin + at + i], before_width);
#if FORM == BALANCED
      for (int with = 0; with < m; with += CHUNK) {
        const int wide = min(m - with, CHUNK);
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int i = item; i < wide; i += items)
          others[i] = length_of(after_indices, after_pairs[from + with + i], after_width);
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = item; k < count * wide; k += items) {
          const int scale = scale_bin_of(own[k / wide], others[k % wide]);
          if (scale >= 0) atomic_inc(votes + scale);
        }
      }
#else
      barrier(CLK_LOCAL_MEM_FENCE);
      for (int j = item; j < m; j += items) {
        const int length = length_of(after_indices, after_pairs[from + j], after_width);
        for (int i = 0; i < count; i++) {
          const int scale = scale_bin_of(own[i], length);
          if (scale >= 0) atomic_inc(votes + scale);
        }
      }
#endif
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = item; i < SCALES; i += items)
    if (votes[i]) atomic_add(space + i, votes[i]);
}

// Finds the scale with the most votes. `scale`: these votes, and the scale's bin. Of equal ones the
// first counts. With `against`, the scale counts that exceeds `chance` most, in standard
// deviations. `chance`: votes with a wrong rotation. One work-item.
__kernel void edge_pairs_find_scale(__global const uint *restrict votes,
                                    __global const uint *restrict chance, int against,
                                    __global uint *restrict scale) {
  float all = 0.0f, by_chance = 0.0f, most = -1e9f;
  for (int i = 0; i < SCALES; i++) all += votes[i], by_chance += chance[i];
  int at = 0;
  for (int i = 0; i < SCALES; i++) {
    const float expected = chance[i] * all / fmax(by_chance, 1.0f);
    const float above = against ? (votes[i] - expected) / sqrt(expected + 1.0f) : (float)votes[i];
    if (above > most) most = above, at = i;
  }
  scale[0] = votes[at], scale[1] = at;
}

// Edge pairs of equal keys, after rotating and scaling the first picture, vote for the position of
// its centre. Both of their edges vote. `rotations`: scale times cosine and sine of each rotation,
// times 4096, per scale. `scale`: the votes and the bin of the scale. `space`: zeroed counters.
__kernel void edge_pairs_shift(LIST(before), LIST(after), __global const int2 *restrict rotations,
                               __global const int *restrict rotation,
                               __global const int *restrict scale, PositionVotes votes,
                               __global uint *restrict space) {
  __local int4 own[CHUNK];
  __local int4 others[CHUNK];
  const int item = get_local_id(0), items = get_local_size(0), step = *rotation;
  const int2 rotated = rotations[scale[1] * STEPS + step];
  const int2 before_size = votes.before_size, after_size = votes.after_size;
  const int fine = votes.fine;
  __global uint *mine = space + item % votes.copies * votes.plane;
  for (int key = get_group_id(0); key < KEYS; key += get_num_groups(0)) {
    const int begin = before_begins[key], n = before_begins[key + 1] - begin;
    const int from = after_begins[(key + step * STEPS) % KEYS],
              m = after_begins[(key + step * STEPS) % KEYS + 1] - from;
    if (m == 0) continue;
    for (int at = 0; at < n; at += CHUNK) {
      const int count = min(n - at, CHUNK);
      barrier(CLK_LOCAL_MEM_FENCE);
      for (int i = item; i < count; i += items) {
        const uint pair = before_pairs[begin + at + i];
        own[i] = (int4)(vector_to_centre(before_indices[pair & 0xffff], before_size, rotated),
                        vector_to_centre(before_indices[pair >> 16], before_size, rotated));
      }
#if FORM == BALANCED
      for (int with = 0; with < m; with += CHUNK) {
        const int wide = min(m - with, CHUNK);
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int i = item; i < wide; i += items) {
          const uint pair = after_pairs[from + with + i];
          others[i] = (int4)(point_at(after_indices[pair & 0xffff], after_size.x),
                             point_at(after_indices[pair >> 16], after_size.x));
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
        const int4 there = (int4)(point_at(after_indices[pair & 0xffff], after_size.x),
                                  point_at(after_indices[pair >> 16], after_size.x));
        for (int i = 0; i < count; i++) {
          vote(mine, after_size, fine, own[i].xy + there.xy),
              vote(mine, after_size, fine, own[i].zw + there.zw);
        }
      }
#endif
    }
  }
}

// Adds the copies of an accumulator to the first. A work-item per counter.
__kernel void edge_pairs_sum_copies(__global uint *space, int copies, int plane) {
  const int i = get_global_id(0);
  if (i >= plane) return;
  uint sum = 0;
  for (int copy = 0; copy < copies; copy++) sum += space[copy * plane + i];
  space[i] = sum;
}
