// SPDX-License-Identifier: LGPL-2.1-or-later
// Measures how much of the change between two frames the flow explains, per cell of verify.clh.
#include "opticalflow/level.clh"
#include "opticalflow/brightness.clh"
#include "opticalflow/noise.clh"
#include "opticalflow/tables.clh"
#include "opticalflow/tuned.clh"
#include "opticalflow/verify.clh"

// A cell has moved if its remaining fraction of the change is below this. Census uses the fraction
// in grey, because noise matches by chance in census.
#ifdef CENSUS
#define UNEXPLAINED_PART CENSUS_UNEXPLAINED
#else
#define UNEXPLAINED_PART GREY_UNEXPLAINED
#endif
#define GREY_NOISE_GAIN 0.35254f  // variance of white noise after (1 6 1) / 8 along both axes

// The factor by which interpolation at `place` reduces the variance of noise. Adjacent texels have
// the correlation NEIGHBOUR_CORRELATION.
#ifdef CENSUS
#define NEIGHBOUR_CORRELATION CENSUS_CORRELATION
#else
#define NEIGHBOUR_CORRELATION GREY_CORRELATION
#endif
inline float interpolated_noise(float2 place) {
  const float2 part = place - floor(place),
               loss = 2.0f * (1.0f - NEIGHBOUR_CORRELATION) * part * (1.0f - part);
  return (1.0f - loss.x) * (1.0f - loss.y);
}

// A static overlay, such as a subtitle over a pan, is equal in both frames without motion but not
// along the flow. Its confidence falls linearly with the ratio of the two squared differences
// (OVERLAY_RATIO). The denominator includes noise and OVERLAY_LEAST, levels². OVERLAY_MOTION:
// squared speed above which the rule applies, px² (linear).
inline float static_overlay(__global const float *grey_before, __global const float *grey_after,
                            int4 level, int2 at, int2 spacing, float2 brightness, float noise,
                            float2 v) {
  const float motion_weight = ramp(dot(v, v), OVERLAY_MOTION);
  float highest_ratio = 0.0f;  // of four texels
  for (int i = 0; i < 4 && motion_weight > 0.0f; i++) {
    const int2 here = min(at + spacing * (int2)(i & 1, i >> 1), level.xy - 1);
    const float2 to = clamp(convert_float2(here) + v, 0.0f, convert_float2(level.xy - 1));
    const int index = texel_index(level, here);
    const float grey_level = grey_before[index],
                frame_difference = ADJUSTED_GREY(grey_after[index], brightness) - grey_level,
                displaced_difference =
                    ADJUSTED_GREY(grey_between(grey_after, level, to), brightness) - grey_level;
    highest_ratio = fmax(highest_ratio,
                         displaced_difference * displaced_difference /
                             (frame_difference * frame_difference + 2.25f * noise + OVERLAY_LEAST));
  }
  return ramp(highest_ratio, OVERLAY_RATIO) * motion_weight;
}

#define MOST_CONTRAST 1e9f

#define GROUP 64
#define CELLS (GROUP / CELL_NODES)  // per group
#ifdef CENSUS
#define MEAN_CHANGE(frame_difference, displaced_difference) 0.0f
#define in_brightness(grey, from, to) (grey)
#else
#define MEAN_CHANGE(frame_difference, displaced_difference) \
  (float2)(frame_difference, displaced_difference)
