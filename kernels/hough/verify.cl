// SPDX-License-Identifier: LGPL-2.1-or-later
// Whether a shape is where votes have it: its points look for edges of their direction beside them, the pose follows by least
// squares, and in the end the share of the points that meet an edge counts.
#include "hough/fit.clh"
#include "hough/level.clh"
#include "hough/object.clh"

#define TURNS 72
#define PLACES 9            // that are tried first, most of a cell apart,
#define STARTS 9            // then scales and turns, a third of a bin apart
#define ROUNDS 7
#define LEAST_PLACED 0.3f   // of what points find by chance, at the best place,
#define LEAST_STARTED 0.4f  // with the best turn and scale,
#define TRIAL 2             // and so many rounds later
#define HOPE 0.2f           // of all points
#define LAST_REACH 1.5f   // px, at which a point meets an edge
#define OTHER_SIDE 0.3f   // what a point counts that meets an edge which is bright on the other side than most are
#define MARGIN 1.05f      // that scales may lie outside of their range

// A group for each candidate. `points`: (x, y) of the shape from its middle, z the step of their direction, w what they count.
// `radius`: of the shape. `candidates`: places with their sectors and bands, rows `pitch` apart; `poses`: the turns and scales there.
// `scale_range`: allowed, `angles`: clockwise, from .x on .y degrees. `first`: of the objects that are its. `sums`: SUMS for each item,
// a power of two of them.
__kernel void verify(__global const ushort *restrict edges, int2 size, __global const uint *restrict candidates,
                     __global const uint *restrict counts, __global const ushort *restrict poses, int scales, float first_scale,
                     float per_scale, int lines, int pitch, int cell, __global const float4 *restrict points,
                     __global const int4 *restrict levels, int level_count, float radius, int shape,
                     float2 scale_range, float2 angles, __global Object *restrict objects, int first, __local float *sums) {
  const int item = get_local_id(0), items = get_local_size(0), number = get_group_id(0);
  const bool exists = number < (int)counts[0];
  const uint place = exists ? candidates[number] : 0;
  const int turn_bin = poses[place] / scales, scale_bin = poses[place] % scales;
  const float2 middle = convert_float2((int2)(place % pitch, place / pitch % lines) * cell + cell / 2);
  const int4 level = levels[level_for(levels, level_count, first_scale + (scale_bin + 0.5f) / per_scale)];
  const int count = level.y;
  const float chance = as_float(level.z);
  points += level.x;
  // The turn, by size over radius, so that all unknowns are px.
  float4 pose, best;
  float most = -1.0f, first_reach = 0.0f;
  // First which place, then which scale and turn near those of the match fit best, then the refinement, in the end the score.
  for (int round = -STARTS - PLACES; round <= ROUNDS; round++) {
    const bool last = round == ROUNDS;
    if (round < 0) {
      const int way = round < -STARTS ? round + STARTS + PLACES : round + STARTS;
      const float2 apart = (float2)(way % 3 - 1, way / 3 - 1) / 3.0f;
      const float2 there = round < -STARTS ? middle + 2.0f * cell * apart : best.zw;
      const float2 off = round < -STARTS ? (float2)(0.0f, 0.0f) : apart;
      const float size_there = exp2(first_scale + (scale_bin + 0.5f + off.x) / per_scale);
      const float turn = TURN * (turn_bin + 0.5f + off.y) / TURNS;
      pose = (float4)(size_there * cos(turn), size_there * sin(turn), there.x, there.y);
      first_reach = clamp(0.045f * radius * size_there, 2.0f, 8.0f);
    } else if (round == 0) {
      pose = best;
    }
    const float reach = last ? LAST_REACH : fmax(first_reach * (1.0f - max(round, 0) / (ROUNDS - 1.0f)), LAST_REACH);
    const float turned = atan2(pose.y, pose.x) * (2.0f * STEPS / TURN);
    float own[SUMS];
    for (int i = 0; i < SUMS; i++) own[i] = 0.0f;
    const int every = round < -STARTS ? 4 : round < 0 ? 2 : 1;  // points: enough of them to compare poses by
    for (int i = item * every; i < count && exists; i += items * every) {
      const float4 p = points[i];
      const float2 q = (float2)(pose.z + pose.x * p.x - pose.y * p.y, pose.w + pose.y * p.x + pose.x * p.y);
      float step = p.z + turned;
      const float halves = floor(step / STEPS);
      step -= STEPS * halves;
      const float2 n = (float2)(cos(step * (TURN / 2 / STEPS)), sin(step * (TURN / 2 / STEPS)));
      float off, off_step;
      bool turned_edge;
      if (!nearest_edge(edges, size, q, n, step, reach, &off, &off_step, &turned_edge)) continue;
      // The further off an edge is, and the more it is turned, the less it counts.
      const float near = 1.0f - off * off / (reach * reach + 1.0f), turns_off = off_step / (DIRECTION + 1.0f);
      const float alike = 1.0f - turns_off * turns_off;
      const float weight = p.w * count * near * near * alike * alike;
      if (round < 0) {
        own[0] += weight;
        continue;
      }
      if (last) {
        // In the end a point counts the less, the worse it fits.
        const float2 misfit = (float2)(off / LAST_REACH, off_step / (DIRECTION + 1.0f)), square = misfit * misfit;
        const float meets = p.w * (1.0f - square.x * square.x) * (1.0f - square.y * square.y);
        own[turned_edge == (((int)halves & 1) != 0) ? 0 : 1] += meets;
        continue;
      }
      const float row[4] = {(n.x * p.x + n.y * p.y) / radius, (n.y * p.x - n.x * p.y) / radius, n.x, n.y};
      int k = 0;
      for (int a = 0; a < 4; a++)
        for (int b = a; b < 4; b++) own[k++] += weight * row[a] * row[b];
      for (int a = 0; a < 4; a++) own[10 + a] += weight * row[a] * off;
      own[14] += 1.0f;
    }
    add_up(own, round < 0 ? 1 : last ? 2 : SUMS, sums, own);
    if (round < 0) {
      const float fits = own[0] * every;
      if (fits > most) most = fits, best = pose;
    }
    // A candidate ends where hardly a point finds an edge.
    const bool hopeless = (round == -STARTS - 1 && most < LEAST_PLACED * chance * count) ||
                          (round == -1 && most < LEAST_STARTED * chance * count) || (round == TRIAL && own[14] < HOPE * count);
    if (hopeless) {
      if (item == 0) objects[first + number].score = -1.0f;
      round = ROUNDS;  // for all items of the group
    } else if (round < 0) {
      continue;
    } else if (!last) {
      const float4 step = solve4(own);
      pose += (float4)(step.x / radius, step.y / radius, step.z, step.w);
    } else if (item == 0) {
      const float scale = sqrt(pose.x * pose.x + pose.y * pose.y);
      float past = atan2(pose.y, pose.x) * (360.0f / TURN) - angles.x;
      past -= 360.0f * floor(past / 360.0f);
      const bool allowed = exists && scale >= scale_range.x / MARGIN && scale <= scale_range.y * MARGIN && past <= angles.y &&
                           pose.z >= 0.0f && pose.w >= 0.0f && pose.z < size.x && pose.w < size.y;
      const float meets = fmax(own[0], own[1]) + OTHER_SIDE * fmin(own[0], own[1]);
      const float score = allowed ? fmin((meets - chance) / (1.0f - chance), 1.0f) : -1.0f;
      const Object object = {pose.z, pose.w, pose.x, pose.y, score, shape, radius * scale, 0.0f};
      objects[first + number] = object;
    }
  }
}

