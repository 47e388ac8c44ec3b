// SPDX-License-Identifier: LGPL-2.1-or-later
// Draws a field: a pixel's direction as hue, its speed as brightness. -DBUFFERS: frames are buffers.
#include "common/frame.clh"
#include "opticalflow/field.clh"
#include "opticalflow/wheel.clh"

enum { DISPLAY_NONE, DISPLAY_COLOR, DISPLAY_OVERLAY, DISPLAY_ARROWS };

inline float to_segment(float2 p, float2 a, float2 b) {
  const float2 along = b - a;
  const float t = clamp(dot(p - a, along) / fmax(dot(along, along), 1e-6f), 0.0f, 1.0f);
  return length(p - a - t * along);
}

// How far a pixel is from the arrows of the cells around it, each from its cell's middle, a cell long at
// full speed; `colour` is the nearest one's.
inline float to_arrows(__global const float2 *vectors, __global const float *confidence, int2 size,
                       float least, float gain, int cell, int2 at, float3 *colour) {
  float nearest = 1e6f;
  for (int j = -1; j <= 1; j++)
    for (int i = -1; i <= 1; i++) {
      const int2 middle = (at / cell + (int2)(i, j)) * cell + cell / 2;
      if (any(middle < 0) || any(middle >= size)) continue;
      const Motion motion = motion_at(vectors, confidence, middle.y * size.x + middle.x, least);
      const float speed = length(motion.vector);
      const float reach = fmin(speed / gain, 1.0f) * cell;
      if (reach < 1.0f) continue;
      const float2 direction = motion.vector / speed, side = (float2)(-direction.y, direction.x);
      const float2 from = convert_float2(middle), tip = from + reach * direction;
      const float head = 0.3f * reach;
      const float2 back = tip - head * direction, p = convert_float2(at);
      const float off = fmin(to_segment(p, from, tip), fmin(to_segment(p, tip, back + 0.6f * head * side),
                                                            to_segment(p, tip, back - 0.6f * head * side)));
      if (off < nearest) {
        nearest = off;
        *colour = wheel(direction, 1.0f);
      }
    }
  return nearest;
}

// Digits, a point, p, x, /, f and a space: 3 × 5, a bit each from the top left on.
__constant ushort glyphs[16] = {0x7b6f, 0x2c97, 0x73e7, 0x73cf, 0x5bc9, 0x79cf, 0x79ef, 0x7249,
                                0x7bef, 0x7bcf, 0x0002, 0x0f7c, 0x0155, 0x12a4, 0x39a4, 0x0000};

inline bool glyph(int which, int2 at) {
  return all(at >= 0) && at.x < 3 && at.y < 5 && (glyphs[which] >> (14 - 3 * at.y - at.x) & 1);
}

// Character `place` of the gain as "123.4 px/f".
inline int gain_character(float gain, int place) {
  const int tenths = min((int)(10.0f * gain + 0.5f), 9999);
  switch (place) {
    case 0: return tenths >= 1000 ? tenths / 1000 : 15;
    case 1: return tenths >= 100 ? tenths / 100 % 10 : 15;
    case 2: return tenths / 10 % 10;
    case 3: return 10;
    case 4: return tenths % 10;
    case 5: return 15;
    case 6: return 11;
    case 7: return 12;
    case 8: return 13;
    default: return 14;
  }
}

// A wheel that fills a quarter of the short side, in the lower right corner, and its
// radius in px per frame below. `colour` changes where the legend covers it.
inline float3 legend(float3 colour, int2 at, int2 size, float gain) {
  const int scale = max(min(size.x, size.y) / 180, 1);
  const int side = min(size.x, size.y) / 4, text = 40 * scale, margin = 4 * scale;
  const int2 box = (int2)(max(side, text), side + 8 * scale) + 2 * margin;
  const int2 p = at - (size - box);
  if (any(p < 0)) return colour;
  colour *= 0.25f;
  const float2 off = convert_float2(p - margin - (int2)(box.x - 2 * margin, side) / 2);
  const float radius = 0.5f * side, distance = length(off);
  if (distance <= radius) colour = wheel(off, radius);
  if (fabs(distance - radius) < 0.5f * scale) colour = 1.0f;
  const int2 q = p - (int2)((box.x - text) / 2, margin + side + 3 * scale);
  if (q.x >= 0 && q.y >= 0 && q.x < text &&
      glyph(gain_character(gain, q.x / scale / 4), (int2)(q.x / scale % 4, q.y / scale)))
    colour = 1.0f;
  return colour;
}

// The frame with the field drawn over it; with `shown` 0 no field, just the frame (or black for COLOR).
// Alpha is the frame's.
__kernel void flow_display(IN_FRAME(in), OUT_FRAME(out), int2 size, int display, int shown, int with_legend,
                           __global const float2 *vectors, __global const float *confidence, float least,
                           __global const Summary *summary) {
  const int2 at = (int2)(get_global_id(0), get_global_id(1));
  if (any(at >= size)) return;
  const float4 pixel = LOAD_COLOUR(in, at.x, at.y);
  float3 colour = pixel.xyz;
  if (display == DISPLAY_COLOR) colour = 0.0f;
  if (display != DISPLAY_NONE && shown) {
    const float gain = summary->gain;
    const int i = at.y * size.x + at.x;
    if (display == DISPLAY_ARROWS) {
      const int cell = clamp(min(size.x, size.y) / 30, 8, 64);
      const float thick = fmax(cell / 24.0f, 0.6f);
      float3 arrow = 0.0f;
      const float off = to_arrows(vectors, confidence, size, least, gain, cell, at, &arrow);
      colour = mix(colour, 0.0f, clamp(thick + 1.5f - off, 0.0f, 1.0f) * 0.6f);
      colour = mix(colour, arrow, clamp(thick + 0.5f - off, 0.0f, 1.0f));
    } else {
      const float2 vector = motion_at(vectors, confidence, i, least).vector;
      const float3 motion = wheel(vector, gain);
      // Over the frame as much as it is fast.
      if (display == DISPLAY_COLOR)
        colour = motion;
      else
        colour = mix(colour, wheel(vector, fmax(length(vector), 1e-6f)), 0.75f * fmin(length(vector) / gain, 1.0f));
    }
    if (with_legend) colour = legend(colour, at, size, gain);
  }
  STORE_COLOUR(out, at.x, at.y, (float4)(colour, pixel.w));
}
