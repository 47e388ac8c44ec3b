// SPDX-License-Identifier: LGPL-2.1-or-later
// The bilateral grid on images, for GPUs. Splatting scatters whole numbers into local memory: a work-item
// has a column of a band's pixels and cells of its own, so nothing depends on what others do or on what the
// frame shows. Then the columns between two nodes are added up. Build as grid.clh says, with -DSLICE_ROWS,
// how many pixels a work-item of the look-up has.
//
// Between the kernels the cells are halves: colours count from the middle level and the weights of a node
// add up to no more than FULL. They lie in rows along x, from node -REACH on; then come the planes, then
// the channels. The blurred grid is an array of images, a layer per plane, which the texture unit
// interpolates in x and y.
#include "bilateral/grid.clh"
#include "bilateral/image.clh"
#include "common/bytes.clh"

#define MIDDLE 127.5f
#define FULL 128.0f
#define COLUMNS 8  // of pixels between two nodes that are added up at once, at most
#define AT_ONCE 8  // rows of pixels that are fetched at once
#define STEP 4     // planes that a work-item blurs along z
#define LAYERS (CHANNELS * planes)

// Two whole numbers a word. Of a cell the words for the node row above come first, then those for the one below.
#if CHANNELS == 1
#define SIDE uint2  // R and G, B and the weight
#define SIDES uint4
#define LOAD_CELL vloada_half4
#define STORE_CELL vstorea_half4
#define TEXEL_OF(cell) (cell)
#else
#define SIDE uint  // a channel and its weight
#define SIDES uint2
#define LOAD_CELL vloada_half2
#define STORE_CELL vstorea_half2
#define TEXEL_OF(cell) ((float4)(cell, 0.0f, 0.0f))
#endif
#define SUM SIDES  // of one side, a number a word

__constant sampler_t grid_sampler =
    CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_LINEAR;

// To a whole number below 2^22, by additions alone.
inline float nearest(float x) { return (x + 12582912.0f) - 12582912.0f; }

// a * weight and b * weight, which are not below 0, rounded.
inline uint rounded_pair(float a, float b, float weight) {
  return low_halves(as_uint(mad(a, weight, LARGE)), as_uint(mad(b, weight, LARGE)));
}

#if CHANNELS == 1
inline SIDE weighted(float4 pixel, float weight) {
  return (uint2)(rounded_pair(pixel.x, pixel.y, weight), rounded_pair(pixel.z, pixel.w, weight));
}
inline SUM numbers(SIDE side) {
  return (uint4)(side.x & 0xffffu, side.x >> 16, side.y & 0xffffu, side.y >> 16);
}
inline CELL to_cell(SUM sum) {
  return (float4)(to_float(sum.x), to_float(sum.y), to_float(sum.z), to_float(sum.w));
}
#else
inline SIDE weighted(float2 pixel, float weight) { return rounded_pair(pixel.x, pixel.y, weight); }
inline SUM numbers(SIDE side) { return (uint2)(side & 0xffffu, side >> 16); }
inline CELL to_cell(SUM sum) { return (float2)(to_float(sum.x), to_float(sum.y)); }
#endif

// Adds a pixel, colours from 0 to 1 and then 1, at `z` to two of a column's `count` layers, which are `apart`. What
// belongs to other layers goes to a spare one. `above`, `below`: what its row weighs. Returns bits of the layers it
// came to, that of layer n being n + 1, and perhaps of others.
inline uint splat_pixel(__local SIDES *column, CELL pixel, float z, int first_plane, uint count, int spare,
                        int apart, float above, float below) {
  const float shifted = z - 0.5f + 12582912.0f;  // a whole z may be the end of the interval before
  const float plane = shifted - 12582912.0f, upper = z - plane;
  const uint layer = as_int(shifted) - 0x4b400000 - first_plane;
  const float upper_above = upper * above, upper_below = upper * below;
  __local SIDES *cell = column + (layer < count ? (int)layer : spare) * apart;
  *cell += (SIDES)(weighted(pixel, above - upper_above), weighted(pixel, below - upper_below));
  cell = column + (layer + 1 < count ? (int)layer + 1 : spare) * apart;
  *cell += (SIDES)(weighted(pixel, upper_above), weighted(pixel, upper_below));
  return 3u << ((layer + 1) & 31);
}

// Whether pixels came to a layer of `chunk` a channel.
inline bool is_touched(__local const uint *touched, int layer, int chunk) {
  const int channel = CHANNELS == 1 ? 0 : divided(layer, 1.0f / chunk);
  return touched[channel] >> ((layer - channel * chunk + 1) & 31) & 1;
}

