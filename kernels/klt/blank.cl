// SPDX-License-Identifier: LGPL-2.1-or-later
// Detects blank frames: black, white, grey or damaged ones, or a covered lens. In a blank frame the
// texture around lost points is gone, and the remaining texture belongs to tracked points. After a
// cut there is other texture. In blank frames points keep their state, and the previous frame's
// pyramid and noise stay.
#include "klt/interface.h"
#include "klt/points.clh"
#include "klt/tuned.clh"
#include "noise/bands.clh"
#include "opticalflow/level.clh"

#define RADIUS_OF_TEXTURE 3
#define TEXELS_OF_TEXTURE 49.0f

// Returns the texture around `at` (x) and the minimum that counts as texture (y).
inline float2 texture_at(__global const float *plane, int4 level, float slope_gain,
                         __global const float *noise, int2 at) {
  float sx = 0.0f, sy = 0.0f, xx = 0.0f, xy = 0.0f, yy = 0.0f;
  for (int y = -RADIUS_OF_TEXTURE; y <= RADIUS_OF_TEXTURE; y++)
    for (int x = -RADIUS_OF_TEXTURE; x <= RADIUS_OF_TEXTURE; x++) {
      __global const float *p =
          plane + texel_index(level, clamp(at + (int2)(x, y), 0, level.xy - 1));
      const float gx = 0.5f * (p[1] - p[-1]), gy = 0.5f * (p[level.z] - p[-level.z]);
      sx += gx, sy += gy, xx += gx * gx, xy += gx * gy, yy += gy * gy;
    }
  const float part = 1.0f / TEXELS_OF_TEXTURE,
              own = plane[texel_index(level, clamp(at, 0, level.xy - 1))];
  const float of_noise =
      ABOVE_NOISE * slope_gain * CORRELATION * noise_variance_at(noise, own) * TEXELS_OF_TEXTURE;
  return (float2)(least_eigenvalue(xx - part * sx * sx, xy - part * sx * sy, yy - part * sy * sy),
                  fmax(of_noise, LEAST_TEXTURE));
}

// True if a window still has texture; `was` is its texture in the previous frame.
inline bool is_textured(float2 is, float2 was) { return is.x > is.y + LEAST_REMAINING * was.x; }

// Decides after tracking whether the frame is blank, and then restores the points and the noise.
// After `max_frames` blank frames in a row the next one does not count as blank. `usual`: the noise
// of the last frame that was not blank. One work-group.
__attribute__((reqd_work_group_size(ONE_GROUP, 1, 1))) __kernel void klt_find_blank(
    __global const float *before, __global const float *after, __global float *noise,
    __global float *usual, __global const TrackedPoint *before_tracking,
    __global TrackedPoints *points, __global int *state, BlankSearch search, __local int *sums) {
  const int4 level = search.level;
  const float slope_gain = search.slope_gain;
  const int slots = search.slots;
  const int item = get_local_id(0), part = (slots + ONE_GROUP - 1) / ONE_GROUP;
  const int first = min(item * part, slots), last = min(first + part, slots);
  int own = 0, both;  // alive in the lower half, lost in the upper half
  for (int i = first; i < last; i++)
    own += points->identity[i].z == LIVE ? 1 : points->identity[i].z == LOST ? 1 << 16 : 0;
  items_before(own, sums, &both);
  const int lost = both >> 16, all = lost + (both & 0xffff), row = state[BLANK_COUNT];
  const bool doubtful =
      row < search.max_frames && lost * (row ? CONTINUE_PARTS : START_PARTS) > all;
  int gone = 0, all_gone, windows = 0,
      all_windows;  // with texture; upper half: with texture in the previous frame
  for (int i = first; i < (doubtful ? last : first); i++) {
    if (points->identity[i].z != LOST) continue;
    const int2 at = convert_int2_rte(before_tracking[i].position.zw);
    gone += !is_textured(texture_at(after, level, slope_gain, usual, at),
                         texture_at(before, level, slope_gain, usual, at));
  }
  items_before(gone, sums, &all_gone);
  for (int i = item; i < (doubtful ? GRID * GRID : 0); i += ONE_GROUP) {
    const int2 at = (2 * (int2)(i % GRID, i / GRID) + 1) * level.xy / (2 * GRID);
    const float2 was = texture_at(before, level, slope_gain, usual, at);
    windows += (is_textured(texture_at(after, level, slope_gain, usual, at), was) ? 1 : 0) +
               (is_textured(was, 0.0f) ? 1 << 16 : 0);
  }
  items_before(windows, sums, &all_windows);
  const int textured = all_windows & 0xffff, before_textured = all_windows >> 16;
  const bool explained = SPARE_PARTS * textured * all <=
                         before_textured * (SPARE_PARTS * TRACKED_FACTOR * (all - lost) + all);
  const bool blank = doubtful && (lost - all_gone) * TEXTURED_PARTS <= lost && explained;
  for (int i = first; i < (blank ? last : first); i++) {
    if (points->identity[i].z != VACANT) store_point(points, i, before_tracking[i]);
  }
  if (item == 0) state[BLANK_COUNT] = blank ? row + 1 : 0;
  for (int i = item; i < NOISE_VALUES; i += ONE_GROUP)
    if (blank)
      noise[i] = usual[i];
    else
      usual[i] = noise[i];
}

// Replaces the pyramid of a blank frame by that of the previous frame. A work-item has 16 texels.
__kernel void klt_keep_pyramid(__global const int *state, __global const float *before,
                               __global float *after, int count) {
  const int i = get_global_id(0);
  if (i < count && state[BLANK_COUNT]) vstore16(vload16(i, before), i, after);
}
