// SPDX-License-Identifier: LGPL-2.1-or-later
// Finds circles among the edges of a frame by a Hough transform. Edges vote for centres along their
// gradient, to both sides. Candidates for centres count the edges by radius. Least squares fit the
// circles. All numbers are integers, so all devices find the same circles.
//
// Work-groups may have any size.
#include "hough/edge.clh"
#include "hough/group.clh"
#include "hough/normals.clh"
#include "hough/tuned.clh"

#define ONE 256           // 1 px in fixed-point numbers
#define RAYS (2 * STEPS)  // 2° each
#define NO_EDGE 0x7fffffff

// The edge at a pixel, 0 without one or outside of the region.
inline ushort counted_edge(__global const ushort *edges, CircleSearch search, int2 at) {
  if (at.x < search.region.x || at.y < search.region.y || at.x >= search.region.z ||
      at.y >= search.region.w)
    return 0;
  const ushort edge = edges[at.y * search.size.x + at.x];
  return edge & search.counted ? edge : 0;
}

// Adds the votes of a tile's edges to `votes`, a zeroed element per cell. Larger circles have more
// edges, so the weight of an edge falls with the radius. A work-group per tile.
__kernel void circle_vote(__global const ushort *restrict edges, CircleSearch search,
                          __global uint *votes) {
  __local uint count;
  __local ushort listed[CIRCLE_TILE * CIRCLE_TILE];
  const int item = get_local_id(0), items = get_local_size(0), tile = get_group_id(0);
  const int across = (search.size.x + CIRCLE_TILE - 1) / CIRCLE_TILE;
  const int2 origin = (int2)(tile % across, tile / across) * CIRCLE_TILE;
  if (item == 0) count = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = item; i < CIRCLE_TILE * CIRCLE_TILE; i += items)
    if (counted_edge(edges, search, origin + (int2)(i % CIRCLE_TILE, i / CIRCLE_TILE)))
      listed[atomic_inc(&count)] = i;
  barrier(CLK_LOCAL_MEM_FENCE);
  const int cell = 1 << search.cell_bits,
            per_edge = 2 * ((search.radius_max - search.radius_min) / cell + 1);
  for (int i = item; i < (int)count * per_edge; i += items) {
    const int k = listed[i / per_edge], number = i % per_edge;
    const int2 at = origin + (int2)(k % CIRCLE_TILE, k / CIRCLE_TILE);
    const int step = edge_step(edges[at.y * search.size.x + at.x]);
    const int radius = search.radius_min + number / 2 * cell, away = number % 2 ? -radius : radius;
    const int rounding = 1 << (NORMAL_BITS - 1);
    const int x = at.x + ((away * normals[step][0] + rounding) >> NORMAL_BITS),
              y = at.y + ((away * normals[step][1] + rounding) >> NORMAL_BITS);
    if (x < 0 || y < 0 || x >= search.size.x || y >= search.size.y) continue;
    atomic_add(votes + (y >> search.cell_bits) * search.cells.x + (x >> search.cell_bits),
               (uint)(CIRCLE_WEIGHT / radius));
  }
}

inline uint votes_at(__global const uint *votes, int2 cells, int x, int y) {
  return x >= 0 && y >= 0 && x < cells.x && y < cells.y ? votes[y * cells.x + x] : 0;
}

// The votes of a cell and of those up to `reach` cells away.
inline uint votes_around(__global const uint *votes, int2 cells, int x, int y, int reach) {
  uint sum = 0;
  for (int v = max(y - reach, 0); v <= min(y + reach, cells.y - 1); v++)
    for (int u = max(x - reach, 0); u <= min(x + reach, cells.x - 1); u++)
      sum += votes[v * cells.x + u];
  return sum;
}

