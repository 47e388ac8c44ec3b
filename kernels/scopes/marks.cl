// SPDX-License-Identifier: LGPL-2.1-or-later
// Draws marks in the picture. `frame` is the frame in its own format, `in` and `out` are the
// canvas. Pixels without marks are not written. Build options: those of scopes/values.clh. An item
// per pixel.
#include "noise/bands.clh"
#include "scopes/interface.h"
#include "scopes/values.clh"

// The colour over the grey of a luma value, by the alpha of the colour.
inline int4 false_color(Marks how, int luma) {
  int band = 0;
  while (band < how.bands - 1 && luma >= how.limits[band]) band++;
  const int4 colour = convert_int4(how.colours[band]);
  const int grey =
      clamp(((luma - how.black) * how.level_of_luma + (1 << 15)) >> 16, 0, CHANNEL_MAX);
  return (colour * colour.w + grey * (255 - colour.w) + 127) / 255;
}

// True if a second difference of luma is that of an edge in focus, beyond what noise makes.
inline bool in_focus(Marks how, int difference, float variance) {
  const float of_noise = how.edge_of_noise * how.edge_of_noise * variance;
  return difference > how.edge && (float)difference * difference > of_noise;
}

// The larger second difference, along x and y. A macro, because drivers of Mesa take no images in
// functions.
#define SECOND_DIFFERENCE(frame, x, y, luma, size)        \
  max(abs(2 * (luma)-LUMA_AT(frame, max((x)-1, 0), y) -   \
          LUMA_AT(frame, min((x) + 1, (size).x - 1), y)), \
      abs(2 * (luma)-LUMA_AT(frame, x, max((y)-1, 0)) -   \
          LUMA_AT(frame, x, min((y) + 1, (size).y - 1))))

// `noise`: a table of noise/bands.clh.
__kernel void scope_marks(IN_PLANES(frame), IN_FRAME(in), OUT_FRAME(out),
                          __global const float *noise, Marks how) {
  const int x = get_global_id(0), y = get_global_id(1);
  if (x >= how.size.x || y >= how.size.y) return;
  const int luma = LUMA_AT(frame, x, y);
  bool marked = how.marks & MARK_FALSE_COLOR;
  int4 colour = marked ? false_color(how, luma) : 0;
  if (how.marks & MARK_PEAKING) {
    const int difference = SECOND_DIFFERENCE(frame, x, y, luma, how.size);
    if (in_focus(how, difference, noise_variance_at(noise, luma * (256.0f / LEVELS))))
      colour = convert_int4(how.peaking_color), marked = true;
  }
  if (how.marks & MARK_GAMUT &&
      outside(UNCLAMPED_RGB_AT(frame, x, y), (int4)(how.gamut_low), (int4)(how.gamut_high)))
    colour = convert_int4(how.gamut_color), marked = true;
  if (how.marks & MARK_ZEBRA && (luma < how.zebra_low || luma > how.zebra_high)) {
    // Stripes of high values rise to the right, of low ones to the left.
    const int along = luma > how.zebra_high ? x + y : x - y + how.size.y;
    colour = along / how.stripe % 2 ? 255 : 0, marked = true;
  }
  if (marked)
    STORE_LEVELS(
        out, x, y,
        (int4)(how.overlay ? colour.zyx : colour.xyz, how.overlay ? 255 : LOAD_LEVELS(in, x, y).w));
}

// Stores luma as levels of 0..255 for the measurement of noise, with a margin of a pixel that
// repeats the edge. An item per pixel with the margin.
__kernel void scope_store_luma(IN_PLANES(frame), __global uchar *luma, int pitch, int2 size) {
  const int2 at = (int2)(get_global_id(0), get_global_id(1)), from = clamp(at - 1, 0, size - 1);
  if (all(at < size + 2))
    luma[at.y * pitch + at.x] = (uchar)(LUMA_AT(frame, from.x, from.y) * 256 / LEVELS);
}
