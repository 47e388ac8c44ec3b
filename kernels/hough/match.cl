// SPDX-License-Identifier: LGPL-2.1-or-later
// How many points of a shape meet an edge of their direction, for every place, turn and scale: the accumulator of the generalised Hough
// transform (Ballard 1981), gathered place by place, so that a point counts once, however many edges are near it.
//
// Build with -DLANES=n: places that a work-item has side by side, 1 or 16.
#include "hough/edge.clh"
#include "hough/level.clh"

#define STEPS 90
#define DIRECTIONS 15                     // bits of the map
#define PER_DIRECTION (STEPS / DIRECTIONS)  // steps
#define AROUND 3                          // steps that an edge's direction may be off
#define MATCHED 128                        // points of a shape
#define TURNS 72
#define SECTORS 24                        // of a turn
#define BANDS 3                           // of scales
#define FULL (2.0f * M_PI_F)

#define GLUE2(a, b) a##b
#define GLUE(a, b) GLUE2(a, b)
#if LANES == 1
#define USHORTS ushort
#define FLOATS float
#define LOAD(p) (*(p))
#define STORE(value, p) *(p) = (value)
#define TO_FLOATS convert_float
#define TO_USHORTS convert_ushort_sat
#else
#define USHORTS GLUE(ushort, LANES)
#define FLOATS GLUE(float, LANES)
#define LOAD(p) GLUE(vload, LANES)(0, p)
#define STORE(value, p) GLUE(vstore, LANES)(value, 0, p)
#define TO_FLOATS GLUE(convert_float, LANES)
#define TO_USHORTS GLUE(GLUE(convert_ushort, LANES), _sat)
#endif

// The directions that an edge stands for, a bit each.
inline ushort directions_of(ushort edge) {
  const int step = edge_step(edge);
  const int low = (step + STEPS - AROUND) % STEPS / PER_DIRECTION, high = (step + AROUND) % STEPS / PER_DIRECTION;
  return (ushort)(1 << low | 1 << high);
}

