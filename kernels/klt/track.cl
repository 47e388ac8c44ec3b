// SPDX-License-Identifier: LGPL-2.1-or-later
// Follows points from the frame before to this one, coarse to fine (Lucas and Kanade 1981; Tomasi and Kanade 1991), a group of
// -DLANES=n items each.
#include "opticalflow/level.clh"
#include "klt/points.clh"
#include "noise/bands.clh"

#define RIM 3               // px at the frame's edges where no point is
#define ENOUGH 0.005f       // texels: a step that small is the last
#define LEAST_DETERMINANT 0.01f
#define NOISE_SCATTER 1.5f  // the smaller eigenvalue that noise gives, above its mean
#define LEAST_PART 0.25f    // of a window that has to be within the frame
#define MOST_GAIN 2.0f      // of the light
#define HELD 16.0f          // a point is told to stay where it is as far as noise moves it: squared deviations
#define MOST_LEFT 0.3f      // of a window's deviation that may be left, mean
#define LEAST_PACE 1.0f     // px a frame: a point so fast may go on as before
#define MOST_BACK 1.0f      // px that going back may miss the point by
#define LEAST_CODING 0.15f  // levels², what noise.cl has at least

typedef struct {
  int radius, iterations;  // texels: (side - 1) / 2 of the window; steps a level, at most
  float residue;           // levels: mean difference that is left, at most
  int check, reach;        // whether to go back; px around a point that are taken
} Search;

// What noise of variance 1 in the frame gives texels of a level, and their slopes.
typedef struct {
  float texel, slope;
} Gain;

typedef struct {
  bool good;
  float2 shift;
  float residue;
  float3 tensor;  // xx, xy, yy over the window, without the means
} Found;

#if LANES > 1
#define SYNC barrier(CLK_LOCAL_MEM_FENCE)
inline float4 sum_of(float4 own, __local float4 *sums) {
  const int lane = get_local_id(0);
  SYNC;
  sums[lane] = own;
  for (int count = LANES / 2; count > 0; count /= 2) {
    SYNC;
    if (lane < count) sums[lane] += sums[lane + count];
  }
  SYNC;
  return sums[0];
}
#else
#define SYNC
inline float4 sum_of(float4 own, __local float4 *sums) { return own; }
#endif

#define FOR_LANES(i, count) for (int i = get_local_id(0); i < (count); i += LANES)

// Between the texel `at` and the three beyond it, the edge repeated.
inline float between(__global const float *plane, int4 level, int2 at, float2 part) {
  __global const float *p = plane + texel_index(level, clamp(at, -1, level.xy - 1)), *q = p + level.z;
  const float above = p[0] + part.x * (p[1] - p[0]), below = q[0] + part.x * (q[1] - q[0]);
  return above + part.y * (below - above);
}

inline float coding_of(__global const float *noise) { return fmax(coding_variance(noise) - LEAST_CODING, 0.0f); }

