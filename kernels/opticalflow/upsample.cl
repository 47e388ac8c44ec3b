// SPDX-License-Identifier: LGPL-2.1-or-later
// Upsamples the last lattice to a vector, px, and a confidence per pixel. An item has ROWS pixels
// of a column.
#include "common/items.clh"
#include "opticalflow/median.clh"
#include "opticalflow/noise.clh"
#include "opticalflow/tuned.clh"
#include "opticalflow/verify.clh"

// The factor of the confidence by the curvature of the flow, because the solver is least certain
// where motions meet. The curvature is the largest second difference of node `p` with nodes
// BEND_DISTANCE away on opposite sides. The factor is a half at 1 px.
inline float bending_confidence(__local const float2 *p, int pitch) {
  const int spacing[4] = {BEND_DISTANCE, BEND_DISTANCE * pitch, BEND_DISTANCE * (pitch + 1),
                          BEND_DISTANCE * (pitch - 1)};
  float largest = 0.0f;
  for (int i = 0; i < 4; i++) {
    const float2 bend = p[spacing[i]] + p[-spacing[i]] - 2.0f * p[0];
    largest = fmax(largest, dot(bend, bend));
  }
  return normal_recip(1.0f + largest);
}

// Computes keep_factor() for `count` cells from `low` on. `around` holds these cells and AREA_REACH
// more on each side. `rows` holds sums over rows of the largest area.
inline void find_keep_factors(__global const CellEvidence *restrict evidence,
                              __global const FrameTally *tally, __global const Flicker *flicker,
                              int2 cells, int keep_all, float noise, float brightness_change,
                              int2 low, int2 count, __local CellEvidence *around,
                              __local CellEvidence *rows, __local float4 *factors) {
  const int2 from = low - AREA_REACH, side = count + 2 * AREA_REACH;
  const float2 middle =
      evidence[(low.y + count.y / 2) * cells.x + low.x + count.x / 2].flow_stats.yz;
  const CellEvidence nothing = {(float4)(0.0f), (float4)(0.0f), (float2)(0.0f), 0.0f,
                                0.0f,           (float2)(0.0f), 0.0f,           0.0f};
  FOR_ITEMS(x, y, side) {
    const int2 at = from + (int2)(x, y);
    CellEvidence own = nothing;
    if (all(at >= 0) && all(at < cells)) {
      own = evidence[at.y * cells.x + at.x];
      own.flow_stats = to_sums(own.flow_stats, middle);
    }
    around[y * side.x + x] = own;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  FOR_ITEMS(x, y, ((int2)(count.x, side.y)))
  rows[y * count.x + x] = sum_cells(around + y * side.x + x, 2 * AREA_REACH + 1, 1);
  barrier(CLK_LOCAL_MEM_FENCE);
  FOR_ITEMS(x, y, count) {
    const int2 at = low + (int2)(x, y), near = min(at + 1, cells - 1) - max(at - 1, 0) + 1;
    factors[y * count.x + x] =
        keep_factor(around + (y + AREA_REACH) * side.x + x + AREA_REACH, side.x,
                    rows + y * count.x + x, count.x, near.x * near.y, cells, keep_all, noise,
                    brightness_change, middle, tally, flicker);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
}

// Moves a vector towards the mean of its surroundings if these have a single motion within noise.
// Static vectors and vectors far from the mean stay. `factors`: from factors_at().
inline float2 toward_single_motion(float2 v, float4 factors, float denoising) {
  const float2 motion = factors.zw * native_recip(fmax(factors.y, 1e-9f)), offset = motion - v;
  const float motion_weight = clamp((1.0f / STATIC_PX) * native_sqrt(dot(v, v)) - 1.0f, 0.0f, 1.0f);
  return v + denoising * factors.y * motion_weight *
                 (1.0f - ramp(native_sqrt(dot(offset, offset)), NEAR_MOTION)) * offset;
}

// The first of the two adjacent cells, per axis, whose centres enclose a node.
inline int2 cell_before(int2 node) { return (2 * node + 1 - CELL_NODES) >> CELL_SHIFT; }

inline bool inside(float2 to, int2 size) {
  return to.x >= 0.0f && to.y >= 0.0f && to.x <= size.x - 1 && to.y <= size.y - 1;
}

// Writes the field. A pixel whose vector leaves the frame has a confidence of 0. The first node
// lies a quarter of the node distance from the frame's edge. `keep_factors` gets the factor of
// every cell.
//
// Local memory: `scratch` first serves find_keep_factors(), then holds the nodes of the group and
// BEND_DISTANCE more on each side. It is followed by the factors of the cells around the nodes, the
// nodes' medians and their confidence.
__kernel void flow_upsample(__global const float2 *restrict flow,
                            __global const float *restrict node_confidence,
                            __global const NoiseState *noise, __global const float2 *brightness,
                            __global float2 *restrict vectors, __global float *restrict confidence,
                            __global const CellEvidence *restrict evidence,
                            __global const FrameTally *restrict tally,
                            __global float *restrict keep_factors, Upsampling up,
                            __local float4 *scratch) {
  const int2 size = up.size, lattice = up.lattice, cells = up.cells;
  const int shift = up.shift, spacing = up.spacing;
  __local float4 *factors = scratch + up.factors_offset;
  __local float2 *medians = (__local float2 *)(factors + up.near_cells);
  __local float *tile_confidence = (__local float *)(medians + up.near_nodes);
  const int2 item = (int2)(get_local_id(0), get_local_id(1)),
             items = (int2)(get_local_size(0), get_local_size(1));
  const int2 area = items * (int2)(1, ROWS),
             origin = (int2)(get_group_id(0), get_group_id(1)) * area;
  const int2 first = (origin >> shift) - 1, last = lattice - 1, tile_first = first - BEND_DISTANCE;
  const int2 side = ((origin + area - 1) >> shift) + 2 - first,
             tile_side = side + 2 * BEND_DISTANCE;
  const int2 low = max(cell_before(max(first, 0)), 0);
  const int2 factors_side = min(cell_before(min(first + side - 1, last)) + 1, cells - 1) - low + 1;
  __local CellEvidence *around = (__local CellEvidence *)scratch;
  const Noise frame_noise = noise_of(noise->variances);
  find_keep_factors(evidence, tally, &noise->flicker, cells, up.keep_all, sqrt(frame_noise.white),
                    brightness[1].x, low, factors_side, around,
                    around + (factors_side.x + 2 * AREA_REACH) * (factors_side.y + 2 * AREA_REACH),
                    factors);
  FOR_ITEMS(x, y, factors_side) {
    const int2 at = low + (int2)(x, y), pixel = at * CELL_NODES << shift;
    if (all(pixel >= origin) && all(pixel < origin + area))
      keep_factors[at.y * cells.x + at.x] = factors[y * factors_side.x + x].x;
  }
  __local float2 *tile = (__local float2 *)scratch;
  FOR_ITEMS(x, y, tile_side) {
    const int2 node = clamp(tile_first + (int2)(x, y), 0, last);
    tile[y * tile_side.x + x] = flow[node.y * lattice.x + node.x];
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  const float denoising = denoising_of(frame_noise);
  FOR_ITEMS(x, y, side) {
    const int2 node = clamp(first + (int2)(x, y), 0, last);
    const int i = y * side.x + x;
    const float4 own_factors =
        factors_at(factors, low, factors_side.x, cells, convert_float2(node));
    float2 v = smoothed_flow(tile, tile_first, tile_side.x, node, last, spacing, denoising);
    if (denoising > 0.0f) v = toward_single_motion(v, own_factors, denoising);
    const float part = own_factors.x;
    medians[i] = part * v;
    tile_confidence[i] =
        node_confidence[node.y * lattice.x + node.x] *
        normal_recip(1.0f + 4.0f * (1.0f - part) * (1.0f - part) * dot(v, v)) *
        bending_confidence(tile + (y + BEND_DISTANCE) * tile_side.x + x + BEND_DISTANCE,
                           tile_side.x);
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
    confidence[i] =
        inside(to, size) ? tile_confidence[((y >> shift) - first.y) * side.x + own_column] : 0.0f;
  }
}

// Forward-backward check. The confidence is multiplied by 1 if the backward flow leads back to the
// pixel. It is multiplied by 0 if that ends a pixel or more away (linear).
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
