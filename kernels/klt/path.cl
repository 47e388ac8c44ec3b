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
  CameraStep step = {(float4)(0.0f), restart, -1.0f};
  if (!restart && !state[BLANK_COUNT]) {
    const float4 velocity = filter.smoothing == 0.0f ? (float4)(0.0f) : before->velocity;
    const float4 held = before->to_stabilized;
    step.motion = after(after(held, motion_or(camera, velocity)), inverse(held));
    step.confidence = camera->confidence;
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

// The window in local memory, by frames.
typedef struct {
  float2 camera[FRAMES];  // path of the camera: growth and rotation as logarithms, then positions
  float2 grown[FRAMES];   // growth and rotation of the camera as complex numbers
  float2 limit[FRAMES];   // most distance from the camera, in the coordinates of the frame
  float2 path[FRAMES];    // of the picture, within the margin
  float2 dual[FRAMES];    // sum of distances between both paths
  float2 right[FRAMES];
} Plan;

// Finds the path. `turned`: limits turn and grow with the camera. `first`, `second`: the parts that
// earlier frames have in the equations of the first two frames. All items call it.
void find_path(__local Plan *plan, __global const float *inverse, PathWindow window, bool turned,
               float2 first, float2 second) {
  const int item = get_local_id(0), frames = window.frames;
  for (int i = item; i < frames; i += ITEMS) plan->path[i] = plan->camera[i], plan->dual[i] = 0.0f;
  for (int round = 0; round < PATH_ROUNDS; round++) {
    for (int i = item; i < frames; i += ITEMS) {
      const float2 middle = i < window.known ? plan->camera[i] : plan->path[i];
      const float2 earlier = i == 0 ? first : i == 1 ? second : (float2)(0.0f);
      plan->right[i] =
          window.pull * middle - earlier + PATH_STEP * (plan->path[i] - plan->dual[i]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = item; i < frames; i += ITEMS) {
      float2 smooth = 0.0f;
      for (int j = 0; j < frames; j++) smooth += inverse[j * frames + i] * plan->right[j];
      const float2 wanted =
          PATH_RELAXED * smooth + (1.0f - PATH_RELAXED) * plan->path[i] + plan->dual[i];
      float2 next = wanted;
      if (i < window.known) {
        const float2 grown = turned ? plan->grown[i] : (float2)(1.0f, 0.0f);
        const float2 offset =
            times(wanted - plan->camera[i], conjugate(grown)) / dot(grown, grown);
        next = plan->camera[i] + times(clamp(offset, -plan->limit[i], plan->limit[i]), grown);
      }
      plan->dual[i] = wanted - next;
      plan->path[i] = next;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}

// The part of earlier positions in the equation of the first frame, and of the second.
inline float2 part_in_first(int count, float jump, float2 last, float2 before_last) {
  const float2 bend = count > 1 ? before_last - 4.0f * last : -2.0f * last;
  return count ? bend - jump * last : (float2)(0.0f);
}
inline float2 part_in_second(int count, float2 last) { return count ? last : (float2)(0.0f); }

// The number of frames up to the next cut.
inline int frames_to_cut(__global const CameraStep *steps, PathWindow window) {
  int count = 1;
  while (count < window.known && !steps[(window.first + count) % KEPT_STEPS].restart) count++;
  return count;
}

// Fills in the logarithms of growth and rotation of the camera relative to the first frame. All
// items call it.
void turn_camera(__local Plan *plan, __global const CameraStep *steps, PathWindow window) {
  const int item = get_local_id(0);
  for (int i = item; i < window.frames; i += ITEMS) {
    const float4 motion = steps[(window.first + i) % KEPT_STEPS].motion;
    const bool moves = i > 0 && i < window.known;
    plan->right[i] = moves ? log_of((float2)(1.0f + motion.z, motion.w)) : (float2)(0.0f);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = item; i < window.frames; i += ITEMS) {
    float2 sum = 0.0f;
    for (int j = 1; j <= i; j++) sum += plan->right[j];
    plan->camera[i] = sum;
    plan->grown[i] = exp_of(sum);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
}

// Fills in the positions of the camera relative to the first frame. All items call it.
void move_camera(__local Plan *plan, __global const CameraStep *steps, PathWindow window) {
  const int item = get_local_id(0);
  for (int i = item; i < window.frames; i += ITEMS) {
    const bool moves = i > 0 && i < window.known;
    const float2 shift = steps[(window.first + i) % KEPT_STEPS].motion.xy;
    plan->right[i] = moves ? times(plan->grown[i - 1], shift) : (float2)(0.0f);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = item; i < window.frames; i += ITEMS) {
    float2 sum = 0.0f;
    for (int j = 1; j <= i; j++) sum += plan->right[j];
    plan->camera[i] = sum;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
}

// Plans where the window's first frame is shown. `matrices`: the inverses of the equations after
// none, one and two shown frames. One group.
__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void klt_plan_path(
    __global const CameraStep *steps, PathWindow window, StabilizerFilter filter,
    __global const float *matrices, __global ShownPath *shown, __global StabilizerState *now) {
  __local Plan plan;
  const int item = get_local_id(0);
  const CameraStep step = steps[window.first];
  window.known = frames_to_cut(steps, window);
  // `shown` is undefined before the first restart.
  const int count = step.restart ? 0 : shown->count;
  const float4 back = inverse(step.motion),
               last = count ? after(shown->last, back) : (float4)(0.0f),
               before_last = count > 1 ? after(shown->before_last, back) : (float4)(0.0f);
  __global const float *inverse_matrix = matrices + count * window.frames * window.frames;
  const float2 middle = fmax(to_square_px(filter.centre, filter.aspect), 0.5f),
               unit = (float2)(1.0f, 0.0f);

  turn_camera(&plan, steps, window);
  const float most = 0.5f * TURN_SHARE * most_growth(filter.zoom),
              across = fmax(middle.x / middle.y, middle.y / middle.x);
  for (int i = item; i < window.frames; i += ITEMS) plan.limit[i] = (float2)(most, most / across);
  const float2 last_turn = log_of(unit + last.zw), before_turn = log_of(unit + before_last.zw);
  find_path(&plan, inverse_matrix, window, false,
            part_in_first(count, window.jump, last_turn, before_turn),
            part_in_second(count, last_turn));

  const float2 turn = plan.path[0];
  for (int i = item; i < window.frames; i += ITEMS) {
    const float2 grown = exp_of(plan.path[i] - plan.camera[i]) - unit;
    plan.limit[i] = free_shift(grown.x, fabs(grown.y), filter.zoom, middle);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  move_camera(&plan, steps, window);
  find_path(&plan, inverse_matrix, window, true,
            part_in_first(count, window.jump, last.xy, before_last.xy),
            part_in_second(count, last.xy));

  barrier(CLK_GLOBAL_MEM_FENCE);
  if (item) return;
  const float4 from_stabilized =
      bounded((float4)(plan.path[0], exp_of(turn) - unit), filter.zoom, middle);
  StabilizerState result = state_of(filter, inverse(from_stabilized), from_stabilized);
  result.confidence = step.confidence;
  *now = result;
  const ShownPath next = {from_stabilized, last, min(count + 1, 2)};
  *shown = next;
}
