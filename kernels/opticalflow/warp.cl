// SPDX-License-Identifier: LGPL-2.1-or-later
// Steps of the solver: a group takes a tile of a lattice, smooths the flow there by a median, looks where
// every node's texels went, adds up their votes over the window and solves for the flow.
//
// -DRADIUS=n: the window's taps, in nodes. An item sums SUMS neighbours at a time.
#include "opticalflow/level.clh"
#include "opticalflow/median.clh"

// The group's items share (x, y) below `size`.
#define FOR_ITEMS(x, y, size)                                                                     \
  for (int y = get_local_id(1); y < (size).y; y += get_local_size(1))                             \
    for (int x = get_local_id(0); x < (size).x; x += get_local_size(0))

#define UNROLL _Pragma("unroll")

// The window's sums: from votes in `tile` along y into `strip`, then along x. An item adds up several
// neighbours at a time, so that each value is loaded for all of them; it may load, not use, some behind the
// end. Rows are `pitch` apart, an odd number: the items of SUM_X go down columns.
#define ADD_WINDOW(sum, window, value_at)                                                         \
  UNROLL                                                                                          \
  for (int o = 0; o < SUMS; o++) sum[o] = 0.0f;                                                   \
  UNROLL                                                                                          \
  for (int j = 0; j < SUMS + 2 * RADIUS; j++) {                                                   \
    UNROLL                                                                                        \
    for (int o = 0; o < SUMS; o++)                                                                \
      if (abs(j - o - RADIUS) <= RADIUS) sum[o] += window.tap[abs(j - o - RADIUS)] * value_at(j); \
  }

#define SUM_Y(tile, strip, wide, pitch, tall, window, type)                                       \
  FOR_ITEMS(x, y, (int2)(wide, (tall + SUMS - 1) / SUMS)) {                                       \
    type sum[SUMS];                                                                               \
    __local const type *column = tile + y * SUMS * pitch + x;                                     \
    ADD_WINDOW(sum, window, COLUMN_VALUE)                                                         \
    UNROLL                                                                                        \
    for (int o = 0; o < SUMS; o++)                                                                \
      if (y * SUMS + o < tall) strip[(y * SUMS + o) * pitch + x] = sum[o];                        \
  }
#define COLUMN_VALUE(j) column[(j) * pitch]

// `sink` (node, sum) takes the sums.
#define SUM_X(strip, pitch, side, window, type, sink)                                             \
  for (int item = get_local_id(1) * get_local_size(0) + get_local_id(0);                          \
       item < (side).y * (((side).x + SUMS - 1) / SUMS);                                          \
       item += get_local_size(0) * get_local_size(1)) {                                           \
    const int y = item % (side).y, block = item / (side).y * SUMS;                                \
    type sum[SUMS];                                                                               \
    __local const type *row = strip + y * pitch + block;                                          \
    ADD_WINDOW(sum, window, ROW_VALUE)                                                            \
    UNROLL                                                                                        \
    for (int o = 0; o < SUMS; o++)                                                                \
      if (block + o < (side).x) sink((int2)(block + o, y), sum[o]);                               \
  }
#define ROW_VALUE(j) row[j]

MEDIAN_AT(median_at, __local)

