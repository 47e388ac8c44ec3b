// SPDX-License-Identifier: LGPL-2.1-or-later
// The edge search of cannytiles.cl in a form for CPUs. A work-item has a tile of -DTILE_X=n by
// -DTILE_Y=n px; TILE_X is a multiple of 16. It processes the tile row by row, 16 px at a time.
// -DBUFFERS: frames are buffers.
#include "hough/gradient.clh"
#include "hough/join.clh"

DEFINE_OWN_LABELS

#define LEVELS 256
#define TAPS (2 * REACH + 1)
// px from the start of a luma row to the tile; gradient rows start 1 px before the tile
#define LEFT 8
#define PITCH (TILE_X + 32)    // of all rows, elements
#define CAPACITY (2 * TILE_X)  // capacity of Found, a multiple of 16

#define UP(n) (((n) + 15) & ~15)
// ring buffer of `count` rows; y > -4 count
#define ROW(y, count) ((((y) + 4 * (count)) % (count)) * PITCH)

typedef ushort16 LooseLevels __attribute__((aligned(2)));
typedef short16 LooseSlopes __attribute__((aligned(2)));
typedef int16 LooseSquares __attribute__((aligned(4)));
typedef float16 LooseFloats __attribute__((aligned(4)));
typedef uint16 LoosePixels __attribute__((aligned(4)));
#define SIXTEEN(Type, p) (*(__local const Type *)(p))
#define STORE_SIXTEEN(Type, p, value) (*(__local Type *)(p) = (value))

// edge_of() for 16 pixels.
inline ushort16 edges_of(int16 x, int16 y, int16 square, uint16 strong) {
  const int16 side = step_begins[0][0] * y - step_begins[0][1] * x,
              along = step_begins[0][0] * x + step_begins[0][1] * y;
  const int16 turned = side < 0 | (side == 0 & along < 0);
  x = turned ? -x : x, y = turned ? -y : y;
  const float16 across = convert_float16(abs(x)), down = convert_float16(abs(y));
  const float16 t = fmin(across, down) / fmax(fmax(across, down), 1.0f),
                flat = ARC_TANGENT(t, t * t);
  const float16 angle = down > across ? M_PI_2_F - flat : flat;
  int16 step =
      min(convert_int16((x < 0 ? M_PI_F - angle : angle) * (STEPS / M_PI_F) + 0.5f), STEPS - 1);
  int own_x[16], own_y[16], next_x[16], next_y[16], about[16];
  vstore16(step, 0, about);
  for (int i = 0; i < 16; i++) {
    const int own = about[i], next = min(own + 1, STEPS - 1);
    own_x[i] = step_begins[own][0], own_y[i] = step_begins[own][1];
    next_x[i] = step_begins[next][0], next_y[i] = step_begins[next][1];
  }
#define IS_BEYOND(begin) (vload16(0, begin##_x) * y - vload16(0, begin##_y) * x >= 0)
  step += IS_BEYOND(own) ? (IS_BEYOND(next) & step + 1 < STEPS ? 1 : (int16)(0)) : -1;
#undef IS_BEYOND
  int16 root = convert_int16(sqrt(convert_float16(square)));
  root += root * root > square ? -1 : (root + 1) * (root + 1) <= square ? 1 : (int16)(0);
  const int16 edge = min(root >> 8, EDGE_STRENGTHS - 1) << 7 | step + 1 | (turned & EDGE_REVERSED) |
                     (as_uint16(square) >= strong & EDGE_STRONG);
  return convert_ushort16(edge);
}

// The most recent rows. Rows of pixels start LEFT px before the tile, rows of gradients 1 px before
// it.
typedef struct {
  ushort levels[TAPS * PITCH];
  ushort smooth_high[PITCH], smooth_low[PITCH], steep_high[PITCH],
      steep_low[PITCH];  // value / 128 and remainder, whose sums fit 16 bits
  short across[3 * PITCH], down[3 * PITCH];
  int squares[3 * PITCH];
} Rows;

// Edges that were found but not yet written.
typedef struct {
  int count, indices[CAPACITY];  // index in the tile, in rows of TILE_X
  int across[CAPACITY], down[CAPACITY], squares[CAPACITY];
  uint strong[CAPACITY];
  ushort edges[CAPACITY];
} Found;

