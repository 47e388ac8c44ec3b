// SPDX-License-Identifier: LGPL-2.1-or-later
// The displays of glclmotion. -DBUFFERS: frames are buffers. `overlay`: see drawing/over.clh.
#include "common/frame.clh"
#include "drawing/arrow.clh"
#include "drawing/over.clh"
#include "motion/interface.h"
#include "motion/partitions.clh"
#include "motion/plane.clh"

// Draws a plane in grey with the alpha of the input. A work-item has FRAME_ROWS pixels.
__kernel void motion_show_plane(IN_FRAME(in), OUT_FRAME(out), __global const uchar *plane,
                                int pitch, int width, int height, int overlay) {
  const int x = get_global_id(0);
#pragma unroll
  for (int i = 0; i < FRAME_ROWS; i++) {
    const int y = FRAME_ROW(i);
    if (x >= width || y >= height) return;
    const uchar level = plane[AT(x, y, pitch)];
    STORE_PIXEL(out, x, y,
                (uchar4)(level, level, level, overlay ? (uchar)255 : LOAD_PIXEL(in, x, y).w));
  }
}

// Draws the residual of the prediction: 128 + current - predicted, saturated.
__kernel void motion_show_residual(IN_FRAME(in), OUT_FRAME(out), __global const uchar *current,
                                   __global const uchar *predicted, int pitch, int width,
                                   int height, int overlay) {
  const int x = get_global_id(0);
#pragma unroll
  for (int i = 0; i < FRAME_ROWS; i++) {
    const int y = FRAME_ROW(i);
    if (x >= width || y >= height) return;
    const int at = AT(x, y, pitch);
    const uchar level = convert_uchar_sat(128 + current[at] - predicted[at]);
    STORE_PIXEL(out, x, y,
                (uchar4)(level, level, level, overlay ? (uchar)255 : LOAD_PIXEL(in, x, y).w));
  }
}

// True if a block or partition begins at a cell; `middle` gets the centre of the block or partition
// that contains the cell, px.
inline bool partition_begins(__global const ushort *shapes, int2 place, FieldGrid field,
                             float2 *middle) {
  const int cells = field.cells;
  const uint shape = shapes[place.y / cells * (field.count.x / cells) + place.x / cells];
  const int2 inner = place % cells;
  const int4 part = shape ? rectangle_of(shape, inner.x, inner.y) : (int4)(0, 0, cells, cells);
  *middle = convert_float2(field.cell * (2 * (place - inner + part.xy) + part.zw)) / 2.0f;
  return all(inner == part.xy);
}

// Draws the edges of blocks and partitions: their left columns and upper rows, `line` px wide. The
// lines are 40 % opaque: white where luma is below 64, otherwise black. A work-item per cell.
__kernel void motion_show_grid(IN_FRAME(in), OUT_FRAME(out), __global const uchar *plane,
                               __global const ushort *shapes, GridDrawing drawing) {
  const int2 count = drawing.field.count;
  const int cell = drawing.field.cell, cells = drawing.field.cells, line = drawing.line,
            overlay = drawing.overlay;
  const int2 place = (int2)(get_global_id(0), get_global_id(1));
  if (any(place >= count)) return;
  const uint shape = shapes[place.y / cells * (count.x / cells) + place.x / cells];
  const int2 inner = place % cells;
  const int4 part = shape ? rectangle_of(shape, inner.x, inner.y) : (int4)(0);
  const bool left = inner.x == part.x, upper = inner.y == part.y;
  if (!left && !upper) return;
  const int2 from = place * cell, to = min(from + cell, drawing.size);
  for (int y = from.y; y < to.y; y++) {
    const int end = upper && y < from.y + line ? to.x : left ? min(from.x + line, to.x) : from.x;
    for (int x = from.x; x < end; x++) {
      const uchar4 pixel = LOAD_PIXEL(in, x, y);
      const int luma = drawing.has_frame ? (77 * pixel.x + 150 * pixel.y + 29 * pixel.z) >> 8
                                         : plane[AT(x, y, drawing.pitch)];
      const float4 colour =
          over(below(pixel, overlay), (float3)(luma < 64 ? 1.0f : 0.0f), 0.4f, overlay);
      STORE_PIXEL(out, x, y, finished(colour, overlay));
    }
  }
}

// Computes the arrows of blocks and partitions that moved. An arrow leads to the centre from its
// position in the reference. Along both axes, one block of every `step` has arrows. A work-item per
// cell of those blocks.
__kernel void motion_arrows(__global const short2 *vectors, __global const ushort *shapes,
                            __global Arrow *arrows, FieldGrid field, int step, int2 count,
                            uchar4 colour) {
  const int cells = field.cells;
  const int2 item = (int2)(get_global_id(0), get_global_id(1));
  if (any(item >= count)) return;
  const int2 block = min(item / cells * step + step / 2, field.count / cells - 1);
  const int2 place = block * cells + item % cells;
  Arrow arrow = no_arrow();
  float2 middle;
  const float2 v = convert_float2(vectors[place.y * field.count.x + place.x]) / 4.0f;
  if (partition_begins(shapes, place, field, &middle) && any(v != 0.0f)) {
    const float moved = sqrt(v.x * v.x + v.y * v.y);
    arrow.from = middle - v;
    arrow.direction = v / moved;
    arrow.length = moved;
    arrow.colour = colour;
  }
  arrows[item.y * count.x + item.x] = arrow;
}
