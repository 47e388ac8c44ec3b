// SPDX-License-Identifier: LGPL-2.1-or-later
// The bilateral filter of Lanes ("Image and video processing using graphics hardware", 2010) on its
// way from the equation to a fast kernel, one step at a time. Build with -DSTEP=1…8 and -DRADIUS=r:
//   1  the equation: a weight for each channel, everything computed for every tap
//   2  native division
//   3  one weight, from the intensity
//   4  what does not depend on the pixel comes from the host: the space weights, the factor of the
//   exponent 5  range weights from a table of 11 6  a tile in local memory 7  the loops unrolled 8
//   four pixels of a column per work-item
#include "common/pixel.clh"

#define SIDE (2 * RADIUS + 1)
#define GROUP_X 16
#define GROUP_Y 16
#define ROWS (STEP >= 8 ? 4 : 1)
#define TILE_X (GROUP_X + 2 * RADIUS)
#define TILE_Y (GROUP_Y * ROWS + 2 * RADIUS)

#if STEP == 1
#define DIVIDE(a, b) ((a) / (b))
#else
#define DIVIDE native_divide
#endif

inline float intensity(float4 c) { return 0.30f * c.x + 0.59f * c.y + 0.11f * c.z; }

__attribute__((reqd_work_group_size(GROUP_X, GROUP_Y, 1))) __kernel void bilateral_step(
    __read_only image2d_t in, __write_only image2d_t out, float sigma_space, float sigma_range,
    __constant float *space, __constant float *range) {
  const int2 size = get_image_dim(in);
  const int2 first = (int2)(get_group_id(0) * GROUP_X, get_group_id(1) * GROUP_Y * ROWS);
  const int2 local_at = (int2)(get_local_id(0), get_local_id(1) * ROWS);
  const int2 at = first + local_at;
#if STEP >= 6
  __local float4 tile[TILE_X * TILE_Y];
  for (int y = get_local_id(1); y < TILE_Y; y += GROUP_Y)
    for (int x = get_local_id(0); x < TILE_X; x += GROUP_X)
      tile[y * TILE_X + x] = read_imagef(in, pixel_sampler, first + (int2)(x, y) - RADIUS);
  barrier(CLK_LOCAL_MEM_FENCE);
#define TAP(dx, dy) tile[(local_at.y + RADIUS + (dy)) * TILE_X + local_at.x + RADIUS + (dx)]
#else
#define TAP(dx, dy) read_imagef(in, pixel_sampler, at + (int2)(dx, dy))
#endif

  float4 p[ROWS], sum[ROWS], weight[ROWS];
#pragma unroll
  for (int o = 0; o < ROWS; o++) {
    p[o] = TAP(0, o);
    sum[o] = weight[o] = 0.0f;
  }
#if STEP >= 7
#pragma unroll
#endif
  for (int j = -RADIUS; j < RADIUS + ROWS; j++)
#if STEP >= 7
#pragma unroll
#endif
    for (int i = -RADIUS; i <= RADIUS; i++) {
      const float4 q = TAP(i, j);
#pragma unroll
      for (int o = 0; o < ROWS; o++) {
        const int k = j - o;
        if (k < -RADIUS || k > RADIUS) continue;
#if STEP <= 2
        const float4 d = q - p[o];
        const float4 w = exp(DIVIDE(-d * d, (float4)(2.0f * sigma_range * sigma_range)) -
                             DIVIDE((float)(i * i + k * k), 2.0f * sigma_space * sigma_space));
#elif STEP == 3
        const float d = intensity(q) - intensity(p[o]);
        const float4 w = exp(DIVIDE(-d * d, 2.0f * sigma_range * sigma_range) -
                             DIVIDE((float)(i * i + k * k), 2.0f * sigma_space * sigma_space));
#else
        const float d = intensity(q) - intensity(p[o]);
        const float s = space[(k + RADIUS) * SIDE + i + RADIUS];
#if STEP == 4
        const float4 w = exp(d * d * range[11]) * s;
#else
        const float4 w = range[convert_int_rte(fabs(d) * 10.0f)] * s;
#endif
#endif
        sum[o] += w * q;
        weight[o] += w;
      }
    }
#pragma unroll
  for (int o = 0; o < ROWS; o++)
    if (at.x < size.x && at.y + o < size.y) {
      const float3 mean = DIVIDE(sum[o].xyz, weight[o].xyz);
      write_imagef(out, at + (int2)(0, o), (float4)(mean, p[o].w));
    }
}
