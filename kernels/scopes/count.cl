// SPDX-License-Identifier: LGPL-2.1-or-later
// Counts the values of each column of a frame: counts[(channel * LEVELS + value) * columns +
// column]. On GPUs it also counts the chroma samples, as chroma.cl does on CPUs. Build options:
// those of scopes/values.clh, and
//   MODE   channels: LUMA, RGB or YCBCR
//   GROUP  work-items per group. A single one, for CPUs, has columns of its own and counts them in
//          the result. Larger groups count in local memory and add to a result that is zero.
//   TILE   columns per group
#include "scopes/cells.clh"
#include "scopes/columns.clh"
#include "scopes/interface.h"
#include "scopes/values.clh"

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
#define VOTES (CHANNELS * LEVELS * TILE)
#define SHARED (VOTES > CELL_CACHE ? VOTES : CELL_CACHE)

inline void clear(__local uint *shared, int lane) {
  for (int i = lane; i < SHARED; i += GROUP) shared[i] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
}

// Counts columns and chroma samples, of which `how.parts` has bits. Groups along x have columns of
// their own, groups along y share their rows. Both parts are one launch, because frames are small
// for a GPU.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void scope_count(IN_PLANES(in),
                                                                             __global uint *counts,
                                                                             __global uint *cells,
                                                                             Counting how) {
  __local uint votes[SHARED];
  const int4 area = how.area;
  const int lane = get_local_id(0), band = get_group_id(1), columns = how.columns,
            first = get_group_id(0) * TILE, end = min(first + TILE, columns);
  if (how.parts & COUNT_COLUMNS && first < columns) {
    clear(votes, lane);
    const int left = first_pixel(first, columns, area.z),
              wide = first_pixel(end, columns, area.z) - left, top = area.w * band / how.bands,
              bottom = area.w * (band + 1) / how.bands;
    // Items have pixels below each other. Wider tiles than the group have several pixels beside
    // each other.
    const int rows_apart = max(GROUP / wide, 1), row = lane / wide;
    for (int x = left + lane - row * wide; row < rows_apart && x < left + wide; x += GROUP) {
      const int column = x * columns / area.z;
      for (int y = top + row; y < bottom; y += rows_apart)
        PIXEL_VOTES(area.x + x, area.y + y, column);
    }
#ifdef SAMPLE_VOTES
    const int samples = samples_of(area.y, area.w, CHROMA_SHIFT),
              from = first_sample(first, columns, area.x, area.z, CHROMA_SHIFT),
              many = first_sample(end, columns, area.x, area.z, CHROMA_SHIFT) - from,
              upper = (area.y >> CHROMA_SHIFT) + samples * band / how.bands,
              lower = (area.y >> CHROMA_SHIFT) + samples * (band + 1) / how.bands,
              samples_apart = max(GROUP / many, 1), sample_row = lane / many;
    for (int x = from + lane - sample_row * many; sample_row < samples_apart && x < from + many;
         x += GROUP) {
      const int pixel = max(x << CHROMA_SHIFT, area.x) - area.x, column = pixel * columns / area.z;
      for (int y = upper + sample_row; y < lower; y += samples_apart) SAMPLE_VOTES(x, y, column);
    }
#endif
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = lane; i < VOTES; i += GROUP) {
      const int column = first + i % TILE;
      if (column < end && votes[i]) atomic_add(&counts[i / TILE * columns + column], votes[i]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
#ifdef CHROMA_AT
  if (how.parts & COUNT_CHROMA) {
    clear(votes, lane);
    const int wide = samples_of(area.x, area.z, CHROMA_SHIFT),
              high = samples_of(area.y, area.w, CHROMA_SHIFT), across = (wide + GROUP - 1) / GROUP,
              bands = max((int)(get_num_groups(0) * get_num_groups(1)) / across, 1),
              group = band * get_num_groups(0) + get_group_id(0);
    // Items have columns of samples below each other. Equal ones are added at once.
    for (int job = group; job < across * bands; job += get_num_groups(0) * get_num_groups(1)) {
      const int x = job % across * GROUP + lane, top = high * (job / across) / bands,
                bottom = x < wide ? high * (job / across + 1) / bands : 0;
      CellRun run = {0, 0};
      for (int y = top; y < bottom; y += BATCH) {
        int batch[BATCH];
#pragma unroll
        for (int i = 0; i < BATCH; i++)
          batch[i] = cell_of(CHROMA_AT(in, (area.x >> CHROMA_SHIFT) + x,
                                       (area.y >> CHROMA_SHIFT) + min(y + i, bottom - 1)));
#pragma unroll
        for (int i = 0; i < BATCH; i++)
          if (y + i < bottom) add_sample(&run, votes, cells, batch[i]);
      }
      add_run(run, votes, cells);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = lane; i < CACHED; i += GROUP) add_cached(i, votes, cells);
  }
#endif
}
#endif
