// SPDX-License-Identifier: LGPL-2.1-or-later
// Input: a frame. Output: a padded plane of its luma in levels, and planes of half the size. For
// RGBA the luma is round(0.30 R + 0.59 G + 0.11 B).
#include "common/luma.clh"
#include "motion/plane.clh"

// `width`, `height`: size of the frame, whose edge repeats in the padding. A work-item has 16
// pixels of a padded row, or 4 for images.
#ifdef BUFFERS
#ifndef HAS_LUMA
#define PIXEL uint
#define PIXELS uint16
#elif VALUE_MAX > 255
#define PIXEL ushort
#define PIXELS ushort16
#else
#define PIXEL uchar
#define PIXELS uchar16
#endif

inline uchar16 luma_of(PIXELS pixels) {
#ifdef HAS_LUMA
  return convert_uchar16_rte(LEVEL_OF_CODE(convert_float16(pixels)));
#else
  return convert_uchar16(
      (30 * (pixels & 255) + 59 * (pixels >> 8 & 255) + 11 * (pixels >> 16 & 255) + 50) / 100);
#endif
}

__kernel void motion_luma(IN_LUMA(in), int width, int height, __global uchar *plane, int pitch,
                          int rows) {
  const int x = (int)get_global_id(0) * 16 - PAD, y = (int)get_global_id(1) - PAD;
  if (x + PAD >= pitch || y + PAD >= rows) return;
  __global const PIXEL *row =
      (__global const PIXEL *)in + (size_t)clamp(y, 0, height - 1) * in_pitch;
  PIXELS pixels;
  if (x >= 0 && x + 16 <= width) {
    pixels = vload16(0, row + x);
  } else {
    PIXEL lanes[16];
    for (int i = 0; i < 16; i++) lanes[i] = row[clamp(x + i, 0, width - 1)];
    pixels = vload16(0, lanes);
  }
  vstore16(luma_of(pixels), 0, plane + AT(x, y, pitch));
}
#else
__kernel void motion_luma(IN_LUMA(in), int width, int height, __global uchar4 *plane, int pitch,
                          int rows) {
  const int x = (int)get_global_id(0) * 4, y = get_global_id(1);
  if (x >= pitch || y >= rows) return;
#ifdef HAS_LUMA
  float level[4];
  for (int i = 0; i < 4; i++) level[i] = LOAD_LEVEL(in, x + i - PAD, y - PAD);
  plane[(y * pitch + x) / 4] = convert_uchar4_rte((float4)(level[0], level[1], level[2], level[3]));
#else
  uint4 pixel[4];
  for (int i = 0; i < 4; i++)
    pixel[i] = convert_uint4_rte(255.0f * read_imagef(in, pixel_sampler, (int2)(x + i, y) - PAD));
  const uint4 r = (uint4)(pixel[0].x, pixel[1].x, pixel[2].x, pixel[3].x);
  const uint4 g = (uint4)(pixel[0].y, pixel[1].y, pixel[2].y, pixel[3].y);
  const uint4 b = (uint4)(pixel[0].z, pixel[1].z, pixel[2].z, pixel[3].z);
  plane[(y * pitch + x) / 4] = convert_uchar4((30 * r + 59 * g + 11 * b + 50) / 100);
#endif
}
#endif

// Halves a plane: each pixel is the mean of four, rounded half up. `width`, `height`: size of the
// smaller plane, whose edge repeats. A work-item per pixel of the padded plane.
__kernel void motion_halve(__global const uchar *in, int in_pitch, __global uchar *plane, int pitch,
                           int rows, int width, int height) {
  const int x = (int)get_global_id(0), y = get_global_id(1);
  if (x >= pitch || y >= rows) return;
  const int2 at = 2 * clamp((int2)(x, y) - PAD, (int2)(0), (int2)(width, height) - 1);
  __global const uchar *p = in + AT(at.x, at.y, in_pitch);
  plane[y * pitch + x] = (p[0] + p[1] + p[in_pitch] + p[in_pitch + 1] + 2) / 4;
}
