// SPDX-License-Identifier: LGPL-2.1-or-later
// Pairs of edges, whose directions differ by a given angle, vote for where a shape is, how it is turned and how large it is.
// The space has ROTATIONS * scales planes of cells.
#include "hough/angle.clh"

#define ROTATIONS 36
#define PER_ROTATION (2 * STEPS / ROTATIONS)  // steps
#define TOLERANCE 1                           // steps of two degrees, of both angles of a pair

// By groups that take edges in turn. `places`: of edges in the frame, sorted by step; `starts`: of each step + 1 in it. `pairs` of the
// shape: (x, y) what to multiply the way from one edge to the other with, as complex numbers, for that from the first to the middle,
// z the binary logarithm of its squared length, w its step; `pair_starts`: by angle to the first gradient, TOLERANCE more at both
// ends. `lengths`: the least and the largest square of a way that can be one of the shape. `scales`: their number; `first_scale`:
// the logarithm of the smallest, squared; `per_scale`: logarithms to scales. `cells`: across and down, of `cell` px.
__kernel void vote(__global const uint *restrict places, __global const uint *restrict starts, int width, int apart,
                   __global const float4 *restrict pairs, __global const int *restrict pair_starts, float2 lengths, int scales,
                   float first_scale, float per_scale, int2 cells, float cell, __global uint *space) {
  const uint count = starts[STEPS + 1];
  const int item = get_local_id(0), items = get_local_size(0), plane = cells.x * cells.y;
  // The step of an edge by the starts: groups go on from edge to edge, so steps only rise.
  int step = 0;
  for (uint i = get_group_id(0); i < count; i += get_num_groups(0)) {
    while (starts[step + 2] <= i) step++;
    const int2 at = (int2)(places[i] % width, places[i] / width);
    for (int off = -TOLERANCE; off <= TOLERANCE; off++) {
      const int other = (step - apart + off + 2 * STEPS) % STEPS;
      const uint end = starts[other + 2];
      for (uint k = starts[other + 1] + item; k < end; k += items) {
        const int2 way = (int2)(places[k] % width, places[k] / width) - at;
        const float2 d = convert_float2(way);
        const float square = d.x * d.x + d.y * d.y;
        if (square < lengths.x || square > lengths.y) continue;
        const int full = full_step(way.x, way.y), angle = (full - step + 2 * STEPS) % STEPS;
        const float own = (log2(square) - first_scale) * per_scale;
        const int last = pair_starts[angle + 2 * TOLERANCE + 1];
        for (int n = pair_starts[angle]; n < last; n++) {
          const float4 pair = pairs[n];
          const int scale = (int)floor(own - pair.z * per_scale);
          const int2 to = convert_int2_rtn((float2)(at.x + d.x * pair.x - d.y * pair.y, at.y + d.x * pair.y + d.y * pair.x) / cell);
          if (scale < 0 || scale >= scales || any(to < 0) || any(to >= cells)) continue;
          const int turn = (full - (int)pair.w + 2 * STEPS) % (2 * STEPS) / PER_ROTATION;
          atomic_inc(space + (turn * scales + scale) * plane + to.y * cells.x + to.x);
        }
      }
    }
  }
}

#define SECTORS 12  // of a turn
#define BANDS 3     // of scales
#define LEAST_VOTES 4

// For every cell, sector and band of scales the plane with the most votes, and these votes, over the scale: the more pairs come
// together by chance, the longer they may be. `per_scale`: logarithms to scales. `turns`: the allowed ones, from .x on .y of them.
// `best_votes`: the most of each cell, zeroed before.
__kernel void vote_peaks(__global const uint *restrict space, int scales, float per_scale, int2 cells, int2 turns,
                         __global ushort *restrict votes, __global ushort *restrict planes, __global uint *best_votes) {
  const int cell = get_global_id(0), group = get_global_id(1), plane = cells.x * cells.y;
  if (cell >= plane) return;
  const int sector = group / BANDS, share = (scales + BANDS - 1) / BANDS, first = group % BANDS * share;
  float most = 0.0f;
  int best = 0;
  for (int turn = sector * (ROTATIONS / SECTORS); turn < (sector + 1) * (ROTATIONS / SECTORS); turn++) {
    if ((turn - turns.x + 2 * ROTATIONS) % ROTATIONS >= turns.y) continue;
    for (int scale = first; scale < min(first + share, scales); scale++) {
      const int i = turn * scales + scale;
      const uint own = space[i * plane + cell];
      const float part = own * exp2(0.5f * (scales - 1 - scale) / per_scale);
      if (own >= LEAST_VOTES && part > most) most = part, best = i;
    }
  }
  votes[group * plane + cell] = convert_ushort_sat(most);
  planes[group * plane + cell] = best;
  if (most > 0.0f) atomic_max(best_votes + cell, (uint)votes[group * plane + cell]);
}

#define STRENGTHS 1024  // of votes, by their logarithm

#define PART 0.2f       // of the most votes around that a place needs, whatever for

// Keeps the strength of cells that have more votes than all around them for nearly the same turn and scale.
__kernel void vote_maxima(__global const ushort *restrict votes, __global const ushort *restrict planes,
                          __global const uint *restrict best_votes, int scales, int2 cells, __global ushort *restrict maxima) {
  const int x = get_global_id(0), y = get_global_id(1) % cells.y, group = get_global_id(1) / cells.y;
  if (x >= cells.x || group >= SECTORS * BANDS) return;
  const int i = (group * cells.y + y) * cells.x + x, own = votes[i], turn = planes[i] / scales, scale = planes[i] % scales;
  bool most = own > 0;
  for (int v = max(y - 1, 0); v <= min(y + 1, cells.y - 1); v++)
    for (int u = max(x - 1, 0); u <= min(x + 1, cells.x - 1); u++) {
      const int k = (group * cells.y + v) * cells.x + u;
      const bool alike = abs(planes[k] / scales - turn) <= 1 && abs(planes[k] % scales - scale) <= 1;
      most &= (!alike || own > votes[k] || (own == votes[k] && i <= k)) && own >= PART * best_votes[v * cells.x + u];
    }
  maxima[i] = most ? min((int)(log2((float)own) * (STRENGTHS / 16)), STRENGTHS - 1) : 0;
}
