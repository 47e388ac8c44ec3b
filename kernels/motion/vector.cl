// SPDX-License-Identifier: LGPL-2.1-or-later
// Full search on CPUs: explicit vectors, unaligned reads, no local memory and no barriers. A
// work-item searches the blocks of a strip, STRIP × B pixels, in raster order of the candidates.
// Build with -DB=4, 8, 16 or 32 (block size).
#include "common/absdiff.clh"
#include "motion/cost.clh"
#include "motion/limit.clh"
#include "motion/line.clh"
#include "motion/plane.clh"

#if B == 4
#define KEYS ulong8  // of the left and of the right half of each ulong
#elif B == 8
#define KEYS ulong8
#define SUMS(s) (s)
#define STORE(keys, p) vstore8(keys, 0, p)
#elif B == 16
#define KEYS ulong4
#define SUMS(s) ((s).even + (s).odd)
#define STORE(keys, p) vstore4(keys, 0, p)
#else
#define KEYS ulong2
#define SUMS(s) ((s).s04 + (s).s15 + (s).s26 + (s).s37)
#define STORE(keys, p) vstore2(keys, 0, p)
#endif

// As motion_search_tile. A work-item per strip.
__kernel void motion_search_vector(__global const uchar *current, __global const uchar *reference,
                                   int pitch, int2 first, int2 count, int lambda,
                                   __global ulong *keys, int columns, int rows LIMIT_ARGUMENT) {
  const int x0 = (int)get_global_id(0) * STRIP, row = get_global_id(1);
  if (x0 >= columns * B || row >= rows) return;
  KEEP_WITHIN_LIMIT(first, count, x0 / STRIP, row);
  ulong8 own[B];
#pragma unroll
  for (int r = 0; r < B; r++) own[r] = load_line(current + AT(x0, row * B + r, pitch));

  KEYS least = ULONG_MAX;
#if B == 4
  KEYS least_right = ULONG_MAX;
#endif
  for (int y = first.y; y < first.y + count.y; y++) {
    const uint bits = component_bits(4 * y);
    for (int x = first.x; x < first.x + count.x; x++) {
      __global const uchar *from = reference + AT(x0 + x, row * B + y, pitch);
      const ulong rest = key_of(lambda * (bits + component_bits(4 * x)), pack_vector(4 * x, 4 * y));
      ulong8 sum = 0;
#if B == 4
      ulong8 left = 0;
#endif
#pragma unroll
      for (int r = 0; r < B; r++) {
        const ulong8 line = load_line(from + r * pitch);
        sum += sad8(own[r], line);
#if B == 4
        left += sad8(own[r] & 0xffffffffUL, line & 0xffffffffUL);
#endif
      }
#if B == 4
      least = min(least, (left << 32) + rest);
      least_right = min(least_right, (sum - left << 32) + rest);
#else
      least = min(least, (SUMS(sum) << 32) + rest);
#endif
    }
  }

  ulong all[STRIP / B];
#if B == 4
  vstore8((ulong8)(least.s0, least_right.s0, least.s1, least_right.s1, least.s2, least_right.s2,
                   least.s3, least_right.s3),
          0, all);
  vstore8((ulong8)(least.s4, least_right.s4, least.s5, least_right.s5, least.s6, least_right.s6,
                   least.s7, least_right.s7),
          1, all);
#else
  STORE(least, all);
#endif
  for (int i = 0; i < STRIP / B && x0 / B + i < columns; i++)
    keys[row * columns + x0 / B + i] = all[i];
}
