// SPDX-License-Identifier: LGPL-2.1-or-later
// Good features to track (Shi and Tomasi 1994): the smaller eigenvalue of the gradients' tensor over 7×7 px, and its maxima.
// A group takes -DTILE=n by n px.
#include "opticalflow/level.clh"
#include "klt/points.clh"

#define RIM 3     // px at the edges of the frame whose gradient is 0, and where no point is
#define AROUND 3  // px: of the tensor's window, of the gradient, of maxima within the tile

// Px along a side: of grey, of gradients, of eigenvalues.
#define GREYS (TILE + 6 * AROUND)
#define SLOPES (TILE + 4 * AROUND)
#define VALUES (TILE + 2 * AROUND)

// Gaussian of sigma 1 and its derivative; a ramp gives 1. `p`: the middle of seven.
inline float derivative(__local const float *p, int along) {
  return (p[3 * along] - p[-3 * along]) * 0.013353735f + (p[2 * along] - p[-2 * along]) * 0.10845453f +
         (p[along] - p[-along]) * 0.24302973f;
}
inline float gaussian(__local const float *p, int along) {
  return (p[-3 * along] + p[3 * along]) * 0.0044330480f + (p[-2 * along] + p[2 * along]) * 0.054005578f +
         (p[-along] + p[along]) * 0.24203622f + p[0] * 0.39905027f;
}
// Of seven down a column of eigenvalues' rows, and of the seven from the next row on.
inline float2 sums7(__local const float *p) {
  const float both = p[VALUES] + p[2 * VALUES] + p[3 * VALUES] + p[4 * VALUES] + p[5 * VALUES] + p[6 * VALUES];
  return (float2)(p[0], p[7 * VALUES]) + both;
}

#define LARGER(a, b) ((a) > (b) ? (a) : (b))
// The group's items share (x, y) below (wide, high), rows after each other, so that few are idle.
#define FOR_ALL(x, y, wide, high)                                                                                        \
  for (int all_##x = item, x, y; all_##x < (wide) * (high) && (x = all_##x % (wide), y = all_##x / (wide), true); all_##x += items)

// Appends the maxima within `reach` px, at most AROUND, to `keys`, where places with the state's stamp are taken. With
// `keep` the eigenvalues go to `values`, a row as wide as the frame.
__kernel void klt_corners(__global const float *grey, int4 level, int reach, __global const ushort *stamps,
                          __global int *state, int keep, __global float *values, __global ulong *keys) {
  __local float one[LARGER(3 * VALUES * SLOPES, 2 * SLOPES * GREYS)], other[LARGER(2 * SLOPES * SLOPES, GREYS * GREYS)];
  __local ulong found[TILE / 2 * (TILE / 2)];
  __local int count, base;
  __local uint best;
  if (state[GO]) {
    const int item = get_local_id(1) * get_local_size(0) + get_local_id(0);
    const int items = get_local_size(0) * get_local_size(1);
    const int2 origin = (int2)(get_group_id(0), get_group_id(1)) * TILE, size = level.xy;
    if (item == 0) count = 0, best = 0;
    FOR_ALL(i, j, GREYS, GREYS) {
      const int2 at = clamp(origin + (int2)(i, j) - 3 * AROUND, 0, size - 1);
      other[j * GREYS + i] = grey[texel_index(level, at)];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    FOR_ALL(i, j, SLOPES, GREYS) {
      __local const float *p = other + j * GREYS + i + AROUND;
      one[j * SLOPES + i] = derivative(p, 1);
      one[SLOPES * GREYS + j * SLOPES + i] = gaussian(p, 1);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    FOR_ALL(i, j, SLOPES, SLOPES) {
      const int2 at = origin + (int2)(i, j) - 2 * AROUND;
      const bool inside = all(at >= RIM) && all(at < size - RIM);
      __local const float *p = one + (j + AROUND) * SLOPES + i;
      other[j * SLOPES + i] = inside ? gaussian(p, SLOPES) : 0.0f;
      other[SLOPES * SLOPES + j * SLOPES + i] = inside ? derivative(p + SLOPES * GREYS, SLOPES) : 0.0f;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    FOR_ALL(i, j, VALUES, SLOPES) {
      __local const float *gx = other + j * SLOPES + i, *gy = gx + SLOPES * SLOPES;
      const int to = j * VALUES + i;
      float xx = 0.0f, xy = 0.0f, yy = 0.0f;
      for (int k = 0; k < 7; k++) xx += gx[k] * gx[k], xy += gx[k] * gy[k], yy += gy[k] * gy[k];
      one[to] = xx, one[VALUES * SLOPES + to] = xy, one[2 * VALUES * SLOPES + to] = yy;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    FOR_ALL(i, j, VALUES, VALUES / 2) {
      __local const float *p = one + 2 * j * VALUES + i;
      const float2 xx = sums7(p), xy = sums7(p + VALUES * SLOPES), yy = sums7(p + 2 * VALUES * SLOPES);
      const int2 at = origin + (int2)(i, 2 * j) - AROUND, below = at + (int2)(0, 1);
      other[2 * j * VALUES + i] = all(at >= RIM) && all(at < size - RIM) ? least_eigenvalue(xx.x, xy.x, yy.x) : 0.0f;
      other[(2 * j + 1) * VALUES + i] = all(below >= RIM) && all(below < size - RIM) ? least_eigenvalue(xx.y, xy.y, yy.y) : 0.0f;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    FOR_ALL(i, j, TILE, TILE) {
      const int2 at = origin + (int2)(i, j);
      __local const float *p = other + (j + AROUND) * VALUES + i + AROUND;
      if (keep && all(at < size)) values[at.y * size.x + at.x] = *p;
      bool largest = *p > 0.0f && all(at < size);
      IS_LARGEST(p, VALUES, (int2)(-reach), (int2)(reach), largest)
      if (largest) {
        atomic_max(&best, as_uint(*p));
        const int index = at.y * size.x + at.x;
        if (stamps[index] != state[STAMP]) found[atomic_inc(&count)] = key_of(*p, index);
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item == 0) {
      base = atomic_add(&state[CANDIDATES], count);
      atomic_max((__global uint *)&state[BEST], best);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = item; i < count; i += items) keys[base + i] = found[i];
  }
}