// Sums of bands of pixel rows for the node rows above and below them. The frame's edge is repeated outwards.
// A group has `intervals` intervals along x, each of `parts` stretches of up to `columns` pixels, and fills the nodes
// between them, `chunk` planes of each channel. A weight of 1 counts as `one`: so much that the sums of four columns
// have 16 bits. `tile`: for each of these planes, and one to spare, `pitch` cells for each stretch: at least `columns`
// and 5, an odd number against bank conflicts. Work-items: groups along x; along y a group, of height 1, for each
// chunk of a band.
__kernel void grid_splat(__read_only image2d_t in, __global half *sums, float4 range, float cell,
                         float inverse, int planes, int nodes, int bands, int intervals, int parts,
                         int columns, int pitch, int chunk, float one, __local SIDES *tile) {
  const int lane = get_local_id(0), lanes = get_local_size(0);
  const int stretches = intervals * parts, apart = stretches * pitch, layers = CHANNELS * chunk;
  const int chunks = divided(planes + chunk - 1, 1.0f / chunk);
  const int band = divided(get_group_id(1), 1.0f / chunks);
  const int first_plane = ((int)get_group_id(1) - band * chunks) * chunk;
  const int first_node = (int)get_group_id(0) * (intervals - 1);

  // Layers that no pixel came to are not added up. There are bits for 30.
  __local uint touched[CHANNELS];
  uint touches[CHANNELS];
#pragma unroll
  for (int c = 0; c < CHANNELS; c++) touches[c] = chunk <= 30 ? 0 : ~0u;
  if (lane < CHANNELS) touched[lane] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);

  const int2 rows = band_pixels(band, bands, cell);
  const float interval = divided(band, 1.0f / bands) - REACH - 1;
  for (int i = lane; i < stretches * columns; i += lanes) {
    const int stretch = divided(i, 1.0f / columns), number = i - stretch * columns;
    const int2 pixels = band_pixels(first_node * parts + stretch, parts, cell);
    const int x = pixels.x + number;
    const float own = x < pixels.y ? one : 0.0f;
    __local SIDES *column = tile + stretch * pitch + number;
    for (int from = rows.x; from < rows.y; from += AT_ONCE) {
      const float y_first = from * inverse - interval;
      float4 pixel[AT_ONCE];
#pragma unroll
      for (int k = 0; k < AT_ONCE; k++) pixel[k] = read_imagef(in, pixel_sampler, (int2)(x, from + k));
      if (from == rows.x)
        for (int k = 0; k < layers; k++) column[k * apart] = 0;
#pragma unroll
      for (int k = 0; k < AT_ONCE; k++) {
        if (from + k >= rows.y) break;
        const float below = clamp(y_first + k * inverse, 0.0f, 1.0f) * own, above = own - below;
        const float3 colour = pixel[k].xyz;
#if CHANNELS == 1
        touches[0] |= splat_pixel(column, (CELL)(colour, 1.0f), dot(colour, range.xyz), first_plane, chunk, layers,
                                  apart, above, below);
#else
        const float3 z = colour * range.xyz;
        touches[0] |= splat_pixel(column, (CELL)(colour.x, 1.0f), z.x, first_plane, chunk, layers, apart, above, below);
        touches[1] |= splat_pixel(column + chunk * apart, (CELL)(colour.y, 1.0f), z.y, first_plane, chunk,
                                  layers - chunk, apart, above, below);
        touches[2] |= splat_pixel(column + 2 * chunk * apart, (CELL)(colour.z, 1.0f), z.z, first_plane, chunk, chunk,
                                  apart, above, below);
#endif
      }
    }
  }
