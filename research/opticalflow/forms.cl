// SPDX-License-Identifier: LGPL-2.1-or-later
// Lucas and Kanade's method in the steps of Johansson and Winter's thesis (Chalmers, 2010). Frames
// are rows of R, G and B bytes, `pitch` bytes apart; planes are float, `size.x` apart. The frame's
// edge repeats.
//   -DNATIVE  fast, less exact reciprocals, roots and quotients, also for the colours
//   -DIMAGES  derivatives in an image of Ix, Iy and It
#include "common/pixel.clh"
#ifndef NATIVE
#define RECIPROCAL(x) (1.0f / (x))
#endif
#include "opticalflow/solve.clh"
#include "opticalflow/wheel.clh"

#define PIXEL(at, size)                                       \
  const int2 at = (int2)(get_global_id(0), get_global_id(1)); \
  if (any(at >= (size))) return;

inline float grey_of(uint red, uint green, uint blue) {
  return convert_float(red + green + blue) * RECIPROCAL(3.0f);
}

inline float grey_at(__global const uchar *frame, int pitch, int2 size, int2 at) {
  at = clamp(at, 0, size - 1);
  __global const uchar *rgb = frame + (size_t)at.y * pitch + 3 * at.x;
  return grey_of(rgb[0], rgb[1], rgb[2]);
}

__kernel void lk_grey(__global const uchar *frame, int pitch, int2 size, __global float *grey) {
  PIXEL(at, size)
  grey[at.y * size.x + at.x] = grey_at(frame, pitch, size, at);
}

// The matrix kernel: a + sign b.
__kernel void lk_add(__global const float *a, __global const float *b, float sign,
                     __global float *sum, int count) {
  const int i = get_global_id(0);
  if (i < count) sum[i] = a[i] + sign * b[i];
}

inline float edge(__global const float *plane, int2 size, int2 at) {
  at = clamp(at, 0, size - 1);
  return plane[at.y * size.x + at.x];
}

// Correlation with 2 × 2 coefficients, anchored at the upper left one. With these signs and the
// newer frame less the older one, motion to the right is positive.
inline float correlate(__global const float *plane, int2 size, int2 at, float4 k) {
  return k.x * edge(plane, size, at) + k.y * edge(plane, size, at + (int2)(1, 0)) +
         k.z * edge(plane, size, at + (int2)(0, 1)) + k.w * edge(plane, size, at + (int2)(1, 1));
}

__kernel void lk_convolve_global(__global const float *plane, __global const float4 *coefficients,
                                 int which, float factor, int2 size, __global float *result) {
  PIXEL(at, size)
  result[at.y * size.x + at.x] = correlate(plane, size, at, factor * coefficients[which]);
}

__constant float4 kernels[3] = {(float4)(-1, 1, -1, 1), (float4)(-1, -1, 1, 1),
                                (float4)(1, 1, 1, 1)};

__kernel void lk_convolve_constant(__global const float *plane, __global const float4 *unused,
                                   int which, float factor, int2 size, __global float *result) {
  PIXEL(at, size)
  result[at.y * size.x + at.x] = correlate(plane, size, at, factor * kernels[which]);
}

#ifdef IMAGES
#define DERIVATIVES_OUT __write_only image2d_t derivatives
#define STORE_DERIVATIVES(at, size, d) write_imagef(derivatives, at, (float4)(d, 0.0f));
#else
#define DERIVATIVES_OUT __global float *ix, __global float *iy, __global float *it
#define STORE_DERIVATIVES(at, size, d)        \
  {                                           \
    const int i = (at).y * (size).x + (at).x; \
    ix[i] = (d).x;                            \
    iy[i] = (d).y;                            \
    it[i] = (d).z;                            \
  }
#endif

// Ix, Iy and It from the (older, newer) greys of 2 × 2 pixels; `factor` scales the first two.
inline float3 derivatives_of(float2 p, float2 q, float2 r, float2 s, float factor) {
  return (float3)(factor * (q.x - p.x + s.x - r.x), factor * (r.x - p.x + s.x - q.x),
                  0.25f * (p.y - p.x + q.y - q.x + r.y - r.x + s.y - s.x));
}

