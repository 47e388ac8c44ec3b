// SPDX-License-Identifier: LGPL-2.1-or-later
// What of the changes between two frames the flow explains.
#include "opticalflow/level.clh"
#include "opticalflow/light.clh"
#include "opticalflow/noise.clh"
#include "opticalflow/support.clh"

#define GOES_WITH 0.85f  // of the change, less stays in a row of cells that goes with the flow
#define AS_ONE 0.5f      // and at least so far one way
#define LESS_STAYS 0.97f  // in one of its cells
#define LATE 0.3f        // of the light of a row may come late, where frames are coded
// Of the change, where less is left the cell has moved. Of census that is of grey, since noise is alike somewhere by chance.
#ifdef CENSUS
#define FLICKER_LEFT 0.4f
#else
#define FLICKER_LEFT 0.7f
#endif
#define GREY_KEEPS 0.35254f  // of the variance of white noise, by (1 6 1) / 8 along both axes

// What interpolation between texels leaves of the variance of noise; next to each other they share BESIDE of it.
#ifdef CENSUS
#define BESIDE 0.16f
#else
#define BESIDE 0.32f
#endif
inline float kept_between(float2 place) {
  const float2 part = place - floor(place), lost = 2.0f * (1.0f - BESIDE) * part * (1.0f - part);
  return (1.0f - lost.x) * (1.0f - lost.y);
}

// What stands still in the picture while all around goes on, as a subtitle over a pan, differs from where the flow goes, but not from
// itself. By how many times as much, by parts, there is no confidence; beside it noise and LEAST_LEFT, levels², count. The flow is that
// of what moves, px², by parts.
#define STANDS_STILL (float2)(2.0f, 4.0f)
#define LEAST_LEFT 4.0f
#define GOES (float2)(0.1f, 0.3f)
inline float of_the_picture(__global const float *grey, __global const float *later, int4 level, int2 at, int2 spacing, float2 light,
                            float noise, float2 v) {
  const float goes = ramp(dot(v, v), GOES);
  float most = 0.0f;  // of four texels
  for (int i = 0; i < 4 && goes > 0.0f; i++) {
    const int2 here = min(at + spacing * (int2)(i & 1, i >> 1), level.xy - 1);
    const float2 to = clamp(convert_float2(here) + v, 0.0f, convert_float2(level.xy - 1));
    const int index = texel_index(level, here);
    const float then = grey[index], still = LIT(later[index], light) - then, moved = LIT(grey_between(later, level, to), light) - then;
    most = fmax(most, moved * moved / (still * still + 2.25f * noise + LEAST_LEFT));
  }
  return ramp(most, STANDS_STILL) * goes;
}

#define LEAST_SURE 0.001f  // the flow of what has no texture
#define MOST_CONTRAST 1e9f

