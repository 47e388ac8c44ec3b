// SPDX-License-Identifier: LGPL-2.1-or-later
// Variational refinement of a flow by census, see gst/opticalflow/refine.h. -DGROUP_Y=n: rows of the group of refine_step.
#define CENSUS
#include "common/bands.clh"
#include "common/exp2.clh"
#include "common/items.clh"
#include "opticalflow/level.clh"
#include "opticalflow/noise.clh"
#include "opticalflow/support.clh"

#define UNROLL _Pragma("unroll")
#define UNIT (1.0f / 127.0f)       // of a channel
#define SLOPE_UNIT (0.25f * UNIT)  // of what is four times its slope
#define ROBUST 0.6f                // differences of a channel beyond this count linearly
#define MATCH 0.1f                 // sum of their squares at which a match counts half
#define SMOOTHNESS 0.2f            // what neighbours count beside the channels
#define NOISY_SMOOTHNESS 2.0f     // times that, more of it in noise
#define LEAST_EDGE 0.12f           // part of it across an edge
#define CONTRAST 8.0f              // levels, of an edge
#define STEADY 0.05f               // texels that neighbours may differ by freely
#define RELAXATION 1.9f
#define LIKENESS 14.0f             // levels, standard deviation
#define DISTANCE 2.0f              // nodes of the mean, standard deviation
#define SPACING 4                    // texels
#define MEAN_STEADY 0.1f           // texels
#define HELD 0.05f                 // px: what moves less stands still in noise
#define OWN_VOTE 1e-4f
#define LOG2_E 1.44269504f

// Of a flow of another size, of whose texels `ratio` lie between two.
inline float2 resampled(__global const float2 *flow, int2 size, float ratio, int2 at) {
  if (ratio == 1.0f) return flow[at.y * size.x + at.x];
  const int2 last = size - 1;
  const float2 place = min(ratio * convert_float2(at), convert_float2(last)), base = floor(place), part = place - base;
  const int2 a = convert_int2(base), b = min(a + 1, last);
  const float2 above = mix(flow[a.y * size.x + a.x], flow[a.y * size.x + b.x], part.x);
  const float2 below = mix(flow[b.y * size.x + a.x], flow[b.y * size.x + b.x], part.x);
  return mix(above, below, part.y) / ratio;
}

inline bool inside(float2 to, int4 level) { return all(to >= 0.0f) && all(to <= convert_float2(level.xy - 1)); }

// Whether a texel and where it went have census of neighbours in the frame.
inline bool comparable(int2 at, float2 to, int4 level) {
  const int2 count = max(level.xy - 2, 0);
  const float2 off = fabs(to - 0.5f * convert_float2(level.xy - 1)), half_side = 0.5f * convert_float2(level.xy - 3);
  return (uint)(at.x - 1) < (uint)count.x && (uint)(at.y - 1) < (uint)count.y && off.x <= half_side.x && off.y <= half_side.y;
}

// Noise softens the channels, which so differ less by the same motion. In more of it, what is near counts in full again.
inline float sharpness(Noise noise, float gain) {
  return mix(fmax(2.5f / sqrt(census_softness(noise.stepped, gain)), 0.4f), 1.0f, far_part(noise));
}

// Between four neighbours, by their weights.
#define BETWEEN(a, b, c, d) (share.x * (a) + share.y * (b) + share.z * (c) + share.w * (d))

