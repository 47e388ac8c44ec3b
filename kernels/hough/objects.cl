// SPDX-License-Identifier: LGPL-2.1-or-later
// Kernels for each frame: the edges along rows, and the selection of objects among the candidates.
#include "hough/edge.clh"
#include "hough/directions.clh"
#include "hough/interface.h"
#include "hough/tuned.clh"

// Writes the directions of the edges up to `half_width` px from each pixel along x, one bit per
// direction range. Edges count only in `region`, from (x, y) to (z - 1, w - 1). Adds to `count` the
// number of edges there that reach the upper threshold. A work-item per pixel.
__kernel void edge_rows(__global const ushort *restrict edges, int2 size, int4 region,
                        int half_width, __global ushort *restrict rows, __global uint *count) {
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
      if (x >= region.x && x < region.z && (edges[y * size.x + x] & EDGE_STRONG))
        atomic_inc(&found);
    }
    rows[y * size.x + x] = bits;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (get_local_id(0) == 0 && get_local_id(1) == 0 && found) atomic_add(count, found);
}

// One work-group. Selects objects in the order of their scores; of several at one position it keeps
// the best. An object close to another one with a far better score is a part of that one.
// `objects`: `count` candidates. `least`: minimum score. `most`: maximum number. `result` gets the
// number of objects, the number of edges, and from the second 32 bytes on the objects. `best`: a
// local element per item; the group size is a power of two.
__attribute__((reqd_work_group_size(ONE_GROUP, 1, 1))) __kernel void hough_select_objects(
    __global FoundTemplate *objects, int count, float least, int most,
    __global const uint *edge_count, __global FoundTemplate *restrict result,
    __local float2 *best) {
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
        const float2 offset = (float2)(objects[i].x - object.x, objects[i].y - object.y);
        const float distance = length(offset) / fmin(objects[i].radius, object.radius);
        if (distance <= SAME_OBJECT ||
            (distance <= NEARBY_OBJECT && objects[i].score < LEAST_RELATIVE * object.score))
          objects[i].score = -1.0f;
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
