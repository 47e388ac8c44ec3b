// SPDX-License-Identifier: LGPL-2.1-or-later
// Verifies the poses of the votes. A template's points look for edges of their direction nearby, and the pose follows by least squares. The
// score is the fraction of points that meet an edge.
#include "common/bands.clh"
#include "hough/fit.clh"
#include "hough/directions.clh"
#include "hough/interface.h"
#include "hough/level.clh"

#define WAYS 5              // of placing, turning and scaling a candidate that are tried first, all of them with each other,
#define WAY_CELLS 0.4f      // so many cells,
#define WAY_BINS 0.5f       // bins of turns and scales apart
#define POSES (WAYS * WAYS * WAYS * WAYS)
#define TRIED 64            // points that they are compared by
#define ROUNDS 7
#define LEAST_STARTED 0.4f  // of what points find by chance, at the best of them,
#define TRIAL 2             // and so many rounds later
#define HOPE 0.2f           // of all points
#define LAST_REACH 1.5f   // px, at which a point meets an edge
#define OTHER_SIDE 0.3f   // the weight of a point whose edge is bright on the other side than most are
#define MARGIN 1.05f      // that scales may lie outside of their range
#define AXES 8            // along which something may cover a template from one side or the other,
#define PARTS 16          // up to one of so many places
#define LEAST_SEEN 0.5f   // of the template,
#define LEAST_MET 0.6f    // and of the visible part, the fraction that must meet an edge;
#define SIDE 0.45f        // the weight of the excess, relative to its possible maximum
#define UNIT 1048576.0f   // of sums in whole numbers

