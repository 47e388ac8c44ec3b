// SPDX-License-Identifier: LGPL-2.1-or-later
// Finds boxes around the foreground. Build with -DITEMS=n, the items of a group, a power of two.
#include "camera/interface.h"
#include "camera/similarity.clh"
#include "objects/deviation.clh"
#include "objects/regionlist.clh"
#include "objects/tuned.clh"
#include "objects/unionfind.clh"

#define FIRST_BIT(bits) (31 - (int)clz((bits) & -(bits)))

// A cell's first word: number of foreground pixels (bits 0-4), their first and last column and row
// (5-6, 7-8, 9-10, 11-12), sum of their distances (13-26). Its second word: sum of their levels
// (0-12), sum of the squared levels in 64ths (13-31).
inline uint cell_of(int count, int2 first, int2 last, int distance) {
  return count | first.x << 5 | last.x << 7 | first.y << 9 | last.y << 11 | distance << 13;
}
#define COUNT(cell) ((int)((cell)&31))
#define FIRST(cell) ((int2)((cell) >> 5 & 3, (cell) >> 9 & 3))
#define LAST(cell) ((int2)((cell) >> 7 & 3, (cell) >> 11 & 3))
#define DISTANCE(cell) ((int)((cell) >> 13))
#define LEVELS(levels_of_cell) ((int)((levels_of_cell)&8191))
#define SQUARES(levels_of_cell) ((int)((levels_of_cell) >> 13))

// The index of a cell's block, and its group; see objects_number_blocks.
inline int block_at(BlockGrid grid, int2 position) {
  const int2 block = min(position * REGION_CELL / grid.reduced_side, grid.blocks - 1);
  return block.y * grid.blocks.x + block.x;
}
inline int group_at(__global const int *groups, BlockGrid grid, int2 position) {
  return groups[block_at(grid, position)];
}

