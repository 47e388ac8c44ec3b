// SPDX-License-Identifier: LGPL-2.1-or-later
// Variational refinement of a flow by census, see gst/opticalflow/refine.h. -DGROUP_Y=n: rows of the group of refine_solve.
#define CENSUS
#include "common/items.clh"
#include "opticalflow/level.clh"
#include "opticalflow/noise.clh"
#include "opticalflow/support.clh"

#define UNROLL _Pragma("unroll")
#define UNIT (1.0f / 127.0f)       // of a channel
#define ROBUST 0.6f                // differences of a channel beyond this count linearly
#define MATCH 0.5f                 // sum of their squares at which a match counts half
#define SMOOTHNESS 0.4f            // what neighbours count beside the channels
#define LEAST_EDGE 0.1f            // part of it across an edge
#define EDGE 8.0f                  // levels
#define STEADY 0.05f               // texels that neighbours may differ by freely
#define RELAXATION 1.9f
#define LIKENESS 7.0f              // levels, standard deviation
#define DISTANCE 4.0f              // nodes of the mean, standard deviation
#define APART 2                    // texels
#define MEAN_STEADY 0.1f           // texels
#define HELD 0.05f                 // px: what moves less stands still in noise
#define OWN_VOTE 1e-4f

// Another size of a flow: `ratio` texels of `flow` lie between two of the result.
__kernel void refine_resample(__global const float2 *restrict flow, int2 flow_size, float ratio,
                              __global float2 *restrict result, int2 size) {
  const int2 at = (int2)(get_global_id(0), get_global_id(1));
  if (any(at >= size)) return;
  const int2 last = flow_size - 1;
  const float2 place = min(ratio * convert_float2(at), convert_float2(last)), base = floor(place), part = place - base;
  const int2 a = convert_int2(base), b = min(a + 1, last);
  const float2 above = mix(flow[a.y * flow_size.x + a.x], flow[a.y * flow_size.x + b.x], part.x);
  const float2 below = mix(flow[b.y * flow_size.x + a.x], flow[b.y * flow_size.x + b.x], part.x);
  result[at.y * size.x + at.x] = mix(above, below, part.y) / ratio;
}

// What the channels differ by; exactly 0 where nothing moved or changed.
inline float4 change_of(__global const TEXEL *p, __global const TEXEL *after, int4 level, float2 to) {
  return UNIT * (bilinear(after, level, to) - LOAD(p[0]));
}
inline bool inside(float2 to, int4 level) { return all(to >= 0.0f) && all(to <= convert_float2(level.xy - 1)); }

// Noise softens the channels, which so differ less by the same motion. In more of it, what is near counts in full again.
inline float sharpness(__global const float *table, float gain) {
  const Noise noise = noise_of(table);
  return mix(fmax(2.5f / sqrt(census_softness(noise.stepped, gain)), 0.4f), 1.0f, far_part(noise));
}

// Between four neighbours.
#define BETWEEN(a, b, c, d, part) \
  mix(mix(a, b, (float4)((part).x)), mix(c, d, (float4)((part).x)), (float4)((part).y))