// Row `y` smoothed and derived along y.
inline void along_y(__local Rows *rows, int y, int count) {
  for (int k = 0; k < count; k += 16) {
#define AT(n) SIXTEEN(LooseLevels, rows->levels + ROW(y + (n), TAPS) + k)
    const ushort16 a = AT(-4), b = AT(-3), c = AT(-2), d = AT(-1), e = AT(0), f = AT(1), g = AT(2),
                   h = AT(3), i = AT(4);
#undef AT
    const ushort16 smooth = SMOOTHED(ushort, a, b, c, d, e, f, g, h, i),
                   steep = DERIVED(ushort, a, b, c, d, f, g, h, i);
    STORE_SIXTEEN(LooseLevels, rows->smooth_high + k, smooth >> (ushort)7);
    STORE_SIXTEEN(LooseLevels, rows->smooth_low + k, smooth & (ushort)127);
    STORE_SIXTEEN(LooseLevels, rows->steep_high + k, as_ushort16(as_short16(steep) >> (short)7));
    STORE_SIXTEEN(LooseLevels, rows->steep_low + k, steep & (ushort)127);
  }
}

// The gradients of row `y`, from the results of along_y().
inline void along_x(__local Rows *rows, int y, int count) {
  for (int k = 0; k < count; k += 16) {
    const int to = ROW(y, 3) + k;
#define AT(part, n) SIXTEEN(LooseLevels, rows->part + k + LEFT - 1 + (n))
#define ACROSS(part)                                                                   \
  DERIVED(ushort, AT(part, -4), AT(part, -3), AT(part, -2), AT(part, -1), AT(part, 1), \
          AT(part, 2), AT(part, 3), AT(part, 4))
#define DOWN(part)                                                                      \
  SMOOTHED(ushort, AT(part, -4), AT(part, -3), AT(part, -2), AT(part, -1), AT(part, 0), \
           AT(part, 1), AT(part, 2), AT(part, 3), AT(part, 4))
#define ROUNDED(low) (as_short16((low) + (ushort)64) >> (short)7)
    const short16 x = as_short16(ACROSS(smooth_high)) + ROUNDED(ACROSS(smooth_low));
    const short16 z = as_short16(DOWN(steep_high)) + ROUNDED(DOWN(steep_low));
#undef ROUNDED
#undef DOWN
#undef ACROSS
#undef AT
    const int16 wide_x = convert_int16(x), wide_z = convert_int16(z);
    STORE_SIXTEEN(LooseSlopes, rows->across + to, x);
    STORE_SIXTEEN(LooseSlopes, rows->down + to, z);
    STORE_SIXTEEN(LooseSquares, rows->squares + to, wide_x * wide_x + wide_z * wide_z);
  }
}

// Non-maximum suppression of 16 pixels. Returns bytes that are 1 where the gradient is the largest
// of the three along its direction and its square is at least `enough`. Of equal gradients the last
// counts.
inline ulong2 ridges(__local const Rows *rows, int y, int k, int enough) {
  const int at = ROW(y, 3) + k + 1;
  const int16 square = SIXTEEN(LooseSquares, rows->squares + at);
  if (!any(square >= enough)) return 0;
  const int16 x = convert_int16(SIXTEEN(LooseSlopes, rows->across + at)),
              z = convert_int16(SIXTEEN(LooseSlopes, rows->down + at));
  const int16 ax = convert_int16(abs(x)), az = convert_int16(abs(z)), rises = x * z < 0;
#define NEAR(dx, dy) SIXTEEN(LooseSquares, rows->squares + ROW(y + (dy), 3) + k + 1 + (dx))
  int16 next = rises ? NEAR(1, -1) : NEAR(1, 1), other = rises ? NEAR(-1, 1) : NEAR(-1, -1);
  const int16 flat = az * 32768 <= ax * TAN_STEP, upright = ax * 32768 < az * TAN_STEP;
  next = flat ? NEAR(1, 0) : next, other = flat ? NEAR(-1, 0) : other;
  next = upright ? NEAR(0, 1) : next, other = upright ? NEAR(0, -1) : other;
#undef NEAR
  return as_ulong2(convert_char16(square >= enough && square > next && square >= other)) &
         0x0101010101010101ul;
}

