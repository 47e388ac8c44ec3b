// SPDX-License-Identifier: LGPL-2.1-or-later
// Reads of single values in different orders, from buffers and from images that hold the same.
// Build with -DTYPE=… (uchar4, int or float), -DSUM=… (uint4, int or float), and IMAGE where `in`
// is one; ROWS: work-items are given in two dimensions.
#ifdef IMAGE
#define IN __read_only image2d_t in
__constant sampler_t nearest =
    CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
#define READ(x, y) FROM(in, nearest, (int2)(x, y))
#else
#define IN __global const TYPE *in
#define READ(x, y) TO(in[(y)*width + (x)])
#endif

#ifdef ROWS
#define PLACE const int x = get_global_id(0), y = get_global_id(1)
#else
#define PLACE const int x = get_global_id(0) % width, y = get_global_id(0) / width
#endif

// Five taps along y; rows near the edge are 0.
__kernel void taps(IN, __global SUM *out, int width, int height) {
  PLACE;
  SUM sum = (SUM)(0);
  if (y >= 2 && y < height - 2)
    for (int k = -2; k <= 2; k++)
      sum += READ(x, y + k) * (SUM)(k == 0 ? 4 : k == 1 || k == -1 ? 2 : 1);
  out[y * width + x] = sum;
}

// Each value once: side by side, or neighbours one below the other.
__kernel void turned(IN, __global SUM *out, int width, int height) {
  PLACE;
#ifdef DOWN
  const int i = y * width + x;
  out[i] = READ(i / height, i % height);
#else
  out[y * width + x] = READ(x, y);
#endif
}