#define NEAR 0.5f    // of the smaller radius: so near, two objects are one
#define AROUND 1.5f  // of it: so near, one that fits this much worse is seen in parts of the other
#define WORSE 0.7f

// By one group: the objects in the order of their scores, of several in one place the best. `result`: their number, that of the edges,
// and the objects from the second 32 bytes on. `best`: one for each item, a power of two of them.
__attribute__((reqd_work_group_size(ONE_GROUP, 1, 1)))
__kernel void choose(__global Object *objects, int count, float least, int most, __global const uint *edge_count,
                     __global Object *restrict result, __local float2 *best) {
  const int item = get_local_id(0), items = get_local_size(0);
  int chosen = 0;
  for (bool more = true; more && chosen < most;) {
    float2 own = (float2)(-1.0f, 0.0f);
    for (int i = item; i < count; i += items)
      if (objects[i].score > own.x) own = (float2)(objects[i].score, i);
    best[item] = own;
    for (int left = items / 2; left > 0; left /= 2) {
      barrier(CLK_LOCAL_MEM_FENCE);
      if (item < left) {
        const float2 a = best[item], b = best[item + left];
        best[item] = b.x > a.x || (b.x == a.x && b.y < a.y) ? b : a;
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const float2 top = best[0];
    more = top.x >= least;
    const Object object = objects[(int)top.y];
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    if (more) {
      if (item == 0) result[1 + chosen] = object;
      for (int i = item; i < count; i += items) {
        const float2 way = (float2)(objects[i].x - object.x, objects[i].y - object.y);
        const float apart = length(way) / fmin(objects[i].radius, object.radius);
        if (apart <= NEAR || (apart <= AROUND && objects[i].score < WORSE * object.score)) objects[i].score = -1.0f;
      }
      chosen++;
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  }
  if (item == 0) {
    __global uint *head = (__global uint *)result;
    head[0] = chosen, head[1] = *edge_count;
  }
}
