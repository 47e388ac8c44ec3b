// SPDX-License-Identifier: LGPL-2.1-or-later
// The bilateral grid on buffers, for CPU devices: a work-item keeps a stretch of a band's nodes to
// itself and adds one pixel after the other to the eight cells around it, four cells at once. Build as grid.clh says.
//
// `planes` cells follow each other along z, the last two of them empty, so that a blur along z finds
// nothing before and after. Then come the channels, then the nodes of a row from -REACH on, then the rows.
#include "bilateral/grid.clh"

#define NODE_CELLS (CHANNELS * planes)

// Two cells that follow each other.
#if CHANNELS == 1
#define PAIR float8
#define LOAD_PAIR(cells) vload8(0, (__global const float *)(cells))
#define STORE_CELL(cell, i, cells) vstore4(cell, i, cells)
#else
#define PAIR float4
#define LOAD_PAIR(cells) vload4(0, (__global const float *)(cells))
#define STORE_CELL(cell, i, cells) vstore2(cell, i, cells)
#endif

// The cells that a work-item blurs.
#define WIDE float8
#define WIDE_CELLS (CHANNELS == 1 ? 2 : 4)
#define LOAD_WIDE(cells) vload8(0, (__global const float *)(cells))
#define STORE_WIDE(wide, cells) vstore8(wide, 0, (__global float *)(cells))

// Pixels that a work-item places at once.
#define AT_ONCE 16
#define STREAMS 4
#define COUNT_UP ((float16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15))

// Pixels of a row from x on, the frame's edge repeated.
inline uint16 load_pixels(__global const uint *row, int x, int width) {
  if (x >= 0 && x + AT_ONCE <= width) return vload16(0, row + x);
  uint pixels[AT_ONCE];
  for (int i = 0; i < AT_ONCE; i++) pixels[i] = row[clamp(x + i, 0, width - 1)];
  return vload16(0, pixels);
}

inline float16 channel_of(uint16 pixels, int channel) {
  return convert_float16(as_int16(pixels >> 8 * channel & 0xffu));
}

// Places along z where there is one grid.
inline float16 intensity_of(uint16 pixels, float4 range) {
  return channel_of(pixels, 0) * range.x + channel_of(pixels, 1) * range.y + channel_of(pixels, 2) * range.z;
}

// What pixels between two planes add to both: to the lower one's sums for the node row above, then for the one
// below, then to the upper one's.
#if CHANNELS == 1
#define BLOCK float16
#define BLOCK_OF(lower_above, lower_below, upper_above, upper_below) \
  ((float16)((float4)(lower_above), (float4)(lower_below), (float4)(upper_above), (float4)(upper_below)))
#else
#define BLOCK float8
#define BLOCK_OF(lower_above, lower_below, upper_above, upper_below) \
  ((float8)((float2)(lower_above), (float2)(lower_below), (float2)(upper_above), (float2)(upper_below)))
#endif
#define CELL_FLOATS (CHANNELS == 1 ? 4 : 2)
#define EMPTY 2  // planes after those that pixels come to

