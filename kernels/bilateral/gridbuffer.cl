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

// While splatting, a cell has the sums for the node row above, then those for the one below; BLOCK is two cells
// that follow each other along z.
#if CHANNELS == 1
#define BLOCK float16
#define LOAD_BLOCK(cells) vload16(0, cells)
#define STORE_BLOCK(block, cells) vstore16(block, 0, cells)
#define BLOCK_OF(lower_above, lower_below, upper_above, upper_below) \
  ((float16)((float4)(lower_above), (float4)(lower_below), (float4)(upper_above), (float4)(upper_below)))
#else
#define BLOCK float8
#define LOAD_BLOCK(cells) vload8(0, cells)
#define STORE_BLOCK(block, cells) vstore8(block, 0, cells)
#define BLOCK_OF(lower_above, lower_below, upper_above, upper_below) \
  ((float8)((float2)(lower_above), (float2)(lower_below), (float2)(upper_above), (float2)(upper_below)))
#endif
#define CELL_FLOATS (CHANNELS == 1 ? 4 : 2)

// Sums of bands of pixel rows for the node rows above and below them. The frame's edge is repeated
// outwards. `tile`: twice the floats of `stretch` + 2 nodes. Work-items: stretches of `stretch` nodes, bands; each is
// a group.
__kernel void grid_splat(__global const uint *in, int pitch, int width, int height,
                         __global CELL *sums, float4 range, float cell, float inverse, int planes,
                         int nodes, int band_count, int bands, int stretch, __local float *tile) {
  const int first = (int)get_global_id(0) * stretch, band = get_global_id(1);
  if (first >= nodes || band >= band_count) return;
  const int own = min(stretch, nodes - first), node_floats = 2 * CELL_FLOATS * NODE_CELLS;
  for (int i = 0; i < (own + 2) * node_floats; i += 16) vstore16((float16)(0.0f), 0, tile + i);

  // Pixels next to the stretch are added to the nodes before and after it too, which nobody reads.
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
    // Streams of pixels side by side, far from each other, so that none waits for the cells of the one before.
    const int length = ((x_end - x_begin) / STREAMS / AT_ONCE + 1) * AT_ONCE;
    for (int x = x_begin; x < x_begin + length; x += AT_ONCE) {
      float right[STREAMS][AT_ONCE], upper[CHANNELS][STREAMS][AT_ONCE];
      int at[CHANNELS][STREAMS][AT_ONCE], count[STREAMS];
#if CHANNELS == 1
      uint colours[STREAMS][AT_ONCE];
#else
      float colours[CHANNELS][STREAMS][AT_ONCE];
#endif
      for (int s = 0; s < STREAMS; s++) {
        const int from_x = x + s * length;
        count[s] = min(x_end - from_x, AT_ONCE);
        const uint16 pixels = load_pixels(row, from_x, width);
        const float16 place = max((from_x + COUNT_UP) * inverse - first_interval, 0.0f);
        const int16 node = min(convert_int16(place), own);
        vstore16(place - convert_float16(node), 0, right[s]);
#if CHANNELS == 1
        const float16 z = intensity_of(pixels, range);
        const int16 plane = convert_int16(z);
        vstore16(z - convert_float16(plane), 0, upper[0][s]);
        vstore16((node * planes + plane) * (2 * CELL_FLOATS), 0, at[0][s]);
        vstore16((pixels & 0xffffffu) | 0x1000000u, 0, colours[s]);
#else
        const float ranges[] = {range.x, range.y, range.z};
#pragma unroll
        for (int c = 0; c < CHANNELS; c++) {
          const float16 level = channel_of(pixels, c), z = level * ranges[c];
          const int16 plane = convert_int16(z);
          vstore16(level, 0, colours[c][s]);
          vstore16(z - convert_float16(plane), 0, upper[c][s]);
          vstore16((node * NODE_CELLS + c * planes + plane) * (2 * CELL_FLOATS), 0, at[c][s]);
        }
#endif
      }
      for (int i = 0; i < AT_ONCE; i++)
#pragma unroll
        for (int s = 0; s < STREAMS; s++) {
          if (i >= count[s]) continue;
#pragma unroll
          for (int c = 0; c < CHANNELS; c++) {
#if CHANNELS == 1
            const float16 colour = convert_float16(convert_int16(as_uchar16((uint4)(colours[s][i]))));
#else
            const float level = colours[c][s][i];
            const float8 colour = (float8)(level, 1.0f, level, 1.0f, level, 1.0f, level, 1.0f);
#endif
            const BLOCK block = colour * (lower + upper[c][s][i] * rise), share = right[s][i] * block;
            __local float *cells = tile + at[c][s][i];
            STORE_BLOCK(LOAD_BLOCK(cells) + (block - share), cells);
            cells += node_floats;
            STORE_BLOCK(LOAD_BLOCK(cells) + share, cells);
          }
        }
    }
  }

  __global float *above = (__global float *)(sums + ((size_t)band * 2 * nodes + first) * NODE_CELLS);
  __global float *below = above + (size_t)nodes * NODE_CELLS * CELL_FLOATS;
  for (int i = 0; i < own * node_floats; i += 16) {
    const float16 cells = vload16(0, tile + node_floats + i);
#if CHANNELS == 1
    vstore8((float8)(cells.s0123, cells.s89ab), 0, above + i / 2);
    vstore8((float8)(cells.s4567, cells.scdef), 0, below + i / 2);
#else
    vstore8((float8)(cells.s0145, cells.s89cd), 0, above + i / 2);
    vstore8((float8)(cells.s2367, cells.sabef), 0, below + i / 2);
#endif
  }
}

