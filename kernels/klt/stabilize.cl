// SPDX-License-Identifier: LGPL-2.1-or-later
// Stabilizes the picture by the tracked points. Each point has an anchor in the stabilized picture:
// the position where it was first seen, or in the previous frame. The motion of most points from
// their anchors is the camera's. Positions are relative to the frame's centre, px. `aspect`: width
// of a px relative to its height. x is multiplied by it, so rotations have their visible angle.
// -DBUFFERS: frames are buffers.
#include "camera/interface.h"
#include "common/frame.clh"
#include "klt/interface.h"
#include "klt/margin.clh"
#include "klt/points.clh"
#include "klt/tuned.clh"

#define NONE 1e9f  // x of a missing vector

// The vector from each point, moved by the previous frame's motion, to its anchor, in the form for
// camera/ransac.cl. A work-item per slot.
__kernel void klt_displacements(__global const TrackedPoints *points, int slots,
                                __global const Anchor *anchors,
                                __global const StabilizerState *stabilizer, float2 centre,
                                float aspect, __global float4 *displacements) {
  const int slot = get_global_id(0);
  if (slot >= slots) return;
  const bool known = points->identity[slot].z == LIVE && points->identity[slot].y > 0 &&
                     anchors[slot].id == points->identity[slot].x;
  const float2 at =
      moved(stabilizer->to_stabilized, to_square_px(points->position[slot].zw - centre, aspect));
  displacements[slot] =
      known ? (float4)(at, anchors[slot].position - at) : (float4)(NONE, NONE, 0.0f, 0.0f);
}

// The gains of a fading-memory filter (Morrison 1969) of `smoothing` frames: the parts of the
// residual that go into position and velocity per frame. The memory gets shorter as the residual
// uses up the margin, as at the start of a pan. Otherwise shake would pass at the end of the
// margin.
inline float2 filter_gains(StabilizerFilter filter, float4 residual) {
  const float used = part_of_margin(filter, residual);
  const float kept = exp(-1.0f / fmax(filter.smoothing, 1.0f) - MARGIN_DECAY * used * used);
  return filter.smoothing > 0.0f ? (float2)(1.0f - kept * kept, (1.0f - kept) * (1.0f - kept))
                                 : (float2)(0.0f);
}

// The part of the difference from the expected motion that the velocity takes on at once. It grows
// with the frames in a row whose motion was unknown. After a restart it is large if the first
// motion would use up the margin in FIRST_FRAMES: the film begins in a pan.
inline float surprise_part(StabilizerFilter filter, __global const StabilizerState *before,
                           float4 motion) {
  if (before->camera_weight > 0.0f) return 1.0f - pow(TRUST, (float)before->unknown_count);
  const float part = part_of_margin(filter, FIRST_FRAMES * motion);
  return part * part;
}

// The motion to the frame, where each axis uses at most a part of the margin that the frame before
// left. So the picture slows down before the end of the margin. A fixed picture does not.
inline float4 eased(StabilizerFilter filter, float4 before, float4 from_stabilized) {
  const float2 middle = to_square_px(filter.centre, filter.aspect),
               limit = (1.0f - filter.zoom) * fmax(middle, 0.5f),
               was = clamp(before.xy, -limit, limit);
  const float2 shift =
      clamp(from_stabilized.xy, was - EASE * (limit + was), was + EASE * (limit - was));
  return filter.smoothing == 0.0f ? from_stabilized : (float4)(shift, from_stabilized.zw);
}

// Adds a motion, unless it is unknown, to the mean of the camera's.
inline void remember_motion(StabilizerState *now, __global const StabilizerState *before,
                            float4 motion, bool known) {
  const float weight = CAMERA_MEMORY * before->camera_weight + (known ? 1.0f : 0.0f);
  now->camera = before->camera + (known ? (motion - before->camera) / weight : (float4)(0.0f));
  now->camera_weight = weight;
  now->unknown_count = known ? 0 : before->unknown_count + 1;
}

// True if a point at `offset` from its anchor keeps it. Otherwise its position becomes the anchor:
// of all points if the picture follows the camera, because a travelling camera sees places move by
// themselves. Of a fixed picture only if few points agree and this one does not.
inline bool keeps_anchor(StabilizerFilter filter, __global const CameraState *camera,
                         float2 offset) {
  return filter.smoothing == 0.0f && (dot(offset, offset) < AGREES * AGREES ||
                                      camera->inliers >= FEW_AGREE * camera->vector_count);
}

