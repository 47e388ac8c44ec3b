// SPDX-License-Identifier: LGPL-2.1-or-later
// The background model has two levels per pixel and their ages in frames. It moves with the camera.
// The levels are the background, which was seen longest, and a candidate that may replace it. A
// pixel that matches neither is foreground (Yi et al. 2013). docs/methods/objects.md has the rules.
#include "camera/interface.h"
#include "camera/rows.clh"
#include "camera/sample.clh"
#include "camera/similarity.clh"
#include "noise/bands.clh"
#include "noise/flicker.clh"
#include "objects/deviation.clh"
#include "objects/regionlist.clh"
#include "objects/tuned.clh"

// Interpolates by the cubic of Catmull and Rom along both axes, which stays sharp after repeated
// resampling.
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
    sum += parts[j] * (across.x * row[columns.x] + across.y * row[columns.y] +
                       across.z * row[columns.z] + across.w * row[columns.w]);
  }
  return sum;
}

// Updates the model with a frame. Levels are (background, candidate).
// `current`: the reduced frame. `foreground`: before, the marks of objects_overlay; after, 0 for
// background, OVERLAY, otherwise the distance from the background in eighths of the bound.
// `regions`: those of the previous frame. After `deviation` there is a float2 per cell of
// BOUNDS_CELL px a side. It replaces `deviations` and `edges` of the update, unless it is below 0.
// A work-item per pixel.
__kernel void objects_background(__global const float2 *levels_before,
                                 __global const PixelHistory *history_before,
                                 __global float2 *levels_after,
                                 __global PixelHistory *history_after,
                                 __global const float *current, __global const CameraState *state,
                                 __global const NoiseState *noise,
                                 __global const RegionList *regions, __global const float *rows,
                                 __global uchar *foreground, __global Deviation *deviation,
                                 BackgroundUpdate update) {
  const int x = get_global_id(0), y = get_global_id(1);
  const FrameGeometry frame = update.frame;
  const int2 size = frame.size;
  if (x >= size.x || y >= size.y) return;
  const int at = y * size.x + x;
  float deviations = update.deviations, edges = update.edges;
  if (update.own_bounds) {
    const int columns = (size.x + BOUNDS_CELL - 1) / BOUNDS_CELL;
    const float2 own =
        ((__global const float2 *)(deviation + 1))[y / BOUNDS_CELL * columns + x / BOUNDS_CELL];
    if (own.x >= 0.0f) deviations = own.x, edges = own.y;
  }
  const float2 z = (float2)(x, y) - frame.centre;
  const float2 old = unbent(state->from_background, state->bend_background, z) + frame.centre,
               here = bent(state->from_frame, state->bend_frame, z) + frame.centre;
  const uchar mark = foreground[at];
  const bool visible = inside(here, size) && mark != OVERLAY,
             has_background = inside(old, size) && !state->model_empty && mark != OVERLAY;

  float4 parts;
  int4 corners = around(here, size, &parts);
  float4 levels =
      (float4)(current[corners.x], current[corners.y], current[corners.z], current[corners.w]);
  const float level = dot(parts, levels);

  corners = around(old, size, &parts);
  const float2 a = levels_before[corners.x], b = levels_before[corners.y],
               c = levels_before[corners.z], d = levels_before[corners.w];
  const bool resampled =
      any(state->from_background.zw != 0.0f) || any(state->bend_background != 0.0f);
  const float2 interpolated = resampled ? cubic(levels_before, size, old)
                                        : parts.x * a + parts.y * b + parts.z * c + parts.w * d;
  const float row = brightness_of_row(rows, update.bands, here.y);
  const float2 expected = row * (state->fit.gain * interpolated + state->fit.offset);
  const int2 nearest = clamp(convert_int2_rte(old), (int2)(0), size - 1);
  const PixelHistory history = history_before[nearest.y * size.x + nearest.x];
  uchar2 age = history.ages;
  float background = expected.x;
  // The candidate is not interpolated, because neighbours may have none.
  float candidate =
      row * (state->fit.gain * levels_before[nearest.y * size.x + nearest.x].y + state->fit.offset);
  const float4 corner_levels = (float4)(a.x, b.x, c.x, d.x);
  const float contrast =
      fmax(fmax(corner_levels.x, corner_levels.y), fmax(corner_levels.z, corner_levels.w)) -
      fmin(fmin(corner_levels.x, corner_levels.y), fmin(corner_levels.z, corner_levels.w));
  uchar eighths = 0;
  // Bent pictures are aligned only to a pixel, so levels of neighbours match too.
  const float slack =
      clamp(length(state->bend_background) * frame.radius * frame.radius - 0.5f, 0.0f, 1.0f);
  float least = background, most = background;
  for (int k = 0; k < 9 && slack > 0.0f; k++) {
    const int2 neighbour = clamp(nearest + (int2)(k % 3 - 1, k / 3 - 1), (int2)(0), size - 1);
    const float neighbour_level =
        row *
        (state->fit.gain * levels_before[neighbour.y * size.x + neighbour.x].x + state->fit.offset);
    least = fmin(least, mix(background, neighbour_level, slack)),
    most = fmax(most, mix(background, neighbour_level, slack));
  }
  if (interpolated.x >= SATURATED) most = fmax(most, level);
  if (level >= SATURATED) least = fmin(least, level);
  const int slowest =
      max(resampled ? 0 : (int)(MEAN_FRAMES / (1.0f + FOLLOWS_LIGHT * state->brightness_peak)),
          MEAN_FRAMES / 4);
  float variance_here = has_background ? history.variance / VARIANCE_UNIT : 0.0f;
  bool counts = false;
  float excess = 0.0f;
  if (!has_background || age.x == 0) {
    background = level, candidate = variance_here = 0.0f;
    age = (uchar2)(visible ? 1 : 0, 0);
  } else if (visible) {
    const float variance = update.noise_gain * CORRELATION *
                               noise_variance_at(noise->variances, level) * (1.0f + 1.0f / age.x) +
                           fmax(coding_variance(noise->variances), LEAST_CODING) +
                           (1.0f - noise->flicker.camera_motion) * noise->flicker.variance;
    const float scene =
        update.measured * (1.0f - noise->flicker.camera_motion) * deviation->deviation;
    const float noise_bound = deviations * sqrt(variance),
                compression = deviations * clamp(sqrt(variance_here), scene, MAX_OWN_PART * scene),
                explained = (resampled ? RESAMPLED_EDGES : 1.0f) * edges * contrast +
                            LAG_PART * (state->brightness_peak + rows[SWING] * background),
                bound = fmax(noise_bound, compression) + explained,
                faint_bound = fmax(FAINT_PART * noise_bound, compression) + explained;
    const float distance = fmax(fmax(level - most, least - level), 0.0f);
    excess = fmax(distance - explained, 0.0f);
    counts = age.x >= YOUNG_AGE && excess < MAX_EXCESS && noise->flicker.camera_motion < 0.5f;
    if (counts) variance_here += (excess * excess - variance_here) / VARIANCE_FRAMES;
    // In the boxes of the last frame's regions a lower bound suffices, and an object must not
    // become background.
    const bool near_motion = (distance > faint_bound || age.x < 2 * YOUNG_AGE) &&
                             in_region(regions, min(regions->count, MAX_REGIONS), nearest);
    if (distance <= (near_motion ? faint_bound : bound)) {
      age.x = near_motion && age.x + 1 >= YOUNG_AGE && age.x < 2 * YOUNG_AGE
                  ? YOUNG_AGE - 1
                  : min(age.x + 1, MAX_AGE);
      background += (level - background) / min((int)age.x, slowest);
    } else {
      eighths = convert_uchar_sat(8.0f * distance / bound);
      if (age.x < YOUNG_AGE) {
        // A young pixel in an older model is not foreground.
        if (state->frames > 2 * YOUNG_AGE && !near_motion) eighths = 0;
        background = level;
        age = (uchar2)(1, 0);
      } else if (age.y && fabs(level - candidate) <= bound) {
        age.y = min(age.y + 1, MAX_AGE);
        candidate += (level - candidate) / min((int)age.y, MEAN_FRAMES);
        if (age.y >= min((int)age.x, max(slack > 0.5f ? CANDIDATE_FRAMES_BENT : CANDIDATE_FRAMES,
                                         age.x / CANDIDATE_AGES))) {
          const float was = background;
          background = candidate, candidate = was;
          age = age.yx;
          eighths = 0;
        }
      } else if (age.y > 3) {
        age.y /= 2;
      } else {
        candidate = level;
        age.y = 1;
      }
    }
  }
  levels_after[at] = (float2)(background, candidate);
  history_after[at].ages = age;
  history_after[at].variance = convert_ushort_sat_rte(VARIANCE_UNIT * variance_here);
  foreground[at] = mark == OVERLAY    ? OVERLAY
                   : mark == DOUBTFUL ? min(eighths, (uchar)DOUBTFUL_EIGHTHS)
                                      : eighths;
  if (x % DEVIATION_SPACING == 0 && y % DEVIATION_SPACING == 0)
    count_deviation(deviation, excess, counts);
}