// Adds the bands' sums up to rows of nodes and blurs them along y, ROWS rows per work-item. `sums`: per
// band a row of nodes for the node row above it and one for that below. `taps`: centre, next, far.
// Work-items: WIDE_CELLS cells of a row, ROWS rows.
__kernel void grid_blur_y(__global const CELL *sums, __global CELL *blurred, float4 taps, int row_cells,
                          int rows, int bands) {
  const int at = (int)get_global_id(0) * WIDE_CELLS, y = (int)get_global_id(1) * ROWS;
  if (at >= row_cells || y >= rows) return;
  const float tap[] = {taps.z, taps.y, taps.x, taps.y, taps.z};
  WIDE sum[ROWS];
#pragma unroll
  for (int o = 0; o < ROWS; o++) sum[o] = 0.0f;
#pragma unroll
  for (int j = 0; j < ROWS + 2 * REACH; j++) {
    // The bands above node row y + j - REACH, then those below it; the last row's again beyond it.
    const int row = min(y + j, rows + 2 * REACH - 1);
    __global const CELL *band = sums + (size_t)row * bands * 2 * row_cells + at;
    WIDE node = 0.0f;
    for (int i = 0; i < 2 * bands; i++)
      node += LOAD_WIDE(band + (size_t)(2 * i + (i < bands)) * row_cells);
#pragma unroll
    for (int o = 0; o < ROWS; o++)
      if (j >= o && j - o <= 2 * REACH) sum[o] += tap[j - o] * node;
  }
#pragma unroll
  for (int o = 0; o < ROWS; o++)
    if (y + o < rows) STORE_WIDE(sum[o], blurred + (size_t)(y + o) * row_cells + at);
}

// Cells of a node blurred along x. `node`: the first of five.
inline WIDE blurred_along_x(__global const CELL *node, int planes, float4 taps) {
  return taps.x * LOAD_WIDE(node + 2 * NODE_CELLS) +
         taps.y * (LOAD_WIDE(node + NODE_CELLS) + LOAD_WIDE(node + 3 * NODE_CELLS)) +
         taps.z * (LOAD_WIDE(node) + LOAD_WIDE(node + 4 * NODE_CELLS));
}

