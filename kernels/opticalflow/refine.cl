// SPDX-License-Identifier: LGPL-2.1-or-later
// Variational refinement of the flow with census; docs/methods/refinement.md has the equations.
// -DGROUP_Y=n: rows of items in a group of refine_step.
#define CENSUS
#include "common/bands.clh"
#include "common/exp2.clh"
#include "common/items.clh"
#include "opticalflow/level.clh"
#include "opticalflow/noise.clh"
#include "opticalflow/tuned.clh"
#include "opticalflow/verify.clh"

#define UNROLL _Pragma("unroll")
#define UNIT (1.0f / 127.0f)       // unit of a channel, whose range is -127..127
#define SLOPE_UNIT (0.25f * UNIT)  // unit of four times a channel's slope
#define LOG2_E 1.44269504f

// Interpolates a flow of another size. `ratio` texels of that flow correspond to one texel of the
// result.
inline float2 resampled(__global const float2 *flow, int2 size, float ratio, int2 at) {
  if (ratio == 1.0f) return flow[at.y * size.x + at.x];
  const int2 last = size - 1;
  const float2 place = min(ratio * convert_float2(at), convert_float2(last)), base = floor(place),
               part = place - base;
  const int2 a = convert_int2(base), b = min(a + 1, last);
  const float2 above = mix(flow[a.y * size.x + a.x], flow[a.y * size.x + b.x], part.x);
  const float2 below = mix(flow[b.y * size.x + a.x], flow[b.y * size.x + b.x], part.x);
  return mix(above, below, part.y) / ratio;
}

inline bool inside(float2 to, int4 level) {
  return all(to >= 0.0f) && all(to <= convert_float2(level.xy - 1));
}

// True if the census neighbours of a texel and of its target lie inside the frame.
inline bool comparable(int2 at, float2 to, int4 level) {
  const int2 count = max(level.xy - 2, 0);
  const float2 off = fabs(to - 0.5f * convert_float2(level.xy - 1)),
               half_side = 0.5f * convert_float2(level.xy - 3);
  return (uint)(at.x - 1) < (uint)count.x && (uint)(at.y - 1) < (uint)count.y &&
         off.x <= half_side.x && off.y <= half_side.y;
}

// The scale of differences for this noise. Noise shrinks the channels, so the same motion causes
// smaller differences. In strong noise small differences count in full again.
inline float sharpness(Noise noise, float gain) {
  return mix(fmax(CENSUS_DEVIATION / sqrt(census_softness(noise.quantized, gain)), LEAST_SHARPNESS),
             1.0f, denoising_of(noise));
}

// Interpolates between four neighbours by their weights.
#define INTERPOLATED(a, b, c, d) (share.x * (a) + share.y * (b) + share.z * (c) + share.w * (d))

