// SPDX-License-Identifier: LGPL-2.1-or-later
// The bilateral grid on images, for GPUs. In the splat, a work-item has a column of a band's
// pixels. Its own sums are integers in local memory, one layer after another. Then the columns
// between two nodes are added. Build options: see grid.clh, and -DSLICE_ROWS, the pixels per
// work-item of the slice.
//
// Between the kernels the cells are halves. Colours are relative to the middle level, and the
// weights of a node add to at most FULL. Memory layout: rows along x from node -BLUR_REACH on, then
// the planes, then the channels. The blurred grid is an array of images with a layer per plane. The
// texture unit interpolates it along x and y.
#include "bilateral/grid.clh"
#include "bilateral/image.clh"
#include "common/bytes.clh"
#include "common/normal.clh"

#define MIDDLE 127.5f
#define FULL 128.0f
#define AT_ONCE 8  // rows of pixels that are loaded at once
#define LAYERS (CHANNELS * planes)

// The sums of a cell in local memory, two integers per word; and its form in global memory.
#if CHANNELS == 1
#define SUMS uint2  // R and G, B and the weight
#define NUMBERS uint4
#define HALVES ushort4
#define TEXEL_OF(cell) (cell)
#else
#define SUMS uint  // a channel and its weight
#define NUMBERS uint2
#define HALVES ushort2
#define TEXEL_OF(cell) ((float4)(cell, 0.0f, 0.0f))
#endif

__constant sampler_t grid_sampler =
    CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_LINEAR;

// Conversions of integers below 2^22 by additions alone. GPUs convert and divide at an eighth of
// their rate.
inline float to_float(int n) { return as_float(0x4b000000 | n) - 8388608.0f; }

// a / b, rounded down; a is below 2^19. `part`: 1 / b.
inline int divided(int a, float part) {
  return as_int((to_float(a) + 0.5f) * part - 0.5f + 12582912.0f) - 0x4b400000;
}

// The pixels along x of part `stretch`, from .x to .y - 1. It is one of `parts` parts of interval
// floor(stretch / parts) - BLUR_REACH - 1.
inline int2 stretch_pixels(int stretch, int parts, float cell) {
  const float part = normal_recip(parts);
  const int interval = divided(stretch, part), number = stretch - interval * parts;
  const int first = first_pixel(interval - BLUR_REACH - 1, cell),
            count = first_pixel(interval - BLUR_REACH, cell) - first;
  return first + (int2)(divided(count * number, part), divided(count * (number + 1), part));
}

// Rounds to an integer below 2^22 by additions alone.
inline float nearest(float x) { return (x + 12582912.0f) - 12582912.0f; }

// Rounds a * weight and b * weight, which are not negative, to 16 bits each.
inline uint rounded_pair(float a, float b, float weight) {
  return low_halves(as_uint(mad(a, weight, LARGE)), as_uint(mad(b, weight, LARGE)));
}

