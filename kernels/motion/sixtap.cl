// SPDX-License-Identifier: LGPL-2.1-or-later
// The half-pixel planes of a luma plane by the six-tap filter of H.264 (ITU-T H.264, 8.4.2.2.1):
// b between a pixel and its right neighbour, h between it and the one below, j between all four.
// Build with -DV=4 for GPUs, -DV=16 for CPU devices: pixels of a work-item along x.
#include "motion/plane.clh"

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#define INTS JOIN(int, V)
#define TO_INTS JOIN(convert_int, V)
#define TO_BYTES(v) JOIN(JOIN(convert_uchar, V), _sat)(v)
#define LOAD(p) TO_INTS(JOIN(vload, V)(0, p))
#define STORE(v, p) JOIN(vstore, V)(TO_BYTES(v), 0, p)
#define DEPTH 8  // rows of a work-item

inline INTS six_taps(INTS a, INTS b, INTS c, INTS d, INTS e, INTS f) {
  return a + f - 5 * (b + e) + 20 * (c + d);
}

// Six taps along x at V pixels from p on.
inline INTS along_x(__global const uchar *p) {
#if V == 4
  const int4 left = LOAD(p - 4), own = LOAD(p), right = LOAD(p + 4);
  return six_taps((int4)(left.zw, own.xy), (int4)(left.w, own.xyz), own, (int4)(own.yzw, right.x),
                  (int4)(own.zw, right.xy), (int4)(own.w, right.xyz));
#else
  return six_taps(LOAD(p - 2), LOAD(p - 1), LOAD(p), LOAD(p + 1), LOAD(p + 2), LOAD(p + 3));
#endif
}

// `halves`: planes b, h, j, one after the other, `bytes` each. What lies less than 16 pixels from the
// padding's outer edge is not written. Work-items: V pixels along x, DEPTH rows.
__kernel void motion_half_planes(__global const uchar *plane, __global uchar *halves, int pitch, int rows,
                                 int bytes) {
  const int x = (int)get_global_id(0) * V + 16, top = (int)get_global_id(1) * DEPTH + 16;
  if (x >= pitch - 16 || top >= rows - 16) return;
  INTS wide[6], own[6];  // of six rows: filtered along x, and their pixels
#pragma unroll
  for (int r = 0; r < DEPTH + 5; r++) {
    __global const uchar *p = plane + min(top + r - 2, rows - 1) * pitch + x;
    wide[r % 6] = along_x(p);
    own[r % 6] = LOAD(p);
    if (r >= 5 && top + r - 5 < rows - 16) {
      __global uchar *out = halves + (top + r - 5) * pitch + x;
      STORE((wide[(r + 3) % 6] + 16) >> 5, out);
      STORE((six_taps(own[(r + 1) % 6], own[(r + 2) % 6], own[(r + 3) % 6], own[(r + 4) % 6],
                      own[(r + 5) % 6], own[r % 6]) + 16) >> 5, out + bytes);
      STORE((six_taps(wide[(r + 1) % 6], wide[(r + 2) % 6], wide[(r + 3) % 6], wide[(r + 4) % 6],
                      wide[(r + 5) % 6], wide[r % 6]) + 512) >> 10, out + 2 * bytes);
    }
  }
}
