// SPDX-License-Identifier: LGPL-2.1-or-later
// Counts the chroma samples of a frame on CPUs: cells[Cr * SIDE + Cb], the upper 8 bits of each. An
// item has rows and a copy of the cells of its own. Build options: those of scopes/values.clh.
#include "scopes/cells.clh"
#include "scopes/columns.clh"
#include "scopes/values.clh"

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

// Adds all copies to the first one. An item per cell.
__kernel void scope_add_copies(__global uint *cells, int copies) {
  const int i = get_global_id(0);
  if (i >= SIDE * SIDE) return;
  uint sum = 0;
  for (int copy = 0; copy < copies; copy++) sum += cells[copy * SIDE * SIDE + i];
  cells[i] = sum;
}
