// SPDX-License-Identifier: LGPL-2.1-or-later
// Selects lines among the segments that the seeds of all tiles lead to. Most seeds of a line lead
// to the same segment.
#include "hough/linesegment.clh"

#define TILE_BITS 13  // log2 of the side of a tile, 1/256 px

// Writes the strength of each segment, px; 0 if it is the same line as a stronger segment whose
// seed lies on its way. A work-group of any size per segment.
__kernel void line_unique(__global const LineSegment *restrict segments, LineSearch search,
                          __global ushort *restrict strengths) {
  __local int repeated;
  const int item = get_local_id(0), items = get_local_size(0), number = get_group_id(0);
  const LineSegment own = segments[number];
  if (item == 0) repeated = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (own.strength) {
    const bool upright = is_upright(own);
    const int begin = upright ? own.y1 : own.x1, end = upright ? own.y2 : own.x2;
    const int first = begin >> TILE_BITS, tiles = (end >> TILE_BITS) - first + 1;
    // Three tiles across at each tile along the line.
    for (int i = item; i < tiles * 3 * LINE_SEEDS; i += items) {
      const int along = first + i / (3 * LINE_SEEDS);
      const int middle = clamp((2 * along + 1) << (TILE_BITS - 1), begin, end);
      const int across = (across_at(own, upright, middle) >> TILE_BITS) + i / LINE_SEEDS % 3 - 1;
      const int2 tile = upright ? (int2)(across, along) : (int2)(along, across);
      if (any(tile < 0) || any(tile >= search.tiles)) continue;
      const int other = (tile.y * search.tiles.x + tile.x) * LINE_SEEDS + i % LINE_SEEDS;
      if (other != number && is_before(segments[other], other, own, number) &&
          is_same_line(segments[other], own))
        repeated = 1;
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (item == 0)
    strengths[number] = own.strength && !repeated ? clamp(own.strength >> 4, 1, 1023) : 0;
}

// Sets `kept` for each listed segment that is no line of a stronger one. A work-group of any size
// per segment.
__kernel void line_keep(__global const LineSegment *restrict segments,
                        __global const uint *restrict indices, __global const uint *restrict counts,
                        __global uchar *restrict kept) {
  __local int repeated;
  const uint item = get_local_id(0), items = get_local_size(0), i = get_group_id(0),
             count = counts[0];
  if (item == 0) repeated = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (i < count) {
    const LineSegment own = segments[indices[i]];
    for (uint k = item; k < count; k += items) {
      const LineSegment other = segments[indices[k]];
      if (k != i && is_before(other, k, own, i) && is_same_line(other, own)) repeated = 1;
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (item == 0 && i < count) kept[i] = !repeated;
}

// Writes the `most` strongest of the kept segments, strongest first. `result` gets their number,
// and the lines from its second element on. A work-group of any size per segment, and one more,
// which counts them.
__kernel void line_rank(__global const LineSegment *restrict segments,
                        __global const uint *restrict indices, __global const uint *restrict counts,
                        __global const uchar *restrict kept, int most,
                        __global FoundLine *restrict result) {
  __local int before;
  const uint item = get_local_id(0), items = get_local_size(0), i = get_group_id(0),
             count = counts[0];
  const bool counts_all = i == count, ranks = i < count && kept[i];
  LineSegment own = {0, 0, 0, 0, 0, 1, 0, 0};
  if (ranks) own = segments[indices[i]];
  if (item == 0) before = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  int found = 0;
  for (uint k = item; k < count && (counts_all || ranks); k += items)
    found += kept[k] && (counts_all || (k != i && is_before(segments[indices[k]], k, own, i)));
  if (found) atomic_add(&before, found);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (item == 0 && counts_all) *(__global uint *)result = min(before, most);
  if (item == 0 && ranks && before < most) {
    const FoundLine line = {own.x1 / 256.0f, own.y1 / 256.0f, own.x2 / 256.0f, own.y2 / 256.0f,
                            (1024 * own.hits / own.steps) / 1024.0f};
    result[1 + before] = line;
  }
}
