// SPDX-License-Identifier: LGPL-2.1-or-later
// From the last lattice to a vector and a confidence per pixel. A work-item owns ROWS pixels of a column.
#include "common/items.clh"
#include "opticalflow/median.clh"
#include "opticalflow/noise.clh"
#include "opticalflow/support.clh"

#define AROUND 4  // nodes

// How far the flow is from a plane, as a factor of confidence: by the second differences of a node, `p`, and those
// AROUND away on opposite sides, a half at 1 px. Where motions meet the solver knows least.
inline float smoothness(__local const float2 *p, int pitch) {
  const int spacing[4] = {AROUND, AROUND * pitch, AROUND * (pitch + 1), AROUND * (pitch - 1)};
  float most = 0.0f;
  for (int i = 0; i < 4; i++) {
    const float2 bend = p[spacing[i]] + p[-spacing[i]] - 2.0f * p[0];
    most = fmax(most, dot(bend, bend));
  }
  return normal_recip(1.0f + most);
}

// What support_of() has of the cells from `low` on, `count` of them, into `kept`, for all of the group. `around`: room for those
// and MOST_REACH more on each side, `rows`: for a row of the largest area each.
inline void support_cells(__global const Support *restrict support, __global const uint *votes, __global const Flicker *flicker,
                          int2 cells, int keeps_all, float noise, float light_change, int2 low, int2 count, __local Support *around, __local Support *rows,
                          __local float4 *kept) {
  const int2 from = low - MOST_REACH, side = count + 2 * MOST_REACH;
  const float2 middle = support[(low.y + count.y / 2) * cells.x + low.x + count.x / 2].sure.yz;
  const Support nothing = {(float4)(0.0f), (float4)(0.0f), (float2)(0.0f), 0.0f, 0.0f, (float2)(0.0f), 0.0f, 0.0f};
  FOR_ITEMS(x, y, side) {
    const int2 at = from + (int2)(x, y);
    Support own = nothing;
    if (all(at >= 0) && all(at < cells)) {
      own = support[at.y * cells.x + at.x];
      own.sure = from_origin(own.sure, middle);
    }
    around[y * side.x + x] = own;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  FOR_ITEMS(x, y, ((int2)(count.x, side.y))) rows[y * count.x + x] = sum_of(around + y * side.x + x, 2 * MOST_REACH + 1, 1);
  barrier(CLK_LOCAL_MEM_FENCE);
  FOR_ITEMS(x, y, count) {
    const int2 at = low + (int2)(x, y), near = min(at + 1, cells - 1) - max(at - 1, 0) + 1;
    kept[y * count.x + x] = support_of(around + (y + MOST_REACH) * side.x + x + MOST_REACH, side.x, rows + y * count.x + x, count.x,
                                       near.x * near.y, cells, keeps_all, noise, light_change, middle, votes, flicker);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
}

// The flow where all around is one motion up to what noise makes of it: that. What stands still does so, and what is far from it is not
// of it. `near`: of support_near().
#define STANDS 0.1f  // px; from twice that on it moves
#define OF_IT (float2)(0.5f, 1.0f)  // px apart, by parts
inline float2 with_all(float2 v, float4 near, float far) {
  const float2 motion = near.zw * native_recip(fmax(near.y, 1e-9f)), offset = motion - v;
  const float moves = clamp((1.0f / STANDS) * native_sqrt(dot(v, v)) - 1.0f, 0.0f, 1.0f);
  return v + far * near.y * moves * (1.0f - ramp(native_sqrt(dot(offset, offset)), OF_IT)) * offset;
}

// The cells on whose middles' both sides a node lies, along an axis: the first one, and one more.
inline int2 cell_below(int2 node) { return (2 * node + 1 - SUPPORT_SIDE) >> SUPPORT_SHIFT; }

inline bool inside(float2 to, int2 size) { return to.x >= 0.0f && to.y >= 0.0f && to.x <= size.x - 1 && to.y <= size.y - 1; }

// A pixel that leaves the frame has a confidence of 0. Nodes lie 1 << shift px apart, the first one a
// quarter of that from the edges. `tile`: those around the group's pixels, and AROUND more on each side, but first what support_cells() needs
// of room; `medians` of them, and how `sure` they are. `kept` gets of every cell what its flow was multiplied by; `near`: of those around.
__kernel void flow_finish(__global const float2 *restrict flow, __global const float *restrict certain,
                          int2 lattice, int shift, int spacing, __global const float *noise, __global const float2 *light, __global float2 *restrict vectors,
                          __global float *restrict confidence, int2 size, int keeps_all, __global const Support *restrict support, int2 cells,
                          __global const uint *restrict votes, __global const Flicker *restrict flicker, __global float *restrict kept,
                          __local float4 *room, __local float2 *medians, __local float *sure, __local float4 *near) {
  const int2 item = (int2)(get_local_id(0), get_local_id(1)), items = (int2)(get_local_size(0), get_local_size(1));
  const int2 area = items * (int2)(1, ROWS), origin = (int2)(get_group_id(0), get_group_id(1)) * area;
  const int2 first = (origin >> shift) - 1, last = lattice - 1, tile_first = first - AROUND;
  const int2 side = ((origin + area - 1) >> shift) + 2 - first, tile_side = side + 2 * AROUND;
  const int2 low = max(cell_below(max(first, 0)), 0);
  const int2 near_side = min(cell_below(min(first + side - 1, last)) + 1, cells - 1) - low + 1;
  __local Support *around = (__local Support *)room;
  const Noise noisy = noise_of(noise);
  support_cells(support, votes, flicker, cells, keeps_all, sqrt(noisy.white), light[1].x, low, near_side, around,
                around + (near_side.x + 2 * MOST_REACH) * (near_side.y + 2 * MOST_REACH), near);
  FOR_ITEMS(x, y, near_side) {
    const int2 at = low + (int2)(x, y), pixel = at * SUPPORT_SIDE << shift;
    if (all(pixel >= origin) && all(pixel < origin + area)) kept[at.y * cells.x + at.x] = near[y * near_side.x + x].x;
  }
  __local float2 *tile = (__local float2 *)room;
  FOR_ITEMS(x, y, tile_side) {
    const int2 node = clamp(tile_first + (int2)(x, y), 0, last);
    tile[y * tile_side.x + x] = flow[node.y * lattice.x + node.x];
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  const float far = far_part(noisy);
  FOR_ITEMS(x, y, side) {
    const int2 node = clamp(first + (int2)(x, y), 0, last);
    const int i = y * side.x + x;
    const float4 own_near = support_near(near, low, near_side.x, cells, convert_float2(node));
    float2 v = smooth_at(tile, tile_first, tile_side.x, node, last, spacing, far);
    if (far > 0.0f) v = with_all(v, own_near, far);
    const float part = own_near.x;
    medians[i] = part * v;
    sure[i] = certain[node.y * lattice.x + node.x] * normal_recip(1.0f + 4.0f * (1.0f - part) * (1.0f - part) * dot(v, v)) *
              smoothness(tile + (y + AROUND) * tile_side.x + x + AROUND, tile_side.x);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  const float per_px = 1.0f / (1 << shift);
  const int x = origin.x + item.x, end = x < size.x ? min(area.y, size.y - origin.y) : 0;
  const float place_x = per_px * x - 0.25f, part_x = place_x - floor(place_x);
  const int column = (int)floor(place_x) - first.x, own_column = (x >> shift) - first.x;
  for (int row = item.y; row < end; row += items.y) {
    const int y = origin.y + row, i = y * size.x + x;
    const float place_y = per_px * y - 0.25f, base_y = floor(place_y);
    __local const float2 *p = medians + ((int)base_y - first.y) * side.x + column, *q = p + side.x;
    const float2 v = mix(mix(p[0], p[1], part_x), mix(q[0], q[1], part_x), place_y - base_y);
    const float2 to = (float2)(x, y) + v;
    vectors[i] = v;
    confidence[i] = inside(to, size) ? sure[((y >> shift) - first.y) * side.x + own_column] : 0.0f;
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
