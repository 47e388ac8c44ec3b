// SPDX-License-Identifier: LGPL-2.1-or-later
// Steps of the solver: a group takes a tile of a lattice, smooths the flow there by a median, looks where
// every voter went, adds up the votes over the window and solves for the flow, several times over.
//
// Voters lie `step` texels apart, every EVERY-th is a node. -DRADIUS=n: the window's taps, in voters. An
// item sums ROWS nodes at a time, one below the other.
#include "opticalflow/level.clh"
#include "opticalflow/median.clh"

// The group's items share (x, y) below `size`.
#define FOR_ITEMS(x, y, size)                                                                     \
  for (int y = get_local_id(1); y < (size).y; y += get_local_size(1))                             \
    for (int x = get_local_id(0); x < (size).x; x += get_local_size(0))

#define UNROLL _Pragma("unroll")

// The window's sums: from voters in `tile` along y into `strip`, then along x. An item adds up several
// neighbours at a time, so that each value is loaded for all of them; it may load, not use, some behind the
// end. Rows are `pitch` apart, an odd number: the items of SUM_X go down columns.
#define COLUMNS 4

#define ADD_WINDOW(sum, count, window, value_at)                                                  \
  UNROLL                                                                                          \
  for (int o = 0; o < count; o++) sum[o] = 0.0f;                                                  \
  UNROLL                                                                                          \
  for (int j = 0; j < EVERY * (count - 1) + 1 + 2 * RADIUS; j++) {                                \
    UNROLL                                                                                        \
    for (int o = 0; o < count; o++)                                                               \
      if (abs(j - EVERY * o - RADIUS) <= RADIUS)                                                  \
        sum[o] += window.tap[abs(j - EVERY * o - RADIUS)] * value_at(j);                          \
  }

#define SUM_Y(tile, strip, wide, pitch, tall, window, type)                                       \
  FOR_ITEMS(x, y, (int2)(wide, (tall + ROWS - 1) / ROWS)) {                                       \
    type sum[ROWS];                                                                               \
    __local const type *column = tile + y * ROWS * EVERY * pitch + x;                             \
    ADD_WINDOW(sum, ROWS, window, COLUMN_VALUE)                                                   \
    UNROLL                                                                                        \
    for (int o = 0; o < ROWS; o++)                                                                \
      if (y * ROWS + o < tall) strip[(y * ROWS + o) * pitch + x] = sum[o];                        \
  }
#define COLUMN_VALUE(j) column[(j) * pitch]

// `sink` (node, sum) takes the sums.
#define SUM_X(strip, pitch, side, window, type, sink)                                             \
  for (int item = get_local_id(1) * get_local_size(0) + get_local_id(0);                          \
       item < (side).y * (((side).x + COLUMNS - 1) / COLUMNS);                                    \
       item += get_local_size(0) * get_local_size(1)) {                                           \
    const int y = item % (side).y, block = item / (side).y * COLUMNS;                             \
    type sum[COLUMNS];                                                                            \
    __local const type *row = strip + y * pitch + EVERY * block;                                  \
    ADD_WINDOW(sum, COLUMNS, window, ROW_VALUE)                                                   \
    UNROLL                                                                                        \
    for (int o = 0; o < COLUMNS; o++)                                                             \
      if (block + o < (side).x) sink((int2)(block + o, y), sum[o]);                               \
  }
#define ROW_VALUE(j) row[j]

MEDIAN_AT(median_at, __local)

// The flow in `median`, nodes from `origin` on in rows of `pitch`, at a voter; 1 << shift voters lie from node
// to node.
inline float2 sample_flow(__local const float2 *median, int2 origin, int pitch, int2 voter, int shift, int2 last) {
  const int2 node = min(voter >> shift, last), a = node - origin;
  if (shift == 0) return median[a.y * pitch + a.x];
  const int2 b = min(node + 1, last) - origin;
  const float2 along = convert_float2(voter - (node << shift)) / (1 << shift);
  const float2 above = mix(median[a.y * pitch + a.x], median[a.y * pitch + b.x], along.x);
  const float2 below = mix(median[b.y * pitch + a.x], median[b.y * pitch + b.x], along.x);
  return mix(above, below, along.y);
}

inline CHANNELS bilinear(__global const TEXEL *plane, int4 level, float2 at) {
  const float2 base = floor(at), part = at - base;
  __global const TEXEL *p = plane + texel_index(level, convert_int2(base)), *q = p + level.z;
  const CHANNELS above = mix(LOAD(p[0]), LOAD(p[1]), (CHANNELS)part.x);
  const CHANNELS below = mix(LOAD(q[0]), LOAD(q[1]), (CHANNELS)part.x);
  return mix(above, below, (CHANNELS)part.y);
}

// What a texel that has moved by `flow` says: tensor * (flow + its correction). Where it has left the
// frame it keeps its flow. `light` (gain, offset) makes the later frame as light as the earlier one.
inline float2 vote(__global const TEXEL *before, __global const TEXEL *after, int4 level, int2 at,
                   float2 flow, float2 light, float alpha) {
  __global const TEXEL *p = before + texel_index(level, at);
  const CHANNELS gx = slope(p, 1), gy = slope(p, level.z);
  const float3 t = tensor(gx, gy, alpha);
  const float2 end = convert_float2(level.xy - 1), to = convert_float2(at) + flow;
  const CHANNELS later = RELIT(bilinear(after, level, clamp(to, 0.0f, end)), light);
  const CHANNELS change = clamp(later - LOAD(p[0]), -LIMIT, LIMIT);
  const float inside = all(to >= 0.0f) && all(to <= end) ? 1.0f : 0.0f;
  return (float2)(t.x * flow.x + t.y * flow.y - inside * CHANNEL_SUM(gx, change),
                  t.y * flow.x + t.z * flow.y - inside * CHANNEL_SUM(gy, change));
}

