// SPDX-License-Identifier: LGPL-2.1-or-later
// Good features to track (Shi and Tomasi 1994): maxima of the smaller eigenvalue of the structure
// tensor over 7×7 px. A group has a tile of -DTILE=n by n px; n is a multiple of 4.
#include "opticalflow/level.clh"
#include "klt/interface.h"
#include "klt/points.clh"
#include "klt/tile.clh"

// Px along a side of the greys, slopes and eigenvalues of a tile; and the number of float4 per row
// of each.
#define GREYS (TILE + 6 * CORNER_RADIUS)
#define SLOPES (TILE + 4 * CORNER_RADIUS)
#define VALUES (TILE + 2 * CORNER_RADIUS)
#define GREY_ROW FOURS(GREYS)
#define SLOPE_ROW FOURS(SLOPES)
#define VALUE_ROW FOURS(VALUES)
#define TILE_ROW FOURS(TILE)

// by[k]: the four pixels of a row from k px after p[0].x on.
typedef struct {
  float4 by[7];
} Shifted;
inline Shifted shifted(__local const float4 *p) {
  const float4 a = p[0], b = p[1], c = p[2];
  const Shifted s = {{a, (float4)(a.yzw, b.x), (float4)(a.zw, b.xy), (float4)(a.w, b.xyz), b,
                      (float4)(b.yzw, c.x), (float4)(b.zw, c.xy)}};
  return s;
}
// The same along y, from seven rows.
inline Shifted rows_of(__local const float4 *p, int wide) {
  const Shifted s = {
      {p[0], p[wide], p[2 * wide], p[3 * wide], p[4 * wide], p[5 * wide], p[6 * wide]}};
  return s;
}
inline Shifted next_row(Shifted a, float4 last) {
  const Shifted s = {{a.by[1], a.by[2], a.by[3], a.by[4], a.by[5], a.by[6], last}};
  return s;
}

// The derivative of a Gaussian of sigma 1, which is 1 for a ramp of slope 1, and that Gaussian.
inline float4 derivative(Shifted s) {
  return (s.by[6] - s.by[0]) * 0.013353735f + (s.by[5] - s.by[1]) * 0.10845453f +
         (s.by[4] - s.by[2]) * 0.24302973f;
}
inline float4 gaussian(Shifted s) {
  return (s.by[0] + s.by[6]) * 0.0044330480f + (s.by[1] + s.by[5]) * 0.054005578f +
         (s.by[2] + s.by[4]) * 0.24203622f + s.by[3] * 0.39905027f;
}

// The sum of seven rows, and in `next` that of the seven rows from the next one on.
inline float4 sums7(__local const float4 *p, float4 *next) {
  const float4 both = p[VALUE_ROW] + p[2 * VALUE_ROW] + p[3 * VALUE_ROW] + p[4 * VALUE_ROW] +
                      p[5 * VALUE_ROW] + p[6 * VALUE_ROW];
  *next = p[7 * VALUE_ROW] + both;
  return p[0] + both;
}
// Four values, set to 0 outside the frame and in its margin. `at`: place of the first.
inline float4 within(float4 values, int2 at, int2 size) {
  const int4 x = at.x + (int4)(0, 1, 2, 3);
  const int4 counts = x >= FRAME_MARGIN && x < size.x - FRAME_MARGIN &&
                      (int4)(at.y >= FRAME_MARGIN && at.y < size.y - FRAME_MARGIN ? -1 : 0);
  return select((float4)(0.0f), values, counts);
}
inline float4 least_eigenvalues(float4 xx, float4 xy, float4 yy) {
  return (float4)(least_eigenvalue(xx.x, xy.x, yy.x), least_eigenvalue(xx.y, xy.y, yy.y),
                  least_eigenvalue(xx.z, xy.z, yy.z), least_eigenvalue(xx.w, xy.w, yy.w));
}