// Where the point `from` of one frame is in another. Per level: the window around it is taken from the one, with its slopes, and
// moved over the other until what is left has nothing in common with the slopes; mean and deviation of both are made the same.
// A level on which there is too little to see is passed over, but for the finest. `guess`: where to begin, from there.
inline Found follow(__global const float *before, __global const float *after, __constant int4 *levels, __constant Gain *gains,
                    int count, float2 from, float2 guess, Search search, __global const float *noise, __local float *patch,
                    __local float4 *window, __local float4 *sums) {
  const int side = 2 * search.radius + 1, wide = side + 2;
  Found found = {false, ldexp(guess, -count), 0.0f, 0.0f};
  for (int number = count - 1; number >= 0; number--) {
    const int4 level = levels[number];
    const float2 centre = ldexp(from, -number), base = floor(centre), part = centre - base;
    const int2 first = convert_int2(base) - search.radius - 1;
    SYNC;
    FOR_LANES(i, wide * wide) patch[i] = between(before, level, first + (int2)(i % wide, i / wide), part);
    SYNC;
    const float middle = patch[(search.radius + 1) * (wide + 1)];
    float4 light = 0.0f, slopes = 0.0f, tensor = 0.0f;
    FOR_LANES(i, side * side) {
      const int2 at = (int2)(i % side, i / side) + 1;
      __local const float *p = patch + at.y * wide + at.x;
      const bool inside = all(first + at >= 1) && all(first + at < level.xy - 2);
      const float value = p[0] - middle, x = 0.5f * (p[1] - p[-1]), y = 0.5f * (p[wide] - p[-wide]);
      window[i] = inside ? (float4)(value, x, y, 1.0f) : 0.0f;
      if (inside) {
        light += (float4)(1.0f, value, value * value, 0.0f);
        slopes += (float4)(x, y, value * x, value * y);
        tensor += (float4)(x * x, x * y, y * y, 0.0f);
      }
    }
    light = sum_of(light, sums), slopes = sum_of(slopes, sums), tensor = sum_of(tensor, sums);
    const float texels = fmax(light.x, 1.0f), mean = light.y / texels, variance = fmax(light.z / texels - mean * mean, 0.0f);
    const float xx = tensor.x - slopes.x * slopes.x / texels, xy = tensor.y - slopes.x * slopes.y / texels,
                yy = tensor.z - slopes.y * slopes.y / texels, determinant = xx * yy - xy * xy;
    const float own = CORRELATION * noise_variance_at(noise, middle);
    const float2 start = 2.0f * found.shift;
    found.shift = start;
    bool good = light.x >= LEAST_PART * side * side && determinant > LEAST_DETERMINANT &&
                least_eigenvalue(xx, xy, yy) > NOISE_SCATTER * gains[number].slope * own * texels;
    float gain = 1.0f, other = 0.0f;
    bool moves = good;
    for (int step = 0; step < search.iterations && moves; step++) {
      const float2 to = centre + found.shift, corner = floor(to), rest = to - corner;
      const int2 lead = convert_int2(corner) - search.radius;
      float4 sum = 0.0f;
      FOR_LANES(i, side * side) {
        const float4 sample = window[i];
        const float value = sample.w * (between(after, level, lead + (int2)(i % side, i / side), rest) - middle);
        sum += value * (float4)(1.0f, value, sample.y, sample.z);
      }
      sum = sum_of(sum, sums);
      other = sum.x / texels;
      const float deviation = fmax(sum.y / texels - other * other, 1e-6f);
      gain = clamp(sqrt(variance / deviation), 1.0f / MOST_GAIN, MOST_GAIN);
      const float2 left = slopes.zw - gain * sum.zw - (mean - gain * other) * slopes.xy;
      const float2 more = (float2)(yy * left.x - xy * left.y, xx * left.y - xy * left.x) / determinant;
      found.shift += more;
      good = all(fabs(found.shift - start) <= (float)side);
      moves = good && dot(more, more) > ENOUGH * ENOUGH;
    }
    if (!good) found.shift = start;
    if (number == 0) {
      found.good = good;
      found.tensor = (float3)(xx, xy, yy);
      const float2 to = centre + found.shift, corner = floor(to), rest = to - corner;
      const int2 lead = convert_int2(corner) - search.radius;
      float4 sum = 0.0f;
      FOR_LANES(i, side * side) {
        const float4 sample = window[i];
        const float value = between(after, level, lead + (int2)(i % side, i / side), rest) - middle;
        sum.x += sample.w * fabs(sample.x - mean - gain * (value - other));
      }
      found.residue = sum_of(sum, sums).x / texels;
      const float limit = fmin(search.residue, MOST_LEFT * sqrt(variance)) +
                          0.8f * sqrt(2.0f * (gains[0].texel * own + coding_of(noise)));
      found.good = good && found.residue <= limit;
    }
  }
  return found;
}

inline bool in_frame(float2 at, int4 level) { return all(at >= (float)RIM) && all(at <= convert_float2(level.xy - 1 - RIM)); }

// Work-groups: slots. Marks places around points that are found by `stamp`.
__kernel void klt_track(__global const float *before, __global const float *after, __constant int4 *levels, __constant Gain *gains,
                        int count, Search search, __global const float *noise, int stamp, __global ushort *stamps,
                        __global float4 *place, __global float4 *motion, __global int4 *who, __local float *patch,
                        __local float4 *window, __local float4 *sums) {
  const int slot = get_group_id(0);
  const float4 was = place[slot];
  const int4 point = who[slot];
  if (point.z == LIVE) {
    const int4 level = levels[0];
    // From where it is; where it is not to be found so, from where it would be if it went on as before.
    const float2 pace = motion[slot].xy;
    const int tries = dot(pace, pace) >= LEAST_PACE * LEAST_PACE ? 2 : 1;
    Found found;
    float2 guess = 0.0f;
    found.good = false;
    for (int i = 0; i < tries && !found.good; i++) {
      guess = i ? pace : 0.0f;
      found = follow(before, after, levels, gains, count, was.zw, guess, search, noise, patch, window, sums);
      found.good = found.good && in_frame(was.zw + found.shift, level);
    }
    const float2 now = was.zw + found.shift;
    if (search.check && found.good) {
      const Found back = follow(after, before, levels, gains, count, now, -guess, search, noise, patch, window, sums);
      const float2 miss = found.shift + back.shift;
      found.good = back.good && dot(miss, miss) <= MOST_BACK * MOST_BACK;
    }
    const float2 away = now - was.xy;
    const float level_noise = CORRELATION * noise_variance(noise) + coding_of(noise);
    const float evidence = found.tensor.x * away.x * away.x + 2.0f * found.tensor.y * away.x * away.y + found.tensor.z * away.y * away.y;
    const float2 told = evidence > 2.0f * HELD * level_noise ? now : was.xy;
    SYNC;
    if (get_local_id(0) == 0) {
      who[slot] = (int4)(point.x, point.y + 1, found.good ? LIVE : LOST, 0);
      if (found.good) {
        place[slot] = (float4)(told, now);
        motion[slot] = (float4)(told - was.xy, found.residue, least_eigenvalue(found.tensor.x, found.tensor.y, found.tensor.z));
      }
    }
    if (found.good) {
      const int across = 2 * search.reach + 1;
      const int2 first = convert_int2_rte(told) - search.reach;
      FOR_LANES(i, across * across) {
        const int2 at = first + (int2)(i % across, i / across);
        if (all(at >= 0) && all(at < level.xy)) stamps[at.y * level.x + at.x] = stamp;
      }
    }
  }
}
