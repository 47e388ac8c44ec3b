// SPDX-License-Identifier: LGPL-2.1-or-later
// Tracks points from the previous frame to this one, coarse to fine (Lucas and Kanade 1981; Tomasi
// and Kanade 1991). A group of -DLANES=n items has one point.
#include "common/bands.clh"
#include "klt/interface.h"
#include "klt/points.clh"
#include "klt/tuned.clh"
#include "noise/bands.clh"

#define KEEP_ALL 255.0f  // levels; this limit keeps all points that stay in the frame

#include "klt/template.clh"

#define MAGNITUDE 0.8f  // the mean magnitude of noise of variance 1

typedef struct {
  bool good, has_texture;  // `has_texture`: the window has enough texture to track
  float2 shift;
  float residue;
  float3 tensor;  // xx, xy, yy over the window, about the mean
} Found;

inline float coding_of(__global const float *noise) {
  return fmax(coding_variance(noise) - LEAST_CODING, 0.0f);
}

// The maximum mean residual of a window with this variance, in noise of this variance. `part`:
// relative to the window's deviation.
inline float limit_of(float most, float part, float variance, float noise) {
  return fmin(most, part * sqrt(variance)) + MAGNITUDE * sqrt(noise);
}

// Tracks the point `from` of one frame into another. On each level the window around it in the
// first frame is moved over the second. It moves until the residual is uncorrelated with the
// window's slopes. On the finest level the mean and deviation of both are equalised. On other
// levels only if `equalize` is 1, because distant points are found without. Levels with too little
// texture are skipped, except the finest. `guess`: the start, relative to `from`.
inline Found track_window(__global const float *before, __global const float *after,
                          __constant int4 *levels, __constant Gain *gains, int count, float2 from,
                          float2 guess, float equalize, int radius, TrackingLimits search,
                          __global const float *noise, __local float *patch, __local float4 *sums) {
  const int side = 2 * radius + 1, wide = side + 2, pitch = patch_pitch(side);
  Found found = {false, false, ldexp(guess, -count), 0.0f, 0.0f};
  for (int number = count - 1; number >= 0; number--) {
    const int4 level = levels[number];
    const float2 centre = ldexp(from, -number), base = floor(centre), between_them = centre - base;
    const int2 origin = convert_int2(base) - radius - 1;
    SYNC;
#if LANES > 1
    FOR_LANES(i, wide * wide) {
      const int2 at = (int2)(i % wide, i / wide);
      patch[at.y * pitch + at.x] = sample_bilinear(before, level, origin + at, between_them);
    }
#else
    for (int y = 0; y < wide; y++)
      for (int x = 0; x < pitch; x += 8)
        STORE_EIGHT(patch + y * pitch + x,
                    sample_bilinear(before, level, origin + (int2)(x, y), between_them));
#endif
    SYNC;
    const float middle = patch[(radius + 1) * (pitch + 1)];
    const int2 first = max(-origin, 0), last = min(level.xy - 3 - origin, side);
    FLOATS counted = 0.0f, values = 0.0f, squares = 0.0f, sx = 0.0f, sy = 0.0f, vx = 0.0f,
           vy = 0.0f, txx = 0.0f, txy = 0.0f, tyy = 0.0f;
    FOR_WINDOW(n, side) {
      const Part cell = part_of(n, side);
      const Samples s = samples(patch, pitch, cell, middle, first, last);
      counted += s.counts, values += s.value, squares += s.value * s.value;
      sx += s.x, sy += s.y, vx += s.value * s.x, vy += s.value * s.y;
      txx += s.x * s.x, txy += s.x * s.y, tyy += s.y * s.y;
    }
    const float4 moments =
        sum_of((float4)(TOTAL(counted), TOTAL(values), TOTAL(squares), 0.0f), sums);
    const float4 slopes = sum_of((float4)(TOTAL(sx), TOTAL(sy), TOTAL(vx), TOTAL(vy)), sums);
    const float4 tensor = sum_of((float4)(TOTAL(txx), TOTAL(txy), TOTAL(tyy), 0.0f), sums);
    const float flat = number ? equalize : 1.0f;
    const float texels = fmax(moments.x, 1.0f), mean = moments.y / texels,
                variance = fmax(moments.z / texels - mean * mean, 0.0f);
    const float2 part = flat * slopes.xy / texels;
    const float xx = tensor.x - part.x * slopes.x, xy = tensor.y - part.x * slopes.y,
                yy = tensor.z - part.y * slopes.y, determinant = xx * yy - xy * xy;
    const float own = CORRELATION * noise_variance_at(noise, middle);
    const float2 start = 2.0f * found.shift;
    found.shift = start;
    bool good = moments.x >= LEAST_PART * side * side && determinant > LEAST_DETERMINANT &&
                least_eigenvalue(xx, xy, yy) >
                    (1.0f + TRACKING_SCATTER / side) * gains[number].slope * own * texels;
    found.has_texture = good;
    // An item's first part of a window stays in its registers.
    const Part own_part = part_of(LANE, side);
    const Samples own_samples = samples(patch, pitch, own_part, middle, first, last);
    const float per_texel = 1.0f / texels, per_determinant = 1.0f / determinant;
    float gain = 1.0f, other = 0.0f;
    bool moves = good;
    for (int step = 0; step < search.iterations && moves; step++) {
      const float2 to = centre + found.shift, corner = floor(to), rest = to - corner;
      const int2 lead = convert_int2(corner) - radius;
      FLOATS value = 0.0f, square = 0.0f, ex = 0.0f, ey = 0.0f;
      FOR_WINDOW(n, side) {
        Part cell = own_part;
        Samples s = own_samples;
        if (LANES == 1 || n != (int)LANE)
          cell = part_of(n, side), s = samples(patch, pitch, cell, middle, first, last);
        const FLOATS seen =
            s.counts * (sample_bilinear_parts(after, level, lead, cell, rest) - middle);
        value += seen, square += seen * seen, ex += seen * s.x, ey += seen * s.y;
      }
      const float4 sum = sum_of((float4)(TOTAL(value), TOTAL(square), TOTAL(ex), TOTAL(ey)), sums);
      other = sum.x * per_texel;
      const float deviation = fmax(sum.y * per_texel - other * other, 1e-6f);
      gain = flat > 0.0f ? clamp(sqrt(variance / deviation), 1.0f / MOST_GAIN, MOST_GAIN) : 1.0f;
      const float2 left = slopes.zw - gain * sum.zw - flat * (mean - gain * other) * slopes.xy;
      const float2 more =
          (float2)(yy * left.x - xy * left.y, xx * left.y - xy * left.x) * per_determinant;
      found.shift += more;
      good = all(fabs(found.shift - start) <= (float)side);
      moves = good && dot(more, more) > ENOUGH * ENOUGH;
    }
    if (!good) found.shift = start;
    if (number == 0) {
      found.tensor = (float3)(xx, xy, yy);
      const float2 to = centre + found.shift, corner = floor(to), rest = to - corner;
      const int2 lead = convert_int2(corner) - radius;
      FLOATS sum = 0.0f;
      FOR_WINDOW(n, side) {
        const Part cell = part_of(n, side);
        const Samples s = samples(patch, pitch, cell, middle, first, last);
        const FLOATS seen = sample_bilinear_parts(after, level, lead, cell, rest) - middle;
        sum += s.counts * fabs(s.value - mean - gain * (seen - other));
      }
      found.residue = sum_of((float4)(TOTAL(sum), 0.0f, 0.0f, 0.0f), sums).x / texels;
      found.good =
          good && found.residue <= limit_of(search.residue, MOST_RESIDUAL, variance,
                                            2.0f * (gains[0].texel * own + coding_of(noise)));
    }
  }
  return found;
}