#if CHANNELS == 1
inline SUMS rounded(CELL cell, float one) {
  return (uint2)(rounded_pair(cell.x, cell.y, one), rounded_pair(cell.z, cell.w, one));
}
inline NUMBERS numbers(SUMS sums) {
  return (uint4)(sums.x & 0xffffu, sums.x >> 16, sums.y & 0xffffu, sums.y >> 16);
}
inline CELL to_cell(NUMBERS sum) {
  return (float4)(to_float(sum.x), to_float(sum.y), to_float(sum.z), to_float(sum.w));
}
inline void keep(CELL cell, __local SUMS *two) {
  two[0] = as_uint2(cell.lo), two[1] = as_uint2(cell.hi);
}
inline CELL kept(__local const SUMS *two) { return (float4)(as_float2(two[0]), as_float2(two[1])); }
// Halves are loaded and stored in one access and converted separately, because NVIDIA's vload_half
// and vstore_half make an access per element.
inline CELL cell_of(HALVES halves) { return vload_half4(0, (const half *)&halves); }
inline HALVES halves_of(CELL cell) {
  HALVES halves;
  vstore_half4(cell, 0, (half *)&halves);
  return halves;
}
#else
inline SUMS rounded(CELL cell, float one) { return rounded_pair(cell.x, cell.y, one); }
inline NUMBERS numbers(SUMS sums) { return (uint2)(sums & 0xffffu, sums >> 16); }
inline CELL to_cell(NUMBERS sum) { return (float2)(to_float(sum.x), to_float(sum.y)); }
inline void keep(CELL cell, __local SUMS *two) {
  two[0] = as_uint(cell.x), two[1] = as_uint(cell.y);
}
inline CELL kept(__local const SUMS *two) { return (float2)(as_float(two[0]), as_float(two[1])); }
inline CELL cell_of(HALVES halves) { return vload_half2(0, (const half *)&halves); }
inline HALVES halves_of(CELL cell) {
  HALVES halves;
  vstore_half2(cell, 0, (half *)&halves);
  return halves;
}
#endif

// A pixel's cell: its channel `c`, or its colour, and the weight 1.
inline CELL cell_at(float4 pixel, int c) {
#if CHANNELS == 1
  return (float4)(pixel.xyz, 1.0f);
#else
  return (float2)(c == 0 ? pixel.x : c == 1 ? pixel.y : pixel.z, 1.0f);
#endif
}

// The position along z of a pixel, or of its channel `c`, plus `more`.
inline float place_of(float4 pixel, int c, float4 range, float more) {
#if CHANNELS == 1
  return mad(pixel.x, range.x, mad(pixel.y, range.y, mad(pixel.z, range.z, more)));
#else
  return c == 0   ? mad(pixel.x, range.x, more)
         : c == 1 ? mad(pixel.y, range.y, more)
                  : mad(pixel.z, range.z, more);
#endif
}

// Converts sums of colours 0 to 1 to sums of levels relative to the middle one.
inline CELL from_middle(CELL cell) {
#if CHANNELS == 1
  return (float4)(255.0f * cell.xyz - MIDDLE * cell.w, cell.w);
#else
  return (float2)(255.0f * cell.x - MIDDLE * cell.y, cell.y);
#endif
}

// The channel of a layer, with `chunk` layers per channel; and whether the layer's bit is set.
inline int channel_of(int layer, int chunk) {
  return CHANNELS == 1 ? 0 : divided(layer, normal_recip(chunk));
}
inline bool is_touched(const uint *touched, int layer, int chunk) {
  const int channel = channel_of(layer, chunk);
  const uint bits = channel == 0   ? touched[0]
                    : channel == 1 ? touched[1 % CHANNELS]
                                   : touched[2 % CHANNELS];
  return bits >> (layer - channel * chunk + 1) & 1;
}

