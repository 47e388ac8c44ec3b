// SPDX-License-Identifier: LGPL-2.1-or-later
// The levels of klt_pyramid in a form for CPUs. A work-item has -DTILE_X=n by -DTILE_Y=n texels,
// multiples of 16 and of
// 4. It processes them row by row, 8 texels at a time.
#include "opticalflow/grey.clh"
#include "klt/rows.clh"

// Texels along an axis that a tile of n texels needs: of the frame, of the finest level, and of the
// next level.
#define RAW(n) ((n) + 13)
#define FINE(n) ((n) + 9)
#define HALF(n) ((n) / 2 + 3)
#define PITCH (TILE_X + 32)

#define OUTER 0.0096200556f
#define NEAR 0.20542368f
#define MIDDLE 0.56991249f
#define SMOOTH(p, along)                           \
  (OUTER * (EIGHT(p) + EIGHT((p) + 4 * (along))) + \
   NEAR * (EIGHT((p) + (along)) + EIGHT((p) + 3 * (along))) + MIDDLE * EIGHT((p) + 2 * (along)))

// Loads the greys of `count` pixels from column `first` of row `y` on; the edge repeats.
inline void load_row(IN_LUMA(in), int2 size, int first, int y, int count, __local float *to) {
  const int row = clamp(y, 0, size.y - 1), end = min(count, size.x - first);
  int i = max(-first, 0);
#if defined(BUFFERS) && defined(HAS_LUMA)
  __global const LUMA_CODE *p = in + row * in_pitch;
  for (; i + 8 <= end; i += 8)
    STORE_EIGHT(to + i, LEVEL_OF_CODE(convert_float8(vload8(0, p + first + i))));
#elif defined(BUFFERS) && defined(__ENDIAN_LITTLE__)
  __global const uint *p = (__global const uint *)(in + row * in_pitch);
  for (; i + 8 <= end; i += 8) {
    const uint8 v = vload8(0, p + first + i);
    STORE_EIGHT(
        to + i,
        convert_float8(convert_int8((v & 255u) + (v >> 8 & 255u) + (v >> 16 & 255u))) / 3.0f);
  }
#endif
  for (; i < end; i++) to[i] = GREY_AT(in, first + i, row);
  for (; i < count; i++) to[i] = GREY_AT(in, size.x - 1, row);
  for (i = 0; i < -first; i++) to[i] = GREY_AT(in, 0, row);
}

// Makes the texels beyond the level repeat its edge. Texel 0 of the row is column `first`.
inline void repeat_edges(__local float *row, int first, int width, int count) {
  for (int i = 0; i < -first; i++) row[i] = row[-first];
  for (int i = width - first; i < count; i++) row[i] = row[width - first - 1];
}

// Writes `count` texels from `at` on. Texels at the edge also fill the border.
inline void store_row(__global float *grey, int4 level, int2 at, int count,
                      __local const float *from) {
  const int top = at.y == 0 ? -BORDER : at.y, bottom = at.y == level.y - 1 ? at.y + BORDER : at.y;
  for (int y = top; y <= bottom; y++) {
    __global float *to = grey + texel_index(level, (int2)(at.x, y));
    int i = 0;
    for (; i + 8 <= count; i += 8) STORE_GLOBAL_EIGHT(to + i, EIGHT(from + i));
    for (; i < count; i++) to[i] = from[i];
    if (at.x == 0)
      for (i = 1; i <= BORDER; i++) to[-i] = from[0];
    if (at.x + count == level.x)
      for (i = 0; i < BORDER; i++) to[count + i] = from[count - 1];
  }
}

// Filters five rows by (1 4 6 4 1) / 16 along both axes and takes every second texel.
inline void halve(__local const float *rows, __local float *down, int count, __local float *to) {
  for (int i = 0; i < 2 * count + 3; i += 8) {
    __local const float *p = rows + i;
    STORE_EIGHT(down + i,
                (EIGHT(p) + EIGHT(p + 4 * PITCH) +
                 4.0f * (EIGHT(p + PITCH) + EIGHT(p + 3 * PITCH)) + 6.0f * EIGHT(p + 2 * PITCH)) /
                    256.0f);
  }
  for (int i = 0; i < count; i += 8) {
    const float16 a = vload16(0, down + 2 * i), c = vload16(0, down + 2 * i + 2);
    const float8 e = vload16(0, down + 2 * i + 4).even;
    STORE_EIGHT(to + i, a.even + e + 4.0f * (a.odd + c.odd) + 6.0f * c.even);
  }
}

// The same levels as klt_pyramid. Groups of one item, one per tile.
__kernel void klt_pyramid_rows(IN_LUMA(in), __global float *grey, __constant int4 *levels,
                               int count) {
  __local float one[FINE(TILE_Y) * PITCH], other[RAW(TILE_Y) * PITCH], line[PITCH];
  const int2 tile = (int2)(TILE_X, TILE_Y),
             origin = (int2)(get_group_id(0), get_group_id(1)) * tile;
  const int4 level = levels[0];
  const int2 full = min(tile, level.xy - origin);
  const int rows = (full.y + 3) & ~3, columns = (full.x + 3) & ~3, fine = FINE(columns),
            half_wide = HALF(columns);
#ifdef BUFFERS
#define IN in, in_pitch
#else
#define IN in
#endif
  for (int j = 0; j < RAW(rows); j++) {
    load_row(IN, level.xy, origin.x - 8, origin.y - 8 + j, RAW(columns), line);
    for (int i = 0; i < fine; i += 8) STORE_EIGHT(other + j * PITCH + i, SMOOTH(line + i, 1));
    repeat_edges(other + j * PITCH, origin.x - 6, level.x, fine);
  }
  for (int j = 0; j < FINE(rows); j++) {
    const int y = origin.y - 6 + j, first = clamp(y, 0, level.y - 1) - origin.y + 6;
    __local float *own = one + j * PITCH;
    for (int i = 0; i < fine; i += 8)
      STORE_EIGHT(own + i, SMOOTH(other + first * PITCH + i, PITCH));
    if (j >= 6 && j < 6 + full.y) store_row(grey, level, (int2)(origin.x, y), full.x, own + 6);
  }
  if (count > 1) {
    const int4 next = levels[1];
    const int2 corner = origin / 2, part = min(tile / 2, next.xy - corner);
    for (int j = 0; j < HALF(rows); j++) {
      const int y = corner.y - 2 + j, first = 2 * (clamp(y, 0, next.y - 1) - corner.y + 2);
      __local float *own = other + j * PITCH;
      halve(one + first * PITCH, line, half_wide, own);
      repeat_edges(own, corner.x - 2, next.x, half_wide);
      if (j >= 2 && j < 2 + part.y) store_row(grey, next, (int2)(corner.x, y), part.x, own + 2);
    }
  }
  if (count > 2) {
    const int4 next = levels[2];
    const int2 corner = origin / 4, part = min(tile / 4, next.xy - corner);
    for (int j = 0; j < part.y; j++) {
      halve(other + 2 * j * PITCH, line, part.x, one);
      store_row(grey, next, corner + (int2)(0, j), part.x, one);
    }
  }
}
