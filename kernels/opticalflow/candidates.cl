// SPDX-License-Identifier: LGPL-2.1-or-later
// Large motion. On one coarse level a node may replace its flow by a candidate. Candidates are the
// frequent motions among matched pixels near the node.
#include "opticalflow/level.clh"
#include "opticalflow/brightness.clh"
#include "opticalflow/noise.clh"
#include "opticalflow/match.clh"

#define UNROLL _Pragma("unroll")

#define CELL_COLUMNS (MODE_CELL / MATCH_X)  // cells of matches per mode cell
#define CELL_ROWS (MODE_CELL / MATCH_Y)
#define CELL_MATCHES (CELL_COLUMNS * CELL_ROWS)
#define NO_MODE 1e4f  // x of a missing mode

inline bool has_mode(float2 v) { return v.x < 0.5f * NO_MODE; }

// Fits the change of brightness to pairs of matching pixels. Unlike whole frames, pairs are
// independent of content that enters or leaves the frame. The fit replaces the initial change if
// there are at least LEAST_PAIRS pairs and it removes a fifth of the difference. The element after
// the pairs gets the mean remaining difference. It gets -1 if there are too few pairs or the
// difference exceeds MOST_PAIR_RESIDUAL. All groups call it, but only the `active` group works.
inline float2 pair_at(volatile __global float2 *pairs, int i) {  // reads what other groups wrote
  volatile __global uint *p = (volatile __global uint *)(pairs + i);
  return (float2)(as_float(atomic_or(p, 0u)), as_float(atomic_or(p + 1, 0u)));
}
inline void fit_brightness(volatile __global float2 *pairs, int cells, bool active,
                           __global const float2 *brightness, __global float2 *matched_brightness,
                           __local float4 *sums) {
  const int count = active ? cells : 0;
  float4 sum = 0.0f;
  float number = 0.0f;
  for (int i = get_local_id(0); i < count; i += get_local_size(0)) {
    const float2 pair = pair_at(pairs, i);
    if (pair.x >= 0.0f) sum += (float4)(moments(pair.y), moments(pair.x)), number += 1.0f;
  }
  number = group_sum(number, sums).x;
  sum = group_sum(sum, sums) / fmax(number, 1.0f);
  const float2 fitted = full_brightness(mean_deviation(sum.lo), mean_deviation(sum.hi)),
               initial = brightness[0];
  float2 errors = 0.0f;
  for (int i = get_local_id(0); i < count; i += get_local_size(0)) {
    const float2 pair = pair_at(pairs, i);
    if (pair.x >= 0.0f)
      errors += (float2)(brightness_error(pair.y, pair.x, initial),
                         brightness_error(pair.y, pair.x, fitted));
  }
  errors = group_sum((float4)(errors, 0.0f, 0.0f), sums).lo / fmax(number, 1.0f);
  if (get_local_id(0) > 0 || !active) return;
  const bool enough = number >= LEAST_PAIRS, better = errors.y < BETTER_FIT * errors.x;
  const float residual = better ? errors.y : errors.x;
  matched_brightness[0] = enough && better ? fitted : initial;
  matched_brightness[1] = brightness[1];
  pairs[cells].x = enough && residual <= MOST_PAIR_RESIDUAL ? residual : -1.0f;
}

