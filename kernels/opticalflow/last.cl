// SPDX-License-Identifier: LGPL-2.1-or-later
// The last step of the solver, on all texels of the finest level. Build as window.clh says.
#include "opticalflow/window.clh"

// The four texels that a node of the last warp is the middle of, `step` apart; one beyond the edge stands for
// the one at the edge.
inline int2 texel_of(int2 node, int i, int step, int4 level) {
  return min((2 * node + (int2)(i & 1, i >> 1)) * step, level.xy - 1);
}

// Where they are next to each other, all of them within the frame, and what slopes need beside them.
typedef struct {
  CHANNELS now[4], gx[4], gy[4];
} Block;

inline Block block_at(__global const TEXEL *p, int pitch) {
  CHANNELS rows[2][6], above[2][2], below[2][2];
  UNROLL
  for (int y = 0; y < 2; y++) {
    UNROLL
    for (int x = 0; x < 3; x++) {
      const PAIR pair = PAIR_AT(p + y * pitch + 2 * x - 2);
      rows[y][2 * x] = LOAD(pair.lo), rows[y][2 * x + 1] = LOAD(pair.hi);
    }
    const PAIR before = PAIR_AT(p + (y - 2) * pitch), after = PAIR_AT(p + (y + 2) * pitch);
    above[y][0] = LOAD(before.lo), above[y][1] = LOAD(before.hi);
    below[y][0] = LOAD(after.lo), below[y][1] = LOAD(after.hi);
  }
  Block block;
  UNROLL
  for (int x = 0; x < 2; x++) {
    UNROLL
    for (int y = 0; y < 2; y++) {
      block.now[2 * y + x] = rows[y][x + 2];
      block.gx[2 * y + x] = SLOPE(rows[y][x], rows[y][x + 1], rows[y][x + 3], rows[y][x + 4]);
    }
    block.gy[x] = SLOPE(above[0][x], above[1][x], rows[1][x + 2], below[0][x]);
    block.gy[2 + x] = SLOPE(above[1][x], rows[0][x + 2], below[0][x], below[1][x]);
  }
  return block;
}

// The last warp of the finest level: nodes take the mean of their texels' votes, and of their tensors, which
// are needed but once. The nodes of the flow that comes in are 4 step texels apart. `certain` gets the
// smaller eigenvalue as a confidence, a half at `half_sure` without noise. `tensors`: of the lattice of flow_warp, of
// `coarse_size` nodes twice as far apart, whose noise counts here too. `tile` holds flows, then tensors and votes along
// x; `tile_y` votes along y; `strip` medians, then sums along y like `strip_y`; `nodes_flow` what the nodes start from.
#ifdef GROUP_X
__attribute__((reqd_work_group_size(GROUP_X, GROUP_Y, 1)))
#endif
__kernel void flow_last(__global const TEXEL *restrict before, __global const TEXEL *restrict after, int4 level,
                        int step, __global const float2 *restrict light, __global const float4 *restrict tensors,
                        __global const float *restrict rests, int2 coarse_size, __global const float *restrict noise_table, float4 gain, float spread,
                        __global const float2 *restrict flow, int2 flow_size, float scale, __global float2 *restrict result,
                        __global float *restrict certain, int2 size, int2 side, Window window, float alpha,
                        float half_sure, int spacing, __local float4 *tile, __local float *tile_y,
                        __local float4 *strip, __local float *strip_y, __local float2 *nodes_flow) {
  const int2 origin = (int2)(get_group_id(0), get_group_id(1)) * side;
  const int2 voter = origin - RADIUS, voters = side + 2 * RADIUS, last = flow_size - 1;
  const int2 middle = max(voter >> 1, 0), middles = min(((voter + voters - 1) >> 1) + 2, last + 1) - middle;
  const Noise noise = noise_of(noise_table);
  const float far = far_part(noise), limit = change_limit(noise, gain);
  const int reach = reach_of(spacing, far);
  const int2 raw = max(middle - reach, 0), raw_side = min(middle + middles + reach, last + 1) - raw;
  __local float2 *flows = (__local float2 *)tile, *medians = (__local float2 *)strip;
  LOAD_FLOW(flows, raw, raw_side)
  barrier(CLK_LOCAL_MEM_FENCE);
  FOR_ITEMS(x, y, middles)
    medians[y * middles.x + x] = scale * smooth_at(flows, raw, raw_side.x, middle + (int2)(x, y), last, spacing, far);
  barrier(CLK_LOCAL_MEM_FENCE);
  const float part = 0.25f / step;
  FOR_ITEMS(x, y, voters) {
    const int2 node = clamp(voter + (int2)(x, y), 0, size - 1);
    float3 texels = 0.0f;
    float2 votes = 0.0f, start = 0.0f;
    if (step == 1 && all(2 * node + 1 < level.xy)) {
      const Block block = block_at(before + texel_index(level, 2 * node), level.z);
      // They lie between the same nodes of the flow.
      const int2 a = (node >> 1) - middle, b = min(a + 1, last - middle);
      const float2 first = medians[a.y * middles.x + a.x], beside = medians[a.y * middles.x + b.x],
                   second = medians[b.y * middles.x + a.x], across = medians[b.y * middles.x + b.x];
      UNROLL
      for (int i = 0; i < 4; i++) {
        const int2 at = 2 * node + (int2)(i & 1, i >> 1);
        const float2 between = 0.25f * convert_float2(at & 3);
        const float2 v = mix(mix(first, beside, between.x), mix(second, across, between.x), between.y);
        float3 own;
        votes += vote_of(block.now[i], block.gx[i], block.gy[i], after, level, at, v, light[0], alpha, limit, &own);
        texels += own;
        start += v;
      }
    } else {
      for (int i = 0; i < 4; i++) {
        const int2 at = texel_of(node, i, step, level);
        const float2 v = sample_flow(medians, middle, middles.x, part * convert_float2(at), last);
        float3 own;
        votes += vote(before, after, level, at, v, light[0], alpha, limit, &own);
        texels += own;
        start += v;
      }
    }
    const int2 own_node = (int2)(x, y) - RADIUS;
    if (all(own_node >= 0) && all(own_node < side)) nodes_flow[own_node.y * side.x + own_node.x] = 0.25f * start;
    tile[y * voters.x + x] = 0.25f * (float4)(texels, votes.x);
    tile_y[y * voters.x + x] = 0.25f * votes.y;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  SUM_Y(tile, strip, voters.x, side.y, window, float4)
  SUM_Y(tile_y, strip_y, voters.x, side.y, window, float)
  barrier(CLK_LOCAL_MEM_FENCE);
  FOR_ITEMS(x, y, min(side, size - origin)) {
    const int index = (origin.y + y) * size.x + origin.x + x;
    float4 sum;
    float sum_y;
    SUM_X(sum, strip + y * voters.x + x, window)
    SUM_X(sum_y, strip_y + y * voters.x + x, window)
    const int2 coarse = min((origin + (int2)(x, y)) / 2, coarse_size - 1);
    const int coarse_index = coarse.y * coarse_size.x + coarse.x;
    const float share = tensors[coarse_index].w;
    result[index] = trusted(nodes_flow[y * side.x + x], solve(sum.xyz, (float2)(sum.w, sum_y)),
                            (float4)(sum.xyz, share), rests[coarse_index], noise, gain, spread, size);
    const ChannelNoise own = channel_noise(noise, gain, share, 0.0f);
    const float least = fmax(texture(sum.xyz, alpha) - own.slope, 0.0f);
    certain[index] = least * normal_recip(least + half_sure + own.slope);
  }
}
