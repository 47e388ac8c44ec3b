// SPDX-License-Identifier: LGPL-2.1-or-later
// The half-pixel planes of a luma plane by the six-tap filter of H.264 (ITU-T H.264, 8.4.2.2.1).
// Plane b lies between a pixel and its right neighbour, h between it and the pixel below, j between
// all four. -DV=n: pixels of a work-item along x, 4 for GPUs, 16 for CPUs.
#include "common/dot.clh"
#include "common/pack.clh"
#include "motion/interface.h"
#include "motion/plane.clh"

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)

#define SIX_TAPS(a, b, c, d, e, f) ((a) + (f)-5 * ((b) + (e)) + 20 * ((c) + (d)))

// V pixels of a row: filtered along x with 16 added for rounding, and unfiltered.
#if V == 4
typedef struct {
  int4 wide;
  uint2 own;  // two pixels per word, 16 bits each: 0 and 2, 1 and 3
} Row;

inline Row row_at(__global const uchar *p) {
  __global const uint *words = (__global const uint *)p;
  const uint left = words[-1], own = words[0], right = words[1];
  const ulong before = (ulong)own << 32 | left, after = (ulong)right << 32 | own;
  const uint from[] = {before >> 16, before >> 24, own,   after >> 8,
                       after >> 16,  after >> 24,  right, right >> 8};
  int wide[4];
#pragma unroll
  for (int i = 0; i < 4; i++)  // the taps 1, -5, 20, 20, -5, 1 as bytes, lowest first
    wide[i] = dot4_add(from[i], 0x1414fb01, dot4_add(from[i + 4], 0x000001fb, 16));
  const Row row = {vload4(0, wide), (uint2)(own, own >> 8) & 0x00ff00ff};
  return row;
}

inline void store(int4 levels, __global uchar *p) { *(__global uint *)p = pack4_sat(levels); }

// The six taps along y, with 16 added. An offset keeps the sums of a word's halves positive, so
// that they do not borrow.
inline int4 six_taps_along_y(const Row *rows, int r) {
  const uint2 sums = SIX_TAPS(rows[(r + 1) % 6].own, rows[(r + 2) % 6].own, rows[(r + 3) % 6].own,
                              rows[(r + 4) % 6].own, rows[(r + 5) % 6].own, rows[r % 6].own) +
                     0x10001 * (2560 + 16);
  return (int4)(sums.x & 0xffff, sums.y & 0xffff, sums.x >> 16, sums.y >> 16) - 2560;
}
#else
#define INTS JOIN(int, V)
typedef struct {
  INTS wide, own;
} Row;
#define LOAD(p) JOIN(convert_int, V)(JOIN(vload, V)(0, p))

inline Row row_at(__global const uchar *p) {
  const Row row = {
      SIX_TAPS(LOAD(p - 2), LOAD(p - 1), LOAD(p), LOAD(p + 1), LOAD(p + 2), LOAD(p + 3)) + 16,
      LOAD(p)};
  return row;
}

inline void store(INTS levels, __global uchar *p) {
  JOIN(vstore, V)(JOIN(JOIN(convert_uchar, V), _sat)(levels), 0, p);
}

inline INTS six_taps_along_y(const Row *rows, int r) {
  return SIX_TAPS(rows[(r + 1) % 6].own, rows[(r + 2) % 6].own, rows[(r + 3) % 6].own,
                  rows[(r + 4) % 6].own, rows[(r + 5) % 6].own, rows[r % 6].own) +
         16;
}
#endif

// `halves` gets planes b, h, j one after another, `bytes` each. Pixels closer than `edge`, a
// multiple of 16, to the outer edge of the padding are not written. A work-item has V ×
// HALF_PLANE_ROWS pixels.
__kernel void motion_half_planes(__global const uchar *plane, __global uchar *halves, int pitch,
                                 int rows, int bytes, int edge) {
  const int x = (int)get_global_id(0) * V + edge,
            top = (int)get_global_id(1) * HALF_PLANE_ROWS + edge;
  if (x >= pitch - edge || top >= rows - edge) return;
  Row six[6];
#pragma unroll
  for (int r = 0; r < HALF_PLANE_ROWS + 5; r++) {
    six[r % 6] = row_at(plane + min(top + r - 2, rows - 1) * pitch + x);
    if (r >= 5 && top + r - 5 < rows - edge) {
      __global uchar *out = halves + (top + r - 5) * pitch + x;
      store(six[(r + 3) % 6].wide >> 5, out);
      store(six_taps_along_y(six, r) >> 5, out + bytes);
      // The 16 in each of six rows become the 512 that rounds.
      store(SIX_TAPS(six[(r + 1) % 6].wide, six[(r + 2) % 6].wide, six[(r + 3) % 6].wide,
                     six[(r + 4) % 6].wide, six[(r + 5) % 6].wide, six[r % 6].wide) >>
                10,
            out + 2 * bytes);
    }
  }
}