// For each pixel the directions of the edges up to `half_width` px from it, a bit each.
__kernel void verify_near(__global const ushort *restrict edges, int2 size, int half_width, __global ushort *restrict nearby) {
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

// A candidate's place, angle and scale, and the widths of its bins.
typedef struct {
  float2 middle;
  float turn, scale, way_px, way_turn, way_scale;  // scales: binary logarithms
} Candidate;

inline int way_of(int pose, int number) {
  for (int i = 0; i < number; i++) pose /= WAYS;
  return pose % WAYS - WAYS / 2;
}

inline float turn_of(Candidate candidate, int pose) { return candidate.turn + way_of(pose, 0) * candidate.way_turn; }
inline float4 pose_of(Candidate candidate, int pose) {
  const float turn = turn_of(candidate, pose), size = exp2(candidate.scale + way_of(pose, 1) * candidate.way_scale);
  const float2 there = candidate.middle + (float2)(way_of(pose, 2), way_of(pose, 3)) * candidate.way_px;
  return (float4)(size * cos(turn), size * sin(turn), there.x, there.y);
}

// For a point that is rotated by so many steps.
inline int direction_of(float step) { return min((int)(step - STEPS * floor(step / STEPS)) / PER_DIRECTION, DIRECTIONS - 1); }

#ifdef SINGLE_ITEM
// The pose that most is met at, of equals the first, and how much that is. A turn and a size of all places at once: a point's
// offset from them is the same.
inline int best_pose(__global const ushort *nearby, int2 size, __global const float4 *points, int count, Candidate candidate, float *most) {
  const int every = max(count / TRIED, 1);
  const float8 ways = (float8)(0.0f, 1.0f, 2.0f, 3.0f, 4.0f, 0.0f, 0.0f, 0.0f) - (float)(WAYS / 2);
  const float8 across = candidate.middle.x + ways * candidate.way_px, down = candidate.middle.y + ways * candidate.way_px;
  int best = 0;
  *most = -1.0f;
  for (int way = 0; way < WAYS * WAYS; way++) {
    const float4 pose = pose_of(candidate, way);
    const float turned = turn_of(candidate, way) * (2.0f * STEPS / TURN);
    float sums[WAYS * WAYS];
    for (int i = 0; i < WAYS * WAYS; i++) sums[i] = 0.0f;
    for (int i = 0; i < count; i += every) {
      const float4 p = points[i];
      const int direction = direction_of(p.z + turned);
      int x[8], y[8];
      vstore8(convert_int8_rte(across + (pose.x * p.x - pose.y * p.y)), 0, x);
      vstore8(convert_int8_rte(down + (pose.y * p.x + pose.x * p.y)), 0, y);
      if (x[0] >= 0 && y[0] >= 0 && x[WAYS - 1] < size.x && y[WAYS - 1] < size.y) {
        for (int v = 0; v < WAYS; v++)
          for (int u = 0; u < WAYS; u++)
            sums[u + v * WAYS] += nearby[y[v] * size.x + x[u]] >> direction & 1 ? p.w : 0.0f;
      } else {
        for (int v = 0; v < WAYS; v++)
          for (int u = 0; u < WAYS; u++)
            if (x[u] >= 0 && y[v] >= 0 && x[u] < size.x && y[v] < size.y && nearby[y[v] * size.x + x[u]] >> direction & 1) sums[u + v * WAYS] += p.w;
      }
    }
    for (int i = 0; i < WAYS * WAYS; i++) {
      const int number = way + i * WAYS * WAYS;
      if (sums[i] > *most || (sums[i] == *most && number < best)) *most = sums[i], best = number;
    }
  }
  *most *= every;
  return best;
}
#else
// The weight of the points with an edge near them.
inline float meets_near(__global const ushort *nearby, int2 size, __global const float4 *points, int count, float4 pose, float turn) {
  const float turned = turn * (2.0f * STEPS / TURN);
  const int every = max(count / TRIED, 1);
  float sum = 0.0f;
  for (int i = 0; i < count; i += every) {
    const float4 p = points[i];
    const int x = convert_int_rte(pose.z + (pose.x * p.x - pose.y * p.y)), y = convert_int_rte(pose.w + (pose.y * p.x + pose.x * p.y));
    if (x < 0 || y < 0 || x >= size.x || y >= size.y) continue;
    if (nearby[y * size.x + x] >> direction_of(p.z + turned) & 1) sum += p.w;
  }
  return sum * every;
}
#endif

// The most that a part of a template, seen on one side of a line across an axis, has above LEAST_MET of it.
inline float most_on_a_side(__local const uint *seen, __local const uint *met) {
  float most = 0.0f;
  for (int side = 0; side < 2 * AXES; side++) {
    float own_seen = 0.0f, own_met = 0.0f;
    for (int i = 0; i < PARTS; i++) {
      const int at = side / 2 * PARTS + (side % 2 ? PARTS - 1 - i : i);
      own_seen += seen[at] / UNIT, own_met += met[at] / UNIT;
      if (own_seen >= LEAST_SEEN) most = fmax(most, (own_met - LEAST_MET * own_seen) / SIDE);
    }
  }
  return most;
}

// A group for each candidate, along y. `points`: (x, y) of the template from its centre, z the step of their direction, w their weight.
// `normals`: cosine and sine of a direction, by its step. `candidates`: places with their sectors and bands,
// rows `pitch` apart; `poses`: the angles and scales there. `sums`: FIT_SUMS for each item, a power of two of them. `nearby`: see verify_near.
__kernel void verify(__global const ushort *restrict edges, __global const ushort *restrict nearby, __global const uint *restrict candidates,
                     __global const uint *restrict counts, __global const ushort *restrict poses, __global const float4 *restrict points,
                     __global const float2 *restrict normals, __global const int4 *restrict levels,
                     __global FoundTemplate *restrict objects, Verification search, __local float *sums) {
  const int2 size = search.size;
  const float2 scale_range = search.scale_range, angles = search.angles;
  const float first_scale = search.scales.first, per_scale = search.scales.per_octave, radius = search.radius;
  const int scales = search.scales.count, lines = search.grid.cells.y, pitch = search.grid.pitch, cell = search.grid.cell;
  const int level_count = search.levels, templ = search.templ, first = search.first;
  const int item = get_local_id(0), items = get_local_size(0), number = GROUP_ROW;
  const bool exists = number < (int)counts[0];
  const uint place = exists ? candidates[number] : 0;
  const int turn_bin = poses[place] / scales, scale_bin = poses[place] % scales;
  const float2 middle = convert_float2((int2)(place % pitch, place / pitch % lines) * cell + cell / 2);
  const int4 level = levels[level_for(levels, level_count, first_scale + (scale_bin + 0.5f) / per_scale)];
  const int count = level.y;
  const float chance = as_float(level.z);
  points += level.x;
  if (item == 0) objects[first + number].score = -1.0f;
  // The best of the poses around the candidate's; of equal ones the first.
  const Candidate candidate = {middle, TURN * (turn_bin + 0.5f) / TURNS, first_scale + (scale_bin + 0.5f) / per_scale,
                               WAY_CELLS * cell, WAY_BINS * TURN / TURNS, WAY_BINS / per_scale};
  __local uint seen[AXES * PARTS], met[AXES * PARTS];  // of a template, along each axis
  float most = -1.0f;
  int best = 0;
#ifdef SINGLE_ITEM
  if (exists) best = best_pose(nearby, size, points, count, candidate, &most);
#else
  for (int i = item; i < POSES && exists; i += items) {
    const float there = meets_near(nearby, size, points, count, pose_of(candidate, i), turn_of(candidate, i));
    if (there > most) most = there, best = i;
  }
  sums[item] = most, sums[items + item] = best;
  for (int left = items / 2; left > 0; left /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item < left) {
      const float other = sums[item + left], number = sums[items + item + left];
      if (other > sums[item] || (other == sums[item] && number < sums[items + item])) sums[item] = other, sums[items + item] = number;
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  most = sums[0], best = (int)sums[items];
#endif
  // The turn, by size over radius, so that all unknowns are px.
  float4 pose = pose_of(candidate, best);
  const float first_reach = clamp(0.045f * radius * length(pose.xy), 2.0f, 8.0f);
  float meets = 0.0f;
  bool most_turned = false;
  for (int i = item; i < AXES * PARTS; i += items) seen[i] = met[i] = 0;
  // The refinement, then the points that meet an edge, over all and on one side.
  for (int round = most < LEAST_STARTED * chance ? ROUNDS + 2 : 0; round <= ROUNDS + 1; round++) {
    const bool last = round >= ROUNDS, sides = round > ROUNDS;
    const float reach = last ? LAST_REACH : fmax(first_reach * (1.0f - round / (ROUNDS - 1.0f)), LAST_REACH);
    const float turned = atan2(pose.y, pose.x) * (2.0f * STEPS / TURN), per_size = rsqrt(dot(pose.xy, pose.xy));
    float own[FIT_SUMS];
    for (int i = 0; i < FIT_SUMS; i++) own[i] = 0.0f;
    const bool wanted = exists && (!sides || meets > LEAST_SEEN * LEAST_MET);
    for (int i = item; i < count && wanted; i += items) {
      const float4 p = points[i];
      const float2 q = (float2)(pose.z + pose.x * p.x - pose.y * p.y, pose.w + pose.y * p.x + pose.x * p.y);
      float step = p.z + turned;
      const float halves = floor(step / STEPS);
      step -= STEPS * halves;
      const float2 own_normal = normals[(int)p.z] * ((int)halves & 1 ? -per_size : per_size);
      const float2 n = (float2)(pose.x * own_normal.x - pose.y * own_normal.y, pose.y * own_normal.x + pose.x * own_normal.y);
      float off, off_step, own_meets = 0.0f;
      bool turned_edge;
      const bool found = nearest_edge(edges, size, q, n, step, reach, &off, &off_step, &turned_edge);
      if (found && last) {
        // In the end a point counts the less, the worse it fits.
        const float2 misfit = (float2)(off / LAST_REACH, off_step / (DIRECTION + 1.0f)), square = misfit * misfit;
        own_meets = p.w * (1.0f - square.x * square.x) * (1.0f - square.y * square.y);
        turned_edge = turned_edge != (((int)halves & 1) != 0);
      }
      if (sides) {
        const float by = found && turned_edge != most_turned ? OTHER_SIDE : 1.0f;
        const uint whole = convert_uint_rte(UNIT * p.w), part = convert_uint_rte(UNIT * own_meets * by);
        for (int axis = 0; axis < AXES; axis++) {
          const float along = (cos(axis * (TURN / 2 / AXES)) * p.x + sin(axis * (TURN / 2 / AXES)) * p.y) / radius;
          const int at = axis * PARTS + clamp((int)((along + 1.0f) * (PARTS / 2)), 0, PARTS - 1);
          atomic_add(seen + at, whole), atomic_add(met + at, part);
        }
        continue;
      }
      if (!found) continue;
      if (last) {
        own[turned_edge ? 1 : 0] += own_meets;
        continue;
      }
      // The further off an edge is, and the more it is turned, the less it counts.
      const float near = 1.0f - off * off / (reach * reach + 1.0f), turns_off = off_step / (DIRECTION + 1.0f);
      const float alike = 1.0f - turns_off * turns_off;
      const float weight = p.w * count * near * near * alike * alike;
      const float row[4] = {(n.x * p.x + n.y * p.y) / radius, (n.y * p.x - n.x * p.y) / radius, n.x, n.y};
      int k = 0;
      for (int a = 0; a < 4; a++)
        for (int b = a; b < 4; b++) own[k++] += weight * row[a] * row[b];
      for (int a = 0; a < 4; a++) own[10 + a] += weight * row[a] * off;
      own[14] += 1.0f;
    }
    add_up(own, last ? 2 : FIT_SUMS, sums, own);
    // A candidate ends where hardly a point finds an edge.
    if (round == TRIAL && own[14] < HOPE * count) {
      round = ROUNDS + 1;  // for all items of the group
    } else if (!last) {
      const float4 step = solve4(own);
      pose += (float4)(step.x / radius, step.y / radius, step.z, step.w);
    } else if (!sides) {
      meets = fmax(own[0], own[1]) + OTHER_SIDE * fmin(own[0], own[1]);
      most_turned = own[1] > own[0];
    } else if (item == 0) {
      // More than by chance, over all points and on one side.
      const float side = wanted ? most_on_a_side(seen, met) : 0.0f;
      const float scale = sqrt(pose.x * pose.x + pose.y * pose.y);
      float past = atan2(pose.y, pose.x) * (360.0f / TURN) - angles.x;
      past -= 360.0f * floor(past / 360.0f);
      const bool allowed = exists && scale >= scale_range.x / MARGIN && scale <= scale_range.y * MARGIN && past <= angles.y &&
                           pose.z >= 0.0f && pose.w >= 0.0f && pose.z < size.x && pose.w < size.y;
      const float score = fmin(1.0f - (1.0f - meets) / (1.0f - chance) * (1.0f - side), 1.0f);
      const FoundTemplate object = {pose.z, pose.w, pose.x, pose.y, allowed ? score : -1.0f, templ, radius * scale, 0.0f};
      objects[first + number] = object;
    }
  }
}
