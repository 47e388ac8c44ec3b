// SPDX-License-Identifier: LGPL-2.1-or-later
// Counts pixels of a frame that are illegal or black, and compares luma with a kept frame. The kept
// frame is the last one that moved. Build options: those of scopes/values.clh, and
//   GROUP      work-items of a group, a group per row
//   ONE_GROUP  work-items of a single group
#include "scopes/interface.h"
#include "scopes/values.clh"

#if !defined(LAYOUT)
#define STORED_AT(name, x, y) RGB_AT(name, x, y)
#elif LAYOUT == GREY
#define STORED_AT(name, x, y) ((int4)(LUMA_AT(name, x, y), 0, 0, 0))
#else
#define STORED_AT(name, x, y) \
  ((int4)(LUMA_AT(name, x, y), CHROMA_AT(name, (x) >> CHROMA_SHIFT, (y) >> CHROMA_SHIFT), 0))
#endif

// Sums of each row: rows[SURVEY_SUMS * row + value]. `kept`: luma of two frames, of which one is
// kept: state[0], or -1 at the beginning. The other one becomes that of this frame.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void scope_survey_rows(
    IN_PLANES(in), __global uint *rows, __global ushort *kept, __global const int *state,
    Survey how) {
  __local uint shared[SURVEY_SUMS];
  const int lane = get_local_id(0), row = get_group_id(0), width = how.area.z, y = how.area.y + row;
  const int before = how.compares ? state[0] : -1;
  __global const ushort *last = kept + (max(before, 0) * how.area.w + row) * width;
  __global ushort *now = kept + ((before == 0) * how.area.w + row) * width;
  if (!lane)
    for (int i = 0; i < SURVEY_SUMS; i++) shared[i] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  uint out_of_range = 0, out_of_gamut = 0, black = 0, difference = 0;
  for (int i = lane; i < width; i += GROUP) {
    const int x = how.area.x + i, luma = LUMA_AT(in, x, y);
    out_of_range += outside(STORED_AT(in, x, y), how.least, how.most);
    out_of_gamut +=
        outside(UNCLAMPED_RGB_AT(in, x, y), (int4)(how.gamut_low), (int4)(how.gamut_high));
    black += luma <= how.black;
    if (how.compares) {
      if (before >= 0) difference += abs(luma - (int)last[i]);
      now[i] = (ushort)luma;
    }
  }
  atomic_add(&shared[SURVEY_OUT_OF_RANGE], out_of_range);
  atomic_add(&shared[SURVEY_OUT_OF_GAMUT], out_of_gamut);
  atomic_add(&shared[SURVEY_BLACK], black);
  atomic_add(&shared[SURVEY_DIFFERENCE], difference);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (!lane)
    for (int i = 0; i < SURVEY_SUMS; i++) rows[SURVEY_SUMS * row + i] = shared[i];
}

// Adds all rows, and keeps the frame if it moved. One group.
__kernel __attribute__((reqd_work_group_size(ONE_GROUP, 1, 1))) void scope_survey_sums(
    __global const uint *rows, __global ulong *sums, __global int *state, Survey how) {
  __local ulong shared[ONE_GROUP];
  const int lane = get_local_id(0);
  for (int value = 0; value < SURVEY_SUMS; value++) {
    ulong sum = 0;
    for (int row = lane; row < how.area.w; row += ONE_GROUP) sum += rows[SURVEY_SUMS * row + value];
    shared[lane] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int step = ONE_GROUP / 2; step; step /= 2) {
      if (lane < step) shared[lane] += shared[lane + step];
      barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (!lane) sums[value] = shared[0];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (lane) return;
  if (!how.compares) {
    sums[SURVEY_MOTION] = SURVEY_UNCOMPARED;
    return;
  }
  const int before = state[0];
  const bool still = before >= 0 && sums[SURVEY_DIFFERENCE] <= how.still;
  sums[SURVEY_MOTION] = before < 0 ? SURVEY_UNCOMPARED : still ? SURVEY_STILL : SURVEY_MOVED;
  if (!still) state[0] = before == 0;
}
