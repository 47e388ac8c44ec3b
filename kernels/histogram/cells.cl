// SPDX-License-Identifier: LGPL-2.1-or-later
// Writes the mean luma of the frame's cells, 256 times the level, from at most 16×16 samples each.
// A work-group per cell.
#include "common/luma.clh"

#define SAMPLES 16

__kernel void cells(IN_LUMA(in), int width, int height, int columns, int rows, __global uint *out,
                    int first) {
  const int cell = get_group_id(1);
  const int x = cell % columns, y = cell / columns;
  const int x0 = x * width / columns, y0 = y * height / rows;
  const int x1 = max((x + 1) * width / columns, x0 + 1), y1 = max((y + 1) * height / rows, y0 + 1);
  const int step_x = (x1 - x0 + SAMPLES - 1) / SAMPLES, step_y = (y1 - y0 + SAMPLES - 1) / SAMPLES;
  const int across = (x1 - x0 + step_x - 1) / step_x,
            count = across * ((y1 - y0 + step_y - 1) / step_y);

  __local uint sum;
  if (get_local_id(0) == 0) sum = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  uint own = 0;
  for (int i = get_local_id(0); i < count; i += get_local_size(0)) {
    const int2 at = (int2)(x0 + i % across * step_x, y0 + i / across * step_y);
#ifdef HAS_LUMA
    own += (uint)(256.0f * LOAD_LEVEL(in, at.s0, at.s1) + 0.5f);
#else
    const int4 levels = LOAD_LEVELS(in, at.s0, at.s1);
    own += 77 * levels.x + 150 * levels.y + 29 * levels.z;
#endif
  }
  atomic_add(&sum, own);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (get_local_id(0) == 0) out[first + cell] = sum / count;
}
