// SPDX-License-Identifier: LGPL-2.1-or-later
// Lucas and Kanade's method of 1981 on one scale: kernels for every step of its optimisation. Planes are
// float, `width` apart, without borders; the frame's edge is repeated.
#include "common/pixel.clh"
#include "opticalflow/eigen.clh"

// -DNATIVE: the device's fast, less exact division.
#ifdef NATIVE
#define DIVIDE native_divide
#else
#define DIVIDE(a, b) ((a) / (b))
#endif

#define PIXEL(at, size)                                                                           \
  const int2 at = (int2)(get_global_id(0), get_global_id(1));                                     \
  if (any(at >= (size))) return;

inline float edge(__global const float *plane, int2 size, int2 at) {
  at = clamp(at, 0, size - 1);
  return plane[at.y * size.x + at.x];
}

// (R + G + B) / 3 in levels.
inline float grey_of(float4 levels) { return (levels.x + levels.y + levels.z) / 3.0f; }
inline float image_grey(__read_only image2d_t in, int2 at) {
  return grey_of(rint(255.0f * read_imagef(in, pixel_sampler, at)));
}
inline float buffer_grey(__global const uchar4 *in, int pitch, int2 at) {
  return grey_of(convert_float4(in[(size_t)at.y * pitch + at.x]));
}

__kernel void lk_grey_image(__read_only image2d_t in, __global float *grey, int2 size) {
  PIXEL(at, size)
  grey[at.y * size.x + at.x] = image_grey(in, at);
}

__kernel void lk_grey_buffer(__global const uchar4 *in, int pitch, __global float *grey, int2 size) {
  PIXEL(at, size)
  grey[at.y * size.x + at.x] = buffer_grey(in, pitch, at);
}

// The matrix kernel: a + sign b.
__kernel void lk_add(__global const float *a, __global const float *b, float sign, __global float *sum,
                     int count) {
  const int i = get_global_id(0);
  if (i < count) sum[i] = a[i] + sign * b[i];
}

// Correlation with 2 × 2 coefficients, anchored at their upper left one. With these signs and the newer
// frame less the older, motion to the right is positive.
inline float correlate(__global const float *plane, int2 size, int2 at, float4 k) {
  return k.x * edge(plane, size, at) + k.y * edge(plane, size, at + (int2)(1, 0)) +
         k.z * edge(plane, size, at + (int2)(0, 1)) + k.w * edge(plane, size, at + (int2)(1, 1));
}

__kernel void lk_convolve_global(__global const float *plane, __global const float4 *coefficients, int which,
                                 float factor, __global float *result, int2 size) {
  PIXEL(at, size)
  result[at.y * size.x + at.x] = correlate(plane, size, at, factor * coefficients[which]);
}

__constant float4 kernels[3] = {(float4)(-1, 1, -1, 1), (float4)(-1, -1, 1, 1), (float4)(1, 1, 1, 1)};

__kernel void lk_convolve_constant(__global const float *plane, __global const float4 *unused, int which,
                                   float factor, __global float *result, int2 size) {
  PIXEL(at, size)
  result[at.y * size.x + at.x] = correlate(plane, size, at, factor * kernels[which]);
}

// Ix, Iy and It of a pixel: `factor` scales the first two.
inline float3 derivatives(__global const float *before, __global const float *after, int2 size, int2 at,
                          float factor) {
  float a[4], b[4];
  for (int i = 0; i < 4; i++) {
    const int2 p = at + (int2)(i & 1, i >> 1);
    a[i] = edge(before, size, p);
    b[i] = edge(after, size, p);
  }
  return (float3)(factor * (a[1] - a[0] + a[3] - a[2]), factor * (a[2] - a[0] + a[3] - a[1]),
                  0.25f * (b[0] - a[0] + b[1] - a[1] + b[2] - a[2] + b[3] - a[3]));
}

// Subtraction and all convolutions at once.
__kernel void lk_merged(__global const float *before, __global const float *after, float factor,
                        __global float *ix, __global float *iy, __global float *it, int2 size) {
  PIXEL(at, size)
  const float3 d = derivatives(before, after, size, at, factor);
  const int i = at.y * size.x + at.x;
  ix[i] = d.x;
  iy[i] = d.y;
  it[i] = d.z;
}

// The window's sums of Ix², IxIy, Iy², IxIt, IyIt, one after the other in `sums`, become a vector and a
// confidence. The rim, where the window does not fit, has none.
inline void finish(const float *sums, int2 at, int2 size, int radius, float alpha, float half_sure,
                   __global float2 *vectors, __global float *confidence) {
  const int i = at.y * size.x + at.x;
  if (any(at < radius) || any(at >= size - radius)) {
    vectors[i] = 0.0f;
    confidence[i] = 0.0f;
    return;
  }
  const float xx = sums[0] + alpha, xy = sums[1], yy = sums[2] + alpha;
  const float scale = DIVIDE(1.0f, xx * yy - xy * xy);
  vectors[i] = scale * (float2)(xy * sums[4] - yy * sums[3], xy * sums[3] - xx * sums[4]);
  const int side = 2 * radius + 1;
  const float least = least_eigenvalue(sums[0], xy, sums[2]) / (side * side);
  confidence[i] = DIVIDE(least, least + half_sure);
}

