// SPDX-License-Identifier: LGPL-2.1-or-later
// Estimates the motion of a camera from vectors by RANSAC, in one launch. Build with -DITEMS=n, the
// items of a group, a power of two.
#include "camera/interface.h"
#include "camera/similarity.clh"
#include "camera/tuned.clh"
#include "common/sum.clh"

#define NONE 1e9f  // x of an unused vector
inline bool counts(float4 v) { return v.x < NONE; }

// Collects the vectors of blocks with texture, with their position in the previous frame relative
// to its centre. `field`: forward vectors in quarter pixels. A vector is unused if the gradients in
// SIDE px around it lie along one line or are within `noise`. A work-item per vector.
#include "motion/plane.clh"
#include "noise/bands.clh"

__kernel void camera_collect(__global const uchar *plane, __global const short2 *field,
                             __global const float *noise, __global float4 *vectors,
                             VectorGrid grid) {
  const int2 at = (int2)(get_global_id(0), get_global_id(1)), size = grid.size;
  if (any(at >= grid.count)) return;
  const int pitch = grid.pitch;
  const int2 place = at * grid.spacing + grid.spacing / 2;
  const float2 v = convert_float2(field[place.y * grid.columns + place.x]) / 4.0f;
  const int2 middle = place * grid.cell + grid.cell / 2;
  float xx = 0.0f, yy = 0.0f, xy = 0.0f;
  for (int y = -SIDE / 2; y < SIDE / 2; y += STEP)
    for (int x = -SIDE / 2; x < SIDE / 2; x += STEP) {
      __global const uchar *p = plane + AT(middle.x + x, middle.y + y, pitch);
      const float right = 0.5f * ((float)p[1] - (float)p[-1]),
                  down = 0.5f * ((float)p[pitch] - (float)p[-pitch]);
      xx += right * right, yy += down * down, xy += right * down;
    }
  const float samples = (SIDE / STEP) * (SIDE / STEP);
  const float weakest =
      (0.5f * (xx + yy) - sqrt(0.25f * (xx - yy) * (xx - yy) + xy * xy)) / samples;
  const bool shows = weakest >= LEAST_GRADIENT + noise_variance(noise) && all(middle < size);
  const float2 from = convert_float2(2 * middle - size) / 2.0f - v;
  vectors[at.y * grid.count.x + at.x] =
      shows ? (float4)(from, v) : (float4)(NONE, NONE, 0.0f, 0.0f);
}

inline uint mixed(uint x) {
  x = (x ^ (x >> 16)) * 0x7feb352du;
  x = (x ^ (x >> 15)) * 0x846ca68bu;
  return x ^ (x >> 16);
}

// The first usable vector from a position on, cyclically; `count` without one. All items of a group
// call it and search ITEMS vectors at a time. `first` is a word in local memory.
inline int next_from(__global const float4 *vectors, int count, int place, __local int *first) {
  const int item = get_local_id(0);
  int found = count > 0 && counts(vectors[place]) ? place : count;
  for (int base = 0; base < count && found == count; base += ITEMS) {
    const int i = base + item, at = place + i < count ? place + i : place + i - count;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item == 0) *first = ITEMS;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i < count && counts(vectors[at])) atomic_min(first, item);
    barrier(CLK_LOCAL_MEM_FENCE);
    const int nearest = base + *first;
    if (nearest < base + ITEMS)
      found = place + nearest < count ? place + nearest : place + nearest - count;
  }
  return found;
}

// The motion that two vectors define. It is a translation by their mean if they are equal or at one
// position, or if the rotation exceeds MAX_TURN.
inline float4 through(float4 a, float4 b, int translation) {
  const float2 offset = a.xy - b.xy, change = a.zw - b.zw;
  const float square = dot(offset, offset);
  float2 turn = times(conjugate(offset), change) / fmax(square, 1.0f);
  if (translation || square < 1.0f || dot(turn, turn) > MAX_TURN * MAX_TURN) turn = 0.0f;
  return (float4)(0.5f * (a.zw + b.zw) - times(turn, 0.5f * (a.xy + b.xy)), turn);
}

