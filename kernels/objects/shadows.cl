// SPDX-License-Identifier: LGPL-2.1-or-later
// Which of what is in front is only a shadow: light that falls alike in red, green and blue, while texture and colour of the scenery stay. Build with
// -DBUFFERS for frames in buffers.
#include "camera/sample.clh"
#include "camera/similarity.clh"
#include "camera/state.clh"
#include "common/frame.clh"
#include "objects/result.clh"

#define COLOUR_UNIT 64.0f  // of what is kept, for a level
#define COLOUR_FRAMES 10   // that a colour is the mean of
#define WINDOW 2           // px to each side that are compared
#define LEAST_SEEN 6       // pixels in front there
#define OLD_ENOUGH 3       // frames that a scenery was seen
#define DARKEST 0.5f       // part of the light that a shadow leaves
#define MOST_REST 0.4f     // of texture and colour that a shadow changes

// The colours of a frame in small, without luma: R - Y, B - Y. Work-items: pixels in small.
__kernel void objects_colours(IN_FRAME(in), int2 frame, int shrink, __global short2 *out, int2 size) {
  const int2 place = (int2)(get_global_id(0), get_global_id(1));
  if (any(place >= size)) return;
  const int2 from = min(place * shrink + shrink / 2, frame - 1);
  const float4 levels = convert_float4(LOAD_LEVELS(in, from.x, from.y));
  const float luma = dot(levels.xyz, (float3)(0.30f, 0.59f, 0.11f));
  out[place.y * size.x + place.x] = convert_short2_rte(COLOUR_UNIT * (levels.xz - luma));
}

// Marks shadows, in the order of the remembered picture. `current`, `colours`: the frame in small. `scenery`, `ages`, `front`: as objects_remember
// leaves them. `from`, `to`: the colours of the scenery. `anew`: they are not known. `marked`: as `front`, with SHADOW. Work-items: pixels.
__kernel void objects_shadows(__global const float *current, __global const short2 *colours, __global const State *state, Frame frame,
                              __global const float2 *scenery, __global const uchar2 *ages, __global const uchar *front,
                              __global const short2 *from, __global short2 *to, int anew, __global uchar *marked) {
  const int2 place = (int2)(get_global_id(0), get_global_id(1)), size = frame.size;
  if (any(place >= size)) return;
  const int at = place.y * size.x + place.x;
  const float2 z = convert_float2(place) - frame.centre;
  const float2 old = unbent(state->from_picture, state->bend_picture, z) + frame.centre,
               here = bent(state->from_frame, state->bend_frame, z) + frame.centre;
  const int2 was = convert_int2_rte(old), is = convert_int2_rte(here);
  const int2 seen_at = clamp(is, (int2)(0), size - 1), held_at = clamp(was, (int2)(0), size - 1);
  const float2 seen = convert_float2(colours[seen_at.y * size.x + seen_at.x]);
  float2 held = state->fit.gain * convert_float2(from[held_at.y * size.x + held_at.x]);
  const uchar away = front[at];
  if (anew || state->fresh || ages[at].x <= 1)
    held = seen;
  else if (!away)
    held += (seen - held) / min((int)ages[at].x, COLOUR_FRAMES);
  to[at] = convert_short2_sat_rte(held);
  marked[at] = away;
  if (!away || anew || state->fresh) return;

  int count = 0;
  float now = 0.0f, before = 0.0f, now_squares = 0.0f, before_squares = 0.0f, products = 0.0f;
  float2 now_colour = 0.0f, before_colour = 0.0f;
  for (int i = 0; i < (2 * WINDOW + 1) * (2 * WINDOW + 1); i++) {
    const int2 by = (int2)(i % (2 * WINDOW + 1), i / (2 * WINDOW + 1)) - WINDOW, p = place + by;
    if (any(p < 0) || any(p >= size)) continue;
    const int beside = p.y * size.x + p.x;
    if (!front[beside] || ages[beside].x < OLD_ENOUGH) continue;
    const int2 q = clamp(is + by, (int2)(0), size - 1), r = clamp(was + by, (int2)(0), size - 1);
    const float level = sample(current, size, here + convert_float2(by)), expected = scenery[beside].x;
    count++;
    now += level, before += expected;
    now_squares += level * level, before_squares += expected * expected, products += level * expected;
    now_colour += convert_float2(colours[q.y * size.x + q.x]);
    before_colour += convert_float2(from[r.y * size.x + r.x]);
  }
  if (count < LEAST_SEEN) return;
  const float light = now / before;
  if (!(light >= DARKEST && light < 1.0f)) return;
  // Sums of squares: of what texture and colour have become beside what a shadow leaves of them, and of that.
  const float texture = light * light * (before_squares - before * before / count),
              changed = now_squares - now * now / count - 2.0f * light * (products - now * before / count) + texture;
  const float2 colour = light * state->fit.gain * before_colour / COLOUR_UNIT, other = now_colour / COLOUR_UNIT - colour;
  if (changed + dot(other, other) / count <= MOST_REST * MOST_REST * (texture + dot(colour, colour) / count)) marked[at] = SHADOW;
}
