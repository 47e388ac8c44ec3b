// SPDX-License-Identifier: LGPL-2.1-or-later
// From the last lattice to a vector and a confidence per pixel.
#include "opticalflow/eigen.clh"
#include "opticalflow/median.clh"

MEDIAN_AT(median_at, __local)

// The vote of a texel in its own tensor, as a part of the trace; see level.clh.
#define TRACE_VOTE 1e-3f

// `half_sure`: the eigenvalue that gives a confidence of a half. A pixel that leaves the frame has none.
// Nodes lie 1 << shift px apart. `tile`: those around the group's pixels, and two more on each side.
__kernel void flow_finish(__global const float2 *flow, int2 lattice, int shift, int spacing,
                          __global const float *tensors, float alpha, float half_sure,
                          __global float2 *vectors, __global float *confidence, int2 size,
                          __local float2 *tile) {
  const int2 group = (int2)(get_local_size(0), get_local_size(1));
  const int2 origin = (int2)(get_group_id(0), get_group_id(1)) * group;
  const int2 first = (origin >> shift) - 2, last = lattice - 1;
  const int2 side = ((origin + group - 1) >> shift) + 4 - first;
  for (int y = get_local_id(1); y < side.y; y += group.y)
    for (int x = get_local_id(0); x < side.x; x += group.x) {
      const int2 node = clamp(first + (int2)(x, y), 0, last);
      tile[y * side.x + x] = flow[node.y * lattice.x + node.x];
    }
  barrier(CLK_LOCAL_MEM_FENCE);
  const int2 at = origin + (int2)(get_local_id(0), get_local_id(1));
  if (all(at < size)) {
    const int2 a = at >> shift;
    float2 v = median_at(tile, first, side.x, a, last, spacing);
    if (shift > 0) {
      const int2 b = min(a + 1, last);
      const float2 part = convert_float2(at - (a << shift)) / (1 << shift);
      const float2 right = median_at(tile, first, side.x, (int2)(b.x, a.y), last, spacing);
      const float2 below = median_at(tile, first, side.x, (int2)(a.x, b.y), last, spacing);
      const float2 corner = median_at(tile, first, side.x, b, last, spacing);
      v = mix(mix(v, right, part.x), mix(below, corner, part.x), part.y);
    }
    const int i = at.y * size.x + at.x;
    vectors[i] = v;
    const float2 to = convert_float2(at) + v;
    const bool inside = all(to >= 0.0f) && all(to <= convert_float2(size - 1));
    // Without the votes for the flow that is there: alpha and a part of the trace.
    const float3 sum = vload3(a.y * lattice.x + a.x, tensors);
    const float trace = (sum.x + sum.z - 2.0f * alpha) / (1.0f + 2.0f * TRACE_VOTE);
    const float votes = alpha + TRACE_VOTE * trace;
    const float least = least_eigenvalue(sum.x - votes, sum.y, sum.z - votes);
    confidence[i] = inside ? least / (least + half_sure) : 0.0f;
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
