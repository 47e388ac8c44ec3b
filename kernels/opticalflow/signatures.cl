// SPDX-License-Identifier: LGPL-2.1-or-later
// Matches pixels by their signatures (gst/opticalflow/signatures.h). All arithmetic is integer or
// exact in float, so all devices give equal results.
//
// Build with -DTILE_X=n -DTILE_Y=n, the pixels of a group's tile; TILE_Y is a multiple of 3 CHAIN.
// -DV=n, for CPUs: an item processes n pixels of a row; TILE_X is a multiple of n.
#ifdef V
#include "common/vector.clh"
#define AS_UINTS JOIN(as_uint, V)
#define LOAD_TEXELS(p) TO_FLOATS(VLOAD(0, p))
#define LOAD_USHORTS(p) TO_UINTS(VLOAD(0, p))
#define TO_USHORTS JOIN(convert_ushort, V)
#define STORE(value, p) VSTORE(value, 0, p)
#define TO_TEXELS(v) JOIN(JOIN(convert_ushort, V), _sat_rte)(v)
#define LOAD_FLOATS(p) VLOAD(0, p)
#define LOAD_UINTS(p) VLOAD(0, p)
#else
#define V 1
#define FLOATS float
#define UINTS uint
#define AS_UINTS as_uint
#define LOAD_TEXELS(p) ((float)*(p))
#define LOAD_USHORTS(p) ((uint) * (p))
#define TO_USHORTS (ushort)
#define STORE(value, p) (*(p) = (value))
#define TO_TEXELS convert_ushort_sat_rte
#define LOAD_FLOATS(p) (*(p))
#define LOAD_UINTS(p) (*(p))
#endif

#include "opticalflow/match.clh"

#define LATTICE 5                                  // points along a side
#define SPACING 3                                  // px between points
#define SMOOTH (SIGNATURE_MARGIN - LATTICE_REACH)  // px, radius of the smoothing
// units per level; grey from (R + G + B) / 3 and (1 6 1) / 8 is whole in them
#define GREY_SCALE 192.0f

#define CHAIN 8  // pixels of an item along y, SPACING px apart

// The signature of a pixel from the points of its lattice, top row first. Each difference of
// neighbours is steep up, steep down or neither; horizontal and vertical differences alternate. The
// signature is a hash of these, or 0 without contrast.
inline UINTS signature_of(const FLOATS p[LATTICE][LATTICE]) {
  FLOATS difference[20], sum = 0.0f;
  int count = 0;
  for (int j = 0; j < LATTICE; j++)
    for (int i = 0; i < LATTICE; i++) {
      if ((i + j) % 2 == 0 && i + 1 < LATTICE) difference[count++] = p[j][i] - p[j][i + 1];
      if ((i + j) % 2 == 1 && j + 1 < LATTICE) difference[count++] = p[j][i] - p[j + 1][i];
    }
  for (int i = 0; i < 20; i++) sum += fabs(difference[i]);
  UINTS up = 0, down = 0;
  for (int i = 0; i < 20; i++) {
    up = up << 1 | AS_UINTS(sum - STEEP_RATIO * difference[i]) >> 31;
    down = down << 1 | AS_UINTS(sum + STEEP_RATIO * difference[i]) >> 31;
  }
  UINTS hash = up * 0x9e3779b1u + down * 0x85ebca77u;
  hash = (hash ^ hash >> 15) * 0x2c1b3c6du;
  hash ^= hash >> 13;
  const UINTS none = 0u;
  return sum >= LEAST_SUM ? max(hash, 1u) : none;
}

// Stores a value in a place that records whether it is unique: NONE, then the value, then MANY. The
// result does not depend on the order of the items.
inline void store_unique(volatile __global uint *place, uint own) {
  if (*place == MANY) return;
  if (atomic_cmpxchg(place, NONE, own) != NONE) atomic_xchg(place, MANY);
}

// Stores pixel `i` of the earlier frame in the slot of its signature. In a run of pixels with equal
// signatures, only the first one is stored, as MANY.
inline void insert(__global const uint *signatures, int count, int i, volatile __global uint *slots,
                   int slot_count) {
  const uint own = signatures[i];
  if (own == 0 || (i > 0 && signatures[i - 1] == own)) return;
  volatile __global uint *slot = slots + (own & (slot_count - 1));
  if (i + 1 < count && signatures[i + 1] == own)
    atomic_xchg(slot, MANY);
  else
    store_unique(slot, i + 1);
}