// Finds the two modes, the most frequent motions, of every cell. Each is the mean of similar
// matches, in px: (x, y), (x, y). Only matches unlike the first mode vote for the second. One group
// per cell. `side`: the number of match cells along x and y. `size`: of the matched level.
// `offset`: index of texel (0, 0).
//
// `pairs` gets per cell the grey before and after of a pixel of the first mode; x is negative
// without a mode. Two elements after the pairs count the groups that finished; they are 0 before
// and after. If `fits_brightness`, the last group writes `matched_brightness`.
#define TILE_X (CELL_COLUMNS + 2 * CONFIRM_X)
#define TILE_Y (CELL_ROWS + 2 * CONFIRM_Y)
__kernel __attribute__((reqd_work_group_size(TILE_X * TILE_Y, 1, 1))) void flow_modes(
    __global const uint *restrict claims, int2 size, int2 side, __global const float *before,
    __global const float *after, int pitch, int offset, __global float4 *modes,
    volatile __global float2 *pairs, __global const float2 *brightness,
    __global float2 *matched_brightness, int fits_brightness) {
  __local short4 tile[TILE_X * TILE_Y], own[CELL_MATCHES];
  __local int votes[CELL_MATCHES], last;
  __local float4 sums[TILE_X * TILE_Y];
  const int2 cell = (int2)(get_group_id(0), get_group_id(1));
  const int item = get_local_id(0), number = cell.y * get_num_groups(0) + cell.x,
            cells = get_num_groups(0) * get_num_groups(1);
  const int2 place = (int2)(item % TILE_X - CONFIRM_X, item / TILE_X - CONFIRM_Y);
  tile[item] = cell_match(claims, size, cell * (int2)(CELL_COLUMNS, CELL_ROWS) + place, side);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (item < CELL_MATCHES)
    own[item] = confirmed(tile + item / CELL_COLUMNS * TILE_X + item % CELL_COLUMNS, TILE_X);
  barrier(CLK_LOCAL_MEM_FENCE);
  const int2 v = convert_int2(own[item % CELL_MATCHES].zw);
  const float2 no_mode = NO_MODE;
  float4 found = NO_MODE;
  int2 first = 0;
  for (int mode = 0; mode < 2; mode++) {
    int2 sum = 0;
    int mine = 0;
    const bool available =
        item < CELL_MATCHES && own[item % CELL_MATCHES].x >= 0 &&
        (mode == 0 || (has_mode(found.xy) && any(abs(v - first) > (uint2)(2 * MODE_TOLERANCE))));
    for (int i = 0; i < CELL_MATCHES && available; i++) {
      const int2 off = convert_int2(own[i].zw) - v;
      if (own[i].x >= 0 && all(abs(off) <= (uint2)MODE_TOLERANCE)) sum += off, mine++;
    }
    if (item < CELL_MATCHES) votes[item] = mine;
    barrier(CLK_LOCAL_MEM_FENCE);
    int best = 0;
    for (int i = 1; i < CELL_MATCHES; i++) best = votes[i] > votes[best] ? i : best;
    const bool enough = votes[best] >= LEAST_VOTES;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item == best) {
      sums[mode] =
          (float4)(enough ? convert_float2(v) + convert_float2(sum) / mine : no_mode, 0.0f, 0.0f);
      if (mode == 0) {
        const int from = offset + own[best].y * pitch + own[best].x;
        pairs[number] =
            enough ? (float2)(before[from], after[from + v.y * pitch + v.x]) : (float2)(-1.0f);
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    first = convert_int2(own[best].zw);
    if (mode == 0)
      found.xy = sums[0].xy;
    else
      found.zw = sums[1].xy;
  }
  if (item == 0) modes[number] = found;
  if (!fits_brightness) return;
  barrier(CLK_GLOBAL_MEM_FENCE);
  if (item == 0) {
    mem_fence(CLK_GLOBAL_MEM_FENCE);
    last = atomic_inc((volatile __global uint *)(pairs + cells + 1)) == (uint)cells - 1;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  fit_brightness(pairs, cells, last, brightness, matched_brightness, sums);
  if (item == 0 && last) atomic_xchg((volatile __global uint *)(pairs + cells + 1), 0u);
}

#define CANDIDATES 16  // items per node: its own flow and 15 candidates
#define SAMPLES 3      // on both sides of the centre, along each axis

// The candidate of items 1 to CANDIDATES - 2; NO_MODE if its cell has no mode. Items 1 to 9 take
// the first modes of 3×3 cells. The others take the second modes of five cells. `cell`: the cell of
// the node.
inline float2 candidate(int item, __global const float4 *modes, int2 cell, int2 cells) {
  const float2 no_mode = NO_MODE;
  if (item <= 9) {
    const int2 at = cell + (int2)((item - 1) % 3, (item - 1) / 3) - 1;
    return all(at >= 0) && all(at < cells) ? modes[at.y * cells.x + at.x].xy : no_mode;
  }
  const int i = item - 10;  // the centre, then left, right, above, below
  const int2 at = cell + (int2)((i == 2) - (i == 1), (i == 4) - (i == 3));
  return all(at >= 0) && all(at < cells) ? modes[at.y * cells.x + at.x].zw : no_mode;
}

// The last item takes the first mode of the nearest cell at most FARTHEST away. nearness() orders
// cells by distance, then in raster order; place_of() gives the offset of the cell.
#define SEARCH_SIDE (2 * FARTHEST + 1)
inline uint nearness(int2 off) {
  const uint2 distance = abs(off);
  return (max(distance.x, distance.y) * SEARCH_SIDE + off.y + FARTHEST) * SEARCH_SIDE + off.x +
         FARTHEST;
}
inline int2 place_of(uint nearness) {
  return (int2)(nearness % SEARCH_SIDE, nearness / SEARCH_SIDE % SEARCH_SIDE) - FARTHEST;
}

// The cost of a row of samples around a node.
typedef struct {
  float error;           // sum of squared differences of samples whose target is inside the frame
  float leaving, count;  // number of samples whose target is outside; of all samples
  CHANNELS sum;          // of the samples in the earlier frame
  float squares;
} RowCost;

// `at`: the centre of the row, texels. `v`: the motion to test.
inline RowCost row_cost(__global const TEXEL *before, __global const TEXEL *after, int4 level,
                        int2 at, float2 v, float2 brightness, float limit) {
  const int2 end = level.xy - 1;
  RowCost row = {0.0f, 0.0f, 0.0f, 0.0f, 0.0f};
  UNROLL
  for (int i = -SAMPLES; i <= SAMPLES; i++) {
    const int2 from = at + (int2)(SAMPLE_SPACING * i, 0);
    const float2 to = convert_float2(from) + v;
    const float counts = all(from >= 0) && all(from <= end) ? 1.0f : 0.0f;
    const float stays = all(to >= 0.0f) && all(to <= convert_float2(end)) ? counts : 0.0f;
    const CHANNELS texel = LOAD(before[texel_index(level, clamp(from, 0, end))]);
    const CHANNELS later = bilinear(after, level, clamp(to, 0.0f, convert_float2(end)));
    const CHANNELS change = clamp(ADJUSTED(later, brightness) - texel, -limit, limit);
    row.error += stays * CHANNEL_SUM(change, change);
    row.leaving += counts - stays, row.count += counts;
    row.sum += counts * texel, row.squares += counts * CHANNEL_SUM(texel, texel);
  }
  return row;
}

// Selects the flow of each node: its own flow, or a candidate that matches much better. A candidate
// also wins if most samples leave the frame along both motions.
//
// A group processes -DNODES=n nodes, at most SAMPLE_ROWS. First each node has NODE_ITEMS items, and
// CANDIDATES of them take a candidate each. Then the group takes the nodes with a candidate one
// after another. Each row of items has one row of samples for all candidates; the last row has
// none.
#define SAMPLE_ROWS (2 * SAMPLES + 2)
#define NODE_ITEMS (CANDIDATES * SAMPLE_ROWS / NODES)
__kernel __attribute__((reqd_work_group_size(CANDIDATES, SAMPLE_ROWS, 1))) void flow_select(
    __global const TEXEL *restrict before, __global const TEXEL *restrict after,
    __global const float2 *restrict brightness, __global const float *restrict noise_table,
    __global const float4 *restrict modes, __global const float2 *restrict pairs,
    __global const float2 *restrict flow, __global float2 *restrict result,
    CandidateChoice choice) {
  __local float2 candidates[NODES * CANDIDATES];
  __local int evaluated[NODES * CANDIDATES];
  __local float4 costs[SAMPLE_ROWS * CANDIDATES];  // error, leaving, count
  __local CHANNELS sums[SAMPLE_ROWS];              // of the samples around the node
  __local float squares[SAMPLE_ROWS];
  __local uint nearest[NODES];
  __local int undecided[NODES], undecided_count;  // nodes with a candidate
  const int item = get_local_id(0), row = get_local_id(1), number = row * CANDIDATES + item,
            first = get_group_id(0) * NODES;
  const int4 level = choice.level;
  const int2 size = choice.size, cells = choice.cells;
  const int count = size.x * size.y, spacing = choice.spacing;
#define PLACE_OF(node) min(spacing *(int2)((node) % size.x, (node) / size.x), level.xy - 1)
  if (number < NODES) nearest[number] = UINT_MAX;
  if (number == 0) undecided_count = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  // Each of the NODE_ITEMS items of a node searches some of the cells around it. The first
  // CANDIDATES items then take one candidate each.
  const int own = number / NODE_ITEMS, place = number % NODE_ITEMS,
            own_node = min(first + own, count - 1);
  const int2 own_cell =
      min(convert_int2(convert_float2(PLACE_OF(own_node)) / choice.cell), cells - 1);
  const float2 start = choice.flow_scale * flow[own_node];
  uint own_nearest = UINT_MAX;
  for (int i = place; i < SEARCH_SIDE * SEARCH_SIDE; i += NODE_ITEMS) {
    const int2 off = (int2)(i % SEARCH_SIDE, i / SEARCH_SIDE) - FARTHEST, from = own_cell + off;
    if (all(from >= 0) && all(from < cells) && has_mode(modes[from.y * cells.x + from.x].xy))
      own_nearest = min(own_nearest, nearness(off));
  }
  atomic_min(&nearest[own], own_nearest);
  barrier(CLK_LOCAL_MEM_FENCE);
  __local float2 *candidate_flow = candidates + own * CANDIDATES;
  float2 v = start;
  if (place > 0 && place < CANDIDATES) {
    const int2 at = own_cell + place_of(nearest[own]);
    const float2 no_mode = NO_MODE;
    v = place < CANDIDATES - 1    ? candidate(place, modes, own_cell, cells)
        : nearest[own] < UINT_MAX ? modes[at.y * cells.x + at.x].xy
                                  : no_mode;
    v = has_mode(v) ? choice.mode_scale * v : no_mode;
    if (all(fabs(v - start) < SAME_MOTION)) v = no_mode;
  }
  if (place < CANDIDATES) candidate_flow[place] = v;
  barrier(CLK_LOCAL_MEM_FENCE);
  // The own flow is evaluated only if there is a candidate. A candidate is evaluated only if no
  // earlier one is equal.
  if (place < CANDIDATES) {
    bool evaluate = place > 0 && has_mode(v);
    for (int i = 1; i < CANDIDATES; i++) {
      if (place == 0)
        evaluate = evaluate || has_mode(candidate_flow[i]);
      else if (i < place)
        evaluate = evaluate && any(fabs(candidate_flow[i] - v) >= SAME_CANDIDATE);
    }
    evaluated[own * CANDIDATES + place] = evaluate;
    if (place == 0 && first + own < count) {
      if (evaluate)
        undecided[atomic_inc(&undecided_count)] = own;
      else
        result[own_node] = start;
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  const Noise noise = noise_of(noise_table);
  const float4 gain = choice.gain;
  const float limit = change_limit(noise, gain), flat_cost = choice.flat_cost;
  float change = channel_noise(noise, gain, CORRELATION * noise.white, 1.0f).change;
#ifndef CENSUS  // Moving texture may look like noise. Matching pixels show how much is noise.
  const float residual = pairs[cells.x * cells.y].x;
  if (residual >= 0.0f) change = fmin(change, 0.5f * M_PI_F * residual * residual);
#endif
  // Replacing static flow costs extra: a part of the change that an encoder may cause.
  const float coding_noise = noise.white > 0.0f || noise.coding > 0.0f
                                 ? CHANNEL_COUNT * most_coding_noise(noise, gain)
                                 : 0.0f;
  const int undecided_end = undecided_count;
  for (int n = 0; n < undecided_end; n++) {
    const int first_candidate = undecided[n] * CANDIDATES, node = first + undecided[n];
    const int2 at = PLACE_OF(node);
    const bool active = evaluated[first_candidate + item];
    if (active && row <= 2 * SAMPLES) {
      const RowCost mine =
          row_cost(before, after, level, at + (int2)(0, SAMPLE_SPACING * (row - SAMPLES)),
                   candidates[first_candidate + item], brightness[0], limit);
      costs[number] = (float4)(mine.error, mine.leaving, mine.count, 0.0f);
      if (item == 0) sums[row] = mine.sum, squares[row] = mine.squares;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (row == 0) {
      float4 cost = (float4)(MAXFLOAT, 0.0f, 0.0f, 0.0f);
      if (active) {
        float leaving_cost = flat_cost + CHANNEL_COUNT * change;
        cost = costs[item];
        UNROLL
        for (int i = 1; i <= 2 * SAMPLES; i++) cost += costs[i * CANDIDATES + item];
        if (item == 0) {
          CHANNELS sum = sums[0];
          float all_squares = squares[0];
          for (int i = 1; i <= 2 * SAMPLES; i++) sum += sums[i], all_squares += squares[i];
          leaving_cost = fmax(LEAVING_COST * leaving_cost,
                              (all_squares - CHANNEL_SUM(sum, sum) / cost.z) / cost.z);
        }
        cost.x += leaving_cost * cost.y;
      }
      costs[item] = cost;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (number == 0) {
      int best = 1;
      for (int i = 2; i < CANDIDATES; i++) best = costs[i].x < costs[best].x ? i : best;
      const float4 other_cost = costs[best], own_cost = costs[0];
      const float2 mine = candidates[first_candidate];
      const float static_cost = dot(mine, mine) < STATIC_SPEED * STATIC_SPEED
                                    ? CODING_PART * fmin(own_cost.x, own_cost.z * coding_noise)
                                    : 0.0f;
      const bool better =
          other_cost.x + own_cost.z * flat_cost + static_cost < COST_RATIO * own_cost.x ||
          fmin(other_cost.y, own_cost.y) > 0.5f * own_cost.z;
      result[node] = better ? candidates[first_candidate + best] : mine;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}
