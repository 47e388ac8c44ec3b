// SPDX-License-Identifier: LGPL-2.1-or-later
// Measures the picture for events of the scene: level, detail and colour per cell, and where the
// luma is that of the frame before. Build with -DITEMS=n, the items of a group: 1, or a multiple of
// 32.
#include "common/sum.clh"
#include "motion/plane.clh"
#include "noise/bands.clh"
#include "objects/interface.h"

#define MOST_DETAIL 10000.0f  // 16ths of a level²

// Adds values of the items of a group. All items call it.
inline void add(__local uint *sum, uint value) {
#ifdef WARP_TOTAL
  value = warp_total(value);
  if (get_local_id(0) % 32) return;
#endif
  atomic_add(sum, value);
}

// `list`: a RegionList, after which the sums are written. `plane`, `before`: the luma of this frame
// and of the one before. `small`, `colours`: the reduced frame, see objects_colours. A work-group
// per cell, which also compares a part of the planes.
__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void objects_scene(
    __global const uint4 *plane, __global const uint4 *before, __global const float *small,
    __global const short2 *colours, __global const NoiseState *noise, __global RegionList *list,
    SceneRun run) {
  __local uint level_sum, detail_sum, colour_sum, changed_sum;
  __global SceneSums *sums = (__global SceneSums *)(list + 1);
  const int item = get_local_id(0), cell = get_group_id(0), cells = run.cells.x * run.cells.y;
  if (item == 0) level_sum = detail_sum = colour_sum = changed_sum = 0;
  const int2 at = (int2)(cell % run.cells.x, cell / run.cells.x), size = run.size,
             first = at * size / run.cells, end = (at + 1) * size / run.cells,
             area = (end - first + run.spacing - 1) / run.spacing;
  uint level = 0, detail = 0, colour = 0, changed = 0;
  for (int i = item; i < area.x * area.y; i += ITEMS) {
    const int x = first.x + i % area.x * run.spacing, y = first.y + i / area.x * run.spacing;
    __global const float *row = small + y * size.x;
    const float here = row[x],
                around = row[max(x - 1, 0)] + row[min(x + 1, size.x - 1)] +
                         small[max(y - 1, 0) * size.x + x] +
                         small[min(y + 1, size.y - 1) * size.x + x],
                difference = here - 0.25f * around;
    level += convert_uint_rte(16.0f * here);
    detail += convert_uint_rte(fmin(16.0f * difference * difference, MOST_DETAIL));
    if (run.colours) {
      const int2 c = convert_int2(colours[y * size.x + x]);
      colour += max(abs(c.x), abs(c.y));
    }
  }
  // The rows of the frame, with their padding.
  const int words = run.pitch / 16 * run.height, chunk = (words + cells - 1) / cells,
            last = min((cell + 1) * chunk, words), rows = PAD * (run.pitch / 16);
  for (int i = cell * chunk + item; i < last; i += ITEMS)
    changed |= any(plane[rows + i] != before[rows + i]);
  barrier(CLK_LOCAL_MEM_FENCE);
  add(&level_sum, level);
  add(&detail_sum, detail);
  add(&colour_sum, colour);
  add(&changed_sum, changed);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (item) return;
  const float mean = level_sum / (16.0f * area.x * area.y);
  const SceneCell result = {level_sum, detail_sum, colour_sum,
                            run.noise ? noise_variance_at(noise->variances, mean) : 0.0f};
  sums->cells[cell] = result;
  sums->changed[cell] = changed_sum > 0;
}