#pragma unroll
  for (int c = 0; c < CHANNELS; c++) atomic_or(touched + c, touches[c]);
  barrier(CLK_LOCAL_MEM_FENCE);

  // Of each stretch the sum of its columns, and the sum of them times their number, in place; where in its interval it
  // begins goes to the spare plane.
  const int wide = 2 * stretches, deep = max(divided(lanes, 1.0f / wide), 1), row = divided(lane, 1.0f / wide);
  for (int i = lane - row * wide; i < wide && row < deep; i += lanes)
    for (int layer = row; layer < layers; layer += deep) {
      if (!is_touched(touched, layer, chunk)) continue;
      __local SIDE *column = (__local SIDE *)(tile + layer * apart + i / 2 * pitch) + i % 2;
      SIDE v[COLUMNS];
#pragma unroll
      for (int k = 0; k < COLUMNS; k++) v[k] = k < columns ? column[2 * k] : (SIDE)(0);
      const SIDE low = v[2] + v[3], high = v[6] + v[7];
      const SUM fours = numbers(v[4] + v[5] + high), sum = numbers(v[0] + v[1] + low) + fours;
      const SUM rising = numbers(v[1] + v[3] + v[5] + v[7]) + 2 * numbers(low + high) + 4 * fours;
      column[0] = sum.lo, column[2] = sum.hi;
      column[4] = rising.lo, column[6] = rising.hi;
    }
  __local float *begins = (__local float *)(tile + layers * apart);
  for (int i = lane; i < stretches; i += lanes) {
    const int stretch = first_node * parts + i;
    begins[i] = band_pixels(stretch, parts, cell).x * inverse - (divided(stretch, 1.0f / parts) - REACH - 1);
  }
  barrier(CLK_LOCAL_MEM_FENCE);

  const float full = FULL / one * inverse * inverse;
  const int inner = intervals - 1, high = max(divided(lanes, 1.0f / inner), 1), start = divided(lane, 1.0f / inner);
  for (int i = lane - start * inner; i < inner && start < high && first_node + i < nodes; i += lanes)
    for (int layer = start; layer < layers; layer += high) {
      const int channel = CHANNELS == 1 ? 0 : divided(layer, 1.0f / chunk);
      const int plane = first_plane + layer - channel * chunk;
      if (plane >= planes) continue;
      CELL side[2] = {0.0f, 0.0f};
      const int stretches_here = is_touched(touched, layer, chunk) ? 2 * parts : 0;
      for (int k = 0; k < stretches_here; k++) {
        // The node is on the right of its first `parts` stretches, on the left of the others.
        const int stretch = i * parts + k;
        const bool left = k >= parts;
        const float weight = left ? 1.0f - begins[stretch] : begins[stretch], more = left ? -inverse : inverse;
        __local const SIDE *words = (__local const SIDE *)(tile + layer * apart + stretch * pitch);
#pragma unroll
        for (int j = 0; j < 2; j++)
          side[j] += weight * to_cell((SUM)(words[j], words[j + 2])) +
                     more * to_cell((SUM)(words[j + 4], words[j + 6]));
      }
      const int at = (2 * band * LAYERS + channel * planes + plane) * nodes + first_node + i;
#pragma unroll
      for (int j = 0; j < 2; j++) {
#if CHANNELS == 1
        const CELL levels = (CELL)(255.0f * side[j].xyz - MIDDLE * side[j].w, side[j].w);
#else
        const CELL levels = (CELL)(255.0f * side[j].x - MIDDLE * side[j].y, side[j].y);
#endif
        STORE_CELL(full * levels, at + j * LAYERS * nodes, sums);
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

// `in` gives the colours to look up, `original` the unfiltered side of the split. Work-items: pixels along x; along y
// SLICE_ROWS pixels, every second one of twice as many, so that rows beside each other are written at once. `width` and
// `height` are arguments, since NVIDIA's GPUs fetch them from memory where a kernel asks the image.
__kernel void grid_slice(__read_only image2d_t in, __read_only image2d_t original,
                         __write_only image2d_t out, int width, int height, __read_only image2d_array_t grid,
                         float4 range, float inverse, int planes, int split) {
  const int x = get_global_id(0), odd = get_global_id(1) % 2, y = ((int)get_global_id(1) - odd) * SLICE_ROWS + odd;
  if (x >= width || y >= height) return;
  float4 pixel[SLICE_ROWS];
  if (x < split) {
#pragma unroll
    for (int i = 0; i < SLICE_ROWS; i++) pixel[i] = read_imagef(original, pixel_sampler, (int2)(x, y + 2 * i));
  } else {
#pragma unroll
    for (int i = 0; i < SLICE_ROWS; i++) pixel[i] = read_imagef(in, pixel_sampler, (int2)(x, y + 2 * i));
#pragma unroll
    for (int i = 0; i < SLICE_ROWS; i++) {
      const float2 at = (float2)(to_float(x), to_float(y + 2 * i)) * inverse + 0.5f;
      const float3 mean = lookup(grid, 255.0f * pixel[i].xyz, at, range, planes);
      const float3 rounded = (float3)(nearest(mean.x), nearest(mean.y), nearest(mean.z));
      pixel[i].xyz = x == split && split > 0 ? 1.0f : rounded * (1.0f / 255.0f);
    }
  }
#pragma unroll
  for (int i = 0; i < SLICE_ROWS; i++)
    if (y + 2 * i < height) write_imagef(out, (int2)(x, y + 2 * i), pixel[i]);
}
