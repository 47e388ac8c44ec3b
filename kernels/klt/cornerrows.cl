// SPDX-License-Identifier: LGPL-2.1-or-later
// The maxima of klt_corners in a form for CPUs. A work-item has -DITEM_WIDTH=n by -DITEM_HEIGHT=n
// px, multiples of 8. It processes them row by row, 8 px at a time. It keeps the last seven rows of
// each kind.
#include "opticalflow/level.clh"
#include "klt/interface.h"
#include "klt/points.clh"
#include "klt/rows.clh"

#define ROWS 7
// of rows; smoothed ones start 9 px to the left, products 6, eigenvalues 3, maxima 0
#define PITCH (ITEM_WIDTH + 24)

#define UP(n) (((n) + 7) & ~7)
// start of row y in a ring of seven; y > -ROWS
#define FIRST(y) ((((y) + ROWS) % ROWS) * PITCH)
#define NEXT_ROW(row) ((row) == (ROWS - 1) * PITCH ? 0 : (row) + PITCH)  // start of the next row

inline void clear_row(__local float *row, int first, int last) {
  for (int i = max(first, 0); i < last; i++) row[i] = 0.0f;
}

inline float8 sum7(__local const float *p) {
  return EIGHT(p) + EIGHT(p + 1) + EIGHT(p + 2) + EIGHT(p + 3) + EIGHT(p + 4) + EIGHT(p + 5) +
         EIGHT(p + 6);
}
inline float8 derivative(float8 a, float8 b, float8 c, float8 e, float8 f, float8 g) {
  return (g - a) * 0.013353735f + (f - b) * 0.10845453f + (e - c) * 0.24302973f;
}
inline float8 gaussian(float8 a, float8 b, float8 c, float8 d, float8 e, float8 f, float8 g) {
  return (a + g) * 0.0044330480f + (b + f) * 0.054005578f + (c + e) * 0.24203622f + d * 0.39905027f;
}

// True if no later value within `reach` px equals this one, which no value exceeds. `rows`: starts
// of its own row and the three rows below.
inline bool is_last_maximum(__local const float *values, int column, int4 rows, int reach) {
  const float own = values[rows.x + column];
  bool last = true;
  for (int i = 1; i <= reach; i++) last = last && values[rows.x + column + i] != own;
  for (int i = -reach; i <= reach && last; i++)
    last = values[rows.y + column + i] != own &&
           (reach < 2 || values[rows.z + column + i] != own) &&
           (reach < 3 || values[rows.w + column + i] != own);
  return last;
}