#define ADD_PRODUCTS(sums, sign, d)                                                               \
  sums[0] += sign (d).x * (d).x;                                                                  \
  sums[1] += sign (d).x * (d).y;                                                                  \
  sums[2] += sign (d).y * (d).y;                                                                  \
  sums[3] += sign (d).x * (d).z;                                                                  \
  sums[4] += sign (d).y * (d).z;

__kernel void lk_solve_global(__global const float *ix, __global const float *iy, __global const float *it,
                              int2 size, int radius, float alpha, float half_sure, __global float2 *vectors,
                              __global float *confidence, __local float4 *unused) {
  PIXEL(at, size)
  float sums[5] = {0.0f, 0.0f, 0.0f, 0.0f, 0.0f};
  for (int y = max(at.y - radius, 0); y <= min(at.y + radius, size.y - 1); y++)
    for (int x = max(at.x - radius, 0); x <= min(at.x + radius, size.x - 1); x++) {
      const int i = y * size.x + x;
      const float3 d = (float3)(ix[i], iy[i], it[i]);
      ADD_PRODUCTS(sums, +, d)
    }
  finish(sums, at, size, radius, alpha, half_sure, vectors, confidence);
}

// `tile`: (group + 2 radius)² of Ix, Iy, It.
__kernel void lk_solve_local(__global const float *ix, __global const float *iy, __global const float *it,
                             int2 size, int radius, float alpha, float half_sure, __global float2 *vectors,
                             __global float *confidence, __local float4 *tile) {
  const int2 group = (int2)(get_local_size(0), get_local_size(1)), side = group + 2 * radius;
  const int2 item = (int2)(get_local_id(0), get_local_id(1));
  const int2 first = (int2)(get_group_id(0), get_group_id(1)) * group - radius;
  for (int y = item.y; y < side.y; y += group.y)
    for (int x = item.x; x < side.x; x += group.x) {
      const int2 at = clamp(first + (int2)(x, y), 0, size - 1);
      const int i = at.y * size.x + at.x;
      tile[y * side.x + x] = (float4)(ix[i], iy[i], it[i], 0.0f);
    }
  barrier(CLK_LOCAL_MEM_FENCE);
  float sums[5] = {0.0f, 0.0f, 0.0f, 0.0f, 0.0f};
  for (int y = 0; y <= 2 * radius; y++)
    for (int x = 0; x <= 2 * radius; x++) {
      const float4 d = tile[(item.y + y) * side.x + item.x + x];
      ADD_PRODUCTS(sums, +, d)
    }
  const int2 at = first + radius + item;
  if (all(at < size)) finish(sums, at, size, radius, alpha, half_sure, vectors, confidence);
}

// Ours: sums that run along y and along x, at a cost that does not depend on the window. They are of whole
// numbers, so that what comes in at one end leaves nothing behind when it goes out at the other: of
// 12 Ix, 12 Iy and 12 It with all derivatives scaled by 1/4.

inline int whole(float grey) { return convert_int_rte(3.0f * grey); }

inline int3 whole_derivatives(int2 p, int2 q, int2 r, int2 s) {
  return (int3)(q.x - p.x + s.x - r.x, r.x - p.x + s.x - q.x, p.y - p.x + q.y - q.x + r.y - r.x + s.y - s.x);
}

inline void finish_whole(const long *whole_sums, int2 at, int2 size, int radius, float factor, float alpha,
                         float half_sure, __global float2 *vectors, __global float *confidence) {
  const float slope = factor / 3.0f, time = slope / 12.0f;
  float sums[5];
  for (int i = 0; i < 5; i++) sums[i] = (i < 3 ? slope * slope : time) * (float)whole_sums[i];
  finish(sums, at, size, radius, alpha, half_sure, vectors, confidence);
}

inline int2 greys_at(__global const float *before, __global const float *after, int2 size, int2 at) {
  return (int2)(whole(edge(before, size, at)), whole(edge(after, size, at)));
}

inline int3 frame_derivatives(__global const float *before, __global const float *after, int2 size, int2 at) {
  return whole_derivatives(greys_at(before, after, size, at), greys_at(before, after, size, at + (int2)(1, 0)),
                           greys_at(before, after, size, at + (int2)(0, 1)),
                           greys_at(before, after, size, at + (int2)(1, 1)));
}