// Computes the signatures of two grey frames. If the earlier frame is `earlier_known`, it computes
// only those of the later frame. Pixels whose lattice leaves the frame have no signature.
//
// Additional rows of groups clear the claims, the counts and the table of slots for the next frame.
// If the earlier frame is known, they also fill `table_half` with it; otherwise they clear
// `table_half`.
//
// Local memory: `texels` has the tile and SIGNATURE_MARGIN around it, `along` sums along x,
// `smooth` the tile and LATTICE_REACH around it. Each has V additional elements.
__kernel void signatures_find(__global const float *restrict before,
                              __global const float *restrict after, __global uint *signatures,
                              volatile __global uint *slots, __global uint *restrict claims,
                              __global uint *restrict counts, SignatureSearch search,
                              __local ushort *texels, __local uint *along, __local ushort *smooth) {
  const int2 size = search.size;
  const int earlier_half = search.earlier_half, earlier_known = search.earlier_known,
            slot_count = search.slot_count, table_half = search.table_half;
  const int2 item = (int2)(get_local_id(0), get_local_id(1)),
             items = (int2)(get_local_size(0), get_local_size(1));
  const int tiles = (size.y + TILE_Y - 1) / TILE_Y, row = get_group_id(1),
            rows_of_tiles = earlier_known ? tiles : 2 * tiles;
  const bool later = row >= tiles || earlier_known, prepares = row >= rows_of_tiles;
  const int2 origin = (int2)(get_group_id(0) * TILE_X, row % tiles * TILE_Y);
  __global uint *own = signatures + (later ? 1 - earlier_half : earlier_half) * size.x * size.y;
  __global const float *plane = later ? after + search.after_offset : before + search.before_offset;
  const int pitch = later ? search.after_pitch : search.before_pitch;
  if (prepares) {
    const int number =
        (get_global_id(1) - rows_of_tiles * items.y) * get_global_size(0) + get_global_id(0);
    const int numbers = (get_global_size(1) - rows_of_tiles * items.y) * get_global_size(0);
    for (int i = number; i < size.x * size.y; i += numbers) {
      claims[i] = NONE;
      if (earlier_known)
        insert(signatures + earlier_half * size.x * size.y, size.x * size.y, i,
               slots + table_half * slot_count, slot_count);
    }
    for (int i = number; i < slot_count; i += numbers) {
      slots[(1 - table_half) * slot_count + i] = NONE;
      if (!earlier_known) slots[table_half * slot_count + i] = NONE;
    }
    for (int i = number; i < search.rows; i += numbers) counts[i] = 0;
    return;
  }

  const int side = (TILE_X + 2 * LATTICE_REACH + V - 1) / V * V,
            texel_side = (side + 2 * SMOOTH + V - 1) / V * V;
  const bool within =
      all(origin >= SIGNATURE_MARGIN) && origin.x - SIGNATURE_MARGIN + texel_side <= size.x;
  for (int y = item.y; y < TILE_Y + 2 * SIGNATURE_MARGIN; y += items.y)
    for (int x = V * item.x; x < texel_side; x += V * items.x) {
      const int row = min(origin.y - SIGNATURE_MARGIN + y, size.y - 1),
                column = origin.x - SIGNATURE_MARGIN + x;
      if (V > 1 && within) {
        STORE(TO_TEXELS(GREY_SCALE * LOAD_FLOATS(plane + row * pitch + column)),
              texels + y * texel_side + x);
        continue;
      }
      for (int i = 0; i < V; i++)
        texels[y * texel_side + x + i] = convert_ushort_sat_rte(
            GREY_SCALE * plane[max(row, 0) * pitch + clamp(column + i, 0, size.x - 1)]);
    }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int y = item.y; y < TILE_Y + 2 * SIGNATURE_MARGIN; y += items.y)
    for (int x = V * item.x; x < side; x += V * items.x) {
      __local const ushort *p = texels + y * texel_side + x;
      STORE(LOAD_USHORTS(p) + LOAD_USHORTS(p + 4) +
                4u * (LOAD_USHORTS(p + 1) + LOAD_USHORTS(p + 3)) + 6u * LOAD_USHORTS(p + 2),
            along + y * side + x);
    }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int y = item.y; y < TILE_Y + 2 * LATTICE_REACH; y += items.y)
    for (int x = V * item.x; x < side; x += V * items.x) {
      __local const uint *p = along + y * side + x;
      const UINTS sum = LOAD_UINTS(p) + LOAD_UINTS(p + 4 * side) +
                        4u * (LOAD_UINTS(p + side) + LOAD_UINTS(p + 3 * side)) +
                        6u * LOAD_UINTS(p + 2 * side);
      STORE(TO_USHORTS((sum + 128u) >> 8), smooth + y * side + x);
    }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int chain = item.y; chain < TILE_Y / CHAIN; chain += items.y)
    for (int x = V * item.x; x < TILE_X; x += V * items.x) {
      const int first = chain / SPACING * SPACING * CHAIN + chain % SPACING;
      __local const ushort *p = smooth + first * side + x;
      FLOATS points[LATTICE][LATTICE];
      for (int j = 1; j < LATTICE; j++)
        for (int i = 0; i < LATTICE; i++)
          points[j][i] = LOAD_TEXELS(p + ((j - 1) * side + i) * SPACING);
      for (int k = 0; k < CHAIN; k++) {
        for (int j = 1; j < LATTICE; j++)
          for (int i = 0; i < LATTICE; i++) points[j - 1][i] = points[j][i];
        for (int i = 0; i < LATTICE; i++)
          points[LATTICE - 1][i] = LOAD_TEXELS(p + ((LATTICE - 1 + k) * side + i) * SPACING);
        const UINTS found = signature_of(points);
        const int2 at = origin + (int2)(x, first + k * SPACING);
        __global uint *to = own + at.y * size.x + at.x;
        if (V > 1 && all(at >= SIGNATURE_MARGIN) &&
            all(at + (int2)(V - 1, 0) < size - SIGNATURE_MARGIN)) {
          STORE(found, to);
          continue;
        }
        uint each[V];
        STORE(found, each);
        for (int i = 0; i < V; i++) {
          const int2 pixel = at + (int2)(i, 0);
          const bool surrounded =
              all(pixel >= SIGNATURE_MARGIN) && all(pixel < size - SIGNATURE_MARGIN);
          if (all(pixel < size)) to[i] = surrounded ? each[i] : 0u;
        }
      }
    }
  // PoCL 3.1 miscompiles code after the last barrier if other groups return before it.
  barrier(CLK_LOCAL_MEM_FENCE);
}

