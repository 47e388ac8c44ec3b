// SPDX-License-Identifier: LGPL-2.1-or-later
// From the last lattice to a vector and a confidence per pixel. A work-item owns ROWS pixels of a column.
#include "opticalflow/eigen.clh"
#include "opticalflow/median.clh"

MEDIAN_AT(median_at, __local)

// The vote of a texel in its own tensor, as a part of the trace; see level.clh.
#define TRACE_VOTE 1e-3f

// `half_sure`: the eigenvalue that gives a confidence of a half. A pixel that leaves the frame has none.
// Nodes lie 1 << shift px apart. `tile`: those around the group's pixels, and two more on each side;
// `nodes`: what they say.
__kernel void flow_finish(__global const float2 *flow, int2 lattice, int shift, int spacing,
                          __global const float *tensors, float alpha, float half_sure,
                          __global float2 *vectors, __global float *confidence, int2 size,
                          __local float2 *tile, __local float4 *nodes) {
  const int2 item = (int2)(get_local_id(0), get_local_id(1)), items = (int2)(get_local_size(0), get_local_size(1));
  const int2 area = items * (int2)(1, ROWS), origin = (int2)(get_group_id(0), get_group_id(1)) * area;
  const int2 first = origin >> shift, last = lattice - 1;
  const int2 side = ((origin + area - 1) >> shift) + 2 - first, raw = side + 4;
  for (int y = item.y; y < raw.y; y += items.y)
    for (int x = item.x; x < raw.x; x += items.x) {
      const int2 at = clamp(first - 2 + (int2)(x, y), 0, last);
      tile[y * raw.x + x] = flow[at.y * lattice.x + at.x];
    }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int y = item.y; y < side.y; y += items.y)
    for (int x = item.x; x < side.x; x += items.x) {
      const int2 at = min(first + (int2)(x, y), last);
      // Without the votes for the flow that is there: alpha and a part of the trace.
      const float3 sum = vload3(at.y * lattice.x + at.x, tensors);
      const float trace = (sum.x + sum.z - 2.0f * alpha) / (1.0f + 2.0f * TRACE_VOTE);
      const float votes = alpha + TRACE_VOTE * trace;
      const float least = least_eigenvalue(sum.x - votes, sum.y, sum.z - votes);
      nodes[y * side.x + x] =
          (float4)(median_at(tile, first - 2, raw.x, at, last, spacing), least / (least + half_sure), 0.0f);
    }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int row = item.y; row < area.y; row += items.y) {
    const int2 at = origin + (int2)(item.x, row);
    if (all(at < size)) {
      const int2 node = at >> shift;
      __local const float4 *p = nodes + (node.y - first.y) * side.x + node.x - first.x, *q = p + side.x;
      const float2 part = convert_float2(at - (node << shift)) / (1 << shift);
      const float2 v = mix(mix(p[0].xy, p[1].xy, part.x), mix(q[0].xy, q[1].xy, part.x), part.y);
      const float2 to = convert_float2(at) + v;
      const bool inside = all(to >= 0.0f) && all(to <= convert_float2(size - 1));
      vectors[at.y * size.x + at.x] = v;
      confidence[at.y * size.x + at.x] = inside ? p[0].z : 0.0f;
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
