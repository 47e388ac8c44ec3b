// SPDX-License-Identifier: LGPL-2.1-or-later
// From pixels in front to boxes. Build with -DITEMS, the items of a group, a power of two.
#include "camera/similarity.clh"
#include "camera/state.clh"
#include "objects/deviation.clh"
#include "objects/result.clh"

#define CELL 4     // px of a picture
#define STRONG 9   // of a cell's 16 px: so many in front make a region; thin lines don't
#define WEAK 4     // so many belong to one beside it
#define REACH 2    // cells: regions this near are one
#define FIRST_BIT(bits) (31 - (int)clz((bits) & -(bits)))

// A cell's word: how many of its pixels are in front, the first and last column and row with one, and how far from the scenery
// they are: bits 0-4, 5-6, 7-8, 9-10, 11-12, 13-26. Its looks: the sum of their levels, and of the squares of these in 64ths:
// bits 0-12, 13-31.
inline uint cell_of(int count, int2 first, int2 last, int away) {
  return count | first.x << 5 | last.x << 7 | first.y << 9 | last.y << 11 | away << 13;
}
#define COUNT(cell) ((int)((cell) & 31))
#define FIRST(cell) ((int2)((cell) >> 5 & 3, (cell) >> 9 & 3))
#define LAST(cell) ((int2)((cell) >> 7 & 3, (cell) >> 11 & 3))
#define AWAY(cell) ((int)((cell) >> 13))
#define LEVELS(looks) ((int)((looks) & 8191))
#define SQUARES(looks) ((int)((looks) >> 13))

// Every cell begins as a region of its own; shadows are part of none. `small`: the frame in small; `mask`: of cells, 0 where nothing is to be found;
// `seen`: [0] grows by the pixels in front, with shadows. Work-items: cells.
__kernel void objects_cells(__global const uchar *front, __global const float *small, int2 size, __global const uchar *mask,
                            int2 cells, __global uint2 *out, __global int *labels, __global Region *regions,
                            __global volatile uint *seen) {
  const int2 place = (int2)(get_global_id(0), get_global_id(1));
  if (any(place >= cells)) return;
  const int2 from = place * CELL, end = min(size - from, (int2)(CELL));
  int2 first = CELL - 1, last = 0;
  int count = 0, away = 0, levels = 0, squares = 0, shadows = 0;
  // Always as many, or LLVM of PoCL 6 aborts.
  for (int i = 0; i < CELL * CELL; i++) {
    const int x = i % CELL, y = i / CELL;
    const int pixel = (from.y + y) * size.x + from.x + x;
    const int value = x < end.x && y < end.y ? front[pixel] : 0;
    shadows += value == SHADOW;
    if (value > SHADOW) {
      const int level = clamp((int)small[pixel], 0, 255);
      first = min(first, (int2)(x, y)), last = max(last, (int2)(x, y));
      count++, away += value;
      levels += level, squares += level * level;
    }
  }
  const int at = place.y * cells.x + place.x;
  const bool counts = mask[at] && count;
  if (mask[at] && count + shadows) atomic_add(&seen[0], count + shadows);
  out[at] = counts ? (uint2)(cell_of(count, first, last, away), levels | squares / 64 << 13) : (uint2)(0);
  labels[at] = at;
  if (!counts) return;
  const Region none = {INT_MAX, INT_MAX, 0, 0, 0, 0, 0, 0};
  regions[at] = none;
}

inline bool part_of_region(__global const uint2 *cells, int2 size, int2 place) {
  const int count = COUNT(cells[place.y * size.x + place.x].x);
  if (count >= STRONG) return true;
  if (count < WEAK) return false;
  for (int y = max(place.y - 1, 0); y <= min(place.y + 1, size.y - 1); y++)
    for (int x = max(place.x - 1, 0); x <= min(place.x + 1, size.x - 1); x++)
      if (COUNT(cells[y * size.x + x].x) >= STRONG) return true;
  return false;
}

inline int root_of(__global volatile int *labels, int at) {
  int up = labels[at];
  while (up != at) at = up, up = labels[at];
  return at;
}

// Labels point to lower ones, so the root of a region is its first cell.
inline void join(__global volatile int *labels, int a, int b) {
  a = root_of(labels, a), b = root_of(labels, b);
  while (a != b) {
    const int high = max(a, b), low = min(a, b), was = atomic_min(&labels[high], low);
    if (was == high) break;
    a = root_of(labels, was), b = low;
  }
}

