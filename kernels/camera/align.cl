// SPDX-License-Identifier: LGPL-2.1-or-later
// A frame laid onto a picture that is remembered, to hundredths of a pixel, and in its light: the motion between them,
// a gain and an offset by robust least squares over their pixels. It begins from the motion of vectors. Build with -DITEMS, the items of a group, a power
// of two of at least SUMS, and -DGROUPS.
#include "camera/similarity.clh"
#include "camera/state.clh"
#include "camera/sample.clh"
#include "motion/plane.clh"
#include "noise/bands.clh"

// A frame in small: means of f × f px, f = `shrink`, smoothed by (1 2 1) / 4 along both axes. Work-items: pixels.
__kernel void camera_shrink(__global const uchar *plane, int pitch, int shrink, __global float *out, int2 size) {
  const int x = get_global_id(0), y = get_global_id(1);
  if (x >= size.x || y >= size.y) return;
  int sum = 0;
  for (int j = -shrink; j < 2 * shrink; j++) {
    __global const uchar *row = plane + AT((x - 1) * shrink, y * shrink + j, pitch);
    int part = 0;
    for (int i = 0; i < shrink; i++) part += row[i] + 2 * row[shrink + i] + row[2 * shrink + i];
    sum += j >= 0 && j < shrink ? 2 * part : part;
  }
  out[y * size.x + x] = (float)sum / (16 * shrink * shrink);
}

#define PARAMETERS 6  // x, y, d, r, gain, offset
#define PRODUCTS 21   // of two of their derivatives
#define SUMS 32       // and of one with what is left; then the weights
#define STILL (PRODUCTS + PARAMETERS + 1)  // weights without motion
#define AS_BEFORE (STILL + 1)                // and with the motion of the frame before
#define LIGHT 0.015625f  // the gain counts by levels from mid-grey / 64
#define RIDGE 0.01f      // levels² a pixel, so that nothing to see is no motion

inline float4 as_before(__global const State *state, Frame frame) {
  return after(state->from_frame, scaled(state->step, 1.0f / frame.shrink));
}

// How much a pixel counts by what is left of it.
inline float weight_of(float rest, float scatter) {
  const float far = rest / scatter, part = 1.0f / (1.0f + far * far);
  return part * part;
}
inline float agreement(__global const float *current, int2 size, float2 p, float level, float scatter) {
  return inside(p, size) ? weight_of(level - sample(current, size, p), scatter) : 0.0f;
}

// Solves for the parameters, by the sums of all groups. `free`: how many of them there are to find: all, or but the gain and offset, or but d and r too.
inline void solve(__local const float *sums, int motion, int turn, float *step) {
  volatile float matrix[PARAMETERS][PARAMETERS + 1];  // in registers, LLVM of PoCL 6 aborts
  int at = 0;
  const float ridge = RIDGE * sums[PRODUCTS + PARAMETERS] + 1e-3f;
  for (int i = 0; i < PARAMETERS; i++)
    for (int j = i; j < PARAMETERS; j++, at++) matrix[i][j] = matrix[j][i] = sums[at] + (i == j ? ridge : 0.0f);
  for (int i = 0; i < PARAMETERS; i++) {
    matrix[i][PARAMETERS] = sums[PRODUCTS + i];
    if ((i < 2 && !motion) || (i >= 2 && i < 4 && !turn)) {
      for (int j = 0; j <= PARAMETERS; j++) {
        matrix[i][j] = 0.0f;
        if (j < PARAMETERS) matrix[j][i] = 0.0f;
      }
      matrix[i][i] = 1.0f;
    }
  }
  // Positive definite: no pivots.
  for (int k = 0; k < PARAMETERS; k++)
    for (int i = k + 1; i < PARAMETERS; i++) {
      const float part = matrix[i][k] / matrix[k][k];
      for (int j = k; j <= PARAMETERS; j++) matrix[i][j] -= part * matrix[k][j];
    }
  for (int i = PARAMETERS - 1; i >= 0; i--) {
    float rest = matrix[i][PARAMETERS];
    for (int j = i + 1; j < PARAMETERS; j++) rest -= matrix[i][j] * step[j];
    step[i] = rest / matrix[i][i];
  }
}