// Stores every pixel of the earlier frame in the slots, if signatures_find did not. A work-item per
// pixel.
__kernel void signatures_insert(__global const uint *restrict both, int count, int earlier_half,
                                volatile __global uint *slots, int slot_count, int table_half) {
  const int i = get_global_id(0);
  if (i < count)
    insert(both + earlier_half * count, count, i, slots + table_half * slot_count, slot_count);
}

// Every pixel of the later frame claims the pixel of the earlier frame with the same signature, if
// there is exactly one. A work-item per pixel.
__kernel void signatures_claim(__global const uint *restrict both, int count, int earlier_half,
                               __global const uint *restrict slots, int slot_count, int table_half,
                               volatile __global uint *claims) {
  __global const uint *signatures = both + earlier_half * count;
  const int i = get_global_id(0);
  if (i >= count) return;
  const uint own = both[(1 - earlier_half) * count + i];
  if (own == 0) return;
  const uint entry = slots[table_half * slot_count + (own & (slot_count - 1))];
  if (entry == NONE || entry == MANY || signatures[entry - 1] != own) return;
  store_unique(claims + entry - 1, i + 1);
}

// Output: the confirmed match of each cell and the number of matches per row of cells. A work-item
// per cell. `tile`, in local memory: matches of the group's cells and those around them.
__kernel void signatures_pick(__global const uint *restrict claims, int2 size,
                              __global short4 *restrict picked, int2 cells,
                              volatile __global uint *counts, __local short4 *tile) {
  const int2 item = (int2)(get_local_id(0), get_local_id(1)),
             items = (int2)(get_local_size(0), get_local_size(1));
  const int2 reach = (int2)(CONFIRM_X, CONFIRM_Y), side = items + 2 * reach;
  const int2 first = (int2)(get_group_id(0), get_group_id(1)) * items - reach;
  for (int y = item.y; y < side.y; y += items.y)
    for (int x = item.x; x < side.x; x += items.x)
      tile[y * side.x + x] = cell_match(claims, size, first + (int2)(x, y), cells);
  barrier(CLK_LOCAL_MEM_FENCE);
  const int2 cell = (int2)(get_global_id(0), get_global_id(1));
  if (any(cell >= cells)) return;
  const short4 own = confirmed(tile + item.y * side.x + item.x, side.x);
  picked[cell.y * cells.x + cell.x] = own;
  if (own.x >= 0) atomic_inc(counts + cell.y);
}

// Compacts the matches in raster order of the cells, as (x, y, vx, vy) in px from `offset` on.
// Their number comes first, the first int of 16 bytes. One group per row of cells. `sums`: a local
// element per item; the group size is a power of two.
__kernel void signatures_list(__global const short4 *restrict picked, int2 cells,
                              __global const uint *restrict counts,
                              __global float4 *restrict result, int offset, __local int *sums) {
  const int item = get_local_id(0), items = get_local_size(0), row = get_group_id(0);
  int before = 0;
  for (int i = item; i < row; i += items) before += counts[i];
  sums[item] = before;
  for (int count = items / 2; count > 0; count /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item < count) sums[item] += sums[item + count];
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  before = sums[0];
  const int share = (cells.x + items - 1) / items, first = min(item * share, cells.x),
            end = min(first + share, cells.x);
  int mine = 0;
  for (int i = first; i < end; i++) mine += picked[row * cells.x + i].x >= 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  sums[item] = mine;
  for (int reach = 1; reach < items; reach *= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    const int add = item >= reach ? sums[item - reach] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    sums[item] += add;
  }
  __global float4 *list = result + offset;
  int to = 1 + before + sums[item] - mine;
  if (row == cells.y - 1 && item == items - 1) *(__global int *)list = before + sums[item];
  for (int i = first; i < end; i++) {
    const short4 match = picked[row * cells.x + i];
    if (match.x >= 0) list[to++] = convert_float4(match);
  }
}