// Blurs along x and z. `in`: as grid_blur_y leaves it. `out`: `row_cells` cells a row, from node 0 on. Work-items:
// nodes, rows.
__kernel void grid_blur_xz(__global const CELL *in, __global CELL *out, float4 taps_x, float4 taps_z,
                           int in_row_cells, int row_cells, int rows, int planes) {
  const int first = (int)get_global_id(0) * NODE_CELLS, y = get_global_id(1);
  if (first >= row_cells || y >= rows) return;
  in += (size_t)y * in_row_cells + first;
  out += (size_t)y * row_cells + first;
  WIDE before = 0.0f, here = blurred_along_x(in, planes, taps_x);
  for (int i = 0; i < NODE_CELLS; i += WIDE_CELLS) {
    WIDE after = 0.0f;
    if (i + WIDE_CELLS < NODE_CELLS) after = blurred_along_x(in + i + WIDE_CELLS, planes, taps_x);
#if CHANNELS == 1
    const WIDE next = (WIDE)(before.hi, here.lo) + (WIDE)(here.hi, after.lo), far = before + after;
#else
    const WIDE next = (WIDE)(before.s67, here.s01, here.s2345) + (WIDE)(here.s2345, here.s67, after.s01);
    const WIDE far = (WIDE)(before.hi, here.lo) + (WIDE)(here.hi, after.lo);
#endif
    STORE_WIDE(taps_z.x * here + taps_z.y * next + taps_z.z * far, out + i);
    before = here, here = after;
  }
}

// `in` gives the colours to look up, `original` alpha and the unfiltered side of the split. `range`: cells along z per
// level of R, G and B, added up if there is one grid. `inverse`: 1 / cell. Work-items: AT_ONCE pixels of a row, rows.
__kernel void grid_slice(__global const uint *in, int in_pitch, __global const uint *original,
                         int original_pitch, __global uint *out, int out_pitch, int width, int height,
                         __global const CELL *grid, float4 range, float inverse, int planes,
                         int row_cells, int split) {
  const int x = (int)get_global_id(0) * AT_ONCE, y = get_global_id(1);
  if (x >= width || y >= height) return;
  const int count = min(AT_ONCE, width - x);
  uint16 result = load_pixels(original + (size_t)y * original_pitch, x, width);
  if (x + count > split) {
    const uint16 pixels = load_pixels(in + (size_t)y * in_pitch, x, width);
    const float place_y = y * inverse;
    const int node_y = (int)place_y;
    const float f_y = place_y - node_y;
    const float16 place = (x + COUNT_UP) * inverse;
    const int16 node = convert_int16(place);
    const float16 f_x = place - convert_float16(node), right_below = f_x * f_y;
    float weights[4][AT_ONCE];
    vstore16(1.0f - f_x - f_y + right_below, 0, weights[0]);
    vstore16(f_x - right_below, 0, weights[1]);
    vstore16(f_y - right_below, 0, weights[2]);
    vstore16(right_below, 0, weights[3]);

    __global const CELL *nodes = grid + (size_t)node_y * row_cells;
    uint16 colour = 0;
#pragma unroll
    for (int c = 0; c < CHANNELS; c++) {
#if CHANNELS == 1
      const float16 z = intensity_of(pixels, range);
#else
      const float16 z = channel_of(pixels, c) * (c == 0 ? range.x : c == 1 ? range.y : range.z);
#endif
      const int16 plane = convert_int16(z);
      float upper[AT_ONCE], cells[AT_ONCE * CELL_FLOATS];
      int at[AT_ONCE];
      vstore16(z - convert_float16(plane), 0, upper);
      vstore16(node * NODE_CELLS + c * planes + plane, 0, at);
      for (int i = 0; i < AT_ONCE; i++) {
        __global const CELL *corner = nodes + (i < count ? at[i] : at[0]);
        const PAIR pair = weights[0][i] * LOAD_PAIR(corner) + weights[1][i] * LOAD_PAIR(corner + NODE_CELLS) +
                          weights[2][i] * LOAD_PAIR(corner + row_cells) +
                          weights[3][i] * LOAD_PAIR(corner + row_cells + NODE_CELLS);
        STORE_CELL(pair.lo + upper[i] * (pair.hi - pair.lo), i, cells);
      }
#if CHANNELS == 1
      const float16 p = vload16(0, cells), q = vload16(1, cells), r = vload16(2, cells), s = vload16(3, cells);
      const float16 part = 1.0f / (float16)(p.s37bf, q.s37bf, r.s37bf, s.s37bf);
      colour = convert_uint16((float16)(p.s048c, q.s048c, r.s048c, s.s048c) * part + 0.5f) |
               convert_uint16((float16)(p.s159d, q.s159d, r.s159d, s.s159d) * part + 0.5f) << 8 |
               convert_uint16((float16)(p.s26ae, q.s26ae, r.s26ae, s.s26ae) * part + 0.5f) << 16;
#else
      const float16 p = vload16(0, cells), q = vload16(1, cells);
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
