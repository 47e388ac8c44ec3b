// SPDX-License-Identifier: LGPL-2.1-or-later
// Steps of the solver: a group takes a tile of a lattice, smooths the flow there by a median, looks where
// every node's texels went, adds up their votes over the window and solves for the flow.
//
// -DRADIUS=n: the window's taps, in nodes.
#include "common/items.clh"
#include "opticalflow/level.clh"
#include "opticalflow/median.clh"
#include "opticalflow/noise.clh"

#define UNROLL _Pragma("unroll")

// The window's sums: from votes in `tile` along y into `strip`, then along x. Along y an item adds up SUMS
// neighbours at a time, so that each vote is loaded for all of them; it may load, not use, some behind the end.
#define SUM_Y(tile, strip, wide, tall, window, type)                                              \
  FOR_ITEMS(x, y, (int2)(wide, (tall + SUMS - 1) / SUMS)) {                                       \
    type sum[SUMS];                                                                               \
    __local const type *column = tile + y * SUMS * wide + x;                                      \
    UNROLL                                                                                        \
    for (int o = 0; o < SUMS; o++) sum[o] = 0.0f;                                                 \
    UNROLL                                                                                        \
    for (int j = 0; j < SUMS + 2 * RADIUS; j++) {                                                 \
      UNROLL                                                                                      \
      for (int o = 0; o < SUMS; o++)                                                              \
        if (abs(j - o - RADIUS) <= RADIUS) sum[o] += window.tap[abs(j - o - RADIUS)] * column[j * wide];\
    }                                                                                             \
    UNROLL                                                                                        \
    for (int o = 0; o < SUMS; o++)                                                                \
      if (y * SUMS + o < tall) strip[(y * SUMS + o) * wide + x] = sum[o];                         \
  }
#define SUM_X(sum, row, window)                                                                   \
  sum = window.tap[0] * (row)[RADIUS];                                                            \
  UNROLL                                                                                          \
  for (int j = 1; j <= RADIUS; j++) sum += window.tap[j] * ((row)[RADIUS - j] + (row)[RADIUS + j]);

// Fills a tile with the flow around: `side` nodes from `origin` on.
#define LOAD_FLOW(tile, origin, side)                                                             \
  FOR_ITEMS(x, y, side) {                                                                         \
    const int2 at = origin + (int2)(x, y);                                                        \
    tile[y * (side).x + x] = scale * flow[at.y * flow_size.x + at.x];                             \
  }

// The flow between nodes; those in `median` start with `origin`, in rows of `pitch`.
inline float2 sample_flow(__local const float2 *median, int2 origin, int pitch, float2 at, int2 last) {
  const float2 base = floor(at), part = at - base;
  const int2 a = convert_int2(base) - origin, b = min(a + 1, last - origin);
  const float2 above = mix(median[a.y * pitch + a.x], median[a.y * pitch + b.x], part.x);
  const float2 below = mix(median[b.y * pitch + a.x], median[b.y * pitch + b.x], part.x);
  return mix(above, below, part.y);
}

// What a texel that has moved by `flow` says: its tensor * (flow + its correction). Where it has left the
// frame it keeps its flow. `light` (gain, offset) makes the later frame as light as the earlier one.
inline float2 vote(__global const TEXEL *before, __global const TEXEL *after, int4 level, int2 at,
                   float2 flow, float2 light, float alpha, float limit, float3 *own) {
  __global const TEXEL *p = before + texel_index(level, at);
  const CHANNELS gx = slope(p, 1), gy = slope(p, level.z);
  const float3 t = tensor(gx, gy, alpha);
  const float2 end = convert_float2(level.xy - 1), to = convert_float2(at) + flow;
  const CHANNELS later = RELIT(bilinear(after, level, clamp(to, 0.0f, end)), light);
  const CHANNELS change = clamp(later - LOAD(p[0]), -limit, limit);
  const float inside = all(to >= 0.0f) && all(to <= end) ? 1.0f : 0.0f;
  *own = t;
  return (float2)(t.x * flow.x + t.y * flow.y - inside * CHANNEL_SUM(gx, change),
                  t.y * flow.x + t.z * flow.y - inside * CHANNEL_SUM(gy, change));
}

inline float2 solve(float3 a, float2 b) {
  return 1.0f / (a.x * a.z - a.y * a.y) * (float2)(a.z * b.x - a.y * b.y, a.x * b.y - a.y * b.x);
}

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

