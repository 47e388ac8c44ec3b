// SPDX-License-Identifier: LGPL-2.1-or-later
// Draws boxes, labels and trails of objects over frames. -DBUFFERS: frames are buffers.
#include "common/frame.clh"
#include "drawing/font.clh"
#include "drawing/over.clh"
#include "objects/interface.h"

// The part of a pixel that a label covers, 0 to 1. `x`, `y`: px from its upper left corner.
inline float label_cover(const BoxDrawing *drawing, int x, int y) {
  const int width = 6 * drawing->dot, at = x / width;
  if (x < 0 || y < 0 || at >= drawing->label_length || drawing->label[at] >= GLYPHS) return 0.0f;
  return glyph_cover(drawing->label[at], x - at * width, y, drawing->dot);
}

// Draws a box with an outline. Its label stands on a plate above the upper left corner, or below
// that corner if there is no space. A work-item per pixel of the drawn area.
__kernel void objects_box(IN_FRAME(in), OUT_FRAME(out), BoxDrawing drawing) {
  const int2 item = (int2)(get_global_id(0), get_global_id(1));
  const int2 p = drawing.origin + item;
  if (any(item >= drawing.area) || any(p < 0) || any(p >= drawing.size)) return;
  const int4 box = drawing.box;
  const int thick = drawing.thickness, outline = drawing.outline_width, dot = drawing.dot,
            overlay = drawing.overlay;
  const int in_box = min(min(p.x - box.x, box.z - 1 - p.x), min(p.y - box.y, box.w - 1 - p.y));
  const int2 plate = (int2)((6 * drawing.label_length + 1) * dot, 9 * dot);
  const int above = box.y - plate.y >= 0;
  const int2 q = p - (int2)(box.x, above ? box.y - plate.y : box.y);
  const bool on_plate = drawing.label_length > 0 && all(q >= 0) && all(q < plate);
  const float text = on_plate ? label_cover(&drawing, q.x - dot, q.y - dot) : 0.0f;
  const bool line = in_box >= 0 && in_box < thick,
             around = in_box >= -outline && in_box < thick + outline;
  if (!on_plate && !around) return;
  const float4 below_it = below(LOAD_PIXEL(in, p.x, p.y), overlay);
  const float edge = on_plate ? text : line ? 0.0f : 1.0f;
  const float4 colour = drawing.colour + (drawing.outline_colour - drawing.colour) * edge;
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
