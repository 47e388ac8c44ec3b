// SPDX-License-Identifier: LGPL-2.1-or-later
// Draws edges, and the outlines of found templates. -DBUFFERS: frames are buffers. `overlay`: see
// drawing/over.clh.
#include "common/frame.clh"
#include "common/unitvector.clh"
#include "drawing/over.clh"
#include "hough/edge.clh"
#include "hough/interface.h"

__kernel void hough_show_edges(IN_FRAME(in), OUT_FRAME(out), __global const ushort *restrict edges,
                               int strong, int2 size, float4 colour, int overlay) {
  const int x = get_global_id(0), y = get_global_id(1);
  if (x >= size.x || y >= size.y) return;
  const ushort edge = edges[y * size.x + x];
  const bool shown = strong ? (edge & EDGE_STRONG) != 0 : edge != 0;
  const float4 frame = below(LOAD_PIXEL(in, x, y), overlay);
  STORE_PIXEL(out, x, y,
              finished(over(frame, colour.xyz, shown ? colour.w : 0.0f, overlay), overlay));
}

// Draws a square of `side` px around a place.
#define SHOW_SQUARE(place)                                                                    \
  const int2 first = convert_int2_rtn((place)-0.5f * side + 1.0f);                            \
  for (int y = max(first.y, 0); y < min(first.y + side, size.y); y++)                         \
    for (int x = max(first.x, 0); x < min(first.x + side, size.x); x++)                       \
      STORE_PIXEL(                                                                            \
          out, x, y,                                                                          \
          finished(over(below(LOAD_PIXEL(in, x, y), overlay), colour.xyz, colour.w, overlay), \
                   overlay));

// Draws a square of `side` px for each point of each found template. A work-item per point and
// object.
__kernel void hough_show_objects(IN_FRAME(in), OUT_FRAME(out),
                                 __global const FoundTemplate *restrict result,
                                 __global const float4 *restrict points, int count, int templ,
                                 int side, int2 size, float4 colour, int overlay) {
  const int i = get_global_id(0), number = get_global_id(1);
  if (i >= count || number >= (int)*(__global const uint *)result) return;
  const FoundTemplate object = result[1 + number];
  if ((int)object.templ != templ) return;
  const float4 p = points[i];
  SHOW_SQUARE((float2)(object.x + object.a * p.x - object.b * p.y,
                       object.y + object.b * p.x + object.a * p.y))
}

// Draws a square of `side` px for each px along the longer axis of each line. A work-item per px
// and line.
__kernel void hough_show_lines(IN_FRAME(in), OUT_FRAME(out),
                               __global const FoundLine *restrict result, int side, int2 size,
                               float4 colour, int overlay) {
  const int i = get_global_id(0), number = get_global_id(1);
  if (number >= (int)*(__global const uint *)result) return;
  const FoundLine line = result[1 + number];
  const float2 along = (float2)(line.x2 - line.x1, line.y2 - line.y1);
  const float steps = fmax(fabs(along.x), fabs(along.y));
  if (i > steps) return;
  SHOW_SQUARE((float2)(line.x1, line.y1) + along * (i / steps))
}

// Draws squares of `side` px along each circle, as many as there are work-items in a row. A
// work-item per square and circle.
__kernel void hough_show_circles(IN_FRAME(in), OUT_FRAME(out),
                                 __global const FoundCircle *restrict result, int side, int2 size,
                                 float4 colour, int overlay) {
  const int i = get_global_id(0), number = get_global_id(1);
  if (number >= (int)*(__global const uint *)result) return;
  const FoundCircle circle = result[1 + number];
  const float angle = i * (2.0f * M_PI_F / get_global_size(0));
  SHOW_SQUARE((float2)(circle.x, circle.y) + circle.radius * unit_vector(angle))
}
