// SPDX-License-Identifier: LGPL-2.1-or-later
// Variational refinement of a flow by census, see gst/opticalflow/refine.h. -DGROUP_Y=n: rows of the group of refine_solve.
#define CENSUS
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
    const float2 along = (float2)(1.0f, 0.0f), down = (float2)(0.0f, 1.0f);
    const float4 later_x = bilinear(after, level, to + along) - bilinear(after, level, to - along);
    const float4 later_y = bilinear(after, level, to + down) - bilinear(after, level, to - down);
    const float4 gx = 0.5f * UNIT * (slope(p, 1) + 0.5f * later_x);
    const float4 gy = 0.5f * UNIT * (slope(p, level.z) + 0.5f * later_y);
    const float4 change = change_of(p, after, level, to);
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
#define TILE 64
#define ROWS (TILE / GROUP_Y)

// How much two neighbours are to be alike.
inline float likeness(float smoothness, float grey, float other_grey, float2 v, float2 other) {
  const float2 apart = other - v;
  const float part = LEAST_EDGE + (1.0f - LEAST_EDGE) * native_exp(-1.0f / EDGE * fabs(other_grey - grey));
  return smoothness * part * native_rsqrt(dot(apart, apart) + STEADY * STEADY);
}

// `sweeps` of successive over-relaxation, red texels before black ones, with weights by the flow that comes in. A group
// has a tile of TILE × TILE texels, of which 2 sweeps on each side are those around. An item owns two texels beside
// each other, one of each colour, in ROWS rows.
__attribute__((reqd_work_group_size(GROUP_X, GROUP_Y, 1)))
__kernel void refine_solve(__global const float2 *restrict flow, __global const float4 *restrict tensors,
                           __global const float2 *restrict votes, __global const float *restrict grey, int4 level,
                           __global const float *restrict noise, float gain, int sweeps,
                           __global float2 *restrict result, __local float2 *tile) {
  const int halo = 2 * sweeps, side = TILE - 2 * halo;
  const int2 origin = (int2)(get_group_id(0), get_group_id(1)) * side - halo, last = level.xy - 1;
  const int2 item = (int2)(get_local_id(0), get_local_id(1));
  for (int y = item.y; y < TILE; y += GROUP_Y)
    for (int x = item.x; x < TILE; x += GROUP_X) {
      const int2 at = clamp(origin + (int2)(x, y), 0, last);
      tile[y * TILE + x] = flow[at.y * level.x + at.x];
    }
  barrier(CLK_LOCAL_MEM_FENCE);
  const float smoothness = SMOOTHNESS * sharpness(noise, gain);
  float4 neighbours[2 * ROWS];  // weights: left, right, above, below
  float2 pull[2 * ROWS];
  float inverse_xx[2 * ROWS], inverse_xy[2 * ROWS], inverse_yy[2 * ROWS];
  UNROLL
  for (int i = 0; i < 2 * ROWS; i++) {
    const int y = item.y + (i >> 1) * GROUP_Y, x = 2 * item.x + ((item.y + i) & 1);
    const int2 at = origin + (int2)(x, y), near = clamp(at, 0, last);
    __global const float *p = grey + texel_index(level, near);
    __local const float2 *f = tile + y * TILE + x;
    float4 weights = 0.0f;
    if (all(at == near)) {
      if (x > 0 && at.x > 0) weights.x = likeness(smoothness, p[0], p[-1], f[0], f[-1]);
      if (x < TILE - 1 && at.x < last.x) weights.y = likeness(smoothness, p[0], p[1], f[0], f[1]);
      if (y > 0 && at.y > 0) weights.z = likeness(smoothness, p[0], p[-level.z], f[0], f[-TILE]);
      if (y < TILE - 1 && at.y < last.y) weights.w = likeness(smoothness, p[0], p[level.z], f[0], f[TILE]);
    }
    const float all_weights = weights.x + weights.y + weights.z + weights.w;
    const float4 tensor = tensors[near.y * level.x + near.x];
    const float xx = tensor.x + all_weights, yy = tensor.z + all_weights, scale = native_recip(xx * yy - tensor.y * tensor.y);
    neighbours[i] = weights;
    pull[i] = votes[near.y * level.x + near.x];
    inverse_xx[i] = scale * yy, inverse_xy[i] = -scale * tensor.y, inverse_yy[i] = scale * xx;
  }
  for (int sweep = 0; sweep < sweeps; sweep++) {
    UNROLL
    for (int colour = 0; colour < 2; colour++) {
      barrier(CLK_LOCAL_MEM_FENCE);
      UNROLL
      for (int row = 0; row < ROWS; row++) {
        const int i = 2 * row + colour, y = item.y + row * GROUP_Y, x = 2 * item.x + ((item.y + colour) & 1);
        __local float2 *f = tile + y * TILE + x;
        const float4 w = neighbours[i];
        const float2 sum = pull[i] + w.x * f[x > 0 ? -1 : 0] + w.y * f[x < TILE - 1 ? 1 : 0] +
                           w.z * f[y > 0 ? -TILE : 0] + w.w * f[y < TILE - 1 ? TILE : 0];
        const float2 solution = (float2)(inverse_xx[i] * sum.x + inverse_xy[i] * sum.y,
                                         inverse_xy[i] * sum.x + inverse_yy[i] * sum.y);
        f[0] += RELAXATION * (solution - f[0]);
      }
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int y = item.y; y < side; y += GROUP_Y)
    for (int x = item.x; x < side; x += GROUP_X) {
      const int2 at = origin + halo + (int2)(x, y);
      if (all(at <= last)) result[at.y * level.x + at.x] = tile[(y + halo) * TILE + x + halo];
    }
}

// A robust mean of each vector with those around that look alike and match: three steps towards their spatial median.
// `tile`: the group's texels with 2 APART more around: flow, grey and match.
__kernel void refine_mean(__global const float2 *restrict flow, __global const float4 *restrict tensors,
                          __global const float *restrict grey, int4 level, __global float2 *restrict result,
                          __local float4 *tile) {
  const int2 item = (int2)(get_local_id(0), get_local_id(1)), items = (int2)(get_local_size(0), get_local_size(1));
  const int2 first = (int2)(get_group_id(0), get_group_id(1)) * items - 2 * APART, side = items + 4 * APART;
  for (int y = item.y; y < side.y; y += items.y)
    for (int x = item.x; x < side.x; x += items.x) {
      const int2 at = clamp(first + (int2)(x, y), 0, level.xy - 1);
      const int index = at.y * level.x + at.x;
      tile[y * side.x + x] = (float4)(flow[index], grey[texel_index(level, at)], tensors[index].w);
    }
  barrier(CLK_LOCAL_MEM_FENCE);
  const int2 at = first + 2 * APART + item;
  if (any(at >= level.xy)) return;
  __local const float4 *p = tile + (item.y + 2 * APART) * side.x + item.x + 2 * APART;
  float weights[25];
  UNROLL
  for (int i = 0; i < 25; i++) {
    const int x = i % 5 - 2, y = i / 5 - 2;
    const float4 other = p[APART * (y * side.x + x)];
    const float differ = other.z - p[0].z;
    weights[i] = other.w * native_exp(-0.5f / (LIKENESS * LIKENESS) * differ * differ -
                               0.5f / (DISTANCE * DISTANCE) * (x * x + y * y)) + 1e-6f;
  }
  float2 mean = p[0].xy;
  for (int step = 0; step < 3; step++) {
    float sum = 0.0f;
    float2 flows = 0.0f;
    UNROLL
    for (int i = 0; i < 25; i++) {
      const float2 other = p[APART * ((i / 5 - 2) * side.x + i % 5 - 2)].xy, apart = other - mean;
      const float weight = i == 12 && step == 0 ? 0.0f : weights[i] * native_rsqrt(dot(apart, apart) + MEAN_STEADY * MEAN_STEADY);
      sum += weight;
      flows += weight * other;
    }
    mean = flows * native_recip(sum);
  }
  result[at.y * level.x + at.x] = mean;
}

// The refined flow becomes the field's; what stood still in noise stays, as does what the start's flow did not explain
// (support.clh; nodes lie 1 << shift px apart). Where channels do not match or the flow leaves the frame, the confidence is less.
__kernel void refine_finish(__global const TEXEL *restrict before, __global const TEXEL *restrict after, int4 level,
                            __global const float2 *restrict flow, __global const float *restrict noise,
                            __global float2 *restrict vectors, __global float *restrict confidence,
                            __global const Support *restrict support, __global const uint *restrict votes,
                            __global const Renewed *restrict renewed, int2 cells,
                            int shift, __local float *kept) {
  const int2 at = (int2)(get_global_id(0), get_global_id(1)), items = (int2)(get_local_size(0), get_local_size(1));
  const int2 origin = (int2)(get_group_id(0), get_group_id(1)) * items;
  const SupportTile supported = support_tile((origin >> shift) - 1, (items >> shift) + 2);
  load_support(kept, supported, support, votes, renewed, cells);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (any(at >= level.xy)) return;
  const int index = at.y * level.x + at.x;
  const float2 start = vectors[index];
  const float noisy = clamp(2.0f * sqrt(noise_variance(noise)) - 1.5f, 0.0f, 1.0f);
  const float still = noisy * clamp(2.0f - length(start) / HELD, 0.0f, 1.0f);
  const float part = support_at(kept, supported, convert_float2(at) / (1 << shift) - 0.25f);
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
