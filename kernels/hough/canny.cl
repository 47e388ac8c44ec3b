// SPDX-License-Identifier: LGPL-2.1-or-later
// Edges after Canny (1986), in whole numbers. Build with -DTILE_X=n -DTILE_Y=n: the pixels of a group. -DBUFFERS: frames are buffers.
#include "common/frame.clh"
#include "hough/angle.clh"
#include "hough/edge.clh"
#include "hough/ridge.clh"
#include "noise/bands.clh"

#define LEVELS 256
#define UNIT 256.0f        // of a gradient: a level per px
#define NOISE_GAIN 0.1014f // the gradient's standard deviation along an axis, by that of white noise
#define ABOVE_NOISE 4.0f   // of these deviations is the upper threshold
#define LEAST 3.0f         // levels per px: below, shading is no edge
#define LOWER 0.5f         // the lower threshold, by the upper one

// The squares of both thresholds for every level. `low`, `high`: levels per px; below 0 they follow the noise.
__kernel void canny_thresholds(__global const float *noise, float low, float high, __global uint2 *thresholds) {
  const int level = get_global_id(0);
  if (level >= LEVELS) return;
  const float variance = noise_variance_at(noise, level) * CORRELATION + coding_variance(noise);
  const float upper = high < 0.0f ? fmin(fmax(ABOVE_NOISE * NOISE_GAIN * sqrt(variance), LEAST), 127.0f) : high;
  const float lower = low < 0.0f ? LOWER * upper : fmin(low, upper);
  const uint2 whole = convert_uint2_rte(UNIT * (float2)(lower, upper));
  thresholds[level] = whole * whole;
}

#define REACH 4              // px that a gradient sees
#define SEEN (REACH + 1)     // and those of its neighbours
#define SIDE_X (TILE_X + 2)  // gradients of a tile, with neighbours
#define SIDE_Y (TILE_Y + 2)
#define LUMA_X (TILE_X + 2 * SEEN)
#define LUMA_Y (TILE_Y + 2 * SEEN)

inline uchar luma_of(uchar4 p) { return (77 * p.x + 150 * p.y + 29 * p.z + 128) >> 8; }

// Eight times (1 1), and (1 -1) after seven times that: of values `apart` each other around p.
#define SMOOTHED(p, apart)                                                                              \
  (70 * p[0] + 56 * (p[-(apart)] + p[apart]) + 28 * (p[-2 * (apart)] + p[2 * (apart)]) +                \
   8 * (p[-3 * (apart)] + p[3 * (apart)]) + p[-4 * (apart)] + p[4 * (apart)])
#define DERIVED(p, apart)                                                                               \
  (14 * (p[apart] - p[-(apart)] + p[2 * (apart)] - p[-2 * (apart)]) +                                   \
   6 * (p[3 * (apart)] - p[-3 * (apart)]) + p[4 * (apart)] - p[-4 * (apart)])

inline int square_of(short2 g) { return g.x * g.x + g.y * g.y; }

// Whether a gradient is the largest of the three along it; of equal ones the last.
inline bool is_ridge(__local const short2 *g) {
  const int x = abs(g[0].x), y = abs(g[0].y), own = square_of(g[0]);
  int next = g[0].x * g[0].y < 0 ? 1 - SIDE_X : 1 + SIDE_X;
  if (y * 32768 <= x * TAN_STEP) next = 1;
  if (x * 32768 < y * TAN_STEP) next = SIDE_X;
  return own > square_of(g[next]) && own >= square_of(g[-next]);
}

// For each place of `wide` x `high`, which a group's items deal among themselves: row by row where they are many side by side, for else
// those beyond a row's end idle.
#ifdef BUFFERS
#define EACH(x, y, wide, high)                  \
  for (int y = item.y; y < (high); y += items.y) \
    for (int x = item.x; x < (wide); x += items.x)
#else
#define EACH(x, y, wide, high) \
  for (int k = item.y * items.x + item.x, x, y; x = k % (wide), y = k / (wide), k < (wide) * (high); k += items.x * items.y)
#endif