// Writes the found edges and empties the list. `out`: the tile's first pixel in the map, whose rows
// have `width` pixels; `first` is its index. `wide`: width of the tile. With `labeled`, weak edges
// get labels and mark their sixteen pixels in `has_weak`.
inline void write_edges(__local Found *found, int wide, int labeled, __global ushort *restrict out,
                        __global uint *restrict labels, int first, int width,
                        __global uchar *restrict has_weak, int sixteens) {
  // Memory after the last edge may hold any number, and the least int has no magnitude.
  for (int k = found->count; k % 16; k++)
    found->across[k] = found->down[k] = found->squares[k] = 0, found->strong[k] = 0;
  for (int k = 0; k < found->count; k += 16)
    STORE_SIXTEEN(
        LooseLevels, found->edges + k,
        edges_of(SIXTEEN(LooseSquares, found->across + k), SIXTEEN(LooseSquares, found->down + k),
                 SIXTEEN(LooseSquares, found->squares + k),
                 SIXTEEN(LoosePixels, found->strong + k)));
  for (int k = 0; k < found->count; k++) {
    const int x = found->indices[k] % TILE_X, y = found->indices[k] / TILE_X, at = y * width + x,
              index = first + at;
    const ushort edge = found->edges[k];
    out[at] = edge;
    if (!labeled) continue;
    const ushort west = x > 0 ? out[at - 1] : 0, north = y > 0 ? out[at - width] : 0,
                 north_west = y > 0 && x > 0 ? out[at - width - 1] : 0,
                 north_east = y > 0 && x + 1 < wide ? out[at - width + 1] : 0;
#define IS_WEAK(edge) ((edge) && !((edge)&EDGE_STRONG))
#define JOIN(before) least = join_own(labels, least, first + (before) + 1)
    const bool strong = edge & EDGE_STRONG;
    uint least =
        strong || (west | north_west | north | north_east) & EDGE_STRONG ? STRONG_LABEL : index + 1;
    // At most two of the earlier neighbours are not already connected by another one.
    if (IS_WEAK(north))
      JOIN(at - width);
    else {
      if (IS_WEAK(north_west))
        JOIN(at - width - 1);
      else if (IS_WEAK(west))
        JOIN(at - 1);
      if (IS_WEAK(north_east)) JOIN(at - width + 1);
    }
#undef JOIN
#undef IS_WEAK
    if (strong) continue;
    labels[index] = least;
    has_weak[y * sixteens + x / 16] = 1;
  }
  found->count = 0;
}

