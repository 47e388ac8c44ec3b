// SPDX-License-Identifier: LGPL-2.1-or-later
// The histogram by work-groups in the layouts of chapter 4 of J. Gómez Luna, "Programming issues
// for video analysis on Graphics Processing Units", 2012, which kernels/histogram/group.cl has in
// the one that pays. Frames are buffers. Build as runs.clh says, with
//   COPY_STEP   from one copy of the counters to the next, in words of local memory
//   BY_SUB_GROUP     1: a copy per 32 work-items; 0: neighbours take turns
//   INTERLEAVE  1: the sub-groups of 32 of a group read far apart, each its part of the frame; 0:
//   side by side
#include "histogram/runs.clh"

// of all copies, four words each
#define SIZE (((COPIES - 1) * COPY_STEP + (WORDS - 1) * WORD_STEP + 4) / 4)

// `out`, `next`: as in count.clh. Work-items: the groups along x, frames along y.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void histogram_layout(
    SOURCE, __global uint *out, __global uint *next) {
  const int lane = get_local_id(0), group = get_group_id(0), groups = get_num_groups(0);
  __global uint *sums = COUNTS_OF(out);
  clear_next(next);
#if COPIES
  __local uint4 words[SIZE];
  for (int i = lane; i < SIZE; i += GROUP) words[i] = (uint4)(0);
  barrier(CLK_LOCAL_MEM_FENCE);
  __local uint *copies = (__local uint *)words;
  WORDS_OF_ITEM *own = copies + (BY_SUB_GROUP ? lane / SUB_GROUP : lane % COPIES) * COPY_STEP;
#else
  WORDS_OF_ITEM *own = sums;
#endif

  const int runs = ROW_RUNS * RUN_ROWS;
#if INTERLEAVE
  const int parts = (GROUP + SUB_GROUP - 1) / SUB_GROUP, part = lane / SUB_GROUP;
  const int step = min(GROUP, SUB_GROUP) * groups;
  const int first =
      (int)((long)runs * part / parts) + min(GROUP, SUB_GROUP) * group + lane % SUB_GROUP;
  const int end = (int)((long)runs * (part + 1) / parts);
#else
  const int step = GROUP * groups, first = group * GROUP + lane, end = runs;
#endif
  vote_runs(own, in, pitch, frame_pitch, area, first, step, end, false);

#if COPIES
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = lane; i < WORDS; i += GROUP) {
    uint sum = 0, upper = 0;
    for (int copy = 0; copy < COPIES; copy++) {
      const uint word = copies[(copy + lane) % COPIES * COPY_STEP + i * WORD_STEP];
      sum += PACKED ? word & 0xffff : word;
      upper += word >> 16;
    }
    const int counter = PACKED ? i + i / LEVELS * LEVELS : i;
    if (sum) atomic_add(sums + counter, sum);
    if (PACKED && upper) atomic_add(sums + counter + LEVELS, upper);
  }
#endif
}
