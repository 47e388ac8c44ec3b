// SPDX-License-Identifier: LGPL-2.1-or-later
// The bilateral grid on images, for GPUs. Splatting gathers: a work-item has some planes of an interval
// and goes through all of the interval's pixels, which the group keeps in local memory; a pixel too far
// along z weighs nothing. So no two work-items write to one place, and the time does not depend on what
// the frame shows. Build as grid.clh says, with -DPLANES, how many planes a
// work-item of the splat has, and -DSLICE_ROWS, how many pixels one of the look-up has.
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
// outwards. A group goes through `intervals` intervals of a band, row by row and `slots` (up to SLOTS) pixels
// of each interval at once, until it had `row_slots` of them. It fills the nodes between its intervals,
// `group_parts` times PLANES planes of them. `tile`: twice what it adds up at once; `lefts`: 2 PLANES cells
// per work-item. Work-items: groups along x; along y a group, of height 1, per `group_parts` parts of a
// band. A group's width is at least intervals * group_parts and, times TEXELS, intervals * PITCH.
__kernel void grid_splat(__read_only image2d_t in, __global half *sums, float4 range, float cell,
                         float inverse, int planes, int nodes, int bands, int intervals,
                         int group_parts, int slots, int row_slots, __local float4 *tile,
                         __local CELL *lefts) {
  const int lane = get_local_id(0), lanes = get_local_size(0), area = intervals * PITCH;
  const int parts = (planes + PLANES - 1) / PLANES, all_parts = CHANNELS * parts;
  const int part_groups = (all_parts + group_parts - 1) / group_parts;
  const int first_node = (int)get_group_id(0) * (intervals - 1);
  const int band = (int)get_group_id(1) / part_groups;
  const int2 rows = band_rows(band, bands, cell);

  // Which pixels this work-item fetches, and how many of them their interval has from there on.
  int x_from[TEXELS], x_count[TEXELS];
#pragma unroll
  for (int i = 0; i < TEXELS; i++) {
    const int at = lane + i * lanes, interval = first_node + at / PITCH - REACH - 1;
    x_from[i] = first_pixel(interval, cell) + at % PITCH;
    x_count[i] = at % PITCH < slots ? first_pixel(interval + 1, cell) - x_from[i] : 0;
  }

  // Which cells it adds up: those of `node` and, on the other side of its interval, of the one before.
  const int own = lane % intervals, group_part = lane / intervals;
  const int part = (int)get_group_id(1) % part_groups * group_parts + group_part;
  const int channel = part / parts, first_plane = part % parts * PLANES, node = first_node + own;
  const bool active = group_part < group_parts && part < all_parts && own < intervals - 1 && node < nodes;
  const int x_interval = node - REACH - 1;
  const float x_first = first_pixel(x_interval, cell) * inverse - x_interval;
  const float scale = channel == 0 ? range.x : channel == 1 ? range.y : range.z;
  float plane[PLANES];
#pragma unroll
  for (int k = 0; k < PLANES; k++) plane[k] = first_plane + k;

  // `rising` sums what has been added up after each row: rows weighted by how many follow.
  CELL sum[PLANES], right[PLANES], rising[PLANES], rising_right[PLANES];
#pragma unroll
  for (int k = 0; k < PLANES; k++) sum[k] = right[k] = rising[k] = rising_right[k] = 0.0f;

  // Each round begins to fetch what the next one adds up.
  int y = rows.x, offset = 0, half_tile = 0;
  float place = x_first;
  float4 next[TEXELS];
#pragma unroll
  for (int i = 0; i < TEXELS; i++) next[i] = read_imagef(in, pixel_sampler, (int2)(x_from[i], y));
  while (y < rows.y) {
#pragma unroll
    for (int i = 0; i < TEXELS; i++)
      if (lane + i * lanes < area)
        tile[half_tile + lane + i * lanes] = offset < x_count[i] ? splat_texel(next[i], range) : FAR;
    barrier(CLK_LOCAL_MEM_FENCE);
    offset += slots;
    const bool row_ends = offset >= row_slots;
    if (row_ends) offset = 0, y++;
#pragma unroll
    for (int i = 0; i < TEXELS; i++)
      next[i] = read_imagef(in, pixel_sampler, (int2)(x_from[i] + offset, y));

    __local const float4 *texels = tile + half_tile + own * PITCH;
    half_tile = area - half_tile;
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
        const float weight = clamp(1.0f - fabs(z - plane[k]), 0.0f, 1.0f);
        sum[k] += weight * pixel;
        right[k] += weight * pixel_right;
      }
    }
    if (!row_ends) continue;
    place = x_first;
#pragma unroll
    for (int k = 0; k < PLANES; k++) rising[k] += sum[k], rising_right[k] += right[k];
  }

  const float full = FULL * inverse * inverse, count = rows.y - rows.x;
  const float first = (rows.x * inverse - (band / bands - REACH - 1) + count * inverse) * full;