// As canny_edges of cannytiles.cl. With `labeled`, `has_weak` also marks each run of 16 pixels that
// has a weak edge; a row has `sixteens` runs. Groups of one item, one per tile.
__kernel void canny_edges(IN_LUMA(in), int2 size, __global const uint2 *restrict thresholds,
                          int weak, __global ushort *restrict edges, int labeled,
                          __global uint *restrict labels, __global uchar *restrict luma, int pitch,
                          __global uchar *restrict has_weak, int sixteens) {
  __local Rows rows;
  __local Found found;
  const int2 origin = (int2)(get_group_id(0) * TILE_X, get_group_id(1) * TILE_Y), last = size - 1;
  const int wide = min(TILE_X, size.x - origin.x), end = min(origin.y + TILE_Y, size.y),
            needed = UP(wide + 2);
  const bool ends_right = origin.x + wide == size.x;
  const int first = origin.y * size.x + origin.x;
  edges += first;
  has_weak += origin.y * sixteens + origin.x / 16;
  uint least = UINT_MAX;
  for (int i = 0; i < LEVELS; i++) least = min(least, weak ? thresholds[i].x : thresholds[i].y);
  const int enough = (int)min(max(least, 1u), (uint)INT_MAX);
  found.count = 0;
  for (int y = origin.y - 1 - REACH; y <= end + REACH; y++) {
    __local ushort *own = rows.levels + ROW(y, TAPS);
    const int from = clamp(y, 0, last.y);
    for (int k = 0; k < needed + 16; k += 16) {
      const int x = origin.x - LEFT + k;
#ifdef BUFFERS
      if (x >= 0 && x + 15 <= last.x) {
#ifdef HAS_LUMA
        STORE_SIXTEEN(
            LooseLevels, own + k,
            convert_ushort16(LEVEL_OF_CODE(convert_float16(vload16(0, in + from * in_pitch + x))) +
                             0.5f));
#else
        const uint16 p = *(__global const LoosePixels *)(in + from * in_pitch + x);
        STORE_SIXTEEN(LooseLevels, own + k,
                      convert_ushort16(LUMA(p & 255, p >> 8 & 255, p >> 16 & 255)));
#endif
        continue;
      }
#endif
      for (int i = 0; i < 16; i++) own[k + i] = WHOLE_LEVEL(in, clamp(x + i, 0, last.x), from);
    }
    if (pitch && ((y >= origin.y && y < end) || y == -1 || (end == size.y && y == end))) {
      __global uchar *to = luma + (y + 1) * pitch + origin.x + 1;
      int i = 0;
      for (; i + 16 <= wide; i += 16)
        vstore16(convert_uchar16(SIXTEEN(LooseLevels, own + LEFT + i)), 0, to + i);
      for (; i < wide + ends_right; i++) to[i] = own[LEFT + i];
      if (origin.x == 0) to[-1] = own[LEFT - 1];
    }
    const int row = y - REACH, line = row - 1;
    if (row < origin.y - 1) continue;
    along_y(&rows, row, needed + 16);
    along_x(&rows, row, needed);
    if (line < origin.y) continue;
    __local const ushort *seen = rows.levels + ROW(line, TAPS) + LEFT;
    const int at = ROW(line, 3) + 1;
    __global ushort *out = edges + (line - origin.y) * size.x;
    for (int k = 0; k < wide; k += 16) {
      if (k + 16 <= wide)
        vstore16((ushort16)(0), 0, out + k);
      else
        for (int i = k; i < wide; i++) out[i] = 0;
      if (labeled) has_weak[(line - origin.y) * sixteens + k / 16] = 0;
      const ulong2 bytes = ridges(&rows, line, k, enough);
      for (ulong rest = bytes.x, next_rest = bytes.y, begin = 0; rest | next_rest;
           rest &= rest - 1) {
        if (!rest) rest = next_rest, next_rest = 0, begin = 8;
        const int i = k + begin + (63 - clz(rest & -rest)) / 8;
        if (i >= wide) break;
        const uint2 own_least = thresholds[seen[i]];
        const int square = rows.squares[at + i];
        if ((uint)square < (weak ? own_least.x : own_least.y)) continue;
        found.indices[found.count] = (line - origin.y) * TILE_X + i;
        found.across[found.count] = rows.across[at + i],
        found.down[found.count] = rows.down[at + i];
        found.squares[found.count] = square;
        found.strong[found.count++] = own_least.y;
      }
    }
    if (found.count > CAPACITY - TILE_X || line + 1 == end)
      write_edges(&found, wide, labeled, edges, labels, first, size.x, has_weak, sixteens);
  }
}

// Joins the weak edges at the border of a tile with those of adjacent tiles. Groups of one item,
// one per tile.
__kernel void canny_join_rows(__global const ushort *restrict edges, int2 size,
                              volatile __global uint *labels,
                              __global const uchar *restrict has_weak, int sixteens) {
  const int2 origin = (int2)(get_group_id(0) * TILE_X, get_group_id(1) * TILE_Y),
             end = min(origin + (int2)(TILE_X, TILE_Y), size) - 1;
  for (int y = origin.y; y <= end.y; y++) {
    const bool whole = y == origin.y || y == end.y;
    const int last = end.x & ~15;  // start of the row's last run, which contains the right border
    for (int k = origin.x; k <= last; k = whole || k == last ? k + 16 : last) {
      if (!has_weak[y * sixteens + k / 16]) continue;
      for (int x = k; x <= min(k + 15, end.x); x++)
        if (whole || x == origin.x || x == end.x) join_across(edges, size, (int2)(x, y), labels);
    }
  }
}

// Removes the weak edges without connection to a strong one. A work-item per row.
__kernel void canny_keep_rows(__global ushort *restrict edges, int2 size,
                              __global const uint *restrict labels,
                              __global const uchar *restrict has_weak, int sixteens) {
  const int y = get_global_id(0);
  if (y >= size.y) return;
  for (int k = 0; k < sixteens; k++) {
    if (!has_weak[y * sixteens + k]) continue;
    const int from = y * size.x + 16 * k, end = y * size.x + min(16 * k + 16, size.x);
    for (int i = from; i < end; i++)
      if (edges[i] && !(edges[i] & EDGE_STRONG) && least_own(labels, i + 1) != STRONG_LABEL)
        edges[i] = 0;
  }
}
