// SPDX-License-Identifier: LGPL-2.1-or-later
// The pyramid of a frame. Every kernel fills a level with its border.
#include "common/items.clh"
#include "opticalflow/grey.clh"
#include "noise/measure.clh"
#include "opticalflow/light.clh"
#include "opticalflow/noise.clh"

// A group makes so many texels of the coarsest of three levels, what lies there of the two finer ones, and in local memory what it
// needs around that.
#define COARSEST_X 16
#define COARSEST_Y 8
#define MIDDLE_X (2 * COARSEST_X + 3)
#define MIDDLE_Y (2 * COARSEST_Y + 3)
#define FINE_X (2 * MIDDLE_X + 3)
#define FINE_Y (2 * MIDDLE_Y + 3)

// A texel of a level, from `fine`, a tile of the next finer one that begins with `from`: every second texel, smoothed by
// (1 4 6 4 1) / 16 along both axes.
inline float halved(__local const float *fine, int2 from, int wide, int2 at) {
  const float taps[5] = {1.0f, 4.0f, 6.0f, 4.0f, 1.0f};
  __local const float *p = fine + (2 * at.y - from.y) * wide + 2 * at.x - from.x;
  float sum = 0.0f;
  UNROLL
  for (int j = -2; j <= 2; j++) {
    __local const float *row = p + j * wide;
    sum += taps[j + 2] * (row[-2] + row[2] + 4.0f * (row[-1] + row[1]) + 6.0f * row[0]);
  }
  return sum / 256.0f;
}

// Whether a group's part of a level, whose edge the border repeats, lies beside that.
inline bool at_edge(int2 first, int2 side, int4 level) { return any(first == 0) || any(first + side >= level.xy); }

inline void store_texel(__global float *grey, int4 level, int2 at, bool edge, float value) {
  if (!edge)
    grey[texel_index(level, at)] = value;
  else if (all(at < level.xy))
    store_repeated(grey, level, at, value);
}

