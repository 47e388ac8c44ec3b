// SPDX-License-Identifier: LGPL-2.1-or-later
// The bilateral grid on images, for GPUs. Splatting gathers: a work-item has some planes of an interval
// and goes through all of the interval's pixels, which the group keeps in local memory; a pixel too far
// along z weighs nothing. So no two work-items write to one place, and the time does not depend on what
// the frame shows. Build as grid.clh says, with -DPLANES, how many planes a work-item has.
//
// Between the kernels the cells are halves: colours count from the middle level and the weights of a node
// add up to no more than FULL. They lie in rows along x, from node -REACH on; then come the planes, then
// the channels. The blurred grid is an array of images, a layer per plane, which the texture unit
// interpolates in x and y.
#include "bilateral/grid.clh"
#include "bilateral/image.clh"

#define MIDDLE 127.5f
#define FULL 128.0f
#define SLOTS 8            // pixels of an interval that a group adds up at once
#define PITCH (SLOTS + 1)  // of intervals in local memory; odd: no bank conflicts
#define TEXELS PLANES      // that a work-item fetches for them, at most
#define STEP 4  // planes that a work-item blurs along z
#define LAYERS (CHANNELS * planes)
#define FAR (-1e6f)  // a place along z that is in no plane's reach

#if CHANNELS == 1
#define LOAD_CELL vloada_half4
#define STORE_CELL vstorea_half4
#define TEXEL_OF(cell) (cell)
#else
#define LOAD_CELL vloada_half2
#define STORE_CELL vstorea_half2
#define TEXEL_OF(cell) ((float4)(cell, 0.0f, 0.0f))
#endif

__constant sampler_t grid_sampler =
    CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_LINEAR;

// The colour from the middle level on; w is its place along z if there is one grid.
inline float4 splat_texel(float4 pixel, float4 range) {
  const float3 levels = 255.0f * pixel.xyz;
  return (float4)(levels - MIDDLE, dot(levels, range.xyz));
}

