// SPDX-License-Identifier: LGPL-2.1-or-later
// Finds segments of straight lines among the edges of a frame by a Hough transform in tiles. Edges
// vote for the lines of their tile. The strongest lines are followed beyond the tile, over gaps,
// and fitted by least squares. All numbers are integers, so all devices find the same segments.
//
// Work-groups may have any size.
#include "hough/angle.clh"
#include "hough/edge.clh"
#include "hough/group.clh"
#include "hough/linesegment.clh"
#include "hough/normals.clh"

#define ONE 65536                 // 1 px in fixed-point numbers
#define PEAKS (LINE_OFFSETS - 1)  // pairs of adjacent distances
#define NO_EDGE 0x7fffffff

// The edge at a pixel, 0 without one or outside of the region.
inline ushort counted_edge(__global const ushort *edges, LineSearch search, int2 at) {
  if (at.x < search.region.x || at.y < search.region.y || at.x >= search.region.z ||
      at.y >= search.region.w)
    return 0;
  const ushort edge = edges[at.y * search.size.x + at.x];
  return edge & search.counted ? edge : 0;
}

// Adds the votes of an edge at `at` in a tile, px: in each direction near its own, one for its
// distance from the middle.
inline void vote(__local uint *votes, ushort edge, int2 at) {
  const int2 from_middle = 2 * at - (LINE_TILE - 1);  // half px
  for (int turn = -LINE_SPREAD; turn <= LINE_SPREAD; turn++) {
    const int bin = (edge_step(edge) / 2 + turn + LINE_BINS) % LINE_BINS;
    const int distance = from_middle.x * normals[2 * bin][0] + from_middle.y * normals[2 * bin][1];
    atomic_inc(votes + bin * LINE_OFFSETS + (distance >> (NORMAL_BITS + 1)) + LINE_OFFSETS / 2);
  }
}

// True if two places among the votes belong to one line. Half a turn mirrors the distances.
inline bool is_near(int a, int b) {
  int turn = a / LINE_OFFSETS - b / LINE_OFFSETS;
  const bool mirrored = 2 * abs(turn) > LINE_BINS;
  turn = abs(turn), turn = mirrored ? LINE_BINS - turn : turn;
  const int distance = b % LINE_OFFSETS,
            off = a % LINE_OFFSETS - (mirrored ? PEAKS - 1 - distance : distance);
  return turn <= LINE_NEAR_BINS && abs(off) <= LINE_NEAR_OFFSETS;
}

// Finds the strongest lines of each tile, up to LINE_SEEDS. For each, `seeds` gets a place among
// the votes, with the number of votes above the lower 16 bits; 0 if there are fewer lines. A
// work-group per tile.
__kernel void line_seeds(__global const ushort *restrict edges, LineSearch search,
                         __global uint *restrict seeds) {
  __local uint votes[LINE_BINS * LINE_OFFSETS];
  __local uint found, best[LINE_SEEDS];
  const int item = get_local_id(0), items = get_local_size(0), tile = get_group_id(0);
  const int2 origin = (int2)(tile % search.tiles.x, tile / search.tiles.x) * LINE_TILE;
  if (item == 0) found = 0;
  for (int i = item; i < LINE_SEEDS; i += items) best[i] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = item; i < LINE_TILE * LINE_TILE; i += items)
    if (counted_edge(edges, search, origin + (int2)(i % LINE_TILE, i / LINE_TILE)))
      atomic_inc(&found);
  barrier(CLK_LOCAL_MEM_FENCE);
  const bool enough = (int)found >= search.least_votes;  // the same for all items
  for (int i = item; i < LINE_BINS * LINE_OFFSETS && enough; i += items) votes[i] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = item; i < LINE_TILE * LINE_TILE && enough; i += items) {
    const int2 at = (int2)(i % LINE_TILE, i / LINE_TILE);
    const ushort edge = counted_edge(edges, search, origin + at);
    if (edge) vote(votes, edge, at);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int number = 0; number < LINE_SEEDS; number++) {
    uint own = 0;
    for (int i = item; i < LINE_BINS * PEAKS && enough; i += items) {
      const int place = i / PEAKS * LINE_OFFSETS + i % PEAKS;
      const uint sum = votes[place] + votes[place + 1], key = sum << 16 | (0xffff - place);
      bool apart = (int)sum >= search.least_votes && key > own;
      for (int k = 0; k < number && apart; k++)
        apart = !best[k] || !is_near(place, 0xffff - (int)(best[k] & 0xffff));
      if (apart) own = key;
    }
    if (own) atomic_max(best + number, own);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  for (int i = item; i < LINE_SEEDS; i += items)
    seeds[tile * LINE_SEEDS + i] = best[i] ? best[i] ^ 0xffff : 0;
}