// Sums of bands of pixel rows for the node rows above and below them. The frame's edge is repeated outwards. `tile`: of
// `stretch` + 1 intervals, each channel and each plane but the EMPTY two blocks, of all pixels and of what they add to the
// node on the right: one place to add to, wherever the pixel lies. Work-items: stretches of `stretch` nodes, bands; each
// is a group.
__kernel void grid_splat(__global const uint *in, int pitch, int width, int height,
                         __global CELL *sums, float4 range, float cell, float inverse, int planes,
                         int nodes, int band_count, int bands, int stretch, __local BLOCK *tile) {
  const int first = (int)get_global_id(0) * stretch, band = get_global_id(1);
  if (first >= nodes || band >= band_count) return;
  const int own = min(stretch, nodes - first), used = planes - EMPTY;
  for (int i = 0; i < (own + 1) * CHANNELS * used * 2; i++) tile[i] = 0.0f;

  const int first_interval = first - 1 - REACH;
  const int x_begin = first_pixel(first_interval, cell), x_end = first_pixel(first_interval + own + 1, cell);
  const int2 rows = band_pixels(band, bands, cell);
  const int interval = band / bands - REACH - 1;
  for (int y = rows.x; y < rows.y;) {
    const int from = clamp(y, 0, height - 1);
    float2 weight = 0.0f;  // rows outside the frame repeat the same one
    do {
      const float f = y * inverse - interval;
      weight += (float2)(1.0f - f, f);
      y++;
    } while (y < rows.y && clamp(y, 0, height - 1) == from);
    const BLOCK lower = BLOCK_OF(weight.x, weight.y, 0.0f, 0.0f);
    const BLOCK rise = BLOCK_OF(-weight.x, -weight.y, weight.x, weight.y);

    __global const uint *row = in + (size_t)from * pitch;
    // Streams of pixels side by side, far from each other, so that none waits for the sums of the one before. What lies
    // beyond the stretch adds nothing.
    const int length = (x_end - x_begin + STREAMS * AT_ONCE - 1) / (STREAMS * AT_ONCE) * AT_ONCE;
    for (int x = x_begin; x < x_begin + length; x += AT_ONCE) {
      float16 right[STREAMS], upper[CHANNELS][STREAMS];
      int16 at[CHANNELS][STREAMS];
#if CHANNELS == 1
      uint16 colours[STREAMS];
#else
      float16 colours[CHANNELS][STREAMS], ones[STREAMS];
#endif
      for (int s = 0; s < STREAMS; s++) {
        const int from_x = x + s * length;
        const uint16 pixels = load_pixels(row, from_x, width);
        const int16 inside = from_x + convert_int16(COUNT_UP) < x_end;
        const float16 place = max((from_x + COUNT_UP) * inverse - first_interval, 0.0f);
        const int16 node = min(convert_int16(place), own);
        right[s] = place - convert_float16(node);
#if CHANNELS == 1
        const float16 z = intensity_of(pixels, range);
        const int16 plane = convert_int16(z);
        upper[0][s] = z - convert_float16(plane);
        at[0][s] = (node * used + plane) * 2;
        colours[s] = ((pixels & 0xffffffu) | 0x1000000u) & as_uint16(inside);
#else
        const float ranges[] = {range.x, range.y, range.z};
        ones[s] = as_float16(as_int16((float16)(1.0f)) & inside);
#pragma unroll
        for (int c = 0; c < CHANNELS; c++) {
          const float16 level = channel_of(pixels, c), z = level * ranges[c];
          const int16 plane = convert_int16(z);
          colours[c][s] = level * ones[s];
          upper[c][s] = z - convert_float16(plane);
          at[c][s] = ((node * CHANNELS + c) * used + plane) * 2;
        }
#endif
      }
      for (int i = 0; i < AT_ONCE; i++)
#pragma unroll
        for (int s = 0; s < STREAMS; s++) {
#pragma unroll
          for (int c = 0; c < CHANNELS; c++) {
#if CHANNELS == 1
            const float16 colour = convert_float16(convert_int16(as_uchar16((uint4)(((uint *)colours)[16 * s + i]))));
#else
            const float level = ((float *)colours[c])[16 * s + i], one = ((float *)ones)[16 * s + i];
            const float8 colour = (float8)(level, one, level, one, level, one, level, one);
#endif
            const BLOCK block = colour * (lower + ((float *)upper[c])[16 * s + i] * rise);
            __local BLOCK *place = tile + ((int *)at[c])[16 * s + i];
            place[0] += block;
            place[1] += ((float *)right)[16 * s + i] * block;
          }
        }
    }
  }

  __global CELL *above = sums + ((size_t)band * 2 * nodes + first) * NODE_CELLS;
  __global CELL *below = above + (size_t)nodes * NODE_CELLS;
  for (int i = 0; i < own; i++)
    for (int c = 0; c < CHANNELS; c++) {
      __local const BLOCK *left = tile + (i * CHANNELS + c) * used * 2, *right = left + CHANNELS * used * 2;
      BLOCK before = 0.0f;
      for (int plane = 0; plane < planes; plane++) {
        BLOCK block = 0.0f;
        if (plane < used) block = left[2 * plane + 1] + (right[2 * plane] - right[2 * plane + 1]);
        *above++ = block.lo.lo + before.hi.lo;
        *below++ = block.lo.hi + before.hi.hi;
        before = block;
      }
    }
}

