// SPDX-License-Identifier: LGPL-2.1-or-later
// Counts the points of a template that meet an edge of their direction, for every position,
// rotation and scale. This is the accumulator of the generalised Hough transform (Ballard 1981). It
// is gathered per position instead of scattered, so several edges near a point count once.
//
// For each direction the map has a bit per position, so a work-item counts for all positions of a
// word at once.
//
// Build with -DLANES=n: adjacent words of a work-item, 1 or 4.
#include "common/unitvector.clh"
#include "hough/edge.clh"
#include "hough/level.clh"
#include "hough/directions.clh"
#include "hough/interface.h"
#include "hough/tuned.clh"

#define TWO_PI (2.0f * M_PI_F)

#define COUNT_BITS 8  // bits of a count up to MATCH_POINTS
#define POSE_BITS 6   // bits of a pose's number within a sector and a band

#if LANES == 1
#define WORDS uint
#define LOAD(p) (*(p))
#define STORE(value, p) *(p) = (value)
#else
#define GLUE2(a, b) a##b
#define GLUE(a, b) GLUE2(a, b)
#define WORDS GLUE(uint, LANES)
#define LOAD(p) GLUE(vload, LANES)(0, p)
#define STORE(value, p) GLUE(vstore, LANES)(value, 0, p)
#endif

// Completes the map: the directions of edges up to `half_width` px away along y; `rows` has those
// along x. The frame is divided into squares of `cell` px. Pixels at the same position within their
// squares are stored together, columns × lines of them, with `margin` squares around the frame. So
// adjacent work-items read adjacent elements. A work-item per element.
__kernel void match_spread(__global const ushort *restrict rows, __global ushort *restrict map,
                           SearchGrid grid, int2 size) {
  const int half_width = grid.half_width, cell = grid.cell, margin = grid.margin,
            columns = grid.columns, lines = grid.lines;
  const int i = get_global_id(0), plane = columns * lines;
  if (i >= cell * cell * plane) return;
  const int within = i / plane, square = i % plane;
  const int x = (square % columns - margin) * cell + within % cell,
            y = (square / columns - margin) * cell + within / cell;
  ushort bits = 0;
  if (x >= 0 && x < size.x && y >= 0 && y < size.y)
    for (int v = max(y - half_width, 0); v <= min(y + half_width, size.y - 1); v++)
      bits |= rows[v * size.x + x];
  map[i] = bits;
}

// Packs the map into bits: for each direction, lines of `words` words, lowest bit first. Each line
// has one word more than its places need. A work-item per word.
__kernel void match_pack(__global const ushort *restrict map, __global uint *restrict bits,
                         SearchGrid grid) {
  const int columns = grid.columns, words = grid.words, all = grid.all_words;
  const int i = get_global_id(0);
  if (i >= all) return;
  const int from = i % words * WORD, count = min(columns - from, WORD);
  __global const ushort *positions = map + i / words * columns + from;
  for (int direction = 0; direction < DIRECTIONS; direction++) {
    uint word = 0;
    for (int k = 0; k < count; k++) word |= (uint)(positions[k] >> direction & 1) << k;
    bits[direction * all + i] = word;
  }
}

// The density of the map: the mean fraction of direction bits that are set around each cell. The
// window has `windows` cells on each side, by band of scales. A work-item per cell and band.
__kernel void match_density(__global const ushort *restrict map, __global float *restrict density,
                            SearchGrid grid, int4 windows) {
  const int2 cells = grid.cells;
  const int pitch = grid.pitch, margin = grid.margin, columns = grid.columns, lines = grid.lines,
            cell = grid.cell;
  const int i = get_global_id(0), band = get_global_id(1);
  if (i >= pitch * cells.y || band >= BANDS) return;
  const int window = band == 0   ? windows.x
                     : band == 1 ? windows.y
                                 : windows.z,
            spacing = 1 + window / 4;
  __global const ushort *middle = map + (cell / 2 * cell + cell / 2) * columns * lines;
  int sum = 0, all = 0;
  for (int v = -window; v <= window; v += spacing)
    for (int u = -window; u <= window; u += spacing) {
      const int x = i % pitch + u, y = i / pitch + v;
      if (x < 0 || y < 0 || x >= cells.x || y >= cells.y) continue;
      sum += popcount((int)middle[(y + margin) * columns + x + margin]);
      all += DIRECTIONS;
    }
  density[band * pitch * cells.y + i] = all ? (float)sum / all : 0.0f;
}