// Grey, subtraction and convolutions in one kernel. The group has its greys, one more column and
// one more row in local memory.
__kernel void lk_merged(__global const uchar *before, __global const uchar *after, int pitch,
                        int2 size, float factor, __local float2 *greys, DERIVATIVES_OUT) {
  const int2 group = (int2)(get_local_size(0), get_local_size(1));
  const int2 item = (int2)(get_local_id(0), get_local_id(1));
  const int2 first = (int2)(get_group_id(0), get_group_id(1)) * group, at = first + item;
  const int wide = group.x + 1;
  for (int y = item.y; y <= group.y; y += group.y)
    for (int x = item.x; x < wide; x += group.x) {
      const int2 from = first + (int2)(x, y);
      greys[y * wide + x] =
          (float2)(grey_at(before, pitch, size, from), grey_at(after, pitch, size, from));
    }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (any(at >= size)) return;
  const int i = item.y * wide + item.x;
  const float3 d =
      derivatives_of(greys[i], greys[i + 1], greys[i + wide], greys[i + wide + 1], factor);
  STORE_DERIVATIVES(at, size, d)
}

// The same with reads of four bytes, aligned to segments of 64. The group loads `padding` pixels
// more per row than it has items, as words, and extracts its greys.
__kernel void lk_merged_padded(__global const uint *before, __global const uint *after, int pitch,
                               int2 size, float factor, int padding, __local uint *words,
                               DERIVATIVES_OUT) {
  const int2 group = (int2)(get_local_size(0), get_local_size(1));
  const int2 item = (int2)(get_local_id(0), get_local_id(1));
  const int2 first = (int2)(get_group_id(0), get_group_id(1)) * group, at = first + item;
  const int wide = (group.x + padding) * 3 / 4, plane = (group.y + 1) * wide;
  const int left = first.x * 3 / 4, right = pitch / 4 - 1;
  for (int y = item.y; y <= group.y; y += group.y)
    for (int x = item.x; x < wide; x += group.x) {
      const size_t from = (size_t)min(first.y + y, size.y - 1) * (pitch / 4) + min(left + x, right);
      words[y * wide + x] = before[from];
      words[plane + y * wide + x] = after[from];
    }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (any(at >= size)) return;
  float2 greys[4];
  for (int i = 0; i < 4; i++) {
    const int x = min(at.x + (i & 1), size.x - 1) - first.x;
    __local const uchar *b = (__local const uchar *)(words + (item.y + (i >> 1)) * wide) + 3 * x;
    __local const uchar *a = b + 4 * plane;
    greys[i] = (float2)(grey_of(b[0], b[1], b[2]), grey_of(a[0], a[1], a[2]));
  }
  const float3 d = derivatives_of(greys[0], greys[1], greys[2], greys[3], factor);
  STORE_DERIVATIVES(at, size, d)
}

#define ADD_PRODUCTS(sums, d) \
  sums[0] += (d).x * (d).x;   \
  sums[1] += (d).x * (d).y;   \
  sums[2] += (d).y * (d).y;   \
  sums[3] += (d).x * (d).z;   \
  sums[4] += (d).y * (d).z;

#define SOLUTION                                                                       \
  int2 size, int radius, float alpha, float half_confidence, __global float2 *vectors, \
      __global float *confidence

inline void solve(const float *sums, int2 at, SOLUTION) {
  const float3 v = on_rim(at, size, radius) ? (float3)(0.0f, 0.0f, 0.0f)
                                            : solution(sums[0], sums[1], sums[2], sums[3], sums[4],
                                                       alpha, half_confidence);
  vectors[at.y * size.x + at.x] = v.xy;
  confidence[at.y * size.x + at.x] = v.z;
}

#ifdef IMAGES

// Least squares with a sampler.
__kernel void lk_solve_image(__read_only image2d_t derivatives, SOLUTION) {
  PIXEL(at, size)
  float sums[5] = {0.0f, 0.0f, 0.0f, 0.0f, 0.0f};
  for (int y = -radius; y <= radius; y++)
    for (int x = -radius; x <= radius; x++) {
      const float4 d = read_imagef(derivatives, pixel_sampler, at + (int2)(x, y));
      ADD_PRODUCTS(sums, d)
    }
  solve(sums, at, size, radius, alpha, half_confidence, vectors, confidence);
}

#else

__kernel void lk_solve_global(__global const float *ix, __global const float *iy,
                              __global const float *it, SOLUTION, __local float4 *unused) {
  PIXEL(at, size)
  float sums[5] = {0.0f, 0.0f, 0.0f, 0.0f, 0.0f};
  for (int y = max(at.y - radius, 0); y <= min(at.y + radius, size.y - 1); y++)
    for (int x = max(at.x - radius, 0); x <= min(at.x + radius, size.x - 1); x++) {
      const int i = y * size.x + x;
      const float3 d = (float3)(ix[i], iy[i], it[i]);
      ADD_PRODUCTS(sums, d)
    }
  solve(sums, at, size, radius, alpha, half_confidence, vectors, confidence);
}

