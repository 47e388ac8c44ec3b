// SPDX-License-Identifier: LGPL-2.1-or-later
// Large motion: on one of the coarse levels nodes may take the motion that matches of single pixels show around them.
#include "opticalflow/level.clh"
#include "opticalflow/light.clh"
#include "opticalflow/noise.clh"
#include "opticalflow/match.clh"

#define UNROLL _Pragma("unroll")

#define CELL 16         // px of the cells that have modes
#define ACROSS (CELL / CELL_X)  // matches in a cell
#define DOWN (CELL / CELL_Y)
#define IN_CELL (ACROSS * DOWN)
#define NO_MODE 1e4f    // as x: no mode
#define ALIKE 1         // px along each axis that matches of one mode differ by
#define LEAST_VOTES 3

inline bool is_mode(float2 v) { return v.x < 0.5f * NO_MODE; }

// The light by those pairs, which is not misled by what comes and goes; where it takes a fifth of the difference away
// and there are at least LEAST_PAIRS; else as it was. Behind the pairs then comes the mean difference that is left; else, and where that is
// too large to be told, -1. By one group, if it is to do it.
#define LEAST_PAIRS 16
#define MOST_LEFT 2.0f  // levels; differences are cut at 4
inline float2 pair_at(volatile __global float2 *pairs, int i) {  // as other groups have left it
  volatile __global uint *p = (volatile __global uint *)(pairs + i);
  return (float2)(as_float(atomic_or(p, 0u)), as_float(atomic_or(p + 1, 0u)));
}
inline void relight(volatile __global float2 *pairs, int cells, bool does, __global const float2 *light, __global float2 *relit,
                    __local float4 *sums) {
  const int count = does ? cells : 0;
  float4 sum = 0.0f;
  float number = 0.0f;
  for (int i = get_local_id(0); i < count; i += get_local_size(0)) {
    const float2 pair = pair_at(pairs, i);
    if (pair.x >= 0.0f) sum += (float4)(moments(pair.y), moments(pair.x)), number += 1.0f;
  }
  number = group_sum(number, sums).x;
  sum = group_sum(sum, sums) / fmax(number, 1.0f);
  const float2 fitted = whole_light(deviation(sum.lo), deviation(sum.hi)), old = light[0];
  float2 differ = 0.0f;
  for (int i = get_local_id(0); i < count; i += get_local_size(0)) {
    const float2 pair = pair_at(pairs, i);
    if (pair.x >= 0.0f) differ += (float2)(difference(pair.y, pair.x, old), difference(pair.y, pair.x, fitted));
  }
  differ = group_sum((float4)(differ, 0.0f, 0.0f), sums).lo / fmax(number, 1.0f);
  if (get_local_id(0) > 0 || !does) return;
  const bool enough = number >= LEAST_PAIRS, better = differ.y < 0.8f * differ.x;
  const float left = better ? differ.y : differ.x;
  relit[0] = enough && better ? fitted : old;
  relit[1] = light[1];
  pairs[cells].x = enough && left <= MOST_LEFT ? left : -1.0f;
}

