// SPDX-License-Identifier: LGPL-2.1-or-later
// The path of the stabilized picture with look-ahead: the smoothest one within the margin over all
// frames whose camera motion is known. Its first frame is shown, then the path is planned again.
// The alternating direction method of multipliers finds it (Boyd et al. 2011): a smooth path and
// one within the margin approach each other. Growth and rotation come first, then the shifts that
// the margin leaves. Positions are px in the coordinates of the window's first frame.
// -DITEMS: items of the group.
#include "camera/interface.h"
#include "klt/interface.h"
#include "klt/margin.clh"
#include "klt/points.clh"
#include "klt/tuned.clh"

#define FRAMES (MOST_AHEAD + 1)

// Stores the step of the camera to this frame, after klt_update_stabilizer. In a blank frame the
// camera stands still. One work-item.
__kernel void klt_record_step(__global const int *state, __global const CameraState *camera,
                              int fresh, StabilizerFilter filter,
                              __global const StabilizerState *before, __global CameraStep *steps,
                              int index) {
  if (get_global_id(0)) return;
  const bool restart = fresh || state[CUT];
  CameraStep step = {(float4)(0.0f), restart, -1.0f, 0};
  if (!restart && !state[BLANK_COUNT]) {
    const float4 expected = expected_motion(filter, before), held = before->to_stabilized;
    const bool known = shows_motion(camera, expected);
    step.motion = after(after(held, known ? camera->vector_motion : expected), inverse(held));
    step.confidence = camera->confidence;
    if (!known && filter.smoothing > 0.0f) step.unknown_count = before->unknown_count + 1;
  }
  steps[index] = step;
}

// The logarithm of a complex number, and the number of a logarithm.
inline float2 log_of(float2 number) {
  return (float2)(log(length(number)), atan2(number.y, number.x));
}
inline float2 exp_of(float2 number) {
  return exp(number.x) * (float2)(cos(number.y), sin(number.y));
}

// The window in local memory, by frames. The path is relative to the camera's, so that rounding
// does not grow with the way of a pan.
typedef struct {
  float2 change[FRAMES];    // of the camera's position, or of the logarithms of its growth and turn
  float2 grown[FRAMES];     // growth and rotation of the camera as complex numbers
  float2 limit[FRAMES];     // most distance from the camera, in the coordinates of the frame
  float2 gradient[FRAMES];  // of the squared differences of the camera's path
  float2 path[FRAMES];      // of the picture, within the margin
  float2 dual[FRAMES];      // sum of distances between both paths
  float2 right[FRAMES];
} Plan;

// The positions of the frames before the window, relative to its first frame.
typedef struct {
  int count;  // number of known ones
  float2 last, before_last;
} EarlierPlaces;

// The second difference of the camera's path that ends at frame i; 0 if it is not counted.
inline float2 bend_at(__local const Plan *plan, PathWindow window, EarlierPlaces earlier, int i) {
  if (i >= window.count || i < 2 - earlier.count) return 0.0f;
  const float2 before = i ? plan->change[i - 1] : earlier.last - earlier.before_last;
  return plan->change[i] - before;
}

// The first difference that ends at frame i; 0 if it is not counted.
inline float2 jump_at(__local const Plan *plan, PathWindow window, EarlierPlaces earlier, int i) {
  if (i >= window.count || i < 1 - earlier.count) return 0.0f;
  return window.jump * plan->change[i];
}

