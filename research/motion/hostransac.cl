// SPDX-License-Identifier: LGPL-2.1-or-later
// RANSAC with the host in the loop. Build with -DITEMS, the items of a group.
#include "camera/ransac.cl"

// The motion of an iteration. One group.
__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void host_draw(
    __global const float4 *vectors, int count, uint seed, int iteration, __global float4 *motion,
    __global uint *inliers) {
  __local int first;
  float4 one;
  const float4 drew = drawn(vectors, count, seed, iteration, 0, &first, &one);
  if (get_local_id(0)) return;
  *motion = drew;
  *inliers = 0;
}

// How many vectors agree with it. Work-items: vectors.
__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void host_count(
    __global const float4 *vectors, int count, __global const float4 *motion, float error,
    __global volatile uint *inliers) {
  __local uint sum;
  const int i = get_global_id(0);
  if (get_local_id(0) == 0) sum = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (i < count && fits(*motion, vectors[i], error)) atomic_inc(&sum);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (get_local_id(0) == 0 && sum) atomic_add(inliers, sum);
}