#define GROUP 64
#define CELLS (GROUP / SUPPORT_SIDE)  // of a group
#ifdef CENSUS
#define LEVELS(still, moved) 0.0f
#define in_light(lit, from, to) (lit)
#else
#define LEVELS(still, moved) (float2)(still, moved)
// What has been given the light `from` in the light `to`.
inline float in_light(float lit, float2 from, float2 to) { return to.x / from.x * (lit - from.y) + to.y; }
#endif
// Writes the cells of support.clh, and adds to `votes` and `flicker`; where there is no noise by the user's word, as if nothing changed.
// `rows` were found in the light `row_light`. Nodes are `step` texels apart. Groups: GROUP nodes in a row, by cell rows; each item has a
// column of a cell. What belongs to the picture, not to what moves, becomes less `certain`.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void flow_support(__global const TEXEL *restrict before, __global const TEXEL *restrict after,
                  __global const float *restrict grey, __global const float *restrict later, int4 level, int step, __global const float2 *restrict light,
                  __global const float *restrict noise_table, float4 gain, __global const float2 *restrict flow,
                  __global float *restrict certain, int2 size, int keeps_all, __global const float *restrict rows,
                  __global const float2 *restrict row_light,
                  __global Support *restrict support, int2 cells, __global uint *restrict votes, __global Flicker *restrict flicker) {
  __local float4 changes[GROUP], ways[GROUP], wholes[GROUP], greys[GROUP], lit[GROUP], known[GROUP];
  __local float2 sums[GROUP];
#ifdef CENSUS
  __local float4 gone[GROUP];
#endif
  const int item = get_local_id(0), x = get_global_id(0), row = get_group_id(1);
  const Noise noise = noise_of(noise_table);
  const float limit = change_limit(noise, gain);
  const float2 end = convert_float2(level.xy - 1);
  float4 change = 0.0f, way = 0.0f, whole = 0.0f;  // of the way: its sum and square, weighted; then unweighted with the number
  float4 rise = 0.0f;  // of grey: its change, that squared, what of it noise explains
  float2 levels = 0.0f;  // changes themselves, where light counts
  float4 went = 0.0f;  // of grey, as `rise`, of what goes with the flow
  // of grey: its squared change beside that of the row, and what of it noise and light that comes late explain; its moments
  float4 unlit = 0.0f;
  const float2 origin = flow[row * SUPPORT_SIDE * size.x + min(x / SUPPORT_SIDE * SUPPORT_SIDE, size.x - 1)];
  float4 sure = 0.0f;  // how sure the flow is; how far it is from the origin, and that squared, weighted by it
  const int count = x < size.x && !keeps_all ? min(SUPPORT_SIDE, size.y - row * SUPPORT_SIDE) : 0;
#pragma unroll 2  // so that what the next row needs is on its way
  for (int i = 0; i < count; i++) {
    const int y = row * SUPPORT_SIDE + i;
    const int2 at = min(step * (int2)(x, y), level.xy - 1);
    const float2 v = flow[y * size.x + x], to = convert_float2(at) + v;
    const int index = texel_index(level, at);
    const float then = grey[index], risen = LIT(later[index], light[0]) - then, noisy = 2.0f * GREY_KEEPS * CORRELATION * noise_variance_at(noise_table, then);
    const float row_change = in_light(then + rows[at.y / ROW] * then, row_light[0], light[0]) - then, beside = risen - row_change,
                late = LATE * row_change;
    unlit += (float4)(beside * beside, noisy + late * late, moments(then));
    if (any(to < 0.0f) || any(to > end)) continue;
    const CHANNELS own = LOAD(before[index]);
    const CHANNELS still = clamp(RELIT(LOAD(after[index]), light[0]) - own, -limit, limit);
    const CHANNELS moved = clamp(RELIT(bilinear(after, level, to), light[0]) - own, -limit, limit);
    const float share = texel_noise(noise_table, grey[index], own);
    const float explained = CHANNEL_COUNT * channel_noise(noise, gain, share, 0.0f).change;
    const float stays = CHANNEL_SUM(still, still), goes = CHANNEL_SUM(moved, moved), weight = fmax(stays - goes, 0.0f);
    change += (float4)(stays, goes + 0.5f * (1.0f - kept_between(to)) * explained, explained, weight);
    way += (float4)(weight * v, weight * dot(v, v), 0.0f);
    levels += LEVELS(still, moved);
    whole += (float4)(v, dot(v, v), 1.0f);
    rise += (float4)(risen, risen * risen, noisy, 1.0f);
#ifdef CENSUS
    const float beyond_flow = grey_between(later, level, to) - then;
    went += (float4)(beyond_flow, beyond_flow * beyond_flow, 0.5f * (1.0f + kept_between(to)) * noisy, 0.0f);
#endif
    const float2 offset = v - origin;
    sure += (certain[y * size.x + x] + LEAST_SURE) * (float4)(1.0f, offset, dot(offset, offset));
    certain[y * size.x + x] *= 1.0f - of_the_picture(grey, later, level, at, max(step / 2, 1), light[0], noisy, v);
  }
  changes[item] = change, ways[item] = way, wholes[item] = whole, greys[item] = rise, sums[item] = levels, lit[item] = unlit;
  known[item] = sure;
#ifdef CENSUS
  gone[item] = went;
#endif
  barrier(CLK_LOCAL_MEM_FENCE);
  const int cell = x / SUPPORT_SIDE;
  float contrast = 0.0f, fitted = 0.0f;
  const bool speaks = item % SUPPORT_SIDE == 0;
  if (speaks && cell < cells.x) {
    for (int i = 1; i < SUPPORT_SIDE; i++) {
      change += changes[item + i], way += ways[item + i], whole += wholes[item + i], rise += greys[item + i];
      levels += sums[item + i], unlit += lit[item + i], sure += known[item + i];
#ifdef CENSUS
      went += gone[item + i];
#endif
    }
    change.xy -= change.z + levels * levels / fmax(rise.w, 1.0f);
    went *= 1.0f / fmax(rise.w, 1.0f);
    rise /= fmax(rise.w, 1.0f);
    rise.x = fmax(rise.y - rise.x * rise.x - rise.z, 0.0f);
    const int2 nodes = min(SUPPORT_SIDE, size - SUPPORT_SIDE * (int2)(cell, row));
    const float spread = deviation(unlit.zw / (nodes.x * nodes.y)).y;
    contrast = !keeps_all ? fmax(spread * spread - GREY_KEEPS * CORRELATION * noise.white, 0.0f) : MOST_CONTRAST;
#ifdef CENSUS
    const float left = rise.x > 0.0f ? clamp((went.y - went.x * went.x - went.z) / rise.x, 0.0f, 1.0f) : 1.0f;
    const float fit = count ? fits_of(rise.x, rise.z, left) : 0.0f;
#else
    const float left = change.x > 0.0f ? clamp(change.y / change.x, 0.0f, 1.0f) : 1.0f, fit = 0.0f;
#endif
    const Support own = {change, from_mean(sure, origin), way.xy, way.z, rise.x, unlit.xy, contrast, fit * change.w};
    support[row * cells.x + cell] = own;
    fitted = fit;
    count_flicker(flicker, left > FLICKER_LEFT ? rise.x * left : 0.0f);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (speaks) {
    const int i = item / SUPPORT_SIDE;
    changes[i] = (float4)(change.xyz, cell < cells.x && change.x > 0.0f ? 1.0f : 0.0f);
    wholes[i] = whole;
    greys[i] = rise;
    sums[i] = (float2)(contrast, fitted);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (item > 0) return;
  if (x == 0 && row == 0) flicker->cells += cells.x * cells.y;
  change = 0.0f, whole = 0.0f;
  float grey_change = 0.0f;
  contrast = 0.0f;
  float most = 0.0f, fitting = 0.0f;
  uint edge = 0;  // cells there of whose change less stays with the flow
  for (int i = 0; i < CELLS; i++) {
    whole += wholes[i];
    fitting += sums[i].y;
    if (changes[i].w <= 0.0f) continue;
    change += changes[i], grey_change += greys[i].x, contrast += sums[i].x;
    most = fmax(most, sums[i].x);
    const int2 at = (int2)(cell + i, row);
    edge += (any(at < EDGE) || any(at >= cells - EDGE)) && changes[i].y < LESS_STAYS * changes[i].x;
  }
#ifdef CENSUS
  atomic_add((volatile __global int *)&votes[5], (int)rint(1000.0f * fitting));
#endif
  if (change.w <= 0.0f) return;
  atomic_add(&votes[0], (uint)change.w);
  const bool large = grey_change >= FLICKER_TIMES.y * flicker->variance * change.w &&
                     contrasts(contrast / change.w, light[1].x) > 0.5f && stands_out(most) > 0.5f;
  if (large && change.y < GOES_WITH * change.x && one_way(whole.xy, whole.w, whole.z) > AS_ONE) {
    atomic_add(&votes[1], (uint)change.w);
    if (edge > 0) atomic_add(&votes[4], edge);
  }
}