// For each pixel the directions of the edges up to `half` px beside it in its row. `region`: where edges count, from (x, y) to before
// (z, w). `count`: of edges there that reach the upper threshold, zeroed.
__kernel void match_rows(__global const ushort *restrict edges, int2 size, int4 region, int half_width,
                         __global ushort *restrict rows, __global uint *count) {
  __local uint found;
  if (get_local_id(0) == 0 && get_local_id(1) == 0) found = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  const int x = get_global_id(0), y = get_global_id(1);
  if (x < size.x && y < size.y) {
    ushort bits = 0;
    if (y >= region.y && y < region.w) {
      for (int u = max(x - half_width, region.x); u <= min(x + half_width, region.z - 1); u++) {
        const ushort edge = edges[y * size.x + u];
        if (edge) bits |= directions_of(edge);
      }
      if (x >= region.x && x < region.z && (edges[y * size.x + x] & EDGE_STRONG)) atomic_inc(&found);
    }
    rows[y * size.x + x] = bits;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (get_local_id(0) == 0 && get_local_id(1) == 0 && found) atomic_add(count, found);
}

// The map: the directions of the edges up to `half` px beside a pixel, in rows and columns. The pixels of each place in the squares of
// `cell` px are together, columns * lines of them, with a margin of `margin` squares: those that a shape's point falls on lie side by
// side for places side by side.
__kernel void match_spread(__global const ushort *restrict rows, int2 size, int half_width, int cell, int margin, int columns, int lines,
                           __global ushort *restrict map) {
  const int i = get_global_id(0), plane = columns * lines;
  if (i >= cell * cell * plane) return;
  const int within = i / plane, square = i % plane;
  const int x = (square % columns - margin) * cell + within % cell, y = (square / columns - margin) * cell + within / cell;
  ushort bits = 0;
  if (x >= 0 && x < size.x && y >= 0 && y < size.y)
    for (int v = max(y - half_width, 0); v <= min(y + half_width, size.y - 1); v++) bits |= rows[v * size.x + x];
  map[i] = bits;
}

// The part of all directions that the map has around each place, in a square of `windows` cells to all sides, for each band.
__kernel void match_density(__global const ushort *restrict map, int4 windows, int2 cells, int pitch, int margin, int columns, int lines,
                            int cell, __global float *restrict density) {
  const int i = get_global_id(0), band = get_global_id(1);
  if (i >= pitch * cells.y || band >= BANDS) return;
  const int window = band == 0 ? windows.x : band == 1 ? windows.y : windows.z, apart = 1 + window / 4;
  __global const ushort *middle = map + (cell / 2 * cell + cell / 2) * columns * lines;
  int sum = 0, all = 0;
  for (int v = -window; v <= window; v += apart)
    for (int u = -window; u <= window; u += apart) {
      const int x = i % pitch + u, y = i / pitch + v;
      if (x < 0 || y < 0 || x >= cells.x || y >= cells.y) continue;
      sum += popcount((int)middle[(y + margin) * columns + x + margin]);
      all += DIRECTIONS;
    }
  density[band * pitch * cells.y + i] = all ? (float)sum / all : 0.0f;
}

// Where each point of a shape falls in the map, for the first place, times 16, and its direction. `points`: MATCHED for each level.
// `first_scale`: binary logarithm of the smallest; `per_scale`: scales in an octave.
__kernel void match_offsets(__global const float4 *restrict points, __global const int4 *restrict levels, int level_count, int scales,
                            float first_scale, float per_scale, int cell, int margin, int columns, int lines,
                            __global int *restrict offsets) {
  const int point = get_global_id(0), pose = get_global_id(1);
  if (point >= MATCHED || pose >= TURNS * scales) return;
  const int scale = pose % scales, turn = pose / scales;
  const float size = first_scale + (scale + 0.5f) / per_scale, angle = FULL * (turn + 0.5f) / TURNS;
  const float4 p = points[level_for(levels, level_count, size) * MATCHED + point];
  const float c = exp2(size) * cos(angle), s = exp2(size) * sin(angle);
  // What falls beyond the margin is outside of the frame for every place.
  const int2 at = clamp(convert_int2_rte((float2)(c * p.x - s * p.y, s * p.x + c * p.y)) + cell / 2 + margin * cell, 0,
                        (2 * margin + 1) * cell - 1);
  float step = p.z + (turn + 0.5f) * (2.0f * STEPS / TURNS);
  step -= STEPS * floor(step / STEPS);
  const int direction = min((int)step / PER_DIRECTION, DIRECTIONS - 1);
  const int within = at.y % cell * cell + at.x % cell;
  offsets[pose * MATCHED + point] = ((within * lines + at.y / cell) * columns + at.x / cell) * 16 + direction;
}

// For every place, sector of turns and band of scales the pose of which most points meet an edge, and by how many standard deviations
// those are more than chance has there, times 32. `turns`: the allowed ones, from .x on .y of them. Rows of results are `pitch` apart.
__kernel void match(__global const ushort *restrict map, __global const int *restrict offsets, __global const float *restrict density,
                    int scales, int2 turns, int2 cells, int pitch, int columns, __global ushort *restrict votes,
                    __global ushort *restrict poses) {
  const int i = get_global_id(0), group = get_global_id(1), across = pitch / LANES;
  if (i >= across * cells.y || group >= SECTORS * BANDS) return;
  const int x = i % across * LANES, y = i / across;
  const int sector = group / BANDS, band = group % BANDS, share = (scales + BANDS - 1) / BANDS, first = band * share;
  __global const ushort *from = map + y * columns + x;
  USHORTS most = 0, best = 0;
  for (int turn = sector * (TURNS / SECTORS); turn < (sector + 1) * (TURNS / SECTORS); turn++) {
    if ((turn - turns.x + 2 * TURNS) % TURNS >= turns.y) continue;
    for (int scale = first; scale < min(first + share, scales); scale++) {
      const int pose = turn * scales + scale;
      __global const int *own = offsets + pose * MATCHED;
      USHORTS sum = 0;
      for (int k = 0; k < MATCHED; k++) {
        const USHORTS there = LOAD(from + (own[k] >> 4));
        sum += (there >> (USHORTS)(own[k] & 15)) & (USHORTS)1;
      }
      best = sum > most ? (USHORTS)pose : best;
      most = max(most, sum);
    }
  }
  const int to = (group * cells.y + y) * pitch + x;
  const FLOATS part = LOAD(density + (band * cells.y + y) * pitch + x);
  const FLOATS expected = MATCHED * part;
  const FLOATS off = (TO_FLOATS(most) - expected) / sqrt(expected * (1.0f - part) + 1.0f);
  STORE(TO_USHORTS(off * 32.0f), votes + to);
  STORE(best, poses + to);
}

#define STRENGTHS 1024
#define LEAST 96   // three standard deviations
#define BESIDE 1   // cells

// Keeps the strength of places that stand out more than all around them for nearly the same turn and scale.
__kernel void match_maxima(__global const ushort *restrict votes, __global const ushort *restrict poses, int scales, int2 cells, int pitch,
                           __global ushort *restrict maxima) {
  const int x = get_global_id(0), y = get_global_id(1) % cells.y, group = get_global_id(1) / cells.y;
  if (x >= pitch || group >= SECTORS * BANDS) return;
  const int i = (group * cells.y + y) * pitch + x, own = votes[i], turn = poses[i] / scales, scale = poses[i] % scales;
  bool most = x < cells.x && own >= LEAST;
  for (int v = max(y - BESIDE, 0); v <= min(y + BESIDE, cells.y - 1) && most; v++)
    for (int u = max(x - BESIDE, 0); u <= min(x + BESIDE, cells.x - 1); u++) {
      const int k = (group * cells.y + v) * pitch + u;
      const bool alike = abs(poses[k] / scales - turn) <= 1 && abs(poses[k] % scales - scale) <= 1;
      most = most && (!alike || own > votes[k] || (own == votes[k] && i <= k));
    }
  maxima[i] = most ? min(own, STRENGTHS - 1) : 0;
}
