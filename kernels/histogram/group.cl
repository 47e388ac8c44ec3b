// SPDX-License-Identifier: LGPL-2.1-or-later
// The histogram by work-groups, for GPUs. A few groups per compute unit process the frame and count
// in local memory. They have COPIES sub-histograms, so that neighbouring items rarely increment the
// same counter. Then they add their counts to the result. The method follows J. Gómez Luna,
// "Programming issues for video analysis on Graphics Processing Units", 2012, chapter 4. The copies
// of a counter are adjacent. Build options: see runs.clh. WORD_STEP is COPIES, or 1 without copies.
#include "histogram/runs.clh"

#define SIZE ((COPIES * WORDS + 3) / 4)  // uint4 elements for all copies

// `words`: sub-histograms in local memory. `whole`: all runs meet the conditions of read_whole().
inline void count(SOURCE, __global uint *out, __global uint *next, __local uint4 *words,
                  bool whole) {
  const int lane = get_local_id(0), group = get_group_id(0), groups = get_num_groups(0);
  __global uint *sums = COUNTS_OF(out);
  clear_next(next);
#if COPIES
  for (int i = lane; i < SIZE; i += GROUP) words[i] = (uint4)(0);
  barrier(CLK_LOCAL_MEM_FENCE);
  __local uint *copies = (__local uint *)words;
  WORDS_OF_ITEM *own = copies + lane % COPIES;
#else
  WORDS_OF_ITEM *own = sums;
#endif

  vote_runs(own, in, pitch, frame_pitch, area, group * GROUP + lane, GROUP * groups,
            ROW_RUNS * RUN_ROWS, whole);

#if COPIES
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = lane; i < WORDS; i += GROUP) {
    // Groups start at different words and items at different copies, which avoids conflicts.
    const int at = (i + group * SUB_GROUP) % WORDS;
    uint sum = 0, upper = 0;
#pragma unroll
    for (int copy = 0; copy < COPIES; copy++) {
      const uint word = copies[(copy + lane) % COPIES + at * WORD_STEP];
      sum += PACKED ? word & 0xffff : word;
      upper += word >> 16;
    }
    const int counter = PACKED ? at + at / LEVELS * LEVELS : at;
    add_count(sums, counter, sum);
    if (PACKED) add_count(sums, counter + LEVELS, upper);
  }
#endif
}

#if COPIES
#define LOCAL_WORDS __local uint4 words[SIZE]
#else
#define LOCAL_WORDS __local uint4 *words = 0
#endif

// Groups along x share a frame; frames are along y.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void histogram_group(
    SOURCE, __global uint *out, __global uint *next) {
  LOCAL_WORDS;
  count(in, pitch, frame_pitch, area, out, next, words, false);
}
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void histogram_whole(
    SOURCE, __global uint *out, __global uint *next) {
  LOCAL_WORDS;
  count(in, pitch, frame_pitch, area, out, next, words, true);
}