// What a group begins with: the estimate of this step, by the sums of the step before it; every item gets it.
inline Fit estimate(__global const float *sums, __global const State *state, int number, Frame frame, int motion,
                    int turn, __local float *total, __local Fit *fit) {
  const int item = get_local_id(0), column = item % SUMS, parts = ITEMS / SUMS;
  float part = 0.0f;
  for (int group = item / SUMS; group < GROUPS && number; group += parts) part += sums[group * SUMS + column];
  total[item] = part;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (item < SUMS)
    for (int i = 1; i < parts; i++) total[item] += total[i * SUMS + item];
  barrier(CLK_LOCAL_MEM_FENCE);
  if (item == 0) {
    if (number == 0) {
      const float4 vectors = motion ? scaled(state->vectors, 1.0f / frame.shrink) : (float4)(0.0f);
      fit->motion = after(state->from_frame, vectors);
      fit->gain = 1.0f, fit->offset = 0.0f;
    } else {
      float step[PARAMETERS];
      solve(total, motion, turn, step);
      *fit = state->fits[number - 1];
      // More of the picture agrees with no motion, or with that before, than with the vectors: they are of something else.
      if (number == 1 && motion && fmax(total[STILL], total[AS_BEFORE]) > total[PRODUCTS + PARAMETERS]) {
        fit->motion = total[STILL] >= total[AS_BEFORE] ? state->from_frame : as_before(state, frame);
        for (int i = 0; i < PARAMETERS; i++) step[i] = 0.0f;
      }
      const float radius = 1.0f / frame.radius;
      fit->motion += (float4)(step[0], step[1], step[2] * radius, step[3] * radius);
      fit->offset += step[5] - 128.0f * LIGHT * step[4];
      fit->gain += LIGHT * step[4];
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  return *fit;
}

// One step: the sums of the normal equations. `current`: the frame in small; `picture`: what is remembered, .x, `known`: for
// how many frames; `front`: not 0 where that was hidden in the frame before, by what moves by itself. `number`: of the step, from 0. `rows`: from a row that counts to the next. A rest of `scatter` levels
// counts a quarter. Work-groups: GROUPS.
__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1)))
void camera_align(__global const float *current, __global const float2 *picture, __global const uchar2 *known,
                  __global const uchar *front,
                  __global const float *before, __global float *sums, __global State *state, int number,
                  Frame frame, int motion, int turn, int rows, float scatter) {
  __local float total[ITEMS * SUMS];
  motion = motion && state->sure, turn = turn && motion;
  __local Fit shared_fit;
  const int item = get_local_id(0), group = get_group_id(0);
  const Fit fit = estimate(before, state, number, frame, motion, turn, total, &shared_fit);
  float own[SUMS];
  for (int i = 0; i < SUMS; i++) own[i] = 0.0f;
  const int2 size = frame.size;
  const float4 again = as_before(state, frame);
  const int lines = (size.y + rows - 1) / rows;
  for (int i = group * ITEMS + item; i < lines * size.x; i += GROUPS * ITEMS) {
    const int x = i % size.x, y = i / size.x * rows, at = y * size.x + x;
    const float2 z = (float2)(x, y) - frame.centre;
    const float2 p = moved(fit.motion, z) + frame.centre;
    if (!known[at].x || front[at] || !inside(p, size)) continue;
    const int2 near = convert_int2_rte(p);
    const int left = max(near.x - 1, 0), right = min(near.x + 1, size.x - 1), above = max(near.y - 1, 0),
              below = min(near.y + 1, size.y - 1);
    const float gx = 0.5f * (current[near.y * size.x + right] - current[near.y * size.x + left]),
                gy = 0.5f * (current[below * size.x + near.x] - current[above * size.x + near.x]);
    const float level = picture[at].x, rest = fit.gain * level + fit.offset - sample(current, size, p);
    const float weight = weight_of(rest, scatter);
    const float2 unit = z / frame.radius;
    const float d[PARAMETERS] = {gx, gy, gx * unit.x + gy * unit.y, gy * unit.x - gx * unit.y,
                                 -LIGHT * (level - 128.0f), -1.0f};
    int product = 0;
    for (int j = 0; j < PARAMETERS; j++) {
      const float part = weight * d[j];
      for (int k = j; k < PARAMETERS; k++) own[product++] += part * d[k];
      own[PRODUCTS + j] += part * rest;
    }
    own[PRODUCTS + PARAMETERS] += weight;
    if (number == 0) {
      own[STILL] += agreement(current, size, moved(state->from_frame, z) + frame.centre, level, scatter);
      own[AS_BEFORE] += agreement(current, size, moved(again, z) + frame.centre, level, scatter);
    }
  }
  for (int i = 0; i < SUMS; i++) total[i * ITEMS + item] = own[i];
  for (int left = ITEMS / 2; left > 0; left /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item < left)
      for (int i = 0; i < SUMS; i++) total[i * ITEMS + item] += total[i * ITEMS + item + left];
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (item < SUMS) sums[group * SUMS + item] = total[item * ITEMS];
  if (group == 0 && item == 0) state->fits[number] = fit;
}

// After the last step, of that `number`: where the remembered picture and the frame are, from where the picture goes on.
// It moves by whole pixels as long as turning and growing leave all of it within half a pixel; the rest stays between it
// and the frame. Else it takes the place of the frame. One group.
__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1)))
void camera_settle(__global const float *before, __global State *state, int number, Frame frame, int motion,
                   int turn, int first) {
  __local float total[ITEMS];
  motion = motion && state->sure, turn = turn && motion;
  __local Fit shared_fit;
  Fit fit = estimate(before, state, number, frame, motion, turn, total, &shared_fit);
  if (get_local_id(0)) return;
  const float4 none = (float4)(0.0f);
  if (first || state->cut || !(fabs(fit.motion.z) < 0.5f && fabs(fit.motion.w) < 0.5f && fit.gain > 0.25f && fit.gain < 4.0f)) {
    fit.motion = none, fit.gain = 1.0f, fit.offset = 0.0f;
    state->step = state->path = none;
    state->from_picture = state->from_frame = none;
    state->frames = 0;
    state->fresh = 1;
  } else {
    // Of the frame alone: without what lay between the picture and the frame before.
    const float4 step = scaled(after(inverse(state->from_frame), fit.motion), frame.shrink);
    const float2 grown = (float2)(1.0f + step.z, step.w);
    const float2 path = times(grown, state->path.xy) + step.xy;
    state->path = (float4)(path, state->path.z + 0.5f * log(dot(grown, grown)), state->path.w + atan2(grown.y, grown.x));
    state->step = step;
    if (length(fit.motion.zw) * frame.radius < 0.5f) {
      const float2 shift = rint(fit.motion.xy);
      state->from_picture = (float4)(-shift, 0.0f, 0.0f);
      state->from_frame = after(state->from_picture, fit.motion);
    } else {
      state->from_picture = inverse(fit.motion);
      state->from_frame = none;
    }
    state->frames++;
    state->fresh = 0;
  }
  state->fit = fit;
  state->cut = 0;
}
