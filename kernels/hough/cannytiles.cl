// SPDX-License-Identifier: LGPL-2.1-or-later
// Edges after Canny (1986), in whole numbers. Build with -DTILE_X=n -DTILE_Y=n: the pixels of a group. -DBUFFERS: frames are buffers.
#include "common/frame.clh"
#include "hough/gradient.clh"
#include "hough/labels.clh"

DEFINE_LABELS(local)

#define SEEN (REACH + 1)     // and those of its neighbours
#define SIDE_X (TILE_X + 2)  // gradients of a tile, with neighbours
#define SIDE_Y (TILE_Y + 2)
#define LUMA_X (TILE_X + 2 * SEEN)
#define LUMA_Y (TILE_Y + 2 * SEEN)

// Of values `apart` each other around p.
#define SMOOTHED_AT(p, apart)                                                                                                 \
  SMOOTHED(int, p[-4 * (apart)], p[-3 * (apart)], p[-2 * (apart)], p[-(apart)], p[0], p[apart], p[2 * (apart)], p[3 * (apart)], \
           p[4 * (apart)])
#define DERIVED_AT(p, apart)                                                                                                 \
  DERIVED(int, p[-4 * (apart)], p[-3 * (apart)], p[-2 * (apart)], p[-(apart)], p[apart], p[2 * (apart)], p[3 * (apart)],       \
          p[4 * (apart)])

#define NONE 0xffffffffu    // in place of a label: no edge
#define STRONG_ONE (NONE - 1)

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

// The map of a frame's edges; with `weak` also of those that only reach the lower threshold. With `labeled` weak ones get
// labels too, which join those of a tile.
// `luma`: the frame's, with a texel on all sides; left out where `pitch` is 0.
// Work-items: groups of any size, one for a tile.
__kernel void canny_edges(IN_FRAME(in), int2 size, __global const uint2 *restrict thresholds, int weak,
                          __global ushort *restrict edges, int labeled, __global uint *restrict labels,
                          __global uchar *restrict luma, int pitch) {
  __local uchar levels[LUMA_Y * LUMA_X];
  __local short derived[LUMA_Y * SIDE_X];
  __local ushort smoothed[LUMA_Y * SIDE_X];
  __local short2 gradients[SIDE_Y * SIDE_X];
  __local uint names[SIDE_Y * SIDE_X];  // labels within the tile
  __local int some;                     // weak edges whose neighbours do not tell whether they stay
  const int2 item = (int2)(get_local_id(0), get_local_id(1)), items = (int2)(get_local_size(0), get_local_size(1));
  const int2 origin = (int2)(get_group_id(0), get_group_id(1)) * (int2)(TILE_X, TILE_Y), last = size - 1;

  EACH(x, y, LUMA_X, LUMA_Y) {
    const int2 at = clamp(origin + (int2)(x, y) - SEEN, (int2)(0, 0), last);
    const uchar4 p = LOAD_PIXEL(in, at.x, at.y);
    levels[y * LUMA_X + x] = LUMA(p.x, p.y, p.z);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  EACH(x, y, SIDE_X, LUMA_Y) {
    __local const uchar *p = levels + y * LUMA_X + x + REACH;
    derived[y * SIDE_X + x] = DERIVED_AT(p, 1);
    smoothed[y * SIDE_X + x] = SMOOTHED_AT(p, 1);
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
    names[y * SIDE_X + x] = NONE;
    gradients[y * SIDE_X + x] = (short2)((SMOOTHED_AT(d, SIDE_X) + 64) >> 7, (DERIVED_AT(s, SIDE_X) + 64) >> 7);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  EACH(x, y, TILE_X, TILE_Y) {
    const int2 at = origin + (int2)(x, y);
    if (any(at > last)) continue;
    __local const short2 *g = gradients + (y + 1) * SIDE_X + x + 1;
    const uint2 least = thresholds[levels[(y + SEEN) * LUMA_X + x + SEEN]];
    const int square = square_of(*g), i = at.y * size.x + at.x;
    const bool counts = square > 0 && (uint)square >= (weak ? least.x : least.y) && is_ridge(g);
    const ushort edge = counts ? edge_of(convert_int2(*g), square, least.y) : 0;
    edges[i] = edge;
    if (labeled && edge) names[g - gradients] = edge & EDGE_STRONG ? STRONG_ONE : g - gradients + 1;
  }
  if (!labeled) return;
  if (item.x == 0 && item.y == 0) some = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
#define PLACE ((y + 1) * SIDE_X + x + 1)
#define NAME(dx, dy) names[PLACE + (dy) * SIDE_X + (dx)]
#define STRONG(dx, dy) (NAME(dx, dy) == STRONG_ONE)
#define WEAK(dx, dy) (NAME(dx, dy) < STRONG_ONE)
  EACH(x, y, TILE_X, TILE_Y) {
    if (!WEAK(0, 0)) continue;
    const int2 at = origin + (int2)(x, y);
    if (BESIDE(STRONG)) NAME(0, 0) = labels[at.y * size.x + at.x] = KEPT;
    else some = 1;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (!some) return;
  EACH(x, y, TILE_X, TILE_Y) {
    if (WEAK(0, 0)) {
      JOIN_BEFORE(local, names, PLACE, SIDE_X, WEAK)
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  EACH(x, y, TILE_X, TILE_Y) {
    if (!WEAK(0, 0)) continue;
    const uint label = least_local(names, NAME(0, 0));
    const int2 at = origin + (int2)(x, y), first = origin + (int2)((label - 1) % SIDE_X, (label - 1) / SIDE_X) - 1;
    labels[at.y * size.x + at.x] = label == KEPT ? KEPT : first.y * size.x + first.x + 1;
  }
}