// The same results as klt_corners. Groups of one item, one per tile.
__kernel void klt_corners_rows(__global const float *grey, int4 level, int reach,
                               __global const ushort *occupancy, __global int *state, int keep,
                               __global float *values, __global ulong *keys) {
  __local float smooth[PITCH], steep[PITCH], products[3 * PITCH], sums[3 * ROWS * PITCH],
      eigen[ROWS * PITCH], peaks[ROWS * PITCH];
  __local ulong found[ITEM_WIDTH / 2 * (ITEM_HEIGHT / 2)];
  __local int hits[8];
  if (state[SELECTS]) {
    const int2 origin = (int2)(get_group_id(0) * ITEM_WIDTH, get_group_id(1) * ITEM_HEIGHT),
               size = level.xy;
    const int wide = min(ITEM_WIDTH, size.x - origin.x), high = min(ITEM_HEIGHT, size.y - origin.y);
    const int eigens = UP(wide + 2 * CORNER_RADIUS), slopes = UP(eigens + 2 * CORNER_RADIUS),
              greys = slopes + 2 * CORNER_RADIUS;
    const int left = max(9 - origin.x, 0),
              right =
                  min(greys, size.x - origin.x + 9);  // part of the smoothed rows inside the frame
    const int mark = state[OCCUPANCY_MARK];
    int count = 0;
    float best = 0.0f;
    clear_row(smooth, 0, PITCH);
    clear_row(steep, 0, PITCH);
    for (int y = origin.y - 6; y < origin.y + high + 6; y++) {
      const int row = FIRST(y);
      if (y >= FRAME_MARGIN && y < size.y - FRAME_MARGIN && size.x > 2 * FRAME_MARGIN) {
        __global const float *p = grey + texel_index(level, (int2)(origin.x - 9, y));
        for (int k = left; k < right; k += 8) {
          const int at = min(k, right - 8);
          const float8 a = GLOBAL_EIGHT(p + at - 3 * level.z),
                       b = GLOBAL_EIGHT(p + at - 2 * level.z), c = GLOBAL_EIGHT(p + at - level.z),
                       d = GLOBAL_EIGHT(p + at), e = GLOBAL_EIGHT(p + at + level.z),
                       f = GLOBAL_EIGHT(p + at + 2 * level.z),
                       g = GLOBAL_EIGHT(p + at + 3 * level.z);
          STORE_EIGHT(smooth + at, gaussian(a, b, c, d, e, f, g));
          STORE_EIGHT(steep + at, derivative(a, b, c, e, f, g));
        }
        for (int k = 0; k < slopes; k += 8) {
          __local const float *s = smooth + k, *t = steep + k;
          const float8 gx = derivative(EIGHT(s), EIGHT(s + 1), EIGHT(s + 2), EIGHT(s + 4),
                                       EIGHT(s + 5), EIGHT(s + 6));
          const float8 gy = gaussian(EIGHT(t), EIGHT(t + 1), EIGHT(t + 2), EIGHT(t + 3),
                                     EIGHT(t + 4), EIGHT(t + 5), EIGHT(t + 6));
          STORE_EIGHT(products + k, gx * gx);
          STORE_EIGHT(products + PITCH + k, gx * gy);
          STORE_EIGHT(products + 2 * PITCH + k, gy * gy);
        }
        for (int i = 0; i < 3; i++) {
          clear_row(products + i * PITCH, 0, FRAME_MARGIN + 6 - origin.x);
          clear_row(products + i * PITCH, size.x - FRAME_MARGIN + 6 - origin.x, PITCH);
        }
        for (int k = 0; k < eigens; k += 8)
          for (int i = 0; i < 3; i++)
            STORE_EIGHT(sums + i * ROWS * PITCH + row + k, sum7(products + i * PITCH + k));
      } else {
        for (int i = 0; i < 3; i++) clear_row(sums + i * ROWS * PITCH + row, 0, PITCH);
      }
      const int middle = y - CORNER_RADIUS;
      if (middle < origin.y - CORNER_RADIUS) continue;
      // The seven rows from top to bottom.
      const int r0 = NEXT_ROW(row), r1 = NEXT_ROW(r0), r2 = NEXT_ROW(r1), r3 = NEXT_ROW(r2),
                r4 = NEXT_ROW(r3), r5 = NEXT_ROW(r4);
      __local float *own = eigen + r3;
      if (middle >= FRAME_MARGIN && middle < size.y - FRAME_MARGIN) {
        for (int k = 0; k < eigens; k += 8) {
          __local const float *p = sums + k;
#define DOWN(p)                                                                              \
  (EIGHT((p) + r0) + EIGHT((p) + r1) + EIGHT((p) + r2) + EIGHT((p) + r3) + EIGHT((p) + r4) + \
   EIGHT((p) + r5) + EIGHT((p) + row))
          const float8 xx = DOWN(p), xy = DOWN(p + ROWS * PITCH), yy = DOWN(p + 2 * ROWS * PITCH),
                       difference = xx - yy;
          STORE_EIGHT(own + k,
                      larger(0.5f * (xx + yy - sqrt(difference * difference + 4.0f * xy * xy)),
                             (float8)(0.0f)));
        }
        clear_row(own, 0, FRAME_MARGIN + 3 - origin.x);
        clear_row(own, size.x - FRAME_MARGIN + 3 - origin.x, PITCH);
      } else {
        clear_row(own, 0, PITCH);
      }
      // If `reach` is less than 3, nearer values are taken repeatedly.
      const int two = min(reach, 2);
      for (int k = 0; k < wide; k += 8) {
        __local const float *p = own + k + CORNER_RADIUS;
        const float8 near = larger(EIGHT(p), larger(EIGHT(p - 1), EIGHT(p + 1))),
                     far = larger(EIGHT(p - reach), EIGHT(p + reach));
        STORE_EIGHT(peaks + r3 + k,
                    larger(near, larger(far, larger(EIGHT(p - two), EIGHT(p + two)))));
      }
      const int line = middle - CORNER_RADIUS;
      if (line < origin.y) continue;
      const int m3 = NEXT_ROW(r3), m2 = NEXT_ROW(m3), m1 = NEXT_ROW(m2), at = NEXT_ROW(m1),
                p1 = NEXT_ROW(at), p2 = NEXT_ROW(p1), p3 = r3;
      const int up = reach > 1 ? m2 : at, down = reach > 1 ? p2 : at, top = reach > 2 ? m3 : at,
                bottom = reach > 2 ? p3 : at;
      __local const float *mine = eigen + at + CORNER_RADIUS;
      if (keep)
        for (int i = 0; i < wide; i++) values[line * size.x + origin.x + i] = mine[i];
      for (int k = 0; k < wide; k += 8) {
        __local const float *p = peaks + k;
        const float8 near = larger(EIGHT(p + at), larger(EIGHT(p + m1), EIGHT(p + p1))),
                     far = larger(EIGHT(p + top), EIGHT(p + bottom));
        const float8 most = larger(near, larger(far, larger(EIGHT(p + up), EIGHT(p + down)))),
                     value = EIGHT(mine + k);
        const int8 hit = value >= most && value > 0.0f;
        if (!any(hit)) continue;
        vstore8(hit, 0, hits);
        for (int i = k; i < min(k + 8, wide); i++) {
          if (!hits[i - k] ||
              !is_last_maximum(eigen, i + CORNER_RADIUS, (int4)(at, p1, p2, p3), reach))
            continue;
          best = fmax(best, mine[i]);
          const int index = line * size.x + origin.x + i;
          if (occupancy[index] != mark) found[count++] = key_of(mine[i], index);
        }
      }
    }
    if (best > 0.0f) {
      const int base = atomic_add(&state[CANDIDATE_COUNT], count);
      atomic_max((__global uint *)&state[BEST_EIGENVALUE], as_uint(best));
      for (int i = 0; i < count; i++) keys[base + i] = found[i];
    }
  }
}
