// SPDX-License-Identifier: LGPL-2.1-or-later
// Estimates the global motion from one frame to the next. It aligns the edges of both, starting
// from the votes of the Hough transform. Each pass divides the edges among its work-groups, and the
// next pass sums their results.
#include "hough/interface.h"
#include "hough/posededge.clh"
#include "hough/tuned.clh"

// A start pose: one of 9 rotations and scales in the bins of the votes, or no motion.
inline float4 start_pose(int start, int2 size, __global const int *rotation,
                         __global const uint *scale, __global const uint *position, int fine) {
  if (start == STARTS - 1) return (float4)(1.0f, 0.0f, 0.5f * convert_float2(size - 1));
  const int columns = (size.x - 1 >> fine) + 1, bin = position[1];
  const float angle =
      (*rotation < STEPS / 2 ? *rotation : *rotation - STEPS) * (TWO_PI / 2 / STEPS) +
      (start / 3 - 1) * (TWO_PI / 3 / 180);
  const float zoom = (5 + (int)scale[1]) / 10.0f * (1.0f + (start % 3 - 1) / 30.0f);
  const float2 place =
      (convert_float2((int2)(bin % columns, bin / columns)) + 0.5f) * (float)(1 << fine) - 0.5f;
  return (float4)(zoom * unit_vector(angle), place);
}

// The distance up to which a pass searches for edges, px. `radius`: of the frame.
inline float search_reach(int round, float radius) {
  if (round == FRAME_ROUNDS) return LAST_REACH;
  const float first = FIRST_REACH * fmax(radius / FIRST_RADIUS, 1.0f);
  return fmax(first * (1.0f - round / (FRAME_ROUNDS - 1.0f)), LAST_REACH);
}

inline float radius_of(int2 size) { return length(0.5f * convert_float2(size - 1)) + 1.0f; }

// Adds the item's share of the edges to `own`: the normal equations of a fit and the number of
// those that meet an edge. Of the start poses it only adds their weights, and after the last fit
// the number of edges in the frame. `part`: the work-group among `parts`.
inline void add_edges(__global const ushort *edges, int2 size, __global const uint *indices,
                      __global const uint *begins, float4 pose, int round, int part, int parts,
                      float *own) {
  const int items = get_local_size(0) * parts, count = begins[STEPS];
  const bool starts = round < 0, last = round == FRAME_ROUNDS;
  const float radius = radius_of(size), reach = search_reach(max(round, 0), radius),
              turned = turned_steps(pose);
  for (int i = 0; i < FIT_SUMS; i++) own[i] = 0.0f;
  int direction = 0;
  for (int i = part * get_local_size(0) + get_local_id(0); i < count; i += items) {
    while (i >= (int)begins[direction + 1]) direction++;
    const PosedEdge posed = posed_edge(indices[i], direction, size, pose, turned);
    if (!posed.inside) continue;
    if (last) own[0] += 1.0f;
    float off, misfit;
    if (!meets_edge(edges, size, posed, reach, &off, &misfit)) continue;
    const float weight = fit_weight(off, misfit, reach);
    own[FIT_SUMS - 1] += starts ? weight : 1.0f;
    if (!starts && !last) add_point(own, posed.p, posed.n, radius, weight, off);
  }
}

// The sums over the parts of the last pass, in all items. `local_sums`: `count` local elements.
inline void sum_parts(__global const float *parts, int number, int count,
                      __local float *local_sums) {
  for (int i = get_local_id(0); i < count; i += get_local_size(0)) {
    float sum = 0.0f;
    for (int part = 0; part < number; part++) sum += parts[part * count + i];
    local_sums[i] = sum;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
}

// Rates the start poses: `weights` gets a sum per start and part. `parts` work-groups per start.
// `indices`, `begins`: edges of the earlier frame by direction, from EdgePairs. `rotation`,
// `scale`, `position`: results of Transform; positions are bins of 2^`fine` px. `sums`: FIT_SUMS
// local elements per item; the group size is a power of two.
__kernel void align_start(
    __global const ushort *restrict edges, int2 size, __global const uint *restrict indices,
    __global const uint *restrict begins, __global const int *restrict rotation,
    __global const uint *restrict scale, __global const uint *restrict position, int fine,
    __global float4 *restrict poses, __global float *restrict weights, __local float *sums) {
  const int parts = get_num_groups(0) / STARTS, start = get_group_id(0) % STARTS,
            part = get_group_id(0) / STARTS;
  const float4 pose = start_pose(start, size, rotation, scale, position, fine);
  float own[FIT_SUMS];
  add_edges(edges, size, indices, begins, pose, -1, part, parts, own);
  add_up(own + FIT_SUMS - 1, 1, sums, own);
  if (get_local_id(0)) return;
  weights[part * STARTS + start] = own[0];
  if (part == 0) poses[start] = pose;
}

// One of FRAME_ROUNDS fits, and after them a pass that counts the edges that meet one. `poses`: the
// start poses, then that of each round. `weights`: of align_start. `fits`: the sums of two rounds,
// in turn, FIT_SUMS per work-group. `sums` as of align_start.
__kernel void align_fit(__global const ushort *restrict edges, int2 size,
                        __global const uint *restrict indices, __global const uint *restrict begins,
                        int round, __global float4 *poses, __global const float *restrict weights,
                        __global float *fits, __local float *sums) {
  const int parts = get_num_groups(0), part = get_group_id(0);
  float4 pose;
  if (round == 0) {
    sum_parts(weights, parts, STARTS, sums);
    int best = 0;
    for (int start = 1; start < STARTS; start++)
      if (sums[start] > sums[best]) best = start;
    pose = poses[best];
  } else {
    sum_parts(fits + (round - 1) % 2 * parts * FIT_SUMS, parts, FIT_SUMS, sums);
    float all[FIT_SUMS];
    for (int i = 0; i < FIT_SUMS; i++) all[i] = sums[i];
    const float4 step = solve4(all);
    const float radius = radius_of(size);
    pose = poses[STARTS + round - 1] + (float4)(step.x / radius, step.y / radius, step.z, step.w);
  }
  float own[FIT_SUMS];
  add_edges(edges, size, indices, begins, pose, round, part, parts, own);
  add_up(own, FIT_SUMS, sums, own);
  if (get_local_id(0)) return;
  if (part == 0) poses[STARTS + round] = pose;
  for (int i = 0; i < FIT_SUMS; i++) fits[(round % 2 * parts + part) * FIT_SUMS + i] = own[i];
}

// `result` gets scale times cosine and sine of the clockwise rotation, then the shift of the
// centre, px. It also gets the fraction of the edges that meet one, among those still in the frame,
// and the number of the latter. `parts`: work-groups of align_fit. One work-group.
__kernel void align_result(int2 size, int parts, __global const float4 *restrict poses,
                           __global const float *restrict fits, __global float *restrict result) {
  __local float sums[FIT_SUMS];
  sum_parts(fits + FRAME_ROUNDS % 2 * parts * FIT_SUMS, parts, FIT_SUMS, sums);
  if (get_local_id(0)) return;
  const float4 pose = poses[STARTS + FRAME_ROUNDS];
  const float2 shift = pose.zw - 0.5f * convert_float2(size - 1);
  result[0] = pose.x, result[1] = pose.y, result[2] = shift.x, result[3] = shift.y;
  result[4] = sums[FIT_SUMS - 1] / fmax(sums[0], 1.0f), result[5] = sums[0];
}