// Counts the foreground of each cell, without shadows, and labels the cell as a region of its own.
// `small`: the reduced frame. `mask`: 0 for cells without detection. `roots`: element 0 counts
// foreground pixels, including shadows. `groups`: of objects_number_blocks; `first` becomes the
// first cell of each that begins a region. A work-item per cell.
__kernel void objects_cells(__global const uchar *foreground, __global const float *small,
                            int2 size, __global const uchar *mask, int2 cells, __global uint2 *out,
                            __global int *labels, __global Region *regions,
                            __global volatile uint *roots, __global const int *groups,
                            __global volatile int *first_cells, BlockGrid grid) {
  const int2 position = (int2)(get_global_id(0), get_global_id(1));
  if (any(position >= cells)) return;
  const int2 from = position * REGION_CELL, end = min(size - from, (int2)(REGION_CELL));
  int2 first = REGION_CELL - 1, last = 0;
  int count = 0, distance = 0, levels = 0, squares = 0, shadows = 0;
  // The loop has a fixed count, because LLVM in PoCL 6 aborts otherwise.
  for (int i = 0; i < REGION_CELL * REGION_CELL; i++) {
    const int x = i % REGION_CELL, y = i / REGION_CELL;
    const int pixel = (from.y + y) * size.x + from.x + x;
    const int value = x < end.x && y < end.y ? foreground[pixel] : 0;
    shadows += value == SHADOW;
    if (value > OVERLAY) {
      const int level = clamp((int)small[pixel], 0, 255);
      first = min(first, (int2)(x, y)), last = max(last, (int2)(x, y));
      count++, distance += value;
      levels += level, squares += level * level;
    }
  }
  const int at = position.y * cells.x + position.x;
  const bool counts = mask[at] && count;
  if (mask[at] && count + shadows) atomic_add(&roots[0], count + shadows);
  out[at] = counts ? (uint2)(cell_of(count, first, last, distance), levels | squares / 64 << 13)
                   : (uint2)(0);
  labels[at] = at;
  if (!counts) return;
  const Region none = {INT_MAX, INT_MAX, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
  regions[at] = none;
  const int group = group_at(groups, grid, position);
  if (group > 0 && count >= STRONG) atomic_min(&first_cells[group - 1], at);
}

inline bool part_of_region(__global const uint2 *cells, int2 size, int2 position) {
  const int count = COUNT(cells[position.y * size.x + position.x].x);
  if (count >= STRONG) return true;
  if (count < WEAK) return false;
  for (int y = max(position.y - 1, 0); y <= min(position.y + 1, size.y - 1); y++)
    for (int x = max(position.x - 1, 0); x <= min(position.x + 1, size.x - 1); x++)
      if (COUNT(cells[y * size.x + x].x) >= STRONG) return true;
  return false;
}

inline int count_at(__global const uint2 *cells, int2 size, int2 position) {
  return any(position < 0) || any(position >= size)
             ? 0
             : COUNT(cells[position.y * size.x + position.x].x);
}

// True if one of the four blocks of 2x2 cells around a cell is solid foreground.
inline bool is_solid(__global const uint2 *cells, int2 size, int2 position) {
  for (int i = 0; i < 4; i++) {
    const int2 first = position - (int2)(i % 2, i / 2);
    if (count_at(cells, size, first) + count_at(cells, size, first + (int2)(1, 0)) +
            count_at(cells, size, first + (int2)(0, 1)) +
            count_at(cells, size, first + (int2)(1, 1)) >=
        SOLID)
      return true;
  }
  return false;
}

// Joins cells of regions. All cells of moving blocks in one group belong together. So do adjacent
// cells, and cells at most REACH apart if neither is solid. But their blocks must lie in or next to
// the same group, or have no group. A work-item per cell.
__kernel void objects_join(__global const uint2 *cells, int2 size, __global volatile int *labels,
                           __global const int *groups, __global const int *first_cells,
                           BlockGrid grid) {
  const int2 position = (int2)(get_global_id(0), get_global_id(1));
  if (any(position >= size) || !part_of_region(cells, size, position)) return;
  const int at = position.y * size.x + position.x,
            reach = is_solid(cells, size, position) ? 1 : REACH,
            group = group_at(groups, grid, position);
  if (group > 0 && first_cells[group - 1] < at) join(labels, at, first_cells[group - 1]);
  for (int v = max(position.y - reach, 0); v <= position.y; v++)
    for (int u = max(position.x - reach, 0); u <= min(position.x + reach, size.x - 1); u++) {
      const int other = v * size.x + u;
      const int2 there = (int2)(u, v);
      if (other >= at || !part_of_region(cells, size, there) ||
          abs(group_at(groups, grid, there)) != abs(group))
        continue;
      const bool adjoins = position.y - v <= 1 && abs(position.x - u) <= 1;
      if (adjoins || !is_solid(cells, size, there)) join(labels, at, other);
    }
}

// The sums over the pixels of a cell, of the changes and of their magnitudes; see objects_shadows.
// `frame`: size of the reduced frame.
inline int2 change_of(__global const short *changes, int2 frame, int2 position) {
  int2 sum = 0;
  for (int i = 0; i < REGION_CELL * REGION_CELL; i++) {
    const int2 p = position * REGION_CELL + (int2)(i % REGION_CELL, i / REGION_CELL);
    const int change = all(p < frame) ? changes[p.y * frame.x + p.x] : 0;
    sum += (int2)(change, abs(change));
  }
  return sum;
}

// Adds the changes outside of a region's cell: two cells from it in each direction, if there are
// three cells without foreground.
inline void add_outside(__global volatile Region *region, __global const uint2 *cells, int2 size,
                        int2 position, __global const short *changes, int2 frame) {
  int found = 0, change = 0;
  for (int i = 0; i < 4; i++) {
    const int2 on = (i < 2 ? (int2)(1, 0) : (int2)(0, 1)) * (2 * (i % 2) - 1),
               end = position + 3 * on;
    if (any(end < 0) || any(end >= size) || count_at(cells, size, position + on) >= WEAK ||
        count_at(cells, size, position + 2 * on) >= WEAK || count_at(cells, size, end) >= WEAK)
      continue;
    found++, change += change_of(changes, frame, position + 2 * on).x;
  }
  if (!found) return;
  atomic_add(&region->outside, found);
  atomic_add(&region->outside_change, change);
}

// Adds the cells to their regions after all are joined. `changes`: from objects_shadows; `frame`:
// size of the reduced frame; its width is 0 if there are no changes. `roots`: from element 1 on,
// the bit of a cell is set if it is the first of a region. A work-item per cell.
__kernel void objects_gather(__global const uint2 *cells, int2 size, __global volatile int *labels,
                             __global volatile Region *regions, __global volatile uint *roots,
                             __global const int *groups, __global const float2 *motion,
                             BlockGrid grid, __global const short *changes, int2 frame) {
  const int2 position = (int2)(get_global_id(0), get_global_id(1));
  if (any(position >= size) || !part_of_region(cells, size, position)) return;
  const int at = position.y * size.x + position.x, root = root_of(labels, at);
  const uint2 cell = cells[at];
  const int2 first = position * REGION_CELL + FIRST(cell.x),
             last = position * REGION_CELL + LAST(cell.x);
  __global volatile Region *region = &regions[root];
  if (first.x < region->left) atomic_min(&region->left, first.x);
  if (first.y < region->top) atomic_min(&region->top, first.y);
  if (last.x > region->right) atomic_max(&region->right, last.x);
  if (last.y > region->bottom) atomic_max(&region->bottom, last.y);
  atomic_add(&region->area, COUNT(cell.x));
  atomic_add(&region->distance, DISTANCE(cell.x));
  atomic_add(&region->levels, LEVELS(cell.y));
  atomic_add(&region->squares, SQUARES(cell.y));
  if (frame.x) {
    atomic_add(&region->cells, 1);
    atomic_add(&region->change, change_of(changes, frame, position).y);
    add_outside(region, cells, size, position, changes, frame);
  }
  const int block = block_at(grid, position);
  if (root == at) atomic_or(&roots[1 + at / 32], 1u << at % 32);
  if (groups[block] <= 0) return;
  const int2 moved = convert_int2_rte(4.0f * motion[block]);
  atomic_add(&region->moving, COUNT(cell.x));
  atomic_add(&region->vx, COUNT(cell.x) * moved.x);
  atomic_add(&region->vy, COUNT(cell.x) * moved.y);
}

// Lists the regions in the order of their first cells, row by row. After a cut the list is empty.
// Clears `roots`. One work-group.
__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void objects_list(
    __global const Region *regions, __global uint *roots, __global CameraState *state,
    __global RegionList *result, __global Deviation *deviation, RegionSearch search) {
  __local int counts[ITEMS];
  __local uint distance[DEVIATION_COUNTERS];
  const int item = get_local_id(0), words = (search.cells + 31) / 32, least = search.min_area;
  const int chunk = (words + ITEMS - 1) / ITEMS, begin = min(item * chunk, words),
            end = min(begin + chunk, words);
  const int foreground = roots[0];
  for (int i = item; i < DEVIATION_COUNTERS; i += ITEMS)
    distance[i] = deviation->histogram[i], deviation->histogram[i] = 0;
  int found = 0;
  for (int i = begin; i < end; i++)
    for (uint bits = roots[1 + i]; bits; bits &= bits - 1)
      found += regions[32 * i + FIRST_BIT(bits)].area >= least;
  counts[item] = found;
  for (int step = 1; step < ITEMS; step *= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    const int before = item >= step ? counts[item - step] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    counts[item] += before;
  }
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  const bool cut = foreground > search.cut_fraction * search.pixels;
  int index = counts[item] - found;
  for (int i = begin; i < end; i++) {
    for (uint bits = roots[1 + i]; bits; bits &= bits - 1) {
      const int at = 32 * i + FIRST_BIT(bits);
      if (regions[at].area < least) continue;
      if (index < MAX_REGIONS) result->regions[index] = regions[at];
      index++;
    }
    roots[1 + i] = 0;
  }
  if (item == 0) {
    roots[0] = 0;
    state->cut = cut;
    result->state = *state;
    result->count = cut ? 0 : counts[ITEMS - 1];
    result->foreground = foreground;
    deviation->deviation =
        next_deviation(deviation->deviation,
                       deviation_part(distance, search.counted_pixels - (int)deviation->excluded));
    deviation->excluded = 0;
  }
}

// Writes the mask of a frame: 1 for foreground in the box of a region, 2 for shadows, 3 for the
// overlay, otherwise 0.
// `mask`, `cells`: as in objects_cells. A work-item per pixel.
__kernel void objects_mask(__global const uchar *foreground, int2 size, __global const uchar *mask,
                           int2 cells, __global const RegionList *result, __global uchar *out,
                           int offset) {
  const int2 position = (int2)(get_global_id(0), get_global_id(1));
  if (any(position >= size)) return;
  const int at = position.y * size.x + position.x;
  if (foreground[at] == OVERLAY || foreground[at] == SHADOW) {
    const uchar kind = foreground[at] == OVERLAY ? 3 : 2;
    out[offset + at] =
        mask[position.y / REGION_CELL * cells.x + position.x / REGION_CELL] ? kind : 0;
  } else {
    out[offset + at] =
        in_region(result, foreground[at] ? min(result->count, MAX_REGIONS) : 0, position);
  }
}
