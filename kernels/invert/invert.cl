// SPDX-License-Identifier: LGPL-2.1-or-later
// Mixes a picture with its negative; alpha is kept. strength: 0 nothing, 1 the negative.
#include "common/frame.clh"

__kernel void invert(IN_FRAME(in), OUT_FRAME(out), int width, int height, float strength) {
  const int x = get_global_id(0);
  if (x >= width || FRAME_ROW(0) >= height) return;
  float4 colour[FRAME_ROWS];
#pragma unroll
  for (int i = 0; i < FRAME_ROWS; i++) colour[i] = LOAD_COLOUR(in, x, FRAME_ROW(i));
#pragma unroll
  for (int i = 0; i < FRAME_ROWS; i++) {
    const int y = FRAME_ROW(i);
    const float3 from = colour[i].xyz;
    if (y < height) STORE_COLOUR(out, x, y, (float4)(mix(from, 1.0f - from, strength), colour[i].w));
  }
}