// What a texel says of where it went: a tensor (xx, xy, yy) and, times the flow `v`, `votes`. With it (w), how well the channels
// match there, 1 at best; 0 outside the frame, where the flow that it has is all that it says.
inline float4 match(__global const TEXEL *before, __global const TEXEL *after, int4 level, float robust, int2 at, float2 v,
                    float2 *votes) {
  const float2 to = convert_float2(at) + v;
  float4 tensor = (float4)(0.0f, 0.0f, 0.0f, 0.0f);
  float2 pull = 0.0f;
  if (comparable(at, to, level)) {
    __global const TEXEL *p = before + texel_index(level, at);
    const float2 base = floor(to), part = to - base, rest = 1.0f - part;
    const float4 share = (float4)(rest.x * rest.y, part.x * rest.y, rest.x * part.y, part.x * part.y);
    __global const TEXEL *q = after + texel_index(level, convert_int2(base)), *r = q + level.z, *above = q - level.z, *below = r + level.z;
    const float4 own = large_channels(p[0]), q0 = large_channels(q[0]), q1 = large_channels(q[1]), r0 = large_channels(r[0]), r1 = large_channels(r[1]);
    const float4 left = large_channels(p[-1]), right = large_channels(p[1]), up = large_channels(p[-level.z]), down = large_channels(p[level.z]);
    const float4 later_x = BETWEEN(q1 - large_channels(q[-1]), large_channels(q[2]) - q0, r1 - large_channels(r[-1]), large_channels(r[2]) - r0);
    const float4 later_y = BETWEEN(r0 - large_channels(above[0]), r1 - large_channels(above[1]), large_channels(below[0]) - q0, large_channels(below[1]) - q1);
    const float4 gx = right - left + later_x, gy = down - up + later_y;  // in SLOPE_UNIT, as change is in UNIT
    // Half way between texels bilinear weights blur; the texel itself is blurred as much.
    const float4 bend_x = (left - own) + (right - own), bend_y = (up - own) + (down - own);
    const float2 blur = 0.5f * part * rest;
    const float4 change = BETWEEN(q0 - own, q1 - own, r0 - own, r1 - own) - blur.x * bend_x - blur.y * bend_y;
    const float4 square = 1.0f + change * change * (UNIT * UNIT * normal_recip(robust * robust));
    const float4 weight = (float4)(normal_rsqrt(square.x), normal_rsqrt(square.y), normal_rsqrt(square.z), normal_rsqrt(square.w));
    const float4 weighted_x = weight * gx, weighted_y = weight * gy;
    tensor.xyz = SLOPE_UNIT * SLOPE_UNIT * (float3)(dot(weighted_x, gx), dot(weighted_x, gy), dot(weighted_y, gy));
    tensor.w = fmax(normal_recip(1.0f + dot(change, change) * (UNIT * UNIT / MATCH)), 0.02f);
    pull = UNIT * SLOPE_UNIT * (float2)(dot(weighted_x, change), dot(weighted_y, change));
  }
  tensor.x += OWN_VOTE, tensor.z += OWN_VOTE;
  *votes = (float2)(tensor.x * v.x + tensor.y * v.y, tensor.y * v.x + tensor.z * v.y) - pull;
  return tensor;
}

#define GROUP_X 32
#define TILE_X (2 * GROUP_X)
#define TILE_Y 48
#define ROWS (TILE_Y / GROUP_Y)  // even
#define HALO 4                 // texels of a tile on each side that other tiles have too
#define OWN ((int2)(TILE_X, TILE_Y) - 2 * HALO)
#define PITCH (GROUP_X + 1)
#define SWEEPS 6

// How much two neighbours are to be alike by their grey, 0..255, as the lowest byte.
inline uint edge(float grey, float other_grey) {
  const float part = weight_exp2(-LOG2_E / CONTRAST * fabs(other_grey - grey));
  return as_uint(255.0f * (LEAST_EDGE + (1.0f - LEAST_EDGE) * part) + LARGE);
}

// The same by their flow too; the edge is a byte of `edges`, and `smoothness` that of 1.
inline float likeness(float smoothness, uint edges, int byte, float2 v, float2 other) {
  const float2 offset = other - v;
  const float part = large_byte(edges, byte) - LARGE;
  return smoothness * part * normal_rsqrt(fma(offset.x, offset.x, fma(offset.y, offset.y, STEADY * STEADY)));
}

// Texels of a tile, and one more around, by colour: the one of two beside each other.
#define TEXEL_OF(x, y) tile[((x) + (y)) & 1][((y) + 1) * PITCH + (((x) + 1) >> 1)]