// The offset of each point of a template in the map's bits, relative to the first position: the
// word, and the bit in it. `points`: MATCH_POINTS per level. A work-item per point and pose.
__kernel void match_offsets(__global const float4 *restrict points,
                            __global const int4 *restrict levels, __global int2 *restrict offsets,
                            SearchGrid grid, ScaleBins bins, int level_count) {
  const int cell = grid.cell, margin = grid.margin, words = grid.words, lines = grid.lines,
            scales = bins.count;
  const int point = get_global_id(0), pose = get_global_id(1);
  if (point >= MATCH_POINTS || pose >= ROTATIONS * scales) return;
  const int scale = pose % scales, rotation = pose / scales;
  const float size = bins.first + (scale + 0.5f) / bins.per_octave,
              angle = TWO_PI * (rotation + 0.5f) / ROTATIONS;
  const float4 p = points[level_for(levels, level_count, size) * MATCH_POINTS + point];
  const float2 along = exp2(size) * unit_vector(angle);
  // Points beyond the margin lie outside the frame for every position.
  const int2 at = clamp(
      convert_int2_rte((float2)(along.x * p.x - along.y * p.y, along.y * p.x + along.x * p.y)) +
          cell / 2 + margin * cell,
      0, (2 * margin + 1) * cell - 1);
  float step = p.z + (rotation + 0.5f) * (2.0f * STEPS / ROTATIONS);
  step -= STEPS * floor(step / STEPS);
  const int direction = min((int)step / PER_DIRECTION, DIRECTIONS - 1);
  const int within = at.y % cell * cell + at.x % cell;
  const int column = at.x / cell, line = (direction * cell * cell + within) * lines + at.y / cell;
  offsets[pose * MATCH_POINTS + point] = (int2)(line * words + column / WORD, column % WORD);
}

// A full adder for each bit position: adds `a` and `b` to `sum` and returns the carry.
inline WORDS add_bits(WORDS *sum, WORDS a, WORDS b) {
  const WORDS differ = *sum ^ a, carry = (*sum & a) | (differ & b);
  *sum = differ ^ b;
  return carry;
}

// A bit per position of a word: 1 if the point of the template meets an edge there.
inline WORDS meets(__global const uint *from, int2 point) {
  // The second shift has two steps, because a shift by 32 bits equals one by 0.
  return LOAD(from + point.x) >> (uint)point.y | LOAD(from + point.x + 1)
                                                     << 1u << (uint)(WORD - 1 - point.y);
}