// In two kernels. First each item goes down a stretch of a column. Column sums are (xx, xy, yy, xt), (yt).
__kernel void lk_columns(__global const float *before, __global const float *after, int2 size, int radius,
                         int stretch, __global int4 *columns4, __global int *columns1) {
  const int x = get_global_id(0), first = get_global_id(1) * stretch;
  if (x >= size.x || first >= size.y) return;
  int sums[5] = {0, 0, 0, 0, 0};
  for (int y = first - radius; y < first + radius; y++) {
    const int3 d = frame_derivatives(before, after, size, (int2)(x, y));
    ADD_PRODUCTS(sums, +, d)
  }
  for (int y = first; y < min(first + stretch, size.y); y++) {
    const int3 in = frame_derivatives(before, after, size, (int2)(x, y + radius));
    ADD_PRODUCTS(sums, +, in)
    const int i = y * size.x + x;
    columns4[i] = (int4)(sums[0], sums[1], sums[2], sums[3]);
    columns1[i] = sums[4];
    const int3 out = frame_derivatives(before, after, size, (int2)(x, y - radius));
    ADD_PRODUCTS(sums, -, out)
  }
}

// Then along x, and the solve.
__kernel void lk_rows(__global const int4 *columns4, __global const int *columns1, int2 size, int radius,
                      float factor, float alpha, float half_sure, int stretch, __global float2 *vectors,
                      __global float *confidence) {
  const int y = get_global_id(0), first = get_global_id(1) * stretch;
  if (y >= size.y || first >= size.x) return;
  long4 sum4 = 0;
  long sum1 = 0;
  for (int x = first - radius; x < first + radius; x++) {
    const int i = y * size.x + clamp(x, 0, size.x - 1);
    sum4 += convert_long4(columns4[i]);
    sum1 += columns1[i];
  }
  for (int x = first; x < min(first + stretch, size.x); x++) {
    const int in = y * size.x + min(x + radius, size.x - 1), out = y * size.x + max(x - radius, 0);
    sum4 += convert_long4(columns4[in]);
    sum1 += columns1[in];
    const long sums[5] = {sum4.x, sum4.y, sum4.z, sum4.w, sum1};
    finish_whole(sums, (int2)(x, y), size, radius, factor, alpha, half_sure, vectors, confidence);
    sum4 -= convert_long4(columns4[out]);
    sum1 -= columns1[out];
  }
}

// In one kernel, for GPUs: a group keeps its greys and the sums along y in local memory; an item owns
// `rows` pixels one below the other, in both passes. `greys`: (older, newer) of the tile with the window and
// one more column and row.
__kernel void lk_fused(__global const float *before, __global const float *after, int2 size, int radius,
                       float factor, float alpha, float half_sure, int rows, __global float2 *vectors,
                       __global float *confidence, __local int2 *greys, __local int4 *strip4,
                       __local int *strip1) {
  const int2 group = (int2)(get_local_size(0), get_local_size(1));
  const int2 tile = (int2)(group.x, group.y * rows), item = (int2)(get_local_id(0), get_local_id(1));
  const int2 first = (int2)(get_group_id(0), get_group_id(1)) * tile - radius;
  const int wide = tile.x + 2 * radius, pitch = wide + 1;
  for (int y = item.y; y <= tile.y + 2 * radius; y += group.y)
    for (int x = item.x; x < pitch; x += group.x)
      greys[y * pitch + x] = greys_at(before, after, size, first + (int2)(x, y));
  barrier(CLK_LOCAL_MEM_FENCE);
#define TILE_DERIVATIVES(x, y)                                                                    \
  whole_derivatives(greys[(y) * pitch + (x)], greys[(y) * pitch + (x) + 1],                       \
                    greys[((y) + 1) * pitch + (x)], greys[((y) + 1) * pitch + (x) + 1])
  for (int x = item.x; x < wide; x += group.x) {
    int sums[5] = {0, 0, 0, 0, 0};
    const int top = item.y * rows;
    for (int y = top; y < top + 2 * radius; y++) {
      const int3 d = TILE_DERIVATIVES(x, y);
      ADD_PRODUCTS(sums, +, d)
    }
    for (int y = top; y < top + rows; y++) {
      const int3 in = TILE_DERIVATIVES(x, y + 2 * radius);
      ADD_PRODUCTS(sums, +, in)
      strip4[y * wide + x] = (int4)(sums[0], sums[1], sums[2], sums[3]);
      strip1[y * wide + x] = sums[4];
      const int3 out = TILE_DERIVATIVES(x, y);
      ADD_PRODUCTS(sums, -, out)
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int y = item.y * rows; y < (item.y + 1) * rows; y++) {
    long sums[5] = {0, 0, 0, 0, 0};
    for (int x = item.x; x <= item.x + 2 * radius; x++) {
      const int4 column = strip4[y * wide + x];
      sums[0] += column.x;
      sums[1] += column.y;
      sums[2] += column.z;
      sums[3] += column.w;
      sums[4] += strip1[y * wide + x];
    }
    const int2 at = first + radius + (int2)(item.x, y);
    if (all(at < size))
      finish_whole(sums, at, size, radius, factor, alpha, half_sure, vectors, confidence);
  }
}
