// SPDX-License-Identifier: LGPL-2.1-or-later
// Aligns a frame with the background to hundredths of a pixel. Robust least squares over the pixels
// find the motion, a gain and an offset, starting from the motion of the vectors. With -DUNROLLED
// the sums stay in registers, and several items share the votes of a pixel.
#include "camera/interface.h"
#include "camera/similarity.clh"
#include "camera/rows.clh"
#include "camera/sample.clh"
#include "camera/tuned.clh"
#include "motion/plane.clh"
#include "noise/bands.clh"

// Reduces a frame: means of f × f px, f = `shrink`, smoothed by (1 2 1) / 4 along both axes. A
// work-item per pixel of the reduced frame.
__kernel void camera_shrink(__global const uchar *plane, int pitch, int shrink, __global float *out,
                            int2 size) {
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

#ifdef UNROLLED
#define UNROLL _Pragma("unroll")
#define UNROLL_16 _Pragma("unroll 16")
#define GROUPS ALIGN_GROUPS
#define SHARES OTHERS         // items that share the votes of a pixel
#define WIDEST(block_side) 8  // pixels of a row, read at once
#define IN_MEMORY
#else
#define UNROLL
#define UNROLL_16
#define GROUPS ALIGN_GROUPS_CPU
#define SHARES 1
#define WIDEST(block_side) (block_side)
#define IN_MEMORY volatile  // because LLVM in PoCL 6 aborts with registers
#endif

#define PARAMETERS 8  // x, y, d, r, the bend, gain, offset
#define MOTIONS 6     // those of the motion
#define PRODUCTS 36   // products of two derivatives
// The ALIGN_SUMS sums of a group: products, derivatives times residual, weights, then the votes:
#define FIRST (PRODUCTS + PARAMETERS + 1)  // for the motion of the vectors
// for zero motion, then the previous frame's motion and 8 near it
#define STATIC (FIRST + 1)
#define OTHERS (ALIGN_SUMS - STATIC)  // number of alternatives to the motion of the vectors
#define ROW (ALIGN_ITEMS + 1)         // stride of sums in local memory, without bank conflicts

// The previous frame's motion, or one of 8 motions around it. `which`: 0 to 8, 4 is the centre.
inline float4 step_before(__global const CameraState *state, FrameGeometry frame, int which) {
  return scaled(state->frame_motion, 1.0f / frame.reduction) +
         (float4)(NEAR_STEP * (which % 3 - 1), NEAR_STEP * (which / 3 - 1), 0.0f, 0.0f);
}
inline float4 as_before(__global const CameraState *state, FrameGeometry frame, int which) {
  return after(state->from_frame, step_before(state, frame, which));
}

// True if nearly all vectors are zero. Then no other motion is tested, because any motion may agree
// by chance after a change of light.
inline bool is_static(__global const CameraState *state, FrameGeometry frame) {
  const float4 vectors = state->vector_motion;
  return state->inliers >= STATIC_SHARE * state->vector_count &&
         length(vectors.xy) < LEAST_MOTION &&
         length(vectors.zw) * frame.radius * frame.reduction < LEAST_MOTION;
}

// The bend that the lens causes for a motion.
inline float2 bend_of(__global const CameraState *state, float2 way, int free_rotation) {
  return state->bend_frame + (free_rotation ? state->bend_rate * way : (float2)(0.0f));
}

// The weight of a pixel by its residual (Geman and McClure).
inline float weight_of(float residual, float residual_scale) {
  const float far = residual / residual_scale, part = 1.0f / (1.0f + far * far);
  return part * part;
}
// The sum of `block_side` values of a row of the reduced frame, whose edge repeats.
inline float sum_of_row(__global const float *current, int2 size, int2 from, int block_side) {
  __global const float *row = current + clamp(from.y, 0, size.y - 1) * size.x;
  float sum = 0.0f;
  UNROLL
  for (int i = 0; i < WIDEST(block_side); i++)
    sum += i < block_side ? row[clamp(from.x + i, 0, size.x - 1)] : 0.0f;
  return sum;
}
// The mean of coarse × coarse pixels.
inline float mean(__global const float *current, int2 size, int2 corner, int block_side) {
  float sum = 0.0f;
  for (int j = 0; j < block_side; j++)
    sum += sum_of_row(current, size, corner + (int2)(0, j), block_side);
  return sum / (block_side * block_side);
}
// The slopes of such means along both axes.
inline float2 slopes(__global const float *current, int2 size, int2 corner, int block_side) {
  float2 sum = 0.0f;
  for (int j = 0; j < block_side; j++) {
    const int2 at = corner + (int2)(0, j);
    sum.x += sum_of_row(current, size, at + (int2)(block_side, 0), block_side) -
             sum_of_row(current, size, at - (int2)(block_side, 0), block_side);
    sum.y += sum_of_row(current, size, at + (int2)(0, block_side), block_side) -
             sum_of_row(current, size, at - (int2)(0, block_side), block_side);
  }
  return sum / (2 * block_side * block_side * block_side);
}

// The mean around a point between pixels. It uses one more row and column, and weights the outer
// ones.
inline float level_at(__global const float *current, int2 size, float2 p, int block_side) {
  if (block_side == 1) return sample(current, size, p);
  const float2 corner = p - 0.5f * (block_side - 1);
  const int2 first = convert_int2_rtn(corner);
  const float2 part = corner - convert_float2(first);
  float sum = 0.0f;
  for (int j = 0; j <= block_side; j++) {
    __global const float *row = current + clamp(first.y + j, 0, size.y - 1) * size.x;
    const float ends = (1.0f - part.x) * row[clamp(first.x, 0, size.x - 1)] +
                       part.x * row[clamp(first.x + block_side, 0, size.x - 1)];
    const float along = ends + sum_of_row(current, size, first + (int2)(1, j), block_side - 1);
    sum += (j == 0 ? 1.0f - part.y : j == block_side ? part.y : 1.0f) * along;
  }
  return sum / (block_side * block_side);
}

// The mean and contrast of the background over coarse × coarse pixels. Only known pixels that were
// not foreground count. Returns false if these are less than half.
inline bool background_of(__global const float2 *background, __global const PixelHistory *history,
                          __global const uchar *foreground, int2 size, int2 corner, int block_side,
                          float *level, float *contrast) {
  int count = 0;
  float sum = 0.0f, least = INFINITY, most = -INFINITY;
  for (int j = 0; j < block_side; j++) {
    const int row = min(corner.y + j, size.y - 1) * size.x;
    UNROLL
    for (int i = 0; i < WIDEST(block_side); i++) {
      const int at = row + min(corner.x + i, size.x - 1);
      const bool counts = history[at].ages.x && !foreground[at] && i < block_side;
      count += counts;
      const float here = background[at].x;
      sum += counts ? here : 0.0f;
      least = counts ? fmin(least, here) : least, most = counts ? fmax(most, here) : most;
    }
  }
  *level = sum / max(count, 1);
  *contrast = most - least;
  return 2 * count > block_side * block_side;
}

inline float agreement(__global const float *current, int2 size, float2 p, int block_side,
                       float level, float residual_scale) {
  if (!inside(p, size)) return 0.0f;
  return weight_of(
      level - mean(current, size, convert_int2_rte(p - 0.5f * (block_side - 1)), block_side),
      residual_scale);
}

// Solves the normal equations. `free_shift`: x and y are free. `free_rotation`: rotation, scale and
// bend are free, too.
inline void solve(__local const float *sums, int free_shift, int free_rotation, float *step) {
  IN_MEMORY float matrix[PARAMETERS][PARAMETERS + 1];
  const float ridge = RIDGE * sums[PRODUCTS + PARAMETERS] + 1e-3f;
  UNROLL
  for (int i = 0; i < PARAMETERS; i++) {
    const int product = i * PARAMETERS - i * (i + 1) / 2;  // its place for j = i, less i
    UNROLL
    for (int j = i; j < PARAMETERS; j++)
      matrix[i][j] = matrix[j][i] = sums[product + j] + (i == j ? ridge : 0.0f);
  }
  UNROLL
  for (int i = 0; i < PARAMETERS; i++) {
    matrix[i][PARAMETERS] = sums[PRODUCTS + i];
    if ((i < 2 && !free_shift) || (i >= 2 && i < 6 && !free_rotation)) {
      UNROLL
      for (int j = 0; j <= PARAMETERS; j++) {
        matrix[i][j] = 0.0f;
        if (j < PARAMETERS) matrix[j][i] = 0.0f;
      }
      matrix[i][i] = 1.0f;
    }
  }
  // The matrix is positive definite, so no pivots are needed.
  UNROLL
  for (int k = 0; k < PARAMETERS; k++) {
    UNROLL
    for (int i = k + 1; i < PARAMETERS; i++) {
      const float part = matrix[i][k] / matrix[k][k];
      UNROLL
      for (int j = k; j <= PARAMETERS; j++) matrix[i][j] -= part * matrix[k][j];
    }
  }
  UNROLL
  for (int i = PARAMETERS - 1; i >= 0; i--) {
    float residual = matrix[i][PARAMETERS];
    UNROLL
    for (int j = i + 1; j < PARAMETERS; j++) residual -= matrix[i][j] * step[j];
    step[i] = residual / matrix[i][i];
  }
}

// Returns the estimate at the start of a step, from the sums of the previous step, to every item of
// a group.
inline Fit estimate(__global const float *sums, __global const CameraState *state, int number,
                    FrameGeometry frame, int free_shift, int free_rotation, __local float *total,
                    __local Fit *fit) {
  const int item = get_local_id(0), column = item % ALIGN_SUMS, parts = ALIGN_ITEMS / ALIGN_SUMS;
  float part = 0.0f;
  if (number) {
    UNROLL_16
    for (int i = 0; i < (GROUPS + parts - 1) / parts; i++) {
      const int group = i * parts + item / ALIGN_SUMS;
      part += group < GROUPS ? sums[group * ALIGN_SUMS + column] : 0.0f;
    }
  }
  total[item] = part;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (item < ALIGN_SUMS)
    for (int i = 1; i < parts; i++) total[item] += total[i * ALIGN_SUMS + item];
  barrier(CLK_LOCAL_MEM_FENCE);
  if (item == 0) {
    if (number == 0) {
      const float4 vectors =
          free_shift ? scaled(state->vector_motion, 1.0f / frame.reduction) : (float4)(0.0f);
      fit->motion = after(state->from_frame, vectors);
      fit->bend = bend_of(state, vectors.xy, free_rotation);
      fit->gain = 1.0f, fit->offset = 0.0f;
    } else {
      float step[PARAMETERS];
      solve(total, free_shift, free_rotation, step);
      *fit = state->fits[number - 1];
      // Another motion may get more votes. Then the vectors follow an object, or the camera is
      // faster than their range.
      if (number == 1 && free_shift && !is_static(state, frame)) {
        int best = 0;
        for (int i = 1; i <= OTHERS; i++)
          if (total[FIRST + i] > MORE_VOTES * total[FIRST + best]) best = i;
        if (best) {
          fit->motion = best == 1 ? state->from_frame : as_before(state, frame, best - 2);
          fit->bend =
              bend_of(state, best == 1 ? (float2)(0.0f) : step_before(state, frame, best - 2).xy,
                      free_rotation);
          for (int i = 0; i < PARAMETERS; i++) step[i] = 0.0f;
        }
      }
      const float radius = 1.0f / frame.radius;
      fit->motion += (float4)(step[0], step[1], step[2] * radius, step[3] * radius);
      fit->bend += (float2)(step[4], step[5]) * radius * radius;
      fit->offset += step[7] - 128.0f * LIGHT * step[6];
      fit->gain += LIGHT * step[6];
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  return *fit;
}

// A sample of the background. z: its centre relative to the frame's centre. p: its position in the
// frame. Returns false if it does not count.
typedef struct {
  float2 z, p;
  float level, contrast;
} Sample;
inline bool sample_of(__global const float2 *background, __global const PixelHistory *history,
                      __global const uchar *foreground, FrameGeometry frame, Fit fit, int2 corner,
                      int block_side, Sample *out) {
  out->z = convert_float2(corner) + 0.5f * (block_side - 1) - frame.centre;
  out->p = bent(fit.motion, fit.bend, out->z) + frame.centre;
  return background_of(background, history, foreground, frame.size, corner, block_side, &out->level,
                       &out->contrast) &&
         inside(out->p, frame.size);
}

// The votes of a sample. They grow with its contrast, because without contrast any motion agrees.
inline float votes_of(float contrast) {
  return contrast * contrast / (contrast * contrast + CONTRAST * CONTRAST);
}

// The change that a sample needs, and its derivatives along the motion's parameters.
typedef struct {
  float residual, slopes[MOTIONS];
} Change;
inline Change change_of(__global const float *current, FrameGeometry frame, Fit fit, Sample at,
                        int block_side, float row) {
  const float2 g = slopes(current, frame.size, convert_int2_rte(at.p - 0.5f * (block_side - 1)),
                          block_side),
               unit = at.z / frame.radius;
  const float out = g.x * unit.x + g.y * unit.y;
  Change change = {
      row * (fit.gain * at.level + fit.offset) - level_at(current, frame.size, at.p, block_side),
      {g.x, g.y, out, g.y * unit.x - g.x * unit.y, out * unit.x, out * unit.y}};
  return change;
}

// The weight of the motion that a sample needs if the camera is at rest: it moves edges little.
inline float weight_at_rest(float residual, float2 slope, float residual_scale) {
  return weight_of(residual, fmin(residual_scale, STANDS * (length(slope) + FAINT)));
}

// The difference of a sample's change from that of the sample `apart` px next to it. Light changes
// both by about the same factor. Returns its weight, 0 without such a sample.
inline float compare_next(__global const float *current, __global const float2 *background,
                          __global const PixelHistory *history, __global const uchar *foreground,
                          __global const float *row_brightness, AlignStep step, Fit fit, Sample at,
                          int2 corner, Change *change) {
  const int side = step.block_side, apart = max(side, APART);
  const FrameGeometry frame = step.frame;
  Sample next;
  if (any(corner + apart + side > frame.size) ||
      !sample_of(background, history, foreground, frame, fit, corner + apart, side, &next))
    return 0.0f;
  const float row = brightness_of_row(row_brightness, step.bands, next.p.y),
              part = 2.0f * (next.level + 1.0f) / (at.level + next.level + 2.0f);
  const Change other = change_of(current, frame, fit, next, side, row);
  change->residual = part * change->residual - (2.0f - part) * other.residual;
  UNROLL
  for (int j = 0; j < MOTIONS; j++)
    change->slopes[j] = part * change->slopes[j] - (2.0f - part) * other.slopes[j];
  return weight_at_rest(change->residual, (float2)(change->slopes[0], change->slopes[1]),
                        step.residual_scale);
}

// Adds a sample to the sums `own` of an item: its change by motion, with its weight, and that by
// light. `mixed`: the weight of both together.
inline void add_sample(float *own, Change change, float moves, float mixed, float level,
                       float residual, float weight) {
  const float lights[PARAMETERS - MOTIONS] = {-LIGHT * (level - 128.0f), -1.0f};
  UNROLL
  for (int j = 0; j < MOTIONS; j++) {
    const int product = j * PARAMETERS - j * (j + 1) / 2;  // its place for k = j, less j
    UNROLL
    for (int k = j; k < MOTIONS; k++)
      own[product + k] += moves * change.slopes[j] * change.slopes[k];
    UNROLL
    for (int k = MOTIONS; k < PARAMETERS; k++)
      own[product + k] += mixed * change.slopes[j] * lights[k - MOTIONS];
    own[PRODUCTS + j] += moves * change.slopes[j] * change.residual;
  }
  UNROLL
  for (int j = MOTIONS; j < PARAMETERS; j++) {
    const int product = j * PARAMETERS - j * (j + 1) / 2;
    UNROLL
    for (int k = j; k < PARAMETERS; k++)
      own[product + k] += weight * lights[j - MOTIONS] * lights[k - MOTIONS];
    own[PRODUCTS + j] += weight * lights[j - MOTIONS] * residual;
  }
  own[PRODUCTS + PARAMETERS] += weight;
}

// Adds the samples of an item. `still`: the vectors show a camera at rest.
inline void add_samples(__global const float *current, __global const float2 *background,
                        __global const PixelHistory *history, __global const uchar *foreground,
                        __global const float *row_brightness, AlignStep step, Fit fit,
                        const bool still, float *own) {
  const FrameGeometry frame = step.frame;
  const int block_side = step.block_side, rows = step.row_spacing, number = step.number,
            columns = (frame.size.x + block_side - 1) / block_side,
            count = (frame.size.y + rows - 1) / rows * columns,
            share = (count + GROUPS - 1) / GROUPS, group = get_group_id(0),
            end = min((group + 1) * share, count);
  for (int i = group * share + (int)get_local_id(0); i < end; i += ALIGN_ITEMS) {
    const int2 corner = (int2)(i % columns * block_side, i / columns * rows);
    Sample at;
    if (!sample_of(background, history, foreground, frame, fit, corner, block_side, &at)) continue;
    const float row = brightness_of_row(row_brightness, step.bands, at.p.y);
    Change change = change_of(current, frame, fit, at, block_side, row);
    const float residual = change.residual, weight = weight_of(residual, step.residual_scale);
    float moves = weight;
    if (still) {
      // Its vectors are right to half a pixel, so the first step isn't needed.
      moves = number ? compare_next(current, background, history, foreground, row_brightness, step,
                                    fit, at, corner, &change)
                     : 0.0f;
    }
    add_sample(own, change, moves, still ? 0.0f : weight, at.level, residual, weight);
    own[FIRST] += i % VOTING ? 0.0f : votes_of(at.contrast) * weight;
  }
}

// One step: sums the normal equations. `current`: the reduced frame. `row_brightness`: of its
// rows. `background`: .x is the level. `history`: the first age is 0 where the background is
// unknown. `foreground`: of the previous frame; it does not count. GROUPS work-groups.
__kernel __attribute__((reqd_work_group_size(ALIGN_ITEMS, 1, 1))) void camera_align(
    __global const float *current, __global const float2 *background,
    __global const PixelHistory *history, __global const uchar *foreground,
    __global const float *before, __global float *sums, __global CameraState *state,
    __global const float *row_brightness, AlignStep step) {
  __local float total[ALIGN_SUMS * ROW];
  const FrameGeometry frame = step.frame;
  const int number = step.number, bands = step.bands, block_side = step.block_side,
            rows = step.row_spacing;
  const int free_shift = step.free_shift && state->reliable,
            free_rotation = step.free_rotation && free_shift;
  const float residual_scale = step.residual_scale;
  __local Fit shared_fit;
  const int item = get_local_id(0), group = get_group_id(0);
  const Fit fit =
      estimate(before, state, number, frame, free_shift, free_rotation, total, &shared_fit);
  float own[ALIGN_SUMS];
  UNROLL
  for (int i = 0; i < ALIGN_SUMS; i++) own[i] = 0.0f;
  const int2 size = frame.size;
  const int columns = (size.x + block_side - 1) / block_side,
            count = (size.y + rows - 1) / rows * columns;
  // Two loops, because the simple one is faster on GPUs.
  if (free_shift && is_static(state, frame))
    add_samples(current, background, history, foreground, row_brightness, step, fit, true, own);
  else
    add_samples(current, background, history, foreground, row_brightness, step, fit, false, own);
  // The last items vote, because the first ones have more samples.
  Sample at;
  const int voting = number ? 0 : (count + VOTING - 1) / VOTING * SHARES;
  const int votes = (voting + GROUPS - 1) / GROUPS, last = min((group + 1) * votes, voting);
  for (int i = group * votes + ALIGN_ITEMS - 1 - item; i < last; i += ALIGN_ITEMS) {
    const int voter = i / SHARES * VOTING;
    const int2 corner = (int2)(voter % columns * block_side, voter / columns * rows);
    if (!sample_of(background, history, foreground, frame, fit, corner, block_side, &at)) continue;
    const float row = brightness_of_row(row_brightness, bands, at.p.y),
                counts = votes_of(at.contrast);
    for (int k = i % SHARES; k < OTHERS; k += SHARES) {
      const float2 way = k ? step_before(state, frame, k - 1).xy : (float2)(0.0f);
      const float2 q = bent(k ? as_before(state, frame, k - 1) : state->from_frame,
                            bend_of(state, way, free_rotation), at.z) +
                       frame.centre;
      const float vote =
          counts * agreement(current, size, q, block_side, row * at.level, residual_scale);
      UNROLL
      for (int j = 0; j < OTHERS; j++) own[STATIC + j] += j == k ? vote : 0.0f;
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  UNROLL
  for (int i = 0; i < ALIGN_SUMS; i++) total[i * ROW + item] = own[i];
  barrier(CLK_LOCAL_MEM_FENCE);
  const int parts = ALIGN_ITEMS / ALIGN_SUMS, each = ALIGN_ITEMS / parts,
            first = item / ALIGN_SUMS * each;
  float sum = 0.0f;
  UNROLL_16
  for (int i = 0; i < each; i++)
    sum += item < parts * ALIGN_SUMS ? total[item % ALIGN_SUMS * ROW + first + i] : 0.0f;
  barrier(CLK_LOCAL_MEM_FENCE);
  total[item] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (item < ALIGN_SUMS) {
    for (int i = 1; i < parts; i++) sum += total[i * ALIGN_SUMS + item];
    sums[group * ALIGN_SUMS + item] = sum;
  }
  if (group == 0 && item == 0) state->fits[number] = fit;
}

// Updates the state after the last step. While rotation, scale and bend move no corner by half a
// pixel, the background moves by whole pixels. The remaining motion is kept for the comparison.
// Otherwise the background is resampled to the frame. One work-group.
__kernel __attribute__((reqd_work_group_size(ALIGN_ITEMS, 1, 1))) void camera_update_state(
    __global const float *before, __global CameraState *state, __global const float *row_brightness,
    AlignStep last) {
  __local float total[ALIGN_ITEMS];
  const FrameGeometry frame = last.frame;
  const int free_shift = last.free_shift && state->reliable,
            free_rotation = last.free_rotation && free_shift;
  __local Fit shared_fit;
  Fit fit =
      estimate(before, state, last.number, frame, free_shift, free_rotation, total, &shared_fit);
  if (get_local_id(0)) return;
  const float4 none = (float4)(0.0f);
  if (last.first || state->cut ||
      !(fabs(fit.motion.z) < MOST_TURN && fabs(fit.motion.w) < MOST_TURN &&
        fit.gain > 1.0f / MOST_GAIN && fit.gain < MOST_GAIN)) {
    fit.motion = none, fit.bend = 0.0f, fit.gain = 1.0f, fit.offset = 0.0f;
    state->frame_motion = state->path = none;
    state->from_background = state->from_frame = none;
    state->bend_background = state->bend_frame = 0.0f;
    state->bend_rate = state->brightness = state->brightness_peak = 0.0f;
    state->frames = 0;
    state->model_empty = 1;
  } else {
    // The motion from the previous frame, without the rest that was kept there.
    const float4 step = scaled(after(inverse(state->from_frame), fit.motion), frame.reduction);
    const float2 grown = (float2)(1.0f + step.z, step.w);
    const float2 path = times(grown, state->path.xy) + step.xy;
    state->path = (float4)(path, state->path.z + 0.5f * log(dot(grown, grown)),
                           state->path.w + atan2(grown.y, grown.x));
    state->frame_motion = step;
    const float2 way = step.xy / frame.reduction;
    const float square = dot(way, way), all = frame.radius * frame.radius;
    if (square > 1.0f) {
      const float now = dot(fit.bend - state->bend_frame, way) / square;
      state->bend_rate += BEND_FOLLOWS * (clamp(now, 0.0f, MAX_CURVE / all) - state->bend_rate);
    }
    if (length(fit.motion.zw) * frame.radius + length(fit.bend) * all < WHOLE_SHIFT) {
      const float2 shift = rint(fit.motion.xy);
      state->from_background = (float4)(-shift, 0.0f, 0.0f);
      state->from_frame = after(state->from_background, fit.motion);
      state->bend_background = 0.0f;
      state->bend_frame = fit.bend;
    } else {
      state->from_background = inverse(fit.motion);
      state->from_frame = none;
      state->bend_background = fit.bend;
      state->bend_frame = 0.0f;
    }
    const float rows = mean_brightness(row_brightness, last.bands);
    state->brightness =
        BRIGHTNESS_KEPT * state->brightness + 128.0f * (rows * fit.gain - 1.0f) + rows * fit.offset;
    state->brightness_peak = fmax(fabs(state->brightness), PEAK_KEPT * state->brightness_peak);
    state->frames++;
    state->model_empty = 0;
  }
  state->fit = fit;
  state->cut = 0;
}
