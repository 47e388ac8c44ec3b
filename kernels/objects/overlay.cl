// SPDX-License-Identifier: LGPL-2.1-or-later
// Finds the overlay: what stays in place in the picture while the background moves, such as logos,
// clocks and subtitles. docs/methods/objects.md has the rules.
#include "camera/interface.h"
#include "camera/sample.clh"
#include "camera/similarity.clh"
#include "noise/bands.clh"
#include "noise/interface.h"
#include "objects/regionlist.clh"
#include "objects/tuned.clh"

inline float level_at(__global const float *current, int2 size, int2 p) {
  p = clamp(p, (int2)(0), size - 1);
  return current[p.y * size.x + p.x];
}

// The change of a level that noise allows.
inline float noise_bound(__global const float *variances, float noise_gain, float level) {
  return ROUNDING +
         DEVIATIONS * sqrt(2.0f * (noise_gain * CORRELATION * noise_variance_at(variances, level) +
                                   coding_variance(variances)));
}

// The change of a level that an edge may show: a small shift, and ringing around it.
inline float edge_bound(__global const float *current, int2 size, int2 p, float level) {
  float steepest = 0.0f, least = level, most = level;
  for (int k = 0; k < 9; k++) {
    const int2 by = (int2)(k % 3 - 1, k / 3 - 1);
    if (k % 2) steepest = fmax(steepest, fabs(level_at(current, size, p + by) - level));
    const float far = level_at(current, size, p + RINGING_REACH * by);
    least = fmin(least, far), most = fmax(most, far);
  }
  return fmax(MAX_SHIFT * steepest, RINGING * (most - least));
}

// The larger step from a pixel to one ahead and to one behind in a direction.
inline float edge_along(__global const float *current, int2 size, int2 p, float2 by, float level) {
  const float2 here = convert_float2(p);
  return fmax(fabs(sample(current, size, here + by) - level),
              fabs(sample(current, size, here - by) - level));
}

// The evidence of pixels nearby, less their distance.
inline float nearby_evidence(__global const StillPixel *before, int2 size, int2 p) {
  float evidence = 0.0f;
  for (int k = 0; k < 8; k++) {
    const int step = k < 4 ? 1 : PLAIN_STEP, way = k & 1 ? step : -step;
    const int2 at = clamp(p + (k & 2 ? (int2)(way, 0) : (int2)(0, way)), (int2)(0), size - 1);
    evidence = fmax(evidence, before[at.y * size.x + at.x].evidence - step);
  }
  return evidence;
}

// Updates the still picture with a frame. `current`: the reduced frame. `restart`: the frame does
// not follow another. A work-item per pixel.
__kernel void objects_still(__global const StillPixel *before, __global const float *current,
                            __global const CameraState *state, __global const NoiseState *noise,
                            FrameGeometry frame, float noise_gain, int restart,
                            __global StillPixel *after) {
  const int2 p = (int2)(get_global_id(0), get_global_id(1)), size = frame.size;
  if (p.x >= size.x || p.y >= size.y) return;
  const int at = p.y * size.x + p.x;
  const float level = current[at];
  if (restart) {
    const StillPixel first = {(float2)(0.0f), level, 0.0f};
    after[at] = first;
    return;
  }
  StillPixel still = before[at];
  const float2 step = vector_at(scaled(state->frame_motion, 1.0f / frame.reduction),
                                convert_float2(p) - frame.centre);
  still.motion *= MOTION_DECAY;
  if (dot(step, step) >= MIN_MOTION * MIN_MOTION) still.motion += step;
  const float path = length(still.motion);
  const float noise_allows = noise_bound(noise->variances, noise_gain, level),
              change = fabs(level - still.level);
  // Edges are read only where they matter: nowhere while the camera rests and the level stays.
  const bool has_path = path >= MIN_PATH;
  const float allowed = has_path || change > noise_allows
                            ? noise_allows + edge_bound(current, size, p, level)
                            : noise_allows;
  if (change <= allowed) {
    still.level += STILL_GAIN * (level - still.level);
    if (has_path &&
        edge_along(current, size, p, still.motion / path, level) >=
            fmax(fmax(MIN_EDGE_NOISE * noise_allows, MIN_EDGE_ALLOWED * allowed), MIN_EDGE))
      still.evidence += 1.0f;
    if (path >= MIN_PATH_PLAIN)
      still.evidence = fmax(still.evidence, nearby_evidence(before, size, p));
    still.evidence = fmin(still.evidence, MAX_EVIDENCE);
  } else if (still.evidence >= OVERLAY_FRAMES) {
    still.evidence -= EVIDENCE_LOSS;
  } else {
    still.motion = 0.0f, still.level = level, still.evidence = 0.0f;
  }
  after[at] = still;
}

// Marks the pixels of the background model that are behind the overlay with OVERLAY, and those that
// may be with DOUBTFUL; others with 0. A work-item per pixel of the model.
__kernel void objects_overlay(__global const StillPixel *still, __global const CameraState *state,
                              FrameGeometry frame, __global uchar *marks) {
  const int2 position = (int2)(get_global_id(0), get_global_id(1)), size = frame.size;
  if (position.x >= size.x || position.y >= size.y) return;
  const float2 z = convert_float2(position) - frame.centre;
  const int2 here = convert_int2_rte(bent(state->from_frame, state->bend_frame, z) + frame.centre);
  float evidence = 0.0f;
  for (int k = 0; k < 9; k++) {
    const int2 by = OVERLAY_MARGIN * (int2)(k % 3 - 1, k / 3 - 1),
               p = clamp(here + by, (int2)(0), size - 1);
    evidence = fmax(evidence, still[p.y * size.x + p.x].evidence);
  }
  marks[position.y * size.x + position.x] = evidence >= OVERLAY_FRAMES    ? OVERLAY
                                            : evidence >= DOUBTFUL_FRAMES ? DOUBTFUL
                                                                          : 0;
}
