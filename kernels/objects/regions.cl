// SPDX-License-Identifier: LGPL-2.1-or-later
// From pixels in front to boxes. Build with -DITEMS, the items of a group, a power of two.
#include "camera/similarity.clh"
#include "camera/state.clh"
#include "objects/result.clh"

#define CELL 4     // px of a picture
#define STRONG 9   // of a cell's 16 px: so many in front make a region; thin lines don't
#define WEAK 4     // so many belong to one beside it
#define REACH 2    // cells: regions this near are one

// A cell: how many of its pixels are in front, the first and last column and row with one, and how far from the scenery
// they are: bits 0-4, 5-6, 7-8, 9-10, 11-12, 13-26.
inline uint cell_of(int count, int2 first, int2 last, int away) {
  return count | first.x << 5 | last.x << 7 | first.y << 9 | last.y << 11 | away << 13;
}
#define COUNT(cell) ((int)((cell) & 31))
#define FIRST(cell) ((int2)((cell) >> 5 & 3, (cell) >> 9 & 3))
#define LAST(cell) ((int2)((cell) >> 7 & 3, (cell) >> 11 & 3))
#define AWAY(cell) ((int)((cell) >> 13))

// `mask`: of cells, 0 where nothing is to be found. Work-items: cells.
__kernel void objects_cells(__global const uchar *front, int2 size, __global const uchar *mask, int2 cells,
                            __global uint *out) {
  const int2 place = (int2)(get_global_id(0), get_global_id(1));
  if (any(place >= cells)) return;
  const int2 from = place * CELL, end = min(size - from, (int2)(CELL));
  int2 first = CELL - 1, last = 0;
  int count = 0, away = 0;
  // Always as many, or LLVM of PoCL 6 aborts.
  for (int i = 0; i < CELL * CELL; i++) {
    const int x = i % CELL, y = i / CELL;
    const int value = x < end.x && y < end.y ? front[(from.y + y) * size.x + from.x + x] : 0;
    if (value) {
      first = min(first, (int2)(x, y)), last = max(last, (int2)(x, y));
      count++, away += value;
    }
  }
  const int at = place.y * cells.x + place.x;
  out[at] = mask[at] && count ? cell_of(count, first, last, away) : 0;
}

inline bool part_of_region(__global const uint *cells, int2 size, int2 place) {
  const int count = COUNT(cells[place.y * size.x + place.x]);
  if (count >= STRONG) return true;
  if (count < WEAK) return false;
  for (int y = max(place.y - 1, 0); y <= min(place.y + 1, size.y - 1); y++)
    for (int x = max(place.x - 1, 0); x <= min(place.x + 1, size.x - 1); x++)
      if (COUNT(cells[y * size.x + x]) >= STRONG) return true;
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

// One group. Regions of at least `least` pixels in front, in the order of their first cells. Where more than `change` of all pixels changed,
// there is another scene, with nothing in front.
__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1)))
void objects_regions(__global const uint *cells, int2 size, int least, float change, int pixels,
                     __global volatile int *labels, __global volatile Region *regions, __global State *state,
                     __global Result *result) {
  __local int counts[ITEMS];
  __local int front;
  const int item = get_local_id(0), all = size.x * size.y;
  if (item == 0) front = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  int own = 0;
  for (int i = item; i < all; i += ITEMS) {
    own += COUNT(cells[i]);
    if (part_of_region(cells, size, (int2)(i % size.x, i / size.x))) {
      labels[i] = i;
      regions[i].left = regions[i].top = INT_MAX;
      regions[i].right = regions[i].bottom = regions[i].area = regions[i].away = 0;
    } else {
      labels[i] = -1;
    }
  }
  if (own) atomic_add(&front, own);
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  for (int i = item; i < all; i += ITEMS) {
    if (labels[i] < 0) continue;
    const int x = i % size.x, y = i / size.x;
    for (int v = max(y - REACH, 0); v <= y; v++)
      for (int u = max(x - REACH, 0); u <= min(x + REACH, size.x - 1); u++) {
        const int other = v * size.x + u;
        if (other < i && labels[other] >= 0) join(labels, i, other);
      }
  }
  barrier(CLK_GLOBAL_MEM_FENCE);
  for (int i = item; i < all; i += ITEMS) {
    if (labels[i] < 0) continue;
    const uint cell = cells[i];
    const int2 corner = (int2)(i % size.x, i / size.x) * CELL, first = corner + FIRST(cell), last = corner + LAST(cell);
    __global volatile Region *region = &regions[root_of(labels, i)];
    atomic_min(&region->left, first.x);
    atomic_min(&region->top, first.y);
    atomic_max(&region->right, last.x);
    atomic_max(&region->bottom, last.y);
    atomic_add(&region->area, COUNT(cell));
    atomic_add(&region->away, AWAY(cell));
  }
  barrier(CLK_GLOBAL_MEM_FENCE);
  const int chunk = (all + ITEMS - 1) / ITEMS, begin = min(item * chunk, all), end = min(begin + chunk, all);
  int found = 0;
  for (int i = begin; i < end; i++) found += labels[i] == i && regions[i].area >= least;
  counts[item] = found;
  for (int step = 1; step < ITEMS; step *= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    const int before = item >= step ? counts[item - step] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    counts[item] += before;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  const bool cut = front > change * pixels;
  int place = counts[item] - found;
  for (int i = begin; i < end; i++)
    if (labels[i] == i && regions[i].area >= least) {
      if (place < MOST) result->regions[place] = regions[i];
      place++;
    }
  if (item == 0) {
    state->cut = cut;
    result->state = *state;
    result->count = cut ? 0 : counts[ITEMS - 1];
    result->front = front;
  }
}

// What of a picture belongs to one of the regions: 1 where it is in front and in a region's box, else 0. Work-items: pixels.
__kernel void objects_mask(__global const uchar *front, int2 size, __global const Result *result, __global uchar *out,
                           int offset) {
  const int2 place = (int2)(get_global_id(0), get_global_id(1));
  if (any(place >= size)) return;
  const int at = place.y * size.x + place.x, count = front[at] ? min(result->count, MOST) : 0;
  out[offset + at] = in_region(result, count, place);
}