// Splats bands of pixel rows to the two rows of nodes around each. Outside the frame its edge
// repeats. Along x a group has `intervals` intervals, each of `parts` parts of up to `columns`
// pixels. It fills the nodes between them, in `chunk` planes of each channel, at most SPLAT_PLANES.
// Along y it has `strip` bands and fills `strip` + 1 rows of nodes, the first and the last one only
// in part. A weight of 1 is stored as `one`, chosen so that the sums of two columns fit 16 bits.
//
// Local memory `tile` has, twice and for each of these planes, `pitch` sums per part, then three
// words per part. `pitch` is at least `columns` and 5. It is odd, which avoids bank conflicts.
// Work-items: groups along x; along y a group of height 1 per chunk of a strip.
__kernel void grid_splat(__read_only image2d_t in, __global HALVES *sums, GridSplat splat,
                         SplatTile group, __local SUMS *tile) {
  const float4 range = splat.range;
  const float cell = splat.cell, inverse = splat.inverse, one = group.one;
  const int planes = splat.planes, nodes = splat.nodes, bands = splat.bands, strip = splat.strip;
  const int intervals = group.intervals, parts = group.parts, columns = group.columns,
            pitch = group.pitch, chunk = group.chunk;
  const int lane = get_local_id(0), lanes = get_local_size(0);
  const int stretches = intervals * parts, spacing = stretches * pitch, layers = CHANNELS * chunk;
  const int chunks = divided(planes + chunk - 1, normal_recip(chunk));
  const int number = divided(get_group_id(1), normal_recip(chunks));
  const int first_plane = ((int)get_group_id(1) - number * chunks) * chunk;
  const int first_node = (int)get_group_id(0) * (intervals - 1);

  // For each part of an interval: the first pixel, its position in the interval, and the pixel
  // after the last.
  __local int *firsts = (__local int *)(tile + 2 * layers * spacing), *ends = firsts + stretches;
  __local float *begins = (__local float *)(ends + stretches);
  for (int i = lane; i < stretches; i += lanes) {
    const int2 pixels = stretch_pixels(first_node * parts + i, parts, cell);
    const int interval = divided(first_node * parts + i, normal_recip(parts)) - BLUR_REACH - 1;
    firsts[i] = pixels.x, begins[i] = pixels.x * inverse - interval, ends[i] = pixels.y;
  }
  // Bit n + 1 is set if pixels of a band were added to layer n. Other layers are skipped.
  __local uint touched[2][CHANNELS];
  uint before[CHANNELS];
#pragma unroll
  for (int c = 0; c < CHANNELS; c++) before[c] = 0;
  if (lane < CHANNELS) touched[0][lane] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);

  const float full = FULL / one * inverse * inverse;
  const int count = min(strip, bands - number * strip);
  for (int v = 0; v < count; v++) {
    // Sums for the row of nodes above the band, which are then complete, and for the row below.
    __local SUMS *above = tile + (v & 1) * layers * spacing,
                 *below = tile + (~v & 1) * layers * spacing;
    const int interval = number * strip + v - BLUR_REACH - 1;
    const int first = first_pixel(interval, cell), end = first_pixel(interval + 1, cell);
    uint touches[CHANNELS];
#pragma unroll
    for (int c = 0; c < CHANNELS; c++) touches[c] = 0;
    for (int i = lane; i < stretches * columns; i += lanes) {
      const int stretch = divided(i, normal_recip(columns)),
                column = i + stretch * (pitch - columns);
      const int x = firsts[stretch] + i - stretch * columns, x_end = ends[stretch];
      for (int from = first; from < end; from += AT_ONCE) {
        float4 pixel[AT_ONCE];
#pragma unroll
        for (int k = 0; k < AT_ONCE; k++)
          pixel[k] = read_imagef(in, pixel_sampler, (int2)(x, from + k));
        if (from == first)
          for (int at = column; at < layers * spacing; at += spacing) {
            below[at] = 0;
            if (v == 0) above[at] = 0;
          }
        const int rows = min(end - from, AT_ONCE);
        const float y = clamp(from * inverse - interval, 0.0f, 1.0f - (rows - 1) * inverse);
#pragma unroll
        for (int c = 0; c < CHANNELS; c++) {
          float place[AT_ONCE];  // position along z, plus half a layer
#pragma unroll
          for (int k = 0; k < AT_ONCE; k++)
            place[k] = place_of(pixel[k], c, range, 0.5f - first_plane);
          if (rows < AT_ONCE || x >= x_end || chunks > 1)
#pragma unroll
            for (int k = 0; k < AT_ONCE; k++)
              if (k >= rows || x >= x_end || fabs(place[k] - 0.5f * chunk) >= 0.5f * chunk + 0.5f)
                place[k] = -1.0f;
          uint left = 0;  // bits of the layers to add to
#pragma unroll
          for (int k = 0; k < AT_ONCE; k++) left |= 3u << (as_int(place[k] + 12582912.0f) & 31);
          left &= (2u << chunk) - 2;
          touches[c] |= left;
          while (left) {
            const int layer = 30 - (int)clz(left);
            left ^= 2u << layer;
            const float middle = to_float(layer) + 0.5f;
            CELL all = 0.0f, times_row = 0.0f;
#pragma unroll
            for (int k = AT_ONCE - 1; k >= 0; k--) {
              times_row += all;
              all += clamp(1.0f - fabs(place[k] - middle), 0.0f, 1.0f) * cell_at(pixel[k], c);
            }
            const CELL lower = y * all + inverse * times_row;
            const int at = (c * chunk + layer) * spacing + column;
            above[at] += rounded(all - lower, one);
            below[at] += rounded(lower, one);
          }
        }
      }
    }
#pragma unroll
    for (int c = 0; c < CHANNELS; c++) atomic_or(&touched[v & 1][c], touches[c]);
    barrier(CLK_LOCAL_MEM_FENCE);
    uint both[CHANNELS];
#pragma unroll
    for (int c = 0; c < CHANNELS; c++) {
      const uint now = touched[v & 1][c];
      both[c] = before[c] | now, before[c] = now;
    }
    if (lane < CHANNELS) touched[~v & 1][lane] = 0;

    // Computes in place the share of each part for its left and right node. The last band also
    // completes the row below.
    const int last = v + 1 == count, wide = stretches << last;
    const int deep = max(divided(lanes, normal_recip(wide)), 1),
              row = divided(lane, normal_recip(wide));
    for (int i = lane - row * wide; i < wide && row < deep; i += lanes) {
      const int stretch = i < stretches ? i : i - stretches;
      const float begin = begins[stretch];
      for (int layer = row; layer < layers; layer += deep) {
        if (!is_touched(both, layer, chunk)) continue;
        __local SUMS *sum = (i < stretches ? above : below) + layer * spacing + stretch * pitch;
        SUMS n[SPLAT_COLUMNS];
#pragma unroll
        for (int k = 0; k < SPLAT_COLUMNS; k++) n[k] = k < columns ? sum[k] : (SUMS)(0);
        const NUMBERS twos = numbers(n[2] + n[3]), sixes = numbers(n[6] + n[7]),
                      fours = numbers(n[4] + n[5]) + sixes;
        const NUMBERS odd = numbers(n[1] + n[3]) + numbers(n[5] + n[7]);
        const CELL all = to_cell(numbers(n[0] + n[1]) + twos + fours);
        const CELL right = begin * all + inverse * to_cell(odd + 2 * (twos + sixes) + 4 * fours);
        keep(all - right, sum);
        keep(right, sum + 2);
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    const int inner = intervals - 1, high = max(divided(lanes, normal_recip(inner)), 1);
    const int start = divided(lane, normal_recip(inner));
    for (int i = lane - start * inner; i < inner && start < high && first_node + i < nodes;
         i += lanes)
      for (int layer = start; layer < layers; layer += high) {
        const int channel = channel_of(layer, chunk), plane = first_plane + layer - channel * chunk;
        if (plane >= planes) continue;
        for (int side = 0; side <= last; side++) {
          // The node is the right one of its first `parts` parts and the left one of the others.
          __local const SUMS *on_left =
              (side ? below : above) + layer * spacing + i * parts * pitch;
          __local const SUMS *on_right = on_left + parts * pitch;
          CELL node = 0.0f;
          if (is_touched(both, layer, chunk))
            for (int k = 0; k < parts; k++)
              node += kept(on_left + k * pitch + 2) + kept(on_right + k * pitch);
          const int at = (number * (strip + 1) + v + side) * LAYERS + channel * planes + plane;
          sums[at * nodes + first_node + i] = halves_of(full * from_middle(node));
        }
      }
    if (!last) barrier(CLK_LOCAL_MEM_FENCE);
  }
}

// Blurs rows of nodes along y, then along x and z. `sums`: the rows of each strip; the last row of
// a strip adds to the first row of the next one. Local memory `tile`: BLUR_ROWS times the group's
// width + 2 BLUR_REACH times `blur.part` + 2 BLUR_REACH cells. Work-items: nodes along x. Along y a
// group has `blur.part` planes of a channel, a multiple of BLUR_STEP, of BLUR_ROWS rows.
__kernel void grid_blur(__global const HALVES *sums, __write_only image2d_array_t grid,
                        GridBlur blur, __local CELL *tile) {
  const float4 taps_space = blur.space, taps_range = blur.range;
  const int planes = blur.planes, nodes = blur.nodes, rows = blur.rows, strip = blur.strip,
            chunk = blur.part;
  const float tap[] = {taps_space.z, taps_space.y, taps_space.x, taps_space.y, taps_space.z};
  const float tap_z[] = {taps_range.z, taps_range.y, taps_range.x, taps_range.y, taps_range.z};
  const int width = get_local_size(0), height = get_local_size(1);
  const int side = width + 2 * BLUR_REACH, area = side * (chunk + 2 * BLUR_REACH);
  const int chunks = (planes + chunk - 1) / chunk, group = get_group_id(1);
  const int first = group % chunks * chunk, channel = group / chunks % CHANNELS;
  const int y = group / chunks / CHANNELS * BLUR_ROWS;
  const int row_cells = LAYERS * nodes;

  for (int i = get_local_id(1) * width + get_local_id(0); i < area; i += width * height) {
    const int x = (int)get_group_id(0) * width + i % side, plane = first + i / side - BLUR_REACH;
    CELL sum[BLUR_ROWS];
#pragma unroll
    for (int o = 0; o < BLUR_ROWS; o++) sum[o] = 0.0f;
    if (x < nodes && plane >= 0 && plane < planes) {
      const int column = (channel * planes + plane) * nodes + x;
#pragma unroll
      for (int j = 0; j < BLUR_ROWS + 2 * BLUR_REACH; j++) {
        // Node row y + j - BLUR_REACH; beyond the last row that row repeats. `strips`: the number
        // of strips that begin up to it.
        const int row = min(y + j, rows + 2 * BLUR_REACH - 1) + 1,
                  strips = divided(row, normal_recip(strip));
        __global const HALVES *at = sums + (row + strips) * row_cells + column;
        CELL node = cell_of(at[0]);
        if (row == strips * strip) node += cell_of(at[-row_cells]);
#pragma unroll
        for (int o = 0; o < BLUR_ROWS; o++)
          if (j >= o && j - o <= 2 * BLUR_REACH) sum[o] += tap[j - o] * node;
      }
    }
#pragma unroll
    for (int o = 0; o < BLUR_ROWS; o++) tile[o * area + i] = sum[o];
  }
  barrier(CLK_LOCAL_MEM_FENCE);

  const int x = get_global_id(0);
  const int steps = BLUR_ROWS * ((min(chunk, planes - first) + BLUR_STEP - 1) / BLUR_STEP);
  for (int i = get_local_id(1); i < steps; i += height) {
    const int row = i % BLUR_ROWS, from = i / BLUR_ROWS * BLUR_STEP;
    __local const CELL *cells = tile + row * area + from * side + get_local_id(0);
    CELL sum[BLUR_STEP];
#pragma unroll
    for (int o = 0; o < BLUR_STEP; o++) sum[o] = 0.0f;
#pragma unroll
    for (int j = 0; j < BLUR_STEP + 2 * BLUR_REACH; j++, cells += side) {
      const CELL blurred =
          tap[0] * (cells[0] + cells[4]) + tap[1] * (cells[1] + cells[3]) + tap[2] * cells[2];
#pragma unroll
      for (int o = 0; o < BLUR_STEP; o++)
        if (j >= o && j - o <= 2 * BLUR_REACH) sum[o] += tap_z[j - o] * blurred;
    }
    if (x < nodes - 2 * BLUR_REACH && y + row < rows)
#pragma unroll
      for (int o = 0; o < BLUR_STEP; o++)
        if (first + from + o < planes)
          write_imagef(grid, (int4)(x, y + row, channel * planes + first + from + o, 0),
                       TEXEL_OF(sum[o]));
  }
}

// The grid's cell at a position in texels along x and y, and at z from layer `layer` on.
IMAGE_FUNCTION float4 grid_at(__read_only image2d_array_t grid, float2 at, float layer, float z) {
  const float plane = nearest(z - 0.5f);  // an integer z may be the end of the previous interval
  const float4 a = read_imagef(grid, grid_sampler, (float4)(at, layer + plane, 0.0f));
  const float4 b = read_imagef(grid, grid_sampler, (float4)(at, layer + plane + 1.0f, 0.0f));
  return a + (z - plane) * (b - a);
}

// The filtered colour, in levels, of a pixel with colour `levels`. `at`: its position in the grid,
// texels.
IMAGE_FUNCTION float3 filtered(__read_only image2d_array_t grid, float3 levels, float2 at,
                               float4 range, int planes) {
#if CHANNELS == 1
  const float4 sum = grid_at(grid, at, 0.0f, dot(levels, range.xyz));
  return sum.xyz * native_recip(sum.w) + MIDDLE;
#else
  const float3 z = levels * range.xyz;
  const float layers = planes;
  const float4 r = grid_at(grid, at, 0.0f, z.x), g = grid_at(grid, at, layers, z.y);
  const float4 b = grid_at(grid, at, 2.0f * layers, z.z);
  return (float3)(r.x, g.x, b.x) * native_recip((float3)(r.y, g.y, b.y)) + MIDDLE;
#endif
}

// Slices the grid: looks up each pixel's colour. `in` has the colours to look up, `original` the
// unfiltered side of the split. A work-item has SLICE_ROWS pixels along y, every second row of
// twice as many, so that adjacent rows are written together. The frame's size is an argument
// because NVIDIA's GPUs load an image's size from memory.
__kernel void grid_slice(__read_only image2d_t in, __read_only image2d_t original,
                         __write_only image2d_t out, __read_only image2d_array_t grid,
                         GridLookup lookup) {
  const float4 range = lookup.range;
  const float inverse = lookup.inverse;
  const int width = lookup.size.x, height = lookup.size.y, planes = lookup.planes,
            split = lookup.split;
  const int x = get_global_id(0), odd = get_global_id(1) % 2,
            y = ((int)get_global_id(1) - odd) * SLICE_ROWS + odd;
  if (x >= width || y >= height) return;
  float4 pixel[SLICE_ROWS];
  if (x < split) {
#pragma unroll
    for (int i = 0; i < SLICE_ROWS; i++)
      pixel[i] = read_imagef(original, pixel_sampler, (int2)(x, y + 2 * i));
  } else {
#pragma unroll
    for (int i = 0; i < SLICE_ROWS; i++)
      pixel[i] = read_imagef(in, pixel_sampler, (int2)(x, y + 2 * i));
#pragma unroll
    for (int i = 0; i < SLICE_ROWS; i++) {
      const float2 at = (float2)(to_float(x), to_float(y + 2 * i)) * inverse + 0.5f;
      const float3 mean = filtered(grid, 255.0f * pixel[i].xyz, at, range, planes);
#ifdef DEEP
      const float3 rounded = mean;  // write_imagef rounds
#else
      const float3 rounded = (float3)(nearest(mean.x), nearest(mean.y), nearest(mean.z));
#endif
      pixel[i].xyz = x == split && split > 0 ? 1.0f : rounded * (1.0f / 255.0f);
    }
  }
#pragma unroll
  for (int i = 0; i < SLICE_ROWS; i++)
    if (y + 2 * i < height) write_imagef(out, (int2)(x, y + 2 * i), pixel[i]);
}
