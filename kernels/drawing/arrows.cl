// SPDX-License-Identifier: LGPL-2.1-or-later
// Draws arrows with outlines. Each arrow processes only the pixels around it: first it writes its
// key to them, then it paints those with its key. A pixel belongs to the arrow in which it lies
// deepest, else to the nearest arrow; if several are equal, to the first. -DBUFFERS: frames are
// buffers.
#include "common/frame.clh"
#include "drawing/arrow.clh"
#include "drawing/over.clh"

// The key of a pixel: its distance in the upper 8 bits, then the number of the arrow. FREE: no
// arrow.
#define FREE 0xffffffffu
#define NUMBERS 0xffffffu

// The rows of an arrow and its outline, from .x to .y.
inline int2 rows_of(float2 from, float2 direction, float back, float front, float side,
                    int height) {
  const float y0 =
      from.y + fmin(direction.y * back, direction.y * front) - fabs(direction.x) * side;
  const float y1 =
      from.y + fmax(direction.y * back, direction.y * front) + fabs(direction.x) * side;
  return (int2)(max((int)ceil(y0), 0), min((int)floor(y1), height - 1));
}

// The columns of an arrow in the row `down` px below its start.
inline int2 columns_of(float2 from, float2 direction, float back, float front, float side,
                       float down, int width) {
  float x0 = -32768.0f, x1 = 32768.0f;
  if (fabs(direction.y) > 1e-3f) {
    const float a = (direction.x * down - side) / direction.y,
                b = (direction.x * down + side) / direction.y;
    x0 = fmin(a, b), x1 = fmax(a, b);
  }
  if (fabs(direction.x) > 1e-3f) {
    const float a = (back - direction.y * down) / direction.x,
                b = (front - direction.y * down) / direction.x;
    x0 = fmax(x0, fmin(a, b)), x1 = fmin(x1, fmax(a, b));
  }
  return (int2)(max((int)ceil(from.x + x0), 0), min((int)floor(from.x + x1), width - 1));
}

// Runs the following statement for each pixel around an arrow, row by row; the items of a group
// share the rows. The outline is widest at the corners of the head. It is 1 / tan a + 1 / sin a
// wide at the sides, where the angle is a. At the tip, where the angle is b, it is 1 / sin b.
#define FOR_PIXELS_OF(arrow, thick, outline, size)                                                 \
  const float2 head = arrow_head(arrow.length, thick);                                             \
  const float reach = outline + 0.5f, side = head.y + 1.56f * reach;                               \
  const float back = arrow_tail(arrow.length, head, thick) - reach,                                \
              front = arrow.length + 2.45f * reach;                                                \
  const int2 rows = rows_of(arrow.from, arrow.direction, back, front, side, size.y);               \
  for (int y = rows.x + (int)get_local_id(0); y <= rows.y; y += (int)get_local_size(0)) {          \
    const float down = y - arrow.from.y;                                                           \
    const int2 columns = columns_of(arrow.from, arrow.direction, back, front, side, down, size.x); \
    for (int x = columns.x; x <= columns.y; x++) {                                                 \
      const float right = x - arrow.from.x;                                                        \
      const float along = arrow.direction.x * right + arrow.direction.y * down;                    \
      const float off = fabs(arrow.direction.x * down - arrow.direction.y * right);                \
      const float distance = arrow_distance(arrow.length, head, thick, along, off);

// Writes the keys of pixels. A group per arrow. `thick`: half the width of a shaft; `outline`: the
// width of the outline, px. `keys`: of all pixels, initially FREE.
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

// Paints each arrow's pixels over the frame and clears their keys. `edge`: the outline's colour. A
// group per arrow.
__kernel void arrows_paint(IN_FRAME(in), OUT_FRAME(out), __global const Arrow *arrows, float thick,
                           float outline, float4 edge, int2 size, int overlay,
                           __global uint *keys) {
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