// Joins cells of regions to those that are near. Work-items: cells.
__kernel void objects_join(__global const uint2 *cells, int2 size, __global volatile int *labels) {
  const int2 place = (int2)(get_global_id(0), get_global_id(1));
  if (any(place >= size) || !part_of_region(cells, size, place)) return;
  const int at = place.y * size.x + place.x;
  for (int v = max(place.y - REACH, 0); v <= place.y; v++)
    for (int u = max(place.x - REACH, 0); u <= min(place.x + REACH, size.x - 1); u++) {
      const int other = v * size.x + u;
      if (other < at && part_of_region(cells, size, (int2)(u, v))) join(labels, at, other);
    }
}

// Adds the cells to their regions, once all are joined. `seen`: a bit for each first cell of a region from [1] on, 0 before.
// Work-items: cells.
__kernel void objects_gather(__global const uint2 *cells, int2 size, __global volatile int *labels,
                             __global volatile Region *regions, __global volatile uint *seen) {
  const int2 place = (int2)(get_global_id(0), get_global_id(1));
  if (any(place >= size) || !part_of_region(cells, size, place)) return;
  const int at = place.y * size.x + place.x, root = root_of(labels, at);
  const uint2 cell = cells[at];
  const int2 first = place * CELL + FIRST(cell.x), last = place * CELL + LAST(cell.x);
  __global volatile Region *region = &regions[root];
  if (first.x < region->left) atomic_min(&region->left, first.x);
  if (first.y < region->top) atomic_min(&region->top, first.y);
  if (last.x > region->right) atomic_max(&region->right, last.x);
  if (last.y > region->bottom) atomic_max(&region->bottom, last.y);
  atomic_add(&region->area, COUNT(cell.x));
  atomic_add(&region->away, AWAY(cell.x));
  atomic_add(&region->levels, LEVELS(cell.y));
  atomic_add(&region->squares, SQUARES(cell.y));
  if (root == at) atomic_or(&seen[1 + at / 32], 1u << at % 32);
}

// One group. Regions of at least `least` pixels in front, in the order of their first cells. Where more than `change` of all pixels
// changed, there is another scene, with nothing in front. `seen` is 0 afterwards. `counted`: pixels that the scene's deviation counts, in all.
__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1)))
void objects_list(int cells, int least, float change, int pixels, __global const Region *regions, __global uint *seen,
                  __global State *state, __global Result *result,
                  __global Deviation *deviation, int counted) {
  __local int counts[ITEMS];
  __local uint away[DEVIATION_COUNTERS];
  const int item = get_local_id(0), words = (cells + 31) / 32;
  const int chunk = (words + ITEMS - 1) / ITEMS, begin = min(item * chunk, words), end = min(begin + chunk, words);
  const int front = seen[0];
  for (int i = item; i < DEVIATION_COUNTERS; i += ITEMS) away[i] = deviation->of[i], deviation->of[i] = 0;
  int found = 0;
  for (int i = begin; i < end; i++)
    for (uint bits = seen[1 + i]; bits; bits &= bits - 1) found += regions[32 * i + FIRST_BIT(bits)].area >= least;
  counts[item] = found;
  for (int step = 1; step < ITEMS; step *= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    const int before = item >= step ? counts[item - step] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    counts[item] += before;
  }
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  const bool cut = front > change * pixels;
  int place = counts[item] - found;
  for (int i = begin; i < end; i++) {
    for (uint bits = seen[1 + i]; bits; bits &= bits - 1) {
      const int at = 32 * i + FIRST_BIT(bits);
      if (regions[at].area < least) continue;
      if (place < MOST) result->regions[place] = regions[at];
      place++;
    }
    seen[1 + i] = 0;
  }
  if (item == 0) {
    seen[0] = 0;
    state->cut = cut;
    result->state = *state;
    result->count = cut ? 0 : counts[ITEMS - 1];
    result->front = front;
    deviation->deviation = next_deviation(deviation->deviation, deviation_part(away, counted - (int)deviation->left_out));
    deviation->left_out = 0;
  }
}

// What of a picture belongs to one of the regions: 1 where it is in front and in a region's box, 2 where it is a shadow, else 0. `mask`, `cells`: as in
// objects_cells. Work-items: pixels.
__kernel void objects_mask(__global const uchar *front, int2 size, __global const uchar *mask, int2 cells, __global const Result *result,
                           __global uchar *out, int offset) {
  const int2 place = (int2)(get_global_id(0), get_global_id(1));
  if (any(place >= size)) return;
  const int at = place.y * size.x + place.x;
  if (front[at] == SHADOW)
    out[offset + at] = mask[place.y / CELL * cells.x + place.x / CELL] ? 2 : 0;
  else
    out[offset + at] = in_region(result, front[at] ? min(result->count, MOST) : 0, place);
}
