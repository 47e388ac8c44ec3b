// SPDX-License-Identifier: LGPL-2.1-or-later
// Steps of the solver. A group has a tile of a lattice. It smooths the flow with a median, warps
// the texel of every node, sums the right-hand sides over the window and solves for the flow. See
// window.clh for the build options.
#include "opticalflow/tables.clh"
#include "opticalflow/window.clh"

// The type of the buffers with a lattice's sums. flow_fused also writes them.
#ifdef FUSED_LEVELS
#include "opticalflow/tensors.clh"
#define LATTICE_BUFFER(type) __global type *
#else
#define LATTICE_BUFFER(type) __global const type *restrict
#endif

// The parameters of steps on a lattice.
typedef struct {
  int4 level;
  int2 size;  // of the lattice
  int step;   // texels between nodes
  float2 brightness;
  Noise noise;
  float4 gain;
  float spread;  // as in Warp
  float denoising, limit, alpha;
  int spacing;
} Lattice;

// One step for `nodes` nodes from `first` on. On entry `tile` holds the flow of `input_side` nodes
// from `input` on, in units of `scale` texels. Their lattice ends with node `last`. With `shift` 1
// they are twice as far apart as the nodes. The result goes to `result`, or to `tile` if `result`
// is null. `tensors` and `residuals` belong to the lattice. `source`: see node_rhs().
//
// Local memory: `tile` later holds right-hand sides. `strip` holds medians, then sums along y.
// `nodes_flow` holds the flow at the start of the step.
inline void warp_step(LATTICE_BUFFER(NODE_SOURCE) source, __global const TEXEL *restrict after,
                      Lattice lattice, LATTICE_BUFFER(float4) tensors,
                      LATTICE_BUFFER(float) residuals, Window window, int2 first, int2 nodes,
                      int2 input, int2 input_side, int2 last, int shift, float scale,
                      __local float2 *restrict tile, __local float2 *restrict strip,
                      __local float2 *restrict nodes_flow, __global float2 *restrict result) {
  const int2 size = lattice.size, window_first = first - RADIUS, window_nodes = nodes + 2 * RADIUS;
  const int2 median_first = max(window_first >> shift, 0);
  const int2 median_size =
      min(((window_first + window_nodes - 1) >> shift) + 1 + shift, last + 1) - median_first;
  barrier(CLK_LOCAL_MEM_FENCE);
  FOR_ITEMS(x, y, median_size)
  strip[y * median_size.x + x] =
      scale * smoothed_flow(tile, input, input_side.x, median_first + (int2)(x, y), last,
                            lattice.spacing, lattice.denoising);
  barrier(CLK_LOCAL_MEM_FENCE);
  FOR_ITEMS(x, y, window_nodes) {
    const int2 at = clamp(window_first + (int2)(x, y), 0, size - 1);
    const float2 v =
        shift == 0
            ? strip[(at.y - median_first.y) * median_size.x + at.x - median_first.x]
            : sample_flow(strip, median_first, median_size.x, 0.5f * convert_float2(at), last);
    const int2 node = (int2)(x, y) - RADIUS;
    if (all(node >= 0) && all(node < nodes)) nodes_flow[node.y * nodes.x + node.x] = v;
    tile[y * window_nodes.x + x] = node_rhs(source, after, lattice.level, size, lattice.step, at, v,
                                            lattice.brightness, lattice.alpha, lattice.limit);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
#ifdef LINEAR_ITEMS  // load the data of an item's first node while the sums are computed
  const int2 early = first + min(first_place(nodes), nodes - 1);
  const int early_index = early.y * size.x + early.x;
  const float4 early_tensor = tensors[early_index];
  const float early_residual = residuals[early_index];
#define TENSOR_AT(index) ((index) == early_index ? early_tensor : tensors[index])
#define RESIDUAL_AT(index) ((index) == early_index ? early_residual : residuals[index])
#else
#define TENSOR_AT(index) tensors[index]
#define RESIDUAL_AT(index) residuals[index]
#endif
  SUM_Y(tile, strip, window_nodes.x, nodes.y, window, float2)
  barrier(CLK_LOCAL_MEM_FENCE);
  FOR_ITEMS(x, y, nodes) {
    const int index = (first.y + y) * size.x + first.x + x;
    const float4 tensor = TENSOR_AT(index);
    float2 sum;
    SUM_X(sum, strip + y * window_nodes.x + x, window)
    const float2 start = nodes_flow[y * nodes.x + x];
    const float2 solution =
        noise_limited(start, mix(start, solve(tensor.xyz, sum), SOLVER_RELAXATION), tensor,
                      RESIDUAL_AT(index), lattice.noise, lattice.gain, lattice.spread, size);
    if (result)
      result[index] = solution;
    else
      tile[y * nodes.x + x] = solution;
  }
}

#ifndef FUSED_LEVELS
// All steps on one lattice, for the tile of a group. The first steps also compute the surroundings
// that later steps need, so groups are independent.
#ifdef GROUP_X
__attribute__((reqd_work_group_size(GROUP_X, GROUP_Y, 1)))
#endif
__kernel void
flow_warp(__global const NODE_SOURCE *restrict source, __global const TEXEL *restrict after,
          __global const float2 *restrict brightness, __global const float *restrict tables,
          __global const float *restrict noise_table, __global const float2 *restrict flow,
          __global float2 *restrict result, Warp warp, __local float2 *restrict tile,
          __local float2 *restrict strip, __local float2 *restrict nodes_flow) {
  const float4 gain = warp.gain;
  const Window window = warp.window;
  const int2 size = warp.size, flow_size = warp.flow_size, side = warp.side;
  const int first_tensor = warp.first_tensor, warps = warp.warps, spacing = warp.spacing;
  const int2 origin = (int2)(get_group_id(0), get_group_id(1)) * side;
  int2 last = flow_size - 1;
  int shift = warp.shift;
  float scale = warp.scale;
  // Loads the input for the wide median, before the noise table says whether that median is used.
  const int most_margin = (warps - 1) * (RADIUS + 2 * spacing) + RADIUS;
  int2 input = max((max(origin - most_margin, -RADIUS) >> shift) - 2 * spacing, 0);
  int2 input_side = min(((min(origin + side + most_margin, size + RADIUS) - 1) >> shift) + 1 +
                            shift + 2 * spacing,
                        last + 1) -
                    input;
  LOAD_FLOW(tile, input, input_side)
  const Noise noise = noise_of(noise_table);
  const float denoising = denoising_of(noise);
  const Lattice lattice = {warp.level,    size,      warp.step,
                           brightness[0], noise,     gain,
                           warp.spread,   denoising, change_limit(noise, gain),
                           warp.alpha,    spacing};
  const int reach = smoothing_reach(spacing, denoising);
  __global const float4 *tensors = TENSORS_OF(tables, warp) + first_tensor;
  __global const float *residuals = RESIDUALS_OF(tables, warp) + first_tensor;
#ifndef CENSUS
  source += warp.tables.slopes / 4 + first_tensor;
#endif
  for (int i = 0; i < warps; i++) {
    const int margin = (warps - 1 - i) * (RADIUS + reach);
    const int2 first = max(origin - margin, 0), nodes = min(origin + side + margin, size) - first;
    warp_step(source, after, lattice, tensors, residuals, window, first, nodes, input, input_side,
              last, shift, scale, tile, strip, nodes_flow, i + 1 < warps ? 0 : result);
    input = first, input_side = nodes, last = size - 1, shift = 0, scale = 1.0f;
  }
}

#else  // -DFUSED_LEVELS
#ifdef CENSUS
#define SOURCE_OF(row) before
#else
#define SOURCE_OF(row) slopes + (row).first_tensor
#endif

// The first group takes all steps on lattices `from` to `to`, each as one tile. If there are more
// groups, it first computes the tensors of these lattices. The other groups then do the work of
// flow_tensors for the finer lattices. `scratch` is local memory for both uses.
#ifdef GROUP_X
__attribute__((reqd_work_group_size(GROUP_X, GROUP_Y, 1)))
#endif
__kernel void
flow_fused(__global const TEXEL *restrict before, __global const TEXEL *restrict after,
           __global const float *restrict grey_before, __global const float *restrict grey_after,
           __global const float2 *restrict brightness, __global const float *restrict noise_table,
           __constant LatticeLevel *lattices, __global float *tables,
           __global const float2 *restrict flow, __global float2 *restrict result, FusedWarp warp,
           __local float4 *scratch) {
  __local int last;
  const int group = get_group_id(0), other_groups = get_num_groups(0) - 1,
            row_groups = other_groups - warp.sums.tiles;
  if (group > row_groups) {
    sum_tensor_tiles(before, after, grey_before, brightness[0], noise_table, lattices,
                     group - 1 - row_groups, tables, warp.sums, scratch);
    return;
  }
  if (group > 0) {
    find_row_ratios(grey_before, grey_after, lattices[0].level, brightness[0], group - 1,
                    row_groups, warp.sums.rows, warp.sums.row_spacing, tables, scratch, &last);
    return;
  }
  const Window window = warp.sums.other_window;
  const int2 side = warp.sums.side, flow_size = warp.flow_size;
  const int from = warp.from, to = warp.to, warps = warp.warps, spacing = warp.spacing;
  const float alpha = warp.sums.alpha;
  float scale = warp.scale;
  __global float4 *tensors = TENSORS_OF(tables, warp.sums), *slopes = SLOPES_OF(tables, warp.sums);
  __global float *residuals = RESIDUALS_OF(tables, warp.sums);
  __local float4 *strip = scratch + warp.sums.strip;
  for (int number = from; number >= to && other_groups > 0; number--) {
    const LatticeLevel row = lattices[number];
    for (int y = 0; y < row.size.y; y += side.y)
      for (int x = 0; x < row.size.x; x += side.x)
        sum_tensors(before, after, grey_before, brightness[0], noise_table, row, (int2)(x, y), side,
                    tensors, residuals, slopes, window, alpha, scratch, strip);
  }
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  __local float2 *tile = (__local float2 *)scratch;
  const Noise noise = noise_of(noise_table);
  int2 input_side = flow_size;
  const int2 first = 0;
  LOAD_FLOW(tile, first, input_side)
  for (int number = from; number >= to; number--) {
    const LatticeLevel row = lattices[number];
    const Lattice lattice = {row.level,
                             row.size,
                             row.step,
                             brightness[0],
                             noise,
                             row.gain,
                             warp.spread,
                             denoising_of(noise),
                             change_limit(noise, row.gain),
                             alpha,
                             spacing};
    int shift = any(input_side < row.size) ? 1 : 0;
    for (int i = 0; i < warps; i++) {
      warp_step(SOURCE_OF(row), after, lattice, tensors + row.first_tensor,
                residuals + row.first_tensor, window, first, row.size, first, input_side,
                input_side - 1, shift, scale, tile, (__local float2 *)strip, tile + warp.nodes,
                number > to || i + 1 < warps ? 0 : result);
      input_side = row.size, shift = 0, scale = 1.0f;
    }
    scale = 2.0f;  // a texel is two texels of the next finer level
  }
}
#endif