// The data term of a texel for the flow `v`. Returns its tensor (xx, xy, yy); `rhs` gets the
// right-hand side. w: the quality of the match, at most 1. Outside the frame w is 0 and the texel
// contributes only its current flow.
inline float4 match(__global const TEXEL *before, __global const TEXEL *after, int4 level,
                    float robust, int2 at, float2 v, float2 *rhs) {
  const float2 to = convert_float2(at) + v;
  float4 tensor = (float4)(0.0f, 0.0f, 0.0f, 0.0f);
  float2 data_gradient = 0.0f;
  if (comparable(at, to, level)) {
    __global const TEXEL *p = before + texel_index(level, at);
    const float2 base = floor(to), part = to - base, complement = 1.0f - part;
    const float4 share = (float4)(complement.x * complement.y, part.x * complement.y,
                                  complement.x * part.y, part.x * part.y);
    __global const TEXEL *q = after + texel_index(level, convert_int2(base)), *r = q + level.z,
                         *above = q - level.z, *below = r + level.z;
    const float4 own = large_channels(p[0]), q0 = large_channels(q[0]), q1 = large_channels(q[1]),
                 r0 = large_channels(r[0]), r1 = large_channels(r[1]);
    const float4 left = large_channels(p[-1]), right = large_channels(p[1]),
                 up = large_channels(p[-level.z]), down = large_channels(p[level.z]);
    const float4 later_x = INTERPOLATED(q1 - large_channels(q[-1]), large_channels(q[2]) - q0,
                                        r1 - large_channels(r[-1]), large_channels(r[2]) - r0);
    const float4 later_y =
        INTERPOLATED(r0 - large_channels(above[0]), r1 - large_channels(above[1]),
                     large_channels(below[0]) - q0, large_channels(below[1]) - q1);
    const float4 gx = right - left + later_x,
                 gy = down - up + later_y;  // in SLOPE_UNIT; change is in UNIT
    // Bilinear interpolation blurs the later frame, so the earlier texel is blurred equally.
    const float4 bend_x = (left - own) + (right - own), bend_y = (up - own) + (down - own);
    const float2 blur = 0.5f * part * complement;
    const float4 change =
        INTERPOLATED(q0 - own, q1 - own, r0 - own, r1 - own) - blur.x * bend_x - blur.y * bend_y;
    const float4 square = 1.0f + change * change * (UNIT * UNIT * normal_recip(robust * robust));
    const float4 weight = (float4)(normal_rsqrt(square.x), normal_rsqrt(square.y),
                                   normal_rsqrt(square.z), normal_rsqrt(square.w));
    const float4 weighted_x = weight * gx, weighted_y = weight * gy;
    tensor.xyz = SLOPE_UNIT * SLOPE_UNIT *
                 (float3)(dot(weighted_x, gx), dot(weighted_x, gy), dot(weighted_y, gy));
    tensor.w = fmax(normal_recip(1.0f + dot(change, change) * (UNIT * UNIT / HALF_MATCH)), 0.02f);
    data_gradient = UNIT * SLOPE_UNIT * (float2)(dot(weighted_x, change), dot(weighted_y, change));
  }
  tensor.x += MIN_DIAGONAL, tensor.z += MIN_DIAGONAL;
  *rhs = (float2)(tensor.x * v.x + tensor.y * v.y, tensor.y * v.x + tensor.z * v.y) - data_gradient;
  return tensor;
}

#define ROWS (REFINE_Y / GROUP_Y)  // even
#define OWN_SIZE ((int2)(REFINE_X, REFINE_Y) - 2 * REFINE_HALO)
#define PITCH (REFINE_COLUMNS + 1)

// The smoothness weight of two neighbours by their grey, 0..255, in the lowest byte. It falls
// across edges.
inline uint edge_weight(float grey, float other_grey) {
  const float part = weight_exp2(-LOG2_E / EDGE_CONTRAST * fabs(other_grey - grey));
  return as_uint(255.0f * (LEAST_EDGE + (1.0f - LEAST_EDGE) * part) + LARGE);
}

// The smoothness weight of two neighbours by their grey and their flow. The weight by grey is byte
// `byte` of `edges`. `smoothness` is the factor for one unit of that byte.
inline float smoothness_weight(float smoothness, uint edges, int byte, float2 v, float2 other) {
  const float2 offset = other - v;
  const float part = large_byte(edges, byte) - LARGE;
  return smoothness * part *
         normal_rsqrt(mad(offset.x, offset.x,
                          mad(offset.y, offset.y, SMOOTHNESS_EPSILON * SMOOTHNESS_EPSILON)));
}

// The tile's texels and one more on each side, stored by colour of the checkerboard. Each place of
// a colour has one of two adjacent texels.
#define TEXEL_OF(x, y) tile[((x) + (y)) & 1][((y) + 1) * PITCH + (((x) + 1) >> 1)]