// Writes the strengths of centres. They are cells whose votes, with those of eight neighbours, are
// a maximum; of equal neighbours the first counts. The strength is the excess over the cells
// further away, which have votes by chance. It is 0 elsewhere. A work-item per cell.
__kernel void circle_centres(__global const uint *restrict votes, CircleSearch search,
                             __global ushort *restrict strengths) {
  const int x = get_global_id(0), y = get_global_id(1);
  const int2 cells = search.cells;
  if (x >= cells.x || y >= cells.y) return;
  const uint own = votes_around(votes, cells, x, y, 1);
  bool counts = own >= CIRCLE_LEAST * CIRCLE_UNIT;
  for (int i = 0; i < 9 && counts; i++) {
    const int u = x + i % 3 - 1, v = y + i / 3 - 1;
    if (i == 4 || u < 0 || v < 0 || u >= cells.x || v >= cells.y) continue;
    const uint other = votes_around(votes, cells, u, v, 1);
    counts = i < 4 ? own > other : own >= other;
  }
  int strength = 0;
  if (counts) {
    const int wide = 2 * CIRCLE_AROUND + 1;
    const uint around = votes_around(votes, cells, x, y, CIRCLE_AROUND) - own;
    strength = ((int)own - (int)(9 * (around / (wide * wide - 9)))) / CIRCLE_UNIT;
  }
  strengths[y * cells.x + x] = strength >= CIRCLE_LEAST ? min(strength, 1023) : 0;
}

// The middle of the votes around a cell, in 1/256 px.
inline int2 middle_of(__global const uint *votes, CircleSearch search, int x, int y) {
  long across = 0, down = 0, sum = 0;
  for (int v = y - 1; v <= y + 1; v++)
    for (int u = x - 1; u <= x + 1; u++) {
      const long here = votes_at(votes, search.cells, u, v);
      across += here * u, down += here * v, sum += here;
    }
  const int cell = ONE << search.cell_bits, to_middle = (cell - ONE) / 2;
  return (int2)((int)(across * cell / sum), (int)(down * cell / sum)) + to_middle;
}

// True if an edge's direction fits to a ray, within `tolerance` steps.
inline bool fits_ray(ushort edge, int ray, int tolerance) {
  const int turn = abs(edge_step(edge) - ray % STEPS);
  return edge && min(turn, STEPS - turn) <= tolerance;
}

// The tolerance of directions at a radius, if the centre is up to `off` px away.
inline int tolerance_at(int radius, int off) { return CIRCLE_DIRECTION + 28 * off / radius; }

// The place on a ray, in 1/256 px. `radius`: 1/256 px.
inline int2 on_ray(int2 centre, int ray, int radius) {
  const int turn = ray < STEPS ? radius : -radius;
  return centre + (int2)((int)((long)turn * normals[ray % STEPS][0] >> NORMAL_BITS),
                         (int)((long)turn * normals[ray % STEPS][1] >> NORMAL_BITS));
}

inline int2 pixel_at(int2 place) { return (place + ONE / 2) >> 8; }

// Finds up to CIRCLE_RADII radii of each listed centre. For each, `seeds` gets the centre, in 1/256
// px, the radius, px, and the number of rays that meet an edge at about that radius. They are 0 if
// there are fewer radii. A work-group per centre. `counts`: a local element per radius.
__kernel void circle_radii(__global const ushort *restrict edges, CircleSearch search,
                           __global const uint *restrict votes,
                           __global const uint *restrict indices,
                           __global const uint *restrict listed, __global int4 *restrict seeds,
                           __local uint *counts) {
  __local uint best[CIRCLE_RADII];
  const int item = get_local_id(0), items = get_local_size(0), number = get_group_id(0);
  const int radii = search.radius_max - search.radius_min + 1, cell = 1 << search.cell_bits;
  const bool exists = number < (int)listed[0];
  const uint place = exists ? indices[number] : 0;
  const int2 centre =
      exists ? middle_of(votes, search, place % search.cells.x, place / search.cells.x) : (int2)(0);
  for (int i = item; i < radii; i += items) counts[i] = 0;
  for (int i = item; i < CIRCLE_RADII; i += items) best[i] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = item; i < radii * RAYS && exists; i += items) {
    const int ray = i / radii, radius = search.radius_min + i % radii;
    const ushort edge = counted_edge(edges, search, pixel_at(on_ray(centre, ray, radius * ONE)));
    if (fits_ray(edge, ray, tolerance_at(radius, cell))) atomic_inc(counts + i % radii);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int k = 0; k < CIRCLE_RADII; k++) {
    uint own = 0;
    for (int i = item; i < radii; i += items) {
      uint sum = 0;
      for (int near = max(i - cell, 0); near <= min(i + cell, radii - 1); near++)
        sum += counts[near];
      bool apart = sum >= CIRCLE_RAYS;
      for (int other = 0; other < k && apart; other++)
        apart = !best[other] || abs(0xffff - (int)(best[other] & 0xffff) - i) > 2 * cell + 1;
      if (apart) own = max(own, sum << 16 | (0xffff - i));
    }
    if (own) atomic_max(best + k, own);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  for (int i = item; i < CIRCLE_RADII; i += items) {
    const int radius = search.radius_min + 0xffff - (int)(best[i] & 0xffff);
    seeds[number * CIRCLE_RADII + i] =
        best[i] ? (int4)(centre, radius, (int)(best[i] >> 16)) : (int4)(0);
  }
}

