// SPDX-License-Identifier: LGPL-2.1-or-later
// The edges that cannytiles.cl finds, as CPUs want them: an item alone has -DTILE_X=n by -DTILE_Y=n px, a multiple of 16 wide, and goes
// over them row by row, sixteen px at a time. -DBUFFERS: frames are buffers.
#include "common/frame.clh"
#include "hough/gradient.clh"
#include "hough/join.clh"

DEFINE_OWN_LABELS

#define LEVELS 256
#define TAPS (2 * REACH + 1)
#define LEFT 8              // px that rows of luma begin before the tile; rows of gradients begin one before it
#define PITCH (TILE_X + 32) // of all rows

#define UP(n) (((n) + 15) & ~15)
#define ROW(y, count) ((((y) + 4 * (count)) % (count)) * PITCH)  // of `count` that take turns; y above -4 times their number

typedef ushort16 LooseLevels __attribute__((aligned(2)));
typedef short16 LooseSlopes __attribute__((aligned(2)));
typedef int16 LooseSquares __attribute__((aligned(4)));
typedef uint16 LoosePixels __attribute__((aligned(4)));
#define SIXTEEN(Type, p) (*(__local const Type *)(p))
#define STORE_SIXTEEN(Type, p, value) (*(__local Type *)(p) = (value))

