// SPDX-License-Identifier: LGPL-2.1-or-later
// What glclmotion shows. Build with -DBUFFERS for frames in buffers.
#include "common/frame.clh"
#include "motion/partitions.clh"
#include "motion/plane.clh"

// A plane in grey with the alpha of the input.
__kernel void motion_show_plane(IN_FRAME(in), OUT_FRAME(out), __global const uchar *plane, int pitch,
                                int width, int height) {
  const int x = get_global_id(0), y = get_global_id(1);
  if (x >= width || y >= height) return;
  const uchar level = plane[AT(x, y, pitch)];
  STORE_PIXEL(out, x, y, (uchar4)(level, level, level, LOAD_PIXEL(in, x, y).w));
}

// What the prediction left: 128 + current - predicted, saturated.
__kernel void motion_show_residual(IN_FRAME(in), OUT_FRAME(out), __global const uchar *current,
                                   __global const uchar *predicted, int pitch, int width, int height) {
  const int x = get_global_id(0), y = get_global_id(1);
  if (x >= width || y >= height) return;
  const int at = AT(x, y, pitch);
  const uchar level = convert_uchar_sat(128 + current[at] - predicted[at]);
  STORE_PIXEL(out, x, y, (uchar4)(level, level, level, LOAD_PIXEL(in, x, y).w));
}

// The input with the edges of blocks and partitions darkened by half. `block`: px; `columns`: of blocks.
__kernel void motion_show_grid(IN_FRAME(in), OUT_FRAME(out), __global const ushort *shapes, int block,
                               int columns, int width, int height) {
  const int x = get_global_id(0), y = get_global_id(1);
  if (x >= width || y >= height) return;
  const int2 inner = (int2)(x, y) % block;
  const uint shape = shapes[y / block * columns + x / block];
  const int4 part = shape ? rectangle_of(shape, inner.x / 4, inner.y / 4) : (int4)(0);
  const bool edge = inner.x == 4 * part.x || inner.y == 4 * part.y;
  const uchar4 pixel = LOAD_PIXEL(in, x, y);
  STORE_PIXEL(out, x, y, edge ? (uchar4)(pixel.xyz / (uchar)2, pixel.w) : pixel);
}

inline uchar4 arrow_pixel(uchar alpha) { return (uchar4)(255, 220, 0, alpha); }

// An arrow for each moved block or partition over that, from where it was to where it is: a line that ends in
// a dot of 3 × 3 px at its middle. `cell`: px between vectors. Work-items: cells along x and y.
__kernel void motion_show_arrows(IN_FRAME(in), OUT_FRAME(out), __global const short2 *vectors,
                                 __global const ushort *shapes, int cell, int cell_columns, int cell_rows,
                                 int block, int width, int height) {
  const int cx = get_global_id(0), cy = get_global_id(1);
  if (cx >= cell_columns || cy >= cell_rows) return;
  const int cells = block / cell;  // across a block
  const uint shape = shapes[cy / cells * (cell_columns / cells) + cx / cells];
  const int2 inner = (int2)(cx, cy) % cells, corner = (int2)(cx, cy) - inner;
  const int4 part = shape ? rectangle_of(shape, inner.x, inner.y) : (int4)(0, 0, cells, cells);
  const float2 v = convert_float2(vectors[cy * cell_columns + cx]) / 4.0f;
  if (inner.x != part.x || inner.y != part.y || (v.x == 0.0f && v.y == 0.0f)) return;

  const float2 end = convert_float2(cell * (2 * (corner + part.xy) + part.zw)) / 2.0f;
  const int steps = (int)ceil(max(fabs(v.x), fabs(v.y)));
  for (int i = 0; i < steps + 9; i++) {
    // The dot's nine pixels, then those of the line.
    const int2 at = i < 9 ? convert_int2(end) + (int2)(i % 3 - 1, i / 3 - 1)
                          : convert_int2(floor(end + v * (float)(i - 8) / (float)steps));
    if (at.x >= 0 && at.y >= 0 && at.x < width && at.y < height)
      STORE_PIXEL(out, at.x, at.y, arrow_pixel(LOAD_PIXEL(in, at.x, at.y).w));
  }
}