// A line as places across its longer axis, in fixed-point px: `start` at the origin, and `slope`
// more per px along that axis. `upright`: the longer axis is y.
typedef struct {
  int2 origin;  // px
  bool upright;
  int start, slope;
} TracedLine;

// The line that a place among the votes of a tile stands for.
inline TracedLine line_of(int place, int2 tile) {
  const int bin = place / LINE_OFFSETS, distance = place % LINE_OFFSETS - (LINE_OFFSETS / 2 - 1);
  const int x = normals[2 * bin][0], y = normals[2 * bin][1];
  TracedLine line;
  line.origin = tile * LINE_TILE + LINE_TILE / 2;
  line.upright = abs(x) > abs(y);
  const int along = line.upright ? y : x, across = line.upright ? x : y;
  line.slope = -along * ONE / across;
  line.start =
      (int)(((long)((2 * distance << NORMAL_BITS) - along) * (ONE / 2)) / across) - ONE / 2;
  return line;
}

// The direction of the gradient of a line's edges, in steps.
inline int step_of_line(TracedLine line) {
  const int across = line.slope >> 2, along = ONE >> 2;
  return line.upright ? line_step(along, -across) : line_step(-across, along);
}

// The length of a line per px along its longer axis, scaled by 2^14.
inline int length_per_step(int slope) {
  const int across = slope >> 2, square = (1 << 28) + across * across;
  int root = (int)sqrt((float)square);
  while (root * root > square) root--;
  while ((root + 1) * (root + 1) <= square) root++;
  return root;
}

// The place across, in px from the origin, of the edge of the line's direction nearest to `along`.
// It is up to `width` px away from the line. NO_EDGE without one.
inline int edge_beside(__global const ushort *edges, LineSearch search, TracedLine line, int step,
                       int along, int width) {
  const long exact = line.start + (long)line.slope * along;
  const int nearest = (int)((exact + ONE / 2) >> 16), side = exact < (long)nearest * ONE ? -1 : 1;
  for (int k = 0; k <= 2 * width; k++) {
    const int across = nearest + side * (k % 2 ? (k + 1) / 2 : -(k / 2));
    const int2 at = line.origin + (line.upright ? (int2)(across, along) : (int2)(along, across));
    const ushort edge = counted_edge(edges, search, at);
    const int turn = abs(edge_step(edge) - step);
    if (edge && min(turn, STEPS - turn) <= LINE_DIRECTION) return across;
  }
  return NO_EDGE;
}

// True if one of the bits from `from` to `to` is set.
inline bool any_bit(__local const uint *bits, int from, int to) {
  for (int word = from / 32; word <= to / 32; word++) {
    uint some = bits[word];
    if (word == from / 32) some &= 0xffffffffu << from % 32;
    if (word == to / 32) some &= 0xffffffffu >> (31 - to % 32);
    if (some) return true;
  }
  return false;
}

// The range along a line in which edges are searched.
typedef struct {
  int first, last, gap;  // px; the last one is included
} LineWindow;

inline LineWindow window_of(LineSearch search, TracedLine line, int reach) {
  const int origin = line.upright ? line.origin.y : line.origin.x,
            begin = line.upright ? search.region.y : search.region.x,
            end = line.upright ? search.region.w : search.region.z;
  const LineWindow window = {max(-reach, begin - origin), min(reach, end - 1 - origin),
                             (search.max_gap << 14) / length_per_step(line.slope)};
  return window;
}

// True if a run cannot go on beyond the window: it ends in a gap or at the border of the region.
inline bool is_closed(LineSearch search, LineWindow window, int reach, int2 run) {
  return (run.x - window.first > window.gap || window.first > -reach) &&
         (window.last - run.y > window.gap || window.last < reach);
}

// Sets the bits of the places along a line that have an edge. All items of a group call it.
inline void find_edges(__global const ushort *edges, LineSearch search, TracedLine line,
                       LineWindow window, int width, __local uint *bits) {
  const int item = get_local_id(0), items = get_local_size(0), step = step_of_line(line);
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = item; i <= (window.last - window.first) / 32; i += items) bits[i] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int along = window.first + item; along <= window.last; along += items)
    if (edge_beside(edges, search, line, step, along, width) != NO_EDGE)
      atomic_or(bits + (along - window.first) / 32, 1u << (along - window.first) % 32);
  barrier(CLK_LOCAL_MEM_FENCE);
}

