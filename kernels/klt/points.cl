// SPDX-License-Identifier: LGPL-2.1-or-later
// Counts and reports the points. Each kernel is one work-group.
#include "klt/interface.h"
#include "klt/points.clh"
#include "klt/tuned.clh"
#include "noise/bands.clh"

#define FAR_AGE 10000  // frames; the kept scene is of no use

// Counts the points after tracking and removes the lost ones. After a cut, or if `restart`, it
// removes all. At a cut nearly as many points as usual are lost at once. Half of them were tracked
// before and moved slowly, and the frame shows another scene. So a loss over several frames is no
// cut, nor is a camera that turns too fast. `vacant` gets the vacant slots among the first
// `features`. New points are selected if `select_due` or if fewer than `min_alive` are alive,
// unless the frame is blank.
__attribute__((reqd_work_group_size(ONE_GROUP, 1, 1))) __kernel void klt_remove_lost(
    __global TrackedPoints *points, __global int *state, __global int *vacant,
    __global const TrackedPoint *before_tracking, SlotUpdate update, __local int *sums) {
  const int features = update.features, slots = update.slots, restart = update.restart;
  const int item = get_local_id(0), part = (slots + ONE_GROUP - 1) / ONE_GROUP;
  const int first = min(item * part, slots), last = min(first + part, slots);
  const int was_blank = state[WAS_BLANK];
  const float fast = FAST * update.width;
  int own = 0, both;  // alive in the lower half, lost in the upper half
  int calm = 0, all_calm;
  for (int i = first; i < last; i++) {
    const int state = points->identity[i].z;
    const bool live = state == LIVE && i < features;
    const float2 speed = before_tracking[i].motion.xy;
    own += live ? 1 : state != VACANT ? 1 << 16 : 0;
    calm += !live && state != VACANT && (before_tracking[i].identity.y > 0 || was_blank) &&
            dot(speed, speed) <= fast * fast;
  }
  items_before(own, sums, &both);
  items_before(calm, sums, &all_calm);
  const int all_alive = both & 0xffff, all_lost = both >> 16, before = all_alive + all_lost;
  const int blank = state[BLANK_COUNT] && !restart;
  const int usual = max(before, state[USUAL_COUNT] - state[USUAL_COUNT] / USUAL_DECAY);
  const int cut = !restart && before >= CUT_LEAST && all_alive * CUT_PARTS < before &&
                  before * CUT_USUAL >= usual && all_calm * CUT_CALM >= all_lost &&
                  !state[VIEW_STAYS];
  const int drop = cut || restart;
  int free = 0;
  for (int i = first; i < last; i++) {
    if (drop || i >= features || points->identity[i].z != LIVE) {
      points->identity[i].z = VACANT;
      free += i < features;
    }
  }
  int all_free;
  int next = items_before(free, sums, &all_free);
  for (int i = first; i < min(last, features); i++)
    if (points->identity[i].z == VACANT) vacant[next++] = i;
  if (item == 0) {
    const int left = drop ? 0 : all_alive;
    state[ALIVE_COUNT] = left;
    state[LOST_COUNT] = restart ? 0 : cut ? before : all_lost;
    state[ALL_LOST] += state[LOST_COUNT];
    state[CUT] = cut;
    state[ALL_CUTS] += cut;
    state[USUAL_RESIDUAL] = drop    ? 0
                            : blank ? state[USUAL_RESIDUAL]
                                    : state[RESIDUAL_SUM] / max(state[FIT_COUNT], 1);
    state[RESIDUAL_SUM] = state[FIT_COUNT] = 0;
    state[NEXT_ID] += state[SELECTED_COUNT];
    state[SELECTED_COUNT] = 0;
    state[MAX_NEW] = features - left;
    state[BLANK_COUNT] = blank ? state[BLANK_COUNT] : 0;
    state[SELECTS] = !blank && left < features && (update.select_due || left < update.min_alive);
    state[ALL_BLANK] += blank;
    state[USUAL_COUNT] = drop ? 0 : usual;
    // Points selected between two kept scenes take the slots of the kept one's points.
    state[KEPT_AGE] = update.select_due           ? state[BLANK_COUNT]
                      : drop || state[SELECTS]    ? FAR_AGE
                      : state[KEPT_AGE] < FAR_AGE ? state[KEPT_AGE] + 1
                                                  : FAR_AGE;
    state[OCCUPANCY_MARK] = drop ? -1 : update.occupancy_mark;
    state[CANDIDATE_COUNT] = 0;
    state[BEST_EIGENVALUE] = 0;
  }
}

inline float sum_of(float own, __local float *sums) {
  const int item = get_local_id(0);
  barrier(CLK_LOCAL_MEM_FENCE);
  sums[item] = own;
  for (int count = ONE_GROUP / 2; count > 0; count /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item < count) sums[item] += sums[item + count];
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  return sums[0];
}

// Writes the report of a frame: means over the points that were tracked to it, then all points in
// the order of their slots. `noise_known`: whether `noise` was measured or set. In a blank frame
// all points keep their position and have a residue of -1.
__attribute__((reqd_work_group_size(ONE_GROUP, 1, 1))) __kernel void klt_report(
    __global const TrackedPoints *points, __global const int *state, int features,
    __global const float *noise, int noise_known, __global PointSummary *summary,
    __local int *counts, __local float *sums) {
  const int item = get_local_id(0), part = (features + ONE_GROUP - 1) / ONE_GROUP,
            blank = state[BLANK_COUNT];
  const int first = min(item * part, features), last = min(first + part, features);
  __global PointRecord *records = (__global PointRecord *)(summary + 1);
  int own = 0;
  float x = 0.0f, y = 0.0f, age = 0.0f;
  for (int i = first; i < last; i++) {
    if (points->identity[i].z != LIVE) continue;
    own++;
    if (points->identity[i].y == 0 || blank) continue;
    x += points->motion[i].x, y += points->motion[i].y, age += points->identity[i].y;
  }
  int count;
  int number = items_before(own, counts, &count);
  for (int i = first; i < last; i++) {
    if (points->identity[i].z != LIVE) continue;
    const float3 step = blank ? (float3)(0.0f, 0.0f, -1.0f) : points->motion[i].xyz;
    const PointRecord point = {points->identity[i].x,
                               points->position[i].x,
                               points->position[i].y,
                               step.x,
                               step.y,
                               points->identity[i].y,
                               step.z};
    records[number++] = point;
  }
  const float all_x = sum_of(x, sums), all_y = sum_of(y, sums), all_age = sum_of(age, sums);
  if (item == 0) {
    const int followed = state[ALIVE_COUNT];
    const float share = 1.0f / max(followed, 1);
    const PointSummary result = {count,
                                 state[LOST_COUNT],
                                 state[SELECTED_COUNT],
                                 state[CUT],
                                 state[ALL_LOST],
                                 state[NEXT_ID] + state[SELECTED_COUNT],
                                 state[ALL_CUTS],
                                 -1.0f,
                                 -1.0f,
                                 all_x * share,
                                 all_y * share,
                                 all_age * share,
                                 noise_known ? sqrt(noise_variance(noise)) : -1.0f,
                                 blank > 0,
                                 state[ALL_BLANK]};
    *summary = result;
  }
}