// The motion of an iteration, defined by two random vectors of the first `count`; `one` is the
// first. All items of a group call it.
inline float4 drawn(__global const float4 *vectors, int count, uint seed, int iteration,
                    int translation, __local int *first, float4 *one) {
  const uint chance = mixed(seed ^ mixed(2 * iteration)),
             other = mixed(seed ^ mixed(2 * iteration + 1));
  const int a = next_from(vectors, count, chance % max(count, 1), first);
  const int b = next_from(vectors, count, other % max(count, 1), first);
  *one = a == count ? (float4)(0.0f) : vectors[a];
  return a == count ? (float4)(0.0f) : through(*one, vectors[b], translation);
}

inline bool fits(float4 motion, float4 vector, float error) {
  const float2 residual = vector_at(motion, vector.xy) - vector.zw;
  return counts(vector) && dot(residual, residual) < error * error;
}

// Returns to every item the sum over a group.
inline float8 sum_of(__local float8 *sums, float8 own) {
  const int item = get_local_id(0);
  barrier(CLK_LOCAL_MEM_FENCE);
#if defined(WARP_SUM) && ITEMS % 32 == 0
  const float8 part =
      (float8)(warp_sum(own.s0), warp_sum(own.s1), warp_sum(own.s2), warp_sum(own.s3),
               warp_sum(own.s4), warp_sum(own.s5), warp_sum(own.s6), warp_sum(own.s7));
  if (item % 32 == 0) sums[item / 32] = part;
  barrier(CLK_LOCAL_MEM_FENCE);
  float8 total = 0.0f;
  for (int i = 0; i < ITEMS / 32; i++) total += sums[i];
  return total;
#else
  sums[item] = own;
  for (int left = ITEMS / 2; left > 0; left /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item < left) sums[item] += sums[item + left];
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  return sums[0];
#endif
}

// The key of an iteration: its inliers, then its number in the low bits, so that the first of equal
// iterations has the largest key.
#define NUMBERS 4095u
inline uint key_of(uint inliers, int iteration) { return inliers << 12 | (NUMBERS - iteration); }

// Degree to which inliers reach across a frame of `size` px, 0 to 1. They must reach across it
// along one axis. With `directed` they must reach across part of it along their motion. An arm may
// be as long as the frame, but it moves sideways. `around`: their means of x, y, x², y², xy, vx²,
// vy², vx vy.
inline float reach_of(float8 around, float2 size, int directed) {
  const float2 place = around.s01, speed = around.s56, area = fmax(size * size, 1e-6f),
               variance = fmax(around.s23 - place * place, 0.0f);
  const float2 spread = sqrt(12.0f * variance / area);
  const float across = (fmax(spread.x, spread.y) - NARROW) / (WIDE - NARROW);
  const float covariance = around.s4 - place.x * place.y, moved = speed.x + speed.y;
  const float along =
      sqrt(12.0f * fmax(dot(speed, variance) + 2.0f * around.s7 * covariance, 0.0f) /
           fmax(dot(speed, area), 1e-6f));
  const float sideways =
      1.0f - clamp((along - NARROW_ALONG) / (WIDE_ALONG - NARROW_ALONG), 0.0f, 1.0f);
  // Without motion there is no direction.
  return fmin(clamp(across, 0.0f, 1.0f),
              directed ? 1.0f - fmin(sqrt(moved), 1.0f) * sideways : 1.0f);
}