// The first and the last edge of the run that is nearest to `middle`; its gaps have at most the
// window's `gap`. The first one is larger than the last one if there is no edge. `places`: two
// local elements.
inline int2 run_of(__local const uint *bits, LineWindow window, int middle, __local int *places) {
  const int item = get_local_id(0), items = get_local_size(0), count = window.last - window.first;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (item == 0) places[0] = NO_EDGE;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = item; i <= count; i += items) {
    const int off = window.first + i - middle;
    if (any_bit(bits, i, i)) atomic_min(places, 2 * (int)abs(off) + (off < 0));
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  const int nearest = places[0];
  const int start = middle + (nearest % 2 ? -(nearest / 2) : nearest / 2) - window.first;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (item == 0) places[0] = 0, places[1] = count;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = item; i <= count && nearest != NO_EDGE; i += items) {
    if (!any_bit(bits, i, i)) continue;
    if (i <= start && (i == 0 || !any_bit(bits, max(i - window.gap - 1, 0), i - 1)))
      atomic_max(places, i);
    if (i >= start && (i == count || !any_bit(bits, i + 1, min(i + window.gap + 1, count))))
      atomic_min(places + 1, i);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  return nearest == NO_EDGE ? (int2)(1, 0) : (int2)(places[0], places[1]) + window.first;
}

DEFINE_GROUP_SUM(group_sum_moments, long8)

// The moments of a run's edges: number, sums of places along and across, of squares along, and of
// products.
inline long8 moments_of(__global const ushort *edges, LineSearch search, TracedLine line, int2 run,
                        int width, __local long8 *sums) {
  const int item = get_local_id(0), items = get_local_size(0), step = step_of_line(line);
  long8 own = 0;
  for (int along = run.x + item; along <= run.y; along += items) {
    const int across = edge_beside(edges, search, line, step, along, width);
    if (across == NO_EDGE) continue;
    own.s0 += 1, own.s1 += along, own.s2 += across;
    own.s3 += (long)along * along, own.s4 += (long)along * across;
  }
  return group_sum_moments(own, sums);
}

// Fits a line to the moments; false if there are too few edges.
inline bool fit_line(TracedLine *line, long8 sums) {
  const long count = sums.s0;
  if (count < LINE_EDGES) return false;
  const long spread = sums.s3 * 16 - sums.s1 * sums.s1 * 16 / count,
             tilt = sums.s4 * 16 - sums.s1 * sums.s2 * 16 / count;
  if (spread <= 0 || abs(tilt) > 2 * (ulong)spread) return false;
  line->slope = (int)(tilt * ONE / spread);
  line->start = (int)((sums.s2 * ONE - line->slope * sums.s1) / count);
  return true;
}

inline LineSegment segment_of(LineSearch search, TracedLine line, int2 run, int hits) {
  const int per_step = length_per_step(line.slope), steps = run.y - run.x + 1;
  const int first = (int)((line.start + (long)line.slope * run.x) >> 8),
            last = (int)((line.start + (long)line.slope * run.y) >> 8);
  const int2 origin = line.origin * 256;
  LineSegment segment;
  segment.x1 = origin.x + (line.upright ? first : run.x * 256);
  segment.y1 = origin.y + (line.upright ? run.x * 256 : first);
  segment.x2 = origin.x + (line.upright ? last : run.y * 256);
  segment.y2 = origin.y + (line.upright ? run.y * 256 : last);
  segment.hits = hits, segment.steps = steps, segment.unused = 0;
  const bool counts = (int)((long)steps * per_step >> 14) >= search.min_length &&
                      1024 * hits >= LINE_COVERED * steps;
  segment.strength = counts ? (int)((long)hits * per_step >> 10) : 0;
  return segment;
}

// Follows the line of each seed. Rounds search for edges along the line, four times as far each
// time, until the run of edges ends inside, and once more after that. Each of them ends with a fit.
// A work-group per seed. `bits`: a bit per px of the frame's longer side, and a word more. `sums`:
// a local element per item.
__kernel void line_follow(__global const ushort *restrict edges, LineSearch search,
                          __global const uint *restrict seeds,
                          __global LineSegment *restrict segments, __local uint *bits,
                          __local long8 *sums) {
  __local int places[2];
  const int seed = get_group_id(0), tile = seed / LINE_SEEDS;
  const uint place = seeds[seed];
  LineSegment segment = {0, 0, 0, 0, 0, 0, 0, 0};
  TracedLine line = line_of(place & 0xffff, (int2)(tile % search.tiles.x, tile / search.tiles.x));
  int2 run = (int2)(0, 0);
  int reach = LINE_TILE / 2 + 4;
  bool closed = false, ended = !place;  // the same for all items
  for (int round = 0; !ended; round++) {
    LineWindow window = window_of(search, line, reach);
    const int width = round == 0 ? 2 : 1;
    if (round == 0) window.gap = LINE_TILE;
    find_edges(edges, search, line, window, width, bits);
    run = run_of(bits, window, (run.x + run.y) / 2, places);
    const long8 moments = moments_of(edges, search, line, run, width, sums);
    const bool fits = fit_line(&line, moments);
    if (fits && closed) segment = segment_of(search, line, run, (int)moments.s0);
    ended = !fits || closed;
    closed = closed || (round > 0 && is_closed(search, window, reach, run));
    if (!closed) reach *= 4;
  }
  if (get_local_id(0) == 0) segments[seed] = segment;
}