// Finds the path. `turned`: limits turn and grow with the camera. All items call it.
void find_path(__local Plan *plan, __global const float *inverse, PathWindow window,
               EarlierPlaces earlier, bool turned) {
  const int item = get_local_id(0), count = window.count;
  for (int i = item; i < count; i += ITEMS) {
    plan->path[i] = 0.0f, plan->dual[i] = 0.0f;
    plan->gradient[i] = bend_at(plan, window, earlier, i) -
                        2.0f * bend_at(plan, window, earlier, i + 1) +
                        bend_at(plan, window, earlier, i + 2) + jump_at(plan, window, earlier, i) -
                        jump_at(plan, window, earlier, i + 1);
  }
  for (int round = 0; round < PATH_ROUNDS; round++) {
    for (int i = item; i < count; i += ITEMS)
      plan->right[i] = window.step * (plan->path[i] - plan->dual[i]) - plan->gradient[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = item; i < count; i += ITEMS) {
      float2 smooth = 0.0f;
      for (int j = 0; j < count; j++) smooth += inverse[j * count + i] * plan->right[j];
      const float2 wanted =
          PATH_RELAXED * smooth + (1.0f - PATH_RELAXED) * plan->path[i] + plan->dual[i];
      const float2 grown = turned ? plan->grown[i] : (float2)(1.0f, 0.0f);
      const float2 offset = times(wanted, conjugate(grown)) / dot(grown, grown);
      const float2 next = times(clamp(offset, -plan->limit[i], plan->limit[i]), grown);
      plan->dual[i] = wanted - next;
      plan->path[i] = next;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}

// The motion of the camera to frame i of the window, or to frame -1. An unknown one lies between
// the motion before and that after all of the unknown ones, if the window contains it.
inline float4 camera_motion(__global const CameraStep *steps, PathWindow window, int i) {
  const int begin = window.first + KEPT_STEPS;
  const CameraStep step = steps[(begin + i) % KEPT_STEPS];
  if (step.unknown_count == 0) return step.motion;
  int next = i + 1;
  while (next < window.count && steps[(begin + next) % KEPT_STEPS].unknown_count) next++;
  if (next >= window.count) return step.motion;
  const int all = steps[(begin + next - 1) % KEPT_STEPS].unknown_count;
  return mix(step.motion, steps[(begin + next) % KEPT_STEPS].motion,
             (float)step.unknown_count / (float)(all + 1));
}

// The number of frames up to the next cut.
inline int frames_to_cut(__global const CameraStep *steps, PathWindow window) {
  int count = 1;
  while (count < window.count && !steps[(window.first + count) % KEPT_STEPS].restart) count++;
  return count;
}

// Fills in the changes of growth and rotation of the camera, and their sums. All items call it.
void turn_camera(__local Plan *plan, __global const CameraStep *steps, PathWindow window,
                 EarlierPlaces earlier) {
  const int item = get_local_id(0);
  for (int i = item; i < window.count; i += ITEMS) {
    const float4 motion = camera_motion(steps, window, i);
    plan->change[i] = i ? log_of((float2)(1.0f + motion.z, motion.w)) : -earlier.last;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = item; i < window.count; i += ITEMS) {
    float2 sum = 0.0f;
    for (int j = 1; j <= i; j++) sum += plan->change[j];
    plan->grown[i] = exp_of(sum);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
}

// Fills in the changes of the camera's position. All items call it.
void move_camera(__local Plan *plan, __global const CameraStep *steps, PathWindow window,
                 EarlierPlaces earlier) {
  for (int i = get_local_id(0); i < window.count; i += ITEMS) {
    const float2 shift = camera_motion(steps, window, i).xy;
    plan->change[i] = i ? times(plan->grown[i - 1], shift) : -earlier.last;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
}

// Plans where the window's first frame is shown. `matrices`: the inverses of the equations of 1, 2,
// 3 … frames, each after none, one and two shown frames. One group.
__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void klt_plan_path(
    __global const CameraStep *steps, PathWindow window, StabilizerFilter filter,
    __global const float *matrices, __global ShownPath *shown, __global StabilizerState *now) {
  __local Plan plan;
  const int item = get_local_id(0);
  const CameraStep step = steps[window.first];
  window.count = frames_to_cut(steps, window);
  // `shown` is undefined before the first restart.
  const int count = step.restart ? 0 : shown->count;
  const float4 back = inverse(camera_motion(steps, window, 0));
  float4 last = 0.0f, before_last = 0.0f;
  if (count) last = after(shown->last, back);
  if (count > 1)
    before_last = after(after(shown->before_last, inverse(camera_motion(steps, window, -1))), back);
  const int size = window.count;
  __global const float *inverse_matrix =
      matrices + (size - 1) * size * (2 * size - 1) / 2 + count * size * size;
  const float2 middle = fmax(to_square_px(filter.centre, filter.aspect), 0.5f),
               unit = (float2)(1.0f, 0.0f);

  const EarlierPlaces turns = {count, log_of(unit + last.zw), log_of(unit + before_last.zw)};
  turn_camera(&plan, steps, window, turns);
  const float most = 0.5f * TURN_SHARE * most_growth(filter.zoom),
              across = fmax(middle.x / middle.y, middle.y / middle.x);
  for (int i = item; i < window.count; i += ITEMS) plan.limit[i] = (float2)(most, most / across);
  find_path(&plan, inverse_matrix, window, turns, false);

  const float2 turn = plan.path[0];
  for (int i = item; i < window.count; i += ITEMS) {
    const float2 grown = exp_of(plan.path[i]) - unit;
    plan.limit[i] = free_shift(grown.x, fabs(grown.y), filter.zoom, middle);
  }
  const EarlierPlaces places = {count, last.xy, before_last.xy};
  move_camera(&plan, steps, window, places);
  find_path(&plan, inverse_matrix, window, places, true);

  barrier(CLK_GLOBAL_MEM_FENCE);
  if (item) return;
  const float4 from_stabilized =
      bounded((float4)(plan.path[0], exp_of(turn) - unit), filter.zoom, middle);
  StabilizerState result = state_of(filter, inverse(from_stabilized), from_stabilized);
  result.confidence = step.confidence;
  *now = result;
  const ShownPath next = {from_stabilized, count ? shown->last : (float4)(0.0f), min(count + 1, 2)};
  *shown = next;
}