// Fills a tile with the flow around: `side` nodes from `origin` on.
#define LOAD_FLOW(tile, origin, side)                                                             \
  FOR_ITEMS(x, y, side) {                                                                         \
    const int2 at = clamp(origin + (int2)(x, y), 0, last);                                        \
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

inline CHANNELS bilinear(__global const TEXEL *plane, int4 level, float2 at) {
  const float2 base = floor(at), part = at - base;
  __global const TEXEL *p = plane + texel_index(level, convert_int2(base)), *q = p + level.z;
  const CHANNELS above = mix(LOAD(p[0]), LOAD(p[1]), (CHANNELS)part.x);
  const CHANNELS below = mix(LOAD(q[0]), LOAD(q[1]), (CHANNELS)part.x);
  return mix(above, below, (CHANNELS)part.y);
}

// What a texel that has moved by `flow` says: its tensor * (flow + its correction). Where it has left the
// frame it keeps its flow. `light` (gain, offset) makes the later frame as light as the earlier one.
inline float2 vote(__global const TEXEL *before, __global const TEXEL *after, int4 level, int2 at,
                   float2 flow, float2 light, float alpha, float3 *own) {
  __global const TEXEL *p = before + texel_index(level, at);
  const CHANNELS gx = slope(p, 1), gy = slope(p, level.z);
  const float3 t = tensor(gx, gy, alpha);
  const float2 end = convert_float2(level.xy - 1), to = convert_float2(at) + flow;
  const CHANNELS later = RELIT(bilinear(after, level, clamp(to, 0.0f, end)), light);
  const CHANNELS change = clamp(later - LOAD(p[0]), -LIMIT, LIMIT);
  const float inside = all(to >= 0.0f) && all(to <= end) ? 1.0f : 0.0f;
  *own = t;
  return (float2)(t.x * flow.x + t.y * flow.y - inside * CHANNEL_SUM(gx, change),
                  t.y * flow.x + t.z * flow.y - inside * CHANNEL_SUM(gy, change));
}

inline float2 solve(float3 a, float2 b) {
  return (float2)(a.z * b.x - a.y * b.y, a.x * b.y - a.y * b.x) / (a.x * a.z - a.y * a.y);
}

// A step's result at a node of its region; the last one's is the kernel's.
#define KEEP(node, sum)                                                                           \
  {                                                                                               \
    const int index = (first.y + (node).y) * size.x + first.x + (node).x;                         \
    const float2 solution = solve(vload3(first_tensor + index, tensors), sum);                    \
    if (i + 1 < warps)                                                                            \
      tile[(node).y * nodes.x + (node).x] = solution;                                             \
    else                                                                                          \
      result[index] = solution;                                                                   \
  }

// `warps` steps on the lattice of `size` nodes, `step` texels apart; `tensors` holds its sums from
// `first_tensor` on. A group's tile is `side` nodes, and as much more as every further step needs around.
// The flow that comes in is multiplied by `scale` and has nodes `step` texels apart, or with `shift` 1 twice that.
// `tile` holds flows, then votes; `strip` medians, then sums along y.
#ifdef GROUP_X
__attribute__((reqd_work_group_size(GROUP_X, GROUP_Y, 1)))
#endif
__kernel void flow_warp(__global const TEXEL *restrict before, __global const TEXEL *restrict after, int4 level,
                        int step, __global const float2 *restrict light, __global const float *restrict tensors,
                        int first_tensor, __global const float2 *restrict flow, int2 flow_size, int shift,
                        float scale, __global float2 *restrict result, int2 size, int2 side, int warps,
                        Window window, float alpha, int spacing, __local float2 *restrict tile,
                        __local float2 *restrict strip) {
  const int2 origin = (int2)(get_group_id(0), get_group_id(1)) * side;
  int2 last = flow_size - 1, raw = 0, raw_side = 0;
  for (int i = 0; i < warps; i++) {
    const int grow = (warps - 1 - i) * (RADIUS + spacing);
    const int2 first = max(origin - grow, 0), nodes = min(origin + side + grow, size) - first;
    const int2 voter = first - RADIUS, voters = nodes + 2 * RADIUS;
    const int2 middle = voter >> shift, middles = ((voter + voters - 1) >> shift) + 1 + shift - middle;
    if (i == 0) {
      raw = middle - spacing, raw_side = middles + 2 * spacing;
      LOAD_FLOW(tile, raw, raw_side)
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    FOR_ITEMS(x, y, middles)
      strip[y * middles.x + x] =
          median_at(tile, raw, raw_side.x, clamp(middle + (int2)(x, y), 0, last), last, spacing);
    barrier(CLK_LOCAL_MEM_FENCE);
    const int pitch = voters.x | 1;
    FOR_ITEMS(x, y, voters) {
      const int2 at = clamp(voter + (int2)(x, y), 0, size - 1);
      const float2 v = shift == 0 ? strip[y * middles.x + x]
                                  : sample_flow(strip, middle, middles.x, 0.5f * convert_float2(at), last);
      float3 own;
      tile[y * pitch + x] = vote(before, after, level, at * step, v, light[0], alpha, &own);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    SUM_Y(tile, strip, voters.x, pitch, nodes.y, window, float2)
    barrier(CLK_LOCAL_MEM_FENCE);
    SUM_X(strip, pitch, nodes, window, float2, KEEP)
    barrier(CLK_LOCAL_MEM_FENCE);
    raw = first, raw_side = nodes, last = size - 1, shift = 0;
  }
}

// The four texels that a node of the last warp is the middle of, `step` apart; one beyond the edge stands for
// the one at the edge.
inline int2 texel_of(int2 node, int i, int step, int4 level) {
  return min((2 * node + (int2)(i & 1, i >> 1)) * step, level.xy - 1);
}

#define STASH(node, sum) tile_y[(node).y * pitch + (node).x] = sum;
#define KEEP_LAST(node, sum)                                                                      \
  {                                                                                               \
    const int2 at = origin + (node);                                                              \
    if (all(at < size)) {                                                                         \
      const float4 sums = sum;                                                                    \
      const int index = at.y * size.x + at.x;                                                     \
      result[index] = solve(sums.xyz, (float2)(sums.w, tile_y[(node).y * pitch + (node).x]));     \
      const float least = texture(sums.xyz, alpha);                                               \
      certain[index] = least / (least + half_sure);                                               \
    }                                                                                             \
  }

// The last warp of the finest level: nodes take the mean of their texels' votes, and of their tensors, which
// are needed but once. The nodes of the flow that comes in are 4 step texels apart. `certain` gets the
// smaller eigenvalue as a confidence, a half at `half_sure`. `tile` holds flows, then tensors and votes along
// x; `tile_y` votes along y; `strip` medians, then sums along y like `strip_y`.
#ifdef GROUP_X
__attribute__((reqd_work_group_size(GROUP_X, GROUP_Y, 1)))
#endif
__kernel void flow_last(__global const TEXEL *restrict before, __global const TEXEL *restrict after, int4 level,
                        int step, __global const float2 *restrict light, __global const float2 *restrict flow,
                        int2 flow_size, float scale, __global float2 *restrict result,
                        __global float *restrict certain, int2 size, int2 side, Window window, float alpha,
                        float half_sure, int spacing, __local float4 *tile, __local float *tile_y,
                        __local float4 *strip, __local float *strip_y) {
  const int2 origin = (int2)(get_group_id(0), get_group_id(1)) * side;
  const int2 voter = origin - RADIUS, voters = side + 2 * RADIUS, last = flow_size - 1;
  const int2 middle = voter >> 1, middles = ((voter + voters - 1) >> 1) + 2 - middle;
  const int2 raw = middle - spacing, raw_side = middles + 2 * spacing;
  const int pitch = voters.x | 1;
  __local float2 *flows = (__local float2 *)tile, *medians = (__local float2 *)strip;
  LOAD_FLOW(flows, raw, raw_side)
  barrier(CLK_LOCAL_MEM_FENCE);
  FOR_ITEMS(x, y, middles)
    medians[y * middles.x + x] =
        median_at(flows, raw, raw_side.x, clamp(middle + (int2)(x, y), 0, last), last, spacing);
  barrier(CLK_LOCAL_MEM_FENCE);
  FOR_ITEMS(x, y, voters) {
    const int2 node = clamp(voter + (int2)(x, y), 0, size - 1);
    float3 tensors = 0.0f;
    float2 votes = 0.0f;
    UNROLL
    for (int i = 0; i < 4; i++) {
      const int2 at = texel_of(node, i, step, level);
      const float2 v = sample_flow(medians, middle, middles.x, convert_float2(at) / (4 * step), last);
      float3 own;
      votes += vote(before, after, level, at, v, light[0], alpha, &own);
      tensors += own;
    }
    tile[y * pitch + x] = 0.25f * (float4)(tensors, votes.x);
    tile_y[y * pitch + x] = 0.25f * votes.y;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  SUM_Y(tile, strip, voters.x, pitch, side.y, window, float4)
  SUM_Y(tile_y, strip_y, voters.x, pitch, side.y, window, float)
  barrier(CLK_LOCAL_MEM_FENCE);
  SUM_X(strip_y, pitch, side, window, float, STASH)
  SUM_X(strip, pitch, side, window, float4, KEEP_LAST)
}

// A lattice in the table of flow_tensors.
typedef struct {
  int4 level;
  int2 size;
  int step, first_tensor, first_tile;
} Lattice;

#define KEEP_TENSOR(node, sum)                                                                    \
  {                                                                                               \
    const int2 at = origin + (node);                                                              \
    if (all(at < lattice.size))                                                                   \
      vstore3(sum.xyz, lattice.first_tensor + at.y * lattice.size.x + at.x, tensors);             \
  }

// The window's sums of the structure tensor for all lattices of flow_warp, the finest with a window of its own;
// groups are tiles of `side` nodes in the order of the table.
__kernel void flow_tensors(__global const TEXEL *restrict before, __constant Lattice *lattices, int count, int2 side,
                           __global float *restrict tensors, Window finest, Window other, float alpha,
                           __local float4 *tile, __local float4 *strip) {
  const int group = get_group_id(0);
  int number = 0;
  while (number + 1 < count && group >= lattices[number + 1].first_tile) number++;
  const Lattice lattice = lattices[number];
  Window window = finest;
  if (number > 0) window = other;
  const int columns = (lattice.size.x + side.x - 1) / side.x, tile_number = group - lattice.first_tile;
  const int2 origin = (int2)(tile_number % columns, tile_number / columns) * side;
  const int2 voters = side + 2 * RADIUS;
  const int pitch = voters.x | 1;
  FOR_ITEMS(x, y, voters) {
    const int2 at = lattice.step * clamp(origin - RADIUS + (int2)(x, y), 0, lattice.size - 1);
    __global const TEXEL *p = before + texel_index(lattice.level, at);
    tile[y * pitch + x] = (float4)(tensor(slope(p, 1), slope(p, lattice.level.z), alpha), 0.0f);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  SUM_Y(tile, strip, voters.x, pitch, side.y, window, float4)
  barrier(CLK_LOCAL_MEM_FENCE);
  SUM_X(strip, pitch, side, window, float4, KEEP_TENSOR)
}