// Updates the stabilized position of the frame, its velocity and the anchors, once the frame's
// points are known. `camera`: the motion of the points. In a blank frame all stays. A work-item per
// slot.
__kernel void klt_update_stabilizer(__global const TrackedPoints *points, int slots,
                                    __global const int *state, __global const CameraState *camera,
                                    int fresh, StabilizerFilter filter,
                                    __global const StabilizerState *before,
                                    __global StabilizerState *now, __global Anchor *anchors) {
  const int slot = get_global_id(0);
  if (slot >= slots) return;
  if (state[BLANK_COUNT] && !fresh) {
    if (slot == 0) *now = *before, now->confidence = -1.0f;
    return;
  }
  const float2 middle = to_square_px(filter.centre, filter.aspect);
  const bool restart = fresh || state[CUT];
  const float4 expected = expected_motion(filter, before);
  const bool known = !restart && shows_motion(camera, expected);
  const float4 motion = known ? camera->vector_motion : expected;
  const float4 took =
      known ? surprise_part(filter, before, motion) * (motion - expected) : (float4)(0.0f);
  const float4 velocity =
      restart || filter.smoothing == 0.0f ? (float4)(0.0f) : before->velocity + took;
  const float4 to_stabilized = restart ? (float4)(0.0f) : after(before->to_stabilized, motion);
  const float4 residual = to_stabilized - velocity;
  const float2 gains = filter_gains(filter, residual);
  const float4 target = velocity + gains.x * residual;
  const float4 wanted = after(target, inverse(to_stabilized));
  const float4 from_stabilized = bounded(
      restart ? wanted : eased(filter, before->from_stabilized, wanted), filter.zoom, middle);
  const float4 held = inverse(from_stabilized), turned = after(inverse(to_stabilized), held);
  const Anchor anchor = anchors[slot];
  if (points->identity[slot].z != LIVE) {
    // It goes on with the picture: the point may return with the kept scene.
    anchors[slot].position = moved(turned, anchor.position);
  } else {
    const float2 at = moved(held,
                            to_square_px(points->position[slot].zw - filter.centre, filter.aspect)),
                 was = moved(turned, anchor.position);
    const bool same = !restart && anchor.id == points->identity[slot].x;
    const bool kept = same && keeps_anchor(filter, camera, at - was);
    const Anchor next = {kept ? was + ANCHOR_RATE * (at - was) : at, points->identity[slot].x, 0};
    anchors[slot] = next;
  }
  if (slot == 0) {
    StabilizerState result = state_of(filter, held, from_stabilized);
    result.velocity = velocity + gains.y * residual;
    if (!restart) remember_motion(&result, before, motion, known);
    result.confidence = restart ? -1.0f : camera->confidence;
    *now = result;
  }
}

// Renders the visible part of the stabilized picture from the frame, whose edge repeats. A
// work-item per pixel.
__kernel void klt_show(IN_FRAME(in), OUT_FRAME(out), StabilizedView view,
                       __global const StabilizerState *stabilizer) {
  const int2 size = view.size;
  const int x = get_global_id(0), y = get_global_id(1);
  if (x >= size.x || y >= size.y) return;
  const float2 at = source_position(stabilizer, (float2)(x, y), view.centre, view.aspect);
  const float2 corner = floor(at);
  const int left = (int)corner.x - 1, top = (int)corner.y - 1;
  const float4 across = cubic(at.x - corner.x), down = cubic(at.y - corner.y);
  float4 sum = 0.0f;
  for (int j = 0; j < 4; j++) {
    const int row = clamp(top + j, 0, size.y - 1);
    const float4 a = convert_float4(LOAD_PIXEL(in, clamp(left, 0, size.x - 1), row)),
                 b = convert_float4(LOAD_PIXEL(in, clamp(left + 1, 0, size.x - 1), row)),
                 c = convert_float4(LOAD_PIXEL(in, clamp(left + 2, 0, size.x - 1), row)),
                 d = convert_float4(LOAD_PIXEL(in, clamp(left + 3, 0, size.x - 1), row));
    const float part = j == 0 ? down.x : j == 1 ? down.y : j == 2 ? down.z : down.w;
    sum += part * (across.x * a + across.y * b + across.z * c + across.w * d);
  }
  const uchar4 pixel = convert_uchar4_sat_rte(sum);
  STORE_PIXEL(out, x, y, pixel);
}
