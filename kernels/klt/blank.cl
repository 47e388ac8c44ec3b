// SPDX-License-Identifier: LGPL-2.1-or-later
// Detects blank frames: black, white, grey or damaged ones, or a covered lens. In a blank
// frame the texture around lost points is gone, and the remaining texture belongs to tracked
// points. After a cut there is other texture. In blank frames
// points keep their state, and the previous frame's pyramid and noise stay. If points were lost
// over some frames, as a hand comes before the lens, all is compared with a scene that was kept
// before. A flash that saturates parts of the picture is blank too, for a few frames: what else is
// visible agrees with the previous frame.
#include "klt/interface.h"
#include "klt/points.clh"
#include "klt/tuned.clh"
#include "klt/view.clh"
#include "noise/bands.clh"

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
// of the last frame that was not blank. `kept`, `kept_points`: the kept scene. One work-group.
__attribute__((reqd_work_group_size(ONE_GROUP, 1, 1))) __kernel void klt_find_blank(
    __global const float *before, __global const float *after, __global const float *kept,
    __global float *noise, __global float *usual, __global const TrackedPoint *before_tracking,
    __global const TrackedPoints *kept_points, __global TrackedPoints *points, __global int *state,
    BlankSearch search, __local int *sums) {
  __local ViewMemory memory;
  const int4 level = search.level;
  const float slope_gain = search.slope_gain;
  const int slots = search.slots;
  const int item = get_local_id(0), part = (slots + ONE_GROUP - 1) / ONE_GROUP;
  const int first = min(item * part, slots), last = min(first + part, slots);
  int own = 0, both;  // alive in the lower half, lost in the upper half
  int of_kept = 0, both_of_kept;
  for (int i = first; i < last; i++) {
    const int4 now = points->identity[i], then = kept_points->identity[i];
    own += now.z == LIVE ? 1 : now.z == LOST ? 1 << 16 : 0;
    of_kept += then.z != LIVE ? 0 : now.z == LIVE && now.x == then.x ? 1 : 1 << 16;
  }
  items_before(own, sums, &both);
  items_before(of_kept, sums, &both_of_kept);
  const int usual_row = state[BLANK_COUNT], age = state[KEPT_AGE];
  const int kept_lost = both_of_kept >> 16, kept_left = both_of_kept & 0xffff;
  // Many were lost before this frame.
  const bool returns = search.has_kept && usual_row == 0 && age > 0 && age <= KEPT_FRAMES &&
                       kept_lost > KEPT_PARTS * (both >> 16);
  const int row = returns ? age : usual_row;
  const int lost = returns ? kept_lost : both >> 16,
            all = lost + (returns ? kept_left : both & 0xffff);
  __global const float *was_plane = returns ? kept : before;
  const bool doubtful =
      row < search.max_frames && lost * (usual_row ? CONTINUE_PARTS : START_PARTS) > all;
  int gone = 0, all_gone, windows = 0,
      all_windows;  // with texture; upper half: with texture in the previous frame
  for (int i = first; i < (doubtful ? last : first); i++) {
    const int4 now = points->identity[i], then = kept_points->identity[i];
    const bool is_lost =
        returns ? then.z == LIVE && (now.z != LIVE || now.x != then.x) : now.z == LOST;
    const int2 at =
        convert_int2_rte(returns ? kept_points->position[i].zw : before_tracking[i].position.zw);
    if (is_lost)
      gone += !is_textured(texture_at(after, level, slope_gain, usual, at),
                           texture_at(was_plane, level, slope_gain, usual, at));
  }
  for (int i = item; i < (doubtful ? GRID * GRID : 0); i += ONE_GROUP) {
    const int2 at = (2 * (int2)(i % GRID, i / GRID) + 1) * level.xy / (2 * GRID);
    const float2 was = texture_at(was_plane, level, slope_gain, usual, at);
    const bool had = is_textured(was, 0.0f);
    const bool has = is_textured(texture_at(after, level, slope_gain, usual, at), was);
    windows += (has ? 1 : 0) + (had ? 1 << 16 : 0);
  }
  items_before(gone, sums, &all_gone);
  items_before(windows, sums, &all_windows);
  const int textured = all_windows & 0xffff, before_textured = all_windows >> 16;
  const bool explained = SPARE_PARTS * textured * all <=
                         before_textured * (SPARE_PARTS * TRACKED_FACTOR * (all - lost) + all);
  const int seen = lost - all_gone;
  // Another scene after a blank frame has texture in most places.
  const bool hides =
      usual_row > 0 && 3 * seen <= lost && HIDDEN_PARTS * textured <= before_textured;
  const bool hidden = doubtful && ((seen * TEXTURED_PARTS <= lost && explained) || hides);
  // A flash, a fast pan or a cut.
  const int lost_now = both >> 16, all_now = lost_now + (both & 0xffff);
  const bool suspected = !hidden && search.max_frames > 0 && all_now >= CUT_LEAST &&
                         lost_now * CONTINUE_PARTS > all_now;
  const ViewMatch match = match_views(before, after, search.coarse, suspected, &memory);
  const bool flash = suspected && match.in_place >= (int)(SAME_VIEW * VIEW_UNIT) &&
                     match.brightened * BRIGHT_PARTS >= VIEW_CELLS;
  const bool shifted = match.best >= (int)(SHIFTED_VIEW * VIEW_UNIT) &&
                       match.best - match.others >= (int)(CLEAR_SHIFT * VIEW_UNIT);
  const bool blank = hidden || (flash && usual_row < FLASH_FRAMES), is_kept = hidden && returns;
  for (int i = first; i < (blank ? last : first); i++) {
    if (is_kept)
      store_point(points, i, load_point(kept_points, i));
    else if (points->identity[i].z != VACANT)
      store_point(points, i, before_tracking[i]);
  }
  if (item == 0) {
    state[BLANK_COUNT] = blank ? (is_kept ? age : usual_row) + 1 : 0;
    state[KEPT_RETURNS] = is_kept;
    state[WAS_BLANK] = usual_row > 0;
    state[VIEW_STAYS] = suspected && (flash || shifted);
  }
  for (int i = item; i < NOISE_VALUES; i += ONE_GROUP)
    if (blank)
      noise[i] = usual[i];
    else
      usual[i] = noise[i];
}

// Replaces the pyramid of a blank frame by that of the previous frame, or of the kept scene. A
// work-item has 16 texels.
__kernel void klt_keep_pyramid(__global const int *state, __global const float *before,
                               __global const float *kept, __global float *after, int count) {
  const int i = get_global_id(0);
  if (i < count && state[BLANK_COUNT])
    vstore16(vload16(i, state[KEPT_RETURNS] ? kept : before), i, after);
}