inline float2 solve(__global const float *tensor, float2 b) {
  const float3 a = vload3(0, tensor);
  return (float2)(a.z * b.x - a.y * b.y, a.x * b.y - a.y * b.x) / (a.x * a.z - a.y * a.y);
}

// A step's result at a node of its region; the last one's is the kernel's.
#define KEEP(node, sum)                                                                           \
  {                                                                                               \
    const int2 at = first + (node);                                                               \
    if (all(at >= 0) && all(at < size)) {                                                         \
      const int index = at.y * size.x + at.x;                                                     \
      const float2 solution = solve(tensors + 3 * (first_tensor + index), sum);                   \
      if (i + 1 < warps)                                                                          \
        tile[(node).y * nodes.x + (node).x] = solution;                                           \
      else                                                                                        \
        result[index] = solution;                                                                 \
    }                                                                                             \
  }

// `warps` steps on the lattice of `size` nodes; `tensors` holds its sums from `first_tensor` on. A group's tile
// is `side` nodes, and grows by what every further step needs around. The flow that comes in is multiplied
// by `scale` and has nodes 1 << shift voters apart. `tile` holds flows, then votes; `strip` medians, then
// sums along y.
#ifdef GROUP_X
__attribute__((reqd_work_group_size(GROUP_X, GROUP_Y, 1)))
#endif
__kernel void flow_warp(__global const TEXEL *before, __global const TEXEL *after, int4 level, int step,
                        __global const float2 *light, __global const float *tensors, int first_tensor,
                        __global const float2 *flow, int2 flow_size, int shift, float scale,
                        __global float2 *result, int2 size, int2 side, int warps, Window window, float alpha,
                        int spacing, __local float2 *tile, __local float2 *strip) {
  const int2 origin = (int2)(get_group_id(0), get_group_id(1)) * side;
  const int2 last_voter = (level.xy - 1) / step;
  int grow = (warps - 1) * (RADIUS + spacing);
  int2 last = flow_size - 1;
  int2 raw, raw_side;
  for (int i = 0; i < warps; i++) {
    const int2 first = origin - grow, nodes = side + 2 * grow;
    const int2 voter = EVERY * first - RADIUS, voters = EVERY * (nodes - 1) + 1 + 2 * RADIUS;
    const int2 middle = voter >> shift;
    const int2 middles = ((voter + voters - 1) >> shift) + (shift > 0 ? 2 : 1) - middle;
    if (i == 0) {
      raw = middle - spacing, raw_side = middles + 2 * spacing;
      FOR_ITEMS(x, y, raw_side) {
        const int2 at = clamp(raw + (int2)(x, y), 0, last);
        tile[y * raw_side.x + x] = scale * flow[at.y * flow_size.x + at.x];
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    FOR_ITEMS(x, y, middles)
      strip[y * middles.x + x] =
          median_at(tile, raw, raw_side.x, clamp(middle + (int2)(x, y), 0, last), last, spacing);
    barrier(CLK_LOCAL_MEM_FENCE);
    const int pitch = voters.x | 1;
    FOR_ITEMS(x, y, voters) {
      const int2 at = clamp(voter + (int2)(x, y), 0, last_voter);
      tile[y * pitch + x] = vote(before, after, level, at * step,
                                sample_flow(strip, middle, middles.x, at, shift, last), light[0], alpha);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    SUM_Y(tile, strip, voters.x, pitch, nodes.y, window, float2)
    barrier(CLK_LOCAL_MEM_FENCE);
    SUM_X(strip, pitch, nodes, window, float2, KEEP)
    barrier(CLK_LOCAL_MEM_FENCE);
    raw = first, raw_side = nodes, last = size - 1, shift = 0;
    grow -= RADIUS + spacing;
  }
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

// The window's sums of the structure tensor for all lattices of one kind, the first with a window of its own;
// groups are tiles of `side` nodes in the order of the table.
__kernel void flow_tensors(__global const TEXEL *before, __constant Lattice *lattices, int count, int2 side,
                           __global float *tensors, Window first_window, Window other_window, float alpha,
                           __local float4 *tile, __local float4 *strip) {
  const int group = get_group_id(0);
  int number = 0;
  while (number + 1 < count && group >= lattices[number + 1].first_tile) number++;
  const Lattice lattice = lattices[number];
  Window window = first_window;
  if (number > 0) window = other_window;
  const int columns = (lattice.size.x + side.x - 1) / side.x, tile_number = group - lattice.first_tile;
  const int2 origin = (int2)(tile_number % columns, tile_number / columns) * side;
  const int2 voters = EVERY * (side - 1) + 1 + 2 * RADIUS, last = (lattice.level.xy - 1) / lattice.step;
  const int pitch = voters.x | 1;
  FOR_ITEMS(x, y, voters) {
    const int2 at = lattice.step * clamp(EVERY * origin - RADIUS + (int2)(x, y), 0, last);
    __global const TEXEL *p = before + texel_index(lattice.level, at);
    tile[y * pitch + x] = (float4)(tensor(slope(p, 1), slope(p, lattice.level.z), alpha), 0.0f);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  SUM_Y(tile, strip, voters.x, pitch, side.y, window, float4)
  barrier(CLK_LOCAL_MEM_FENCE);
  SUM_X(strip, pitch, side, window, float4, KEEP_TENSOR)
}
