// SPDX-License-Identifier: LGPL-2.1-or-later
// Computes the three finest levels of a frame's pyramid at once. A group of 32 items has -DROWS=n
// rows of a strip of the finest level, and the matching rows of the next two levels. It processes
// four rows at a time, so n is a multiple of 4. An item has four columns of the finest level, two
// of the next and one of the last. It gets neighbouring columns from other items and keeps the
// previous rows. The two items at each end only compute neighbours for the others.
#include "common/shuffle.clh"
#include "opticalflow/grey.clh"

#define ITEMS 32
#define ENDS 2
#define COLUMNS (4 * (ITEMS - 2 * ENDS))

// A Gaussian of sigma 0.7 with five taps.
#define OUTER 0.0096200556f
#define NEAR 0.20542368f
#define MIDDLE 0.56991249f
#define SMOOTH(a, b, c, d, e) (OUTER * ((a) + (e)) + NEAR * ((b) + (d)) + MIDDLE * (c))
// (1 4 6 4 1), without the division by 16.
#define HALVE(a, b, c, d, e) ((a) + (e) + 4.0f * ((b) + (d)) + 6.0f * (c))

// Iterates over the rows to which the row `from` is written: itself and, at the edge, the rows of
// the border.
#define FOR_ROWS(to, level, from)               \
  for (int to = (from) == 0 ? -BORDER : (from); \
       to <= ((from) == (level).y - 1 ? (from) + BORDER : (from)); to++)