// Converts grey that was adjusted by brightness `from` to brightness `to`.
inline float in_brightness(float grey, float2 from, float2 to) {
  return to.x / from.x * (grey - from.y) + to.y;
}
#endif
// Writes the evidence of the cells and adds to `tally` and the flicker of `state`. Lowers
// `confidence` for static overlays. `row_ratios` refer to `frame_brightness`. A group has GROUP
// nodes along x of one row of cells. An item has one column of a cell: CELL_NODES nodes.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void flow_verify(
    __global const TEXEL *restrict before, __global const TEXEL *restrict after,
    __global const float *restrict grey_before, __global const float *restrict grey_after,
    __global const float2 *restrict brightness, __global NoiseState *restrict state,
    __global const float2 *restrict flow, __global float *restrict confidence,
    __global const float2 *restrict frame_brightness, __global CellEvidence *restrict evidence,
    __global FrameTally *restrict tally, NodeVerification all_nodes) {
  __local float4 group_changes[GROUP], group_flow_sums[GROUP], group_plain_sums[GROUP],
      group_greys[GROUP], group_rows[GROUP], group_stats[GROUP];
  __local float2 group_means[GROUP];
#ifdef CENSUS
  __local float4 group_displaced[GROUP];
#endif
  const int4 level = all_nodes.level;
  const float4 gain = all_nodes.gain;
  const int2 size = all_nodes.size, cells = all_nodes.cells;
  const int step = all_nodes.step, keep_all = all_nodes.keep_all;
  const int item = get_local_id(0), x = get_global_id(0), row = get_group_id(1);
  __global const float *noise_table = state->variances;
  __global Flicker *flicker = &state->flicker;
  __global const float *row_ratios = ROW_RATIOS_OF(tally);
  const Noise noise = noise_of(noise_table);
  const float limit = change_limit(noise, gain);
  const float2 end = convert_float2(level.xy - 1);
  float4 change = 0.0f;
  // flow_sum: the weighted sum of vectors and their squares; plain_sum: unweighted, with the count
  float4 flow_sum = 0.0f, plain_sum = 0.0f;
  float4 grey_change = 0.0f;     // change, its square, the part of it that noise explains, count
  float2 mean_change = 0.0f;     // the change itself, for grey
  float4 displaced_grey = 0.0f;  // as `grey_change`, along the flow
  // x: squared change in grey beyond the ratio of its row; y: the part that noise and late
  // brightness explain; zw: moments of grey
  float4 row_residual = 0.0f;
  const float2 origin =
      flow[row * CELL_NODES * size.x + min(x / CELL_NODES * CELL_NODES, size.x - 1)];
  float4 flow_stats = 0.0f;  // sum of confidences; weighted deviations from `origin`; their squares
  const int count = x < size.x && !keep_all ? min(CELL_NODES, size.y - row * CELL_NODES) : 0;
#pragma unroll 2  // the loads of the next row overlap
  for (int i = 0; i < count; i++) {
    const int y = row * CELL_NODES + i;
    const int2 at = min(step * (int2)(x, y), level.xy - 1);
    const float2 v = flow[y * size.x + x], to = convert_float2(at) + v;
    const int index = texel_index(level, at);
    const float grey_level = grey_before[index],
                grey_difference = ADJUSTED_GREY(grey_after[index], brightness[0]) - grey_level,
                grey_noise = 2.0f * GREY_NOISE_GAIN * CORRELATION *
                             noise_variance_at(noise_table, grey_level);
    const float row_change = in_brightness(grey_level + row_ratios[at.y / ROW_SPACING] * grey_level,
                                           frame_brightness[0], brightness[0]) -
                             grey_level,
                row_difference = grey_difference - row_change, delayed = DELAYED_PART * row_change;
    row_residual += (float4)(row_difference * row_difference, grey_noise + delayed * delayed,
                             moments(grey_level));
    if (any(to < 0.0f) || any(to > end)) continue;
    const CHANNELS own = LOAD(before[index]);
    const CHANNELS frame_difference =
        clamp(ADJUSTED(LOAD(after[index]), brightness[0]) - own, -limit, limit);
    const CHANNELS displaced_difference =
        clamp(ADJUSTED(bilinear(after, level, to), brightness[0]) - own, -limit, limit);
    const float noise_share = texel_noise(noise_table, grey_before[index], own);
    const float noise_square = CHANNEL_COUNT * channel_noise(noise, gain, noise_share, 0.0f).change;
    const float frame_square = CHANNEL_SUM(frame_difference, frame_difference),
                displaced_square = CHANNEL_SUM(displaced_difference, displaced_difference),
                weight = fmax(frame_square - displaced_square, 0.0f);
    change += (float4)(frame_square,
                       displaced_square + 0.5f * (1.0f - interpolated_noise(to)) * noise_square,
                       noise_square, weight);
    flow_sum += (float4)(weight * v, weight * dot(v, v), 0.0f);
    mean_change += MEAN_CHANGE(frame_difference, displaced_difference);
    plain_sum += (float4)(v, dot(v, v), 1.0f);
    grey_change += (float4)(grey_difference, grey_difference * grey_difference, grey_noise, 1.0f);
#ifdef CENSUS
    const float displaced_grey_difference = grey_between(grey_after, level, to) - grey_level;
    displaced_grey +=
        (float4)(displaced_grey_difference, displaced_grey_difference * displaced_grey_difference,
                 0.5f * (1.0f + interpolated_noise(to)) * grey_noise, 0.0f);
#endif
    const float2 offset = v - origin;
    flow_stats += (confidence[y * size.x + x] + LEAST_CONFIDENCE) *
                  (float4)(1.0f, offset, dot(offset, offset));
    confidence[y * size.x + x] *=
        1.0f - static_overlay(grey_before, grey_after, level, at, max(step / 2, 1), brightness[0],
                              grey_noise, v);
  }
  group_changes[item] = change, group_flow_sums[item] = flow_sum,
  group_plain_sums[item] = plain_sum, group_greys[item] = grey_change,
  group_means[item] = mean_change, group_rows[item] = row_residual;
  group_stats[item] = flow_stats;
#ifdef CENSUS
  group_displaced[item] = displaced_grey;
#endif
  barrier(CLK_LOCAL_MEM_FENCE);
  const int cell = x / CELL_NODES;
  float contrast = 0.0f, agreement = 0.0f;
  const bool leads_cell = item % CELL_NODES == 0;
  if (leads_cell && cell < cells.x) {
    for (int i = 1; i < CELL_NODES; i++) {
      change += group_changes[item + i], flow_sum += group_flow_sums[item + i],
          plain_sum += group_plain_sums[item + i], grey_change += group_greys[item + i];
      mean_change += group_means[item + i], row_residual += group_rows[item + i],
          flow_stats += group_stats[item + i];
#ifdef CENSUS
      displaced_grey += group_displaced[item + i];
#endif
    }
    change.xy -= change.z + mean_change * mean_change / fmax(grey_change.w, 1.0f);
    displaced_grey *= 1.0f / fmax(grey_change.w, 1.0f);
    grey_change /= fmax(grey_change.w, 1.0f);
    grey_change.x = fmax(grey_change.y - grey_change.x * grey_change.x - grey_change.z, 0.0f);
    const int2 nodes = min(CELL_NODES, size - CELL_NODES * (int2)(cell, row));
    const float spread = mean_deviation(row_residual.zw / (nodes.x * nodes.y)).y;
    contrast = !keep_all ? fmax(spread * spread - GREY_NOISE_GAIN * CORRELATION * noise.white, 0.0f)
                         : MOST_CONTRAST;
#ifdef CENSUS
    const float residual =
        grey_change.x > 0.0f
            ? clamp((displaced_grey.y - displaced_grey.x * displaced_grey.x - displaced_grey.z) /
                        grey_change.x,
                    0.0f, 1.0f)
            : 1.0f;
    const float cell_agreement =
        count ? grey_agreement(grey_change.x, grey_change.z, residual) : 0.0f;
#else
    const float residual = change.x > 0.0f ? clamp(change.y / change.x, 0.0f, 1.0f) : 1.0f,
                cell_agreement = 0.0f;
#endif
    const CellEvidence own = {change,        to_mean(flow_stats, origin),
                              flow_sum.xy,   flow_sum.z,
                              grey_change.x, row_residual.xy,
                              contrast,      cell_agreement * change.w};
    evidence[row * cells.x + cell] = own;
    agreement = cell_agreement;
    count_flicker(flicker, residual > UNEXPLAINED_PART ? grey_change.x * residual : 0.0f);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (leads_cell) {
    const int i = item / CELL_NODES;
    group_changes[i] = (float4)(change.xyz, cell < cells.x && change.x > 0.0f ? 1.0f : 0.0f);
    group_plain_sums[i] = plain_sum;
    group_greys[i] = grey_change;
    group_means[i] = (float2)(contrast, agreement);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (item > 0) return;
  if (x == 0 && row == 0) flicker->cells += cells.x * cells.y;
  change = 0.0f, plain_sum = 0.0f;
  float strip_grey_change = 0.0f;
  contrast = 0.0f;
  float highest_contrast = 0.0f, agreement_sum = 0.0f;
  uint edge = 0;  // cells at the edge with a remaining fraction below EDGE_RESIDUAL
  for (int i = 0; i < CELLS; i++) {
    plain_sum += group_plain_sums[i];
    agreement_sum += group_means[i].y;
    if (group_changes[i].w <= 0.0f) continue;
    change += group_changes[i], strip_grey_change += group_greys[i].x, contrast += group_means[i].x;
    highest_contrast = fmax(highest_contrast, group_means[i].x);
    const int2 at = (int2)(cell + i, row);
    edge += (any(at < EDGE_CELLS) || any(at >= cells - EDGE_CELLS)) &&
            group_changes[i].y < EDGE_RESIDUAL * group_changes[i].x;
  }
#ifdef CENSUS
  atomic_add(&tally->agreement, (int)rint(1000.0f * agreement_sum));
#endif
  if (change.w <= 0.0f) return;
  atomic_add(&tally->changed_cells, (uint)change.w);
  const bool visible = strip_grey_change >= FLICKER_RATIO.y * flicker->variance * change.w &&
                       contrast_weight(contrast / change.w, brightness[1].x) > 0.5f &&
                       visibility(highest_contrast) > 0.5f;
  if (visible && change.y < STRIP_RESIDUAL * change.x &&
      consistency(plain_sum.xy, plain_sum.w, plain_sum.z) > STRIP_CONSISTENCY) {
    atomic_add(&tally->consistent, (uint)change.w);
    if (edge > 0) atomic_add(&tally->edge_cells, edge);
  }
}
