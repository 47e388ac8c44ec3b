// SPDX-License-Identifier: LGPL-2.1-or-later
// The three finest levels of a frame's pyramid at once: a group makes -DTILE_X=n by -DTILE_Y=n texels of the finest one,
// multiples of 4, and those of the next two that lie there; what they need around is made again in each group.
#include "opticalflow/grey.clh"

// Texels along an axis that a tile of n needs: of the frame, of the finest level and of the next.
#define RAW(n) ((n) + 13)
#define FINE(n) ((n) + 9)
#define HALF(n) ((n) / 2 + 3)

// The Gaussian of sigma 0.7.
#define OUTER 0.0096200556f
#define NEAR 0.20542368f
#define MIDDLE 0.56991249f
inline float smooth5(__local const float *p, int along) {
  return OUTER * (p[-2 * along] + p[2 * along]) + NEAR * (p[-along] + p[along]) + MIDDLE * p[0];
}

// (1 4 6 4 1) / 16 along both axes; `p`: the first of 5 by 5.
inline float halved(__local const float *p, int wide) {
  const float taps[5] = {1.0f, 4.0f, 6.0f, 4.0f, 1.0f};
  float sum = 0.0f;
  for (int j = 0; j < 5; j++, p += wide) sum += taps[j] * (p[0] + p[4] + 4.0f * (p[1] + p[3]) + 6.0f * p[2]);
  return sum / 256.0f;
}

// The group's items share (x, y) below (wide, high), rows after each other, so that few are idle.
#define FOR_ALL(x, y, wide, high)                                                                                        \
  for (int all_##x = item, x, y; all_##x < (wide) * (high) && (x = all_##x % (wide), y = all_##x / (wide), true); all_##x += items)

// Writes `count` levels, at most 3, with their borders.
__kernel void klt_pyramid(IN_FRAME(in), __global float *grey, __constant int4 *levels, int count) {
  __local float one[RAW(TILE_X) * RAW(TILE_Y)], other[FINE(TILE_X) * RAW(TILE_Y)];
  const int2 tile = (int2)(TILE_X, TILE_Y), origin = (int2)(get_group_id(0), get_group_id(1)) * tile;
  const int item = get_local_id(1) * get_local_size(0) + get_local_id(0), items = get_local_size(0) * get_local_size(1);
  const int4 level = levels[0];
  FOR_ALL(i, j, RAW(TILE_X), RAW(TILE_Y)) {
    const int2 at = clamp(origin - 8 + (int2)(i, j), 0, level.xy - 1);
    one[j * RAW(TILE_X) + i] = GREY_AT(in, at.x, at.y);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  FOR_ALL(i, j, FINE(TILE_X), RAW(TILE_Y)) {
    const int x = clamp(origin.x - 6 + i, 0, level.x - 1) - origin.x + 8;
    other[j * FINE(TILE_X) + i] = smooth5(one + j * RAW(TILE_X) + x, 1);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  FOR_ALL(i, j, FINE(TILE_X), FINE(TILE_Y)) {
    const int2 place = (int2)(i, j) - 6, at = origin + place;
    const int y = clamp(at.y, 0, level.y - 1) - origin.y + 8;
    const float value = smooth5(other + y * FINE(TILE_X) + place.x + 6, FINE(TILE_X));
    one[j * FINE(TILE_X) + i] = value;
    if (all(place >= 0) && all(place < tile) && all(at < level.xy)) store_repeated(grey, level, at, value);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  const int2 middle = origin / 2;
  if (count > 1) {
    const int4 next = levels[1];
    FOR_ALL(i, j, HALF(TILE_X), HALF(TILE_Y)) {
      const int2 place = (int2)(i, j) - 2, at = middle + place;
      const int2 first = 2 * (clamp(at, 0, next.xy - 1) - middle) - 2 + 6;
      const float value = halved(one + first.y * FINE(TILE_X) + first.x, FINE(TILE_X));
      other[j * HALF(TILE_X) + i] = value;
      if (all(place >= 0) && all(place < tile / 2) && all(at < next.xy)) store_repeated(grey, next, at, value);
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (count > 2) {
    const int4 next = levels[2];
    FOR_ALL(i, j, TILE_X / 4, TILE_Y / 4) {
      const int2 at = origin / 4 + (int2)(i, j);
      if (all(at < next.xy)) store_repeated(grey, next, at, halved(other + 2 * j * HALF(TILE_X) + 2 * i, HALF(TILE_X)));
    }
  }
}