inline bool in_frame(float2 at, int4 level) {
  return all(at >= (float)FRAME_MARGIN) && all(at <= convert_float2(level.xy - 1 - FRAME_MARGIN));
}

#if LANES == 1
// SPIR-V has no prefetch, and Mesa's compiler fails on it, so only some CPUs use it.
#if defined(__has_builtin) && (defined(__x86_64__) || defined(__aarch64__))
#if __has_builtin(__builtin_prefetch)
#define FETCH(p) __builtin_prefetch((const void *)(size_t)(p))
#endif
#endif
#ifndef FETCH
#define FETCH(p)
#endif
// Prefetches the windows of another point of the band in both frames. They may lie anywhere.
#define END_OF_BAND ((int)(get_global_offset(1) + get_num_groups(1)))
inline void fetch_ahead(__global const float *before, __global const float *after,
                        __constant int4 *levels, int count, __global const TrackedPoints *points,
                        int slot, int radius) {
  if (slot >= END_OF_BAND) return;
  const float2 at = points->position[slot].zw, velocity = points->motion[slot].xy;
  for (int number = count - 1; number >= 0; number--) {
    const int4 level = levels[number];
    const int2 from = convert_int2(ldexp(at, -number)) - radius,
               to = convert_int2(ldexp(at + velocity, -number)) - radius;
    for (int y = -1; y < 2 * radius + 2; y++) {
      FETCH(before + texel_index(level, clamp(from + (int2)(0, y), -1, level.xy)));
      FETCH(after + texel_index(level, clamp(to + (int2)(0, y), -1, level.xy)));
    }
  }
}
// Prefetches a point's template and the window that will be compared with it.
inline void fetch_template(__global const float *after, int4 level,
                           __global const TrackedPoints *points, __global const float *templates,
                           int slot, int radius) {
  if (slot >= END_OF_BAND) return;
  const int side = 2 * radius + 1;
  const int2 to = convert_int2(points->position[slot].zw) - radius;
  for (int y = -1; y <= side; y++)
    FETCH(after + texel_index(level, clamp(to + (int2)(0, y), -1, level.xy)));
  for (int i = 0; i < patch_pitch(side) * (side + 2); i += 16)
    FETCH(templates + (size_t)slot * TEMPLATE + i);
}
#else
#define fetch_ahead(before, after, levels, count, points, slot, radius)
#define fetch_template(after, level, points, templates, slot, radius)
#endif

