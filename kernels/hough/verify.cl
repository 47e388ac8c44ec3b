// SPDX-License-Identifier: LGPL-2.1-or-later
// Verifies the poses with the most votes. The points of a template search for edges of their
// direction nearby, and the pose follows by least squares. The score is the fraction of points that
// meet an edge.
#include "common/bands.clh"
#include "common/unitvector.clh"
#include "hough/fit.clh"
#include "hough/directions.clh"
#include "hough/interface.h"
#include "hough/level.clh"
#include "hough/tuned.clh"

// variants of each of x, y, rotation and scale; all combinations are tried
#define VARIANTS 5
#define POSES (VARIANTS * VARIANTS * VARIANTS * VARIANTS)
#define UNIT 1048576.0f  // units of 1 in integer sums

// Writes the directions of the edges up to `half_width` px from each pixel, one bit per direction
// range. A work-item per pixel.
__kernel void verify_near(__global const ushort *restrict edges, int2 size, int half_width,
                          __global ushort *restrict nearby) {
  const int x = get_global_id(0), y = get_global_id(1);
  if (x >= size.x || y >= size.y) return;
  ushort bits = 0;
  for (int v = max(y - half_width, 0); v <= min(y + half_width, size.y - 1); v++)
    for (int u = max(x - half_width, 0); u <= min(x + half_width, size.x - 1); u++) {
      const ushort edge = edges[v * size.x + u];
      if (edge) bits |= directions_of(edge);
    }
  nearby[y * size.x + x] = bits;
}

// A candidate's position, rotation and scale, and the steps between its variants.
typedef struct {
  float2 middle;
  float rotation, scale, step_px, step_rotation, step_scale;  // scales are log2
} Candidate;

inline int variant_of(int pose, int number) {
  for (int i = 0; i < number; i++) pose /= VARIANTS;
  return pose % VARIANTS - VARIANTS / 2;
}

inline float rotation_of(Candidate candidate, int pose) {
  return candidate.rotation + variant_of(pose, 0) * candidate.step_rotation;
}
inline float4 pose_of(Candidate candidate, int pose) {
  const float rotation = rotation_of(candidate, pose),
              size = exp2(candidate.scale + variant_of(pose, 1) * candidate.step_scale);
  const float2 there =
      candidate.middle + (float2)(variant_of(pose, 2), variant_of(pose, 3)) * candidate.step_px;
  return (float4)(size * unit_vector(rotation), there);
}

// The direction's bit of a point; `step`: its direction after the rotation.
inline int direction_of(float step) {
  return min((int)(step - STEPS * floor(step / STEPS)) / PER_DIRECTION, DIRECTIONS - 1);
}

