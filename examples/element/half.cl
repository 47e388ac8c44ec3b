// SPDX-License-Identifier: LGPL-2.1-or-later
// Darkens a picture to a share of its light; alpha is kept.
#include "common/frame.clh"

__kernel void darken(IN_FRAME(in), OUT_FRAME(out), int width, int height, float share) {
  const int x = get_global_id(0), y = get_global_id(1);
  if (x >= width || y >= height) return;
  const float4 colour = LOAD_COLOUR(in, x, y);
  STORE_COLOUR(out, x, y, (float4)(share * colour.xyz, colour.w));
}
