// SPDX-License-Identifier: LGPL-2.1-or-later
// Draws boxes, numbers and trails of objects over frames. Build with -DBUFFERS for frames in buffers. `overlay`: see
// drawing/over.clh.
#include "common/frame.clh"
#include "drawing/font.clh"
#include "drawing/over.clh"

inline int digits_of(uint number) {
  int count = 1;
  while (number >= 10) number /= 10, count++;
  return count;
}

// Whether the text of a number covers a pixel; `dot`: the side of a dot of the font.
inline bool in_number(uint number, int digits, int x, int y, int dot) {
  const int at = x / (6 * dot);
  if (x < 0 || y < 0 || at >= digits) return false;
  for (int i = digits - 1; i > at; i--) number /= 10;
  return in_glyph(number % 10, x / dot % 6, y / dot);
}

// Draws a box with lines of `thick` px and an outline of `outline` px. Its number is on a plate above the upper left corner, or below
// that corner if there is no room. `box`: left, top, right, bottom. Work-items: pixels from `from` on, `area` of them.
__kernel void objects_box(IN_FRAME(in), OUT_FRAME(out), int2 size, int2 from, int2 area, int4 box, uint number,
                          int thick, int outline, int dot, float4 colour, float4 edge, int overlay) {
  const int2 item = (int2)(get_global_id(0), get_global_id(1));
  const int2 p = from + item;
  if (any(item >= area) || any(p < 0) || any(p >= size)) return;
  const int in_box = min(min(p.x - box.x, box.z - 1 - p.x), min(p.y - box.y, box.w - 1 - p.y));
  const int digits = digits_of(number);
  const int2 plate = (int2)((6 * digits + 1) * dot, 9 * dot);
  const int above = box.y - plate.y >= 0;
  const int2 q = p - (int2)(box.x, above ? box.y - plate.y : box.y);
  const bool on_plate = all(q >= 0) && all(q < plate);
  const bool text = on_plate && in_number(number, digits, q.x - dot, q.y - dot, dot);
  const bool line = in_box >= 0 && in_box < thick, around = in_box >= -outline && in_box < thick + outline;
  if (!on_plate && !around) return;
  const float4 below_it = below(LOAD_PIXEL(in, p.x, p.y), overlay);
  const bool inner = on_plate ? !text : line;
  STORE_PIXEL(out, p.x, p.y, finished(inner ? over(below_it, colour.xyz, colour.w, overlay) : over(below_it, edge.xyz, edge.w, overlay), overlay));
}

#define POINTS 32
typedef struct {
  float2 points[POINTS];
} Trail;

// Draws the trail of an object: a line through `count` points, `thick` px. Work-items: pixels from `from` on, `area` of them.
__kernel void objects_trail(IN_FRAME(in), OUT_FRAME(out), int2 size, int2 from, int2 area, Trail trail, int count,
                            float thick, float outline, float4 colour, float4 edge, int overlay) {
  const int2 item = (int2)(get_global_id(0), get_global_id(1));
  const int2 p = from + item;
  if (any(item >= area) || any(p < 0) || any(p >= size)) return;
  const float2 here = convert_float2(p);
  float nearest = 1e9f;
  for (int i = 0; i + 1 < count; i++) {
    const float2 a = trail.points[i], along = trail.points[i + 1] - a;
    const float part = clamp(dot(here - a, along) / fmax(dot(along, along), 1e-6f), 0.0f, 1.0f);
    nearest = fmin(nearest, length(here - a - part * along));
  }
  if (nearest >= thick + outline) return;
  const float4 below_it = below(LOAD_PIXEL(in, p.x, p.y), overlay);
  STORE_PIXEL(out, p.x, p.y, finished(nearest < thick ? over(below_it, colour.xyz, colour.w, overlay) : over(below_it, edge.xyz, edge.w, overlay), overlay));
}
