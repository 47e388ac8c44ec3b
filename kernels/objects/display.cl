// SPDX-License-Identifier: LGPL-2.1-or-later
// Draws boxes, numbers and trails of objects over frames. -DBUFFERS: frames are buffers.
#include "common/frame.clh"
#include "drawing/font.clh"
#include "drawing/over.clh"
#include "objects/interface.h"

inline int digits_of(uint number) {
  int count = 1;
  while (number >= 10) number /= 10, count++;
  return count;
}

// True if the digits of a number cover a pixel. `dot`: px per dot of the font.
inline bool in_number(uint number, int digits, int x, int y, int dot) {
  const int at = x / (6 * dot);
  if (x < 0 || y < 0 || at >= digits) return false;
  for (int i = digits - 1; i > at; i--) number /= 10;
  return in_glyph(number % 10, x / dot % 6, y / dot);
}

// Draws a box with an outline. Its number stands on a plate above the upper left corner, or below
// that corner if there is no space. A work-item per pixel of the drawn area.
__kernel void objects_box(IN_FRAME(in), OUT_FRAME(out), BoxDrawing drawing) {
  const int2 item = (int2)(get_global_id(0), get_global_id(1));
  const int2 p = drawing.origin + item;
  if (any(item >= drawing.area) || any(p < 0) || any(p >= drawing.size)) return;
  const int4 box = drawing.box;
  const uint number = drawing.number;
  const int thick = drawing.thickness, outline = drawing.outline_width, dot = drawing.dot,
            overlay = drawing.overlay;
  const int in_box = min(min(p.x - box.x, box.z - 1 - p.x), min(p.y - box.y, box.w - 1 - p.y));
  const int digits = digits_of(number);
  const int2 plate = (int2)((6 * digits + 1) * dot, 9 * dot);
  const int above = box.y - plate.y >= 0;
  const int2 q = p - (int2)(box.x, above ? box.y - plate.y : box.y);
  const bool on_plate = all(q >= 0) && all(q < plate);
  const bool text = on_plate && in_number(number, digits, q.x - dot, q.y - dot, dot);
  const bool line = in_box >= 0 && in_box < thick,
             around = in_box >= -outline && in_box < thick + outline;
  if (!on_plate && !around) return;
  const float4 below_it = below(LOAD_PIXEL(in, p.x, p.y), overlay);
  const bool inner = on_plate ? !text : line;
  const float4 colour = inner ? drawing.colour : drawing.outline_colour;
  STORE_PIXEL(out, p.x, p.y, finished(over(below_it, colour.xyz, colour.w, overlay), overlay));
}

// Draws the trail of an object: a line through its points. A work-item per pixel of the drawn area.
__kernel void objects_trail(IN_FRAME(in), OUT_FRAME(out), TrailDrawing trail) {
  const int2 item = (int2)(get_global_id(0), get_global_id(1));
  const int2 p = trail.origin + item;
  if (any(item >= trail.area) || any(p < 0) || any(p >= trail.size)) return;
  const float2 here = convert_float2(p);
  float nearest = 1e9f;
  for (int i = 0; i + 1 < trail.count; i++) {
    const float2 a = trail.points[i], along = trail.points[i + 1] - a;
    const float part = clamp(dot(here - a, along) / fmax(dot(along, along), 1e-6f), 0.0f, 1.0f);
    nearest = fmin(nearest, length(here - a - part * along));
  }
  if (nearest >= trail.half_width + trail.outline_width) return;
  const float4 below_it = below(LOAD_PIXEL(in, p.x, p.y), trail.overlay),
               colour = nearest < trail.half_width ? trail.colour : trail.outline_colour;
  STORE_PIXEL(out, p.x, p.y,
              finished(over(below_it, colour.xyz, colour.w, trail.overlay), trail.overlay));
}
