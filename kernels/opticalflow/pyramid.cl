// SPDX-License-Identifier: LGPL-2.1-or-later
// The pyramid of a frame. Every kernel also fills the border of the levels that it writes.
#include "common/items.clh"
#include "opticalflow/grey.clh"
#include "noise/measure.clh"
#include "opticalflow/brightness.clh"
#include "opticalflow/noise.clh"

// A group computes COARSEST_X × COARSEST_Y texels of the coarsest of three levels. It also computes
// the matching part of the two finer levels. It computes the surrounding texels, which the filter
// needs, in local memory.
#define MIDDLE_X (2 * COARSEST_X + 3)
#define MIDDLE_Y (2 * COARSEST_Y + 3)
#define FINE_X (2 * MIDDLE_X + 3)
#define FINE_Y (2 * MIDDLE_Y + 3)

// Texel `at` of a level, from the next finer one. The finer level is smoothed by (1 4 6 4 1) / 16
// along both axes and every second texel is taken. `fine` is a tile of the finer level, `wide`
// texels wide, that starts with texel `from`.
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

// True if the group's part of a level touches the level's edge, which the border repeats.
inline bool at_edge(int2 first, int2 side, int4 level) {
  return any(first == 0) || any(first + side >= level.xy);
}

inline void store_texel(__global float *grey, int4 level, int2 at, bool edge, float value) {
  if (!edge)
    grey[texel_index(level, at)] = value;
  else if (all(at < level.xy))
    store_repeated(grey, level, at, value);
}