// The two most frequent motions in every cell, each the mean of matches that are alike, (x, y) and (x, y) in px; for the second one
// those count that the first does not cover. A group for each; `side`: cells of matches; `size`: of the level that was matched.
// `pairs`: by cell the grey, of levels that begin at the offset, of the pixel in the middle of the first mode, before and after; x is
// negative where there is none. Two behind them how many groups have ended, 0 before and after: the last one writes the light by the
// pairs, `relit`, where it `relights`.
#define TILE_X (ACROSS + 2 * REACH_X)
#define TILE_Y (DOWN + 2 * REACH_Y)
__kernel __attribute__((reqd_work_group_size(TILE_X * TILE_Y, 1, 1)))
void flow_modes(__global const uint *restrict claims, int2 size, int2 side, __global const float *before, __global const float *after,
                int pitch, int offset, __global float4 *modes, volatile __global float2 *pairs,
                __global const float2 *light, __global float2 *relit, int relights) {
  __local short4 tile[TILE_X * TILE_Y], own[IN_CELL];
  __local int votes[IN_CELL], last;
  __local float4 sums[TILE_X * TILE_Y];
  const int2 cell = (int2)(get_group_id(0), get_group_id(1));
  const int item = get_local_id(0), number = cell.y * get_num_groups(0) + cell.x, cells = get_num_groups(0) * get_num_groups(1);
  tile[item] = match_in(claims, size, cell * (int2)(ACROSS, DOWN) + (int2)(item % TILE_X - REACH_X, item / TILE_X - REACH_Y), side);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (item < IN_CELL) own[item] = confirmed(tile + item / ACROSS * TILE_X + item % ACROSS, TILE_X);
  barrier(CLK_LOCAL_MEM_FENCE);
  const int2 v = convert_int2(own[item % IN_CELL].zw);
  const float2 nothing = NO_MODE;
  float4 found = NO_MODE;
  int2 first = 0;
  for (int mode = 0; mode < 2; mode++) {
    int2 sum = 0;
    int mine = 0;
    const bool free = item < IN_CELL && own[item % IN_CELL].x >= 0 &&
                      (mode == 0 || (is_mode(found.xy) && any(abs(v - first) > (uint2)(2 * ALIKE))));
    for (int i = 0; i < IN_CELL && free; i++) {
      const int2 off = convert_int2(own[i].zw) - v;
      if (own[i].x >= 0 && all(abs(off) <= (uint2)ALIKE)) sum += off, mine++;
    }
    if (item < IN_CELL) votes[item] = mine;
    barrier(CLK_LOCAL_MEM_FENCE);
    int best = 0;
    for (int i = 1; i < IN_CELL; i++) best = votes[i] > votes[best] ? i : best;
    const bool enough = votes[best] >= LEAST_VOTES;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item == best) {
      sums[mode] = (float4)(enough ? convert_float2(v) + convert_float2(sum) / mine : nothing, 0.0f, 0.0f);
      if (mode == 0) {
        const int from = offset + own[best].y * pitch + own[best].x;
        pairs[number] = enough ? (float2)(before[from], after[from + v.y * pitch + v.x]) : (float2)(-1.0f);
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    first = convert_int2(own[best].zw);
    if (mode == 0) found.xy = sums[0].xy;
    else found.zw = sums[1].xy;
  }
  if (item == 0) modes[number] = found;
  if (!relights) return;
  barrier(CLK_GLOBAL_MEM_FENCE);
  if (item == 0) {
    mem_fence(CLK_GLOBAL_MEM_FENCE);
    last = atomic_inc((volatile __global uint *)(pairs + cells + 1)) == (uint)cells - 1;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  relight(pairs, cells, last, light, relit, sums);
  if (item == 0 && last) atomic_xchg((volatile __global uint *)(pairs + cells + 1), 0u);
}

#define CANDIDATES 16   // items of a node: its own flow, and what the cells around offer
#define FARTHEST 5      // cells, where those next to it have none
#define SAMPLES 3       // on both sides of the middle, along each axis
#define SPACING 2       // texels between them
#define SAME 1.5f       // texels: no other flow
#define RATIO 0.4f      // of the costs, to be better
#define CODED_PART 0.2f // of what an encoder may have changed, that counts against leaving a place
#define OWN_LEAVES 5.0f // times what it costs others to leave the frame, at least

// The candidate of an item but the last; NO_MODE if there is none. `cell`: the node's.
inline float2 candidate(int item, __global const float4 *modes, int2 cell, int2 cells) {
  const float2 nothing = NO_MODE;
  if (item <= 9) {
    const int2 at = cell + (int2)((item - 1) % 3, (item - 1) / 3) - 1;
    return all(at >= 0) && all(at < cells) ? modes[at.y * cells.x + at.x].xy : nothing;
  }
  const int i = item - 10;  // the middle, then left, right, above, below
  const int2 at = cell + (int2)((i == 2) - (i == 1), (i == 4) - (i == 3));
  return all(at >= 0) && all(at < cells) ? modes[at.y * cells.x + at.x].zw : nothing;
}

// The last one: of the cells at most FARTHEST away that have a mode the nearest. Where a cell stands in that order, by its place beside
// the node's own; and the place.
#define AROUND (2 * FARTHEST + 1)
inline uint nearness(int2 off) {
  const uint2 far = abs(off);
  return (max(far.x, far.y) * AROUND + off.y + FARTHEST) * AROUND + off.x + FARTHEST;
}
inline int2 place_of(uint nearness) { return (int2)(nearness % AROUND, nearness / AROUND % AROUND) - FARTHEST; }

// What the texels of a row beside a node say.
typedef struct {
  float differ, left, count;  // how badly those match that stay within the frame, squared; that leave it; of all within it
  CHANNELS sum;               // of the texels themselves
  float squares;
} Row;

// `at`: the row's middle, moved by `v`.
inline Row row_of(__global const TEXEL *before, __global const TEXEL *after, int4 level, int2 at, float2 v, float2 light, float limit) {
  const int2 end = level.xy - 1;
  Row row = {0.0f, 0.0f, 0.0f, 0.0f, 0.0f};
  UNROLL
  for (int i = -SAMPLES; i <= SAMPLES; i++) {
    const int2 from = at + (int2)(SPACING * i, 0);
    const float2 to = convert_float2(from) + v;
    const float counts = all(from >= 0) && all(from <= end) ? 1.0f : 0.0f;
    const float stays = all(to >= 0.0f) && all(to <= convert_float2(end)) ? counts : 0.0f;
    const CHANNELS texel = LOAD(before[texel_index(level, clamp(from, 0, end))]);
    const CHANNELS later = bilinear(after, level, clamp(to, 0.0f, convert_float2(end)));
    const CHANNELS change = clamp(RELIT(later, light) - texel, -limit, limit);
    row.differ += stays * CHANNEL_SUM(change, change);
    row.left += counts - stays, row.count += counts;
    row.sum += counts * texel, row.squares += counts * CHANNEL_SUM(texel, texel);
  }
  return row;
}

// The flow of nodes `spacing` texels from one to the next, multiplied by `scale`; or, where that matches far better, the motion of
// a mode nearby; or where what it comes with leads out of the frame, and so does that. `cell`: texels of a cell; `unit`: texels of a px of the modes; `flat`: what costs count for at least.
// Groups: -DNODES=n nodes, up to SEED_ROWS. CANDIDATES items for each, and where it has a candidate that is another flow, for each of
// SEED_ROWS rows of samples, of which the last has none.
#define SEED_ROWS (2 * SAMPLES + 2)
#define SHARE (CANDIDATES * SEED_ROWS / NODES)
__kernel __attribute__((reqd_work_group_size(CANDIDATES, SEED_ROWS, 1)))
void flow_seed(__global const TEXEL *restrict before, __global const TEXEL *restrict after, int4 level, int spacing,
               __global const float2 *restrict light, __global const float *restrict noise_table, float4 gain, float flat,
               __global const float4 *restrict modes, __global const float2 *restrict pairs, int2 cells, float cell, float unit,
               __global const float2 *restrict flow, int2 size, float scale, __global float2 *restrict result) {
  __local float2 candidates[NODES * CANDIDATES];
  __local int asked[NODES * CANDIDATES];
  __local float4 costs[SEED_ROWS * CANDIDATES];  // differ, left, count
  __local CHANNELS sums[SEED_ROWS];              // of the texels around the node
  __local float squares[SEED_ROWS];
  __local uint nearest[NODES];
  __local int open[NODES], open_count;  // nodes that have another flow to choose
  const int item = get_local_id(0), row = get_local_id(1), number = row * CANDIDATES + item, first = get_group_id(0) * NODES;
  const int count = size.x * size.y;
#define PLACE_OF(node) min(spacing * (int2)((node) % size.x, (node) / size.x), level.xy - 1)
  if (number < NODES) nearest[number] = UINT_MAX;
  if (number == 0) open_count = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  // Each of SHARE items of a node looks at some of the cells around, and the first CANDIDATES of them at a candidate.
  const int own = number / SHARE, place = number % SHARE, own_node = min(first + own, count - 1);
  const int2 own_cell = min(convert_int2(convert_float2(PLACE_OF(own_node)) / cell), cells - 1);
  const float2 start = scale * flow[own_node];
  uint near = UINT_MAX;
  for (int i = place; i < AROUND * AROUND; i += SHARE) {
    const int2 off = (int2)(i % AROUND, i / AROUND) - FARTHEST, from = own_cell + off;
    if (all(from >= 0) && all(from < cells) && is_mode(modes[from.y * cells.x + from.x].xy)) near = min(near, nearness(off));
  }
  atomic_min(&nearest[own], near);
  barrier(CLK_LOCAL_MEM_FENCE);
  __local float2 *candidate_flow = candidates + own * CANDIDATES;
  float2 v = start;
  if (place > 0 && place < CANDIDATES) {
    const int2 at = own_cell + place_of(nearest[own]);
    const float2 nothing = NO_MODE;
    v = place < CANDIDATES - 1   ? candidate(place, modes, own_cell, cells)
        : nearest[own] < UINT_MAX ? modes[at.y * cells.x + at.x].xy
                                  : nothing;
    v = is_mode(v) ? unit * v : nothing;
    if (all(fabs(v - start) < SAME)) v = nothing;
  }
  if (place < CANDIDATES) candidate_flow[place] = v;
  barrier(CLK_LOCAL_MEM_FENCE);
  // The own flow is asked for where there is another one; others where no earlier one is the same.
  if (place < CANDIDATES) {
    bool asks = place > 0 && is_mode(v);
    for (int i = 1; i < CANDIDATES; i++) {
      if (place == 0)
        asks = asks || is_mode(candidate_flow[i]);
      else if (i < place)
        asks = asks && any(fabs(candidate_flow[i] - v) >= 0.25f);
    }
    asked[own * CANDIDATES + place] = asks;
    if (place == 0 && first + own < count) {
      if (asks)
        open[atomic_inc(&open_count)] = own;
      else
        result[own_node] = start;
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  const Noise noise = noise_of(noise_table);
  const float limit = change_limit(noise, gain);
  float change = channel_noise(noise, gain, CORRELATION * noise.white, 1.0f).change;
#ifndef CENSUS  // texture in motion may seem to be noise; pixels that match are not misled
  const float left = pairs[cells.x * cells.y].x;
  if (left >= 0.0f) change = fmin(change, 0.5f * M_PI_F * left * left);
#endif
  // What stands still may differ by what an encoder does.
  const float coded = noise.white > 0.0f || noise.coding > 0.0f ? CHANNEL_COUNT * most_coded(noise, gain) : 0.0f;
  const int ends = open_count;
  for (int n = 0; n < ends; n++) {
    const int taken = open[n] * CANDIDATES, node = first + open[n];
    const int2 at = PLACE_OF(node);
    const bool live = asked[taken + item];
    if (live && row <= 2 * SAMPLES) {
      const Row mine =
          row_of(before, after, level, at + (int2)(0, SPACING * (row - SAMPLES)), candidates[taken + item], light[0], limit);
      costs[number] = (float4)(mine.differ, mine.left, mine.count, 0.0f);
      if (item == 0) sums[row] = mine.sum, squares[row] = mine.squares;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (row == 0) {
      float4 cost = (float4)(MAXFLOAT, 0.0f, 0.0f, 0.0f);
      if (live) {
        float unknown = flat + CHANNEL_COUNT * change;
        cost = costs[item];
        UNROLL
        for (int i = 1; i <= 2 * SAMPLES; i++) cost += costs[i * CANDIDATES + item];
        if (item == 0) {
          CHANNELS sum = sums[0];
          float all_squares = squares[0];
          for (int i = 1; i <= 2 * SAMPLES; i++) sum += sums[i], all_squares += squares[i];
          unknown = fmax(OWN_LEAVES * unknown, (all_squares - CHANNEL_SUM(sum, sum) / cost.z) / cost.z);
        }
        cost.x += unknown * cost.y;
      }
      costs[item] = cost;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (number == 0) {
      int best = 1;
      for (int i = 2; i < CANDIDATES; i++) best = costs[i].x < costs[best].x ? i : best;
      const float4 other = costs[best], owns = costs[0];
      const float2 mine = candidates[taken];
      const float kept = dot(mine, mine) < STILL * STILL ? CODED_PART * fmin(owns.x, owns.z * coded) : 0.0f;
      const bool better = other.x + owns.z * flat + kept < RATIO * owns.x || fmin(other.y, owns.y) > 0.5f * owns.z;
      result[node] = better ? candidates[taken + best] : mine;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}
