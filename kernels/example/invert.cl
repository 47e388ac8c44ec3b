// SPDX-License-Identifier: LGPL-2.1-or-later
// Mixes a picture with its negative; alpha is kept. strength: 0 nothing, 1 the negative.
#include "common/pixel.clh"

float4 inverted(float4 colour, float strength) {
  return (float4)(mix(colour.xyz, 1.0f - colour.xyz, strength), colour.w);
}

__kernel void invert_image(__read_only image2d_t in, __write_only image2d_t out, float strength) {
  const int2 at = (int2)(get_global_id(0), get_global_id(1));
  if (any(at >= get_image_dim(in))) return;
  write_imagef(out, at, inverted(read_imagef(in, pixel_sampler, at), strength));
}

__kernel void invert_buffer(__global const uchar4 *in, int in_pitch, __global uchar4 *out,
                            int out_pitch, int width, int height, float strength) {
  const int x = get_global_id(0), y = get_global_id(1);
  if (x >= width || y >= height) return;
  const float4 colour = convert_float4(in[y * in_pitch + x]) / 255.0f;
  out[y * out_pitch + x] = convert_uchar4_sat_rte(inverted(colour, strength) * 255.0f);
}
