// SPDX-License-Identifier: LGPL-2.1-or-later
// The noise of a camera, from two frames of it. Squares of SIDE px say how noisy they are by what can't be
// scenery: the change from frame to frame, and the response to a mask that edges and shading hardly reach. Both are
// too large where there is motion and texture, so the smaller counts, and of all squares those with little.
//
// Build with -DTEXEL=float or uchar.
#include "noise/bands.clh"
#include "noise/renewed.clh"

#define SIDE 16
#define OCTAVE 8        // counters for a doubling of the variance
#define COUNTERS 160    // from 2^-8 levels² on; those below count as none
#define LEAST_LOG (-8)

#define STRIP 4  // texels of a column that an item takes
#define UNROLL _Pragma("unroll")

inline float second_difference(__global const TEXEL *p) { return (float)p[-1] + p[1] - 2.0f * p[0]; }

#define PER_SQUARE (SIDE * SIDE / STRIP)  // items
#define SQUARES 4                         // that a group takes

// Rows of counters: of all squares, then of those in each band. A row's counters are also summed by chunks.
#define ROWS (1 + BANDS)
#define CHUNK 10
#define CHUNKS (COUNTERS / CHUNK)

// The variance below which PART of the squares are, of those in a row of counters; how many there are comes back too.
#define PART 0.1f
inline float part_of(__local const uint *counters, __local const uint *chunks, int *count) {
  int all = 0, below = 0, chunk = 0;
  for (int k = 0; k < CHUNKS; k++) all += chunks[k];
  *count = all;
  const float wanted = PART * all;
  while (chunk < CHUNKS - 1 && below + (int)chunks[chunk] < wanted) below += chunks[chunk++];
  int i = chunk * CHUNK;
  while (i < COUNTERS - 1 && below + (int)counters[i] < wanted) below += counters[i++];
  if (i == 0 || all == 0) return 0.0f;
  return exp2((i + (wanted - below) / counters[i]) / OCTAVE + LEAST_LOG);
}

// Change that the mask does not see is coding noise as long as it is small: more is motion. 8-bit frames have some always.
#define MOST_CODING 0.5f    // levels², of a square
#define LEAST_CODING 0.15f  // of all

// What the groups have counted, for the last one to end: squares by band and variance, and their coding noise in CODING_UNITs. All
// 0 before and after.
#define CODING_UNIT (1.0f / (1 << 20))
typedef struct {
  uint counters[BANDS * COUNTERS];
  uint coding, ended;
} Tally;

// The table of bands.clh, from `count` squares. `offset`: of texel (0, 0) in a plane, `columns`: squares in a row, `apart`: texels
// from one to the next. `mask_gain`, `change_gain`: what white noise of variance 1 gives mask and change. A square is worth its mean level,
// its variance, and by how much its change exceeds what the mask sees. A band with few squares follows
// all of them. `scale`: what to multiply the quietest squares' variance by for that of all. `renewed`: taken from its counters, which
// begin anew.
__attribute__((reqd_work_group_size(SQUARES * PER_SQUARE, 1, 1)))
__kernel void noise_measure(__global const TEXEL *before, __global const TEXEL *after, int pitch, int offset,
                            int columns, int apart, int count, float mask_gain, float change_gain, float scale,
                            __global Tally *tally, __global float *noise, __global Renewed *renewed) {
  __local float4 sums[SQUARES * PER_SQUARE];
  __local uint counters[ROWS * COUNTERS], chunks[ROWS * CHUNKS];
  __local int last;
  const int item = get_local_id(0), items = SQUARES * PER_SQUARE, own_item = item % PER_SQUARE;
  const int square = get_group_id(0) * SQUARES + item / PER_SQUARE;
  float4 sum = 0.0f;
  if (square < count) {
    const int x = own_item % SIDE, y = own_item / SIDE * STRIP;
    const int first = offset + (square / columns * apart + y) * pitch + square % columns * apart + x;
    __global const TEXEL *p = before + first, *later = after + first;
    // Of a row (1 -2 1), and so of three rows the mask's response.
    float above = second_difference(p - pitch), own = second_difference(p);
    UNROLL
    for (int i = 0; i < STRIP; i++) {
      const float below = second_difference(p + (i + 1) * pitch), middle = p[i * pitch];
      const float response = above - 2.0f * own + below, change = later[i * pitch] - middle;
      sum += (float4)(middle, response * response, change, change * change);
      above = own, own = below;
    }
  }
  sums[item] = sum;
  for (int left = PER_SQUARE / 2; left > 0; left /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (own_item < left) sums[item] += sums[item + left];
  }
  if (own_item == 0 && square < count) {
    const float4 mean = sums[item] * (1.0f / (SIDE * SIDE));
    const float seen = mean.y / mask_gain, change = fmax((mean.w - mean.z * mean.z) / change_gain, 0.0f);
    const int at = (int)clamp((log2(fmin(seen, change)) - LEAST_LOG) * OCTAVE, 0.0f, COUNTERS - 1.0f);
    const int band = min((int)(mean.x * (1.0f / BAND)), BANDS - 1);
    atomic_inc(&tally->counters[band * COUNTERS + at]);
    atomic_add(&tally->coding, convert_uint_rte(clamp(change - seen, 0.0f, MOST_CODING) / CODING_UNIT));
  }
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  if (item == 0) {
    mem_fence(CLK_GLOBAL_MEM_FENCE);
    last = atomic_inc(&tally->ended) == get_num_groups(0) - 1;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  const bool ends = last;  // every barrier is met by every item of every group
  for (int i = item; i < (ends ? BANDS * COUNTERS : 0); i += items) counters[COUNTERS + i] = atomic_xchg(&tally->counters[i], 0);
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = item; i < (ends ? COUNTERS : 0); i += items) {
    uint all = 0;
    for (int row = 1; row < ROWS; row++) all += counters[row * COUNTERS + i];
    counters[i] = all;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = item; i < (ends ? ROWS * CHUNKS : 0); i += items) {
    uint part = 0;
    for (int k = 0; k < CHUNK; k++) part += counters[i * CHUNK + k];
    chunks[i] = part;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int row = item; row < (ends ? ROWS : 0); row += items) {
    int number;
    const float all = part_of(counters, chunks, &number);
    const float own = part_of(counters + row * COUNTERS, chunks + row * CHUNKS, &number);
    noise[row] = scale * mix(all, own, row ? min(number / 16.0f, 1.0f) : 0.0f);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = item; i < (ends ? RENEWED_COUNTERS : 0); i += items) {
    counters[i] = renewed->of[i];
    renewed->of[i] = 0;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (item == 0 && ends) {
    noise[ROWS] = fmax(CODING_UNIT * atomic_xchg(&tally->coding, 0) / max(count, 1), LEAST_CODING);
    tally->ended = 0;
    renewed->variance = fmax(renewed_part(counters, renewed->cells), RENEWED_KEPT * renewed->variance);
    renewed->camera = camera_of(renewed->moved, renewed->cells);
    renewed->pans = pans_of(renewed->moved, renewed->rested, renewed->cells);
    renewed->cells = renewed->moved = renewed->rested = 0;
  }
}
