// SPDX-License-Identifier: LGPL-2.1-or-later
// The range that a frame needs, by full searches of ranges that grow, on planes of half the size.
#define GROUP 64

// Adds up the costs of `count` keys. One work-group of GROUP items.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void motion_range_sum(__global const ulong *keys, int count, int step, __global ulong *sums) {
  __local ulong all[GROUP];
  const int item = get_local_id(0);
  ulong sum = 0;
  for (int i = item; i < count; i += GROUP) sum += keys[i] >> 32;
  all[item] = sum;
  for (int left = GROUP / 2; left > 0; left /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item < left) all[item] += all[item + left];
  }
  if (item == 0) sums[step] = all[0];
}

// Of the ranges `ranges` the first whose sum is at most a 32nd above that of the last one; or, sooner, the first with which the
// squared errors of the last frame, `parts` of them in the x of `errors`, would grow or shrink to at most `target` if they went
// with the square of the sum. `target` below 0: not that. `last`, where `follows` that frame: its sum at the range that was chosen, and
// now this frame's. One work-item.
__kernel void motion_range_choose(__global const ulong *sums, __global const int *ranges, int steps,
                                  __global const long4 *errors, int parts, float target, int follows,
                                  __global ulong *last, __global int *range) {
  const ulong least = sums[steps - 1];
  int chosen = steps - 1;
  for (int i = steps - 2; i >= 0; i--)
    if (sums[i] * 32 <= least * 33) chosen = i;
  if (target >= 0.0f && follows) {
    long error = 0;
    for (int i = 0; i < parts; i++) error += errors[i].x;
    const float known = (float)*last;
    for (int i = chosen; i >= 0; i--) {
      const float sum = (float)sums[i];
      if ((float)error * sum * sum <= target * known * known) chosen = i;
    }
  }
  *last = sums[chosen];
  *range = ranges[chosen];
}
