// SPDX-License-Identifier: LGPL-2.1-or-later
// Lucas and Kanade's method for windows of any size: greys, sums that run along y, sums that run along x.
#include "opticalflow/lucaskanade.clh"

__kernel void lk_grey(IN_FRAME(in), int2 size, __global ushort *grey) {
  const int2 at = (int2)(get_global_id(0), get_global_id(1));
  if (any(at >= size)) return;
  grey[at.y * size.x + at.x] = GREY_AT(in, at.x, at.y, size.x);
}

// (older, newer), the frame's edge repeated.
inline int2 greys_at(__global const ushort *before, __global const ushort *after, int2 size, int x, int y) {
  const int i = clamp(y, 0, size.y - 1) * size.x + clamp(x, 0, size.x - 1);
  return (int2)(before[i], after[i]);
}

inline int3 derivatives(__global const ushort *before, __global const ushort *after, int2 size, int x, int y) {
  const int2 p = greys_at(before, after, size, x, y), q = greys_at(before, after, size, x + 1, y);
  const int2 r = greys_at(before, after, size, x, y + 1), s = greys_at(before, after, size, x + 1, y + 1);
  return (int3)(q.x - p.x + s.x - r.x, r.x - p.x + s.x - q.x,
                p.y - p.x + q.y - q.x + r.y - r.x + s.y - s.x);
}

// Each item goes down a stretch of a column. Column sums are (xx, xy, yy, xt), (yt).
__kernel void lk_columns(__global const ushort *before, __global const ushort *after, int2 size, int radius,
                         int stretch, __global int4 *columns4, __global int *columns1) {
  const int x = get_global_id(0), first = get_global_id(1) * stretch;
  if (x >= size.x || first >= size.y) return;
  int sums[5] = {0, 0, 0, 0, 0};
  for (int y = first - radius; y < first + radius; y++) {
    const int3 d = derivatives(before, after, size, x, y);
    ADD_PRODUCTS(sums, d.x, d.y, d.z)
  }
  for (int y = first; y < min(first + stretch, size.y); y++) {
    const int3 in = derivatives(before, after, size, x, y + radius);
    ADD_PRODUCTS(sums, in.x, in.y, in.z)
    const int i = y * size.x + x;
    columns4[i] = (int4)(sums[0], sums[1], sums[2], sums[3]);
    columns1[i] = sums[4];
    const int3 out = derivatives(before, after, size, x, y - radius);
    SUBTRACT_PRODUCTS(sums, out.x, out.y, out.z)
  }
}

// Each item goes along a stretch of a row.
__kernel void lk_rows(__global const int4 *columns4, __global const int *columns1, int2 size, int radius,
                      int stretch, SOLUTION) {
  const int y = get_global_id(0), first = get_global_id(1) * stretch;
  if (y >= size.y || first >= size.x) return;
  long4 sum4 = 0;
  long sum1 = 0;
  for (int x = first - radius; x < first + radius; x++) {
    const int i = y * size.x + clamp(x, 0, size.x - 1);
    sum4 += convert_long4(columns4[i]);
    sum1 += columns1[i];
  }
  for (int x = first; x < min(first + stretch, size.x); x++) {
    const int in = y * size.x + min(x + radius, size.x - 1), out = y * size.x + max(x - radius, 0);
    sum4 += convert_long4(columns4[in]);
    sum1 += columns1[in];
    float3 v = 0.0f;
    if (!on_rim((int2)(x, y), size, radius))
      v = solution(sum4.x, sum4.y, sum4.z, sum4.w, sum1, alpha, half_sure);
    vectors[y * size.x + x] = scale * v.xy;
    confidence[y * size.x + x] = v.z;
    sum4 -= convert_long4(columns4[out]);
    sum1 -= columns1[out];
  }
}
