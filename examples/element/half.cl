// SPDX-License-Identifier: LGPL-2.1-or-later
// Darkens a picture to a share of its light; alpha is kept. Work-items: blocks.
#include "common/planes.clh"

__kernel void darken(IN_PLANES(in), OUT_PLANES(out), int width, int height, float share) {
  const int2 size = (int2)(width, height), first = BLOCK_FIRST;
  if (first.x >= width || first.y >= height) return;
  float4 block[BLOCK_PIXELS];
  LOAD_BLOCK(block, in, first, size);
  for (int i = 0; i < BLOCK_PIXELS; i++) block[i] = (float4)(share * block[i].xyz, block[i].w);
  STORE_BLOCK(block, out, first, size);
}