// The distance from a circle to the nearest edge on a ray, in 1/256 px; NO_EDGE without one within
// `reach` px. `circle`: centre and radius, 1/256 px. A ray may cross a diagonal line between two
// pixels, so the search looks at two adjacent pixels each time.
inline int edge_on_ray(__global const ushort *edges, CircleSearch search, int4 circle, int ray,
                       int reach, int tolerance) {
  const int sign = ray < STEPS ? 1 : -1;
  const int2 normal = (int2)(normals[ray % STEPS][0], normals[ray % STEPS][1]) * sign;
  for (int k = 0; k <= 2 * reach; k++) {
    const int off = k % 2 ? (k + 1) / 2 : -(k / 2);
    const int2 place = on_ray(circle.xy, ray, circle.z + off * ONE);
    const int first = place.x >> 8, y = (place.y + ONE / 2) >> 8, nearer = place.x >> 7 & 1;
    for (int side = 0; side < 2; side++) {
      const int2 at = (int2)(first + (side ? 1 - nearer : nearer), y);
      if (!fits_ray(counted_edge(edges, search, at), ray, tolerance)) continue;
      const int2 from_centre = at * ONE - circle.xy;
      return (int)(((long)from_centre.x * normal.x + (long)from_centre.y * normal.y) >>
                   NORMAL_BITS) -
             circle.z;
    }
  }
  return NO_EDGE;
}

DEFINE_GROUP_SUM(group_sum_sixteen, long16)

// Moves a circle by least squares; false if the edges don't determine it. `sums`: the number of
// edges, sums of cosine, sine, their products and the distances, and of distances by both.
inline bool fit_circle(int4 *circle, long16 sums) {
  const long cc = sums.s3 >> 18, cs = sums.s4 >> 18, ss = sums.s5 >> 18, c = sums.s1 >> 4,
             s = sums.s2 >> 4, n = sums.s0 << 10;
  const long dc = sums.s7 >> NORMAL_BITS, ds = sums.s8 >> NORMAL_BITS, d = sums.s6;
  const long c0 = ss * n - s * s, c1 = c * s - cs * n, c2 = cs * s - c * ss;
  const long det = (cc * c0 + cs * c1 + c * c2) >> 6;
  if (sums.s0 < CIRCLE_EDGES || det <= 0) return false;
  const long x = (c0 * dc + c1 * ds + c2 * d) * 16 / det,
             y = (c1 * dc + (cc * n - c * c) * ds + (cs * c - cc * s) * d) * 16 / det,
             radius = (c2 * dc + (cs * c - cc * s) * ds + (cc * ss - cs * cs) * d) * 16 / det;
  const long most = CIRCLE_STEP * ONE;
  if (abs(x) > (ulong)most || abs(y) > (ulong)most || abs(radius) > (ulong)most) return false;
  *circle += (int4)((int)x, (int)y, (int)radius, 0);
  return circle->z >= ONE;
}

