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

// Of every square: its mean level, its variance, and by how much its change exceeds what the mask sees. `offset`: of texel (0, 0) in a plane, `columns`: squares in a row, `apart`: texels
// from one to the next. `mask_gain`, `change_gain`: what white noise of variance 1 gives mask and change.
// Work-groups: squares; a power of two of items.
__kernel void noise_squares(__global const TEXEL *before, __global const TEXEL *after, int pitch, int offset,
                            int columns, int apart, float mask_gain, float change_gain,
                            __global float4 *squares, __local float4 *sums) {
  const int items = get_local_size(0), item = get_local_id(0), square = get_group_id(0);
  const int first = offset + square / columns * apart * pitch + square % columns * apart;
  float4 sum = 0.0f;
  for (int strip = item; strip < SIDE * SIDE / STRIP; strip += items) {
    const int x = strip % SIDE, y = strip / SIDE * STRIP;
    __global const TEXEL *p = before + first + y * pitch + x, *later = after + first + y * pitch + x;
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
  for (int count = items / 2; count > 0; count /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item < count) sums[item] += sums[item + count];
  }
  if (item == 0) {
    const float4 mean = sums[0] * (1.0f / (SIDE * SIDE));
    const float seen = mean.y / mask_gain, change = fmax((mean.w - mean.z * mean.z) / change_gain, 0.0f);
    squares[square] = (float4)(mean.x, fmin(seen, change), fmax(change - seen, 0.0f), 0.0f);
  }
}

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

// By one group of a power of two of items: from `count` squares the table of bands.clh. A band with few squares follows
// all of them. `scale`: what to multiply the quietest squares' variance by for that of all. `renewed`: taken from its counters, which
// begin anew.
__attribute__((reqd_work_group_size(ONE_GROUP, 1, 1)))
__kernel void noise_bands(__global const float4 *squares, int count, float scale, __global float *noise,
                          __global Renewed *renewed,
                          __local uint *counters, __local uint *chunks, __local float *coding) {
  const int item = get_local_id(0), items = get_local_size(0);
  for (int i = item; i < ROWS * COUNTERS; i += items) counters[i] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  float sum = 0.0f;
  for (int i = item; i < count; i += items) {
    const float4 square = squares[i];
    const int at = (int)clamp((log2(square.y) - LEAST_LOG) * OCTAVE, 0.0f, COUNTERS - 1.0f);
    const int band = min((int)(square.x * (1.0f / BAND)), BANDS - 1);
    atomic_inc(&counters[(1 + band) * COUNTERS + at]);
    sum += fmin(square.z, MOST_CODING);
  }
  coding[item] = sum;
  for (int left = items / 2; left > 0; left /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item < left) coding[item] += coding[item + left];
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = item; i < COUNTERS; i += items)
    for (int row = 1; row < ROWS; row++) counters[i] += counters[row * COUNTERS + i];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = item; i < ROWS * CHUNKS; i += items) {
    uint part = 0;
    for (int k = 0; k < CHUNK; k++) part += counters[i * CHUNK + k];
    chunks[i] = part;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int row = item; row < ROWS; row += items) {
    int number;
    const float all = part_of(counters, chunks, &number);
    const float own = part_of(counters + row * COUNTERS, chunks + row * CHUNKS, &number);
    noise[row] = scale * mix(all, own, row ? min(number / 16.0f, 1.0f) : 0.0f);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = item; i < RENEWED_COUNTERS; i += items) {
    counters[i] = renewed->of[i];
    renewed->of[i] = 0;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (item == 0) {
    noise[ROWS] = fmax(coding[0] / max(count, 1), LEAST_CODING);
    renewed->variance = fmax(renewed_part(counters, renewed->cells), RENEWED_KEPT * renewed->variance);
    renewed->camera = camera_of(renewed->moved, renewed->cells);
    renewed->pans = pans_of(renewed->moved, renewed->rested, renewed->cells);
    renewed->cells = renewed->moved = renewed->rested = 0;
  }
}
