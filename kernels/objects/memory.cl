// SPDX-License-Identifier: LGPL-2.1-or-later
// What a camera saw, pixel by pixel, moved along with it: the level that a place had for longest, its scenery, and
// another one that it may have had lately. What is neither is in front. (Two models and their ages: Yi et al. 2013.)
#include "camera/rows.clh"
#include "camera/sample.clh"
#include "camera/similarity.clh"
#include "camera/state.clh"
#include "noise/bands.clh"
#include "noise/flicker.clh"
#include "objects/deviation.clh"
#include "objects/result.clh"

#define LEAST_CODING 0.15f  // levels²
#define OLDEST 90   // frames
#define SLOWEST 20  // frames that a level is the mean of
#define TAKES_OVER 3  // the other level becomes the scenery once it was seen a third as long
#define TURNING 1.6f   // pictures that turn or grow count so much more by their edges
#define YOUNG 3        // a scenery of fewer frames gives way at once
#define FAINT 0.5f   // so much of the noise is enough where something moved
#define LAGS 0.5f      // parts of a coded picture follow the light late, by so much of what it changed lately
#define WHITE 250.0f   // levels; what is as bright may be brighter
#define SURE 5        // and at least for so many frames, or as long
#define FOLLOWS 0.75f   // the scenery follows as much faster for each level that the light went lately
#define SURE_BENT 3   // where the picture is bent, and what was uncovered would otherwise spread

// A picture between its pixels by the cubic of Catmull and Rom along both axes, which keeps it sharp from frame to frame.
inline float4 cubic_parts(float t) {
  return (float4)(((-0.5f * t + 1.0f) * t - 0.5f) * t, (1.5f * t - 2.5f) * t * t + 1.0f,
                  ((-1.5f * t + 2.0f) * t + 0.5f) * t, (0.5f * t - 0.5f) * t * t);
}
inline float2 cubic(__global const float2 *picture, int2 size, float2 p) {
  const int x = (int)floor(p.x), y = (int)floor(p.y);
  const float4 across = cubic_parts(p.x - x), down = cubic_parts(p.y - y);
  const float parts[4] = {down.x, down.y, down.z, down.w};
  const int4 columns = clamp(x + (int4)(-1, 0, 1, 2), (int4)(0), (int4)(size.x - 1));
  float2 sum = 0.0f;
  for (int j = 0; j < 4; j++) {
    __global const float2 *row = picture + clamp(y + j - 1, 0, size.y - 1) * size.x;
    sum += parts[j] * (across.x * row[columns.x] + across.y * row[columns.y] + across.z * row[columns.z] +
                       across.w * row[columns.w]);
  }
  return sum;
}

