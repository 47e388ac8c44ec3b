// SPDX-License-Identifier: LGPL-2.1-or-later
// Estimates the global motion from one frame to the next. It aligns the edges of both, starting
// from the votes of the Hough transform.
#include "hough/fit.clh"
#include "hough/interface.h"
#include "hough/tuned.clh"

// start poses: 9 rotations and scales in the bins of the votes, and no motion
#define STARTS 10

// One work-group. `indices`, `begins`: edges of the earlier frame by direction, from EdgePairs.
// `rotation`, `scale`, `position`: results of Transform; positions are bins of 2^`fine` px.
// `result` gets scale times cosine and sine of the clockwise rotation, then the shift of the
// centre, px. It also gets the fraction of the edges that meet one, among those still in the frame,
// and the number of the latter. `sums`: FIT_SUMS local elements per item; the group size is a power
// of two.
__kernel void align(__global const ushort *restrict edges, int2 size,
                    __global const uint *restrict indices, __global const uint *restrict begins,
                    __global const int *restrict rotation, __global const uint *restrict scale,
                    __global const uint *restrict position, int fine,
                    __global float *restrict result, __local float *sums) {
  const int item = get_local_id(0), items = get_local_size(0), count = begins[STEPS];
  const float2 middle = 0.5f * convert_float2(size - 1);
  const float radius = length(middle) + 1.0f;
  const int columns = (size.x - 1 >> fine) + 1, bin = position[1];
  const float angle =
      (*rotation < STEPS / 2 ? *rotation : *rotation - STEPS) * (TWO_PI / 2 / STEPS);
  const float voted_scale = (5 + (int)scale[1]) / 10.0f;
  const float2 voted_position =
      (convert_float2((int2)(bin % columns, bin / columns)) + 0.5f) * (float)(1 << fine) - 0.5f;
  float4 pose, best;
  float most = -1.0f;
  for (int round = -STARTS; round <= FRAME_ROUNDS; round++) {
    const bool last = round == FRAME_ROUNDS;
    if (round < -1) {
      const int start = round + STARTS;
      const float start_scale = voted_scale * (1.0f + (start % 3 - 1) / 30.0f),
                  turned = angle + (start / 3 - 1) * (TWO_PI / 3 / 180);
      pose = (float4)(start_scale * cos(turned), start_scale * sin(turned), voted_position.x,
                      voted_position.y);
    } else if (round == -1) {
      pose = (float4)(1.0f, 0.0f, middle.x, middle.y);
    } else if (round == 0) {
      pose = best;
    }
    const float first = FIRST_REACH * fmax(radius / FIRST_RADIUS, 1.0f);
    const float reach =
        last ? LAST_REACH
             : fmax(first * (1.0f - max(round, 0) / (FRAME_ROUNDS - 1.0f)), LAST_REACH);
    const float turned = atan2(pose.y, pose.x) * (2.0f * STEPS / TWO_PI);
    float own[FIT_SUMS];
    for (int i = 0; i < FIT_SUMS; i++) own[i] = 0.0f;
    int direction = 0;
    for (int i = item; i < count; i += items) {
      while (i >= (int)begins[direction + 1]) direction++;
      const float2 p = convert_float2((int2)(indices[i] % size.x, indices[i] / size.x)) - middle;
      const float2 q =
          (float2)(pose.z + pose.x * p.x - pose.y * p.y, pose.w + pose.y * p.x + pose.x * p.y);
      const bool inside = q.x >= 0.0f && q.y >= 0.0f && q.x <= size.x - 1 && q.y <= size.y - 1;
      if (!inside) continue;
      if (last) own[0] += 1.0f;
      float step = direction + turned;
      step -= STEPS * floor(step / STEPS);
      const float2 n = (float2)(cos(step * (TWO_PI / 2 / STEPS)), sin(step * (TWO_PI / 2 / STEPS)));
      float off, off_step;
      bool reversed;
      if (!nearest_edge(edges, size, q, n, step, reach, &off, &off_step, &reversed)) continue;
      const float near = 1.0f - off * off / (reach * reach + 1.0f),
                  direction_misfit = off_step / (DIRECTION + 1.0f);
      const float weight = near * near * (1.0f - direction_misfit * direction_misfit);
      own[14] += round < 0 ? weight : 1.0f;
      if (round < 0 || last) continue;
      add_point(own, p, n, radius, weight, off);
    }
    add_up(own, FIT_SUMS, sums, own);
    if (round < 0) {
      if (own[14] > most) most = own[14], best = pose;
    } else if (!last) {
      const float4 step = solve4(own);
      pose += (float4)(step.x / radius, step.y / radius, step.z, step.w);
    } else if (item == 0) {
      result[0] = pose.x, result[1] = pose.y, result[2] = pose.z - middle.x,
      result[3] = pose.w - middle.y;
      result[4] = own[14] / fmax(own[0], 1.0f), result[5] = own[0];
    }
  }
}
