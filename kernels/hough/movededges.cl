// SPDX-License-Identifier: LGPL-2.1-or-later
// Estimates the global motion without what stands still in the picture, such as logos, subtitles
// and bars. An edge stands still if the next frame has an equal edge at the same place. The other
// edges vote for a shift, from which they are aligned. Their pose replaces that of all edges if
// more areas of the frame move with it than stand still.
#include "hough/group.clh"
#include "hough/interface.h"
#include "hough/posededge.clh"
#include "hough/tuned.clh"

#define ALL_AREAS (AREAS * AREAS)

// The maximum shift that gets votes, px.
inline int shift_reach(int2 size) {
  const float radius = 0.5f * length(convert_float2(size - 1)) + 1.0f;
  return min((int)(SHIFT_REACH * fmax(radius / FIRST_RADIUS, 1.0f)), MOST_SHIFT);
}

inline float steps_between(float a, float b) {
  const float off = fabs(a - b);
  return fmin(off, STEPS - off);
}

// The pose in the result of align_result; its shift is that of the frame's middle.
inline float4 pose_of(__global const float *result, float2 middle) {
  return (float4)(result[0], result[1], result[2] + middle.x, result[3] + middle.y);
}

// The number of strong edges from x to end - 1 in a row. Their highest bit is set.
inline uint count_strong(__global const ushort *row, int x, int end) {
  ushort16 sums = 0;
  for (; x + 16 <= end; x += 16) sums += vload16(0, row + x) >> (ushort16)(15);
  const ushort8 eight = sums.lo + sums.hi;
  const ushort4 four = eight.lo + eight.hi;
  uint count = four.x + four.y + four.z + four.w;
  for (; x < end; x++) count += row[x] >> 15;
  return count;
}

// Lists an edge. `counts`: of edges that stand still, of others in the frame after the pose, and of
// these, those on an edge.
inline void list_edge(__global const ushort *before, __global const ushort *after, int2 size,
                      uint index, float4 pose, float turned, __global uint *entry,
                      __local uint *counts) {
  const ushort edge = before[index], next = after[index];
  const bool still = next && steps_between(edge_step(edge), edge_step(next)) <= SAME_DIRECTION;
  *entry = index | (still ? STILL_EDGE : 0);
  if (still) atomic_inc(counts);
  const PosedEdge posed = posed_edge(index, edge_step(edge), size, pose, turned);
  if (still || !posed.inside) return;
  float off, misfit;
  atomic_inc(counts + 1);
  if (meets_edge(after, size, posed, ON_EDGE, &off, &misfit)) atomic_inc(counts + 2);
}

