// SPDX-License-Identifier: LGPL-2.1-or-later
// Blends a drawing over a frame in planes of luma and chroma. COSITED_X, COSITED_Y: 1 if a chroma
// sample lies on its block's first pixel along this axis, 0 if in the middle.
#include "common/planes.clh"

// The chroma of a block comes from its pixels. Along a cosited axis it also comes from the pixels
// before them, which count half. The weights of all pixels add to 2^SHIFT.
#define BEFORE_X (LAYOUT == GREY ? 0 : COSITED_X)
#define BEFORE_Y (LAYOUT == GREY ? 0 : COSITED_Y)
#define SPAN_X (BEFORE_X + BLOCK_SIDE)
#define SPAN_Y (BEFORE_Y + BLOCK_SIDE)
#define PART(i, before) ((before) && (i) == 1 ? 2 : 1)
#define SHIFT ((BEFORE_X ? 2 : CHROMA_SHIFT) + (BEFORE_Y ? 2 : CHROMA_SHIFT))

// Converts a number times 255 to 14 fractional bits. Whole numbers remain whole.
#define SCALED(product) (64 * (product) + ((product) >> 2) + ((product) >> 10))

// The frame's value counts as far as the drawing is transparent; the drawing's premultiplied colour
// is added.
inline int blended_luma(int luma, int4 levels) {
  const int below = (255 - levels.w) * (luma - BLACK);
  const int steps = LUMA_OF_RED * levels.x + LUMA_OF_GREEN * levels.y + LUMA_OF_BLUE * levels.z;
  return clamp(BLACK + ((SCALED(below) + steps + (1 << 13)) >> 14), 0, VALUE_MAX);
}
#if LAYOUT != GREY
// `sum`: weighted sum of the levels of a block.
inline int2 blended_chroma(int2 chroma, int4 sum) {
  const int2 below = ((255 << SHIFT) - sum.w) * (chroma - GREY_CHROMA);
  const int2 steps = (int2)(U_OF_RED, V_OF_RED) * sum.x + (int2)(U_OF_GREEN, V_OF_GREEN) * sum.y +
                     (int2)(U_OF_BLUE, V_OF_BLUE) * sum.z;
  return clamp(GREY_CHROMA + ((SCALED(below) + steps + (1 << (13 + SHIFT))) >> (14 + SHIFT)), 0,
               VALUE_MAX);
}
#endif

// `drawing`: BGRA, premultiplied. Only the rectangle `covered` counts: left, top, right, bottom.
// Values outside it stay equal. A work-item per block, from block `start` on.
__kernel void planes_blend(IN_PLANES(in), IN_FRAME(drawing), OUT_PLANES(out), int4 covered,
                           int2 start, int2 size) {
  const int2 block = start + (int2)(get_global_id(0), get_global_id(1)), first = BLOCK_SIDE * block;
  if (any(first >= size)) return;
  int4 levels[SPAN_Y * SPAN_X], sum = 0;
#pragma unroll
  for (int k = 0; k < SPAN_Y * SPAN_X; k++) {
    const int2 part = (int2)(k % SPAN_X, k / SPAN_X),
               at = clamp(first + part - (int2)(BEFORE_X, BEFORE_Y), 0, size - 1);
    const bool drawn =
        at.x >= covered.x && at.y >= covered.y && at.x < covered.z && at.y < covered.w;
    levels[k] = drawn ? LOAD_LEVELS(drawing, at.x, at.y).zyxw : (int4)(0);
    sum += PART(part.x, BEFORE_X) * PART(part.y, BEFORE_Y) * levels[k];
  }
#pragma unroll
  for (int k = 0; k < BLOCK_PIXELS; k++) {
    const int2 at = BLOCK_PIXEL(k, first, size);
    const int luma = LOAD_LUMA(in, at.x, at.y);
    const int result =
        sum.w ? blended_luma(
                    luma, levels[(BEFORE_Y + k / BLOCK_SIDE) * SPAN_X + BEFORE_X + k % BLOCK_SIDE])
              : luma;
    STORE_LUMA(out, at.x, at.y, result);
  }
#if LAYOUT != GREY
  const int2 chroma = blended_chroma(LOAD_CHROMA(in, block.x, block.y), sum);
  STORE_CHROMA(out, block.x, block.y, chroma);
#endif
}
