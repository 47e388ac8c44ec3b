// SPDX-License-Identifier: LGPL-2.1-or-later
// How work-items reach global memory and images. Build with -DTYPE=… (uint, uint2, uint4 or the
// pixels' float4) and -DAT(i,n,w)=…: which of n elements, in rows of w, item i takes.
#include "common/pixel.clh"

#ifdef TYPE
// Every element becomes the last bits of its number.
__kernel void fill(__global TYPE *out, int count, int width) {
  const int i = get_global_id(0);
  if (i < count) out[AT(i, count, width)] = (TYPE)(uint)(AT(i, count, width));
}

// The sums of what items read, 16 elements each.
__kernel void add_up(__global const TYPE *in, __global TYPE *sums, int count, int width) {
  const int i = get_global_id(0), step = get_global_size(0);
  TYPE sum = 0;
  for (int k = 0; k < 16; k++) sum += in[AT(i + k * step, count, width)];
  sums[i] = sum;
}
#endif

// A pixel's column and row, and levels that tell them. DOWN: neighbours lie one below the other.
__kernel void write_image(__write_only image2d_t out) {
  const int a = get_global_id(0), b = get_global_id(1);
  const int2 size = get_image_dim(out);
#ifdef DOWN
  const int2 at = (int2)(b, a);
#else
  const int2 at = (int2)(a, b);
#endif
  if (any(at >= size)) return;
  write_imagef(out, at, (float4)(at.x & 255, at.y & 255, (at.x + at.y) & 255, 255.0f) / 255.0f);
}
