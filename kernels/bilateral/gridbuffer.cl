// SPDX-License-Identifier: LGPL-2.1-or-later
// The bilateral grid on buffers, for CPU devices: a work-item keeps a stretch of a band's nodes to
// itself and adds one pixel after the other to the eight cells around it. Build as grid.clh says.
//
// `planes` cells follow each other along z, the last two of them empty, so that a blur along z finds
// nothing before and after. Then come the channels, then the nodes of a row from -REACH on, then the rows.
#include "bilateral/grid.clh"

#define NODE_CELLS (CHANNELS * planes)

// Two cells that follow each other.
#if CHANNELS == 1
#define PAIR float8
#define LOAD_PAIR(cells) vload8(0, (__global const float *)(cells))
#define STORE_PAIR(pair, cells) vstore8(pair, 0, (__global float *)(cells))
#else
#define PAIR float4
#define LOAD_PAIR(cells) vload4(0, (__global const float *)(cells))
#define STORE_PAIR(pair, cells) vstore4(pair, 0, (__global float *)(cells))
#endif

// The cells that a work-item blurs.
#define WIDE float8
#define WIDE_CELLS (CHANNELS == 1 ? 2 : 4)
#define LOAD_WIDE(cells) vload8(0, (__global const float *)(cells))
#define STORE_WIDE(wide, cells) vstore8(wide, 0, (__global float *)(cells))

inline void add_pair(__global CELL *cells, PAIR pair) {
  STORE_PAIR(LOAD_PAIR(cells) + pair, cells);
}

// Adds pixels first..last-1 of a row to the nodes of their interval: the left ones, the right ones.
// `weight`: of the row for the nodes above and below.
inline void splat_interval(const bool left, const bool right, __global const uint *row, int width,
                           int first, int last, int interval, float inverse, float2 weight,
                           float4 range, __global CELL *above, __global CELL *below, int planes) {
  for (int x = first; x < last; x++) {
    const float f = x * inverse - interval, e = 1.0f - f;
    const float3 c = convert_float4(as_uchar4(row[clamp(x, 0, width - 1)])).xyz;
#if CHANNELS == 1
    const float z = dot(c, range.xyz);
    const int plane = (int)z;
    const float4 homogeneous = (float4)(c, 1.0f), upper = (z - plane) * homogeneous;
    const PAIR pair = (PAIR)(homogeneous - upper, upper);
    const int plane_cells[] = {plane};
    const PAIR pairs[] = {pair};
#else
    const float3 z = c * range.xyz;
    const int3 plane = convert_int3(z);
    const float3 u = z - convert_float3(plane), l = 1.0f - u;
    const int plane_cells[] = {plane.x, planes + plane.y, 2 * planes + plane.z};
    const PAIR pairs[] = {(PAIR)(l.x * c.x, l.x, u.x * c.x, u.x), (PAIR)(l.y * c.y, l.y, u.y * c.y, u.y),
                          (PAIR)(l.z * c.z, l.z, u.z * c.z, u.z)};
#endif
#pragma unroll
    for (int i = 0; i < CHANNELS; i++) {
      __global CELL *a = above + plane_cells[i], *b = below + plane_cells[i];
      if (left) {
        add_pair(a, weight.x * e * pairs[i]);
        add_pair(b, weight.y * e * pairs[i]);
      }
      if (right) {
        add_pair(a + NODE_CELLS, weight.x * f * pairs[i]);
        add_pair(b + NODE_CELLS, weight.y * f * pairs[i]);
      }
    }
  }
}

