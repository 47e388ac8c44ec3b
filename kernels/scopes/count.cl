// SPDX-License-Identifier: LGPL-2.1-or-later
// Counts the values of each column of a frame: counts[(channel * LEVELS + value) * columns +
// column]. Build options: those of scopes/values.clh, and
//   MODE   channels: LUMA, RGB or YCBCR
//   GROUP  work-items per group. A single one, for CPUs, has columns of its own and counts them in
//          the result. Larger groups count in local memory and add to a result that is zero.
//   TILE   columns per group
#include "scopes/columns.clh"
#include "scopes/interface.h"
#include "scopes/values.clh"

#define LUMA 0
#define RGB 1
#define YCBCR 2
#if MODE == LUMA
#define CHANNELS 1
#define PIXEL_VOTES(across, down, column) VOTE(0, LUMA_AT(in, across, down), column)
#elif MODE == RGB
#define CHANNELS 3
#define PIXEL_VOTES(across, down, column)      \
  {                                            \
    const int4 rgb = RGB_AT(in, across, down); \
    VOTE(0, rgb.x, column);                    \
    VOTE(1, rgb.y, column);                    \
    VOTE(2, rgb.z, column);                    \
  }
#else
#define CHANNELS 3
#define PIXEL_VOTES(across, down, column) VOTE(0, LUMA_AT(in, across, down), column)
#define SAMPLE_VOTES(across, down, column)           \
  {                                                  \
    const int2 chroma = CHROMA_AT(in, across, down); \
    VOTE(1, chroma.x, column);                       \
    VOTE(2, chroma.y, column);                       \
  }
#endif

#if GROUP == 1
#define VOTE(channel, value, column) counts[((channel)*LEVELS + (value)) * columns + (column)]++

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void scope_count(IN_PLANES(in),
                                                                         __global uint *counts,
                                                                         Counting how) {
  const int4 area = how.area;
  const int columns = how.columns, first = get_global_id(0) * TILE,
            end = min(first + TILE, columns);
  for (int i = 0; i < CHANNELS * LEVELS; i++)
    for (int column = first; column < end; column++) counts[i * columns + column] = 0;
  int starts[TILE + 1];  // the first pixel or sample of each column
  for (int i = 0; i <= end - first; i++) starts[i] = first_pixel(first + i, columns, area.z);
  for (int y = area.y; y < area.y + area.w; y++)
    for (int column = first; column < end; column++)
      for (int x = starts[column - first]; x < starts[column - first + 1]; x++)
        PIXEL_VOTES(area.x + x, y, column);
#ifdef SAMPLE_VOTES
  for (int i = 0; i <= end - first; i++)
    starts[i] = first_sample(first + i, columns, area.x, area.z, CHROMA_SHIFT);
  const int last = (area.y + area.w - 1) >> CHROMA_SHIFT;
  for (int y = area.y >> CHROMA_SHIFT; y <= last; y++)
    for (int column = first; column < end; column++)
      for (int x = starts[column - first]; x < starts[column - first + 1]; x++)
        SAMPLE_VOTES(x, y, column);
#endif
}
#else
#define VOTE(channel, value, column) \
  atomic_inc(&votes[((channel)*LEVELS + (value)) * TILE + (column)-first])

// Groups along y share the rows of the columns.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void scope_count(IN_PLANES(in),
                                                                             __global uint *counts,
                                                                             Counting how) {
  __local uint votes[CHANNELS * LEVELS * TILE];
  const int4 area = how.area;
  const int lane = get_local_id(0), band = get_group_id(1), columns = how.columns,
            first = get_group_id(0) * TILE, end = min(first + TILE, columns);
  for (int i = lane; i < CHANNELS * LEVELS * TILE; i += GROUP) votes[i] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);

  const int left = first_pixel(first, columns, area.z),
            wide = first_pixel(end, columns, area.z) - left, top = area.w * band / how.bands,
            high = area.w * (band + 1) / how.bands - top;
  for (int i = lane; i < wide * high; i += GROUP) {
    const int y = i / wide, x = left + i - y * wide, column = x * columns / area.z;
    PIXEL_VOTES(area.x + x, area.y + top + y, column);
  }
#ifdef SAMPLE_VOTES
  const int samples = samples_of(area.y, area.w, CHROMA_SHIFT),
            from = first_sample(first, columns, area.x, area.z, CHROMA_SHIFT),
            many = first_sample(end, columns, area.x, area.z, CHROMA_SHIFT) - from,
            upper = samples * band / how.bands, rows = samples * (band + 1) / how.bands - upper;
  for (int i = lane; i < many * rows; i += GROUP) {
    const int y = i / many, x = from + i - y * many,
              pixel = max(x << CHROMA_SHIFT, area.x) - area.x, column = pixel * columns / area.z;
    SAMPLE_VOTES(x, (area.y >> CHROMA_SHIFT) + upper + y, column);
  }
#endif
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = lane; i < CHANNELS * LEVELS * TILE; i += GROUP) {
    const int column = first + i % TILE;
    if (column < end && votes[i]) atomic_add(&counts[i / TILE * columns + column], votes[i]);
  }
}
#endif
