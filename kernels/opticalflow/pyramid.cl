// SPDX-License-Identifier: LGPL-2.1-or-later
// The pyramid of a frame. Every kernel fills a level with its border.
#include "opticalflow/grey.clh"
#include "opticalflow/light.clh"
#include "opticalflow/noise.clh"

#define UNROLL _Pragma("unroll")
#define UNROLL_BY(n) _Pragma(TEXT(unroll n))
#define TEXT(words) #words

// (R + G + B) / 3 in levels, smoothed by (1 6 1) / 8 along both axes. An item makes -DROWS=n texels of a column.
// `tile`: the group's texels with one more all around.
__kernel void flow_grey(IN_FRAME(in), __global float *grey, int4 level, __local float *tile) {
  const int2 item = (int2)(get_local_id(0), get_local_id(1)), items = (int2)(get_local_size(0), get_local_size(1));
  const int wide = items.x + 2, high = ROWS * items.y + 2;
  const int2 first = (int2)(get_group_id(0), get_group_id(1)) * (int2)(items.x, ROWS * items.y);
  UNROLL_BY(4)
  for (int i = item.y * items.x + item.x; i < wide * high; i += items.x * items.y) {
    const int2 texel = clamp(first + (int2)(i % wide, i / wide) - 1, 0, level.xy - 1);
    tile[i] = GREY_AT(in, texel.x, texel.y);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  float along[ROWS + 2];
  UNROLL
  for (int i = 0; i < ROWS + 2; i++) {
    __local const float *p = tile + (ROWS * item.y + i) * wide + item.x;
    along[i] = p[0] + p[2] + 6.0f * p[1];
  }
  UNROLL
  for (int i = 0; i < ROWS; i++) {
    const int2 at = first + (int2)(item.x, ROWS * item.y + i);
    if (all(at < level.xy))
      store_repeated(grey, level, at, (along[i] + along[i + 2] + 6.0f * along[i + 1]) / 64.0f);
  }
}

// A texel of a level, from the next finer one: every second texel, smoothed by (1 4 6 4 1) / 16 along both axes.
inline void make_texel(__global float *grey, int4 fine, int4 level, int2 to) {
  const int2 at = clamp(to, 0, level.xy - 1);
  const float taps[5] = {1.0f, 4.0f, 6.0f, 4.0f, 1.0f};
  float sum = 0.0f;
  for (int j = 0; j < 5; j++) {
    __global const float *row = grey + fine.w + (2 * at.y + j - 2) * fine.z + 2 * at.x;
    sum += taps[j] * (row[-2] + row[2] + 4.0f * (row[-1] + row[1]) + 6.0f * row[0]);
  }
  grey[texel_index(level, to)] = sum / 256.0f;
}

__kernel void flow_down(__global float *grey, int4 fine, int4 level) {
  const int2 to = (int2)(get_global_id(0), get_global_id(1)) - BORDER;
  if (all(to < level.xy + BORDER)) make_texel(grey, fine, level, to);
}

// One group: the levels from `first` to `count`, which are small, and how the light changed from the previous frame to
// this one, by level `by` of both. `light` gets the (gain, offset) that make this frame as light as the previous one,
// `back` those the other way round.
__attribute__((reqd_work_group_size(ONE_GROUP, 1, 1)))
__kernel void flow_small(__global float *grey, __global const float *previous, __constant int4 *levels, int first,
                         int count, int by, __global float2 *light, __global float2 *back, __local float4 *sums) {
  for (int i = first; i < count; i++) {
    const int wide = levels[i].x + 2 * BORDER, high = levels[i].y + 2 * BORDER;
    for (int texel = get_local_id(0); texel < wide * high; texel += get_local_size(0))
      make_texel(grey, levels[i - 1], levels[i], (int2)(texel % wide, texel / wide) - BORDER);
    barrier(CLK_GLOBAL_MEM_FENCE);
  }
  const int4 level = levels[by];
  const int texels = level.x * level.y;
  float4 sum = 0.0f;
  for (int i = get_local_id(0); i < texels; i += get_local_size(0)) {
    const int index = texel_index(level, (int2)(i % level.x, i / level.x));
    sum += (float4)(moments(grey[index]), moments(previous[index]));
  }
  sum = group_sum(sum, sums) / texels;
  const float2 now = deviation(sum.lo), then = deviation(sum.hi);
  const float2 least = least_light(now, then), whole = whole_light(now, then);
  float2 differ = 0.0f;
  for (int i = get_local_id(0); i < texels; i += get_local_size(0)) {
    const int index = texel_index(level, (int2)(i % level.x, i / level.x));
    differ += (float2)(difference(grey[index], previous[index], least), difference(grey[index], previous[index], whole));
  }
  differ = group_sum((float4)(differ, 0.0f, 0.0f), sums).lo;
  if (get_local_id(0) == 0) {
    const float2 taken = better_light(least, whole, differ);
    light[0] = taken;
    back[0] = (float2)(1.0f / taken.x, -taken.y / taken.x);
  }
}

// Soft census of two frames: how far the two neighbours on opposite sides differ, along x, one diagonal, y and the
// other diagonal: d / sqrt(d² + softness), as -127..127. All levels, one below the other, `rows` in all; then the other
// frame's, which stay where they were made by the same variance, `other_softened`.
__kernel void flow_census(__global const float *grey, __global char4 *census, __global const float *other_grey,
                          __global char4 *other_census, int rows, __constant int4 *levels, __constant float4 *gains,
                          int count, __global const float *noise, __global float *softened,
                          __global const float *other_softened) {
  int2 item = (int2)(get_global_id(0), get_global_id(1));
  const float variance = noise_of(noise).stepped;
  if (all(item == 0)) *softened = variance;
  if (item.y >= rows) {
    if (*other_softened == variance) return;
    item.y -= rows;
    grey = other_grey, census = other_census;
  }
  int number = 0;
  for (; number < count && item.y >= levels[number].y + 2 * BORDER; number++) item.y -= levels[number].y + 2 * BORDER;
  if (number == count || item.x >= levels[number].x + 2 * BORDER) return;
  const int4 level = levels[number];
  const int2 to = item - BORDER, at = clamp(to, 0, level.xy - 1);
  __global const float *p = grey + texel_index(level, at);
  const int row = level.z;
  const float4 d = (float4)(p[1] - p[-1], p[row + 1] - p[-row - 1], p[row] - p[-row], p[row - 1] - p[1 - row]);
  census[texel_index(level, to)] = convert_char4_rte(127.0f * d * rsqrt(d * d + census_softness(variance, gains[number].x)));
}
