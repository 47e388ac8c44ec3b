// SPDX-License-Identifier: LGPL-2.1-or-later
// Equalises frames in planes of luma and chroma, at their full bit depth.
#include "common/planes.clh"
#include "histogram/equalize.clh"

// Computes the tables of one or three channels from their histograms. One work-group.
__kernel __attribute__((reqd_work_group_size(BINS, 1, 1))) void equalize_tables(
    __global const uint *counts, int channels, __global uchar *tables) {
  __local uint bins[CHANNELS * BINS], sums[CHANNELS * BINS / RUN], first[CHANNELS];
  __local uchar made[CHANNELS * BINS];
  const int bin = get_local_id(0);
  make_tables(counts, channels, bin, bins, sums, first, made);
  for (int channel = 0; channel < channels; channel++)
    tables[channel * BINS + bin] = made[channel * BINS + bin];
}

// The table's result for a value 0 to 1. With more than 8 bits it is interpolated between adjacent
// levels.
inline float entry_of(__global const uchar *table, float value) {
  const float level = clamp(value, 0.0f, 1.0f) * (BINS - 1);
#if VALUE_MAX > 255
  const int below = (int)level, above = min(below + 1, BINS - 1);
  return mix((float)table[below], (float)table[above], level - below) * (1.0f / (BINS - 1));
#else
  return table[convert_int_rte(level)] * (1.0f / (BINS - 1));
#endif
}

// Computes the new luma of each luma value. A work-item per value.
__kernel void equalize_values(__global const uchar *tables, __global ushort *values) {
  const int luma = get_global_id(0);
  if (luma <= VALUE_MAX)
    values[luma] =
        (ushort)convert_int_rte(BLACK + LUMA_RANGE * entry_of(tables, brightness_of(luma)));
}

// Replaces luma by those values; chroma stays. A work-item per block.
__kernel void equalize_luma(IN_PLANES(in), OUT_PLANES(out), int2 size,
                            __global const ushort *values) {
  const int2 first = BLOCK_FIRST;
  if (any(first >= size)) return;
  for (int i = 0; i < BLOCK_PIXELS; i++) {
    const int2 at = BLOCK_PIXEL(i, first, size);
    const int luma = values[LOAD_LUMA(in, at.x, at.y)];
    STORE_LUMA(out, at.x, at.y, luma);
  }
#if LAYOUT != GREY
  const int2 block = first / BLOCK_SIDE, chroma = LOAD_CHROMA(in, block.x, block.y);
  STORE_CHROMA(out, block.x, block.y, chroma);
#endif
}

// Equalises R, G and B, each by its own table. A work-item per block.
__kernel void equalize_rgb(IN_PLANES(in), OUT_PLANES(out), int2 size,
                           __global const uchar *tables) {
  const int2 first = BLOCK_FIRST;
  if (any(first >= size)) return;
#if VALUE_MAX > 255
  float4 block[BLOCK_PIXELS];
  LOAD_BLOCK(block, in, first, size);
  for (int i = 0; i < BLOCK_PIXELS; i++)
    block[i] = (float4)(entry_of(tables, block[i].x), entry_of(tables + BINS, block[i].y),
                        entry_of(tables + 2 * BINS, block[i].z), 1.0f);
  STORE_BLOCK(block, out, first, size);
#else
  int4 sum = 0;
  for (int i = 0; i < BLOCK_PIXELS; i++) {
    const int2 at = BLOCK_PIXEL(i, first, size);
    const int4 levels = LOAD_RGBA(in, at.x, at.y);
    const int4 mapped =
        (int4)(tables[levels.x], tables[BINS + levels.y], tables[2 * BINS + levels.z], 0);
    const int luma = luma_of(mapped);
    STORE_LUMA(out, at.x, at.y, luma);
    sum += mapped;
  }
#if LAYOUT != GREY
  const int2 block = first / BLOCK_SIDE, chroma = chroma_of(sum, 2 * CHROMA_SHIFT);
  STORE_CHROMA(out, block.x, block.y, chroma);
#endif
#endif
}
