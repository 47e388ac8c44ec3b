// SPDX-License-Identifier: LGPL-2.1-or-later
// Mixes a picture with its negative and keeps alpha. `strength`: 0 keeps the picture, 1 gives the
// negative. A work-item per block of pixels that share a chroma sample.
#include "common/planes.clh"

__kernel void invert(IN_PLANES(in), OUT_PLANES(out), int width, int height, float strength) {
  const int2 size = (int2)(width, height), first = BLOCK_FIRST;
  if (first.x >= width || first.y >= height) return;
  float4 block[BLOCK_PIXELS];
  LOAD_BLOCK(block, in, first, size);
  for (int i = 0; i < BLOCK_PIXELS; i++)
    block[i] = (float4)(mix(block[i].xyz, 1.0f - block[i].xyz, strength), block[i].w);
  STORE_BLOCK(block, out, first, size);
}