#ifdef SINGLE_ITEM
// The variant with the largest weight of points near an edge; `most` gets that weight. Of equal
// variants the first counts. For each rotation and scale all positions are computed at once,
// because a point's offset from them is the same.
inline int best_pose(__global const ushort *nearby, int2 size, __global const float4 *points,
                     int count, Candidate candidate, float *most) {
  const int every = max(count / COMPARED_POINTS, 1);
  const float8 offsets =
      (float8)(0.0f, 1.0f, 2.0f, 3.0f, 4.0f, 0.0f, 0.0f, 0.0f) - (float)(VARIANTS / 2);
  const float8 across = candidate.middle.x + offsets * candidate.step_px,
               down = candidate.middle.y + offsets * candidate.step_px;
  int best = 0;
  *most = -1.0f;
  for (int variant = 0; variant < VARIANTS * VARIANTS; variant++) {
    const float4 pose = pose_of(candidate, variant);
    const float rotation_steps = rotation_of(candidate, variant) * (2.0f * STEPS / TWO_PI);
    float sums[VARIANTS * VARIANTS];
    for (int i = 0; i < VARIANTS * VARIANTS; i++) sums[i] = 0.0f;
    for (int i = 0; i < count; i += every) {
      const float4 p = points[i];
      const int direction = direction_of(p.z + rotation_steps);
      int x[8], y[8];
      vstore8(convert_int8_rte(across + (pose.x * p.x - pose.y * p.y)), 0, x);
      vstore8(convert_int8_rte(down + (pose.y * p.x + pose.x * p.y)), 0, y);
      if (x[0] >= 0 && y[0] >= 0 && x[VARIANTS - 1] < size.x && y[VARIANTS - 1] < size.y) {
        for (int v = 0; v < VARIANTS; v++)
          for (int u = 0; u < VARIANTS; u++)
            sums[u + v * VARIANTS] += nearby[y[v] * size.x + x[u]] >> direction & 1 ? p.w : 0.0f;
      } else {
        for (int v = 0; v < VARIANTS; v++)
          for (int u = 0; u < VARIANTS; u++)
            if (x[u] >= 0 && y[v] >= 0 && x[u] < size.x && y[v] < size.y &&
                nearby[y[v] * size.x + x[u]] >> direction & 1)
              sums[u + v * VARIANTS] += p.w;
      }
    }
    for (int i = 0; i < VARIANTS * VARIANTS; i++) {
      const int number = variant + i * VARIANTS * VARIANTS;
      if (sums[i] > *most || (sums[i] == *most && number < best)) *most = sums[i], best = number;
    }
  }
  *most *= every;
  return best;
}
#else
// The weight of the points with an edge nearby.
inline float matched_weight(__global const ushort *nearby, int2 size, __global const float4 *points,
                            int count, float4 pose, float rotation) {
  const float rotation_steps = rotation * (2.0f * STEPS / TWO_PI);
  const int every = max(count / COMPARED_POINTS, 1);
  float sum = 0.0f;
  for (int i = 0; i < count; i += every) {
    const float4 p = points[i];
    const int x = convert_int_rte(pose.z + (pose.x * p.x - pose.y * p.y)),
              y = convert_int_rte(pose.w + (pose.y * p.x + pose.x * p.y));
    if (x < 0 || y < 0 || x >= size.x || y >= size.y) continue;
    if (nearby[y * size.x + x] >> direction_of(p.z + rotation_steps) & 1) sum += p.w;
  }
  return sum * every;
}
#endif

// The score of a partly covered template. It is the highest over all visible parts on one side of a
// line across an axis. It is linear in the excess over LEAST_MATCHED of that part.
inline float best_visible_part(__local const uint *visible, __local const uint *matched) {
  float most = 0.0f;
  for (int side = 0; side < 2 * AXES; side++) {
    float own_visible = 0.0f, own_matched = 0.0f;
    for (int i = 0; i < PARTS; i++) {
      const int at = side / 2 * PARTS + (side % 2 ? PARTS - 1 - i : i);
      own_visible += visible[at] / UNIT, own_matched += matched[at] / UNIT;
      if (own_visible >= LEAST_VISIBLE)
        most = fmax(most, (own_matched - LEAST_MATCHED * own_visible) / MOST_EXCESS);
    }
  }
  return most;
}

