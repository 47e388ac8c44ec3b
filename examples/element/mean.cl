// SPDX-License-Identifier: LGPL-2.1-or-later
// A work-item sums red, green and blue of a row, in levels of 0 to 255.
#include "common/frame.clh"

__kernel void sum_rows(IN_FRAME(in), int width, int height, __global uint *rows) {
  const int y = get_global_id(0);
  if (y >= height) return;
  uint sum = 0;
  for (int x = 0; x < width; x++) {
    const float4 colour = LOAD_COLOUR(in, x, y);
    sum += convert_uint_rte(255.0f * (colour.x + colour.y + colour.z));
  }
  rows[y] = sum;
}
