// SPDX-License-Identifier: LGPL-2.1-or-later
// Draws a field: the direction of a vector as hue, its speed as brightness. -DBUFFERS: frames are
// buffers. `overlay`: see drawing/over.clh. A work-item per pixel.
#include "common/frame.clh"
#include "drawing/arrow.clh"
#include "drawing/font.clh"
#include "drawing/over.clh"
#include "opticalflow/flowfield.clh"
#include "opticalflow/wheel.clh"

// Draws the field alone, with the alpha of the frame. The result is black if `shown` is 0, which
// means that there is no field.
__kernel void flow_color(IN_FRAME(in), OUT_FRAME(out), int2 size, int shown,
                         __global const float2 *vectors, __global const float *confidence,
                         float min_confidence, __global const FlowSummary *summary, int overlay) {
  const int2 at = (int2)(get_global_id(0), get_global_id(1));
  if (any(at >= size)) return;
  const uchar alpha = overlay ? (uchar)255 : LOAD_PIXEL(in, at.x, at.y).w;
  const int i = shown ? at.y * size.x + at.x : 0;
  const float2 vector = vectors[i];
  const float speed = sqrt(vector.x * vector.x + vector.y * vector.y) / summary->gain;
  const float part = shown && confidence[i] >= min_confidence ? lesser(speed, 1.0f) * 255.0f : 0.0f;
  const float turn = turn_of(vector.x, vector.y);
  const uchar red = (uchar)(part * hue_part(turn, 0.0f) + 0.5f),
              green = (uchar)(part * hue_part(turn, 2.0f / 3.0f) + 0.5f),
              blue = (uchar)(part * hue_part(turn, 1.0f / 3.0f) + 0.5f);
  STORE_PIXEL(out, at.x, at.y, (uchar4)(overlay ? blue : red, green, overlay ? red : blue, alpha));
}

// Tints the frame with the hues of the field, in proportion to the speed.
__kernel void flow_overlay(IN_FRAME(in), OUT_FRAME(out), int2 size, __global const float2 *vectors,
                           __global const float *confidence, float min_confidence,
                           __global const FlowSummary *summary, int overlay) {
  const int2 at = (int2)(get_global_id(0), get_global_id(1));
  if (any(at >= size)) return;
  const uchar4 pixel = LOAD_PIXEL(in, at.x, at.y);
  const int i = at.y * size.x + at.x;
  const float2 vector = vectors[i];
  const float speed = sqrt(vector.x * vector.x + vector.y * vector.y) / summary->gain;
  const float part = confidence[i] >= min_confidence ? 0.75f * lesser(speed, 1.0f) : 0.0f;
  const float turn = turn_of(vector.x, vector.y), frame = overlay ? 0.0f : 1.0f - part,
              tint = part * 255.0f;
  const uchar red = (uchar)(frame * pixel.x + tint * hue_part(turn, 0.0f) + 0.5f),
              green = (uchar)(frame * pixel.y + tint * hue_part(turn, 2.0f / 3.0f) + 0.5f),
              blue = (uchar)(frame * pixel.z + tint * hue_part(turn, 1.0f / 3.0f) + 0.5f);
  STORE_PIXEL(out, at.x, at.y,
              (uchar4)(overlay ? blue : red, green, overlay ? red : blue,
                       overlay ? (uchar)(tint + 0.5f) : pixel.w));
}

// Computes an arrow per cell. It starts in the centre of the cell; at full speed it is as long as
// the cell. `colour`: if its alpha is 0, the arrow takes the hue of its direction, lightened so
// that blue is visible on black.
__kernel void flow_arrows(__global const float2 *vectors, __global const float *confidence,
                          int2 size, float min_confidence, __global const FlowSummary *summary,
                          int cell, int2 cells, uchar4 colour, __global Arrow *arrows) {
  const int2 place = (int2)(get_global_id(0), get_global_id(1));
  if (any(place >= cells)) return;
  const int2 middle = place * cell + cell / 2;
  Arrow arrow = no_arrow();
  if (all(middle < size)) {
    const float2 vector =
        sample_at(vectors, confidence, middle.y * size.x + middle.x, min_confidence).vector;
    const float speed = sqrt(vector.x * vector.x + vector.y * vector.y);
    const float reach = fmin(speed / summary->gain, 1.0f) * cell;
    if (reach >= 1.0f) {
      arrow.from = convert_float2(middle);
      arrow.direction = vector / speed;
      arrow.length = reach;
      const float3 hue = 0.25f + 0.75f * hue_of(turn_of(vector.x, vector.y));
      arrow.colour = colour.w ? colour : (uchar4)(convert_uchar3(hue * 255.0f + 0.5f), 255);
    }
  }
  arrows[place.y * cells.x + place.x] = arrow;
}

// Character number `place` of the gain, as in "123.4 px/f"; -1 for a blank.
inline int gain_character(float gain, int place) {
  switch (place) {
    case 5:
      return -1;
    case 6:
      return GLYPH_SMALL_P;
    case 7:
      return GLYPH_SMALL_X;
    case 8:
      return GLYPH_SLASH;
    case 9:
      return GLYPH_SMALL_F;
  }
  return tenths_character(min((int)(10.0f * gain + 0.5f), 9999), place);
}

// Draws a colour wheel in the lower right corner on a dark background. The number below it is the
// speed at its rim, px per frame. `box`: size of the background. `side`: diameter of the wheel, px.
// `dot`: px per dot of the font. `black`: the background is opaque.
__kernel void flow_legend(IN_FRAME(in), OUT_FRAME(out), int2 size, int2 box, int side, int dot,
                          int black, __global const FlowSummary *summary, int overlay) {
  const int2 p = (int2)(get_global_id(0), get_global_id(1)), at = p + size - box;
  if (any(p >= box) || any(at < 0)) return;
  const uchar4 pixel = LOAD_PIXEL(in, at.x, at.y);
  float4 colour = over(below(pixel, overlay), (float3)(0.0f), black ? 1.0f : 0.75f, overlay);
  const int margin = 2 * dot;
  const float2 off = convert_float2(2 * (p - margin) - (int2)(box.x - 2 * margin, side)) / 2.0f;
  const float radius = 0.5f * side, distance = length(off);
  if (distance <= radius) colour = over(colour, wheel(off, radius), 1.0f, overlay);
  if (fabs(distance - radius) < 0.3f * dot) colour = over(colour, (float3)(1.0f), 1.0f, overlay);
  const int2 q = p - (int2)((box.x - 59 * dot) / 2, margin + side + 2 * dot);
  if (all(q >= 0) && q.x < 60 * dot) {
    const int glyph = gain_character(summary->gain, q.x / dot / 6);
    if (glyph >= 0)
      colour = over(colour, (float3)(1.0f), glyph_cover(glyph, q.x % (6 * dot), q.y, dot), overlay);
  }
  STORE_PIXEL(out, at.x, at.y, finished(colour, overlay));
}