// What a texel says of where it went: a tensor (xx, xy, yy) and, times the flow, `votes`. With it, how well the channels
// match there, 1 at best; 0 outside the frame, where the flow that it has is all that it says.
__kernel void refine_match(__global const TEXEL *restrict before, __global const TEXEL *restrict after, int4 level,
                           __global const float2 *restrict flow, __global const float *restrict noise, float gain,
                           __global float4 *restrict tensors, __global float2 *restrict votes) {
  const int2 at = (int2)(get_global_id(0), get_global_id(1));
  if (any(at >= level.xy)) return;
  const int index = at.y * level.x + at.x;
  const float2 v = flow[index], to = convert_float2(at) + v;
  const float robust = ROBUST * sharpness(noise, gain);
  float4 tensor = (float4)(0.0f, 0.0f, 0.0f, 0.0f);
  float2 pull = 0.0f;
  if (inside(to, level)) {
    __global const TEXEL *p = before + texel_index(level, at);
    const float2 base = floor(to), part = to - base;
    __global const TEXEL *q = after + texel_index(level, convert_int2(base)), *r = q + level.z, *above = q - level.z, *below = r + level.z;
    const float4 q0 = LOAD(q[0]), q1 = LOAD(q[1]), r0 = LOAD(r[0]), r1 = LOAD(r[1]);
    const float4 later = BETWEEN(q0, q1, r0, r1, part);
    const float4 later_x = BETWEEN(q1 - LOAD(q[-1]), LOAD(q[2]) - q0, r1 - LOAD(r[-1]), LOAD(r[2]) - r0, part);
    const float4 later_y = BETWEEN(r0 - LOAD(above[0]), r1 - LOAD(above[1]), LOAD(below[0]) - q0, LOAD(below[1]) - q1, part);
    const float4 gx = 0.5f * UNIT * (slope(p, 1) + 0.5f * later_x);
    const float4 gy = 0.5f * UNIT * (slope(p, level.z) + 0.5f * later_y);
    const float4 change = UNIT * (later - LOAD(p[0]));
    const float4 weight = native_rsqrt(1.0f + change * change * native_recip(robust * robust));
    tensor = (float4)(dot(weight * gx, gx), dot(weight * gx, gy), dot(weight * gy, gy),
                      fmax(native_recip(1.0f + dot(change, change) * (1.0f / MATCH)), 0.02f));
    pull = (float2)(dot(weight * gx, change), dot(weight * gy, change));
  }
  tensor.x += OWN_VOTE, tensor.z += OWN_VOTE;
  tensors[index] = tensor;
  votes[index] = (float2)(tensor.x * v.x + tensor.y * v.y, tensor.y * v.x + tensor.z * v.y) - pull;
}

#define GROUP_X 32
#define TILE (2 * GROUP_X)
#define ROWS (TILE / GROUP_Y)  // even

// How much two neighbours are to be alike.
inline float likeness(float smoothness, float grey, float other_grey, float2 v, float2 other) {
  const float2 apart = other - v;
  const float part = LEAST_EDGE + (1.0f - LEAST_EDGE) * native_exp(-1.0f / EDGE * fabs(other_grey - grey));
  return smoothness * part * native_rsqrt(dot(apart, apart) + STEADY * STEADY);
}

// Texels of a tile by colour, the one of two beside each other.
#define TEXEL_OF(x, y) tile[((x) + (y)) & 1][(y) * GROUP_X + ((x) >> 1)]

