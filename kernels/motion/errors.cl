// SPDX-License-Identifier: LGPL-2.1-or-later
// The error of a prediction in whole pixels.
#include "motion/cost.clh"
#include "motion/interface.h"
#include "motion/plane.clh"

// Sums the squared errors of a frame that is predicted by one whole-pixel vector per block. Each
// work-group writes one partial sum. `keys`: the keys of the blocks, `step` elements apart.
// `columns`: blocks per row.
__kernel __attribute__((reqd_work_group_size(SUMMERS, 1, 1))) void motion_errors(
    __global const ulong *keys, int step, int block, int columns, __global const uchar *current,
    __global const uchar *reference, int pitch, int width, int height, __global long *sums) {
  __local long all[SUMMERS];
  const int item = get_local_id(0), group = get_group_id(0), groups = get_num_groups(0);
  long sum = 0;
  for (int y = group; y < height; y += groups)
    for (int x = 4 * item; x < width; x += 4 * SUMMERS) {
      const int2 v = vector_of((uint)keys[(y / block * columns + x / block) * step]) / 4;
      const int4 d = convert_int4(vload4(0, current + AT(x, y, pitch))) -
                     convert_int4(vload4(0, reference + AT(x + v.x, y + v.y, pitch)));
      const int4 squares = x + (int4)(0, 1, 2, 3) < width ? d * d : 0;
      sum += squares.x + squares.y + squares.z + squares.w;
    }
  all[item] = sum;
  for (int part = SUMMERS / 2; part; part /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item < part) all[item] += all[item + part];
  }
  if (item == 0) sums[group] = all[0];
}