// The same with a tile in local memory, which has (Ix, Iy, It, 0) of the group's pixels and their
// windows.
__kernel void lk_solve_local(__global const float *ix, __global const float *iy,
                             __global const float *it, SOLUTION, __local float4 *tile) {
  const int2 group = (int2)(get_local_size(0), get_local_size(1));
  const int2 item = (int2)(get_local_id(0), get_local_id(1)), side = group + 2 * radius;
  const int2 first = (int2)(get_group_id(0), get_group_id(1)) * group - radius;
  for (int y = item.y; y < side.y; y += group.y)
    for (int x = item.x; x < side.x; x += group.x) {
      const int2 at = clamp(first + (int2)(x, y), 0, size - 1);
      const int i = at.y * size.x + at.x;
      tile[y * side.x + x] = (float4)(ix[i], iy[i], it[i], 0.0f);
    }
  barrier(CLK_LOCAL_MEM_FENCE);
  const int2 at = first + radius + item;
  if (any(at >= size)) return;
  float sums[5] = {0.0f, 0.0f, 0.0f, 0.0f, 0.0f};
  for (int y = 0; y <= 2 * radius; y++)
    for (int x = 0; x <= 2 * radius; x++) {
      const float4 d = tile[(item.y + y) * side.x + item.x + x];
      ADD_PRODUCTS(sums, d)
    }
  solve(sums, at, size, radius, alpha, half_confidence, vectors, confidence);
}

#endif

#ifdef NATIVE
// The angle of a non-zero vector. No device has a native arc tangent; the error of this polynomial
// is at most 4e-5.
inline float native_atan2(float y, float x) {
  const float wide = fmax(fabs(x), fabs(y)), t = native_divide(fmin(fabs(x), fabs(y)), wide),
              s = t * t;
  const float octant =
      t * (0.999965f + s * (-0.331545f + s * (0.184464f + s * (-0.090752f + s * 0.023286f))));
  const float quadrant = fabs(y) > fabs(x) ? M_PI_2_F - octant : octant;
  return copysign(x < 0.0f ? M_PI_F - quadrant : quadrant, y);
}

// The colours of wheel().
inline float3 native_wheel(float2 vector, float gain) {
  const float speed = native_sqrt(dot(vector, vector));
  const float turn = speed > 0.0f ? native_atan2(vector.y, vector.x) * (0.5f / M_PI_F) : 0.0f;
  const float3 hue = turn + (float3)(0.0f, 2.0f / 3.0f, 1.0f / 3.0f);
  const float3 part = 6.0f * (hue - floor(hue));
  return fmin(native_divide(speed, gain), 1.0f) * clamp(fabs(part - 3.0f) - 1.0f, 0.0f, 1.0f);
}
#define WHEEL native_wheel
#else
#define WHEEL wheel
#endif

// Direction as hue, speed as brightness, full at `gain` px per frame.
inline uchar3 colour_of(__global const float2 *vectors, int2 size, int2 at, float gain) {
  return convert_uchar3_sat_rte(255.0f * WHEEL(vectors[at.y * size.x + at.x], gain));
}

__kernel void lk_visualize(__global const float2 *vectors, int2 size, float gain,
                           __global uchar *picture, int pitch, __local uint *unused) {
  PIXEL(at, size)
  vstore3(colour_of(vectors, size, at, gain), 0, picture + (size_t)at.y * pitch + 3 * at.x);
}

// The same with writes of four bytes.
__kernel void lk_visualize_padded(__global const float2 *vectors, int2 size, float gain,
                                  __global uint *picture, int pitch, __local uint *words) {
  const int2 group = (int2)(get_local_size(0), get_local_size(1));
  const int2 item = (int2)(get_local_id(0), get_local_id(1));
  const int2 at = (int2)(get_global_id(0), get_global_id(1));
  const int wide = group.x * 3 / 4;
  const uchar3 colour = all(at < size) ? colour_of(vectors, size, at, gain) : (uchar3)(0, 0, 0);
  __local uint *row = words + item.y * wide;
  vstore3(colour, item.x, (__local uchar *)row);
  barrier(CLK_LOCAL_MEM_FENCE);
  const int word = get_group_id(0) * wide + item.x;
  if (at.y < size.y && item.x < wide && 4 * word < pitch)
    picture[(size_t)at.y * (pitch / 4) + word] = row[item.x];
}