// `sweeps` of successive over-relaxation, red texels before black ones, with weights by the flow that comes in. A group
// has a tile of TILE × TILE texels, of which 2 sweeps on each side are those around. An item keeps two texels beside
// each other, one of each colour, in ROWS rows.
__attribute__((reqd_work_group_size(GROUP_X, GROUP_Y, 1)))
__kernel void refine_solve(__global const float2 *restrict flow, __global const float4 *restrict tensors,
                           __global const float2 *restrict votes, __global const float *restrict grey, int4 level,
                           __global const float *restrict noise, float gain, int sweeps,
                           __global float2 *restrict result) {
  __local float2 tile[2][TILE * GROUP_X];
  const int halo = 2 * sweeps, side = TILE - 2 * halo;
  const int2 origin = (int2)(get_group_id(0), get_group_id(1)) * side - halo, last = level.xy - 1;
  const int2 item = (int2)(get_local_id(0), get_local_id(1));
  for (int y = item.y; y < TILE; y += GROUP_Y)
    for (int x = item.x; x < TILE; x += GROUP_X) {
      const int2 at = clamp(origin + (int2)(x, y), 0, last);
      TEXEL_OF(x, y) = flow[at.y * level.x + at.x];
    }
  barrier(CLK_LOCAL_MEM_FENCE);
  const int left = 2 * item.x, top = ROWS * item.y;  // of the tile
  const int2 at = origin + (int2)(left, top);
  const float smoothness = SMOOTHNESS * sharpness(noise, gain);
  // Where there are such columns and rows, in the frame and the tile: those before, of and after the item's.
  const bool before = left > 0 && at.x > 0 && at.x <= last.x, within = at.x >= 0 && at.x < last.x,
             after = left + 2 < TILE && at.x >= -1 && at.x + 1 < last.x;
  const bool in_x[2] = {at.x >= 0 && at.x <= last.x, at.x + 1 >= 0 && at.x + 1 <= last.x};
  float2 own[ROWS][2], pull[ROWS][2];
  float inverse_xx[ROWS][2], inverse_xy[ROWS][2], inverse_yy[ROWS][2];
  float beside[ROWS], outside[ROWS][2], above[ROWS + 1][2];  // weights of neighbours
  float greys[2], others[2];
  float2 others_flow[2];
  UNROLL
  for (int i = 0; i < 2; i++) {
    const int x = left + i, y = max(top - 1, 0);
    others[i] = grey[texel_index(level, clamp(at + (int2)(i, -1), 0, last))];
    others_flow[i] = TEXEL_OF(x, y);
  }
  UNROLL
  for (int row = 0; row <= ROWS; row++) {
    const int y = min(top + row, TILE - 1), frame_y = at.y + row;
    const bool in_y = frame_y >= 0 && frame_y <= last.y;
    const bool from_above = top + row > 0 && top + row < TILE && in_y && frame_y > 0;
    UNROLL
    for (int i = 0; i < 2; i++) {
      const int2 near = clamp((int2)(at.x + i, frame_y), 0, last);
      const float2 v = TEXEL_OF(left + i, y);
      greys[i] = grey[texel_index(level, near)];
      above[row][i] = from_above && in_x[i] ? likeness(smoothness, greys[i], others[i], v, others_flow[i]) : 0.0f;
      others[i] = greys[i], others_flow[i] = v;
      if (row < ROWS) own[row][i] = v;
    }
    if (row == ROWS) continue;
    beside[row] = in_y && within ? likeness(smoothness, greys[0], greys[1], own[row][0], own[row][1]) : 0.0f;
    __global const float *p = grey + texel_index(level, (int2)(0, clamp(frame_y, 0, last.y)));
    outside[row][0] = in_y && before ? likeness(smoothness, greys[0], p[at.x - 1], own[row][0], TEXEL_OF(left - 1, y)) : 0.0f;
    outside[row][1] = in_y && after ? likeness(smoothness, greys[1], p[at.x + 2], own[row][1], TEXEL_OF(left + 2, y)) : 0.0f;
  }
  UNROLL
  for (int row = 0; row < ROWS; row++) {
    UNROLL
    for (int i = 0; i < 2; i++) {
      const int2 near = clamp(at + (int2)(i, row), 0, last);
      const int index = near.y * level.x + near.x;
      const float weights = beside[row] + outside[row][i] + above[row][i] + above[row + 1][i];
      const float4 tensor = tensors[index];
      const float xx = tensor.x + weights, yy = tensor.z + weights, scale = native_recip(xx * yy - tensor.y * tensor.y);
      pull[row][i] = votes[index];
      inverse_xx[row][i] = scale * yy, inverse_xy[row][i] = -scale * tensor.y, inverse_yy[row][i] = scale * xx;
    }
  }
  for (int sweep = 0; sweep < sweeps; sweep++) {
    UNROLL
    for (int colour = 0; colour < 2; colour++) {
      __local const float2 *others_tile = tile[1 - colour] + top * GROUP_X;
      UNROLL
      for (int row = 0; row < ROWS; row++) {
        const int i = (row + colour) & 1, next = clamp(item.x + 2 * i - 1, 0, GROUP_X - 1);
        const float2 over = row > 0 ? own[row - 1][i] : others_tile[item.x - (top > 0 ? GROUP_X : 0)];
        const float2 under = row < ROWS - 1 ? own[row + 1][i]
                                            : others_tile[item.x + (row + (top + ROWS < TILE ? 1 : 0)) * GROUP_X];
        const float2 sum = pull[row][i] + beside[row] * own[row][1 - i] + outside[row][i] * others_tile[row * GROUP_X + next] +
                           above[row][i] * over + above[row + 1][i] * under;
        const float2 solution = (float2)(inverse_xx[row][i] * sum.x + inverse_xy[row][i] * sum.y,
                                         inverse_xy[row][i] * sum.x + inverse_yy[row][i] * sum.y);
        own[row][i] += RELAXATION * (solution - own[row][i]);
        tile[colour][(top + row) * GROUP_X + item.x] = own[row][i];
      }
      barrier(CLK_LOCAL_MEM_FENCE);
    }
  }
  for (int y = item.y; y < side; y += GROUP_Y)
    for (int x = item.x; x < side; x += GROUP_X) {
      const int2 to = origin + halo + (int2)(x, y);
      if (all(to <= last)) result[to.y * level.x + to.x] = TEXEL_OF(x + halo, y + halo);
    }
}

