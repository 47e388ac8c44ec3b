// SPDX-License-Identifier: LGPL-2.1-or-later
// Objects by vectors alone, after J. Gómez Luna ("Programming issues for video analysis on Graphics
// Processing Units", 2012). The camera's motion is subtracted from the vectors, and peaks are found
// in a histogram of the residuals. Every pixel gets the peak that most vectors around it belong to.
// Build with -DITEMS, the items of a group.
#include "camera/similarity.clh"

#define NO_KEY 0xffffffffu
#define MAX_SPEED 63              // px: what is faster is no vector
#define SIDE (2 * MAX_SPEED + 1)  // bins along an axis
#define BINS (SIDE * SIDE)
#define REACH 3        // px around a pixel, and around a peak
#define LEAST_VOTES 4  // more votes than these make a pixel a part of an object
#define CLUSTERS 16

inline uint packed(int x, int2 v) {
  return (uint)x | (uint)(v.x + MAX_SPEED) << 16 | (uint)(v.y + MAX_SPEED) << 24;
}
inline int2 vector_of(uint p) {
  return (int2)((int)(p >> 16 & 255) - MAX_SPEED, (int)(p >> 24) - MAX_SPEED);
}
inline int x_of(uint p) { return (int)(p & 65535); }

// Subtracts the camera's motion from vectors (x, y, vx, vy), px, with places from the frame's
// centre. `rows` gets the row, or NO_KEY where the residual is zero, too fast or outside. `list`
// gets column and residual in one word. Work-items: vectors.
__kernel void clusters_subtract_camera(__global const float4 *vectors, int count, float4 motion,
                                       int2 size, __global uint *rows, __global uint *list) {
  const int i = get_global_id(0);
  if (i >= count) return;
  const float4 v = vectors[i];
  const int2 residual = convert_int2_rte(v.zw - vector_at(motion, v.xy)),
             position = convert_int2_rte(v.xy + 0.5f * convert_float2(size));
  const bool counts = any(residual != 0) && all(abs(residual) <= (uint2)(MAX_SPEED)) &&
                      all(position >= 0) && all(position < size);
  rows[i] = counts ? (uint)position.y : NO_KEY;
  list[i] = counts ? packed(position.x, residual) : 0;
}

// Votes in `copies` histograms, each of a part of the groups. Work-items: vectors.
__kernel void clusters_vote(__global const uint *rows, __global const uint *list,
                            __global const uint *count, int copies, __global volatile uint *votes) {
  const uint i = get_global_id(0);
  if (i >= *count || rows[i] == NO_KEY) return;
  const int2 v = vector_of(list[i]);
  atomic_inc(&votes[get_group_id(0) % copies * BINS + (v.y + MAX_SPEED) * SIDE + v.x + MAX_SPEED]);
}

// Their sums; the copies are 0 again. Work-items: bins.
__kernel void clusters_sum(__global uint *votes, int copies, __global uint *sums) {
  const int i = get_global_id(0);
  if (i >= BINS) return;
  uint sum = 0;
  for (int k = 0; k < copies; k++) {
    sum += votes[k * BINS + i];
    votes[k * BINS + i] = 0;
  }
  sums[i] = sum;
}

// Peaks: bins of at least `min_votes` votes that no bin beside them exceeds, of equal ones the
// first. There is nothing beyond the border. Work-items: bins along x, y.
__kernel void clusters_peaks(__global const uint *sums, uint min_votes, __global uint *peaks) {
  const int x = get_global_id(0), y = get_global_id(1);
  if (x >= SIDE || y >= SIDE) return;
  const uint own = sums[y * SIDE + x];
  bool peak = own >= min_votes;
  for (int k = 0; k < 9; k++) {
    const int u = x + k % 3 - 1, v = y + k / 3 - 1;
    if (k == 4 || u < 0 || v < 0 || u >= SIDE || v >= SIDE) continue;
    peak = peak && (k < 4 ? own > sums[v * SIDE + u] : own >= sums[v * SIDE + u]);
  }
  peaks[y * SIDE + x] = peak ? (uint)(y * SIDE + x) : NO_KEY;
}

// The peak that a vector belongs to: the nearest within REACH, of equal ones the first; -1: none.
inline int cluster_of(int2 v, __local const int2 *peaks, int count) {
  int nearest = REACH * REACH + 1, found = -1;
  for (int i = 0; i < count; i++) {
    const int2 off = v - peaks[i];
    const int square = off.x * off.x + off.y * off.y;
    if (square < nearest) nearest = square, found = i;
  }
  return found;
}

// Of every pixel the cluster that most vectors in a window of 7 px around it belong to, of equal
// ones the first, from 1 on; 0 where no more than LEAST_VOTES do. `starts`: of the vectors of each
// row in a list sorted by rows, and its end; with `sorted` only those of the rows around are looked
// at. Work-groups: stretches of rows.
__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void clusters_pixels(
    __global const uint *rows, __global const uint *list, __global const uint *count, int sorted,
    __global const uint *starts, __global const uint *peaks, __global const uint *peak_count,
    int2 size, __global uchar *out) {
  __local int2 peak_vectors[CLUSTERS];
  __local uint chunk_rows[ITEMS], chunk[ITEMS];
  const int item = get_local_id(0), x = get_global_id(0), y = get_global_id(1);
  const int clusters = min(*peak_count, (uint)CLUSTERS);
  for (int i = item; i < clusters; i += ITEMS)
    peak_vectors[i] = (int2)(peaks[i] % SIDE, peaks[i] / SIDE) - MAX_SPEED;
  int votes[CLUSTERS];
  for (int i = 0; i < CLUSTERS; i++) votes[i] = 0;
  const uint first = sorted ? starts[max(y - REACH, 0)] : 0,
             end = sorted ? starts[min(y + REACH, size.y - 1) + 1] : *count;
  for (uint base = first; base < end; base += ITEMS) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (base + item < end) chunk_rows[item] = rows[base + item], chunk[item] = list[base + item];
    barrier(CLK_LOCAL_MEM_FENCE);
    const int loaded = min(end - base, (uint)ITEMS);
    for (int i = 0; i < loaded; i++) {
      const uint row = chunk_rows[i];
      if (row == NO_KEY || abs((int)row - y) > REACH || abs(x_of(chunk[i]) - x) > REACH) continue;
      const int cluster = cluster_of(vector_of(chunk[i]), peak_vectors, clusters);
      for (int k = 0; k < CLUSTERS; k++) votes[k] += k == cluster;
    }
  }
  int best = 0;
  for (int k = 1; k < CLUSTERS; k++) best = votes[k] > votes[best] ? k : best;
  if (x < size.x) out[y * size.x + x] = votes[best] > LEAST_VOTES ? best + 1 : 0;
}
