// SPDX-License-Identifier: LGPL-2.1-or-later
// Bilateral filter for CPUs: a work-item filters V pixels of ROWS rows with explicit vectors. Build
// with -DV=4, 8 or 16 (float lanes), -DROWS=n and -DPAD=n. PAD is the number of columns left and
// right of a plane, a multiple of V, at least the largest radius.
//
// The frame is first split into planes whose left and right edges repeat for PAD columns. So the
// inner loop loads without tests; rows are clamped as scalars. A row of the planes is R, G and B
// one after another, `pitch` codes each, column x at PAD + x.
#include "bilateral/code.clh"
#include "bilateral/interface.h"
#include "common/exp2.clh"

// Vectors of pixels and codes.
#ifdef DEEP
#define PIXELS ULONGS
#define TO_PIXELS(codes) TO_ULONGS(TO_UINTS(codes))
#define TO_CODES TO_USHORTS
#else
#define PIXELS UINTS
#define TO_PIXELS TO_UINTS
#define TO_CODES TO_UCHARS
#endif

// Computes the exponents of the space weight of all taps, side × (side + 2 * (ROWS - 1)), with side
// = 2 * radius + 1. The ROWS - 1 rows above and below the window have weight 0. A work-item per
// tap.
__kernel void bilateral_space(__global float *exponents, float space, int radius) {
  const int x = get_global_id(0), y = get_global_id(1), side = 2 * radius + 1;
  if (x >= side || y >= side + 2 * (ROWS - 1)) return;
  const int dx = x - radius, dy = y - radius - (ROWS - 1);
  exponents[y * side + x] = abs(dy) > radius ? -1e4f : space * (float)(dx * dx + dy * dy);
}

// Splits RGBA rows into planes. A work-item has V columns of a row of `area`: left, top, width,
// height. Its left is a multiple of V; columns outside of the frame repeat its edge.
__kernel void bilateral_planes(__global const PIXEL *in, int in_pitch, __global CODE *planes,
                               int pitch, int width, int4 area) {
  const int x = area.x + (int)get_global_id(0) * V, y = area.y + (int)get_global_id(1);
  if (x >= area.x + area.z || y >= area.y + area.w) return;
  __global const PIXEL *row = in + (size_t)y * in_pitch;
  __global CODE *r = planes + (size_t)y * 3 * pitch + PAD + x, *g = r + pitch, *b = g + pitch;
  if (x >= 0 && x + V <= width) {
    const PIXELS pixels = VLOAD(0, row + x);
    VSTORE(TO_CODES(pixels & CODE_MASK), 0, r);
    VSTORE(TO_CODES(pixels >> CODE_BITS & CODE_MASK), 0, g);
    VSTORE(TO_CODES(pixels >> 2 * CODE_BITS & CODE_MASK), 0, b);
    return;
  }
  for (int i = 0; i < V; i++) {
    const PIXEL pixel = row[clamp(x + i, 0, width - 1)];
    r[i] = pixel, g[i] = pixel >> CODE_BITS, b[i] = pixel >> 2 * CODE_BITS;
  }
}

// Stores V results without alpha of a row with the alpha of `in`, in the columns from `first` to
// before `end`. Columns before `split` get `in`, and the column `hairline` is white.
inline void store_row(PIXELS colours, __global const PIXEL *in, __global PIXEL *out, int x,
                      int first, int end, int split, int hairline) {
  if (x >= first && x + V <= end && x >= split && x != hairline) {
    VSTORE((VLOAD(0, in + x) & ~COLOUR_MASK) | colours, 0, out + x);
    return;
  }
  PIXEL lanes[V];
  VSTORE(colours, 0, lanes);
  for (int i = max(first - x, 0); i < V && x + i < end; i++) {
    const PIXEL source = in[x + i];
    out[x + i] = x + i == hairline ? source | COLOUR_MASK
                 : x + i < split   ? source
                                   : (source & ~COLOUR_MASK) | lanes[i];
  }
}