// A step: what the texels of a tile say, and `rounds` of SWEEPS of successive over-relaxation, red texels before black ones, with
// weights by the flow at the round's begin. What is around the tile keeps the flow that comes in, a `ratio` of whose texels lie between two. An item
// keeps two texels beside each other, one of each colour, in ROWS rows. The tiles begin `shift` texels before the frame, beside the HALO.
__attribute__((reqd_work_group_size(GROUP_X, GROUP_Y, 1)))
__kernel void refine_step(__global const TEXEL *restrict before, __global const TEXEL *restrict after, __global const float *restrict grey,
                          int4 level, __global const float2 *restrict flow, int2 flow_size, float ratio,
                          __global const float *restrict table, float gain, int2 shift, int rounds,
                          __global float2 *restrict result, __global float *restrict matches) {
  __local float2 tile[2][(TILE_Y + 2) * PITCH];
  const int2 origin = (int2)(get_group_id(0), GROUP_ROW) * OWN - HALO - shift, last = level.xy - 1;
  const int2 item = (int2)(get_local_id(0), get_local_id(1));
  const int left = 2 * item.x, top = ROWS * item.y;  // of the tile
  const int2 at = origin + (int2)(left, top);
  float2 own[ROWS][2], votes[ROWS][2];
  float xx[ROWS][2], xy[ROWS][2], yy[ROWS][2];
  UNROLL
  for (int row = 0; row < ROWS; row++) {
    UNROLL
    for (int i = 0; i < 2; i++) {
      own[row][i] = resampled(flow, flow_size, ratio, clamp(at + (int2)(i, row), 0, last));
      TEXEL_OF(left + i, top + row) = own[row][i];
    }
  }
  for (int i = item.y * GROUP_X + item.x; i < 2 * (TILE_X + TILE_Y); i += GROUP_X * GROUP_Y) {
    const int along = i >> 1, far = i & 1;  // above and below, then beside
    const int x = along < TILE_X ? along : far ? TILE_X : -1, y = along >= TILE_X ? along - TILE_X : far ? TILE_Y : -1;
    TEXEL_OF(x, y) = resampled(flow, flow_size, ratio, clamp(origin + (int2)(x, y), 0, last));
  }
  const Noise noise = noise_of(table);
  const float sharp = sharpness(noise, gain);
  // What is stored: in the frame, and no other tile's.
  const bool kept_x = left >= HALO && left < TILE_X - HALO;
  const bool stored[2] = {kept_x && at.x >= 0 && at.x <= last.x, kept_x && at.x >= -1 && at.x < last.x};
#define STORED(row, i) \
  (stored[i] && top + (row) >= HALO && top + (row) < TILE_Y - HALO && at.y + (row) >= 0 && at.y + (row) <= last.y)
  UNROLL
  for (int row = 0; row < ROWS; row++) {
    UNROLL
    for (int i = 0; i < 2; i++) {
      const int2 near = clamp(at + (int2)(i, row), 0, last);
      const float4 tensor = match(before, after, level, ROBUST * sharp, near, own[row][i], &votes[row][i]);
      xx[row][i] = tensor.x, xy[row][i] = tensor.y, yy[row][i] = tensor.z;
      if (STORED(row, i)) matches[near.y * level.x + near.x] = tensor.w;
    }
  }
  // Of the edges between texels bytes: of a row those above both, between them and before the first; those after the second for
  // all rows. 0 where one of the two is outside the frame.
  uint edges[ROWS + 1], after_edges[(ROWS + 3) / 4];
  {
    const bool in[2] = {at.x >= 0 && at.x <= last.x, at.x >= -1 && at.x < last.x};
    const uint inside_x = (in[0] ? 0xffu : 0) | (in[1] ? 0xff00u : 0) | (in[0] && in[1] ? 0xff0000u : 0) |
                          (in[0] && at.x > 0 ? 0xff000000u : 0);
    const uint after_x = in[1] && at.x + 1 < last.x ? 0xffu : 0;
    float greys[2], others[2];
    UNROLL
    for (int row = -1; row <= ROWS; row++) {
      const int y = at.y + row;
      const uint inside_y = y > 0 && y <= last.y ? 0xffffffffu : y == 0 ? 0xffff0000u : 0;
      __global const float *p = grey + texel_index(level, (int2)(0, clamp(y, 0, last.y)));
      UNROLL
      for (int i = 0; i < 2; i++) greys[i] = p[clamp(at.x + i, 0, last.x)];
      if (row >= 0) {
        const uint over = edge(greys[0], others[0]), next_over = edge(greys[1], others[1]);
        if (row == ROWS) {
          edges[row] = low_bytes(over, next_over, 0, 0) & inside_x & inside_y;
        } else {
          edges[row] = low_bytes(over, next_over, edge(greys[0], greys[1]), edge(greys[0], p[clamp(at.x - 1, 0, last.x)])) & inside_x & inside_y;
          const uint byte = (edge(greys[1], p[clamp(at.x + 2, 0, last.x)]) & after_x & inside_y >> 24) << (8 * (row & 3));
          after_edges[row >> 2] = (row & 3) ? after_edges[row >> 2] | byte : byte;
        }
      }
      others[0] = greys[0], others[1] = greys[1];
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  const float smoothness = 1.0f / 255.0f * SMOOTHNESS * sharp * (1.0f + NOISY_SMOOTHNESS * far_part(noise));
  for (int round = 0; round < rounds; round++) {
    float beside[ROWS], outside[ROWS][2], above[ROWS + 1][2];  // weights of neighbours
    float2 others_flow[2] = {TEXEL_OF(left, top - 1), TEXEL_OF(left + 1, top - 1)};
    UNROLL
    for (int row = 0; row <= ROWS; row++) {
      UNROLL
      for (int i = 0; i < 2; i++) {
        const float2 v = row < ROWS ? own[row][i] : TEXEL_OF(left + i, top + row);
        above[row][i] = likeness(smoothness, edges[row], i, v, others_flow[i]);
        others_flow[i] = v;
      }
      if (row == ROWS) continue;
      beside[row] = likeness(smoothness, edges[row], 2, own[row][0], own[row][1]);
      outside[row][0] = likeness(smoothness, edges[row], 3, own[row][0], TEXEL_OF(left - 1, top + row));
      outside[row][1] = likeness(smoothness, after_edges[row >> 2], row & 3, own[row][1], TEXEL_OF(left + 2, top + row));
    }
    float pxx[ROWS][2], pxy[ROWS][2], pyy[ROWS][2];  // RELAXATION by the inverse
    UNROLL
    for (int row = 0; row < ROWS; row++) {
      UNROLL
      for (int i = 0; i < 2; i++) {
        const float weights = beside[row] + outside[row][i] + above[row][i] + above[row + 1][i];
        const float x = xx[row][i] + weights, y = yy[row][i] + weights;
        const float scale = RELAXATION * normal_recip(x * y - xy[row][i] * xy[row][i]);
        pxx[row][i] = scale * y, pxy[row][i] = scale * -xy[row][i], pyy[row][i] = scale * x;
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE);  // before what the weights are by changes
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
      UNROLL
      for (int colour = 0; colour < 2; colour++) {
        __local const float2 *others_tile = tile[1 - colour] + (top + 1) * PITCH + item.x;
        UNROLL
        for (int row = 0; row < ROWS; row++) {
          const int i = (row + colour) & 1;
          const float2 over = row > 0 ? own[row - 1][i] : others_tile[i - PITCH];
          const float2 under = row < ROWS - 1 ? own[row + 1][i] : others_tile[i + ROWS * PITCH];
          const float2 sum = votes[row][i] + beside[row] * own[row][1 - i] + outside[row][i] * others_tile[i + row * PITCH] +
                             above[row][i] * over + above[row + 1][i] * under;
          own[row][i] = (1.0f - RELAXATION) * own[row][i] + (float2)(pxx[row][i] * sum.x + pxy[row][i] * sum.y,
                                                                     pxy[row][i] * sum.x + pyy[row][i] * sum.y);
          tile[colour][(top + row + 1) * PITCH + item.x + i] = own[row][i];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
      }
    }
  }
  UNROLL
  for (int row = 0; row < ROWS; row++) {
    UNROLL
    for (int i = 0; i < 2; i++)
      if (STORED(row, i)) result[(at.y + row) * level.x + at.x + i] = own[row][i];
  }
}

#define TAKEN 3  // vectors of the mean along each axis
#define MIDDLE (TAKEN * TAKEN / 2)
#define EACH_TAKEN(i) UNROLL for (int i = 0; i < TAKEN * TAKEN; i++)

// A robust mean of a vector with those around that look alike and match: three steps towards their spatial median.
inline float2 mean_of(__global const float2 *flow, __global const float *matches, __global const float *grey, int4 level, int2 at) {
  float weights[TAKEN * TAKEN];
  float2 others[TAKEN * TAKEN];
  const float own_grey = grey[texel_index(level, at)];
  EACH_TAKEN(i) {
    const int x = i % TAKEN - TAKEN / 2, y = i / TAKEN - TAKEN / 2;
    const int2 other = clamp(at + SPACING * (int2)(x, y), 0, level.xy - 1);
    const int index = other.y * level.x + other.x;
    const float differ = grey[texel_index(level, other)] - own_grey;
    others[i] = flow[index];
    weights[i] = matches[index] * weight_exp2(-0.5f * LOG2_E / (LIKENESS * LIKENESS) * differ * differ -
                                              0.5f * LOG2_E / (DISTANCE * DISTANCE) * (x * x + y * y)) + 1e-6f;
  }
  float2 mean = others[MIDDLE];
  UNROLL
  for (int step = 0; step < 3; step++) {
    float sum = 0.0f;
    float2 all = 0.0f;
    EACH_TAKEN(i) {
      if (i == MIDDLE && step == 0) continue;
      const float2 offset = others[i] - mean;
      const float weight = weights[i] * normal_rsqrt(fma(offset.x, offset.x, fma(offset.y, offset.y, MEAN_STEADY * MEAN_STEADY)));
      sum += weight;
      all += weight * others[i];
    }
    mean = all * normal_recip(sum);
  }
  return mean;
}

__kernel void refine_mean(__global const float2 *restrict flow, __global const float *restrict matches,
                          __global const float *restrict grey, int4 level, __global float2 *restrict result) {
  const int2 at = (int2)(get_global_id(0), get_global_id(1));
  if (all(at < level.xy)) result[at.y * level.x + at.x] = mean_of(flow, matches, grey, level, at);
}

// The mean becomes the field's; what stood still in noise stays, as does what the start's flow did not explain
// (support.clh; nodes lie 1 << shift px apart). Where channels do not match or the flow leaves the frame, the confidence is less.
__kernel void refine_finish(__global const float2 *restrict flow, __global const float *restrict matches,
                            __global const float *restrict grey, int4 level, __global const TEXEL *restrict before,
                            __global const TEXEL *restrict after, __global const float *restrict noise,
                            __global float2 *restrict vectors, __global float *restrict confidence,
                            __global const float *restrict kept, int2 cells, int shift) {
  const int2 at = (int2)(get_global_id(0), get_global_id(1));
  if (any(at >= level.xy)) return;
  const int index = at.y * level.x + at.x;
  const float2 start = vectors[index];
  const float noisy = clamp(2.0f * sqrt(noise_variance(noise)) - 1.5f, 0.0f, 1.0f);
  const float still = noisy * clamp(2.0f - (1.0f / HELD) * native_sqrt(dot(start, start)), 0.0f, 1.0f);
  const float scale = 1.0f / (1 << shift), part = support_at(kept, cells, scale * convert_float2(at) - 0.25f);
  const float2 v = part * mix(mean_of(flow, matches, grey, level, at), start, still), to = convert_float2(at) + v;
  float match = 0.0f;
  if (inside(to, level)) {
    const float4 change = UNIT * (bilinear(after, level, to) - LOAD(before[texel_index(level, at)]));
    const float square = dot(change, change);
    match = normal_recip(1.0f + square * square);
  }
  vectors[index] = v;
  confidence[index] *= match;
}
