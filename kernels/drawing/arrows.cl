// SPDX-License-Identifier: LGPL-2.1-or-later
// Draws arrows with outlines. Each arrow sees only the pixels around it: first it claims them, then it paints those
// that are its own. A pixel belongs to the arrow that it is deepest in, or nearest to; of several, to the first.
// -DBUFFERS: frames are buffers.
#include "common/frame.clh"
#include "drawing/arrow.clh"
#include "drawing/over.clh"

// The key of a pixel: its distance, 8 bits, and below it the number of the arrow. An unclaimed pixel has:
#define FREE 0xffffffffu
#define NUMBERS 0xffffffu

// Where an arrow and its outline may be: rows from .x to .y.
inline int2 rows_of(float2 from, float2 direction, float back, float front, float side, int height) {
  const float y0 = from.y + fmin(direction.y * back, direction.y * front) - fabs(direction.x) * side;
  const float y1 = from.y + fmax(direction.y * back, direction.y * front) + fabs(direction.x) * side;
  return (int2)(max((int)ceil(y0), 0), min((int)floor(y1), height - 1));
}

// And the columns of a row that lies `down` below its beginning.
inline int2 columns_of(float2 from, float2 direction, float back, float front, float side, float down, int width) {
  float x0 = -32768.0f, x1 = 32768.0f;
  if (fabs(direction.y) > 1e-3f) {
    const float a = (direction.x * down - side) / direction.y, b = (direction.x * down + side) / direction.y;
    x0 = fmin(a, b), x1 = fmax(a, b);
  }
  if (fabs(direction.x) > 1e-3f) {
    const float a = (back - direction.y * down) / direction.x, b = (front - direction.y * down) / direction.x;
    x0 = fmax(x0, fmin(a, b)), x1 = fmin(x1, fmax(a, b));
  }
  return (int2)(max((int)ceil(from.x + x0), 0), min((int)floor(from.x + x1), width - 1));
}

// Calls for each pixel around an arrow, row by row; a group of items shares the rows. The outline is widest at the corners of the head. By
// the angles there it is 1 / tan a + 1 / sin a at the sides, 1 / sin b at the tip.
#define FOR_PIXELS_OF(arrow, thick, outline, size)                                                         \
  const float2 head = arrow_head(arrow.length, thick);                                                     \
  const float reach = outline + 0.5f, side = head.y + 1.56f * reach;                                       \
  const float back = arrow_tail(arrow.length, head, thick) - reach, front = arrow.length + 2.45f * reach;  \
  const int2 rows = rows_of(arrow.from, arrow.direction, back, front, side, size.y);                       \
  for (int y = rows.x + (int)get_local_id(0); y <= rows.y; y += (int)get_local_size(0)) {                  \
    const float down = y - arrow.from.y;                                                                   \
    const int2 columns = columns_of(arrow.from, arrow.direction, back, front, side, down, size.x);         \
    for (int x = columns.x; x <= columns.y; x++) {                                                         \
      const float right = x - arrow.from.x;                                                                \
      const float along = arrow.direction.x * right + arrow.direction.y * down;                            \
      const float off = fabs(arrow.direction.x * down - arrow.direction.y * right);                        \
      const float distance = arrow_distance(arrow.length, head, thick, along, off);

// Work-items: a group for each arrow. `thick`: half the width of a shaft; `outline`: the width around it, px.
// `keys`: of all pixels, FREE.
__kernel void arrows_claim(__global const Arrow *arrows, float thick, float outline, int2 size,
                           __global uint *keys) {
  const uint number = get_group_id(0);
  const Arrow arrow = arrows[number];
  if (arrow.length < 0.0f) return;
  const float scale = 254.0f / (thick + outline + 0.5f);
  FOR_PIXELS_OF(arrow, thick, outline, size)
      if (distance < reach) {
        const uint key = (uint)clamp((distance + thick) * scale, 0.0f, 254.0f) << 24 | number;
        __global uint *place = &keys[y * size.x + x];
        if (*place > key) atomic_min(place, key);
      }
    }
  }
}

// Paints the claimed pixels over the frame and clears the keys. `edge`: the outline's colour.
__kernel void arrows_paint(IN_FRAME(in), OUT_FRAME(out), __global const Arrow *arrows, float thick, float outline,
                           float4 edge, int2 size, int overlay, __global uint *keys) {
  const uint number = get_group_id(0);
  const Arrow arrow = arrows[number];
  if (arrow.length < 0.0f) return;
  const float4 inner = convert_float4(arrow.colour) / 255.0f;
  FOR_PIXELS_OF(arrow, thick, outline, size)
      const uint key = keys[y * size.x + x];
      if ((key & NUMBERS) == number && key != FREE) {
        keys[y * size.x + x] = FREE;
        float4 colour = below(LOAD_PIXEL(in, x, y), overlay);
        colour = over(colour, edge.xyz, clamp(outline + 0.5f - distance, 0.0f, 1.0f) * edge.w, overlay);
        colour = over(colour, inner.xyz, clamp(0.5f - distance, 0.0f, 1.0f) * inner.w, overlay);
        STORE_PIXEL(out, x, y, finished(colour, overlay));
      }
    }
  }
}