// The map of a frame's edges; with `weak` also of those that only reach the lower threshold. With `labeled` labels too: each its own.
// `luma`: the frame's, with a texel on all sides; left out where `pitch` is 0.
// Work-items: groups of any size, one for a tile.
__kernel void canny_edges(IN_FRAME(in), int2 size, __global const uint2 *restrict thresholds, int weak,
                          __global ushort *restrict edges, int labeled, __global uint *restrict labels,
                          __global uchar *restrict luma, int pitch) {
  __local uchar levels[LUMA_Y * LUMA_X];
  __local short derived[LUMA_Y * SIDE_X];
  __local ushort smoothed[LUMA_Y * SIDE_X];
  __local short2 gradients[SIDE_Y * SIDE_X];
  const int2 item = (int2)(get_local_id(0), get_local_id(1)), items = (int2)(get_local_size(0), get_local_size(1));
  const int2 origin = (int2)(get_group_id(0), get_group_id(1)) * (int2)(TILE_X, TILE_Y), last = size - 1;

  EACH(x, y, LUMA_X, LUMA_Y) {
    const int2 at = clamp(origin + (int2)(x, y) - SEEN, (int2)(0, 0), last);
    levels[y * LUMA_X + x] = luma_of(LOAD_PIXEL(in, at.x, at.y));
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  EACH(x, y, SIDE_X, LUMA_Y) {
    __local const uchar *p = levels + y * LUMA_X + x + REACH;
    derived[y * SIDE_X + x] = DERIVED(p, 1);
    smoothed[y * SIDE_X + x] = SMOOTHED(p, 1);
  }
  if (pitch) {
    EACH(x, y, SIDE_X, SIDE_Y) {
      const int2 at = origin + (int2)(x, y) - 1;
      const bool beside = any(at < 0) || any(at > last);
      if ((x >= 1 && y >= 1 && x <= TILE_X && y <= TILE_Y && !beside) || (beside && all(at <= size)))
        luma[(at.y + 1) * pitch + at.x + 1] = levels[(y + REACH) * LUMA_X + x + REACH];
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  EACH(x, y, SIDE_X, SIDE_Y) {
    __local const short *d = derived + (y + REACH) * SIDE_X + x;
    __local const ushort *s = smoothed + (y + REACH) * SIDE_X + x;
    gradients[y * SIDE_X + x] = (short2)((SMOOTHED(d, SIDE_X) + 64) >> 7, (DERIVED(s, SIDE_X) + 64) >> 7);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  EACH(x, y, TILE_X, TILE_Y) {
    const int2 at = origin + (int2)(x, y);
    if (any(at > last)) continue;
    __local const short2 *g = gradients + (y + 1) * SIDE_X + x + 1;
    const uint2 least = thresholds[levels[(y + SEEN) * LUMA_X + x + SEEN]];
    const int square = square_of(*g), i = at.y * size.x + at.x;
    const bool counts = square > 0 && (uint)square >= (weak ? least.x : least.y) && is_ridge(g);
    edges[i] = counts ? edge_of(convert_int2(*g), square, least.y) : 0;
    if (labeled) labels[i] = i;
  }
}

// The edge that stands for all that are connected with one: the first of them.
inline uint root_label(volatile __global const uint *labels, uint i) {
  for (uint next = labels[i]; next != i; next = labels[i]) i = next;
  return i;
}

inline void join(volatile __global uint *labels, uint a, uint b) {
  while (true) {
    a = root_label(labels, a), b = root_label(labels, b);
    if (a == b) return;
    const uint high = max(a, b), low = min(a, b);
    a = atomic_min(labels + high, low), b = low;
    if (a == high) return;
  }
}

// Joins edges with their neighbours before them.
__kernel void canny_join(__global const ushort *restrict edges, int2 size, volatile __global uint *labels) {
  const int x = get_global_id(0), y = get_global_id(1), i = y * size.x + x;
  if (x >= size.x || y >= size.y || !edges[i]) return;
  if (x > 0 && edges[i - 1]) join(labels, i, i - 1);
  if (y == 0) return;
  for (int k = max(x - 1, 0); k <= min(x + 1, size.x - 1); k++)
    if (edges[i - size.x + k - x]) join(labels, i, i - size.x + k - x);
}

// Strong edges have all that are connected with them stay. `kept`: of all pixels, zeroed.
__kernel void canny_mark(__global const ushort *restrict edges, int2 size, __global const uint *labels, __global uchar *kept) {
  const int x = get_global_id(0), y = get_global_id(1), i = y * size.x + x;
  if (x < size.x && y < size.y && (edges[i] & EDGE_STRONG)) kept[root_label(labels, i)] = 1;
}

__kernel void canny_keep(__global ushort *edges, int2 size, __global const uint *labels, __global const uchar *kept) {
  const int x = get_global_id(0), y = get_global_id(1), i = y * size.x + x;
  if (x < size.x && y < size.y && edges[i] && !kept[root_label(labels, i)]) edges[i] = 0;
}
