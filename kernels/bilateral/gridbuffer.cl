// SPDX-License-Identifier: LGPL-2.1-or-later
// The bilateral grid on buffers, for CPU devices: a work-item keeps a stretch of a band's nodes to
// itself and adds one pixel after the other to the eight cells around it. Build as grid.clh says.
#define BUFFERS
#include "bilateral/grid.clh"

inline void add_pair(__global CELL *cells, PAIR pair) {
  STORE_ANY_PAIR(LOAD_ANY_PAIR(cells) + pair, cells);
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
