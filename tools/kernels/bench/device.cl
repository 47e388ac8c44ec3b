// SPDX-License-Identifier: LGPL-2.1-or-later
// Micro-benchmarks of a device. Build with the defines that bench/device.cpp gives: N (vector
// width, pixels per item, distance, or turns of an unrolled loop), F (an expression of x), and so
// on.
#include "common/pixel.clh"

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)

#ifdef LOADS
#if N == 1
#define VECTOR float
#define SUM(v) (v)
#else
#define VECTOR JOIN(float, N)
#define SUM(v) ((v).s0 + (v).s1)
#endif
__kernel void vector_loads(__global const VECTOR *in, __global float *out, int count) {
  VECTOR sum = 0.0f;
  for (int i = get_global_id(0); i < count; i += get_global_size(0)) sum += in[i];
  out[get_global_id(0)] = SUM(sum);
}
#endif

#ifdef IDENTITY
__kernel void identity_buffer(__global const uchar4 *in, __global uchar4 *out, int count) {
  for (int i = get_global_id(0); i < count; i += get_global_size(0)) out[i] = in[i];
}
__kernel void identity_image(__read_only image2d_t in, __write_only image2d_t out) {
  const int2 at = (int2)(get_global_id(0), get_global_id(1));
  write_imagef(out, at, read_imagef(in, pixel_sampler, at));
}
__constant sampler_t normalised =
    CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
__kernel void identity_normalised(__read_only image2d_t in, __write_only image2d_t out) {
  const int2 at = (int2)(get_global_id(0), get_global_id(1));
  const float2 place = (convert_float2(at) + 0.5f) / convert_float2(get_image_dim(in));
  write_imagef(out, at, read_imagef(in, normalised, place));
}
#endif

#ifdef TILE
// A group of 256 sums a tile of 256 float4 again and again, copied to local memory in one of three
// ways: 0 by the items, 1 by async_work_group_copy, 2 the same while the tile before is summed.
__kernel void local_copies(__global const float4 *in, __global float *out, int count) {
  __local float4 tile[TILE == 2 ? 512 : 256];
  const int lane = get_local_id(0), groups = get_num_groups(0), tiles = count / 256;
  float4 sum = 0.0f;
#if TILE == 2
  event_t copied =
      async_work_group_copy(tile, in + min((int)get_group_id(0), tiles - 1) * 256, 256, 0);
  int turn = 0;
#endif
  for (int t = get_group_id(0); t < tiles; t += groups) {
#if TILE == 0
    tile[lane] = in[t * 256 + lane];
    barrier(CLK_LOCAL_MEM_FENCE);
    sum += tile[255 - lane];
#elif TILE == 1
    event_t copied = async_work_group_copy(tile, in + t * 256, 256, 0);
    wait_group_events(1, &copied);
    sum += tile[255 - lane];
#else
    wait_group_events(1, &copied);
    turn ^= 256;
    copied = async_work_group_copy(tile + turn, in + min(t + groups, tiles - 1) * 256, 256, 0);
    sum += tile[(turn ^ 256) + 255 - lane];
#endif
    barrier(CLK_LOCAL_MEM_FENCE);
  }
#if TILE == 2
  wait_group_events(1, &copied);
#endif
  out[get_global_id(0)] = sum.x + sum.y;
}
#endif

#ifdef PREFETCH
__kernel void prefetched(__global const float4 *in, __global float *out, int count) {
  float4 sum = 0.0f;
  const int step = get_global_size(0);
  for (int i = get_global_id(0); i < count; i += step) {
#if PREFETCH
    if (i + step < count) prefetch(in + i + step, 1);
#endif
    sum += in[i];
  }
  out[get_global_id(0)] = sum.x + sum.y;
}
#endif

#ifdef PIXELS
__kernel void pixels_per_item(__read_only image2d_t in, __write_only image2d_t out) {
  const int x = get_global_id(0) * PIXELS, y = get_global_id(1);
  if (x >= get_image_width(out) || y >= get_image_height(out)) return;
#pragma unroll
  for (int i = 0; i < PIXELS; i++)
    write_imagef(out, (int2)(x + i, y), 1.0f - read_imagef(in, pixel_sampler, (int2)(x + i, y)));
}
#endif

#ifdef F
__kernel void function(__global float *out, int rounds) {
  float a = 0.25f + 1e-6f * get_global_id(0), b = a + 0.125f, c = b + 0.125f, d = c + 0.125f;
  for (int i = 0; i < rounds; i++) {
    a = F(a), b = F(b), c = F(c), d = F(d);
  }
  out[get_global_id(0)] = a + b + c + d;
}
#endif

#ifdef UNROLL
__kernel void unrolled(__global const float4 *in, __global float *out, int count) {
  const int x = get_global_id(0);
  float4 sum = 0.0f;
#pragma unroll UNROLL
  for (int i = 0; i < 64; i++) sum += in[(x + i) % count] * (float)i;
  out[x] = sum.x + sum.y;
}
#endif

#ifdef STRIDE
// Every item reads STRIDE items after its neighbour; -1: anywhere.
__kernel void access(__global const float *in, __global float *out, int count) {
  const uint x = get_global_id(0);
  float sum = 0.0f;
  for (uint i = 0; i < 16; i++) {
#if STRIDE > 0
    const uint at = (x * STRIDE + i * get_global_size(0)) % count;
#else
    const uint at = ((x + i * get_global_size(0)) * 2654435761u >> 4) % count;
#endif
    sum += in[at];
  }
  out[x] = sum;
}
#endif

#ifdef REPEATS
__kernel void repeated_reads(__read_only image2d_t in, __write_only image2d_t out, int zero) {
  const int2 at = (int2)(get_global_id(0), get_global_id(1));
  float4 sum = 0.0f;
  for (int i = 0; i < REPEATS; i++) sum += read_imagef(in, pixel_sampler, at + i * zero);
  write_imagef(out, at, sum / REPEATS);
}
#endif
