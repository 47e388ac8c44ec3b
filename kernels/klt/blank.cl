// SPDX-License-Identifier: LGPL-2.1-or-later
// Blank frames: black, white or grey ones, damaged ones, or something before the lens. The texture around the lost points is gone, and what
// texture is left belongs to points that are tracked; after a cut it does not. In blank frames the points keep their state, and the previous
// frame's pyramid and noise stay.
#include "klt/interface.h"
#include "klt/points.clh"
#include "noise/bands.clh"
#include "opticalflow/level.clh"

#define RADIUS_OF_TEXTURE 3
#define TEXELS_OF_TEXTURE 49.0f
#define LEAST_TEXTURE 1.0f   // levels², smaller eigenvalue of a window's structure tensor
#define ABOVE_NOISE 1.5f     // or so much above what noise gives
#define MOST_LEFT_OF 0.004f  // of what there was: texture with less is gone
#define GRID 32              // windows along each axis that are compared

// A blank frame loses one in BEGINS points, or one in GOES_ON after another blank one.
#define BEGINS 2
#define GOES_ON 4
// All but one in OF_LOST lost points have lost their texture. At most TRACKED times the share of the tracked points, and one in SPARE, of
// the windows with texture are left.
#define OF_LOST 3
#define TRACKED 2
#define SPARE 32

// The texture around a place, and the least that counts.
inline float2 texture_at(__global const float *plane, int4 level, float slope_gain, __global const float *noise, int2 at) {
  float sx = 0.0f, sy = 0.0f, xx = 0.0f, xy = 0.0f, yy = 0.0f;
  for (int y = -RADIUS_OF_TEXTURE; y <= RADIUS_OF_TEXTURE; y++)
    for (int x = -RADIUS_OF_TEXTURE; x <= RADIUS_OF_TEXTURE; x++) {
      __global const float *p = plane + texel_index(level, clamp(at + (int2)(x, y), 0, level.xy - 1));
      const float gx = 0.5f * (p[1] - p[-1]), gy = 0.5f * (p[level.z] - p[-level.z]);
      sx += gx, sy += gy, xx += gx * gx, xy += gx * gy, yy += gy * gy;
    }
  const float part = 1.0f / TEXELS_OF_TEXTURE, own = plane[texel_index(level, clamp(at, 0, level.xy - 1))];
  const float of_noise = ABOVE_NOISE * slope_gain * CORRELATION * noise_variance_at(noise, own) * TEXELS_OF_TEXTURE;
  return (float2)(least_eigenvalue(xx - part * sx * sx, xy - part * sx * sy, yy - part * sy * sy), fmax(of_noise, LEAST_TEXTURE));
}

// Whether there is texture in a frame where `was` is that of the previous frame.
inline bool is_textured(float2 is, float2 was) { return is.x > is.y + MOST_LEFT_OF * was.x; }

// After tracking: decides whether the frame is blank, unless so many were in a row, and then restores the points and the noise. `usual`: the
// noise of the last frame that was not blank.
__attribute__((reqd_work_group_size(ONE_GROUP, 1, 1)))
__kernel void klt_find_blank(__global const float *before, __global const float *after, __global float *noise, __global float *usual,
                             __global const TrackedPoint *saved, __global float4 *place, __global float4 *motion, __global int4 *who,
                             __global float4 *form, __global int *state, BlankSearch search, __local int *sums) {
  const int4 level = search.level;
  const float slope_gain = search.slope_gain;
  const int slots = search.slots;
  const int item = get_local_id(0), part = (slots + ONE_GROUP - 1) / ONE_GROUP;
  const int first = min(item * part, slots), last = min(first + part, slots);
  int own = 0, both;  // alive, and lost above
  for (int i = first; i < last; i++) own += who[i].z == LIVE ? 1 : who[i].z == LOST ? 1 << 16 : 0;
  items_before(own, sums, &both);
  const int lost = both >> 16, all = lost + (both & 0xffff), row = state[BLANK];
  const bool doubtful = row < search.most && lost * (row ? GOES_ON : BEGINS) > all;
  int gone = 0, all_gone, windows = 0, all_windows;  // with texture, and with it in the previous frame above
  for (int i = first; i < (doubtful ? last : first); i++) {
    if (who[i].z != LOST) continue;
    const int2 at = convert_int2_rte(saved[i].place.zw);
    gone += !is_textured(texture_at(after, level, slope_gain, usual, at), texture_at(before, level, slope_gain, usual, at));
  }
  items_before(gone, sums, &all_gone);
  for (int i = item; i < (doubtful ? GRID * GRID : 0); i += ONE_GROUP) {
    const int2 at = (2 * (int2)(i % GRID, i / GRID) + 1) * level.xy / (2 * GRID);
    const float2 was = texture_at(before, level, slope_gain, usual, at);
    windows += (is_textured(texture_at(after, level, slope_gain, usual, at), was) ? 1 : 0) + (is_textured(was, 0.0f) ? 1 << 16 : 0);
  }
  items_before(windows, sums, &all_windows);
  const int textured = all_windows & 0xffff, before_textured = all_windows >> 16;
  const bool explained = SPARE * textured * all <= before_textured * (SPARE * TRACKED * (all - lost) + all);
  const bool blank = doubtful && (lost - all_gone) * OF_LOST <= lost && explained;
  for (int i = first; i < (blank ? last : first); i++) {
    if (who[i].z == VACANT) continue;
    place[i] = saved[i].place, motion[i] = saved[i].motion, form[i] = saved[i].form, who[i] = saved[i].who;
  }
  if (item == 0) state[BLANK] = blank ? row + 1 : 0;
  for (int i = item; i < NOISE_VALUES; i += ONE_GROUP)
    if (blank)
      noise[i] = usual[i];
    else
      usual[i] = noise[i];
}

// In a blank frame the pyramid of the previous one takes the place of its own. Items: 16 texels.
__kernel void klt_keep_pyramid(__global const int *state, __global const float *before, __global float *after, int count) {
  const int i = get_global_id(0);
  if (i < count && state[BLANK]) vstore16(vload16(i, before), i, after);
}
