// SPDX-License-Identifier: LGPL-2.1-or-later
// Writes the mean luma of the frame's cells, 256 times the level, from at most 16×16 samples each.
// The detail of each follows, in (1/8 level)²: the sum of the mean squared differences to the next
// pixel and to the one two rows below. That row is of the same field if the frame is interlaced. A
// work-group per cell.
#include "common/luma.clh"

#define SAMPLES 16

#ifdef HAS_LUMA
#define LUMA(name, x, y) ((int)(256.0f * LOAD_LEVEL(name, x, y) + 0.5f))
#else
#define LUMA(name, x, y) luma_of(LOAD_LEVELS(name, x, y))
inline int luma_of(int4 levels) { return 77 * levels.x + 150 * levels.y + 29 * levels.z; }
#endif

inline uint squared_difference(int a, int b) {
  const uint difference = abs(a - b) >> 5;
  return difference * difference;
}

__kernel void cells(IN_LUMA(in), int width, int height, int columns, int rows, __global uint *out,
                    int first) {
  const int cell = get_group_id(1);
  const int x = cell % columns, y = cell / columns;
  const int x0 = x * width / columns, y0 = y * height / rows;
  const int x1 = max((x + 1) * width / columns, x0 + 1), y1 = max((y + 1) * height / rows, y0 + 1);
  const int step_x = (x1 - x0 + SAMPLES - 1) / SAMPLES, step_y = (y1 - y0 + SAMPLES - 1) / SAMPLES;
  const int across = (x1 - x0 + step_x - 1) / step_x,
            count = across * ((y1 - y0 + step_y - 1) / step_y);

  __local uint sum, detail;
  if (get_local_id(0) == 0) sum = detail = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  uint own = 0, own_detail = 0;
  for (int i = get_local_id(0); i < count; i += get_local_size(0)) {
    const int2 at = (int2)(x0 + i % across * step_x, y0 + i / across * step_y);
    const int below = at.s1 + 2 < height ? at.s1 + 2 : at.s1;
    const int luma = LUMA(in, at.s0, at.s1);
    own += luma;
    own_detail += squared_difference(luma, LUMA(in, min(at.s0 + 1, width - 1), at.s1)) +
                  squared_difference(luma, LUMA(in, at.s0, below));
  }
  atomic_add(&sum, own);
  atomic_add(&detail, own_detail);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (get_local_id(0) == 0) {
    out[first + cell] = sum / count;
    out[first + columns * rows + cell] = detail / count;
  }
}
