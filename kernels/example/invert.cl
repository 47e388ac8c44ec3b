// SPDX-License-Identifier: LGPL-2.1-or-later
// Inverts R, G and B of an RGBA frame and keeps alpha.
#include "common/pixel.clh"

__kernel void invert_image(__read_only image2d_t in, __write_only image2d_t out) {
  const int2 at = (int2)(get_global_id(0), get_global_id(1));
  if (any(at >= get_image_dim(in))) return;
  const float4 colour = read_imagef(in, pixel_sampler, at);
  write_imagef(out, at, (float4)(1.0f - colour.xyz, colour.w));
}

__kernel void invert_buffer(__global const uchar4 *in, int in_pitch, __global uchar4 *out,
                            int out_pitch, int width, int height) {
  const int x = get_global_id(0), y = get_global_id(1);
  if (x >= width || y >= height) return;
  out[y * out_pitch + x] = in[y * in_pitch + x] ^ (uchar4)(255, 255, 255, 0);
}