// One group per candidate, along y. `points`: (x, y) from the template's centre, z the step of the
// direction, w the weight. `normals`: cosine and sine of each direction step. `candidates`: indices
// of cells with their sectors and bands, in rows of `pitch`. `poses`: the rotation and scale at
// each index. `nearby`: from verify_near. `sums`: FIT_SUMS local elements per item; the group size
// is a power of two.
__kernel void verify(__global const ushort *restrict edges, __global const ushort *restrict nearby,
                     __global const uint *restrict candidates, __global const uint *restrict counts,
                     __global const ushort *restrict poses, __global const float4 *restrict points,
                     __global const float2 *restrict normals, __global const int4 *restrict levels,
                     __global FoundTemplate *restrict objects, Verification search,
                     __local float *sums) {
  const int2 size = search.size;
  const float2 scale_range = search.scale_range, angles = search.angles;
  const float first_scale = search.scales.first, per_scale = search.scales.per_octave,
              radius = search.radius;
  const int scales = search.scales.count, lines = search.grid.cells.y, pitch = search.grid.pitch,
            cell = search.grid.cell;
  const int level_count = search.levels, templ = search.templ, first = search.first;
  const int item = get_local_id(0), items = get_local_size(0), number = GROUP_ROW;
  const bool exists = number < (int)counts[0];
  const uint index = exists ? candidates[number] : 0;
  const int rotation_bin = poses[index] / scales, scale_bin = poses[index] % scales;
  const float2 middle =
      convert_float2((int2)(index % pitch, index / pitch % lines) * cell + cell / 2);
  const int4 level =
      levels[level_for(levels, level_count, first_scale + (scale_bin + 0.5f) / per_scale)];
  const int count = level.y;
  const float chance = as_float(level.z);
  points += level.x;
  if (item == 0) objects[first + number].score = -1.0f;
  // The best variant of the candidate's pose; of equal ones the first.
  const Candidate candidate = {middle,
                               TWO_PI * (rotation_bin + 0.5f) / ROTATIONS,
                               first_scale + (scale_bin + 0.5f) / per_scale,
                               VARIANT_CELLS * cell,
                               VARIANT_BINS * TWO_PI / ROTATIONS,
                               VARIANT_BINS / per_scale};
  __local uint visible[AXES * PARTS],
      matched[AXES * PARTS];  // weights of points by axis and part: all, and those on an edge
  float most = -1.0f;
  int best = 0;
#ifdef SINGLE_ITEM
  if (exists) best = best_pose(nearby, size, points, count, candidate, &most);
#else
  for (int i = item; i < POSES && exists; i += items) {
    const float there = matched_weight(nearby, size, points, count, pose_of(candidate, i),
                                       rotation_of(candidate, i));
    if (there > most) most = there, best = i;
  }
  sums[item] = most, sums[items + item] = best;
  for (int left = items / 2; left > 0; left /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item < left) {
      const float other = sums[item + left], number = sums[items + item + left];
      if (other > sums[item] || (other == sums[item] && number < sums[items + item]))
        sums[item] = other, sums[items + item] = number;
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  most = sums[0], best = (int)sums[items];
#endif
  // The refinement solves for rotation and scale times radius, so all unknowns are px.
  float4 pose = pose_of(candidate, best);
  const float first_reach = clamp(0.045f * radius * length(pose.xy), 2.0f, 8.0f);
  float meets = 0.0f;
  bool mostly_reversed = false;
  for (int i = item; i < AXES * PARTS; i += items) visible[i] = matched[i] = 0;
  // Rounds of refinement, then one round that counts the points on an edge and one that counts them
  // by visible part.
  for (int round = most < LEAST_START * chance ? TEMPLATE_ROUNDS + 2 : 0;
       round <= TEMPLATE_ROUNDS + 1; round++) {
    const bool last = round >= TEMPLATE_ROUNDS, sides = round > TEMPLATE_ROUNDS;
    const float reach =
        last ? MEETING_REACH
             : fmax(first_reach * (1.0f - round / (TEMPLATE_ROUNDS - 1.0f)), MEETING_REACH);
    const float rotation_steps = atan2(pose.y, pose.x) * (2.0f * STEPS / TWO_PI),
                per_size = rsqrt(dot(pose.xy, pose.xy));
    float own[FIT_SUMS];
    for (int i = 0; i < FIT_SUMS; i++) own[i] = 0.0f;
    const bool wanted = exists && (!sides || meets > LEAST_VISIBLE * LEAST_MATCHED);
    for (int i = item; i < count && wanted; i += items) {
      const float4 p = points[i];
      const float2 q =
          (float2)(pose.z + pose.x * p.x - pose.y * p.y, pose.w + pose.y * p.x + pose.x * p.y);
      float step = p.z + rotation_steps;
      const float halves = floor(step / STEPS);
      step -= STEPS * halves;
      const float2 own_normal = normals[(int)p.z] * ((int)halves & 1 ? -per_size : per_size);
      const float2 n = (float2)(pose.x * own_normal.x - pose.y * own_normal.y,
                                pose.y * own_normal.x + pose.x * own_normal.y);
      float off, off_step, own_meets = 0.0f;
      bool reversed;
      const bool found = nearest_edge(edges, size, q, n, step, reach, &off, &off_step, &reversed);
      if (found && last) {
        // In the last rounds a point counts less the worse it fits.
        const float2 misfit = (float2)(off / MEETING_REACH, off_step / (DIRECTION + 1.0f)),
                     square = misfit * misfit;
        own_meets = p.w * (1.0f - square.x * square.x) * (1.0f - square.y * square.y);
        reversed = reversed != (((int)halves & 1) != 0);
      }
      if (sides) {
        const float by = found && reversed != mostly_reversed ? OTHER_POLARITY : 1.0f;
        const uint whole = convert_uint_rte(UNIT * p.w),
                   part = convert_uint_rte(UNIT * own_meets * by);
        for (int axis = 0; axis < AXES; axis++) {
          const float2 direction = unit_vector(axis * (TWO_PI / 2 / AXES));
          const float along = (direction.x * p.x + direction.y * p.y) / radius;
          const int at = axis * PARTS + clamp((int)((along + 1.0f) * (PARTS / 2)), 0, PARTS - 1);
          atomic_add(visible + at, whole), atomic_add(matched + at, part);
        }
        continue;
      }
      if (!found) continue;
      if (last) {
        own[reversed ? 1 : 0] += own_meets;
        continue;
      }
      // An edge counts less the further away it is and the more its direction differs.
      const float near = 1.0f - off * off / (reach * reach + 1.0f),
                  direction_misfit = off_step / (DIRECTION + 1.0f);
      const float alike = 1.0f - direction_misfit * direction_misfit;
      const float weight = p.w * count * near * near * alike * alike;
      add_point(own, p.xy, n, radius, weight, off);
      own[14] += 1.0f;
    }
    add_up(own, last ? 2 : FIT_SUMS, sums, own);
    // A candidate is rejected if few points find an edge.
    if (round == EARLY_ROUND && own[14] < LEAST_EARLY * count) {
      round = TEMPLATE_ROUNDS + 1;  // for all items of the group
    } else if (!last) {
      const float4 step = solve4(own);
      pose += (float4)(step.x / radius, step.y / radius, step.z, step.w);
    } else if (!sides) {
      meets = fmax(own[0], own[1]) + OTHER_POLARITY * fmin(own[0], own[1]);
      mostly_reversed = own[1] > own[0];
    } else if (item == 0) {
      // The excess over chance, over all points and over the best visible part.
      const float side = wanted ? best_visible_part(visible, matched) : 0.0f;
      const float scale = sqrt(pose.x * pose.x + pose.y * pose.y);
      float past = atan2(pose.y, pose.x) * (360.0f / TWO_PI) - angles.x;
      past -= 360.0f * floor(past / 360.0f);
      const bool allowed = exists && scale >= scale_range.x / MARGIN &&
                           scale <= scale_range.y * MARGIN && past <= angles.y && pose.z >= 0.0f &&
                           pose.w >= 0.0f && pose.z < size.x && pose.w < size.y;
      const float score = fmin(1.0f - (1.0f - meets) / (1.0f - chance) * (1.0f - side), 1.0f);
      const FoundTemplate object = {pose.z, pose.w,         pose.x, pose.y, allowed ? score : -1.0f,
                                    templ,  radius * scale, 0.0f};
      objects[first + number] = object;
    }
  }
}