// Lists strong edges of the earlier frame: up to AREA_EDGES in each of the areas of `region`, from
// .xy to .zw - 1. Clears `votes`. `result`: of align_result. One group per area; `sums`: a local
// element per item.
__kernel void moved_edges_sample(__global const ushort *restrict before,
                                 __global const ushort *restrict after, int2 size, int4 region,
                                 __global const float *restrict result,
                                 __global AreaEdges *restrict areas, __global uint *restrict votes,
                                 __local uint *sums) {
  __local uint counts[3];
  const int side = 2 * shift_reach(size) + 1;
  const int item = get_local_id(0), items = get_local_size(0), area = get_group_id(0);
  for (int i = get_global_id(0); i < side * side; i += get_global_size(0)) votes[i] = 0;
  if (item == 0) counts[0] = counts[1] = counts[2] = 0;
  const int2 column = (int2)(area % AREAS, area % AREAS + 1),
             line = (int2)(area / AREAS, area / AREAS + 1);
  const int2 x = region.x + column * (region.z - region.x) / AREAS,
             y = region.y + line * (region.w - region.y) / AREAS;
  // The item's rows.
  const int first = y.x + (y.y - y.x) * item / items, last = y.x + (y.y - y.x) * (item + 1) / items;
  uint own = 0, all;
  for (int v = first; v < last; v++) own += count_strong(before + v * size.x, x.x, x.y);
  uint number = group_scan(own, sums, &all);  // of the next edge
  const uint every = max((all + AREA_EDGES - 1) / AREA_EDGES, 1u), end = number + own;
  uint slot = (number + every - 1) / every;  // for the next edge that is listed
  const float4 pose = pose_of(result, 0.5f * convert_float2(size - 1));
  const float turned = turned_steps(pose);
  for (int v = first; v < last && slot * every < end; v++) {
    const uint row_end = number + count_strong(before + v * size.x, x.x, x.y);
    for (int u = x.x; u < x.y && slot * every < row_end; u++) {
      const uint index = v * size.x + u;
      if (before[index] & EDGE_STRONG && number++ == slot * every)
        list_edge(before, after, size, index, pose, turned, areas[area].edges + slot++, counts);
    }
    number = row_end;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (item) return;
  areas[area].count = (all + every - 1) / every, areas[area].still = counts[0];
  areas[area].inside = counts[1], areas[area].met = counts[2];
}

inline bool is_still(__global const AreaEdges *area) {
  return area->still >= STILL_PART * area->count;
}

// True if moved edges are to be aligned: enough areas have moved, and some stand still or the pose
// of all edges does not fit. `met`: the part of the moved edges that are on an edge by this pose.
inline bool is_needed(__global const AreaEdges *areas, float *met) {
  uint still = 0, moved = 0, inside = 0, on_edge = 0;
  for (int i = 0; i < ALL_AREAS; i++) {
    inside += areas[i].inside, on_edge += areas[i].met;
    if (2 * areas[i].count < AREA_EDGES) continue;
    if (is_still(areas + i))
      still++;
    else
      moved++;
  }
  *met = on_edge / fmax((float)inside, 1.0f);
  return moved > 0 && moved >= LEAST_MOVED * (moved + still) &&
         (still >= LEAST_STILL || *met < LEAST_MET);
}

// Each moved edge votes for the shifts of up to shift_reach() px to an edge of its direction.
// `votes`: a counter per shift, row by row.
__kernel void moved_edges_vote(__global const ushort *restrict before,
                               __global const ushort *restrict after, int2 size,
                               __global const AreaEdges *restrict areas, __global uint *votes) {
  const int item = get_local_id(0), items = get_local_size(0), reach = shift_reach(size);
  float met;
  if (!is_needed(areas, &met)) return;
  for (int area = get_group_id(0); area < ALL_AREAS; area += get_num_groups(0))
    for (uint k = 0; k < areas[area].count; k++) {
      const uint index = areas[area].edges[k];
      if (index & STILL_EDGE) continue;
      const int step = edge_step(before[index]);
      const int2 at = (int2)(index % size.x, index / size.x);
      for (int y = max(-reach, -at.y); y <= min(reach, size.y - 1 - at.y); y++)
        for (int x = max(-reach, -at.x) + item; x <= min(reach, size.x - 1 - at.x); x += items) {
          const ushort edge = after[(at.y + y) * size.x + at.x + x];
          if (edge && steps_between(step, edge_step(edge)) <= SAME_DIRECTION)
            atomic_inc(votes + (y + reach) * (2 * reach + 1) + x + reach);
        }
    }
}

// The shift with the most votes, its own twice and those of its neighbours. Of equal ones the first
// counts. `best`: two local elements.
inline float2 most_voted(__global const uint *votes, int reach, __local uint *best) {
  const int side = 2 * reach + 1;
  for (int pass = 0; pass < 2; pass++) {  // the number of votes, then the shift
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0) best[pass] = pass ? side * side : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = get_local_id(0); i < side * side; i += get_local_size(0)) {
      const int x = i % side, y = i / side;
      uint sum = votes[i];
      for (int v = max(y - 1, 0); v <= min(y + 1, side - 1); v++)
        for (int u = max(x - 1, 0); u <= min(x + 1, side - 1); u++) sum += votes[v * side + u];
      if (pass == 0) atomic_max(best, sum);
      if (pass == 1 && sum == best[0]) atomic_min(best + 1, (uint)i);
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  return (float2)((int)best[1] % side - reach, (int)best[1] / side - reach);
}

// Adds the item's edges to the normal equations of a fit. `late`: still edges count too where their
// area moved and the pose hardly shifts them across.
inline void add_moved(__global const ushort *before, __global const ushort *after, int2 size,
                      __global const AreaEdges *areas, float4 pose, float reach, bool late,
                      float *own) {
  const float radius = length(0.5f * convert_float2(size - 1)) + 1.0f, turned = turned_steps(pose);
  for (int i = 0; i < FIT_SUMS; i++) own[i] = 0.0f;
  for (int i = get_local_id(0); i < ALL_AREAS * AREA_EDGES; i += get_local_size(0)) {
    __global const AreaEdges *area = areas + i / AREA_EDGES;
    if (i % AREA_EDGES >= area->count) continue;
    const bool still = (area->edges[i % AREA_EDGES] & STILL_EDGE) != 0;
    if (still && (!late || is_still(area))) continue;
    const uint index = area->edges[i % AREA_EDGES] & ~STILL_EDGE;
    const PosedEdge posed = posed_edge(index, edge_step(before[index]), size, pose, turned);
    float off, misfit;
    if (!posed.inside || (still && fabs(posed.across) >= CLEAR_SHIFT)) continue;
    if (!meets_edge(after, size, posed, reach, &off, &misfit)) continue;
    add_point(own, posed.p, posed.n, radius, fit_weight(off, misfit, reach), off);
    own[14] += 1.0f;
  }
}

// Compares a pose with the stillness of the picture, by edges that the pose clearly shifts.
// `balance`: a local counter per area, zeroed. It gets the number of those on an edge after the
// pose, less the number of those that stand still.
// `own` gets the item's moved edges in the frame, those near an edge, and those on one.
inline void compare_areas(__global const ushort *before, __global const ushort *after, int2 size,
                          __global const AreaEdges *areas, float4 pose, __local int *balance,
                          float *own) {
  const float turned = turned_steps(pose);
  for (int i = 0; i < 3; i++) own[i] = 0.0f;
  for (int i = get_local_id(0); i < ALL_AREAS * AREA_EDGES; i += get_local_size(0)) {
    const int area = i / AREA_EDGES;
    if (i % AREA_EDGES >= areas[area].count) continue;
    const bool still = (areas[area].edges[i % AREA_EDGES] & STILL_EDGE) != 0;
    const uint index = areas[area].edges[i % AREA_EDGES] & ~STILL_EDGE;
    const PosedEdge posed = posed_edge(index, edge_step(before[index]), size, pose, turned);
    if (!posed.inside) continue;
    float off = 0.0f, misfit;
    const bool near = meets_edge(after, size, posed, LAST_REACH, &off, &misfit),
               on_edge = near && fabs(off) <= ON_EDGE;
    if (!still) own[0] += 1.0f, own[1] += near, own[2] += on_edge;
    if (fabs(posed.across) >= CLEAR_SHIFT && still != on_edge)
      atomic_add(balance + area, still ? -1 : 1);
  }
}

// Aligns the moved edges. Their pose replaces `result`, of align_result, if it is more likely. One
// work-group. `sums`: FIT_SUMS local elements per item; the group size is a power of two.
__kernel void moved_edges_align(__global const ushort *restrict before,
                                __global const ushort *restrict after, int2 size,
                                __global const AreaEdges *restrict areas,
                                __global const uint *restrict votes,
                                __global float *restrict result, __local float *sums) {
  __local uint best[2];
  __local int balance[ALL_AREAS];
  const int item = get_local_id(0), items = get_local_size(0);
  float met;
  if (!is_needed(areas, &met)) return;
  const float2 middle = 0.5f * convert_float2(size - 1);
  const float radius = length(middle) + 1.0f;
  float4 pose = (float4)(1.0f, 0.0f, middle + most_voted(votes, shift_reach(size), best));
  float own[FIT_SUMS];
  for (int round = 0; round < MOVED_ROUNDS; round++) {
    const float less = (MOVED_REACH - LAST_REACH) * round / (MOVED_ROUNDS - 2.0f);
    add_moved(before, after, size, areas, pose, fmax(MOVED_REACH - less, LAST_REACH),
              2 * round >= MOVED_ROUNDS, own);
    add_up(own, FIT_SUMS, sums, own);
    const float4 step = solve4(own);
    pose += (float4)(step.x / radius, step.y / radius, step.z, step.w);
  }
  for (int i = item; i < ALL_AREAS; i += items) balance[i] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  compare_areas(before, after, size, areas, pose, balance, own);
  barrier(CLK_LOCAL_MEM_FENCE);
  own[3] = own[4] = 0.0f;
  for (int i = item; i < ALL_AREAS; i += items) own[3] += balance[i] > 0, own[4] += balance[i] < 0;
  add_up(own, 5, sums, own);
  const float on_edge = own[2] / fmax(own[0], 1.0f),
              more = own[4] >= LEAST_STILL ? 1.0f : MORE_ON_EDGE;
  if (item || on_edge <= more * met || on_edge < LEAST_ON_EDGE) return;
  if (own[3] <= MORE_AREAS * own[4]) return;
  result[0] = pose.x, result[1] = pose.y;
  result[2] = pose.z - middle.x, result[3] = pose.w - middle.y;
  result[4] = own[1] / fmax(own[0], 1.0f), result[5] = own[0];
}
