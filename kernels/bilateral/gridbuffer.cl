// SPDX-License-Identifier: LGPL-2.1-or-later
// The bilateral grid on buffers, for CPUs. A work-item has a range of a band's nodes. It adds one
// pixel after another to the eight cells around it, four cells at once. Build options: see
// grid.clh.
//
// Memory layout: `planes` cells along z are adjacent. Then follow the channels, then the nodes of a
// row from -BLUR_REACH on, then the rows.
#include "bilateral/code.clh"
#include "bilateral/grid.clh"

#define NODE_CELLS (CHANNELS * planes)

// Vectors of pixels. Conversions: the low bits of pixels to integers, the codes of four pixels,
// four codes each of one pixel, conditions as wide as pixels.
#ifdef DEEP
#define PIXELS ulong16
#define FOUR_PIXELS ulong4
#define TO_INTS convert_int16
#define TO_PIXELS(codes) convert_ulong16(convert_uint16(codes))
#define TO_FOUR_PIXELS(codes) as_ulong4(convert_ushort16(codes))
#define CODES_OF(pixel) as_ushort16((ulong4)(pixel))
#define CONDITION convert_long16
#define AS_PIXELS as_ulong16
#else
#define PIXELS uint16
#define FOUR_PIXELS uint4
#define TO_INTS as_int16
#define TO_PIXELS convert_uint16
#define TO_FOUR_PIXELS(codes) as_uint4(convert_uchar16(codes))
#define CODES_OF(pixel) as_uchar16((uint4)(pixel))
#define CONDITION
#define AS_PIXELS as_uint16
#endif
#define ALPHA_ONE ((PIXEL)1 << 3 * CODE_BITS)

// Two adjacent cells.
#if CHANNELS == 1
#define PAIR float8
#define LOAD_PAIR(cells) vload8(0, (__local const float *)(cells))
#define STORE_CELL(cell, i, cells) vstore4(cell, i, cells)
#else
#define PAIR float4
#define LOAD_PAIR(cells) vload4(0, (__local const float *)(cells))
#define STORE_CELL(cell, i, cells) vstore2(cell, i, cells)
#endif

// A vector of cells for blurring.
#define WIDE float8
#define WIDE_CELLS (CHANNELS == 1 ? 2 : 4)
#define LOAD_WIDE(cells) vload8(0, (__global const float *)(cells))
#define STORE_WIDE(wide, cells) vstore8(wide, 0, (__global float *)(cells))

#define COUNT_UP ((float16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15))

// GRID_PIXELS pixels of a row from x on; the frame's edge repeats.
inline PIXELS load_pixels(__global const PIXEL *row, int x, int width) {
  if (x >= 0 && x + GRID_PIXELS <= width) return vload16(0, row + x);
  PIXEL pixels[GRID_PIXELS];
  for (int i = 0; i < GRID_PIXELS; i++) pixels[i] = row[clamp(x + i, 0, width - 1)];
  return vload16(0, pixels);
}

inline float16 channel_of(PIXELS pixels, int channel) {
  return convert_float16(TO_INTS(pixels >> (PIXEL)(CODE_BITS * channel) & CODE_MASK));
}

// Positions along z with one grid: weighted sums of R, G and B.
inline float16 intensity_of(PIXELS pixels, float4 range) {
  return channel_of(pixels, 0) * range.x + channel_of(pixels, 1) * range.y +
         channel_of(pixels, 2) * range.z;
}

// The sums that pixels between two planes add to both planes. First come the lower and the upper
// plane of the upper node row, then those of the lower node row.
#if CHANNELS == 1
#define BLOCK float16
#define BLOCK_OF(lower_above, upper_above, lower_below, upper_below)              \
  ((float16)((float4)(lower_above), (float4)(upper_above), (float4)(lower_below), \
             (float4)(upper_below)))
#else
#define BLOCK float8
#define BLOCK_OF(lower_above, upper_above, lower_below, upper_below)             \
  ((float8)((float2)(lower_above), (float2)(upper_above), (float2)(lower_below), \
            (float2)(upper_below)))
