// SPDX-License-Identifier: LGPL-2.1-or-later
// The last step of the solver. It uses all texels of the finest level. See window.clh for the build
// options.
#include "common/bands.clh"
#include "opticalflow/tables.clh"
#include "opticalflow/window.clh"

// Texel `i` of the four texels of node `node`, `step` apart and clamped to the level.
inline int2 texel_of(int2 node, int i, int step, int4 level) {
  return min((2 * node + (int2)(i & 1, i >> 1)) * step, level.xy - 1);
}

// Four adjacent texels inside the frame with their slopes.
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

#define SUM_OF(four) dot(four, (float4)(1.0f))

#ifdef CENSUS
// The sum of rhs_of() for four texels from `at` on with flow (x, y); `own` gets the sum of their
// tensors.
inline float2 rhs_sum(Block block, __global const TEXEL *after, int4 level, int2 at, float4 x,
                      float4 y, float2 brightness, float alpha, float limit, float3 *own) {
  const float2 flow[4] = {(float2)(x.s0, y.s0), (float2)(x.s1, y.s1), (float2)(x.s2, y.s2),
                          (float2)(x.s3, y.s3)};
  float2 rhs_here = 0.0f;
  *own = 0.0f;
  UNROLL
  for (int i = 0; i < 4; i++) {
    float3 tensor;
    rhs_here += rhs_of(block.now[i], block.gx[i], block.gy[i], after, level,
                       at + (int2)(i & 1, i >> 1), flow[i], brightness, alpha, limit, &tensor);
    *own += tensor;
  }
  return rhs_here;
}
#else
// The same computation with vectors of four, for which CPUs have instructions.
inline float2 rhs_sum(Block block, __global const TEXEL *after, int4 level, int2 at, float4 x,
                      float4 y, float2 brightness, float alpha, float limit, float3 *own) {
#define FOUR(v) (float4)(v[0], v[1], v[2], v[3])
  const float4 now = FOUR(block.now), gx = FOUR(block.gx), gy = FOUR(block.gy);
  const float2 end = convert_float2(level.xy - 1);
  const float4 to_x = at.x + (float4)(0.0f, 1.0f, 0.0f, 1.0f) + x,
               to_y = at.y + (float4)(0.0f, 0.0f, 1.0f, 1.0f) + y;
  const float4 in_x = clamp(to_x, 0.0f, end.x), in_y = clamp(to_y, 0.0f, end.y),
               base_x = floor(in_x), base_y = floor(in_y);
  const float4 part_x = in_x - base_x, part_y = in_y - base_y;
  const int4 place = level.w + convert_int4(base_y) * level.z + convert_int4(base_x);
  __global const float *p[4] = {after + place.s0, after + place.s1, after + place.s2,
                                after + place.s3};
#define FOUR_AT(i) (float4)(p[0][i], p[1][i], p[2][i], p[3][i])
  const float4 above = mix(FOUR_AT(0), FOUR_AT(1), part_x),
               below = mix(FOUR_AT(level.z), FOUR_AT(level.z + 1), part_x);
  const float4 change = clamp(ADJUSTED(mix(above, below, part_y), brightness) - now, -limit, limit);
  const float4 change_inside = select(
      (float4)(0.0f), change, to_x == in_x && to_y == in_y);  // 0 for targets outside the frame
  const float4 regularisation = alpha + TRACE_WEIGHT * (gx * gx + gy * gy),
               xx = gx * gx + regularisation, xy = gx * gy, yy = gy * gy + regularisation;
  *own = (float3)(SUM_OF(xx), SUM_OF(xy), SUM_OF(yy));
  return (float2)(SUM_OF(xx * x + xy * y - gx * change_inside),
                  SUM_OF(xy * x + yy * y - gy * change_inside));
}
#endif