// The four texels that a node of the last warp is the middle of, `step` apart; one beyond the edge stands for
// the one at the edge.
inline int2 texel_of(int2 node, int i, int step, int4 level) {
  return min((2 * node + (int2)(i & 1, i >> 1)) * step, level.xy - 1);
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
    medians[y * middles.x + x] = smooth_at(flows, raw, raw_side.x, middle + (int2)(x, y), last, spacing, far);
  barrier(CLK_LOCAL_MEM_FENCE);
  const float part = 0.25f / step;
  FOR_ITEMS(x, y, voters) {
    const int2 node = clamp(voter + (int2)(x, y), 0, size - 1);
    float3 texels = 0.0f;
    float2 votes = 0.0f, start = 0.0f;
    UNROLL
    for (int i = 0; i < 4; i++) {
      const int2 at = texel_of(node, i, step, level);
      const float2 v = sample_flow(medians, middle, middles.x, part * convert_float2(at), last);
      float3 own;
      votes += vote(before, after, level, at, v, light[0], alpha, limit, &own);
      texels += own;
      start += v;
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
    certain[index] = least / (least + half_sure + own.slope);
  }
}

// A lattice in the table of flow_tensors.
typedef struct {
  int4 level;
  int2 size;
  int step, first_tensor, first_tile;
} Lattice;

// The window's sums of the structure tensor and of texel_noise() for all lattices of flow_warp, the finest with a window
// of its own; and as `rests` those of the squared change in time of what stands still, less what any motion could explain of it
// there. Groups are tiles of `side` nodes in the order of the table.
__kernel void flow_tensors(__global const TEXEL *restrict before, __global const TEXEL *restrict after,
                           __global const float *restrict grey, __global const float2 *restrict light,
                           __global const float *restrict noise_table, __global const float4 *restrict gains,
                           __constant Lattice *lattices, int count, int2 side, __global float4 *restrict tensors,
                           __global float *restrict rests, __global uint *restrict votes, Window finest, Window other, float alpha,
                           __local float4 *tile, __local float4 *strip) {
  const int group = get_group_id(0);
  int number = 0;
  if (group == 0 && get_local_id(0) == 0 && get_local_id(1) == 0) votes[0] = votes[1] = 0;
  while (number + 1 < count && group >= lattices[number + 1].first_tile) number++;
  const Lattice lattice = lattices[number];
  Window window = finest;
  if (number > 0) window = other;
  const int columns = (lattice.size.x + side.x - 1) / side.x, tile_number = group - lattice.first_tile;
  const int2 origin = (int2)(tile_number % columns, tile_number / columns) * side;
  const int2 voters = side + 2 * RADIUS, inside = min(side, lattice.size - origin);
  FOR_ITEMS(x, y, voters) {
    const int2 at = lattice.step * clamp(origin - RADIUS + (int2)(x, y), 0, lattice.size - 1);
    const int index = texel_index(lattice.level, at);
    __global const TEXEL *p = before + index;
    tile[y * voters.x + x] = (float4)(tensor(slope(p, 1), slope(p, lattice.level.z), alpha),
                                      texel_noise(noise_table, grey[index], LOAD(p[0])));
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  SUM_Y(tile, strip, voters.x, side.y, window, float4)
  barrier(CLK_LOCAL_MEM_FENCE);
  FOR_ITEMS(x, y, inside) {
    float4 sum;
    SUM_X(sum, strip + y * voters.x + x, window)
    tensors[lattice.first_tensor + (origin.y + y) * lattice.size.x + origin.x + x] = sum;
  }
  const float limit = change_limit(noise_of(noise_table), gains[number]);
  FOR_ITEMS(x, y, voters) {
    const int2 at = lattice.step * clamp(origin - RADIUS + (int2)(x, y), 0, lattice.size - 1);
    const int index = texel_index(lattice.level, at);
    __global const TEXEL *p = before + index;
    const CHANNELS change = clamp(RELIT(LOAD(after[index]), light[0]) - LOAD(p[0]), -limit, limit);
    tile[y * voters.x + x] = (float4)(CHANNEL_SUM(slope(p, 1), change), CHANNEL_SUM(slope(p, lattice.level.z), change),
                                      CHANNEL_SUM(change, change), 0.0f);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  SUM_Y(tile, strip, voters.x, side.y, window, float4)
  barrier(CLK_LOCAL_MEM_FENCE);
  FOR_ITEMS(x, y, inside) {
    const int index = lattice.first_tensor + (origin.y + y) * lattice.size.x + origin.x + x;
    float4 sum;
    SUM_X(sum, strip + y * voters.x + x, window)
    rests[index] = fmax(sum.z - dot(sum.xy, solve(tensors[index].xyz, sum.xy)), 0.0f);
  }
}