// Sums of bands of pixel rows for the node rows above and below them. The frame's edge is repeated
// outwards. A group has `stretch` nodes and goes through stretch + 1 intervals, row by row and `slots` (up to
// SLOTS) pixels of each interval at once, until it had `row_slots` of them. `tile`: twice what it adds up at once; `ends`: the cells of
// stretch + 2 nodes, of the row above and of that below. Work-items: groups along x, bands along y; the
// group's height must be 1, its width times TEXELS at least (stretch + 1) * PITCH.
__kernel void grid_splat(__read_only image2d_t in, __global half *sums, float4 range, float cell,
                         float inverse, int planes, int nodes, int bands, int stretch, int slots,
                         int row_slots, __local float4 *tile, __local CELL *ends) {
  const int lane = get_local_id(0), lanes = get_local_size(0);
  const int first = (int)get_group_id(0) * stretch, band = get_global_id(1);
  const int2 rows = band_rows(band, bands, cell);
  const int intervals = stretch + 1, first_interval = first - 1 - REACH;
  const int parts = (planes + PLANES - 1) / PLANES, items = intervals * CHANNELS * parts;
  const int side = stretch + 2, cells = side * LAYERS, area = intervals * PITCH;
  const float y_first = rows.x * inverse - (band / bands - REACH - 1), count = rows.y - rows.x;

  // Which pixels this work-item fetches, and how many of them its interval has from there on.
  int x_from[TEXELS], x_count[TEXELS];
#pragma unroll
  for (int i = 0; i < TEXELS; i++) {
    const int at = lane + i * lanes, interval = first_interval + at / PITCH;
    x_from[i] = first_pixel(interval, cell) + at % PITCH;
    x_count[i] = at % PITCH < slots ? first_pixel(interval + 1, cell) - x_from[i] : 0;
  }

  for (int start = 0; start < items; start += lanes) {
    const int item = min(start + lane, items - 1);
    const int interval = item / (CHANNELS * parts), part = item % parts;
    const int channel = CHANNELS == 1 ? 0 : item / parts % CHANNELS;
    const int x_interval = first_interval + interval;
    const float x_first = first_pixel(x_interval, cell) * inverse - x_interval;
    const float scale = channel == 0 ? range.x : channel == 1 ? range.y : range.z;

    // `rising` sums what has been added up after each row: rows weighted by how many follow.
    CELL sum[PLANES], right[PLANES], rising[PLANES], rising_right[PLANES];
#pragma unroll
    for (int k = 0; k < PLANES; k++) sum[k] = right[k] = rising[k] = rising_right[k] = 0.0f;

    // Each round begins to fetch what the next one adds up.
    float4 next[TEXELS];
#pragma unroll
    for (int i = 0; i < TEXELS; i++) next[i] = read_imagef(in, pixel_sampler, (int2)(x_from[i], rows.x));
    float place = x_first;
    int y = rows.x, offset = 0;
    for (int round = 0; y < rows.y; round++) {
      __local float4 *half_tile = tile + (round & 1) * area;
#pragma unroll
      for (int i = 0; i < TEXELS; i++)
        if (lane + i * lanes < area)
          half_tile[lane + i * lanes] = offset < x_count[i] ? splat_texel(next[i], range) : FAR;
      barrier(CLK_LOCAL_MEM_FENCE);
      offset += slots;
      const bool row_ends = offset >= row_slots;
      if (row_ends) offset = 0, y++;
#pragma unroll
      for (int i = 0; i < TEXELS; i++)
        next[i] = read_imagef(in, pixel_sampler, (int2)(x_from[i] + offset, y));

      __local const float4 *texels = half_tile + interval * PITCH;
#pragma unroll 4
      for (int x = 0; x < slots; x++, place += inverse) {
        const float4 texel = texels[x];
#if CHANNELS == 1
        const float z = texel.w;
        const CELL pixel = (CELL)(texel.xyz, 1.0f);
#else
        const float level = channel == 0 ? texel.x : channel == 1 ? texel.y : texel.z;
        const float z = (level + MIDDLE) * scale;
        const CELL pixel = (CELL)(level, 1.0f);
#endif
        const CELL pixel_right = place * pixel;
#pragma unroll
        for (int k = 0; k < PLANES; k++) {
          const float weight = clamp(1.0f - fabs(z - (part + k * parts)), 0.0f, 1.0f);
          sum[k] += weight * pixel;
          right[k] += weight * pixel_right;
        }
      }
      if (!row_ends) continue;
      place = x_first;
#pragma unroll
      for (int k = 0; k < PLANES; k++) rising[k] += sum[k], rising_right[k] += right[k];
    }

    // The node after the interval, then, as that one's left neighbour is done, the one before it.
#pragma unroll
    for (int k = 0; k < PLANES; k++) {
      rising[k] = y_first * sum[k] + inverse * (count * sum[k] - rising[k]);
      rising_right[k] = y_first * right[k] + inverse * (count * right[k] - rising_right[k]);
    }
    __local CELL *end = ends + (channel * planes + part) * side + interval;
    const int own = start + lane < items ? planes - part : 0;
#pragma unroll
    for (int k = 0; k < PLANES; k++)
      if (k * parts < own) {
        end[k * parts * side + 1] = right[k] - rising_right[k];
        end[k * parts * side + 1 + cells] = rising_right[k];
      }
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
    for (int k = 0; k < PLANES; k++)
      if (k * parts < own && interval > 0) {
        const CELL below = rising[k] - rising_right[k];
        end[k * parts * side] += sum[k] - right[k] - below;
        end[k * parts * side + cells] += below;
      }
    barrier(CLK_LOCAL_MEM_FENCE);
  }

  const float full = FULL * inverse * inverse;
  const size_t row_cells = (size_t)LAYERS * nodes;
  for (int i = lane; i < stretch * LAYERS; i += lanes) {
    const int layer = i / stretch, node = i % stretch;
    if (first + node >= nodes) continue;
    __local const CELL *end = ends + layer * side + node + 1;
    const size_t at = 2 * band * row_cells + (size_t)layer * nodes + first + node;
    STORE_CELL(full * end[0], at, sums);
    STORE_CELL(full * end[cells], at + row_cells, sums);
  }
}

