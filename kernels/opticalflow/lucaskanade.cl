// SPDX-License-Identifier: LGPL-2.1-or-later
// Lucas and Kanade's method for CPUs and for windows of any size. It has three passes: greys,
// running sums along y, running sums along x.
#include "opticalflow/lucaskanade.clh"

__kernel void lk_grey(IN_LUMA(in), int2 size, __global ushort *grey) {
  const int2 at = (int2)(get_global_id(0), get_global_id(1));
  if (any(at >= size)) return;
  grey[at.y * size.x + at.x] = GREY_AT(in, at.x, at.y, size.x);
}

// As lk_grey. Also writes the greys of both frames as words, the older one in the lower half.
__kernel void lk_greys(IN_LUMA(in), int2 size, __global const ushort *before, __global ushort *grey,
                       __global uint *greys) {
  const int2 at = (int2)(get_global_id(0), get_global_id(1));
  if (any(at >= size)) return;
  const int i = at.y * size.x + at.x;
  const uint newer = GREY_AT(in, at.x, at.y, size.x);
  grey[i] = newer;
  greys[i] = low_halves(before[i], newer);
}

// Returns three values of two adjacent pixels, clamped to the frame. They are the difference of the
// older greys, their sum, and the change of that sum in the newer frame.
inline int3 pair_at(__global const ushort *before, __global const ushort *after, int2 size, int x,
                    int y) {
  const int row = clamp(y, 0, size.y - 1) * size.x;
  const int left = row + clamp(x, 0, size.x - 1), right = row + clamp(x + 1, 0, size.x - 1);
  const int sum = before[left] + before[right];
  return (int3)(before[right] - before[left], sum, after[left] + after[right] - sum);
}

// Ix, Iy and It between the pixel pairs of two adjacent rows.
inline int3 derivatives(int3 row, int3 below) {
  return (int3)(row.x + below.x, below.y - row.y, row.z + below.z);
}

// Sums over the window's rows. An item processes `stretch` rows of a column with running sums.
// Outputs are (xx, xy, yy, xt) and (yt).
__kernel void lk_columns(__global const ushort *before, __global const ushort *after, int2 size,
                         int radius, int stretch, __global int4 *columns4, __global int *columns1) {
  const int x = get_global_id(0), first = get_global_id(1) * stretch;
  if (x >= size.x || first >= size.y) return;
  int sums[5] = {0, 0, 0, 0, 0};
  int3 out = pair_at(before, after, size, x, first - radius), in = out;
  for (int y = first - radius; y < first + radius; y++) {
    const int3 below = pair_at(before, after, size, x, y + 1), d = derivatives(in, below);
    ADD_PRODUCTS(sums, d.x, d.y, d.z)
    in = below;
  }
  for (int y = first; y < min(first + stretch, size.y); y++) {
    const int3 below = pair_at(before, after, size, x, y + radius + 1), d = derivatives(in, below);
    ADD_PRODUCTS(sums, d.x, d.y, d.z)
    in = below;
    const int i = y * size.x + x;
    columns4[i] = (int4)(sums[0], sums[1], sums[2], sums[3]);
    columns1[i] = sums[4];
    const int3 above = pair_at(before, after, size, x, y - radius + 1),
               leaving = derivatives(out, above);
    SUBTRACT_PRODUCTS(sums, leaving.x, leaving.y, leaving.z)
    out = above;
  }
}

// Sums over the window's columns, and the solution. An item processes `stretch` pixels of a row
// with running sums.
__kernel void lk_rows(__global const int4 *columns4, __global const int *columns1, int2 size,
                      int radius, int stretch, SOLUTION) {
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
      v = solution(sum4.x, sum4.y, sum4.z, sum4.w, sum1, alpha, half_confidence);
    vectors[y * size.x + x] = scale * v.xy;
    confidence[y * size.x + x] = v.z;
    sum4 -= convert_long4(columns4[out]);
    sum1 -= columns1[out];
  }
}