#endif
#define CELL_FLOATS (CHANNELS == 1 ? 4 : 2)

// Splats pixels to nodes: a band of pixel rows between two rows of nodes adds to both rows. Outside
// the frame its edge repeats. A work-item has `strip` bands, one after another. It fills `strip` +
// 1 rows of `stretch` nodes, the first and the last one only in part.
//
// Local memory `tile` has `stretch` + 1 intervals. Each channel and plane has two blocks: of all
// pixels, and of their part for the node on the right. So every pixel adds to one place. Groups of
// one item; along x ranges of nodes, along y strips.
__kernel void grid_splat(__global const PIXEL *in, int pitch, int width, int height,
                         __global CELL *sums, GridSplat splat, int stretch, __local BLOCK *tile) {
  const float4 range = splat.range;
  const float cell = splat.cell, inverse = splat.inverse;
  const int planes = splat.planes, nodes = splat.nodes, bands = splat.bands, strip = splat.strip;
  const int first = (int)get_global_id(0) * stretch, number = get_global_id(1);
  if (first >= nodes || number * strip >= bands) return;
  const int own = min(stretch, nodes - first), count = min(strip, bands - number * strip);
  const int blocks = (own + 1) * CHANNELS * planes * 2;
  for (int i = 0; i < blocks; i++) tile[i] = 0.0f;

  const int first_interval = first - 1 - BLUR_REACH;
  const int x_begin = first_pixel(first_interval, cell),
            x_end = first_pixel(first_interval + own + 1, cell);
  for (int band = 0; band < count; band++) {
    const int interval = number * strip + band - BLUR_REACH - 1,
              y_end = first_pixel(interval + 1, cell);
    for (int y = first_pixel(interval, cell); y < y_end;) {
      const int from = clamp(y, 0, height - 1);
      float2 weight =
          0.0f;  // equal rows outside the frame are added once, with the sum of their weights
      do {
        const float f = y * inverse - interval;
        weight += (float2)(1.0f - f, f);
        y++;
      } while (y < y_end && clamp(y, 0, height - 1) == from);
      const BLOCK lower = BLOCK_OF(weight.x, 0.0f, weight.y, 0.0f);
      const BLOCK rise = BLOCK_OF(-weight.x, weight.x, -weight.y, weight.y);

      __global const PIXEL *row = in + (size_t)from * pitch;
      // The row is processed as several streams of pixels far from each other, so that no stream
      // waits for the sums of another. Pixels beyond the range add nothing.
      const int length = (x_end - x_begin + SPLAT_STREAMS * GRID_PIXELS - 1) /
                         (SPLAT_STREAMS * GRID_PIXELS) * GRID_PIXELS;
      for (int x = x_begin; x < x_begin + length; x += GRID_PIXELS) {
        float16 right[SPLAT_STREAMS], upper[CHANNELS][SPLAT_STREAMS];
        int16 at[CHANNELS][SPLAT_STREAMS];
#if CHANNELS == 1
        PIXELS colours[SPLAT_STREAMS];
#else
        float16 colours[CHANNELS][SPLAT_STREAMS], ones[SPLAT_STREAMS];
#endif
        for (int s = 0; s < SPLAT_STREAMS; s++) {
          const int from_x = x + s * length;
          const PIXELS pixels = load_pixels(row, from_x, width);
          const int16 inside = from_x + convert_int16(COUNT_UP) < x_end;
          const float16 place = max((from_x + COUNT_UP) * inverse - first_interval, 0.0f);
          const int16 node = min(convert_int16(place), own);
          right[s] = place - convert_float16(node);
#if CHANNELS == 1
          const float16 z = intensity_of(pixels, range);
          const int16 plane = convert_int16(z);
          upper[0][s] = z - convert_float16(plane);
          at[0][s] = (node * planes + plane) * 2;
          colours[s] = ((pixels & COLOUR_MASK) | ALPHA_ONE) & AS_PIXELS(CONDITION(inside));
#else
          const float ranges[] = {range.x, range.y, range.z};
          ones[s] = as_float16(as_int16((float16)(1.0f)) & inside);
#pragma unroll
          for (int c = 0; c < CHANNELS; c++) {
            const float16 level = channel_of(pixels, c), z = level * ranges[c];
            const int16 plane = convert_int16(z);
            colours[c][s] = level * ones[s];
            upper[c][s] = z - convert_float16(plane);
            at[c][s] = ((node * CHANNELS + c) * planes + plane) * 2;
          }
#endif
        }
        for (int i = 0; i < GRID_PIXELS; i++)
#pragma unroll
          for (int s = 0; s < SPLAT_STREAMS; s++) {
#pragma unroll
            for (int c = 0; c < CHANNELS; c++) {
#if CHANNELS == 1
              const float16 colour =
                  convert_float16(convert_int16(CODES_OF(((PIXEL *)colours)[16 * s + i])));
#else
              const float level = ((float *)colours[c])[16 * s + i],
                          one = ((float *)ones)[16 * s + i];
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

    // After a band the row of nodes above it is complete. After the last band the row below it is
    // written, too.
    for (int side = 0; side <= (band + 1 == count); side++) {
      __global CELL *to =
          sums + ((size_t)(number * (strip + 1) + band + side) * nodes + first) * NODE_CELLS;
      for (int i = 0; i < own * CHANNELS; i++) {
        __local const PAIR *left = (__local const PAIR *)(tile + i * planes * 2) + side,
                           *right = left + CHANNELS * planes * 4;
        PAIR before = 0.0f;
        for (int plane = 0; plane < planes; plane++) {
          const PAIR pair = left[4 * plane + 2] + (right[4 * plane] - right[4 * plane + 2]);
          *to++ = pair.lo + before.hi;
          before = pair;
        }
      }
    }
    for (int i = 0; i < blocks; i++) tile[i] = (BLOCK)(tile[i].hi, (PAIR)(0.0f));
  }
}

// The cells of a node blurred along x. `node`: the first of five nodes of `wides` vectors each.
inline WIDE blurred_along_x(__local const WIDE *node, int wides, float4 taps) {
  return taps.x * node[2 * wides] + taps.y * (node[wides] + node[3 * wides]) +
         taps.z * (node[0] + node[4 * wides]);
}

// Blurs rows of nodes along y, then along x and z. `sums`: the rows of each strip, from node
// -BLUR_REACH on. The last row of a strip adds to the first row of the next one. `out`: rows of
// nodes from node 0 on. Local memory `tile`: BLUR_ROWS times `blur.part` + 2 BLUR_REACH nodes.
// Groups of one item; along x ranges of `blur.part` nodes, along y BLUR_ROWS rows.
__kernel void grid_blur(__global const CELL *sums, __global CELL *out, GridBlur blur,
                        __local WIDE *tile) {
  const float4 taps_space = blur.space, taps_range = blur.range;
  const int planes = blur.planes, nodes = blur.nodes, rows = blur.rows, strip = blur.strip,
            stretch = blur.part;
  const int first = (int)get_global_id(0) * stretch, y = (int)get_global_id(1) * BLUR_ROWS,
            columns = nodes - 2 * BLUR_REACH;
  if (first >= columns || y >= rows) return;
  const float tap[] = {taps_space.z, taps_space.y, taps_space.x, taps_space.y, taps_space.z};
  const int own = min(stretch, columns - first), count = planes / WIDE_CELLS,
            wides = CHANNELS * count, tile_row = (own + 2 * BLUR_REACH) * wides;
  const int row_cells = nodes * NODE_CELLS;
  for (int i = 0; i < tile_row; i++) {
    WIDE sum[BLUR_ROWS];
#pragma unroll
    for (int o = 0; o < BLUR_ROWS; o++) sum[o] = 0.0f;
#pragma unroll
    for (int j = 0; j < BLUR_ROWS + 2 * BLUR_REACH; j++) {
      // Node row y + j - BLUR_REACH; beyond the last row that row repeats. `strips`: the number of
      // strips that begin up to it.
      const int row = min(y + j, rows + 2 * BLUR_REACH - 1) + 1, strips = row / strip;
      __global const CELL *at =
          sums + (size_t)(row + strips) * row_cells + first * NODE_CELLS + i * WIDE_CELLS;
      WIDE node = LOAD_WIDE(at);
      if (row == strips * strip) node += LOAD_WIDE(at - row_cells);
#pragma unroll
      for (int o = 0; o < BLUR_ROWS; o++)
        if (j >= o && j - o <= 2 * BLUR_REACH) sum[o] += tap[j - o] * node;
    }
#pragma unroll
    for (int o = 0; o < BLUR_ROWS; o++) tile[o * tile_row + i] = sum[o];
  }

  for (int o = 0; o < BLUR_ROWS && y + o < rows; o++)
    for (int i = 0; i < own; i++) {
      __local const WIDE *node = tile + o * tile_row + i * wides;
      __global CELL *to = out + ((size_t)(y + o) * columns + first + i) * NODE_CELLS;
      for (int c = 0; c < CHANNELS; c++, node += count, to += planes) {
        WIDE before = 0.0f, here = blurred_along_x(node, wides, taps_space);
        for (int k = 0; k < count; k++) {
          WIDE after = 0.0f;
          if (k + 1 < count) after = blurred_along_x(node + k + 1, wides, taps_space);
#if CHANNELS == 1
          const WIDE next = (WIDE)(before.hi, here.lo) + (WIDE)(here.hi, after.lo),
                     far = before + after;
#else
          const WIDE next =
              (WIDE)(before.s67, here.s01, here.s2345) + (WIDE)(here.s2345, here.s67, after.s01);
          const WIDE far = (WIDE)(before.hi, here.lo) + (WIDE)(here.hi, after.lo);
#endif
          STORE_WIDE(taps_range.x * here + taps_range.y * next + taps_range.z * far,
                     to + k * WIDE_CELLS);
          before = here, here = after;
        }
      }
    }
}

inline int least(int16 n) {
  const int8 a = min(n.lo, n.hi);
  const int4 b = min(a.lo, a.hi);
  const int2 c = min(b.lo, b.hi);
  return min(c.x, c.y);
}
inline int most(int16 n) {
  const int8 a = max(n.lo, n.hi);
  const int4 b = max(a.lo, a.hi);
  const int2 c = max(b.lo, b.hi);
  return max(c.x, c.y);
}

// The colours of four pixels from their cells, with alpha 0.
#if CHANNELS == 1
inline FOUR_PIXELS colours_of(float16 cells) {
  const float4 part = 1.0f / cells.s37bf;
  return TO_FOUR_PIXELS(cells * part.xxxxyyyyzzzzwwww + 0.5f) & COLOUR_MASK;
}
#endif

// Slices the grid: looks up each pixel's colour by trilinear interpolation. `in` has the colours to
// look up, `original` alpha and the unfiltered side of the split. With one grid, the positions of
// R, G and B along z are added. `row_cells`: cells per row of the grid. Local memory `tile`: one
// channel of the nodes around `span` pixels of a row, interpolated along y. `span` is a multiple of
// GRID_PIXELS. Groups of one item, one per row.
__kernel void grid_slice(__global const PIXEL *in, int in_pitch, __global const PIXEL *original,
                         int original_pitch, __global PIXEL *out, int out_pitch,
                         __global const CELL *grid, GridLookup lookup, int row_cells, int span,
                         __local CELL *tile) {
  const float4 range = lookup.range;
  const float inverse = lookup.inverse;
  const int width = lookup.size.x, height = lookup.size.y, planes = lookup.planes,
            split = lookup.split;
  const int y = get_global_id(0);
  if (y >= height) return;
  const float place_y = y * inverse;
  const int node_y = (int)place_y;
  const float below_part = place_y - node_y;
  const int last = (width - 1) * inverse;
  for (int x_begin = 0; x_begin < width; x_begin += span) {
    const int x_end = min(x_begin + span, width),
              vectors = (x_end - x_begin + GRID_PIXELS - 1) / GRID_PIXELS;
    PIXELS colour[LOOKUP_VECTORS];
    for (int i = 0; i < vectors; i++) colour[i] = 0;
    const int first = (int)(x_begin * inverse),
              nodes = min((int)((x_end - 1) * inverse), last) + 2 - first;
    // Each step runs for all pixels before the next step, so that none waits for its predecessor.
    if (x_end > split)
#pragma unroll
      for (int c = 0; c < CHANNELS; c++) {
        float16 right_part[LOOKUP_VECTORS], upper[LOOKUP_VECTORS];
        int16 at[LOOKUP_VECTORS], lowest = planes, highest = 0;
        for (int i = 0; i < vectors; i++) {
          const int x = x_begin + i * GRID_PIXELS;
          const PIXELS pixels = load_pixels(in + (size_t)y * in_pitch, x, width);
          const float16 place = (x + COUNT_UP) * inverse;
          const int16 node = min(convert_int16(place), last);
          right_part[i] = place - convert_float16(node);
#if CHANNELS == 1
          const float16 z = intensity_of(pixels, range);
#else
          const float16 z = channel_of(pixels, c) * (c == 0 ? range.x : c == 1 ? range.y : range.z);
#endif
          const int16 plane = convert_int16(z);
          upper[i] = z - convert_float16(plane);
          at[i] = (node - first) * planes + plane;
          lowest = min(lowest, plane), highest = max(highest, plane);
        }

        const int from = least(lowest) / WIDE_CELLS * WIDE_CELLS, end = most(highest) + 2;
        for (int i = 0; i < nodes; i++) {
          __global const CELL *above =
              grid + (size_t)node_y * row_cells + (first + i) * NODE_CELLS + c * planes;
          for (int plane = from; plane < end; plane += WIDE_CELLS) {
            const WIDE cells = LOAD_WIDE(above + plane);
            vstore8(cells + below_part * (LOAD_WIDE(above + row_cells + plane) - cells), 0,
                    (__local float *)(tile + i * planes + plane));
          }
        }

        float16 cells[CELL_FLOATS * LOOKUP_VECTORS];
#pragma unroll 4
        for (int i = 0; i < vectors * GRID_PIXELS; i++) {
          __local const CELL *node = tile + ((int *)at)[i];
          const PAIR left = LOAD_PAIR(node), right = LOAD_PAIR(node + planes);
          const PAIR pair = left + ((float *)right_part)[i] * (right - left);
          ((CELL *)cells)[i] = pair.lo + ((float *)upper)[i] * (pair.hi - pair.lo);
        }

        for (int i = 0; i < vectors; i++) {
          const float16 *sums = cells + CELL_FLOATS * i;
#if CHANNELS == 1
          colour[i] = (PIXELS)(colours_of(sums[0]), colours_of(sums[1]), colours_of(sums[2]),
                               colours_of(sums[3]));
#else
          const float16 p = sums[0], q = sums[1];
          colour[i] |= TO_PIXELS((float16)(p.even, q.even) / (float16)(p.odd, q.odd) + 0.5f)
                       << (PIXEL)(CODE_BITS * c);
#endif
        }
      }

    for (int i = 0; i < vectors; i++) {
      const int x = x_begin + i * GRID_PIXELS, count = min(GRID_PIXELS, width - x);
      PIXELS result = load_pixels(original + (size_t)y * original_pitch, x, width);
      const int16 column = x + convert_int16(COUNT_UP);
      const PIXELS filtered =
          (result & ~COLOUR_MASK) |
          (CONDITION(column == split && split > 0) ? (PIXELS)(COLOUR_MASK) : colour[i]);
      result = CONDITION(column >= split) ? filtered : result;
      __global PIXEL *to = out + (size_t)y * out_pitch + x;
      if (count == GRID_PIXELS) {
        vstore16(result, 0, to);
      } else {
        PIXEL pixels[GRID_PIXELS];
        vstore16(result, 0, pixels);
        for (int j = 0; j < count; j++) to[j] = pixels[j];
      }
    }
  }
}
