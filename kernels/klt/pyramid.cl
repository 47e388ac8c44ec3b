// SPDX-License-Identifier: LGPL-2.1-or-later
// The three finest levels of a frame's pyramid at once: a group makes -DTILE_X=n by -DTILE_Y=n texels of the finest one,
// multiples of 4, and those of the next two that lie there; what they need around is made again in each group.
#include "klt/tile.clh"
#include "opticalflow/grey.clh"

// Texels along an axis that a tile of n needs: of the frame, of the finest level and of the next. Fours of them in a row.
#define RAW(n) ((n) + 13)
#define FINE(n) ((n) + 9)
#define HALF(n) ((n) / 2 + 3)
#define RAW_ROW FOURS(RAW(TILE_X))
#define FINE_ROW FOURS(FINE(TILE_X))

// The Gaussian of sigma 0.7, of five.
#define OUTER 0.0096200556f
#define NEAR 0.20542368f
#define MIDDLE 0.56991249f
#define SMOOTH(a, b, c, d, e) (OUTER * ((a) + (e)) + NEAR * ((b) + (d)) + MIDDLE * (c))

// (1 4 6 4 1) / 16 along both axes; `p`: the first of 5 by 5.
inline float halved(__local const float *p, int wide) {
  const float taps[5] = {1.0f, 4.0f, 6.0f, 4.0f, 1.0f};
  float sum = 0.0f;
  for (int j = 0; j < 5; j++, p += wide) sum += taps[j] * (p[0] + p[4] + 4.0f * (p[1] + p[3]) + 6.0f * p[2]);
  return sum / 256.0f;
}
// That and the next one.
inline float2 halved_two(__local const float4 *p, int wide) {
  const float taps[5] = {1.0f, 4.0f, 6.0f, 4.0f, 1.0f};
  float2 sum = 0.0f;
#pragma unroll
  for (int j = 0; j < 5; j++, p += wide) {
    const float4 a = p[0], b = p[1];
    sum += taps[j] * (a.xz + (float2)(b.x, b.z) + 4.0f * (a.yw + (float2)(a.w, b.y)) + 6.0f * (float2)(a.z, b.x));
  }
  return sum / 256.0f;
}

// Two texels beside each other, the first in an even column: rows begin at even places.
#define STORE_TWO(grey, level, at, values) (*(__global float2 *)((grey) + texel_index(level, at)) = (values))

// Writes `count` levels, at most 3, with their borders.
__kernel void klt_pyramid(IN_FRAME(in), __global float *grey, __constant int4 *levels, int count) {
  // What is read of a row in fours may reach into the next one, and beyond the last.
  __local float4 one[LARGER(RAW_ROW * RAW(TILE_Y), FINE_ROW * FINE(TILE_Y)) + 1];
  __local float4 other[LARGER(FINE_ROW * RAW(TILE_Y), FOURS(HALF(TILE_X) * HALF(TILE_Y)))];
  __local float *const ones = (__local float *)one, *const others = (__local float *)other;
  const int2 tile = (int2)(TILE_X, TILE_Y), origin = (int2)(get_group_id(0), get_group_id(1)) * tile;
  const int item = get_local_id(1) * get_local_size(0) + get_local_id(0), items = get_local_size(0) * get_local_size(1);
  const int4 level = levels[0];
  // All it needs lies in the frame.
  const bool within = all(origin >= 8) && all(origin + tile + 8 <= level.xy);
  FOR_ALL(i, j, RAW(TILE_X), RAW(TILE_Y)) {
    const int2 at = clamp(origin - 8 + (int2)(i, j), 0, level.xy - 1);
    ones[j * 4 * RAW_ROW + i] = GREY_AT(in, at.x, at.y);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  FOR_ALL(i, j, FINE_ROW, RAW(TILE_Y)) {
    const float4 a = one[j * RAW_ROW + i], b = one[j * RAW_ROW + i + 1];
    other[j * FINE_ROW + i] = SMOOTH(a, (float4)(a.yzw, b.x), (float4)(a.zw, b.xy), (float4)(a.w, b.xyz), b);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  const int wide = 4 * FINE_ROW;
  if (within) {
    FOR_ALL(i, j, FINE_ROW, FINE(TILE_Y)) {
      __local const float4 *p = other + j * FINE_ROW + i;
      one[j * FINE_ROW + i] = SMOOTH(p[0], p[FINE_ROW], p[2 * FINE_ROW], p[3 * FINE_ROW], p[4 * FINE_ROW]);
    }
  } else {
    FOR_ALL(i, j, FINE(TILE_X), FINE(TILE_Y)) {
      const int2 at = clamp(origin + (int2)(i, j) - 6, 0, level.xy - 1) - origin + 6;
      __local const float *p = others + at.y * wide + at.x;
      ones[j * wide + i] = SMOOTH(p[0], p[wide], p[2 * wide], p[3 * wide], p[4 * wide]);
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (within) {
    FOR_ALL(i, j, TILE_X / 2, TILE_Y) {
      const int from = (j + 6) * wide + 2 * i + 6;
      STORE_TWO(grey, level, origin + (int2)(2 * i, j), (float2)(ones[from], ones[from + 1]));
    }
  } else {
    FOR_ALL(i, j, TILE_X, TILE_Y) {
      const int2 at = origin + (int2)(i, j);
      if (all(at < level.xy)) store_repeated(grey, level, at, ones[(j + 6) * wide + i + 6]);
    }
  }
  const int2 middle = origin / 2;
  if (count > 1) {
    const int4 next = levels[1];
    if (within) {
      FOR_ALL(i, j, FOURS(2 * HALF(TILE_X)), HALF(TILE_Y)) {
        const float2 two = halved_two(one + 2 * j * FINE_ROW + i, FINE_ROW);
        others[j * HALF(TILE_X) + 2 * i] = two.x;
        if (2 * i + 1 < HALF(TILE_X)) others[j * HALF(TILE_X) + 2 * i + 1] = two.y;
      }
    } else {
      FOR_ALL(i, j, HALF(TILE_X), HALF(TILE_Y)) {
        const int2 first = 2 * (clamp(middle + (int2)(i, j) - 2, 0, next.xy - 1) - middle) - 2 + 6;
        others[j * HALF(TILE_X) + i] = halved(ones + first.y * wide + first.x, wide);
      }
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (count > 1) {
    const int4 next = levels[1];
    FOR_ALL(i, j, TILE_X / 2, TILE_Y / 2) {
      const int2 at = middle + (int2)(i, j);
      if (all(at < next.xy)) store_repeated(grey, next, at, others[(j + 2) * HALF(TILE_X) + i + 2]);
    }
  }
  if (count > 2) {
    const int4 next = levels[2];
    FOR_ALL(i, j, TILE_X / 4, TILE_Y / 4) {
      const int2 at = origin / 4 + (int2)(i, j);
      if (all(at < next.xy)) store_repeated(grey, next, at, halved(others + 2 * j * HALF(TILE_X) + 2 * i, HALF(TILE_X)));
    }
  }
}