inline void filter_vector(const int kind, __global const CODE *planes, int pitch,
                          __global const float *exponents, float range, int radius,
                          __global const PIXEL *in, int in_pitch, __global PIXEL *out,
                          int out_pitch, int2 size, int4 region, int split) {
  const int2 end = region.xy + region.zw;
  const int x = region.x / V * V + (int)get_global_id(0) * V;
  const int y = region.y + (int)get_global_id(1) * ROWS;
  if (x >= end.x || y >= end.y) return;
  const int side = 2 * radius + 1;
  FLOATS r0[ROWS], g0[ROWS], b0[ROWS];  // centres of the windows
  FLOATS r[ROWS], g[ROWS], b[ROWS], wr[ROWS], wg[ROWS],
      wb[ROWS];  // sums of weighted differences, sums of weights
  for (int o = 0; o < ROWS; o++) {
    __global const CODE *centre = planes + (size_t)min(y + o, size.y - 1) * 3 * pitch + PAD + x;
    r0[o] = TO_FLOATS(VLOAD(0, centre));
    g0[o] = TO_FLOATS(VLOAD(0, centre + pitch));
    b0[o] = TO_FLOATS(VLOAD(0, centre + 2 * pitch));
    r[o] = g[o] = b[o] = wr[o] = wg[o] = wb[o] = 0.0f;
  }

  const int rows = x + V <= split ? 0 : side + ROWS - 1;  // no taps left of the split
  for (int j = 0; j < rows; j++) {
    const int from = clamp(y - radius + j, 0, size.y - 1);
    __global const CODE *line = planes + (size_t)from * 3 * pitch + PAD + x - radius;
    __global const float *space = exponents + j * side;
    for (int i = 0; i < side; i++) {
      const FLOATS rq = TO_FLOATS(VLOAD(0, line + i));
      const FLOATS gq = TO_FLOATS(VLOAD(0, line + i + pitch));
      const FLOATS bq = TO_FLOATS(VLOAD(0, line + i + 2 * pitch));
#pragma unroll
      for (int o = 0; o < ROWS; o++) {
        const FLOATS dr = rq - r0[o], dg = gq - g0[o], db = bq - b0[o];
        const float s = space[(ROWS - 1 - o) * side + i];
        FLOATS w;
        if (kind == PER_CHANNEL) {
          const FLOATS w_g = exp2_below_one(dg * dg * range + s);
          const FLOATS w_b = exp2_below_one(db * db * range + s);
          w = exp2_below_one(dr * dr * range + s);
          g[o] += w_g * dg, b[o] += w_b * db;
          wg[o] += w_g, wb[o] += w_b;
        } else {
          if (kind == COLOR) {
            w = exp2_below_one((dr * dr + dg * dg + db * db) * range + s);
          } else {
            const FLOATS di = dr * 30.0f + dg * 59.0f + db * 11.0f;
            w = exp2_below_one(di * di * range + s);
          }
          g[o] += w * dg, b[o] += w * db;
        }
        r[o] += w * dr;
        wr[o] += w;
      }
    }
  }

  const int hairline = split > 0 && split < size.x ? split : -1;
  for (int o = 0; o < ROWS && y + o < end.y; o++) {
    if (kind != PER_CHANNEL) wg[o] = wb[o] = wr[o];
    const PIXELS colours = TO_PIXELS(r0[o] + r[o] / wr[o] + 0.5f) |
                           TO_PIXELS(g0[o] + g[o] / wg[o] + 0.5f) << CODE_BITS |
                           TO_PIXELS(b0[o] + b[o] / wb[o] + 0.5f) << 2 * CODE_BITS;
    store_row(colours, in + (size_t)(y + o) * in_pitch, out + (size_t)(y + o) * out_pitch, x,
              region.x, end.x, split, hairline);
  }
}

// One kernel per weight. `range`: factor of the squared difference in codes in the exponent of 2,
// or of hundredths of a code for intensity. `in` gives alpha and the unfiltered side of the split.
// Work-items start at the columns of `region` (left, top, width, height), rounded down to V.
#define BILATERAL(name, kind)                                                                  \
  __kernel void name(__global const CODE *planes, int pitch, __global const float *exponents,  \
                     float range, int radius, __global const PIXEL *in, int in_pitch,          \
                     __global PIXEL *out, int out_pitch, int2 size, int4 region, int split) {  \
    filter_vector(kind, planes, pitch, exponents, range, radius, in, in_pitch, out, out_pitch, \
                  size, region, split);                                                        \
  }
BILATERAL(bilateral_vector_intensity, INTENSITY)
BILATERAL(bilateral_vector_color, COLOR)
BILATERAL(bilateral_vector_per_channel, PER_CHANNEL)