// For every cell, sector of rotations and band of scales, finds the pose for which most points meet
// an edge. `votes` gets the excess over the number by chance, in 1/32 standard deviation.
// `rotations`: rotations .x to .x + .y - 1 are allowed. Rows of results have `pitch` elements. A
// work-item has WORD × LANES cells.
__kernel void match(__global const uint *restrict bits, __global const int2 *restrict offsets,
                    __global const float *restrict density, __global ushort *restrict votes,
                    __global ushort *restrict poses, SearchGrid grid, int scales, int2 rotations) {
  const int2 cells = grid.cells;
  const int pitch = grid.pitch, words = grid.words;
  const int i = get_global_id(0), group = get_global_id(1), across = pitch / (WORD * LANES);
  if (i >= across * cells.y || group >= SECTORS * BANDS) return;
  const int word = i % across * LANES, y = i / across;
  const int sector = group / BANDS, band = group % BANDS, share = (scales + BANDS - 1) / BANDS,
            first = band * share;
  __global const uint *from = bits + y * words + word;
  // Bit-sliced numbers: element i has bit i of the numbers of all positions.
  WORDS most[COUNT_BITS] = {0}, best[POSE_BITS] = {0};
  for (int rotation = sector * (ROTATIONS / SECTORS);
       rotation < (sector + 1) * (ROTATIONS / SECTORS); rotation++) {
    if ((rotation - rotations.x + 2 * ROTATIONS) % ROTATIONS >= rotations.y) continue;
    for (int scale = first; scale < min(first + share, scales); scale++) {
      __global const int2 *own = offsets + (rotation * scales + scale) * MATCH_POINTS;
      WORDS sum[COUNT_BITS] = {0};
      for (int k = 0; k < MATCH_POINTS; k += 8) {
        const WORDS two_a = add_bits(&sum[0], meets(from, own[k]), meets(from, own[k + 1]));
        const WORDS two_b = add_bits(&sum[0], meets(from, own[k + 2]), meets(from, own[k + 3]));
        const WORDS four_a = add_bits(&sum[1], two_a, two_b);
        const WORDS two_c = add_bits(&sum[0], meets(from, own[k + 4]), meets(from, own[k + 5]));
        const WORDS two_d = add_bits(&sum[0], meets(from, own[k + 6]), meets(from, own[k + 7]));
        const WORDS four_b = add_bits(&sum[1], two_c, two_d);
        WORDS carry = add_bits(&sum[2], four_a, four_b);
#pragma unroll
        for (int bit = 3; bit < COUNT_BITS; bit++) {
          const WORDS both = sum[bit] & carry;
          sum[bit] ^= carry;
          carry = both;
        }
      }
      WORDS more = 0, equal = ~(WORDS)0;
#pragma unroll
      for (int bit = COUNT_BITS - 1; bit >= 0; bit--) {
        more |= equal & sum[bit] & ~most[bit];
        equal &= ~(sum[bit] ^ most[bit]);
      }
      const int number = (rotation - sector * (ROTATIONS / SECTORS)) * share + scale - first;
#pragma unroll
      for (int bit = 0; bit < COUNT_BITS; bit++)
        most[bit] = (sum[bit] & more) | (most[bit] & ~more);
#pragma unroll
      for (int bit = 0; bit < POSE_BITS; bit++)
        best[bit] = number >> bit & 1 ? best[bit] | more : best[bit] & ~more;
    }
  }
  uint counts[COUNT_BITS][LANES], numbers[POSE_BITS][LANES];
#pragma unroll
  for (int bit = 0; bit < COUNT_BITS; bit++) STORE(most[bit], counts[bit]);
#pragma unroll
  for (int bit = 0; bit < POSE_BITS; bit++) STORE(best[bit], numbers[bit]);
  for (int lane = 0; lane < LANES; lane++)
    for (int k = 0; k < WORD; k++) {
      const int x = (word + lane) * WORD + k, to = (group * cells.y + y) * pitch + x;
      int count = 0, number = 0;
#pragma unroll
      for (int bit = 0; bit < COUNT_BITS; bit++) count |= (int)(counts[bit][lane] >> k & 1) << bit;
#pragma unroll
      for (int bit = 0; bit < POSE_BITS; bit++) number |= (int)(numbers[bit][lane] >> k & 1) << bit;
      const float part = density[(band * cells.y + y) * pitch + x], expected = MATCH_POINTS * part;
      votes[to] =
          convert_ushort_sat((count - expected) / sqrt(expected * (1.0f - part) + 1.0f) * 32.0f);
      poses[to] = count ? (sector * (ROTATIONS / SECTORS) + number / share) * scales + first +
                              number % share
                        : 0;
    }
}

// Non-maximum suppression: keeps the strength of cells that exceed all adjacent cells with a
// similar rotation and scale. Of equal ones the first counts. A work-item per result.
__kernel void match_maxima(__global const ushort *restrict votes,
                           __global const ushort *restrict poses, __global ushort *restrict maxima,
                           SearchGrid grid, int scales) {
  const int2 cells = grid.cells;
  const int pitch = grid.pitch;
  const int x = get_global_id(0), y = get_global_id(1) % cells.y,
            group = get_global_id(1) / cells.y;
  if (x >= pitch || group >= SECTORS * BANDS) return;
  const int i = (group * cells.y + y) * pitch + x, own = votes[i], rotation = poses[i] / scales,
            scale = poses[i] % scales;
  bool most = x < cells.x && own >= LEAST_STRENGTH;
  for (int v = max(y - MAXIMUM_RADIUS, 0); v <= min(y + MAXIMUM_RADIUS, cells.y - 1) && most; v++)
    for (int u = max(x - MAXIMUM_RADIUS, 0); u <= min(x + MAXIMUM_RADIUS, cells.x - 1); u++) {
      const int k = (group * cells.y + v) * pitch + u;
      const bool alike =
          abs(poses[k] / scales - rotation) <= 1 && abs(poses[k] % scales - scale) <= 1;
      most = most && (!alike || own > votes[k] || (own == votes[k] && i <= k));
    }
  maxima[i] = most ? min(own, MATCH_STRENGTHS - 1) : 0;
}