// Fits a circle to the edges near each seed, in rounds that search less far each time. `circles`
// gets centre and radius, 1/256 px, and the score: the part of the rays that meet an edge, in
// 1/1024; 0 without a circle. A work-group per seed. `sums`: a local element per item.
__kernel void circle_fit(__global const ushort *restrict edges, CircleSearch search,
                         __global const int4 *restrict seeds, __global int4 *restrict circles,
                         __local long16 *sums) {
  const int item = get_local_id(0), items = get_local_size(0), number = get_group_id(0);
  const int4 seed = seeds[number];
  const int cell = 1 << search.cell_bits;
  int4 circle = (int4)(seed.xy, seed.z * ONE, 0);
  int score = 0;
  bool good = seed.w > 0;
  for (int round = 0; round <= CIRCLE_ROUNDS && good; round++) {
    const int reach = round == CIRCLE_ROUNDS ? CIRCLE_REACH : max((cell + 2) >> round, 2);
    const int tolerance = tolerance_at(max(circle.z / ONE, 1), round == 0 ? cell : 0);
    long16 own = 0;
    for (int ray = item; ray < RAYS; ray += items) {
      const int off = edge_on_ray(edges, search, circle, ray, reach, tolerance);
      if (off == NO_EDGE) continue;
      const int sign = ray < STEPS ? 1 : -1;
      const long c = sign * normals[ray % STEPS][0], s = sign * normals[ray % STEPS][1];
      own.s0 += 1, own.s1 += c, own.s2 += s, own.s3 += c * c, own.s4 += c * s, own.s5 += s * s;
      own.s6 += off, own.s7 += off * c, own.s8 += off * s;
    }
    const long16 all = group_sum_sixteen(own, sums);
    score = (int)all.s0 * 1024 / RAYS;
    good = round == CIRCLE_ROUNDS ? score >= search.least_score : fit_circle(&circle, all);
  }
  good = good && circle.x >= 0 && circle.y >= 0 && circle.x < search.size.x * ONE &&
         circle.y < search.size.y * ONE && circle.z >= (search.radius_min - 1) * ONE &&
         circle.z <= (search.radius_max + 1) * ONE;
  if (item == 0) circles[number] = good ? (int4)(circle.xyz, score) : (int4)(0);
}

// True if circle number `a` comes before number `b`: its score is higher, or it is larger, or the
// first of equal ones.
inline bool is_before(int4 first, uint a, int4 second, uint b) {
  if (first.w != second.w) return first.w > second.w;
  return first.z > second.z || (first.z == second.z && a < b);
}

// True if `worse` is the circle `better` once more: centres and radii are close. Or it consists of
// parts of circles in each other: they are less close, but its score is far lower.
inline bool is_same_circle(int4 better, int4 worse) {
  const int smaller = min(better.z, worse.z);
  const bool far_worse = 1024 * worse.w < CIRCLE_RELATIVE * better.w;
  const int least = far_worse ? smaller / 2 : max(smaller / 8, CIRCLE_SAME * ONE);
  const long x = better.x - worse.x, y = better.y - worse.y;
  return x * x + y * y <= (long)least * least && (int)abs(better.z - worse.z) <= least;
}

// Sets `kept` for each circle that is not close to a better one. A work-group per circle.
__kernel void circle_keep(__global const int4 *restrict circles, int count,
                          __global uchar *restrict kept) {
  __local int repeated;
  const int item = get_local_id(0), items = get_local_size(0), i = get_group_id(0);
  const int4 own = circles[i];
  if (item == 0) repeated = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int k = item; k < count && own.w; k += items)
    if (k != i && circles[k].w && is_before(circles[k], k, own, i) &&
        is_same_circle(circles[k], own))
      repeated = 1;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (item == 0) kept[i] = own.w > 0 && !repeated;
}

// Writes the `most` best of the kept circles, best first. `result` gets their number, and the
// circles from its second element on. A work-group per circle, and one more, which counts them.
__kernel void circle_rank(__global const int4 *restrict circles, int count,
                          __global const uchar *restrict kept, int most,
                          __global FoundCircle *restrict result) {
  __local int before;
  const int item = get_local_id(0), items = get_local_size(0), i = get_group_id(0);
  const bool counts_all = i == count, ranks = i < count && kept[i];
  const int4 own = ranks ? circles[i] : (int4)(0);
  if (item == 0) before = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  int found = 0;
  for (int k = item; k < count && (counts_all || ranks); k += items)
    found += kept[k] && (counts_all || (k != i && is_before(circles[k], k, own, i)));
  if (found) atomic_add(&before, found);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (item == 0 && counts_all) *(__global uint *)result = min(before, most);
  if (item == 0 && ranks && before < most) {
    const FoundCircle circle = {own.x / 256.0f, own.y / 256.0f, own.z / 256.0f, own.w / 1024.0f};
    result[1 + before] = circle;
  }
}
