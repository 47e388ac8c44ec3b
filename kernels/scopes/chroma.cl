// SPDX-License-Identifier: LGPL-2.1-or-later
// Counts the chroma samples of a frame: cells[Cr * SIDE + Cb], the upper 8 bits of each. Build
// options: those of scopes/values.clh, and
//   GROUP  work-items per group. A single one, for CPUs, has rows and a copy of the cells of its
//   own.
//          The items of larger groups add runs of equal samples to cells that are zero.
#include "scopes/columns.clh"
#include "scopes/interface.h"
#include "scopes/values.clh"

#define CELL_SHIFT (LEVELS > SIDE ? 2 : 0)
#define RUN 8  // samples of an item

inline int cell_of(int2 chroma) {
  return (chroma.y >> CELL_SHIFT) * SIDE + (chroma.x >> CELL_SHIFT);
}

#if GROUP == 1
__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void scope_count_chroma(
    IN_PLANES(in), __global uint *cells, Counting how) {
  const int4 area = how.area;
  const int band = get_global_id(0), left = area.x >> CHROMA_SHIFT, top = area.y >> CHROMA_SHIFT,
            width = samples_of(area.x, area.z, CHROMA_SHIFT),
            height = samples_of(area.y, area.w, CHROMA_SHIFT);
  __global uint *own = cells + band * SIDE * SIDE;
  for (int i = 0; i < SIDE * SIDE; i++) own[i] = 0;
  const int end = height * (band + 1) / how.bands;
  for (int y = height * band / how.bands; y < end; y++)
    for (int x = 0; x < width; x++) own[cell_of(CHROMA_AT(in, left + x, top + y))]++;
}
#else
// An item per run, a row of items per row of samples.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void scope_count_chroma(
    IN_PLANES(in), __global uint *cells, Counting how) {
  const int4 area = how.area;
  const int left = area.x >> CHROMA_SHIFT, width = samples_of(area.x, area.z, CHROMA_SHIFT),
            y = (area.y >> CHROMA_SHIFT) + (int)get_global_id(1);
  int last = -1;
  uint votes = 0;
  // Adjacent items read adjacent samples.
  for (int i = 0; i < RUN; i++) {
    const int x = (int)get_group_id(0) * GROUP * RUN + i * GROUP + (int)get_local_id(0);
    if (x >= width) break;
    const int cell = cell_of(CHROMA_AT(in, left + x, y));
    if (cell != last && votes) {
      atomic_add(&cells[last], votes);
      votes = 0;
    }
    last = cell;
    votes++;
  }
  if (votes) atomic_add(&cells[last], votes);
}
#endif

// Adds all copies to the first one. An item per cell.
__kernel void scope_add_copies(__global uint *cells, int copies) {
  const int i = get_global_id(0);
  if (i >= SIDE * SIDE) return;
  uint sum = 0;
  for (int copy = 0; copy < copies; copy++) sum += cells[copy * SIDE * SIDE + i];
  cells[i] = sum;
}
