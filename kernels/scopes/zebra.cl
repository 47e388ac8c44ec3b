// SPDX-License-Identifier: LGPL-2.1-or-later
// Draws stripes over pixels whose luma is too low or too high. `frame` is the frame in its own
// format, `in` and `out` are the canvas. Pixels without stripes are not written. Build options:
// those of scopes/values.clh. An item per pixel.
#include "scopes/interface.h"
#include "scopes/values.clh"

__kernel void scope_zebra(IN_PLANES(frame), IN_FRAME(in), OUT_FRAME(out), Zebra how) {
  const int x = get_global_id(0), y = get_global_id(1);
  if (x >= how.size.x || y >= how.size.y) return;
  const int luma = LUMA_AT(frame, x, y);
  if (luma >= how.low && luma <= how.high) return;
  // Stripes of high values rise to the right, of low ones to the left.
  const int along = luma > how.high ? x + y : x - y + how.size.y;
  const int level = along / how.width % 2 ? 255 : 0;
  STORE_LEVELS(out, x, y, (int4)(level, level, level, how.overlay ? 255 : LOAD_LEVELS(in, x, y).w));
}