// One step of the refinement for the tile of a group: the data term, then rounds of REFINE_SWEEPS
// sweeps of red-black successive over-relaxation. Each round starts with new smoothness weights
// from its current flow. The input flow around the tile is fixed. An item has two adjacent texels,
// one of each colour, in ROWS rows. `matches` gets the quality of the match of each texel.
__attribute__((reqd_work_group_size(REFINE_COLUMNS, GROUP_Y, 1))) __kernel void refine_step(
    __global const TEXEL *restrict before, __global const TEXEL *restrict after,
    __global const float *restrict grey, __global const float2 *restrict flow,
    __global const float *restrict table, __global float2 *restrict result,
    __global float *restrict matches, RefinementStep one) {
  __local float2 tile[2][(REFINE_Y + 2) * PITCH];
  const int4 level = one.level;
  const int2 origin = (int2)(get_group_id(0), GROUP_ROW) * OWN_SIZE - REFINE_HALO - one.shift,
             last = level.xy - 1;
  const int2 item = (int2)(get_local_id(0), get_local_id(1));
  const int left = 2 * item.x, top = ROWS * item.y;  // in the tile
  const int2 at = origin + (int2)(left, top);
  float2 own[ROWS][2], rhs[ROWS][2];
  float xx[ROWS][2], xy[ROWS][2], yy[ROWS][2];
  UNROLL
  for (int row = 0; row < ROWS; row++) {
    UNROLL
    for (int i = 0; i < 2; i++) {
      own[row][i] = resampled(flow, one.flow_size, one.ratio, clamp(at + (int2)(i, row), 0, last));
      TEXEL_OF(left + i, top + row) = own[row][i];
    }
  }
  for (int i = item.y * REFINE_COLUMNS + item.x; i < 2 * (REFINE_X + REFINE_Y);
       i += REFINE_COLUMNS * GROUP_Y) {
    const int along = i >> 1,
              opposite = i & 1;  // the rows above and below, then the columns left and right
    const int x = along < REFINE_X ? along
                  : opposite       ? REFINE_X
                                   : -1,
              y = along >= REFINE_X ? along - REFINE_X
                  : opposite        ? REFINE_Y
                                    : -1;
    TEXEL_OF(x, y) =
        resampled(flow, one.flow_size, one.ratio, clamp(origin + (int2)(x, y), 0, last));
  }
  const Noise noise = noise_of(table);
  const float sharp = sharpness(noise, one.gain);
  // A tile stores the texels of its own part that lie inside the frame.
  const bool owns_x = left >= REFINE_HALO && left < REFINE_X - REFINE_HALO;
  const bool stored[2] = {owns_x && at.x >= 0 && at.x <= last.x,
                          owns_x && at.x >= -1 && at.x < last.x};
#define STORED(row, i)                                                                \
  (stored[i] && top + (row) >= REFINE_HALO && top + (row) < REFINE_Y - REFINE_HALO && \
   at.y + (row) >= 0 && at.y + (row) <= last.y)
  UNROLL
  for (int row = 0; row < ROWS; row++) {
    UNROLL
    for (int i = 0; i < 2; i++) {
      const int2 inside_at = clamp(at + (int2)(i, row), 0, last);
      const float4 tensor =
          match(before, after, level, ROBUST * sharp, inside_at, own[row][i], &rhs[row][i]);
      xx[row][i] = tensor.x, xy[row][i] = tensor.y, yy[row][i] = tensor.z;
      if (STORED(row, i)) matches[inside_at.y * level.x + inside_at.x] = tensor.w;
    }
  }
  // Edge weights as bytes. A word of `edges` per row has the weights to the texels above both,
  // between both, and to the left of the first. `after_edges` has the weights to the right of the
  // second, for all rows. A weight is 0 if one of its texels is outside the frame.
  uint edges[ROWS + 1], after_edges[(ROWS + 3) / 4];
  {
    const bool in[2] = {at.x >= 0 && at.x <= last.x, at.x >= -1 && at.x < last.x};
    const uint inside_x = (in[0] ? 0xffu : 0) | (in[1] ? 0xff00u : 0) |
                          (in[0] && in[1] ? 0xff0000u : 0) | (in[0] && at.x > 0 ? 0xff000000u : 0);
    const uint after_x = in[1] && at.x + 1 < last.x ? 0xffu : 0;
    float greys[2], above_greys[2];
    UNROLL
    for (int row = -1; row <= ROWS; row++) {
      const int y = at.y + row;
      const uint inside_y = y > 0 && y <= last.y ? 0xffffffffu : y == 0 ? 0xffff0000u : 0;
      __global const float *p = grey + texel_index(level, (int2)(0, clamp(y, 0, last.y)));
      UNROLL
      for (int i = 0; i < 2; i++) greys[i] = p[clamp(at.x + i, 0, last.x)];
      if (row >= 0) {
        const uint over = edge_weight(greys[0], above_greys[0]),
                   next_over = edge_weight(greys[1], above_greys[1]);
        if (row == ROWS) {
          edges[row] = low_bytes(over, next_over, 0, 0) & inside_x & inside_y;
        } else {
          edges[row] = low_bytes(over, next_over, edge_weight(greys[0], greys[1]),
                                 edge_weight(greys[0], p[clamp(at.x - 1, 0, last.x)])) &
                       inside_x & inside_y;
          const uint byte =
              (edge_weight(greys[1], p[clamp(at.x + 2, 0, last.x)]) & after_x & inside_y >> 24)
              << (8 * (row & 3));
          after_edges[row >> 2] = (row & 3) ? after_edges[row >> 2] | byte : byte;
        }
      }
      above_greys[0] = greys[0], above_greys[1] = greys[1];
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  const float smoothness =
      1.0f / 255.0f * SMOOTHNESS * sharp * (1.0f + NOISY_SMOOTHNESS * denoising_of(noise));
  for (int round = 0; round < one.rounds; round++) {
    float inner[ROWS], outer[ROWS][2], above[ROWS + 1][2];  // weights of neighbours
    float2 above_flow[2] = {TEXEL_OF(left, top - 1), TEXEL_OF(left + 1, top - 1)};
    UNROLL
    for (int row = 0; row <= ROWS; row++) {
      UNROLL
      for (int i = 0; i < 2; i++) {
        const float2 v = row < ROWS ? own[row][i] : TEXEL_OF(left + i, top + row);
        above[row][i] = smoothness_weight(smoothness, edges[row], i, v, above_flow[i]);
        above_flow[i] = v;
      }
      if (row == ROWS) continue;
      inner[row] = smoothness_weight(smoothness, edges[row], 2, own[row][0], own[row][1]);
      outer[row][0] =
          smoothness_weight(smoothness, edges[row], 3, own[row][0], TEXEL_OF(left - 1, top + row));
      outer[row][1] = smoothness_weight(smoothness, after_edges[row >> 2], row & 3, own[row][1],
                                        TEXEL_OF(left + 2, top + row));
    }
    float pxx[ROWS][2], pxy[ROWS][2],
        pyy[ROWS][2];  // REFINE_RELAXATION times the inverse of a texel's matrix
    UNROLL
    for (int row = 0; row < ROWS; row++) {
      UNROLL
      for (int i = 0; i < 2; i++) {
        const float weights = inner[row] + outer[row][i] + above[row][i] + above[row + 1][i];
        const float x = xx[row][i] + weights, y = yy[row][i] + weights;
        const float scale = REFINE_RELAXATION * normal_recip(x * y - xy[row][i] * xy[row][i]);
        pxx[row][i] = scale * y, pxy[row][i] = scale * -xy[row][i], pyy[row][i] = scale * x;
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE);  // the weights read the flow, which the sweeps change
    for (int sweep = 0; sweep < REFINE_SWEEPS; sweep++) {
      UNROLL
      for (int colour = 0; colour < 2; colour++) {
        __local const float2 *other_colour = tile[1 - colour] + (top + 1) * PITCH + item.x;
        UNROLL
        for (int row = 0; row < ROWS; row++) {
          const int i = (row + colour) & 1;
          const float2 over = row > 0 ? own[row - 1][i] : other_colour[i - PITCH];
          const float2 under = row < ROWS - 1 ? own[row + 1][i] : other_colour[i + ROWS * PITCH];
          const float2 sum = rhs[row][i] + inner[row] * own[row][1 - i] +
                             outer[row][i] * other_colour[i + row * PITCH] + above[row][i] * over +
                             above[row + 1][i] * under;
          own[row][i] = (1.0f - REFINE_RELAXATION) * own[row][i] +
                        (float2)(pxx[row][i] * sum.x + pxy[row][i] * sum.y,
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

#define MEAN_SIDE 3  // vectors of the mean along each axis
#define MEAN_CENTRE (MEAN_SIDE * MEAN_SIDE / 2)
#define EACH_NEIGHBOUR(i) UNROLL for (int i = 0; i < MEAN_SIDE * MEAN_SIDE; i++)

// A robust mean of a vector and its neighbours, MEAN_SPACING texels apart. Three steps of iterative
// reweighting approach their spatial median. Neighbours with similar grey and good matches count
// more.
inline float2 mean_of(__global const float2 *flow, __global const float *matches,
                      __global const float *grey, int4 level, int2 at) {
  float weights[MEAN_SIDE * MEAN_SIDE];
  float2 above_greys[MEAN_SIDE * MEAN_SIDE];
  const float own_grey = grey[texel_index(level, at)];
  EACH_NEIGHBOUR(i) {
    const int x = i % MEAN_SIDE - MEAN_SIDE / 2, y = i / MEAN_SIDE - MEAN_SIDE / 2;
    const int2 other = clamp(at + MEAN_SPACING * (int2)(x, y), 0, level.xy - 1);
    const int index = other.y * level.x + other.x;
    const float difference = grey[texel_index(level, other)] - own_grey;
    above_greys[i] = flow[index];
    weights[i] =
        matches[index] *
            weight_exp2(
                -0.5f * LOG2_E / (GREY_DEVIATION * GREY_DEVIATION) * difference * difference -
                0.5f * LOG2_E / (DISTANCE_DEVIATION * DISTANCE_DEVIATION) * (x * x + y * y)) +
        1e-6f;
  }
  float2 mean = above_greys[MEAN_CENTRE];
  UNROLL
  for (int step = 0; step < 3; step++) {
    float sum = 0.0f;
    float2 all = 0.0f;
    EACH_NEIGHBOUR(i) {
      if (i == MEAN_CENTRE && step == 0) continue;
      const float2 offset = above_greys[i] - mean;
      const float weight =
          weights[i] * normal_rsqrt(mad(offset.x, offset.x,
                                        mad(offset.y, offset.y, MEAN_EPSILON * MEAN_EPSILON)));
      sum += weight;
      all += weight * above_greys[i];
    }
    mean = all * normal_recip(sum);
  }
  return mean;
}

__kernel void refine_mean(__global const float2 *restrict flow,
                          __global const float *restrict matches,
                          __global const float *restrict grey, int4 level,
                          __global float2 *restrict result) {
  const int2 at = (int2)(get_global_id(0), get_global_id(1));
  if (all(at < level.xy)) result[at.y * level.x + at.x] = mean_of(flow, matches, grey, level, at);
}

// Writes this mean to the field, px. Vectors that are static because of noise stay static. The keep
// factors of verify.clh apply; nodes are 1 << shift px apart. The confidence falls where channels
// do not match or the flow leaves the frame.
__kernel void refine_finish(__global const float2 *restrict flow,
                            __global const float *restrict matches,
                            __global const float *restrict grey, int4 level,
                            __global const TEXEL *restrict before,
                            __global const TEXEL *restrict after,
                            __global const float *restrict noise, __global float2 *restrict vectors,
                            __global float *restrict confidence,
                            __global const float *restrict keep_factors, int2 cells, int shift) {
  const int2 at = (int2)(get_global_id(0), get_global_id(1));
  if (any(at >= level.xy)) return;
  const int index = at.y * level.x + at.x;
  const float2 start = vectors[index];
  const float noise_weight = clamp(2.0f * sqrt(noise_variance(noise)) - 1.5f, 0.0f, 1.0f);
  const float static_weight =
      noise_weight *
      clamp(2.0f - (1.0f / NOISY_STATIC_SPEED) * native_sqrt(dot(start, start)), 0.0f, 1.0f);
  const float scale = 1.0f / (1 << shift),
              part = keep_factor_at(keep_factors, cells, scale * convert_float2(at) - 0.25f);
  const float2 v = part * mix(mean_of(flow, matches, grey, level, at), start, static_weight),
               to = convert_float2(at) + v;
  float match = 0.0f;
  if (inside(to, level)) {
    const float4 change =
        UNIT * (bilinear(after, level, to) - LOAD(before[texel_index(level, at)]));
    const float square = dot(change, change);
    match = normal_recip(1.0f + square * square);
  }
  vectors[index] = v;
  confidence[index] *= match;
}