// `from`, `to`: pictures of float levels: scenery, other. `ages`: how many frames they were seen, in the same order. `current`: the frame in small,
// whose noise is `quiet` times that of its frames. `sure`: deviations of noise that count as nothing; `edges`: the part
// of the scenery's contrast around a pixel that does. `front`: 0 where the scenery is seen, else by how many times its bound the
// level is away from it, in eighths. `variances`: of pixels about their scenery, in VARIANCE_UNIT; `measured`: 0 where the noise was set,
// and the scene's deviation does not count, else 1. Work-items: pixels.
__kernel void objects_remember(__global const float2 *from, __global const uchar2 *ages_from, __global float2 *to,
                               __global uchar2 *ages_to, __global const float *current, __global const State *state,
                               Frame frame, __global const float *noise, __global const Renewed *flicker, float quiet, float sure, float edges,
                               __global const Result *result,
                               __global const float *rows, int bands, __global uchar *front,
                               __global const ushort *variances_from, __global ushort *variances, __global Deviation *deviation, int measured) {
  const int x = get_global_id(0), y = get_global_id(1);
  const int2 size = frame.size;
  if (x >= size.x || y >= size.y) return;
  const int at = y * size.x + x;
  const float2 z = (float2)(x, y) - frame.centre;
  const float2 old = unbent(state->from_picture, state->bend_picture, z) + frame.centre,
               here = bent(state->from_frame, state->bend_frame, z) + frame.centre;
  const bool seen = inside(here, size), remembered = inside(old, size) && !state->fresh;

  float4 parts;
  int4 corners = around(here, size, &parts);
  float4 levels = (float4)(current[corners.x], current[corners.y], current[corners.z], current[corners.w]);
  const float level = dot(parts, levels);

  corners = around(old, size, &parts);
  const float2 a = from[corners.x], b = from[corners.y], c = from[corners.z], d = from[corners.w];
  const bool turns = any(state->from_picture.zw != 0.0f) || any(state->bend_picture != 0.0f);
  const float2 held = turns ? cubic(from, size, old) : parts.x * a + parts.y * b + parts.z * c + parts.w * d;
  const float row = brightness_of_row(rows, bands, here.y);
  const float2 both = row * (state->fit.gain * held + state->fit.offset);
  const int2 nearest = clamp(convert_int2_rte(old), (int2)(0), size - 1);
  uchar2 age = ages_from[nearest.y * size.x + nearest.x];
  float scenery = both.x;
  // Its neighbours may have had none.
  float other = row * (state->fit.gain * from[nearest.y * size.x + nearest.x].y + state->fit.offset);
  const float4 remembers = (float4)(a.x, b.x, c.x, d.x);
  const float contrast = fmax(fmax(remembers.x, remembers.y), fmax(remembers.z, remembers.w)) -
                         fmin(fmin(remembers.x, remembers.y), fmin(remembers.z, remembers.w));
  uchar away = 0;
  // What a lens bends is laid to a pixel only.
  const float slack = clamp(length(state->bend_picture) * frame.radius * frame.radius - 0.5f, 0.0f, 1.0f);
  float least = scenery, most = scenery;
  for (int k = 0; k < 9 && slack > 0.0f; k++) {
    const int2 beside = clamp(nearest + (int2)(k % 3 - 1, k / 3 - 1), (int2)(0), size - 1);
    const float near = row * (state->fit.gain * from[beside.y * size.x + beside.x].x + state->fit.offset);
    least = fmin(least, mix(scenery, near, slack)), most = fmax(most, mix(scenery, near, slack));
  }
  if (held.x >= WHITE) most = fmax(most, level);
  if (level >= WHITE) least = fmin(least, level);
  const int slowest = max(turns ? 0 : (int)(SLOWEST / (1.0f + FOLLOWS * state->lag)), SLOWEST / 4);
  float own = remembered ? variances_from[nearest.y * size.x + nearest.x] / VARIANCE_UNIT : 0.0f;
  bool counts = false;
  float strays = 0.0f;
  if (!remembered || age.x == 0) {
    scenery = level, other = own = 0.0f;
    age = (uchar2)(seen ? 1 : 0, 0);
  } else if (seen) {
    const float variance = quiet * CORRELATION * noise_variance_at(noise, level) * (1.0f + 1.0f / age.x) +
                           fmax(coding_variance(noise), LEAST_CODING) + (1.0f - flicker->camera) * flicker->variance;
    const float scene = measured * (1.0f - flicker->camera) * deviation->deviation;
    const float noise_alone = sure * sqrt(variance),
                coded = sure * clamp(sqrt(own), scene, MOST_OWN * scene),
                explained = (turns ? TURNING : 1.0f) * edges * contrast + LAGS * (state->lag + rows[SWING] * scenery),
                bound = fmax(noise_alone, coded) + explained, faint = fmax(FAINT * noise_alone, coded) + explained;
    const float distance = fmax(fmax(level - most, least - level), 0.0f);
    strays = fmax(distance - explained, 0.0f);
    counts = age.x >= YOUNG && strays < MOST_STRAYING && flicker->camera < 0.5f;
    if (counts) own += (strays * strays - own) / VARIANCE_FRAMES;
    // Where something moved in the frame before less is enough, and what it hides becomes no scenery.
    const bool in = (distance > faint || age.x < 2 * YOUNG) && in_region(result, min(result->count, MOST), nearest);
    if (distance <= (in ? faint : bound)) {
      age.x = in && age.x + 1 >= YOUNG && age.x < 2 * YOUNG ? YOUNG - 1 : min(age.x + 1, OLDEST);
      scenery += (level - scenery) / min((int)age.x, slowest);
    } else {
      away = convert_uchar_sat(8.0f * distance / bound);
      if (age.x < YOUNG) {
        // It is no scenery either, where others are older.
        if (state->frames > 2 * YOUNG && !in) away = 0;
        scenery = level;
        age = (uchar2)(1, 0);
      } else if (age.y && fabs(level - other) <= bound) {
        age.y = min(age.y + 1, OLDEST);
        other += (level - other) / min((int)age.y, SLOWEST);
        if (age.y >= min((int)age.x, max(slack > 0.5f ? SURE_BENT : SURE, age.x / TAKES_OVER))) {
          const float was = scenery;
          scenery = other, other = was;
          age = age.yx;
          away = 0;
        }
      } else if (age.y > 3) {
        age.y /= 2;
      } else {
        other = level;
        age.y = 1;
      }
    }
  }
  to[at] = (float2)(scenery, other);
  ages_to[at] = age;
  front[at] = away;
  variances[at] = convert_ushort_sat_rte(VARIANCE_UNIT * own);
  if (x % DEVIATION_SPACING == 0 && y % DEVIATION_SPACING == 0) count_deviation(deviation, strays, counts);
}
