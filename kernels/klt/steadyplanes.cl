// SPDX-License-Identifier: LGPL-2.1-or-later
// The output of klt/stabilize.cl for frames in planes, at their full bit depth. Each plane is
// sampled at the positions of its own samples.
#include "common/planes.clh"
#include "klt/interface.h"
#include "klt/steady.clh"

// Adds to `sum` the cubic interpolation of 16 pixels of a plane, whose edge repeats. `load(name, x,
// y)` gives a pixel, `as` converts it to floats. A macro, because the type of pixels differs.
#define ADD_CUBIC(sum, load, as, name, at, size)                                                   \
  {                                                                                                \
    const float2 corner = floor(at);                                                               \
    const int2 first = convert_int2(corner) - 1, last = (size)-1;                                  \
    const float4 across = cubic((at).x - corner.x), down = cubic((at).y - corner.y);               \
    const int4 columns = clamp(first.x + (int4)(0, 1, 2, 3), 0, last.x);                           \
    for (int j = 0; j < 4; j++) {                                                                  \
      const int row = clamp(first.y + j, 0, last.y);                                               \
      const float part = j == 0 ? down.x : j == 1 ? down.y : j == 2 ? down.z : down.w;             \
      sum +=                                                                                       \
          part *                                                                                   \
          (across.x * as(load(name, columns.x, row)) + across.y * as(load(name, columns.y, row)) + \
           across.z * as(load(name, columns.z, row)) + across.w * as(load(name, columns.w, row))); \
    }                                                                                              \
  }

// As klt_show. A work-item per block of pixels that share a chroma sample.
__kernel void klt_show_planes(IN_PLANES(in), OUT_PLANES(out), StabilizedView view,
                              __global const StabilizerState *stabilizer) {
  const int2 size = view.size;
  const float2 centre = view.centre, site = view.site;
  const float aspect = view.aspect;
  const int2 first_pixel = BLOCK_FIRST;
  if (any(first_pixel >= size)) return;
  for (int i = 0; i < BLOCK_PIXELS; i++) {
    const int2 pixel = BLOCK_PIXEL(i, first_pixel, size);
    const float2 at = source_position(stabilizer, convert_float2(pixel), centre, aspect);
    float luma = 0.0f;
    ADD_CUBIC(luma, LOAD_LUMA, convert_float, in, at, size);
    const int value = convert_int_rte(clamp(luma, 0.0f, (float)VALUE_MAX));
    STORE_LUMA(out, pixel.x, pixel.y, value);
  }
#if LAYOUT != GREY
  const int2 block = first_pixel / BLOCK_SIDE, blocks = (size + BLOCK_SIDE - 1) / BLOCK_SIDE;
  const float2 at =
      (source_position(stabilizer, convert_float2(first_pixel) + site, centre, aspect) - site) /
      BLOCK_SIDE;
  float2 chroma = 0.0f;
  ADD_CUBIC(chroma, LOAD_CHROMA, convert_float2, in, at, blocks);
  const int2 values = convert_int2_rte(clamp(chroma, 0.0f, (float)VALUE_MAX));
  STORE_CHROMA(out, block.x, block.y, values);
#endif
}
