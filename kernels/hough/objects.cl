// SPDX-License-Identifier: LGPL-2.1-or-later
// Work of a frame with and without templates: its edges row by row and their number, and the candidates that are objects.
#include "hough/edge.clh"
#include "hough/directions.clh"
#include "hough/interface.h"

// For each pixel the directions of the edges up to `half_width` px from it in its row. `region`: edges count from (x, y) up to, not
// including, (z, w).
// `count`: edges there that reach the upper threshold; zeroed before.
__kernel void edge_rows(__global const ushort *restrict edges, int2 size, int4 region, int half_width,
                        __global ushort *restrict rows, __global uint *count) {
  __local uint found;
  if (get_local_id(0) == 0 && get_local_id(1) == 0) found = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  const int x = get_global_id(0), y = get_global_id(1);
  if (x < size.x && y < size.y) {
    ushort bits = 0;
    if (y >= region.y && y < region.w) {
      for (int u = max(x - half_width, region.x); u <= min(x + half_width, region.z - 1); u++) {
        const ushort edge = edges[y * size.x + u];
        if (edge) bits |= directions_of(edge);
      }
      if (x >= region.x && x < region.z && (edges[y * size.x + x] & EDGE_STRONG)) atomic_inc(&found);
    }
    rows[y * size.x + x] = bits;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (get_local_id(0) == 0 && get_local_id(1) == 0 && found) atomic_add(count, found);
}

#define NEAR 0.5f    // of the smaller radius: so near, two objects are one
#define AROUND 1.5f  // of it: so near, one that fits this much worse is seen in parts of the other
#define WORSE 0.7f

// By one group: the objects in the order of their scores, of several in one place the best. `result`: their number, that of the edges,
// and the objects from the second 32 bytes on. `best`: one for each item, a power of two of them.
__attribute__((reqd_work_group_size(ONE_GROUP, 1, 1)))
__kernel void choose(__global FoundTemplate *objects, int count, float least, int most, __global const uint *edge_count,
                     __global FoundTemplate *restrict result, __local float2 *best) {
  const int item = get_local_id(0), items = get_local_size(0);
  int chosen = 0;
  for (bool more = true; more && chosen < most;) {
    float2 own = (float2)(-1.0f, 0.0f);
    for (int i = item; i < count; i += items)
      if (objects[i].score > own.x) own = (float2)(objects[i].score, i);
    best[item] = own;
    for (int left = items / 2; left > 0; left /= 2) {
      barrier(CLK_LOCAL_MEM_FENCE);
      if (item < left) {
        const float2 a = best[item], b = best[item + left];
        best[item] = b.x > a.x || (b.x == a.x && b.y < a.y) ? b : a;
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const float2 top = best[0];
    more = top.x >= least;
    const FoundTemplate object = objects[(int)top.y];
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    if (more) {
      if (item == 0) result[1 + chosen] = object;
      for (int i = item; i < count; i += items) {
        const float2 way = (float2)(objects[i].x - object.x, objects[i].y - object.y);
        const float distance = length(way) / fmin(objects[i].radius, object.radius);
        if (distance <= NEAR || (distance <= AROUND && objects[i].score < WORSE * object.score)) objects[i].score = -1.0f;
      }
      chosen++;
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  }
  if (item == 0) {
    __global uint *head = (__global uint *)result;
    head[0] = chosen, head[1] = *edge_count;
  }
}