// Input: the flow of flow_warp, whose nodes are 4 `step` texels apart. Output: the flow of nodes 2
// `step` texels apart, in texels, and a confidence from the smaller eigenvalue. A node sums the
// right-hand sides and tensors of its four texels over the window. The tensors and residuals of
// `tables` are those of flow_warp's lattice; the share of noise comes from them.
//
// Local memory in `scratch`: `tile` holds the flow, then tensors with the right-hand sides along x;
// `tile_y` the right-hand sides along y. `strip` holds medians, then sums along y, as does
// `strip_y`. `nodes_flow` holds the flow at the start of the step.
#ifdef GROUP_X
__attribute__((reqd_work_group_size(GROUP_X, GROUP_Y, 1)))
#endif
__kernel void
flow_dense(__global const TEXEL *restrict before, __global const TEXEL *restrict after,
           __global const float2 *restrict brightness, __global const float *restrict tables,
           __global const float *restrict noise_table, __global const float2 *restrict flow,
           __global float2 *restrict result, __global float *restrict confidence, DenseWarp warp,
           __local float4 *scratch) {
  const int4 level = warp.level;
  const float4 gain = warp.gain;
  const Window window = warp.window;
  const int2 size = warp.size, flow_size = warp.flow_size, side = warp.side,
             coarse_size = warp.coarse_size;
  const int step = warp.step, spacing = warp.spacing;
  const float alpha = warp.alpha;
  __global const float4 *tensors = TENSORS_OF(tables, warp);
  __global const float *residuals = RESIDUALS_OF(tables, warp);
  __local float4 *tile = scratch, *strip = tile + warp.tile;
  __local float2 *nodes_flow = (__local float2 *)(strip + warp.strip);
  __local float *tile_y = (__local float *)(nodes_flow + side.x * side.y),
                *strip_y = tile_y + warp.tile;
  const int2 origin = (int2)(get_group_id(0), GROUP_ROW) * side;
  const int2 window_first = origin - RADIUS, window_nodes = side + 2 * RADIUS, last = flow_size - 1;
  const int2 median_first = max(window_first >> 1, 0),
             median_size =
                 min(((window_first + window_nodes - 1) >> 1) + 2, last + 1) - median_first;
  const Noise noise = noise_of(noise_table);
  const float denoising = denoising_of(noise), limit = change_limit(noise, gain);
  const int reach = smoothing_reach(spacing, denoising);
  const int2 input = max(median_first - reach, 0),
             input_side = min(median_first + median_size + reach, last + 1) - input;
  __local float2 *flows = (__local float2 *)tile, *medians = (__local float2 *)strip;
  LOAD_FLOW(flows, input, input_side)
  barrier(CLK_LOCAL_MEM_FENCE);
  FOR_ITEMS(x, y, median_size)
  medians[y * median_size.x + x] =
      warp.scale * smoothed_flow(flows, input, input_side.x, median_first + (int2)(x, y), last,
                                 spacing, denoising);
  barrier(CLK_LOCAL_MEM_FENCE);
  const float part = 0.25f / step;
  FOR_ITEMS(x, y, window_nodes) {
    const int2 node = clamp(window_first + (int2)(x, y), 0, size - 1);
    float3 texels = 0.0f;
    float2 rhs_here = 0.0f, start = 0.0f;
    if (step == 1 && all(2 * node + 1 < level.xy)) {
      const Block block = block_at(before + texel_index(level, 2 * node), level.z);
      // All four texels lie between the same nodes of the flow.
      const int2 a = (node >> 1) - median_first, b = min(a + 1, last - median_first);
      const float2 first = medians[a.y * median_size.x + a.x],
                   top_right = medians[a.y * median_size.x + b.x],
                   bottom_left = medians[b.y * median_size.x + a.x],
                   bottom_right = medians[b.y * median_size.x + b.x];
      const float4 part_x = 0.25f * convert_float4((2 * node.x + (int4)(0, 1, 0, 1)) & 3),
                   part_y = 0.25f * convert_float4((2 * node.y + (int4)(0, 0, 1, 1)) & 3);
#define BETWEEN(c)                                           \
  mix(mix((float4)(first.c), (float4)(top_right.c), part_x), \
      mix((float4)(bottom_left.c), (float4)(bottom_right.c), part_x), part_y)
      const float4 flow_x = BETWEEN(x), flow_y = BETWEEN(y);
      rhs_here = rhs_sum(block, after, level, 2 * node, flow_x, flow_y, brightness[0], alpha, limit,
                         &texels);
      start = (float2)(SUM_OF(flow_x), SUM_OF(flow_y));
    } else {
      for (int i = 0; i < 4; i++) {
        const int2 at = texel_of(node, i, step, level);
        const float2 v =
            sample_flow(medians, median_first, median_size.x, part * convert_float2(at), last);
        float3 own;
        rhs_here += rhs(before, after, level, at, v, brightness[0], alpha, limit, &own);
        texels += own;
        start += v;
      }
    }
    const int2 own_node = (int2)(x, y) - RADIUS;
    if (all(own_node >= 0) && all(own_node < side))
      nodes_flow[own_node.y * side.x + own_node.x] = 0.25f * start;
    tile[y * window_nodes.x + x] = 0.25f * (float4)(texels, rhs_here.x);
    tile_y[y * window_nodes.x + x] = 0.25f * rhs_here.y;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  SUM_Y(tile, strip, window_nodes.x, side.y, window, float4)
  SUM_Y(tile_y, strip_y, window_nodes.x, side.y, window, float)
  barrier(CLK_LOCAL_MEM_FENCE);
  FOR_ITEMS(x, y, min(side, size - origin)) {
    const int index = (origin.y + y) * size.x + origin.x + x;
    float4 sum;
    float sum_y;
    SUM_X(sum, strip + y * window_nodes.x + x, window)
    SUM_X(sum_y, strip_y + y * window_nodes.x + x, window)
    const int2 coarse = min((origin + (int2)(x, y)) / 2, coarse_size - 1);
    const int coarse_index = coarse.y * coarse_size.x + coarse.x;
    const float noise_share = tensors[coarse_index].w;
    result[index] = noise_limited(
        nodes_flow[y * side.x + x], solve(sum.xyz, (float2)(sum.w, sum_y)),
        (float4)(sum.xyz, noise_share), residuals[coarse_index], noise, gain, warp.spread, size);
    const ChannelNoise own = channel_noise(noise, gain, noise_share, 0.0f);
    const float strength = fmax(texture_strength(sum.xyz, alpha) - own.slope, 0.0f);
    confidence[index] = strength * normal_recip(strength + warp.half_confidence + own.slope);
  }
}