// Input: a frame. Output: `count` levels, at most 3, with their borders.
__attribute__((reqd_work_group_size(ITEMS, 1, 1))) __kernel void klt_pyramid(
    IN_LUMA(in), __global float *grey, __constant int4 *levels, int count) {
  __local float4 lines[4 * ITEMS];
  const int item = get_local_id(0);
  __local float *const greys = (__local float *)lines + item;
  const int4 fine = levels[0], middle = levels[min(1, count - 1)],
             coarsest = levels[min(2, count - 1)];
  const int left = (int)get_group_id(0) * COLUMNS - 4 * ENDS, x = left + 4 * item,
            top = get_group_id(1) * ROWS;
  const bool own = item >= ENDS && item < ITEMS - ENDS;
  const bool is_first = get_group_id(0) == 0, is_last = get_group_id(0) == get_num_groups(0) - 1;
  // True if the group needs pixels outside the frame: on the right, or on any side.
  const bool right = left + 4 * ITEMS > fine.x,
             edge = is_first || right || top == 0 || top + ROWS + 8 > fine.y;
  // The items of the last strip also write the right edge and the border.
  const bool ending = is_last && item >= ENDS;
  // An item reads every 32nd column, so reads are coalesced. Local memory transposes them.
  const int4 from = clamp(left + item + ITEMS * (int4)(0, 1, 2, 3), 0, fine.x - 1);
  float4 rows[8];     // smoothed along x: the previous four, and the current four
  float2 halves[8];   // rows of the finest level, halved along x
  float quarters[5];  // rows of the next level, halved along x
  for (int i = 0; i < 8; i++) rows[i] = 0.0f, halves[i] = 0.0f;
  for (int i = 0; i < 5; i++) quarters[i] = 0.0f;
  PIXEL next[4][4];
#define ROW_AT(to, number)                                                    \
  {                                                                           \
    const int row = clamp(number, 0, fine.y - 1);                             \
    (to)[0] = PIXEL_AT(in, from.x, row), (to)[1] = PIXEL_AT(in, from.y, row); \
    (to)[2] = PIXEL_AT(in, from.z, row), (to)[3] = PIXEL_AT(in, from.w, row); \
  }
#define STORE_GREYS(p, to)                                                                     \
  (to)[0] = GREY_OF((p)[0]), (to)[ITEMS] = GREY_OF((p)[1]), (to)[2 * ITEMS] = GREY_OF((p)[2]), \
  (to)[3 * ITEMS] = GREY_OF((p)[3])
#define SMOOTHED(line, to)                                                           \
  {                                                                                  \
    const float4 a = (line)[max(item - 1, 0)], v = (line)[item],                     \
                 b = (line)[min(item + 1, ITEMS - 1)];                               \
    to = SMOOTH((float4)(a.zw, v.xy), (float4)(a.w, v.xyz), v, (float4)(v.yzw, b.x), \
                (float4)(v.zw, b.xy));                                               \
  }
  ROW_AT(next[3], top - 8)
  STORE_GREYS(next[3], greys);
  barrier(CLK_LOCAL_MEM_FENCE);
  SMOOTHED(lines, rows[3])
#pragma unroll
  for (int i = 0; i < 4; i++) ROW_AT(next[i], top - 7 + i)
  for (int block = 0; block < ROWS / 4 + 3; block++) {
    const int y = top - 9 + 4 * block;  // number of the block's first row of the finest level
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
    for (int i = 0; i < 4; i++) STORE_GREYS(next[i], greys + 4 * i * ITEMS);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (block < ROWS / 4 + 2) {
#pragma unroll
      for (int i = 0; i < 4; i++) ROW_AT(next[i], y + 6 + i)
    }
#pragma unroll
    for (int i = 0; i < 4; i++) SMOOTHED(lines + i * ITEMS, rows[4 + i])
    float4 four[4];
#pragma unroll
    for (int i = 0; i < 4; i++)
      four[i] = SMOOTH(rows[i], rows[i + 1], rows[i + 2], rows[i + 3], rows[i + 4]);
    SHUFFLE_SYNC;
#pragma unroll
    for (int i = 0; i < 4; i++) SHUFFLE_STORE(lines + i * ITEMS, four[i]);
    SHUFFLE_SYNC;
#pragma unroll
    for (int i = 0; i < 4; i++) {
      __local const float4 *line = lines + i * ITEMS;
      float4 v = four[i];
      float a = PREVIOUS_ITEM(line, v, z), b = PREVIOUS_ITEM(line, v, w), c = NEXT_ITEM(line, v, x);
      const bool within = y + i >= top && y + i < top + ROWS;
      if (is_first) {
        const float first = value_of_item(line, v, 0, ENDS);
        v = x < 0 ? first : v, a = x <= 0 ? first : a, b = x <= 0 ? first : b,
        c = x < -4 ? first : c;
      }
      if (right) {
        const int end = fine.x - 1 - left;
        const float last = value_of_item(line, v, end, min(end / 4, ITEMS - 1));
        v = select(v, last, x + (int4)(0, 1, 2, 3) >= fine.x);
        a = x - 2 >= fine.x ? last : a, b = x - 1 >= fine.x ? last : b,
        c = x + 4 >= fine.x ? last : c;
      }
      if (!edge) {
        if (own && within) *(__global float4 *)(grey + texel_index(fine, (int2)(x, y + i))) = v;
      } else if (within && y + i < fine.y) {
        FOR_ROWS(row, fine, y + i) {
          __global float *to = grey + texel_index(fine, (int2)(x, row));
          if (own && x + 4 <= fine.x) *(__global float4 *)to = v;
          if (x == 0) to[-2] = to[-1] = v.x;
          if (ending && x + 4 > fine.x) {
            if (x < fine.x + BORDER) to[0] = v.x;
            if (x + 1 < fine.x + BORDER) to[1] = v.y;
            if (x + 2 < fine.x + BORDER) to[2] = v.z;
            if (x + 3 < fine.x + BORDER) to[3] = v.w;
          }
        }
      }
      halves[4 + i] = HALVE((float2)(a, v.x), (float2)(b, v.y), v.xz, v.yw, (float2)(v.z, c));
    }
    float2 two[2];
#pragma unroll
    for (int i = 0; i < 2; i++) {
      const int row = top / 2 - 5 + 2 * block + i;
      float2 a = halves[2 * i + 1], b = halves[2 * i + 2], c = halves[2 * i + 3],
             d = halves[2 * i + 4], e = halves[2 * i + 5];
      if (edge) {
        a = row == 0 ? c : a, b = row == 0 ? c : b;
        d = 2 * row + 1 < fine.y ? d : c, e = 2 * row + 2 < fine.y ? e : d;
      }
      two[i] = HALVE(a, b, c, d, e) * (1.0f / 256.0f);
    }
    SHUFFLE_SYNC;
#pragma unroll
    for (int i = 0; i < 2; i++) SHUFFLE_STORE(lines + i * ITEMS, ((float4)(two[i], 0.0f, 0.0f)));
    SHUFFLE_SYNC;
#pragma unroll
    for (int i = 0; i < 2; i++) {
      __local const float4 *line = lines + i * ITEMS;
      const int row = top / 2 - 5 + 2 * block + i;
      float2 v = two[i];
      float a = PREVIOUS_ITEM(line, v, x), b = PREVIOUS_ITEM(line, v, y), c = NEXT_ITEM(line, v, x);
      const bool within = count > 1 && row >= top / 2 && row < top / 2 + ROWS / 2;
      const int at = x / 2;
      if (is_first) {
        const float first = value_of_item(line, (float4)(v, v), 0, ENDS);
        v = x < 0 ? first : v, a = x <= 0 ? first : a, b = x <= 0 ? first : b,
        c = x < -4 ? first : c;
      }
      if (right) {
        const int end = middle.x - 1 - left / 2;
        const float last = value_of_item(line, (float4)(v, v), end & 1, min(end / 2, ITEMS - 1));
        v = select(v, last, at + (int2)(0, 1) >= middle.x);
        a = at - 2 >= middle.x ? last : a, b = at - 1 >= middle.x ? last : b,
        c = at + 2 >= middle.x ? last : c;
      }
      if (!edge) {
        if (own && within) *(__global float2 *)(grey + texel_index(middle, (int2)(at, row))) = v;
      } else if (within && row < middle.y) {
        FOR_ROWS(to_row, middle, row) {
          __global float *to = grey + texel_index(middle, (int2)(at, to_row));
          if (own && at + 2 <= middle.x) *(__global float2 *)to = v;
          if (x == 0) to[-2] = to[-1] = v.x;
          if (ending && at + 2 > middle.x) {
            if (at < middle.x + BORDER) to[0] = v.x;
            if (at + 1 < middle.x + BORDER) to[1] = v.y;
          }
        }
      }
      quarters[3 + i] = HALVE(a, b, v.x, v.y, c);
    }
    const int row = top / 4 - 3 + block;
    float a = quarters[0], b = quarters[1], c = quarters[2], d = quarters[3], e = quarters[4];
    if (edge) {
      a = row == 0 ? c : a, b = row == 0 ? c : b;
      d = 2 * row + 1 < middle.y ? d : c, e = 2 * row + 2 < middle.y ? e : d;
    }
    float one = HALVE(a, b, c, d, e) * (1.0f / 256.0f);
    const bool within = count > 2 && row >= top / 4 && row < top / 4 + ROWS / 4;
    SHUFFLE_SYNC;
    SHUFFLE_STORE(lines, (float4)one);
    SHUFFLE_SYNC;
    const int at = x / 4;
    if (right) {
      const float last =
          value_of_item(lines, (float4)one, 0, min(coarsest.x - 1 - left / 4, ITEMS - 1));
      one = at >= coarsest.x ? last : one;
    }
    if (!edge) {
      if (own && within) grey[texel_index(coarsest, (int2)(at, row))] = one;
    } else if (within && row < coarsest.y) {
      FOR_ROWS(to_row, coarsest, row) {
        __global float *to = grey + texel_index(coarsest, (int2)(at, to_row));
        if ((own && at < coarsest.x) || (ending && at < coarsest.x + BORDER)) *to = one;
        if (x == 0) to[-2] = to[-1] = one;
      }
    }
    quarters[0] = quarters[2], quarters[1] = quarters[3], quarters[2] = quarters[4];
#pragma unroll
    for (int i = 0; i < 4; i++) rows[i] = rows[4 + i], halves[i] = halves[4 + i];
  }
}