// Cells of a node blurred along x. `node`: the first of five, each of `wides` WIDE.
inline WIDE blurred_along_x(__local const WIDE *node, int wides, float4 taps) {
  return taps.x * node[2 * wides] + taps.y * (node[wides] + node[3 * wides]) + taps.z * (node[0] + node[4 * wides]);
}

// Adds the bands' sums up to rows of nodes and blurs them along y, then along x and z. `sums`: per band a row of nodes
// for the node row above it and one for that below, from node -REACH on. `out`: rows of nodes from node 0 on. Taps:
// centre, next, far. `tile`: ROWS times `stretch` + 2 REACH nodes. Work-items: stretches of `stretch` nodes, ROWS rows;
// each is a group.
__kernel void grid_blur(__global const CELL *sums, __global CELL *out, float4 taps_space, float4 taps_range,
                        int planes, int nodes, int rows, int bands, int stretch, __local WIDE *tile) {
  const int first = (int)get_global_id(0) * stretch, y = (int)get_global_id(1) * ROWS, columns = nodes - 2 * REACH;
  if (first >= columns || y >= rows) return;
  const float tap[] = {taps_space.z, taps_space.y, taps_space.x, taps_space.y, taps_space.z};
  const int own = min(stretch, columns - first), wides = NODE_CELLS / WIDE_CELLS, tile_row = (own + 2 * REACH) * wides;
  const int row_cells = nodes * NODE_CELLS;
  for (int i = 0; i < tile_row; i++) {
    WIDE sum[ROWS];
#pragma unroll
    for (int o = 0; o < ROWS; o++) sum[o] = 0.0f;
#pragma unroll
    for (int j = 0; j < ROWS + 2 * REACH; j++) {
      // The bands above node row y + j - REACH, then those below it; the last row's again beyond it.
      const int row = min(y + j, rows + 2 * REACH - 1);
      __global const CELL *band = sums + (size_t)row * bands * 2 * row_cells + first * NODE_CELLS + i * WIDE_CELLS;
      WIDE node = 0.0f;
      for (int k = 0; k < 2 * bands; k++) node += LOAD_WIDE(band + (size_t)(2 * k + (k < bands)) * row_cells);
#pragma unroll
      for (int o = 0; o < ROWS; o++)
        if (j >= o && j - o <= 2 * REACH) sum[o] += tap[j - o] * node;
    }
#pragma unroll
    for (int o = 0; o < ROWS; o++) tile[o * tile_row + i] = sum[o];
  }

  for (int o = 0; o < ROWS && y + o < rows; o++)
    for (int i = 0; i < own; i++) {
      __local const WIDE *node = tile + o * tile_row + i * wides;
      __global CELL *to = out + ((size_t)(y + o) * columns + first + i) * NODE_CELLS;
      WIDE before = 0.0f, here = blurred_along_x(node, wides, taps_space);
      for (int k = 0; k < wides; k++) {
        WIDE after = 0.0f;
        if (k + 1 < wides) after = blurred_along_x(node + k + 1, wides, taps_space);
#if CHANNELS == 1
        const WIDE next = (WIDE)(before.hi, here.lo) + (WIDE)(here.hi, after.lo), far = before + after;
#else
        const WIDE next = (WIDE)(before.s67, here.s01, here.s2345) + (WIDE)(here.s2345, here.s67, after.s01);
        const WIDE far = (WIDE)(before.hi, here.lo) + (WIDE)(here.hi, after.lo);
#endif
        STORE_WIDE(taps_range.x * here + taps_range.y * next + taps_range.z * far, to + k * WIDE_CELLS);
        before = here, here = after;
      }
    }
}