// Texels by which a window's radius grows so that noise moves its point less. `eigenvalue`: of a
// window of 7×7 px.
inline int window_growth(float eigenvalue, float noise, int radius) {
  const float side = 7.0f * sqrt(2.0f * noise / fmax(eigenvalue, 1e-6f)) / LEAST_DEVIATION;
  return clamp((int)ceil(0.5f * (fmin(side, 2.0f * MOST_RADIUS + 1.0f) - 1.0f)) - radius, 0,
               MOST_RADIUS - radius);
}

// Tracks a live point over `steps` frames, of which all but one were blank. Its motion then holds
// the window's tensor and the residual.
inline TrackedPoint track(__global const float *before, __global const float *after,
                          __constant int4 *levels, __constant Gain *gains, int count,
                          TrackingLimits search, __global const float *noise, int steps,
                          TrackedPoint point, __local float *patch, __local float4 *sums) {
  const int4 level = levels[0];
  const float2 was = point.position.zw;
  const float4 velocity = point.motion * (float4)(steps, steps, 1.0f, 1.0f);
  // It has no branches before barriers, because PoCL 3.1 miscompiles such loops.
  const int needed = window_growth(
      velocity.w, CORRELATION * noise_variance(noise) + coding_of(noise), search.radius);
  point.similarity = select((float4)(1.0f, 0.0f, 0.0f, needed), point.similarity,
                            (int4)(point.identity.y > 0 ? -1 : 0));
  const int radius = min(search.radius + (int)point.similarity.w, MOST_RADIUS);
  // The search starts at the position predicted from the point's motion. If it fails, the next one
  // allows for changing brightness. For a fast point the third starts from the previous position,
  // unless the predicted one is outside the frame. The last search omits the coarser levels, which
  // brightness that differs from row to row misleads.
  const bool fast = dot(point.motion.xy, point.motion.xy) >= LEAST_SPEED * LEAST_SPEED;
  const int tries = fast && in_frame(was + velocity.xy, level) ? 4 : 3;
  const bool all_kept = search.residue >= KEEP_ALL;
  Found found;
  found.good = found.has_texture = false;
  float2 guess = 0.0f;
  float equalize = 0.0f;
  int used = count;
  for (int i = 0; i < tries && !found.good; i++) {
    const float2 next_guess = i < 2 && fast ? velocity.xy : 0.0f;
    const float next_equalize = i ? 1.0f : 0.0f;
    const int next_count = i < tries - 1 ? count : 1;
    Found next = track_window(before, after, levels, gains, next_count, was, next_guess,
                              next_equalize, radius, search, noise, patch, sums);
    const bool stays = in_frame(was + next.shift, level);
    next.good = next.good && stays, next.has_texture = next.has_texture && stays && all_kept;
    // If no result is good, the one with the least residual counts.
    if (i == 0 || next.good ||
        (next.has_texture && (!found.has_texture || next.residue < found.residue)))
      found = next, guess = next_guess, equalize = next_equalize, used = next_count;
  }
  found.good = found.good || found.has_texture;
  const float2 now = was + found.shift;
  if (search.check && found.good) {
    const Found back = track_window(after, before, levels, gains, used, now, -guess, equalize,
                                    radius, search, noise, patch, sums);
    const float2 miss = found.shift + back.shift;
    found.good = back.good && dot(miss, miss) <= MOST_BACK * MOST_BACK;
  }
  point.position.zw = now;
  point.motion = (float4)(found.tensor, found.residue);
  point.identity.z = found.good ? LIVE : LOST;
  return point;
}

