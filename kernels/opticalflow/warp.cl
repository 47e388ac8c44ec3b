// SPDX-License-Identifier: LGPL-2.1-or-later
// Steps of the solver: a group takes a tile of a lattice, smooths the flow there by a median, looks where
// every node's texels went, adds up their votes over the window and solves for the flow. Build as window.clh says.
#include "opticalflow/window.clh"

// The sums of lattices, and how they come here.
#ifdef FUSED_LEVELS
#include "opticalflow/tensors.clh"
#define OF_LATTICE(type) __global type *
#else
#define OF_LATTICE(type) __global const type *restrict
#endif

// Steps go so many times as far as to what they solve for: fewer come as close.
#define RELAXATION 1.4f

// What steps on a lattice go by.
typedef struct {
  int4 level;
  int2 size;  // of the lattice
  int step;   // texels from node to node
  float2 light;
  Noise noise;
  float4 gain;
  float spread;  // see noise.clh, like `gain`
  float far, limit, alpha;
  int spacing;
} Lattice;

// A step on the nodes from `first` on: the flow in `tile`, nodes from `raw` on of those up to `last`, multiplied by `scale`, has nodes
// `step` texels apart, or with `shift` 1 twice that. It ends in `tile`, or in `result` if there is one. `tensors`, `rests`: the lattice's. `tile`
// holds votes too; `own`: see node_vote(); `strip` medians, then sums along y; `nodes_flow` what the nodes start from.
inline void take_step(OF_LATTICE(OWN) own, __global const TEXEL *restrict after, Lattice own_lattice,
                      OF_LATTICE(float4) tensors, OF_LATTICE(float) rests, Window window,
                      int2 first, int2 nodes, int2 raw, int2 raw_side, int2 last, int shift, float scale,
                      __local float2 *restrict tile, __local float2 *restrict strip, __local float2 *restrict nodes_flow,
                      __global float2 *restrict result) {
  const int2 size = own_lattice.size, voter = first - RADIUS, voters = nodes + 2 * RADIUS;
  const int2 middle = max(voter >> shift, 0);
  const int2 middles = min(((voter + voters - 1) >> shift) + 1 + shift, last + 1) - middle;
  barrier(CLK_LOCAL_MEM_FENCE);
  FOR_ITEMS(x, y, middles)
    strip[y * middles.x + x] =
        scale * smooth_at(tile, raw, raw_side.x, middle + (int2)(x, y), last, own_lattice.spacing, own_lattice.far);
  barrier(CLK_LOCAL_MEM_FENCE);
  FOR_ITEMS(x, y, voters) {
    const int2 at = clamp(voter + (int2)(x, y), 0, size - 1);
    const float2 v = shift == 0 ? strip[(at.y - middle.y) * middles.x + at.x - middle.x]
                                : sample_flow(strip, middle, middles.x, 0.5f * convert_float2(at), last);
    const int2 node = (int2)(x, y) - RADIUS;
    if (all(node >= 0) && all(node < nodes)) nodes_flow[node.y * nodes.x + node.x] = v;
    tile[y * voters.x + x] = node_vote(own, after, own_lattice.level, size, own_lattice.step, at, v, own_lattice.light,
                                       own_lattice.alpha, own_lattice.limit);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
#ifdef LINEAR_ITEMS  // what an item's first node needs is on its way while sums are made
  const int2 early = first + min(first_place(nodes), nodes - 1);
  const int early_index = early.y * size.x + early.x;
  const float4 early_tensor = tensors[early_index];
  const float early_rest = rests[early_index];
#define TENSOR_AT(index) ((index) == early_index ? early_tensor : tensors[index])
#define REST_AT(index) ((index) == early_index ? early_rest : rests[index])
#else
#define TENSOR_AT(index) tensors[index]
#define REST_AT(index) rests[index]
#endif
  SUM_Y(tile, strip, voters.x, nodes.y, window, float2)
  barrier(CLK_LOCAL_MEM_FENCE);
  FOR_ITEMS(x, y, nodes) {
    const int index = (first.y + y) * size.x + first.x + x;
    const float4 tensor = TENSOR_AT(index);
    float2 sum;
    SUM_X(sum, strip + y * voters.x + x, window)
    const float2 start = nodes_flow[y * nodes.x + x];
    const float2 solution = trusted(start, mix(start, solve(tensor.xyz, sum), RELAXATION), tensor, REST_AT(index),
                                    own_lattice.noise, own_lattice.gain, own_lattice.spread, size);
    if (result)
      result[index] = solution;
    else
      tile[y * nodes.x + x] = solution;
  }
}

#ifndef FUSED_LEVELS
// `warps` steps on the lattice of `size` nodes, `step` texels apart; `tensors` holds its sums from
// `first_tensor` on. A group's tile is `side` nodes, and as much more as every further step needs around.
#ifdef GROUP_X
__attribute__((reqd_work_group_size(GROUP_X, GROUP_Y, 1)))
#endif
__kernel void flow_warp(__global const OWN *restrict own, __global const TEXEL *restrict after, int4 level,
                        int step, __global const float2 *restrict light, __global const float4 *restrict tensors,
                        __global const float *restrict rests, int first_tensor, __global const float *restrict noise_table,
                        float4 gain, float spread, __global const float2 *restrict flow, int2 flow_size, int shift,
                        float scale, __global float2 *restrict result, int2 size, int2 side, int warps,
                        Window window, float alpha, int spacing, __local float2 *restrict tile,
                        __local float2 *restrict strip, __local float2 *restrict nodes_flow) {
  const int2 origin = (int2)(get_group_id(0), get_group_id(1)) * side;
  int2 last = flow_size - 1;
  // All that may be needed, before it is known whether noise widens the median.
  const int most = (warps - 1) * (RADIUS + 2 * spacing) + RADIUS;
  int2 raw = max((max(origin - most, -RADIUS) >> shift) - 2 * spacing, 0);
  int2 raw_side = min(((min(origin + side + most, size + RADIUS) - 1) >> shift) + 1 + shift + 2 * spacing, last + 1) - raw;
  LOAD_FLOW(tile, raw, raw_side)
  const Noise noise = noise_of(noise_table);
  const float far = far_part(noise);
  const Lattice lattice = {level, size, step, light[0], noise, gain, spread, far, change_limit(noise, gain), alpha, spacing};
  const int reach = reach_of(spacing, far);
#ifndef CENSUS
  own += first_tensor;
#endif
  for (int i = 0; i < warps; i++) {
    const int grow = (warps - 1 - i) * (RADIUS + reach);
    const int2 first = max(origin - grow, 0), nodes = min(origin + side + grow, size) - first;
    take_step(own, after, lattice, tensors + first_tensor, rests + first_tensor, window, first, nodes, raw, raw_side, last,
              shift, scale, tile, strip, nodes_flow, i + 1 < warps ? 0 : result);
    raw = first, raw_side = nodes, last = size - 1, shift = 0, scale = 1.0f;
  }
}

#else  // -DFUSED_LEVELS
#ifdef CENSUS
#define OWN_OF(row) before
#else
#define OWN_OF(row) slopes + (row).first_tensor
#endif

// The first group: `warps` steps on each of the lattices from `from` down to `to`, which it takes whole; where there are other groups,
// what they do for the finer lattices, flow_tensors, for these before it. `side`, `tiles` and what is behind them: as there. `room` and `strip` are
// for both, `nodes` the place in `room`, in float2, of what a step starts from.
#ifdef GROUP_X
__attribute__((reqd_work_group_size(GROUP_X, GROUP_Y, 1)))
#endif
__kernel void flow_fused(__global const TEXEL *restrict before, __global const TEXEL *restrict after, __constant TableRow *lattices,
                         __global const float4 *restrict gains, int from, int to, __global const float2 *restrict light,
                         __global float4 *tensors, __global float *rests, __global float4 *slopes,
                         __global const float *restrict noise_table, float spread, __global const float2 *restrict flow,
                         int2 flow_size, float scale, __global float2 *restrict result, int warps, Window window, float alpha,
                         int spacing, __global const float *restrict grey, __global const float *restrict later,
                         volatile __global float *rows, __global uint *restrict votes, Window finest, int2 side, int tiles, int row_count, int row_spacing,
                         __local float4 *room, __local float4 *strip, int nodes) {
  __local int last;
  const int group = get_group_id(0), others = get_num_groups(0) - 1, before_tiles = others - tiles;
  if (group > before_tiles) {
    sum_tiles(before, after, grey, light[0], noise_table, gains, lattices, group - 1 - before_tiles, side, tensors, rests, slopes, votes, finest, window,
              alpha, room, strip);
    return;
  }
  if (group > 0) {
    light_rows(grey, later, lattices[0].level, light[0], group - 1, before_tiles, row_count, row_spacing, rows, votes, room, &last);
    return;
  }
  for (int number = from; number >= to && others > 0; number--) {
    const TableRow row = lattices[number];
    for (int y = 0; y < row.size.y; y += side.y)
      for (int x = 0; x < row.size.x; x += side.x)
        sum_tile(before, after, grey, light[0], noise_table, gains[number], row, (int2)(x, y), side, tensors, rests, slopes, window, alpha, room,
                 strip);
  }
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  __local float2 *tile = (__local float2 *)room;
  const Noise noise = noise_of(noise_table);
  int2 raw_side = flow_size;
  const int2 first = 0;
  LOAD_FLOW(tile, first, raw_side)
  for (int number = from; number >= to; number--) {
    const TableRow row = lattices[number];
    const float4 gain = gains[number];
    const Lattice lattice = {row.level, row.size, row.step, light[0], noise, gain, spread, far_part(noise), change_limit(noise, gain), alpha, spacing};
    int shift = any(raw_side < row.size) ? 1 : 0;
    for (int i = 0; i < warps; i++) {
      take_step(OWN_OF(row), after, lattice, tensors + row.first_tensor, rests + row.first_tensor, window, first, row.size, first, raw_side,
                raw_side - 1, shift, scale, tile, (__local float2 *)strip, tile + nodes, number > to || i + 1 < warps ? 0 : result);
      raw_side = row.size, shift = 0, scale = 1.0f;
    }
    scale = 2.0f;  // texels of the next finer level are half as large
  }
}
#endif