// A robust mean of each vector with those around that look alike and match: three steps towards their spatial median.
// `flows`, `looks`: the group's texels with 2 APART more around, their flow, and grey and match.
#define TAKEN 5  // texels along each axis
#define EACH_TAKEN(i) UNROLL for (int i = 0; i < TAKEN * TAKEN; i++)
__kernel void refine_mean(__global const float2 *restrict flow, __global const float4 *restrict tensors,
                          __global const float *restrict grey, int4 level, __global float2 *restrict result,
                          __local float2 *flows, __local float2 *looks) {
  const int2 item = (int2)(get_local_id(0), get_local_id(1)), items = (int2)(get_local_size(0), get_local_size(1));
  const int2 first = (int2)(get_group_id(0), get_group_id(1)) * items - 2 * APART, side = items + 4 * APART;
  FOR_ITEMS(x, y, side) {
    const int2 at = clamp(first + (int2)(x, y), 0, level.xy - 1);
    const int index = at.y * level.x + at.x;
    flows[y * side.x + x] = flow[index];
    looks[y * side.x + x] = (float2)(grey[texel_index(level, at)], tensors[index].w);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  const int2 at = first + 2 * APART + item;
  if (any(at >= level.xy)) return;
  const int middle = (item.y + 2 * APART) * side.x + item.x + 2 * APART;
  float weights[TAKEN * TAKEN];
  float2 others[TAKEN * TAKEN];
  EACH_TAKEN(i) {
    const int x = i % TAKEN - TAKEN / 2, y = i / TAKEN - TAKEN / 2, place = middle + APART * (y * side.x + x);
    const float2 look = looks[place];
    const float differ = look.x - looks[middle].x;
    others[i] = flows[place];
    weights[i] = look.y * native_exp(-0.5f / (LIKENESS * LIKENESS) * differ * differ -
                               0.5f / (DISTANCE * DISTANCE) * (x * x + y * y)) + 1e-6f;
  }
  float2 mean = others[TAKEN * TAKEN / 2];
  UNROLL
  for (int step = 0; step < 3; step++) {
    float sum = 0.0f;
    float2 all = 0.0f;
    EACH_TAKEN(i) {
      if (i == TAKEN * TAKEN / 2 && step == 0) continue;
      const float2 apart = others[i] - mean;
      const float weight = weights[i] * native_rsqrt(dot(apart, apart) + MEAN_STEADY * MEAN_STEADY);
      sum += weight;
      all += weight * others[i];
    }
    mean = all * native_recip(sum);
  }
  result[at.y * level.x + at.x] = mean;
}

// The refined flow becomes the field's; what stood still in noise stays, as does what the start's flow did not explain
// (support.clh; nodes lie 1 << shift px apart). Where channels do not match or the flow leaves the frame, the confidence is less.
__kernel void refine_finish(__global const TEXEL *restrict before, __global const TEXEL *restrict after, int4 level,
                            __global const float2 *restrict flow, __global const float *restrict noise,
                            __global float2 *restrict vectors, __global float *restrict confidence,
                            __global const float *restrict kept, int2 cells, int shift) {
  const int2 at = (int2)(get_global_id(0), get_global_id(1));
  if (any(at >= level.xy)) return;
  const int index = at.y * level.x + at.x;
  const float2 start = vectors[index];
  const float noisy = clamp(2.0f * sqrt(noise_variance(noise)) - 1.5f, 0.0f, 1.0f);
  const float still = noisy * clamp(2.0f - length(start) / HELD, 0.0f, 1.0f);
  const float part = support_at(kept, cells, convert_float2(at) / (1 << shift) - 0.25f);
  const float2 v = part * mix(flow[index], start, still), to = convert_float2(at) + v;
  float match = 0.0f;
  if (inside(to, level)) {
    const float4 change = change_of(before + texel_index(level, at), after, level, to);
    const float square = dot(change, change);
    match = 1.0f / (1.0f + square * square);
  }
  vectors[index] = v;
  confidence[index] *= match;
}