// Compares a live point with its template after tracking. Stores the template of a point that was
// selected in the previous frame. Marks the pixels around points by the occupancy mark. The limit
// of the residual grows with the mean residual in the previous frame, as encoder errors do.
inline TrackedPoint compare(__global const float *before, __global const float *after, int4 level,
                            Gain gain, TrackingLimits search, __global const float *noise,
                            __global int *state, __global ushort *occupancy, TrackedPoint point,
                            __global float *stored, __global int4 *template_window,
                            __local float *patch, __local float4 *sums) {
  const bool selected = point.identity.y == 0;
  const float2 was = point.position.xy, now = point.position.zw;
  const float4 tensor = point.motion, own = point.similarity;
  const int4 here = (int4)(convert_int2(was), min(search.radius + (int)own.w, MOST_RADIUS), 0);
  const int4 window = select(*template_window, here, (int4)(selected ? -1 : 0));
  const int radius = window.z, side = 2 * radius + 1, pitch = patch_pitch(side);
  const int2 origin = window.xy - radius - 1, first = max(-origin, 0),
             last = min(level.xy - 3 - origin, side);
  SYNC;
#if LANES > 1
  FOR_LANES(i, pitch * (side + 2)) {
    const int2 at = clamp(origin + (int2)(i % pitch, i / pitch), -1, level.xy);
    const float seen = before[texel_index(level, at)],
                texel = select(stored[i], seen, selected ? -1 : 0);
    patch[i] = texel;
    stored[i] = texel;
  }
#else
  for (int y = 0; y < side + 2; y++)
    for (int x = 0; x < pitch; x += 8) {
      __global float *texel = stored + y * pitch + x;
      if (selected) STORE_GLOBAL_EIGHT(texel, texels(before, level, origin + (int2)(x, y)));
      STORE_EIGHT(patch + y * pitch + x, GLOBAL_EIGHT(texel));
    }
#endif
  SYNC;
  const float own_noise = 2.0f * (gain.texel * CORRELATION *
                                      noise_variance_at(noise, patch[(radius + 1) * (pitch + 1)]) +
                                  coding_of(noise));
  const Fitted fit = fit_template(patch, radius, first, last, after, level, now, own.xy,
                                  selected ? -1 : search.iterations, own_noise, sums);
  const float part =
      clamp(USUAL_FACTOR / 1024.0f * state[USUAL_RESIDUAL], MOST_RESIDUAL, MOST_NOISY_RESIDUAL);
  const bool same = fit.good &&
                    fit.residue <= limit_of(search.residue, part, fit.variance, own_noise) &&
                    in_frame(fit.at, level);
  const float2 found = !selected && same ? fit.at : now;
  const float4 doubted = own + (float4)(0.0f, 0.0f, 1.0f, 0.0f),
               fitted = (float4)(fit.similarity, 0.0f, own.w);
  point.similarity = selected ? own : same ? fitted : doubted;
  const bool good = point.similarity.z <= (float)MOST_DOUBTS || search.residue >= KEEP_ALL;
  const float2 away = found - was;
  const float level_noise = CORRELATION * noise_variance(noise) + coding_of(noise);
  const float evidence =
      tensor.x * away.x * away.x + 2.0f * tensor.y * away.x * away.y + tensor.z * away.y * away.y;
  const float2 reported = evidence > 2.0f * STATIC_SIGNIFICANCE * level_noise ? found : was;
  SYNC;
  if (LANE == 0) *template_window = window;
  if (LANE == 0 && !selected && fit.good) {
    atomic_add(&state[RESIDUAL_SUM], (int)(1024.0f * fmin(fit.residue / sqrt(fit.variance), 1.0f)));
    atomic_inc(&state[FIT_COUNT]);
  }
  if (good) {
    const int across = 2 * search.reach + 1;
    const int2 corner = convert_int2_rte(reported) - search.reach;
    FOR_LANES(i, across * across) {
      const int2 at = corner + (int2)(i % across, i / across);
      if (all(at >= 0) && all(at < level.xy))
        occupancy[at.y * level.x + at.x] = search.occupancy_mark;
    }
  }
  point.position = (float4)(reported, found);
  point.motion = (float4)((reported - was) / (1.0f + state[BLANK_COUNT]), tensor.w,
                          least_eigenvalue(tensor.x, tensor.y, tensor.z));
  point.identity.y++;
  point.identity.z = good ? LIVE : LOST;
  return point;
}