// From a tile of a level, `fine`, up to `more` coarser ones: the group's part of them. `first`: its texel of the coarsest.
inline void make_coarser(__global float *grey, __local const float *fine, __local float *middle, int2 first, int4 next,
                         int4 coarsest, int more) {
  const int2 side = (int2)(COARSEST_X, COARSEST_Y), from = 2 * first - 2, fine_from = 2 * from - 2;
  const bool edge = at_edge(2 * first, 2 * side, next), coarsest_edge = at_edge(first, side, coarsest);
  FOR_ITEMS(x, y, ((int2)(MIDDLE_X, more > 0 ? MIDDLE_Y : 0))) {
    const int2 place = (int2)(x, y), at = from + place;
    const float value = halved(fine, fine_from, FINE_X, clamp(at, 0, next.xy - 1));
    middle[y * MIDDLE_X + x] = value;
    if (all(place >= 2) && all(place < 2 + 2 * side)) store_texel(grey, next, at, edge, value);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  FOR_ITEMS(x, y, ((int2)(COARSEST_X, more > 1 ? COARSEST_Y : 0))) {
    const int2 at = first + (int2)(x, y);
    if (all(at < coarsest.xy)) store_texel(grey, coarsest, at, coarsest_edge, halved(middle, from, MIDDLE_X, at));
  }
}

// (R + G + B) / 3 in levels, smoothed by (1 6 1) / 8 along both axes, and up to `more` coarser levels, 0 to 2. A group makes what lies
// at its part of the third level, whether that is wanted or not.
__kernel void flow_grey(IN_FRAME(in), __global float *grey, int4 level, int4 next, int4 coarsest, int more) {
  __local float along[FINE_Y * (FINE_X + 2)], fine[FINE_X * FINE_Y], middle[MIDDLE_X * MIDDLE_Y];
  const int2 first = (int2)(get_group_id(0), get_group_id(1)) * (int2)(COARSEST_X, COARSEST_Y), last = level.xy - 1;
  const int2 own = 4 * first, side = 4 * (int2)(COARSEST_X, COARSEST_Y), from = own - 6;
  const bool edge = at_edge(own, side, level), beyond = any(from < 0) || any(from + (int2)(FINE_X, FINE_Y) > level.xy);
  // An item takes ROWS pixels of a column, all at once.
  FOR_ITEMS(x, y, ((int2)(FINE_X + 2, (FINE_Y + ROWS - 1) / ROWS))) {
    const int column = clamp(from.x - 1 + x, 0, last.x);
    float pixels[ROWS + 2];
    UNROLL
    for (int i = 0; i < ROWS + 2; i++) pixels[i] = GREY_AT(in, column, clamp(from.y - 1 + y * ROWS + i, 0, last.y));
    UNROLL
    for (int i = 0; i < ROWS; i++)
      if (y * ROWS + i < FINE_Y)
        along[(y * ROWS + i) * (FINE_X + 2) + x] = pixels[i] + pixels[i + 2] + 6.0f * pixels[i + 1];
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  FOR_ITEMS(x, y, ((int2)(FINE_X, (FINE_Y + ROWS - 1) / ROWS))) {
    const bool stores = !edge && x >= 6 && x < 6 + side.x;
    __global float *out = grey + texel_index(level, from + (int2)(x, 0));
    UNROLL
    for (int i = 0; i < ROWS; i++) {
      const int row = y * ROWS + i;
      if (row >= FINE_Y) break;
      __local const float *p = along + row * (FINE_X + 2) + x;
      const float value = (p[0] + p[2] + 6.0f * p[1]) / 64.0f;
      fine[row * FINE_X + x] = value;
      if (stores && row >= 6 && row < 6 + side.y) out[row * level.z] = value;
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  FOR_ITEMS(x, y, ((int2)(side.x, edge ? side.y : 0))) {
    const int2 at = own + (int2)(x, y);
    if (all(at < level.xy)) store_repeated(grey, level, at, fine[(y + 6) * FINE_X + x + 6]);
  }
  // What lies beyond the frame repeats its edge.
  FOR_ITEMS(x, y, ((int2)(FINE_X, beyond ? FINE_Y : 0))) {
    const int2 at = from + (int2)(x, y), inside = clamp(at, 0, last);
    if (any(at != inside)) fine[y * FINE_X + x] = fine[(inside.y - from.y) * FINE_X + inside.x - from.x];
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  make_coarser(grey, fine, middle, first, next, coarsest, more);
}

// What a group that makes the texels from `first` on of the level two coarser takes of a level.
inline void load_fine(__global const float *grey, int4 level, int2 first, __local float *fine) {
  FOR_ITEMS(x, y, ((int2)(FINE_X, FINE_Y)))
    fine[y * FINE_X + x] = grey[texel_index(level, clamp(4 * first - 6 + (int2)(x, y), 0, level.xy - 1))];
  barrier(CLK_LOCAL_MEM_FENCE);
}

// One or two levels, `more`, from a finer one: groups below `tiles`, `columns` of them in a row. Those behind them measure the noise of
// the finest level, from that of the frame before on.
__attribute__((reqd_work_group_size(32, MEASURING / 32, 1)))
__kernel void flow_down(__global float *grey, int4 level, int4 next, int4 coarsest, int more, int tiles, int columns,
                        __global const float *previous, Squares squares, __global Tally *tally, __global float *noise,
                        __global Flicker *flicker) {
  __local float fine[FINE_X * FINE_Y], middle[MIDDLE_X * MIDDLE_Y];
  __local MeasuringRoom room;
  const int group = get_group_id(0);
  if (group >= tiles) {
    measure_noise(previous, grey, squares, group - tiles, get_num_groups(0) - tiles, tally, noise, flicker, &room);
    return;
  }
  const int2 first = (int2)(group % columns, group / columns) * (int2)(COARSEST_X, COARSEST_Y);
  load_fine(grey, level, first, fine);
  make_coarser(grey, fine, middle, first, next, coarsest, more);
}

// The same levels alone: groups along x and y, of any size.
__kernel void flow_coarser(__global float *grey, int4 level, int4 next, int4 coarsest, int more) {
  __local float fine[FINE_X * FINE_Y], middle[MIDDLE_X * MIDDLE_Y];
  const int2 first = (int2)(get_group_id(0), get_group_id(1)) * (int2)(COARSEST_X, COARSEST_Y);
  load_fine(grey, level, first, fine);
  make_coarser(grey, fine, middle, first, next, coarsest, more);
}

// The same from global memory, texel by texel and with the border.
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
    light[1] = back[1] = (float2)(fabs(then.x - now.x), 0.0f);
  }
}

// Texels of a column that an item of flow_census takes.
#define STRIP 4

// Soft census of a strip of a level, whose texels at the edge also go to the border.
inline void census_strip(__global const float *grey, __global char4 *census, int4 level, int2 first, float softness) {
  float3 rows[STRIP + 2];
  UNROLL
  for (int i = 0; i < STRIP + 2; i++) {
    __global const float *p = grey + texel_index(level, (int2)(first.x, min(first.y + i - 1, level.y)));
    rows[i] = (float3)(p[-1], p[0], p[1]);
  }
  UNROLL
  for (int i = 0; i < STRIP; i++) {
    const int2 at = first + (int2)(0, i);
    if (at.y >= level.y) break;
    const float3 above = rows[i], own = rows[i + 1], below = rows[i + 2];
    const float4 d = (float4)(own.z - own.x, below.z - above.x, below.y - above.y, below.x - above.z);
    const char4 value = convert_char4_rte(127.0f * d * rsqrt(d * d + softness));
    census[texel_index(level, at)] = value;
    if (all(at > 0) && all(at < level.xy - 1)) continue;
    const int2 from = select(at, -BORDER, at == 0), to = select(at, at + BORDER, at == level.xy - 1);
    for (int y = from.y; y <= to.y; y++)
      for (int x = from.x; x <= to.x; x++) census[texel_index(level, (int2)(x, y))] = value;
  }
}

// Soft census of two frames: how far the two neighbours on opposite sides differ, along x, one diagonal, y and the
// other diagonal: d / sqrt(d² + softness), as -127..127. Strips of all levels, one below the other; of the other
// frame only where its own were made by another variance, `other_softened`.
__kernel void flow_census(__global const float *grey, __global char4 *census, __global const float *other_grey,
                          __global char4 *other_census, __constant int4 *levels, __constant float4 *gains,
                          int count, __global const float *noise, __global float *softened,
                          __global const float *other_softened) {
  int2 first = (int2)(get_global_id(0), get_global_id(1));
  const float variance = noise_of(noise).stepped;
  if (all(first == 0)) *softened = variance;
  int number = 0;
  for (; number < count && first.y >= (levels[number].y + STRIP - 1) / STRIP; number++)
    first.y -= (levels[number].y + STRIP - 1) / STRIP;
  if (number == count || first.x >= levels[number].x) return;
  first.y *= STRIP;
  const float softness = census_softness(variance, gains[number].x);
  census_strip(grey, census, levels[number], first, softness);
  if (*other_softened != variance) census_strip(other_grey, other_census, levels[number], first, softness);
}