// Colours of AT_ONCE pixels, in levels, of one channel's weight each: as words, alpha 0.
#if CHANNELS == 1
inline uint4 levels_of(float16 cells) {
  const float4 part = 1.0f / cells.s37bf;
  return as_uint4(convert_uchar16(cells * part.xxxxyyyyzzzzwwww + 0.5f)) & 0xffffffu;
}
#endif

// `in` gives the colours to look up, `original` alpha and the unfiltered side of the split. `range`: cells along z per
// level of R, G and B, added up if there is one grid. `inverse`: 1 / cell. Work-items: rows; each is a group.
__kernel void grid_slice(__global const uint *in, int in_pitch, __global const uint *original,
                         int original_pitch, __global uint *out, int out_pitch, int width, int height,
                         __global const CELL *grid, float4 range, float inverse, int planes,
                         int row_cells, int split) {
  const int y = get_global_id(0);
  if (y >= height) return;
  const float place_y = y * inverse;
  const int node_y = (int)place_y;
  const float below_part = place_y - node_y, above_part = 1.0f - below_part;
  const int node_bytes = NODE_CELLS * sizeof(CELL);
  __global const uchar *above = (__global const uchar *)(grid + (size_t)node_y * row_cells);
  __global const uchar *below = above + row_cells * sizeof(CELL);
  const int last = (width - 1) * inverse;
  for (int x = 0; x < width; x += AT_ONCE) {
    const int count = min(AT_ONCE, width - x);
    uint16 result = load_pixels(original + (size_t)y * original_pitch, x, width);
    if (x + count > split) {
      const uint16 pixels = load_pixels(in + (size_t)y * in_pitch, x, width);
      const float16 place = (x + COUNT_UP) * inverse;
      const int16 node = min(convert_int16(place), last);
      float16 right_part = place - convert_float16(node);

      uint16 colour = 0;
#pragma unroll
      for (int c = 0; c < CHANNELS; c++) {
#if CHANNELS == 1
        const float16 z = intensity_of(pixels, range);
#else
        const float16 z = channel_of(pixels, c) * (c == 0 ? range.x : c == 1 ? range.y : range.z);
#endif
        const int16 plane = convert_int16(z);
        float16 upper = z - convert_float16(plane);
        int16 at = (node * NODE_CELLS + c * planes + plane) * (int)sizeof(CELL);
        float16 cells[CELL_FLOATS];
#pragma unroll 4
        for (int i = 0; i < AT_ONCE; i++) {
          const int offset = ((int *)&at)[i];
          const PAIR left = above_part * LOAD_PAIR(above + offset) + below_part * LOAD_PAIR(below + offset);
          const PAIR right = above_part * LOAD_PAIR(above + node_bytes + offset) +
                             below_part * LOAD_PAIR(below + node_bytes + offset);
          const PAIR pair = left + ((float *)&right_part)[i] * (right - left);
          ((CELL *)cells)[i] = pair.lo + ((float *)&upper)[i] * (pair.hi - pair.lo);
        }
#if CHANNELS == 1
        colour = (uint16)(levels_of(cells[0]), levels_of(cells[1]), levels_of(cells[2]), levels_of(cells[3]));
#else
        const float16 p = cells[0], q = cells[1];
        colour |= convert_uint16((float16)(p.even, q.even) / (float16)(p.odd, q.odd) + 0.5f) << 8 * c;
#endif
      }
      const int16 column = x + convert_int16(COUNT_UP);
      const uint16 filtered = (result & 0xff000000u) | (column == split && split > 0 ? (uint16)(0xffffffu) : colour);
      result = column >= split ? filtered : result;
    }
    __global uint *to = out + (size_t)y * out_pitch + x;
    if (count == AT_ONCE) {
      vstore16(result, 0, to);
    } else {
      uint pixels[AT_ONCE];
      vstore16(result, 0, pixels);
      for (int i = 0; i < count; i++) to[i] = pixels[i];
    }
  }
}
