// SPDX-License-Identifier: LGPL-2.1-or-later
// Steps of the solver: a group takes a tile of a lattice, smooths the flow there by a median, looks where
// every node's texels went, adds up their votes over the window and solves for the flow. Build as window.clh says.
#include "opticalflow/window.clh"

// `warps` steps on the lattice of `size` nodes, `step` texels apart; `tensors` holds its sums from
// `first_tensor` on. A group's tile is `side` nodes, and as much more as every further step needs around.
// The flow that comes in is multiplied by `scale` and has nodes `step` texels apart, or with `shift` 1 twice that.
// `gain`, `spread`: see noise.clh. `tile` holds flows, then votes; `strip` medians, then sums along y; `nodes_flow` what the
// nodes start from.
#ifdef GROUP_X
__attribute__((reqd_work_group_size(GROUP_X, GROUP_Y, 1)))
#endif
__kernel void flow_warp(__global const TEXEL *restrict before, __global const TEXEL *restrict after, int4 level,
                        int step, __global const float2 *restrict light, __global const float4 *restrict tensors,
                        __global const float *restrict rests, int first_tensor, __global const float *restrict noise_table, float4 gain, float spread, __global const float2 *restrict flow, int2 flow_size, int shift,
                        float scale, __global float2 *restrict result, int2 size, int2 side, int warps,
                        Window window, float alpha, int spacing, __local float2 *restrict tile,
                        __local float2 *restrict strip, __local float2 *restrict nodes_flow) {
  const int2 origin = (int2)(get_group_id(0), get_group_id(1)) * side;
  const Noise noise = noise_of(noise_table);
  const float far = far_part(noise), limit = change_limit(noise, gain);
  const int reach = reach_of(spacing, far);
  int2 last = flow_size - 1, raw = 0, raw_side = 0;
  for (int i = 0; i < warps; i++) {
    const int grow = (warps - 1 - i) * (RADIUS + reach);
    const int2 first = max(origin - grow, 0), nodes = min(origin + side + grow, size) - first;
    const int2 voter = first - RADIUS, voters = nodes + 2 * RADIUS;
    const int2 middle = max(voter >> shift, 0);
    const int2 middles = min(((voter + voters - 1) >> shift) + 1 + shift, last + 1) - middle;
    if (i == 0) {
      raw = max(middle - reach, 0), raw_side = min(middle + middles + reach, last + 1) - raw;
      LOAD_FLOW(tile, raw, raw_side)
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    FOR_ITEMS(x, y, middles)
      strip[y * middles.x + x] = smooth_at(tile, raw, raw_side.x, middle + (int2)(x, y), last, spacing, far);
    barrier(CLK_LOCAL_MEM_FENCE);
    FOR_ITEMS(x, y, voters) {
      const int2 at = clamp(voter + (int2)(x, y), 0, size - 1);
      const float2 v = shift == 0 ? strip[(at.y - middle.y) * middles.x + at.x - middle.x]
                                  : sample_flow(strip, middle, middles.x, 0.5f * convert_float2(at), last);
      const int2 node = (int2)(x, y) - RADIUS;
      if (all(node >= 0) && all(node < nodes)) nodes_flow[node.y * nodes.x + node.x] = v;
      float3 own;
      tile[y * voters.x + x] = vote(before, after, level, at * step, v, light[0], alpha, limit, &own);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    SUM_Y(tile, strip, voters.x, nodes.y, window, float2)
    barrier(CLK_LOCAL_MEM_FENCE);
    FOR_ITEMS(x, y, nodes) {
      const int index = (first.y + y) * size.x + first.x + x;
      const float4 own = tensors[first_tensor + index];
      float2 sum;
      SUM_X(sum, strip + y * voters.x + x, window)
      const float2 solution = trusted(nodes_flow[y * nodes.x + x], solve(own.xyz, sum), own,
                                      rests[first_tensor + index], noise, gain, spread, size);
      if (i + 1 < warps)
        tile[y * nodes.x + x] = solution;
      else
        result[index] = solution;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    raw = first, raw_side = nodes, last = size - 1, shift = 0;
  }
}