// Computes the group's part of up to `more` coarser levels from `fine`, a tile of a level. `first`:
// the group's first texel of the coarsest level. `middle`: scratch memory for the level in between.
inline void make_coarser(__global float *grey, __local const float *fine, __local float *middle,
                         int2 first, int4 next, int4 coarsest, int more) {
  const int2 side = (int2)(COARSEST_X, COARSEST_Y), from = 2 * first - 2, fine_from = 2 * from - 2;
  const bool edge = at_edge(2 * first, 2 * side, next),
             coarsest_edge = at_edge(first, side, coarsest);
  FOR_ITEMS(x, y, ((int2)(MIDDLE_X, more > 0 ? MIDDLE_Y : 0))) {
    const int2 place = (int2)(x, y), at = from + place;
    const float value = halved(fine, fine_from, FINE_X, clamp(at, 0, next.xy - 1));
    middle[y * MIDDLE_X + x] = value;
    if (all(place >= 2) && all(place < 2 + 2 * side)) store_texel(grey, next, at, edge, value);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  FOR_ITEMS(x, y, ((int2)(COARSEST_X, more > 1 ? COARSEST_Y : 0))) {
    const int2 at = first + (int2)(x, y);
    if (all(at < coarsest.xy))
      store_texel(grey, coarsest, at, coarsest_edge, halved(middle, from, MIDDLE_X, at));
  }
}

// Input: a frame. Output: its greys in levels, smoothed by (1 6 1) / 8 along both axes, and up to
// `more` coarser levels, 0 to 2. Work-groups may have any size. Each has a part of COARSEST_X ×
// COARSEST_Y texels of the third level, even if that level is not computed.
__kernel void flow_grey(IN_LUMA(in), __global float *grey, int4 level, int4 next, int4 coarsest,
                        int more) {
  __local float along[FINE_Y * (FINE_X + 2)], fine[FINE_X * FINE_Y], middle[MIDDLE_X * MIDDLE_Y];
  const int2 first = (int2)(get_group_id(0), get_group_id(1)) * (int2)(COARSEST_X, COARSEST_Y),
             last = level.xy - 1;
  const int2 own = 4 * first, side = 4 * (int2)(COARSEST_X, COARSEST_Y), from = own - 6;
  const bool edge = at_edge(own, side, level),
             beyond = any(from < 0) || any(from + (int2)(FINE_X, FINE_Y) > level.xy);
  // An item loads ROWS pixels of a column at once.
  FOR_ITEMS(x, y, ((int2)(FINE_X + 2, (FINE_Y + ROWS - 1) / ROWS))) {
    const int column = clamp(from.x - 1 + x, 0, last.x);
    float pixels[ROWS + 2];
    UNROLL
    for (int i = 0; i < ROWS + 2; i++)
      pixels[i] = GREY_AT(in, column, clamp(from.y - 1 + y * ROWS + i, 0, last.y));
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
  // Texels outside the frame repeat its edge.
  FOR_ITEMS(x, y, ((int2)(FINE_X, beyond ? FINE_Y : 0))) {
    const int2 at = from + (int2)(x, y), inside = clamp(at, 0, last);
    if (any(at != inside))
      fine[y * FINE_X + x] = fine[(inside.y - from.y) * FINE_X + inside.x - from.x];
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  make_coarser(grey, fine, middle, first, next, coarsest, more);
}

// Loads the texels from which a group computes a level two steps coarser. `first`: the group's
// first texel of that level.
inline void load_fine(__global const float *grey, int4 level, int2 first, __local float *fine) {
  FOR_ITEMS(x, y, ((int2)(FINE_X, FINE_Y)))
  fine[y * FINE_X + x] =
      grey[texel_index(level, clamp(4 * first - 6 + (int2)(x, y), 0, level.xy - 1))];
  barrier(CLK_LOCAL_MEM_FENCE);
}

// The groups below `tiles`, `columns` per row of tiles, compute `more` levels, 1 or 2, from a finer
// one. The remaining groups measure the noise of the finest level against the previous frame.
__attribute__((reqd_work_group_size(32, NOISE_ITEMS / 32, 1))) __kernel void flow_down(
    __global float *grey, int4 level, int4 next, int4 coarsest, int more, int tiles, int columns,
    __global const float *previous, Squares squares, __global NoiseTally *tally,
    __global NoiseState *noise) {
  __local float fine[FINE_X * FINE_Y], middle[MIDDLE_X * MIDDLE_Y];
  __local MeasurementMemory memory;
  const int group = get_group_id(0);
  if (group >= tiles) {
    measure_noise(previous, grey, squares, group - tiles, get_num_groups(0) - tiles, tally, noise,
                  &memory);
    return;
  }
  const int2 first = (int2)(group % columns, group / columns) * (int2)(COARSEST_X, COARSEST_Y);
  load_fine(grey, level, first, fine);
  make_coarser(grey, fine, middle, first, next, coarsest, more);
}

// Computes the same levels as flow_down without measuring noise. Groups form a grid along x and y
// and may have any size.
__kernel void flow_coarser(__global float *grey, int4 level, int4 next, int4 coarsest, int more) {
  __local float fine[FINE_X * FINE_Y], middle[MIDDLE_X * MIDDLE_Y];
  const int2 first = (int2)(get_group_id(0), get_group_id(1)) * (int2)(COARSEST_X, COARSEST_Y);
  load_fine(grey, level, first, fine);
  make_coarser(grey, fine, middle, first, next, coarsest, more);
}

// Computes texel `to` of a level from the finer level in global memory. `to` may lie in the border.
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

// One work-group computes the small levels, from `first` to `count`. It then estimates the change
// of brightness from level `by` of both frames. `brightness` gets the (gain, offset) that adjusts
// this frame to the previous one, `reverse_brightness` the inverse. The second element of both gets
// the change of the mean, levels.
__attribute__((reqd_work_group_size(ONE_GROUP, 1, 1))) __kernel void flow_small(
    __global float *grey, __global const float *previous, __constant int4 *levels, int first,
    int count, int by, __global float2 *brightness, __global float2 *reverse_brightness,
    __local float4 *sums) {
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
  const float2 current_stats = mean_deviation(sum.lo), previous_stats = mean_deviation(sum.hi);
  const float2 tolerant = tolerant_brightness(current_stats, previous_stats),
               full = full_brightness(current_stats, previous_stats);
  float2 errors = 0.0f;
  for (int i = get_local_id(0); i < texels; i += get_local_size(0)) {
    const int index = texel_index(level, (int2)(i % level.x, i / level.x));
    errors += (float2)(brightness_error(grey[index], previous[index], tolerant),
                       brightness_error(grey[index], previous[index], full));
  }
  errors = group_sum((float4)(errors, 0.0f, 0.0f), sums).lo;
  if (get_local_id(0) == 0) {
    const float2 chosen = better_brightness(tolerant, full, errors);
    brightness[0] = chosen;
    reverse_brightness[0] = (float2)(1.0f / chosen.x, -chosen.y / chosen.x);
    brightness[1] = reverse_brightness[1] =
        (float2)(fabs(previous_stats.x - current_stats.x), 0.0f);
  }
}

// Soft census of CENSUS_ROWS texels of a column, from `first` on. Texels at the edge of the level
// also fill the border.
inline void census_strip(__global const float *grey, __global char4 *census, int4 level, int2 first,
                         float softness) {
  float3 rows[CENSUS_ROWS + 2];
  UNROLL
  for (int i = 0; i < CENSUS_ROWS + 2; i++) {
    __global const float *p =
        grey + texel_index(level, (int2)(first.x, min(first.y + i - 1, level.y)));
    rows[i] = (float3)(p[-1], p[0], p[1]);
  }
  UNROLL
  for (int i = 0; i < CENSUS_ROWS; i++) {
    const int2 at = first + (int2)(0, i);
    if (at.y >= level.y) break;
    const float3 above = rows[i], own = rows[i + 1], below = rows[i + 2];
    const float4 d =
        (float4)(own.z - own.x, below.z - above.x, below.y - above.y, below.x - above.z);
    const char4 value = convert_char4_rte(127.0f * d * rsqrt(d * d + softness));
    census[texel_index(level, at)] = value;
    if (all(at > 0) && all(at < level.xy - 1)) continue;
    const int2 from = select(at, -BORDER, at == 0),
               to = select(at, at + BORDER, at == level.xy - 1);
    for (int y = from.y; y <= to.y; y++)
      for (int x = from.x; x <= to.x; x++) census[texel_index(level, (int2)(x, y))] = value;
  }
}

// Soft census of two frames. Each channel compares two neighbours on opposite sides of a texel.
// Their difference d becomes 127 d / sqrt(d² + softness). The order of the channels is x, one
// diagonal, y, the other diagonal. A work-item has CENSUS_ROWS texels of a column; the levels
// follow each other along y. The other frame is updated only if its census was computed for another
// noise variance, `other_census_noise`.
__kernel void flow_census(__global const float *grey, __global char4 *census,
                          __global const float *other_grey, __global char4 *other_census,
                          __constant int4 *levels, __constant float4 *gains, int count,
                          __global const float *noise, __global float *census_noise,
                          __global const float *other_census_noise) {
  int2 first = (int2)(get_global_id(0), get_global_id(1));
  const float variance = noise_of(noise).quantized;
  if (all(first == 0)) *census_noise = variance;
  int number = 0;
  for (; number < count && first.y >= (levels[number].y + CENSUS_ROWS - 1) / CENSUS_ROWS; number++)
    first.y -= (levels[number].y + CENSUS_ROWS - 1) / CENSUS_ROWS;
  if (number == count || first.x >= levels[number].x) return;
  first.y *= CENSUS_ROWS;
  const float softness = census_softness(variance, gains[number].x);
  census_strip(grey, census, levels[number], first, softness);
  if (*other_census_noise != variance)
    census_strip(other_grey, other_census, levels[number], first, softness);
}
