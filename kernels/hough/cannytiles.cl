// SPDX-License-Identifier: LGPL-2.1-or-later
// Canny's edge detector (1986) in integer arithmetic. Build with -DTILE_X=n -DTILE_Y=n, the pixels
// of a group's tile. -DBUFFERS: frames are buffers.
#include "hough/gradient.clh"
#include "hough/labels.clh"

DEFINE_LABELS(local)

// Sizes of the gradients of a tile with 1 px around it, and of the luma they need. Items process
// four by four values, so sizes are multiples of 4.
#define HALO (REACH + 1)
#define UP(n) (((n) + 3) & ~3)
#define SIDE_X UP(TILE_X + 2)
#define SIDE_Y UP(TILE_Y + 2)
#define LUMA_X (SIDE_X + 2 * REACH)
#define LUMA_Y (SIDE_Y + 2 * REACH)

// Arithmetic on two 16-bit numbers in one 32-bit word. An offset of ZERO keeps differences
// positive.
#define ZERO 16384
#define DERIVED_PAIR(a, b, c, d, f, g, h, i) \
  (14 * ((f) + (g)) + 6 * (h) + (i) + ZERO * 0x10001u - (14 * ((d) + (c)) + 6 * (b) + (a)))

// Twelve adjacent values of a row.
typedef struct {
  int at[12];
} Twelve;

inline Twelve load_twelve(__local const uint2 *row) {
  Twelve values;
  _Pragma("unroll") for (int i = 0; i < 3; i++) {
    const uint2 four = row[i];
    values.at[4 * i] = four.x & 0xffff, values.at[4 * i + 1] = four.x >> 16;
    values.at[4 * i + 2] = four.y & 0xffff, values.at[4 * i + 3] = four.y >> 16;
  }
  return values;
}

#define NONE 0xffffffffu  // label of a pixel without an edge
#define STRONG_ONE (NONE - 1)

inline int squared_length(short2 g) { return g.x * g.x + g.y * g.y; }

// Non-maximum suppression: whether a gradient is the largest of the three along its direction. Of
// equal ones the last counts.
inline bool is_ridge(__local const short2 *g) {
  const int x = abs(g[0].x), y = abs(g[0].y), own = squared_length(g[0]);
  int next = g[0].x * g[0].y < 0 ? 1 - SIDE_X : 1 + SIDE_X;
  if (y * 32768 <= x * TAN_STEP) next = 1;
  if (x * 32768 < y * TAN_STEP) next = SIDE_X;
  return own > squared_length(g[next]) && own >= squared_length(g[-next]);
}

// Distributes `wide` × `high` places among the items of a group. Wide groups take places in linear
// order, because otherwise the items beyond the end of a row would idle.
#ifdef BUFFERS
#define EACH(x, y, wide, high)                   \
  for (int y = item.y; y < (high); y += items.y) \
    for (int x = item.x; x < (wide); x += items.x)
#else
#define EACH(x, y, wide, high)                  \
  for (int k = item.y * items.x + item.x, x, y; \
       x = k % (wide), y = k / (wide), k < (wide) * (high); k += items.x * items.y)
#endif