// One group per slot, along y. `before_tracking`: the points before tracking. With -DSPLIT there
// are two kernels, because PoCL 3.1 never finishes compiling both parts in one kernel with
// barriers.
#ifndef SPLIT
__kernel void klt_follow(__global const float *before, __global const float *after,
                         __constant int4 *levels, __constant Gain *gains,
                         __global const float *noise, __global int *state,
                         __global TrackedPoints *points, __global TrackedPoint *before_tracking,
                         __global ushort *occupancy, __global float *templates,
                         __global int4 *windows, TrackingLimits search) {
  __local float patch[TEMPLATE];
  __local float4 sums[LANES];
  const int slot = GROUP_ROW, count = search.levels;
  TrackedPoint point = load_point(points, slot);
  fetch_ahead(before, after, levels, count, points, slot + 1, search.radius);
  fetch_template(after, levels[0], points, templates, slot + 1, search.radius);
  if (point.identity.z == LIVE) {
    if (LANE == 0) before_tracking[slot] = point;
    point = track(before, after, levels, gains, count, search, noise, 1 + state[BLANK_COUNT], point,
                  patch, sums);
    if (point.identity.z == LIVE)
      point = compare(before, after, levels[0], gains[0], search, noise, state, occupancy, point,
                      templates + (size_t)slot * TEMPLATE, windows + slot, patch, sums);
    if (LANE == 0) store_point(points, slot, point);
  }
}
#else
__kernel void klt_track(__global const float *before, __global const float *after,
                        __constant int4 *levels, __constant Gain *gains,
                        __global const float *noise, __global int *state,
                        __global TrackedPoints *points, __global TrackedPoint *before_tracking,
                        TrackingLimits search) {
  __local float patch[TEMPLATE];
  __local float4 sums[LANES];
  const int slot = GROUP_ROW, count = search.levels;
  TrackedPoint point = load_point(points, slot);
  if (point.identity.z == LIVE) {
    if (LANE == 0) before_tracking[slot] = point;
    point = track(before, after, levels, gains, count, search, noise, 1 + state[BLANK_COUNT], point,
                  patch, sums);
    SYNC;
    if (LANE == 0) store_point(points, slot, point);
  }
}

__kernel void klt_compare(__global const float *before, __global const float *after, int4 level,
                          Gain gain, __global const float *noise, __global int *state,
                          __global TrackedPoints *points, __global ushort *occupancy,
                          __global float *templates, __global int4 *windows,
                          TrackingLimits search) {
  __local float patch[TEMPLATE];
  __local float4 sums[LANES];
  const int slot = GROUP_ROW;
  TrackedPoint point = load_point(points, slot);
  if (point.identity.z == LIVE) {
    point = compare(before, after, level, gain, search, noise, state, occupancy, point,
                    templates + (size_t)slot * TEMPLATE, windows + slot, patch, sums);
    if (LANE == 0) store_point(points, slot, point);
  }
}
#endif
