// SPDX-License-Identifier: LGPL-2.1-or-later
// The background in cells, for objects that stand still.
#include "camera/interface.h"
#include "objects/interface.h"
#include "objects/tuned.clh"

// Averages the background over cells of STANDING_CELL px a side, in 256ths of a level;
// UNKNOWN_LEVEL where less than half of the pixels are known. `levels`, `history`: from
// objects_background. A work-item per cell.
__kernel void objects_standing(__global const float2 *levels, __global const PixelHistory *history,
                               int2 size, int2 cells, __global ushort *means) {
  const int2 position = (int2)(get_global_id(0), get_global_id(1));
  if (any(position >= cells)) return;
  const int2 from = position * STANDING_CELL, end = min(from + STANDING_CELL, size);
  float sum = 0.0f;
  int count = 0;
  for (int y = from.y; y < end.y; y++)
    for (int x = from.x; x < end.x; x++) {
      const int at = y * size.x + x;
      if (history[at].ages.x < YOUNG_AGE) continue;
      sum += levels[at].x;
      count++;
    }
  const int2 side = end - from;
  means[position.y * cells.x + position.x] =
      2 * count < side.x * side.y
          ? UNKNOWN_LEVEL
          : convert_ushort_rte(clamp(256.0f * sum / count, 0.0f, UNKNOWN_LEVEL - 1.0f));
}