// Input: a frame. Output: the map of its edges. With `weak` the map includes edges between the
// thresholds. With `labeled` weak edges also get labels, joined within a tile. `luma` gets the luma
// of the frame with a border of 1 px; it is not written if `pitch` is 0. Work-groups may have any
// size; each has one tile.
__kernel void canny_edges(IN_LUMA(in), int2 size, __global const uint2 *restrict thresholds,
                          int weak, __global ushort *restrict edges, int labeled,
                          __global uint *restrict labels, __global uchar *restrict luma,
                          int pitch) {
  __local uint levels[LUMA_Y * LUMA_X / 2];  // two pixels per word
  __local uint2 smooth[SIDE_Y * LUMA_X / 4],
      steep[SIDE_Y * LUMA_X / 4];  // filtered along y, four pixels per element
  __local short2 gradients[SIDE_Y * SIDE_X];
  __local uint names[SIDE_Y * SIDE_X];  // labels within the tile
  __local int undecided;                // 1 if a weak edge has no strong neighbour
  __local ushort *level_at = (__local ushort *)levels;
  const int2 item = (int2)(get_local_id(0), get_local_id(1)),
             items = (int2)(get_local_size(0), get_local_size(1));
  const int2 origin = (int2)(get_group_id(0), get_group_id(1)) * (int2)(TILE_X, TILE_Y),
             last = size - 1;

  EACH(x, y, LUMA_X, LUMA_Y) {
    const int2 at = clamp(origin + (int2)(x, y) - HALO, (int2)(0, 0), last);
    level_at[y * LUMA_X + x] = WHOLE_LEVEL(in, at.x, at.y);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  EACH(x, y, LUMA_X / 2, SIDE_Y / 4) {
    uint p[12];
    _Pragma("unroll") for (int i = 0; i < 12; i++) p[i] = levels[(4 * y + i) * (LUMA_X / 2) + x];
    _Pragma("unroll") for (int i = 0; i < 4; i++) {
      const int to = (4 * y + i) * (LUMA_X / 2) + x;
      ((__local uint *)smooth)[to] = SMOOTHED(uint, p[i], p[i + 1], p[i + 2], p[i + 3], p[i + 4],
                                              p[i + 5], p[i + 6], p[i + 7], p[i + 8]);
      ((__local uint *)steep)[to] =
          DERIVED_PAIR(p[i], p[i + 1], p[i + 2], p[i + 3], p[i + 5], p[i + 6], p[i + 7], p[i + 8]);
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  EACH(x, y, SIDE_X / 4, SIDE_Y) {
    const int from = y * (LUMA_X / 4) + x;
    const Twelve s = load_twelve(smooth + from), d = load_twelve(steep + from);
    _Pragma("unroll") for (int i = 0; i < 4; i++) {
      __local short2 *g = gradients + y * SIDE_X + 4 * x + i;
      const int across = DERIVED(int, s.at[i], s.at[i + 1], s.at[i + 2], s.at[i + 3], s.at[i + 5],
                                 s.at[i + 6], s.at[i + 7], s.at[i + 8]);
      const int down = SMOOTHED(int, d.at[i], d.at[i + 1], d.at[i + 2], d.at[i + 3], d.at[i + 4],
                                d.at[i + 5], d.at[i + 6], d.at[i + 7], d.at[i + 8]);
      *g = (short2)((across + 64) >> 7, (down - ZERO * 256 + 64) >> 7);
      if (labeled) names[g - gradients] = NONE;
    }
  }
  if (pitch && (any(origin == 0) || any(origin + (int2)(TILE_X, TILE_Y) > last))) {
    EACH(x, y, TILE_X + 2, TILE_Y + 2) {
      const int2 at = origin + (int2)(x, y) - 1;
      if ((any(at < 0) || any(at > last)) && all(at <= size))
        luma[(at.y + 1) * pitch + at.x + 1] = level_at[(y + REACH) * LUMA_X + x + REACH];
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  EACH(x, y, TILE_X, TILE_Y) {
    const int2 at = origin + (int2)(x, y);
    if (any(at > last)) continue;
    __local const short2 *g = gradients + (y + 1) * SIDE_X + x + 1;
    const int level = level_at[(y + HALO) * LUMA_X + x + HALO];
    if (pitch) luma[(at.y + 1) * pitch + at.x + 1] = level;
    const uint2 least = thresholds[level];
    const int square = squared_length(*g);
    const bool counts = square > 0 && (uint)square >= (weak ? least.x : least.y) && is_ridge(g);
    const ushort edge = counts ? edge_of(convert_int2(*g), square, least.y) : 0;
    edges[at.y * size.x + at.x] = edge;
    if (labeled && edge) names[g - gradients] = edge & EDGE_STRONG ? STRONG_ONE : g - gradients + 1;
  }
  if (!labeled) return;
  if (item.x == 0 && item.y == 0) undecided = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
#define PLACE ((y + 1) * SIDE_X + x + 1)
#define NAME(dx, dy) names[PLACE + (dy)*SIDE_X + (dx)]
#define STRONG(dx, dy) (NAME(dx, dy) == STRONG_ONE)
#define WEAK(dx, dy) (NAME(dx, dy) < STRONG_ONE)
  EACH(x, y, TILE_X, TILE_Y) {
    if (!WEAK(0, 0)) continue;
    const int2 at = origin + (int2)(x, y);
    if (ANY_NEIGHBOUR(STRONG))
      NAME(0, 0) = labels[at.y * size.x + at.x] = STRONG_LABEL;
    else
      undecided = 1;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (!undecided) return;
  EACH(x, y, TILE_X, TILE_Y) {
    if (WEAK(0, 0)) {
      JOIN_BEFORE(local, names, PLACE, SIDE_X, WEAK)
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  EACH(x, y, TILE_X, TILE_Y) {
    if (!WEAK(0, 0)) continue;
    const uint label = least_local(names, NAME(0, 0));
    const int2 at = origin + (int2)(x, y),
               first = origin + (int2)((label - 1) % SIDE_X, (label - 1) / SIDE_X) - 1;
    labels[at.y * size.x + at.x] =
        label == STRONG_LABEL ? STRONG_LABEL : first.y * size.x + first.x + 1;
  }
}
