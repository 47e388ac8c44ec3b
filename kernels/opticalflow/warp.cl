// SPDX-License-Identifier: LGPL-2.1-or-later
// One step of the solver: a group takes a tile of a lattice, smooths the flow there by a median, looks
// where every node's texel went, adds up the votes over the window and solves for the flow.
//
// Nodes lie `step` texels apart. -DRADIUS=n: the window's taps, in nodes. -DREFINE: the flow that comes
// in lies on a lattice half as dense. A work-item owns ROWS nodes, one below the other.
#include "opticalflow/level.clh"
#include "opticalflow/median.clh"

inline int2 tile_side(void) { return (int2)(get_local_size(0), get_local_size(1) * ROWS); }

// The group's items share (x, y) below `size`.
#define FOR_ITEMS(x, y, size)                                                                     \
  for (int y = get_local_id(1); y < (size).y; y += get_local_size(1))                             \
    for (int x = get_local_id(0); x < (size).x; x += get_local_size(0))

#define UNROLL _Pragma("unroll")

// The window's sums over a tile that has RADIUS nodes around: along y into `strip`, then along x into
// `tile`, whose upper left part they fill. An item adds up several neighbours at a time, so that each value
// is loaded for all of them. Rows are `pitch` apart, an odd number: the items of SUM_X go down columns.
#define COLUMNS 4

#define ADD_WINDOW(sum, count, window, value_at)                                                  \
  UNROLL                                                                                          \
  for (int o = 0; o < count; o++) sum[o] = 0.0f;                                                  \
  UNROLL                                                                                          \
  for (int j = 0; j < count + 2 * RADIUS; j++) {                                                  \
    UNROLL                                                                                        \
    for (int o = 0; o < count; o++)                                                               \
      if (abs(j - o - RADIUS) <= RADIUS) sum[o] += window.tap[abs(j - o - RADIUS)] * value_at(j); \
  }

#define SUM_Y(tile, strip, window, type)                                                          \
  for (int x = get_local_id(0); x < wide; x += get_local_size(0)) {                               \
    const int first_row = get_local_id(1) * ROWS;                                                 \
    type sum[ROWS];                                                                               \
    __local const type *column = tile + first_row * pitch + x;                                    \
    ADD_WINDOW(sum, ROWS, window, COLUMN_VALUE)                                                   \
    UNROLL                                                                                        \
    for (int o = 0; o < ROWS; o++) strip[(first_row + o) * pitch + x] = sum[o];                   \
  }
#define COLUMN_VALUE(j) column[(j) * pitch]

#define SUM_X(strip, tile, window, type)                                                          \
  for (int i = get_local_id(1) * get_local_size(0) + get_local_id(0);                             \
       i < side.y * ((side.x + COLUMNS - 1) / COLUMNS); i += get_local_size(0) * get_local_size(1)) { \
    const int at = i % side.y * pitch + i / side.y * COLUMNS;                                     \
    type sum[COLUMNS];                                                                            \
    __local const type *row = strip + at;                                                         \
    ADD_WINDOW(sum, COLUMNS, window, ROW_VALUE)                                                   \
    UNROLL                                                                                        \
    for (int o = 0; o < COLUMNS; o++) tile[at + o] = sum[o];                                      \
  }
#define ROW_VALUE(j) row[j]

inline float2 sample_flow(__local const float2 *median, int2 origin, int side, int2 node, int2 last) {
#ifdef REFINE
  const int2 a = (node >> 1) - origin, b = min((node >> 1) + 1, last) - origin;
  const float2 along = 0.5f * convert_float2(node & 1);
  const float2 above = mix(median[a.y * side + a.x], median[a.y * side + b.x], along.x);
  const float2 below = mix(median[b.y * side + a.x], median[b.y * side + b.x], along.x);
  return mix(above, below, along.y);
#else
  return median[(node.y - origin.y) * side + node.x - origin.x];
#endif
}

MEDIAN_AT(median_at, __local)

inline CHANNELS bilinear(__global const TEXEL *plane, int4 level, float2 at) {
  const float2 base = floor(at), part = at - base;
  __global const TEXEL *p = plane + texel_index(level, convert_int2(base)), *q = p + level.z;
  const CHANNELS above = mix(LOAD(p[0]), LOAD(p[1]), (CHANNELS)part.x);
  const CHANNELS below = mix(LOAD(q[0]), LOAD(q[1]), (CHANNELS)part.x);
  return mix(above, below, (CHANNELS)part.y);
}

// What a texel that has moved by `flow` says: tensor * (flow + its correction). Where it has left the
// frame it keeps its flow.
inline float2 vote(__global const TEXEL *before, __global const TEXEL *after, int4 level, int2 at,
                   float2 flow, float alpha) {
  __global const TEXEL *p = before + texel_index(level, at);
  const CHANNELS gx = slope(p, 1), gy = slope(p, level.z);
  const float3 t = tensor(gx, gy, alpha);
  const float2 end = convert_float2(level.xy - 1), to = convert_float2(at) + flow;
  const CHANNELS change =
      clamp(bilinear(after, level, clamp(to, 0.0f, end)) - LOAD(p[0]), -LIMIT, LIMIT);
  const float inside = all(to >= 0.0f) && all(to <= end) ? 1.0f : 0.0f;
  return (float2)(t.x * flow.x + t.y * flow.y - inside * CHANNEL_SUM(gx, change),
                  t.y * flow.x + t.z * flow.y - inside * CHANNEL_SUM(gy, change));
}

