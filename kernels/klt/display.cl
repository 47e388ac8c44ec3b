// SPDX-License-Identifier: LGPL-2.1-or-later
// The displays of glclklt: dots, and lines along the trails of points. Each point writes a key to
// the pixels around it, which is higher nearer to its dot or line; the highest key wins. Then every
// pixel is painted. -DBUFFERS: frames are buffers.
#include "common/frame.clh"
#include "drawing/over.clh"
#include "klt/interface.h"
#include "klt/points.clh"

inline int trail_length(Trail trail) { return min(trail.count, TRAIL_LENGTH); }

// Appends the position of each live point to its trail. `all`: whether the whole trail is kept, at
// decreasing density. A work-item per slot.
__kernel void klt_trail(__global const TrackedPoints *points, int slots, int all,
                        __global Trail *trails, __global float2 *positions) {
  const int slot = get_global_id(0);
  if (slot >= slots || points->identity[slot].z != LIVE) return;
  __global float2 *own = positions + slot * TRAIL_LENGTH;
  Trail trail = trails[slot];
  if (trail.id != points->identity[slot].x) {
    trail.id = points->identity[slot].x;
    trail.count = trail.next = 0, trail.step = 1;
  }
  if (!all) {
    own[trail.count % TRAIL_LENGTH] = points->position[slot].xy;
    trail.count++;
  } else if (trail.next-- == 0) {
    if (trail.count == TRAIL_LENGTH) {
      for (int i = 0; i < TRAIL_LENGTH / 2; i++) own[i] = own[2 * i];
      trail.count = TRAIL_LENGTH / 2, trail.step *= 2;
    }
    own[trail.count++] = points->position[slot].xy;
    trail.next = trail.step - 1;
  }
  trails[slot] = trail;
}

// Raises the keys of pixels near a line: 1 at the outer edge of the outline, 255 at the centre.
inline void claim(float2 from, float2 to, float line_radius, Pen pen, int2 size,
                  __global uint *keys) {
  const float reach = pen.outline_width + 0.5f, around = line_radius + reach,
              scale = 254.0f / (reach + pen.radius);
  const int2 first = max(convert_int2_rtp(fmin(from, to) - around), 0);
  const int2 last = min(convert_int2_rtn(fmax(from, to) + around), size - 1);
  const float2 along = to - from;
  const float squared = fmax(dot(along, along), 1e-6f);
  for (int y = first.y; y <= last.y; y++)
    for (int x = first.x; x <= last.x; x++) {
      const float2 at = (float2)(x, y) - from;
      const float2 off = at - clamp(dot(at, along) / squared, 0.0f, 1.0f) * along;
      const float inside = reach + line_radius - sqrt(dot(off, off));
      if (inside > 0.0f) {
        const uint key = 1 + (uint)fmin(inside * scale, 254.0f);
        __global uint *pixel = &keys[y * size.x + x];
        if (*pixel < key) atomic_max(pixel, key);
      }
    }
}

// Writes the keys of a point's dot and lines. A work-group per slot. `lines`: number of the last
// segments to draw; below 0: all.
__kernel void klt_claim(__global const TrackedPoints *points, int lines,
                        __global const Trail *trails, __global const float2 *positions, Pen pen,
                        int2 size, __global uint *keys) {
  const int slot = get_group_id(0), item = get_local_id(0), items = get_local_size(0);
  if (points->identity[slot].z != LIVE) return;
  const float2 now = points->position[slot].xy;
  if (item == 0) claim(now, now, pen.radius, pen, size, keys);
  if (lines == 0) return;
  const Trail trail = trails[slot];
  __global const float2 *own = positions + slot * TRAIL_LENGTH;
  const int count = lines < 0 ? trail.count : min(trail_length(trail), lines + 1),
            first = trail.count - count;
  for (int i = item; i < count; i += items) {
    const float2 to = i + 1 < count ? own[(first + i + 1) % TRAIL_LENGTH] : now;
    claim(own[(first + i) % TRAIL_LENGTH], to, pen.line_radius, pen, size, keys);
  }
}

// Paints the pixels with a key over the frame, and clears the keys. A work-item per pixel.
__kernel void klt_paint(IN_FRAME(in), OUT_FRAME(out), Pen pen, float4 inner, float4 edge, int2 size,
                        int overlay, __global uint *keys) {
  const int x = get_global_id(0), y = get_global_id(1);
  if (x >= size.x || y >= size.y) return;
  const uint key = keys[y * size.x + x];
  const uchar4 pixel = LOAD_PIXEL(in, x, y);
  if (key == 0) {
    STORE_PIXEL(out, x, y, overlay ? (uchar4)(0) : pixel);
    return;
  }
  keys[y * size.x + x] = 0;
  const float reach = pen.outline_width + 0.5f, inside = (key - 1) * (reach + pen.radius) / 254.0f;
  float4 colour = below(pixel, overlay);
  colour = over(colour, edge.xyz, clamp(inside, 0.0f, 1.0f) * edge.w, overlay);
  colour =
      over(colour, inner.xyz, clamp(inside - pen.outline_width, 0.0f, 1.0f) * inner.w, overlay);
  STORE_PIXEL(out, x, y, finished(colour, overlay));
}