// Adds the bands' sums up to rows of nodes and blurs them along y, then along x and z. `sums`: per band
// a row of nodes for the node row above it and one for that below. Taps: centre, next, far. `tile`: ROWS
// times the group's width + 2 REACH times chunk + 2 REACH cells. Work-items: nodes along x; along y a
// group for `chunk` planes of a channel (a multiple of STEP) of ROWS rows.
__kernel void grid_blur(__global const half *sums, __write_only image2d_array_t grid, float4 taps_space,
                        float4 taps_range, int planes, int nodes, int rows, int bands, int chunk,
                        __local CELL *tile) {
  const float tap[] = {taps_space.z, taps_space.y, taps_space.x, taps_space.y, taps_space.z};
  const float tap_z[] = {taps_range.z, taps_range.y, taps_range.x, taps_range.y, taps_range.z};
  const int width = get_local_size(0), height = get_local_size(1);
  const int side = width + 2 * REACH, area = side * (chunk + 2 * REACH);
  const int chunks = (planes + chunk - 1) / chunk, group = get_group_id(1);
  const int first = group % chunks * chunk, channel = group / chunks % CHANNELS;
  const int y = group / chunks / CHANNELS * ROWS;
  const size_t row_cells = (size_t)LAYERS * nodes;

  for (int i = get_local_id(1) * width + get_local_id(0); i < area; i += width * height) {
    const int x = (int)get_group_id(0) * width + i % side, plane = first + i / side - REACH;
    CELL sum[ROWS];
#pragma unroll
    for (int o = 0; o < ROWS; o++) sum[o] = 0.0f;
    if (x < nodes && plane >= 0 && plane < planes) {
      __global const half *column = sums + (CHANNELS == 1 ? 4 : 2) * ((channel * planes + plane) * nodes + x);
      for (int b = 0; b < bands; b++)
#pragma unroll
        for (int j = 0; j < ROWS + 2 * REACH; j++) {
          // Of node row y + j - REACH the band above and the one below; the last row's again beyond it.
          const int row = min(y + j, rows + 2 * REACH - 1);
          const size_t above = 2 * (row * bands + b) + 1, below = 2 * ((row + 1) * bands + b);
          const CELL node = LOAD_CELL(above * row_cells, column) + LOAD_CELL(below * row_cells, column);
#pragma unroll
          for (int o = 0; o < ROWS; o++)
            if (j >= o && j - o <= 2 * REACH) sum[o] += tap[j - o] * node;
        }
    }
#pragma unroll
    for (int o = 0; o < ROWS; o++) tile[o * area + i] = sum[o];
  }
  barrier(CLK_LOCAL_MEM_FENCE);

  const int x = get_global_id(0);
  for (int i = get_local_id(1); i < ROWS * chunk / STEP; i += height) {
    const int row = i % ROWS, from = i / ROWS * STEP;
    __local const CELL *cells = tile + row * area + from * side + get_local_id(0);
    CELL sum[STEP];
#pragma unroll
    for (int o = 0; o < STEP; o++) sum[o] = 0.0f;
#pragma unroll
    for (int j = 0; j < STEP + 2 * REACH; j++, cells += side) {
      const CELL blurred = tap[0] * (cells[0] + cells[4]) + tap[1] * (cells[1] + cells[3]) + tap[2] * cells[2];
#pragma unroll
      for (int o = 0; o < STEP; o++)
        if (j >= o && j - o <= 2 * REACH) sum[o] += tap_z[j - o] * blurred;
    }
    if (x < nodes - 2 * REACH && y + row < rows)
#pragma unroll
      for (int o = 0; o < STEP; o++)
        if (first + from + o < planes)
          write_imagef(grid, (int4)(x, y + row, channel * planes + first + from + o, 0), TEXEL_OF(sum[o]));
  }
}

// The grid's cell at a place in x and y, in texels, and along z from layer `layer` on.
inline float4 cell_at(__read_only image2d_array_t grid, float2 at, int layer, float z) {
  const int plane = (int)z;
  const float4 a = read_imagef(grid, grid_sampler, (float4)(at, layer + plane, 0.0f));
  const float4 b = read_imagef(grid, grid_sampler, (float4)(at, layer + plane + 1, 0.0f));
  return a + (z - plane) * (b - a);
}

// `in` gives the colours to look up, `original` the unfiltered side of the split.
__kernel void grid_slice(__read_only image2d_t in, __read_only image2d_t original,
                         __write_only image2d_t out, __read_only image2d_array_t grid, float4 range,
                         float inverse, int planes, int split) {
  const int2 size = get_image_dim(in);
  const int2 at = (int2)(get_global_id(0), get_global_id(1));
  if (any(at >= size)) return;
  float4 pixel;
  if (at.x >= split) {
    pixel = read_imagef(in, pixel_sampler, at);
    const float3 levels = 255.0f * pixel.xyz;
    const float2 place = convert_float2(at) * inverse + 0.5f;
#if CHANNELS == 1
    const float4 sum = cell_at(grid, place, 0, dot(levels, range.xyz));
    const float3 mean = sum.xyz * native_recip(sum.w);
#else
    const float3 z = levels * range.xyz;
    const float4 r = cell_at(grid, place, 0, z.x), g = cell_at(grid, place, planes, z.y);
    const float4 b = cell_at(grid, place, 2 * planes, z.z);
    const float3 mean = (float3)(r.x, g.x, b.x) * native_recip((float3)(r.y, g.y, b.y));
#endif
    pixel = filtered_pixel(mean + MIDDLE, pixel.w, at.x, size.x, split);
  } else {
    pixel = read_imagef(original, pixel_sampler, at);
  }
  write_imagef(out, at, pixel);
}