#pragma unroll
  for (int k = 0; k < PLANES; k++) {
    sum[k] -= right[k], rising[k] -= rising_right[k];
    rising[k] = first * sum[k] - full * inverse * rising[k];  // below
    rising_right[k] = first * right[k] - full * inverse * rising_right[k];
    lefts[2 * k * lanes + lane] = full * sum[k] - rising[k];
    lefts[(2 * k + 1) * lanes + lane] = rising[k];
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (active) {
    const int at = (2 * band * LAYERS + channel * planes + first_plane) * nodes + node;
#pragma unroll
    for (int k = 0; k < PLANES; k++)
      if (first_plane + k < planes) {
        const CELL above = full * right[k] - rising_right[k] + lefts[2 * k * lanes + lane + 1];
        const CELL below = rising_right[k] + lefts[(2 * k + 1) * lanes + lane + 1];
        STORE_CELL(above, at + k * nodes, sums);
        STORE_CELL(below, at + (LAYERS + k) * nodes, sums);
      }
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
  const int row_cells = LAYERS * nodes;

  for (int i = get_local_id(1) * width + get_local_id(0); i < area; i += width * height) {
    const int x = (int)get_group_id(0) * width + i % side, plane = first + i / side - REACH;
    CELL sum[ROWS];
#pragma unroll
    for (int o = 0; o < ROWS; o++) sum[o] = 0.0f;
    if (x < nodes && plane >= 0 && plane < planes) {
      const int column = (channel * planes + plane) * nodes + x;
      for (int b = 0; b < bands; b++)
#pragma unroll
        for (int j = 0; j < ROWS + 2 * REACH; j++) {
          // Of node row y + j - REACH the band above and the one below; the last row's again beyond it.
          const int band = min(y + j, rows + 2 * REACH - 1) * bands + b;
          const CELL node = LOAD_CELL((2 * band + 1) * row_cells + column, sums) +
                            LOAD_CELL(2 * (band + bands) * row_cells + column, sums);
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

// Whole numbers below 2^22 by additions alone, as GPUs convert and round at an eighth of their rate.
inline float to_float(int n) { return as_float(0x4b000000 | n) - 8388608.0f; }
inline float nearest(float x) { return (x + 12582912.0f) - 12582912.0f; }

// The grid's cell at a place in x and y, in texels, and along z from layer `layer` on.
inline float4 cell_at(__read_only image2d_array_t grid, float2 at, float layer, float z) {
  const float plane = nearest(z - 0.5f);  // a whole z may be the end of the interval before
  const float4 a = read_imagef(grid, grid_sampler, (float4)(at, layer + plane, 0.0f));
  const float4 b = read_imagef(grid, grid_sampler, (float4)(at, layer + plane + 1.0f, 0.0f));
  return a + (z - plane) * (b - a);
}

// The filtered colour, in levels, of a pixel with colour `levels`. `at`: its place in the grid, in texels.
inline float3 lookup(__read_only image2d_array_t grid, float3 levels, float2 at, float4 range, int planes) {
#if CHANNELS == 1
  const float4 sum = cell_at(grid, at, 0.0f, dot(levels, range.xyz));
  return sum.xyz * native_recip(sum.w) + MIDDLE;
#else
  const float3 z = levels * range.xyz;
  const float layers = planes;
  const float4 r = cell_at(grid, at, 0.0f, z.x), g = cell_at(grid, at, layers, z.y);
  const float4 b = cell_at(grid, at, 2.0f * layers, z.z);
  return (float3)(r.x, g.x, b.x) * native_recip((float3)(r.y, g.y, b.y)) + MIDDLE;
#endif
}

// `in` gives the colours to look up, `original` the unfiltered side of the split. Work-items: pixels along
// x, SLICE_ROWS pixels along y.
__kernel void grid_slice(__read_only image2d_t in, __read_only image2d_t original,
                         __write_only image2d_t out, __read_only image2d_array_t grid, float4 range,
                         float inverse, int planes, int split) {
  const int x = get_global_id(0), y = (int)get_global_id(1) * SLICE_ROWS;
  const int height = get_image_height(in);
  if (x >= get_image_width(in) || y >= height) return;
  float4 pixel[SLICE_ROWS];
  if (x < split) {
#pragma unroll
    for (int i = 0; i < SLICE_ROWS; i++) pixel[i] = read_imagef(original, pixel_sampler, (int2)(x, y + i));
  } else {
#pragma unroll
    for (int i = 0; i < SLICE_ROWS; i++) pixel[i] = read_imagef(in, pixel_sampler, (int2)(x, y + i));
#pragma unroll
    for (int i = 0; i < SLICE_ROWS; i++) {
      const float2 at = (float2)(to_float(x), to_float(y + i)) * inverse + 0.5f;
      const float3 mean = lookup(grid, 255.0f * pixel[i].xyz, at, range, planes);
      const float3 rounded = (float3)(nearest(mean.x), nearest(mean.y), nearest(mean.z));
      pixel[i].xyz = x == split && split > 0 ? 1.0f : rounded * (1.0f / 255.0f);
    }
  }
#pragma unroll
  for (int i = 0; i < SLICE_ROWS; i++)
    if (y + i < height) write_imagef(out, (int2)(x, y + i), pixel[i]);
}