// As there. Groups of one item, one for a tile.
__kernel void canny_edges(IN_FRAME(in), int2 size, __global const uint2 *restrict thresholds, int weak,
                               __global ushort *restrict edges, int labeled, __global uint *restrict labels,
                               __global uchar *restrict luma, int pitch) {
  __local ushort levels[TAPS * PITCH], smooth[PITCH];
  __local short steep[PITCH], across[3 * PITCH], down[3 * PITCH];
  __local int squares[3 * PITCH];
  const int2 origin = (int2)(get_group_id(0) * TILE_X, get_group_id(1) * TILE_Y), last = size - 1;
  const int wide = min(TILE_X, size.x - origin.x), high = min(TILE_Y, size.y - origin.y);
  const bool ends_right = origin.x + wide == size.x, ends_below = origin.y + high == size.y;
  uint least = UINT_MAX;
  for (int i = 0; i < LEVELS; i++) least = min(least, weak ? thresholds[i].x : thresholds[i].y);
  const int enough = (int)min(max(least, 1u), (uint)INT_MAX);
  for (int y = origin.y - REACH - 1; y <= origin.y + high + REACH; y++) {
    __local ushort *own = levels + ROW(y, TAPS);
    const int from = clamp(y, 0, last.y);
    for (int k = 0; k < UP(wide + 2) + 16; k += 16) {
      const int x = origin.x - LEFT + k;
#ifdef BUFFERS
      if (x >= 0 && x + 15 <= last.x) {
        const uint16 p = *(__global const LoosePixels *)(in + from * in_pitch + x);
        STORE_SIXTEEN(LooseLevels, own + k, convert_ushort16(LUMA(p & 255, p >> 8 & 255, p >> 16 & 255)));
        continue;
      }
#endif
      for (int i = 0; i < 16; i++) {
        const uchar4 p = LOAD_PIXEL(in, clamp(x + i, 0, last.x), from);
        own[k + i] = LUMA(p.x, p.y, p.z);
      }
    }
    if (pitch && ((y >= origin.y && y < origin.y + high) || y == -1 || (ends_below && y == size.y))) {
      __global uchar *to = luma + (y + 1) * pitch + origin.x + 1;
      int i = 0;
      for (; i + 16 <= wide; i += 16) vstore16(convert_uchar16(SIXTEEN(LooseLevels, own + LEFT + i)), 0, to + i);
      for (; i < wide + ends_right; i++) to[i] = own[LEFT + i];
      if (origin.x == 0) to[-1] = own[LEFT - 1];
    }
    const int middle = y - REACH;  // of gradients
    if (middle < origin.y - 1) continue;
    __local const ushort *a = levels + ROW(y - 8, TAPS), *b = levels + ROW(y - 7, TAPS), *c = levels + ROW(y - 6, TAPS),
                         *d = levels + ROW(y - 5, TAPS), *e = levels + ROW(y - 4, TAPS), *f = levels + ROW(y - 3, TAPS),
                         *g = levels + ROW(y - 2, TAPS), *h = levels + ROW(y - 1, TAPS);
    for (int k = 0; k < UP(wide + 2) + 16; k += 16) {
#define AT(p) SIXTEEN(LooseLevels, (p) + k)
      const ushort16 A = AT(a), B = AT(b), C = AT(c), D = AT(d), E = AT(e), F = AT(f), G = AT(g), H = AT(h), I = AT(own);
#undef AT
      STORE_SIXTEEN(LooseLevels, smooth + k, SMOOTHED(ushort, A, B, C, D, E, F, G, H, I));
      STORE_SIXTEEN(LooseSlopes, steep + k, as_short16(DERIVED(ushort, A, B, C, D, F, G, H, I)));
    }
    const int row = ROW(middle, 3);
    for (int k = 0; k < UP(wide + 2); k += 16) {
#define AT(n) convert_int16(SIXTEEN(LooseLevels, smooth + k + LEFT - 1 + (n)))
      const int16 x = (DERIVED(int, AT(-4), AT(-3), AT(-2), AT(-1), AT(1), AT(2), AT(3), AT(4)) + 64) >> 7;
#undef AT
#define AT(n) convert_int16(SIXTEEN(LooseSlopes, steep + k + LEFT - 1 + (n)))
      const int16 z = (SMOOTHED(int, AT(-4), AT(-3), AT(-2), AT(-1), AT(0), AT(1), AT(2), AT(3), AT(4)) + 64) >> 7;
#undef AT
      STORE_SIXTEEN(LooseSlopes, across + row + k, convert_short16(x));
      STORE_SIXTEEN(LooseSlopes, down + row + k, convert_short16(z));
      STORE_SIXTEEN(LooseSquares, squares + row + k, x * x + z * z);
    }
    const int line = middle - 1;
    if (line < origin.y) continue;
    const int at = ROW(line, 3), above = ROW(line - 1, 3) + 1, below = row + 1;
    __local const ushort *seen = levels + ROW(line, TAPS) + LEFT;
    __global ushort *out = edges + line * size.x + origin.x;
    for (int k = 0; k < wide; k += 16) {
      const int16 x = convert_int16(SIXTEEN(LooseSlopes, across + at + 1 + k)), z = convert_int16(SIXTEEN(LooseSlopes, down + at + 1 + k));
      const int16 square = SIXTEEN(LooseSquares, squares + at + 1 + k);
      const int count = min(16, wide - k);
      if (count == 16) vstore16((ushort16)(0), 0, out + k);
      else
        for (int i = 0; i < count; i++) out[k + i] = 0;
      if (!any(square >= enough)) continue;
#define NEAR(row, n) SIXTEEN(LooseSquares, squares + (row) + k + (n))
      const int16 ax = convert_int16(abs(x)), az = convert_int16(abs(z)), rises = x * z < 0;
      int16 next = rises ? NEAR(above, 1) : NEAR(below, 1), other = rises ? NEAR(below, -1) : NEAR(above, -1);
      const int16 flat = az * 32768 <= ax * TAN_STEP, upright = ax * 32768 < az * TAN_STEP;
      next = flat ? NEAR(at + 1, 1) : next, other = flat ? NEAR(at + 1, -1) : other;
      next = upright ? NEAR(below, 0) : next, other = upright ? NEAR(above, 0) : other;
#undef NEAR
      const int16 hit = square >= enough && square > next && square >= other;
      if (!any(hit)) continue;
      const ulong2 bytes = as_ulong2(convert_char16(hit)) & 0x0101010101010101ul;  // a bit for each hit
      for (ulong left = bytes.x, next_left = bytes.y, first = 0; left | next_left; left &= left - 1) {
        if (!left) left = next_left, next_left = 0, first = 8;
        const int i = first + (63 - clz(left & -left)) / 8;
        if (i >= count) break;
        const uint2 own_least = thresholds[seen[k + i]];
        const int own_square = squares[at + 1 + k + i];
        if ((uint)own_square < (weak ? own_least.x : own_least.y)) continue;
        const ushort edge = edge_of((int2)(across[at + 1 + k + i], down[at + 1 + k + i]), own_square, own_least.y);
        out[k + i] = edge;
        if (!labeled) continue;
        const int x = k + i, place = line * size.x + origin.x + x;
#define BEFORE(dx, dy) (x + (dx) >= 0 && x + (dx) < wide && line + (dy) >= origin.y ? out[x + (dx) + (dy) * size.x] : 0)
#define STRONG(dx, dy) (BEFORE(dx, dy) & EDGE_STRONG)
#define WEAK(dx, dy) (BEFORE(dx, dy) && !STRONG(dx, dy))
        if (edge & EDGE_STRONG) {
#define KEEP(dx, dy) if (WEAK(dx, dy)) join_own(labels, place + 1 + (dx) + (dy) * size.x, KEPT)
          KEEP(-1, -1);
          KEEP(0, -1);
          KEEP(1, -1);
          KEEP(-1, 0);
        } else {
          labels[place] = IS_BEFORE(STRONG) ? KEPT : place + 1;
          JOIN_BEFORE(own, labels, place, size.x, WEAK)
        }
      }
    }
  }
}

#undef STRONG
#undef WEAK
// Groups of one item, one for a tile.
__kernel void canny_join_rows(__global const ushort *restrict edges, int2 size, volatile __global uint *labels) {
  const int2 origin = (int2)(get_group_id(0) * TILE_X, get_group_id(1) * TILE_Y), end = min(origin + (int2)(TILE_X, TILE_Y), size) - 1;
  for (int x = origin.x; x <= end.x; x++) {
    join_across(edges, size, (int2)(x, origin.y), labels);
    join_across(edges, size, (int2)(x, end.y), labels);
  }
  for (int y = origin.y + 1; y < end.y; y++) {
    join_across(edges, size, (int2)(origin.x, y), labels);
    join_across(edges, size, (int2)(end.x, y), labels);
  }
}