// Appends the maxima within `reach` px, at most AROUND, to `keys`, except at pixels with the
// state's occupancy mark. Those are occupied. With `keep`, `values` gets the eigenvalues in rows as
// wide as the frame. One group per tile.
__kernel void klt_corners(__global const float *grey, int4 level, int reach,
                          __global const ushort *occupancy, __global int *state, int keep,
                          __global float *values, __global ulong *keys) {
  // Reads of three float4 may reach into the next row and beyond the last row.
  __local float4 one[LARGER(3 * VALUE_ROW * SLOPES, 2 * SLOPE_ROW * GREYS) + 1],
      other[LARGER(2 * SLOPE_ROW * SLOPES, GREY_ROW * GREYS) + 1];
  __local ulong found[TILE / 2 * (TILE / 2)];
  __local int count, base;
  __local uint best;
  if (state[SELECTS]) {
    const int item = get_local_id(1) * get_local_size(0) + get_local_id(0);
    const int items = get_local_size(0) * get_local_size(1);
    const int2 origin = (int2)(get_group_id(0), get_group_id(1)) * TILE, size = level.xy;
    if (item == 0) count = 0, best = 0;
    FOR_ALL(i, j, GREYS, GREYS) {
      const int2 at = clamp(origin + (int2)(i, j) - 3 * CORNER_RADIUS, 0, size - 1);
      ((__local float *)other)[j * 4 * GREY_ROW + i] = grey[texel_index(level, at)];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    FOR_ALL(i, j, SLOPE_ROW, GREYS) {
      const Shifted s = shifted(other + j * GREY_ROW + i);
      one[j * SLOPE_ROW + i] = derivative(s);
      one[SLOPE_ROW * GREYS + j * SLOPE_ROW + i] = gaussian(s);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    FOR_ALL(i, j, SLOPE_ROW, SLOPES / 2) {
      const int2 at = origin + (int2)(4 * i, 2 * j) - 2 * CORNER_RADIUS, below = at + (int2)(0, 1);
      __local const float4 *p = one + 2 * j * SLOPE_ROW + i, *q = p + SLOPE_ROW * GREYS;
      __local float4 *gx = other + 2 * j * SLOPE_ROW + i, *gy = gx + SLOPE_ROW * SLOPES;
      const Shifted x = rows_of(p, SLOPE_ROW), y = rows_of(q, SLOPE_ROW);
      gx[0] = within(gaussian(x), at, size);
      gx[SLOPE_ROW] = within(gaussian(next_row(x, p[7 * SLOPE_ROW])), below, size);
      gy[0] = within(derivative(y), at, size);
      gy[SLOPE_ROW] = within(derivative(next_row(y, q[7 * SLOPE_ROW])), below, size);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    FOR_ALL(i, j, VALUE_ROW, SLOPES) {
      const Shifted gx = shifted(other + j * SLOPE_ROW + i),
                    gy = shifted(other + SLOPE_ROW * SLOPES + j * SLOPE_ROW + i);
      const int to = j * VALUE_ROW + i;
      float4 xx = 0.0f, xy = 0.0f, yy = 0.0f;
#pragma unroll
      for (int k = 0; k < 7; k++)
        xx += gx.by[k] * gx.by[k], xy += gx.by[k] * gy.by[k], yy += gy.by[k] * gy.by[k];
      one[to] = xx, one[VALUE_ROW * SLOPES + to] = xy, one[2 * VALUE_ROW * SLOPES + to] = yy;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    FOR_ALL(i, j, VALUE_ROW, VALUES / 2) {
      __local const float4 *p = one + 2 * j * VALUE_ROW + i;
      float4 xx, xy, yy;
      const float4 first = least_eigenvalues(sums7(p, &xx), sums7(p + VALUE_ROW * SLOPES, &xy),
                                             sums7(p + 2 * VALUE_ROW * SLOPES, &yy));
      const int2 at = origin + (int2)(4 * i, 2 * j) - CORNER_RADIUS;
      other[2 * j * VALUE_ROW + i] = within(first, at, size);
      other[(2 * j + 1) * VALUE_ROW + i] =
          within(least_eigenvalues(xx, xy, yy), at + (int2)(0, 1), size);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    // The maximum along x around each pixel.
    FOR_ALL(i, j, TILE_ROW, VALUES) {
      const Shifted s = shifted(other + j * VALUE_ROW + i);
      float4 most = s.by[CORNER_RADIUS];
#pragma unroll
      for (int k = 1; k <= CORNER_RADIUS; k++)
        if (k <= reach) most = fmax(most, fmax(s.by[CORNER_RADIUS - k], s.by[CORNER_RADIUS + k]));
      one[j * TILE_ROW + i] = most;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    // Of equal values the last one is the maximum.
    FOR_ALL(i, j, TILE_ROW, TILE) {
      const Shifted s = shifted(other + (j + CORNER_RADIUS) * VALUE_ROW + i);
      __local const float4 *middle = one + (j + CORNER_RADIUS) * TILE_ROW + i;
      float4 before = 0.0f, after = 0.0f;
#pragma unroll
      for (int k = 1; k <= CORNER_RADIUS; k++)
        if (k <= reach) {
          before = fmax(before, fmax(s.by[CORNER_RADIUS - k], middle[-k * TILE_ROW]));
          after = fmax(after, fmax(s.by[CORNER_RADIUS + k], middle[k * TILE_ROW]));
        }
      const int4 largest = s.by[CORNER_RADIUS] > after && s.by[CORNER_RADIUS] >= before;
      const float own[4] = {s.by[CORNER_RADIUS].x, s.by[CORNER_RADIUS].y, s.by[CORNER_RADIUS].z,
                            s.by[CORNER_RADIUS].w};
      const int is[4] = {largest.x, largest.y, largest.z, largest.w};
#pragma unroll
      for (int k = 0; k < 4; k++) {
        const int2 at = origin + (int2)(4 * i + k, j);
        if (any(at >= size)) continue;
        const int index = at.y * size.x + at.x;
        if (keep) values[index] = own[k];
        if (is[k]) {
          atomic_max(&best, as_uint(own[k]));
          if (occupancy[index] != state[OCCUPANCY_MARK])
            found[atomic_inc(&count)] = key_of(own[k], index);
        }
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item == 0) {
      base = atomic_add(&state[CANDIDATE_COUNT], count);
      atomic_max((__global uint *)&state[BEST_EIGENVALUE], best);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = item; i < count; i += items) keys[base + i] = found[i];
  }
}
