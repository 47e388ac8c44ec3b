// SPDX-License-Identifier: LGPL-2.1-or-later
// Separates shadows from other foreground. A shadow darkens red, green and blue equally and keeps
// texture and colour. Build with the options of common/planes.clh.
#include "camera/interface.h"
#include "camera/sample.clh"
#include "camera/similarity.clh"
#include "common/planes.clh"
#include "objects/regionlist.clh"
#include "objects/tuned.clh"

#define COLOUR_UNIT 64.0f  // stored units per level

// Rounds to the nearest short, to even between two: in sums of this size the last bit is 1. PoCL
// takes much longer for nearest_short().
#define WHOLE 12582912.0f
inline short nearest_short(float x) {
  return as_int(clamp(x, -32768.0f, 32767.0f) + WHOLE) - as_int(WHOLE);
}
inline short2 nearest_short2(float2 p) { return (short2)(nearest_short(p.x), nearest_short(p.y)); }

// Stores the colours of a reduced frame, R - Y and B - Y in 1 / COLOUR_UNIT levels. A work-item per
// pixel.
__kernel void objects_colours(IN_PLANES(in), int2 frame, int shrink, __global short2 *out,
                              int2 size) {
  const int2 position = (int2)(get_global_id(0), get_global_id(1));
  if (position.x >= size.x || position.y >= size.y) return;
  const int2 from = min(position * shrink + shrink / 2, frame - 1);
  const float4 levels = convert_float4(LOAD_RGBA(in, from.s0, from.s1));
  const float luma = dot(levels.xyz, (float3)(0.30f, 0.59f, 0.11f));
  out[position.y * size.x + position.x] = nearest_short2(COLOUR_UNIT * (levels.xz - luma));
}

// Marks shadows and updates the colours of the background. `current`, `colours`: the reduced frame.
// `background`, `history`, `foreground`: from objects_background. `restart`: there are no earlier
// colours. `marked`: as `foreground`, with SHADOW. `changes`: see Region; 0 for a new background.
// A work-item per pixel of the model.
__kernel void objects_shadows(__global const float *current, __global const short2 *colours,
                              __global const CameraState *state, FrameGeometry frame,
                              __global const float2 *background,
                              __global const PixelHistory *history,
                              __global const uchar *foreground,
                              __global const short2 *colours_before, __global short2 *colours_after,
                              int restart, __global uchar *marked, __global short *changes) {
  const int2 position = (int2)(get_global_id(0), get_global_id(1)), size = frame.size;
  if (position.x >= size.x || position.y >= size.y) return;
  const int at = position.y * size.x + position.x;
  const float2 z = convert_float2(position) - frame.centre;
  const float2 old = unbent(state->from_background, state->bend_background, z) + frame.centre,
               here = bent(state->from_frame, state->bend_frame, z) + frame.centre;
  const int2 was = convert_int2_rte(old), is = convert_int2_rte(here);
  const int2 frame_at = clamp(is, (int2)(0), size - 1), stored_at = clamp(was, (int2)(0), size - 1);
  const float2 frame_colour = convert_float2(colours[frame_at.y * size.x + frame_at.x]);
  float2 stored =
      state->fit.gain * convert_float2(colours_before[stored_at.y * size.x + stored_at.x]);
  const uchar distance = foreground[at];
  if (restart || state->model_empty || history[at].ages.x <= 1)
    stored = frame_colour;
  else if (!distance)
    stored += (frame_colour - stored) / min((int)history[at].ages.x, COLOUR_FRAMES);
  colours_after[at] = nearest_short2(stored);
  marked[at] = distance;
  const bool known = !restart && !state->model_empty && history[at].ages.x >= MIN_AGE;
  const float change = known ? sample(current, size, here) - background[at].x : 0.0f;
  changes[at] = nearest_short(CHANGE_UNIT * change);
  if (distance <= OVERLAY || restart || state->model_empty) return;

  int count = 0;
  float now = 0.0f, before = 0.0f, now_squares = 0.0f, before_squares = 0.0f, products = 0.0f;
  float2 now_colour = 0.0f, before_colour = 0.0f;
  for (int i = 0; i < (2 * WINDOW + 1) * (2 * WINDOW + 1); i++) {
    const int2 by = (int2)(i % (2 * WINDOW + 1), i / (2 * WINDOW + 1)) - WINDOW, p = position + by;
    if (any(p < 0) || any(p >= size)) continue;
    const int neighbour = p.y * size.x + p.x;
    if (foreground[neighbour] <= OVERLAY || history[neighbour].ages.x < MIN_AGE) continue;
    const int2 q = clamp(is + by, (int2)(0), size - 1), r = clamp(was + by, (int2)(0), size - 1);
    const float level = sample(current, size, here + convert_float2(by)),
                expected = background[neighbour].x;
    count++;
    now += level, before += expected;
    now_squares += level * level, before_squares += expected * expected,
        products += level * expected;
    now_colour += convert_float2(colours[q.y * size.x + q.x]);
    before_colour += convert_float2(colours_before[r.y * size.x + r.x]);
  }
  if (count < MIN_PIXELS) return;
  const float light = now / before;
  if (!(light >= DARKEST && light < 1.0f)) return;
  // Sums of squares: of the texture in a shadow, and of the actual difference from it.
  const float texture = light * light * (before_squares - before * before / count),
              changed = now_squares - now * now / count -
                        2.0f * light * (products - now * before / count) + texture;
  const float2 colour = light * state->fit.gain * before_colour / COLOUR_UNIT,
               residual = now_colour / COLOUR_UNIT - colour;
  if (changed + dot(residual, residual) / count <=
      MAX_RESIDUAL * MAX_RESIDUAL * (texture + dot(colour, colour) / count))
    marked[at] = SHADOW;
}