// The flow on the tile at `origin` of the lattice of `size` nodes. `strip` holds two tiles of the
// incoming flow, later the sums along y.
inline void solve_tile(__global const TEXEL *before, __global const TEXEL *after, int4 level, int step,
                       __global const float *tensors, __global const float2 *flow, int2 flow_size,
                       float scale, __global float2 *result, int2 size, int2 origin, Window window,
                       float alpha, int spacing, __local float2 *tile, __local float2 *strip) {
  const int2 side = tile_side();
  const int wide = side.x + 2 * RADIUS, high = side.y + 2 * RADIUS, pitch = wide | 1;
  const int2 first = origin - RADIUS;
#ifdef REFINE
  const int2 node = first >> 1, nodes = ((first + (int2)(wide, high) - 1) >> 1) + 2 - node;
#else
  const int2 node = first, nodes = (int2)(wide, high);
#endif
  const int2 last = flow_size - 1, raw_node = node - 2, raw_nodes = nodes + 4;
  __local float2 *median = strip + raw_nodes.x * raw_nodes.y;
  FOR_ITEMS(x, y, raw_nodes) {
    const int2 at = clamp(raw_node + (int2)(x, y), 0, last);
    strip[y * raw_nodes.x + x] = scale * flow[at.y * flow_size.x + at.x];
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  FOR_ITEMS(x, y, nodes)
    median[y * nodes.x + x] =
        median_at(strip, raw_node, raw_nodes.x, clamp(node + (int2)(x, y), 0, last), last, spacing);
  barrier(CLK_LOCAL_MEM_FENCE);
  FOR_ITEMS(x, y, (int2)(wide, high)) {
    const int2 at = clamp(first + (int2)(x, y), 0, size - 1);
    tile[y * pitch + x] = vote(before, after, level, at * step,
                              sample_flow(median, node, nodes.x, at, last), alpha);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  SUM_Y(tile, strip, window, float2)
  barrier(CLK_LOCAL_MEM_FENCE);
  SUM_X(strip, tile, window, float2)
  barrier(CLK_LOCAL_MEM_FENCE);
  FOR_ITEMS(x, y, side) {
    const int2 at = origin + (int2)(x, y);
    if (all(at < size)) {
      const float2 b = tile[y * pitch + x];
      const int i = at.y * size.x + at.x;
      const float3 a = vload3(i, tensors);
      const float scale = 1.0f / (a.x * a.z - a.y * a.y);
      result[i] = scale * (float2)(a.z * b.x - a.y * b.y, a.x * b.y - a.y * b.x);
    }
  }
}

// `tensors` starts at this lattice's. The flow that comes in is multiplied by `scale`.
__kernel void flow_warp(__global const TEXEL *before, __global const TEXEL *after, int4 level, int step,
                        __global const float *tensors, int first_tensor, __global const float2 *flow,
                        int2 flow_size, float scale, __global float2 *result, int2 size, Window window,
                        float alpha, int spacing, __local float2 *tile, __local float2 *strip) {
  const int2 origin = (int2)(get_group_id(0), get_group_id(1)) * tile_side();
  solve_tile(before, after, level, step, tensors + 3 * first_tensor, flow, flow_size, scale, result, size,
             origin, window, alpha, spacing, tile, strip);
}

// A lattice in the table of flow_tensors.
typedef struct {
  int4 level;
  int2 size;
  int first_tensor, first_tile;
} Lattice;

// The window's sums of the structure tensor for all lattices of one kind; groups are tiles in the order
// of the table.
__kernel void flow_tensors(__global const TEXEL *before, __constant Lattice *lattices, int count, int step,
                           __global float *tensors, Window window, float alpha, __local float4 *tile,
                           __local float4 *strip) {
  const int2 side = tile_side();
  const int wide = side.x + 2 * RADIUS, high = side.y + 2 * RADIUS, pitch = wide | 1;
  const int group = get_group_id(0);
  int number = 0;
  while (number + 1 < count && group >= lattices[number + 1].first_tile) number++;
  const int4 level = lattices[number].level;
  const int2 size = lattices[number].size;
  const int columns = (size.x + side.x - 1) / side.x, tile_number = group - lattices[number].first_tile;
  const int2 origin = (int2)(tile_number % columns, tile_number / columns) * side;
  FOR_ITEMS(x, y, (int2)(wide, high)) {
    const int2 at = step * clamp(origin - RADIUS + (int2)(x, y), 0, size - 1);
    __global const TEXEL *p = before + texel_index(level, at);
    tile[y * pitch + x] = (float4)(tensor(slope(p, 1), slope(p, level.z), alpha), 0.0f);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  SUM_Y(tile, strip, window, float4)
  barrier(CLK_LOCAL_MEM_FENCE);
  SUM_X(strip, tile, window, float4)
  barrier(CLK_LOCAL_MEM_FENCE);
  FOR_ITEMS(x, y, side) {
    const int2 at = origin + (int2)(x, y);
    if (all(at < size))
      vstore3(tile[y * pitch + x].xyz, lattices[number].first_tensor + at.y * size.x + at.x, tensors);
  }
}