// Sums of bands of pixel rows for the node rows above and below them. The frame's edge is repeated
// outwards. Work-items: stretches of `stretch` nodes, bands.
__kernel void grid_splat(__global const uint *in, int pitch, int width, int height,
                         __global CELL *sums, float4 range, float cell, float inverse, int planes,
                         int nodes, int band_count, int bands, int stretch) {
  const int first = (int)get_global_id(0) * stretch, band = get_global_id(1);
  if (first >= nodes || band >= band_count) return;
  const int last = min(first + stretch, nodes);
  __global CELL *above = sums + (size_t)band * 2 * nodes * NODE_CELLS;
  __global CELL *below = above + (size_t)nodes * NODE_CELLS;
  for (int i = first * NODE_CELLS; i < last * NODE_CELLS; i++) above[i] = below[i] = 0.0f;

  const int2 rows = band_rows(band, bands, cell);
  const int interval = band / bands - REACH - 1;
  for (int y = rows.x; y < rows.y;) {
    const int from = clamp(y, 0, height - 1);
    float2 weight = 0.0f;  // rows outside the frame repeat the same one
    do {
      const float f = y * inverse - interval;
      weight += (float2)(1.0f - f, f);
      y++;
    } while (y < rows.y && clamp(y, 0, height - 1) == from);

    __global const uint *row = in + (size_t)from * pitch;
    int node = first - 1, x = first_pixel(node - REACH, cell);
    for (; node < last; node++) {
      const int end = first_pixel(node - REACH + 1, cell);
      __global CELL *a = above + node * NODE_CELLS, *b = below + node * NODE_CELLS;
      if (node < first)
        splat_interval(false, true, row, width, x, end, node - REACH, inverse, weight, range, a, b,
                       planes);
      else if (node == last - 1)
        splat_interval(true, false, row, width, x, end, node - REACH, inverse, weight, range, a, b,
                       planes);
      else
        splat_interval(true, true, row, width, x, end, node - REACH, inverse, weight, range, a, b,
                       planes);
      x = end;
    }
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
    if (y + o < rows) STORE_WIDE(sum[o], blurred + REACH + (size_t)(y + o) * row_cells + at);
  if (at == 0 && y == 0)
    for (int i = 0; i < REACH; i++) blurred[i] = blurred[REACH + (size_t)rows * row_cells + i] = 0.0f;
}

// Blurs along x and z. `in`: as grid_blur_y leaves it. `out`: `row_cells` cells a row, from node 0 on.
__kernel void grid_blur_xz(__global const CELL *in, __global CELL *out, float4 taps_x, float4 taps_z,
                           int in_row_cells, int row_cells, int rows, int planes) {
  const int at = (int)get_global_id(0) * WIDE_CELLS, y = get_global_id(1);
  if (at >= row_cells || y >= rows) return;
  const float tap[] = {taps_x.z, taps_x.y, taps_x.x, taps_x.y, taps_x.z};
  __global const CELL *centre = in + REACH + (size_t)y * in_row_cells + at;
  WIDE sum = 0.0f;
  for (int d = 0; d <= 2 * REACH; d++, centre += NODE_CELLS) {
    const WIDE next = LOAD_WIDE(centre - 1) + LOAD_WIDE(centre + 1);
    const WIDE far = LOAD_WIDE(centre - 2) + LOAD_WIDE(centre + 2);
    sum += tap[d] * (taps_z.x * LOAD_WIDE(centre) + taps_z.y * next + taps_z.z * far);
  }
  STORE_WIDE(sum, out + (size_t)y * row_cells + at);
}

// Two cells along z, interpolated between the four nodes around a pixel.
inline PAIR around(__global const CELL *node, int planes, int row_cells, float2 f) {
  const PAIR a = LOAD_PAIR(node), b = LOAD_PAIR(node + NODE_CELLS);
  const PAIR c = LOAD_PAIR(node + row_cells), d = LOAD_PAIR(node + row_cells + NODE_CELLS);
  const PAIR above = a + f.x * (b - a), below = c + f.x * (d - c);
  return above + f.y * (below - above);
}

// The filtered colour, in levels, of a pixel of colour `levels`. `range`: cells along z per level of R, G
// and B, added up if there is one grid. `inverse`: 1 / cell.
inline float3 slice(__global const CELL *grid, float3 levels, int x, int y, float4 range, float inverse,
                    int planes, int row_cells) {
  const float2 at = (float2)(x, y) * inverse;
  const int2 node = convert_int2(at);
  const float2 f = at - convert_float2(node);
  __global const CELL *cells = grid + (size_t)node.y * row_cells + node.x * NODE_CELLS;
#if CHANNELS == 1
  const float z = dot(levels, range.xyz);
  const int plane = (int)z;
  const PAIR pair = around(cells + plane, planes, row_cells, f);
  const CELL sum = pair.lo + (z - plane) * (pair.hi - pair.lo);
  return sum.xyz / sum.w;
#else
  const float3 z = levels * range.xyz;
  const int3 plane = convert_int3(z);
  const float3 fz = z - convert_float3(plane);
  const PAIR r = around(cells + plane.x, planes, row_cells, f);
  const PAIR g = around(cells + planes + plane.y, planes, row_cells, f);
  const PAIR b = around(cells + 2 * planes + plane.z, planes, row_cells, f);
  const CELL sum_r = r.lo + fz.x * (r.hi - r.lo), sum_g = g.lo + fz.y * (g.hi - g.lo);
  const CELL sum_b = b.lo + fz.z * (b.hi - b.lo);
  return (float3)(sum_r.x / sum_r.y, sum_g.x / sum_g.y, sum_b.x / sum_b.y);
#endif
}

// `in` gives the colours to look up, `original` alpha and the unfiltered side of the split.
__kernel void grid_slice(__global const uint *in, int in_pitch, __global const uint *original,
                         int original_pitch, __global uint *out, int out_pitch, int width, int height,
                         __global const CELL *grid, float4 range, float inverse, int planes,
                         int row_cells, int split) {
  const int x = get_global_id(0), y = get_global_id(1);
  if (x >= width || y >= height) return;
  uint pixel = original[(size_t)y * original_pitch + x];
  if (x == split && split > 0) {
    pixel |= 0xffffffu;
  } else if (x >= split) {
    const float3 levels = convert_float4(as_uchar4(in[(size_t)y * in_pitch + x])).xyz;
    const float3 mean = slice(grid, levels, x, y, range, inverse, planes, row_cells);
    const uint3 rounded = convert_uint3(mean + 0.5f);
    pixel = (pixel & 0xff000000u) | rounded.x | rounded.y << 8 | rounded.z << 16;
  }
  out[(size_t)y * out_pitch + x] = pixel;
}
