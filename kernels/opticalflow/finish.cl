// SPDX-License-Identifier: LGPL-2.1-or-later
// From the last lattice to a vector and a confidence per pixel. A work-item owns ROWS pixels of a column.
#include "opticalflow/median.clh"
#include "opticalflow/noise.clh"

// A pixel that leaves the frame has a confidence of 0. Nodes lie 1 << shift px apart, the first one a
// quarter of that from the edges. `tile`: those around the group's pixels, and four more on each side; `medians` of them.
__kernel void flow_finish(__global const float2 *restrict flow, __global const float *restrict certain,
                          int2 lattice, int shift, int spacing, __global const float *noise, __global float2 *restrict vectors,
                          __global float *restrict confidence, int2 size, __local float2 *tile,
                          __local float2 *medians) {
  const int2 item = (int2)(get_local_id(0), get_local_id(1)), items = (int2)(get_local_size(0), get_local_size(1));
  const int2 area = items * (int2)(1, ROWS), origin = (int2)(get_group_id(0), get_group_id(1)) * area;
  const int2 first = (origin >> shift) - 1, last = lattice - 1;
  const int2 side = ((origin + area - 1) >> shift) + 2 - first, raw = side + 8;
  for (int y = item.y; y < raw.y; y += items.y)
    for (int x = item.x; x < raw.x; x += items.x) {
      const int2 at = clamp(first - 4 + (int2)(x, y), 0, last);
      tile[y * raw.x + x] = flow[at.y * lattice.x + at.x];
    }
  barrier(CLK_LOCAL_MEM_FENCE);
  const float far = far_part(noise);
  for (int y = item.y; y < side.y; y += items.y)
    for (int x = item.x; x < side.x; x += items.x)
      medians[y * side.x + x] =
          smooth_at(tile, first - 4, raw.x, clamp(first + (int2)(x, y), 0, last), last, spacing, far);
  barrier(CLK_LOCAL_MEM_FENCE);
  const float apart = 1.0f / (1 << shift);
  for (int row = item.y; row < area.y; row += items.y) {
    const int2 at = origin + (int2)(item.x, row);
    if (all(at < size)) {
      const float2 place = apart * convert_float2(at) - 0.25f, base = floor(place), part = place - base;
      const int2 node = convert_int2(base) - first;
      __local const float2 *p = medians + node.y * side.x + node.x, *q = p + side.x;
      const float2 v = mix(mix(p[0], p[1], part.x), mix(q[0], q[1], part.x), part.y);
      const float2 to = convert_float2(at) + v;
      const bool inside = all(to >= 0.0f) && all(to <= convert_float2(size - 1));
      const int2 own = at >> shift;
      vectors[at.y * size.x + at.x] = v;
      confidence[at.y * size.x + at.x] = inside ? certain[own.y * lattice.x + own.x] : 0.0f;
    }
  }
}

// Whether the flow back from where a pixel went leads to it again: 1 where it does, 0 where it ends a
// pixel or more away.
__kernel void flow_check(__global const float2 *vectors, __global const float2 *backward,
                         __global float *confidence, int2 size) {
  const int2 at = (int2)(get_global_id(0), get_global_id(1));
  if (any(at >= size)) return;
  const int i = at.y * size.x + at.x;
  const float2 v = vectors[i];
  const int2 to = clamp(convert_int2_rte(convert_float2(at) + v), 0, size - 1);
  const float off = length(v + backward[to.y * size.x + to.x]);
  confidence[i] *= clamp(1.0f - off, 0.0f, 1.0f);
}