// Work-groups share the iterations: group g runs iterations g, g + groups and so on, `rounds` of
// them. It stops when its best motion has few outliers. The last group to finish fits the best
// motion of all to its inliers by least squares. `best`: the best key, and the number of groups
// that finished; both are 0 before and after. All items reach every barrier.
__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void camera_ransac(
    __global const float4 *vectors, __global volatile uint *best, __global CameraState *state,
    RansacRun run) {
  __local float8 sums[ITEMS];
  __local int last, first;
  const int item = get_local_id(0), group = get_group_id(0), groups = get_num_groups(0);
  const int count = run.count, translation = run.translation;
  const uint seed = run.seed;
  const float error = run.error;
  uint own = 0;
  float valid = 0.0f;
  bool done = false;
  for (int round = 0; round < run.rounds && !done; round++) {
    const int iteration = group + round * groups;
    float4 one;
    const float4 motion = drawn(vectors, count, seed, iteration, translation, &first, &one);
    float8 sum = 0.0f;
    for (int i = item; i < count; i += ITEMS) {
      const float4 v = vectors[i];
      sum.s0 += fits(motion, v, error) ? 1.0f : 0.0f;
      sum.s1 += counts(v) ? 1.0f : 0.0f;
    }
    sum = sum_of(sums, sum);
    own = max(own, key_of((uint)sum.s0, iteration));
    valid = sum.s1;
    done = valid - (float)(own >> 12) < run.converged * valid || valid < 2.0f;
  }
  if (item == 0) {
    atomic_max(&best[0], own);
    mem_fence(CLK_GLOBAL_MEM_FENCE);
    last = (int)atomic_inc(&best[1]) == groups - 1;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  const bool ends = last;
  const int iteration = ends ? (int)(NUMBERS - (atomic_or(&best[0], 0u) & NUMBERS)) : 0,
            end = ends ? count : 0;
  float4 origin;  // sums are relative to it, for precision
  float4 motion = drawn(vectors, end, seed, iteration, translation, &first, &origin);
  float inliers = -1.0f;
  for (int k = 0; k <= REFINEMENTS; k++) {
    float8 sum = 0.0f;  // over inliers: 1, position, vector, position × vector, squared position
    for (int i = item; i < end; i += ITEMS) {
      const float4 v = vectors[i], d = v - origin;
      const float8 part = (float8)(1.0f, d, times(conjugate(d.xy), d.zw), dot(d.xy, d.xy));
      sum += (fits(motion, v, error) ? 1.0f : 0.0f) * part;
    }
    sum = sum_of(sums, sum);
    const bool same = sum.s0 == inliers;
    inliers = sum.s0;
    if (same) break;  // the same inliers
    const float4 mean = sum.s1234 / fmax(inliers, 1.0f);
    const float2 product = sum.s56 - inliers * times(conjugate(mean.xy), mean.zw);
    const float square = sum.s7 - inliers * dot(mean.xy, mean.xy);
    const float2 turn = translation || square < 1.0f ? (float2)(0.0f) : product / square;
    if (k < REFINEMENTS && inliers > 0.0f)
      motion = (float4)(origin.zw + mean.zw - times(turn, origin.xy + mean.xy), turn);
  }
  float8 around = 0.0f;
  for (int i = item; i < end; i += ITEMS) {
    const float4 v = vectors[i];
    const float2 at = v.xy - origin.xy, speed = v.zw;
    around += (fits(motion, v, error) ? 1.0f : 0.0f) *
              (float8)(at, at * at, at.x * at.y, speed * speed, speed.x * speed.y);
  }
  const float reaches =
      reach_of(sum_of(sums, around) / fmax(inliers, 1.0f), run.size, run.directed);
  if (ends && item == 0) {
    state->vector_motion = motion;
    state->inliers = inliers;
    state->vector_count = valid;
    state->reliable = LEAST_SHARE * inliers >= count &&
                      (reaches >= 0.5f || length(state->frame_motion.xy) > MOVES);
    state->coverage = reaches;
    state->confidence = valid > 0.0f ? reaches * inliers / valid : -1.0f;
    best[0] = 0;
    best[1] = 0;
  }
}
