// SPDX-License-Identifier: LGPL-2.1-or-later
// Converts frames of other formats to RGBA, and back. A chroma sample applies to all its pixels;
// back, it is their mean. With -DDEEP the channels of RGBA have 16 bits.
#include "common/planes.clh"

// A colour of a frame in RGBA, sums of them, and the values of planes for it.
#ifdef DEEP
#define COLOUR float4
#define LOAD_SAME LOAD_COLOUR
#define LUMA_OF luma_value
#define CHROMA_OF(sum, shift) chroma_values((sum) * (1.0f / (1 << (shift))))
#else
#define COLOUR int4
#define LOAD_SAME LOAD_LEVELS
#define LUMA_OF luma_of
#define CHROMA_OF chroma_of
#endif

// A work-item per pixel.
__kernel void planes_to_rgba(IN_PLANES(in), OUT_FRAME(out), int2 size) {
  const int2 at = (int2)(get_global_id(0), get_global_id(1));
  if (any(at >= size)) return;
#ifdef DEEP
  const float4 colour = clamp(LOAD_PLANES(in, at.x, at.y), 0.0f, 1.0f);
  STORE_COLOUR(out, at.x, at.y, colour);
#else
  const int4 levels = LOAD_RGBA(in, at.x, at.y);
  STORE_LEVELS(out, at.x, at.y, levels);
#endif
}

// `before`: the frame `in` as converted by planes_to_rgba. Pixels of `after` that equal it keep
// their original values. If `keeps_chroma.x` is 1, all samples of chroma do, but those of changed
// pixels in column `keeps_chroma.y`. A work-item per chroma sample.
__kernel void planes_from_rgba(IN_FRAME(before), IN_FRAME(after), IN_PLANES(in), OUT_PLANES(out),
                               int2 size, int2 keeps_chroma) {
  const int2 sample = (int2)(get_global_id(0), get_global_id(1));
#if LAYOUT == PACKED
  if (any(sample >= size)) return;
  const int4 levels = LOAD_LEVELS(after, sample.x, sample.y);
  STORE_RGBA(out, sample.x, sample.y, levels);
#else
  const int2 first = sample << CHROMA_SHIFT, last = min(first + (1 << CHROMA_SHIFT), size) - 1;
  if (any(first >= size)) return;
  COLOUR sum = 0;
  bool changed = false;
  for (int y = first.y; y <= last.y; y++)
    for (int x = first.x; x <= last.x; x++) {
      const COLOUR colour = LOAD_SAME(after, x, y);
      const bool keeps = all(colour == LOAD_SAME(before, x, y));
      const int luma = keeps ? LOAD_LUMA(in, x, y) : LUMA_OF(colour);
      STORE_LUMA(out, x, y, luma);
      sum += colour;
      changed |= !keeps;
    }
#if LAYOUT != GREY
  const int2 shifts = last - first;
  if (keeps_chroma.x) changed &= keeps_chroma.y >= first.x && keeps_chroma.y <= last.x;
  const int2 chroma =
      changed ? CHROMA_OF(sum, shifts.x + shifts.y) : LOAD_CHROMA(in, sample.x, sample.y);
  STORE_CHROMA(out, sample.x, sample.y, chroma);
#endif
#endif
}
