// SPDX-License-Identifier: LGPL-2.1-or-later
// Mixes a picture with its negative; alpha is kept. strength: 0 nothing, 1 the negative.
#include "common/frame.clh"

__kernel void invert(IN_FRAME(in), OUT_FRAME(out), int width, int height, float strength) {
  const int x = get_global_id(0), y = get_global_id(1);
  if (x >= width || y >= height) return;
  const float4 colour = LOAD_COLOUR(in, x, y);
  STORE_COLOUR(out, x, y, (float4)(mix(colour.xyz, 1.0f - colour.xyz, strength), colour.w));
}
