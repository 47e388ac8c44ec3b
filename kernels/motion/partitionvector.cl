// SPDX-License-Identifier: LGPL-2.1-or-later
// Full search of all partitions on CPUs, as in vector.cl: a work-item has the four macroblocks of a
// strip. In vectors of eight, element i belongs to half i % 2 of macroblock i / 2.
#include "common/absdiff.clh"
#include "motion/limit.clh"
#include "motion/cost.clh"
#include "motion/line.clh"
#include "motion/partitions.clh"
#include "motion/plane.clh"

#define B 16

// The keys of the four macroblocks.
typedef struct {
  ulong8 p4x4[4][2], p8x4[4], p4x8[2][2], p8x8[2], p8x16;
  ulong4 p16x8[2], p16x16;
} Keys;

#define LEAST(key, sum) key = min(key, ((sum) << 32) + rest)

__kernel void motion_partitions_vector(__global const uchar *current,
                                       __global const uchar *reference, int pitch, int2 first,
                                       int2 count, int lambda, __global ulong *keys, int columns,
                                       int rows LIMIT_ARGUMENT) {
  const int x0 = (int)get_global_id(0) * STRIP, row = get_global_id(1);
  if (x0 >= columns * B || row >= rows) return;
  KEEP_WITHIN_LIMIT(first, count, x0 / STRIP, row);
  ulong8 own[B];
#pragma unroll
  for (int r = 0; r < B; r++) own[r] = load_line(current + AT(x0, row * B + r, pitch));

  Keys least;
  for (int i = 0; i < sizeof(Keys) / sizeof(ulong); i++) ((ulong *)&least)[i] = ULONG_MAX;
  for (int y = first.y; y < first.y + count.y; y++) {
    const uint bits = component_bits(4 * y);
    for (int x = first.x; x < first.x + count.x; x++) {
      __global const uchar *from = reference + AT(x0 + x, row * B + y, pitch);
      const ulong rest = key_of(lambda * (bits + component_bits(4 * x)), pack_vector(4 * x, 4 * y));
      ulong8 cell[4][2], wide[4];
#pragma unroll
      for (int j = 0; j < 4; j++) {
        cell[j][0] = wide[j] = 0;
#pragma unroll
        for (int r = 4 * j; r < 4 * j + 4; r++) {
          const ulong8 line = load_line(from + r * pitch);
          wide[j] += sad8(own[r], line);
          cell[j][0] += sad8(own[r] & 0xffffffffUL, line & 0xffffffffUL);
        }
        cell[j][1] = wide[j] - cell[j][0];
        LEAST(least.p4x4[j][0], cell[j][0]);
        LEAST(least.p4x4[j][1], cell[j][1]);
        LEAST(least.p8x4[j], wide[j]);
      }
      ulong8 quarter[2];
#pragma unroll
      for (int j = 0; j < 2; j++) {
        LEAST(least.p4x8[j][0], cell[2 * j][0] + cell[2 * j + 1][0]);
        LEAST(least.p4x8[j][1], cell[2 * j][1] + cell[2 * j + 1][1]);
        quarter[j] = wide[2 * j] + wide[2 * j + 1];
        LEAST(least.p8x8[j], quarter[j]);
        LEAST(least.p16x8[j], quarter[j].even + quarter[j].odd);
      }
      const ulong8 high = quarter[0] + quarter[1];
      LEAST(least.p8x16, high);
      LEAST(least.p16x16, high.even + high.odd);
    }
  }

  for (int m = 0; m < STRIP / B && x0 / B + m < columns; m++) {
    __global ulong *out = keys + (row * columns + x0 / B + m) * PARTITIONS;
    // A cost above 65535 is ignored: see partitiontile.cl.
    const ulong all = ((const ulong *)&least.p16x16)[m];
    out[P16X16] = all >> 48 ? ULONG_MAX : all;
    for (int j = 0; j < 2; j++) {
      out[P16X8 + j] = ((const ulong *)&least.p16x8[j])[m];
      out[P8X16 + j] = ((const ulong *)&least.p8x16)[2 * m + j];
    }
    for (int j = 0; j < 4; j++)
      for (int i = 0; i < 2; i++) {
        const int side = 2 * m + i;
        out[P8X4 + 2 * j + i] = ((const ulong *)&least.p8x4[j])[side];
        if (j < 2) out[P8X8 + 2 * j + i] = ((const ulong *)&least.p8x8[j])[side];
        for (int k = 0; k < 2; k++) {
          out[P4X4 + 4 * j + 2 * i + k] = ((const ulong *)&least.p4x4[j][k])[side];
          if (j < 2) out[P4X8 + 4 * j + 2 * i + k] = ((const ulong *)&least.p4x8[j][k])[side];
        }
      }
  }
}
