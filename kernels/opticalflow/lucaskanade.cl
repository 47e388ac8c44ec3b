// SPDX-License-Identifier: LGPL-2.1-or-later
// Lucas and Kanade's method for windows of any size: greys, sums that run along y, sums that run along x.
#include "common/stream.clh"
#include "opticalflow/lucaskanade.clh"

#define RUN 4  // pixels of an item along x

__kernel void lk_grey(IN_FRAME(in), int2 size, __global ushort *grey) {
  const int2 at = (int2)(get_global_id(0), get_global_id(1));
  if (any(at >= size)) return;
  grey[at.y * size.x + at.x] = GREY_AT(in, at.x, at.y, size.x);
}

// Of two pixels of a row, the frame's edge repeated: the difference of the older greys, their sum, and what
// came to it in the newer frame.
inline int3 pair_at(__global const ushort *before, __global const ushort *after, int2 size, int x, int y) {
  const int row = clamp(y, 0, size.y - 1) * size.x;
  const int left = row + clamp(x, 0, size.x - 1), right = row + clamp(x + 1, 0, size.x - 1);
  const int sum = before[left] + before[right];
  return (int3)(before[right] - before[left], sum, after[left] + after[right] - sum);
}

// Ix, Iy and It between a row's pair and that of the row below it.
inline int3 derivatives(int3 row, int3 below) {
  return (int3)(row.x + below.x, below.y - row.y, row.z + below.z);
}

// Each item goes down a stretch of a column. Column sums are (xx, xy, yy, xt), (yt).
__kernel void lk_columns(__global const ushort *before, __global const ushort *after, int2 size, int radius,
                         int stretch, __global int4 *columns4, __global int *columns1) {
  const int x = get_global_id(0), first = get_global_id(1) * stretch;
  if (x >= size.x || first >= size.y) return;
  int sums[5] = {0, 0, 0, 0, 0};
  int3 out = pair_at(before, after, size, x, first - radius), in = out;
  for (int y = first - radius; y < first + radius; y++) {
    const int3 below = pair_at(before, after, size, x, y + 1), d = derivatives(in, below);
    ADD_PRODUCTS(sums, d.x, d.y, d.z)
    in = below;
  }
  for (int y = first; y < min(first + stretch, size.y); y++) {
    const int3 below = pair_at(before, after, size, x, y + radius + 1), d = derivatives(in, below);
    ADD_PRODUCTS(sums, d.x, d.y, d.z)
    in = below;
    const int i = y * size.x + x;
    columns4[i] = (int4)(sums[0], sums[1], sums[2], sums[3]);
    columns1[i] = sums[4];
    const int3 above = pair_at(before, after, size, x, y - radius + 1), gone = derivatives(out, above);
    SUBTRACT_PRODUCTS(sums, gone.x, gone.y, gone.z)
    out = above;
  }
}

// Each item goes along a stretch of a row.
__kernel void lk_rows(__global const int4 *columns4, __global const int *columns1, int2 size, int radius,
                      int stretch, SOLUTION) {
  const int y = get_global_id(0), first = get_global_id(1) * stretch;
  if (y >= size.y || first >= size.x) return;
  long4 sum4 = 0;
  long sum1 = 0;
  for (int x = first - radius; x < first + radius; x++) {
    const int i = y * size.x + clamp(x, 0, size.x - 1);
    sum4 += convert_long4(columns4[i]);
    sum1 += columns1[i];
  }
  for (int x = first; x < min(first + stretch, size.x); x++) {
    const int in = y * size.x + min(x + radius, size.x - 1), out = y * size.x + max(x - radius, 0);
    sum4 += convert_long4(columns4[in]);
    sum1 += columns1[in];
    float3 v = 0.0f;
    if (!on_rim((int2)(x, y), size, radius))
      v = solution(sum4.x, sum4.y, sum4.z, sum4.w, sum1, alpha, half_sure);
    vectors[y * size.x + x] = scale * v.xy;
    confidence[y * size.x + x] = v.z;
    sum4 -= convert_long4(columns4[out]);
    sum1 -= columns1[out];
  }
}

// The same for GPUs: a group takes a stretch of a row's column sums to local memory, and each item has RUN pixels of it.
// `tile`: five times `quads` words of four sums, RUN * get_local_size(0) + 2 * radius sums at least.
__kernel void lk_rows_tile(__global const int4 *columns4, __global const int *columns1, int2 size, int radius,
                           int quads, __local int4 *tile, SOLUTION) {
  const int lane = get_local_id(0), lanes = get_local_size(0), y = get_global_id(1), pitch = 4 * quads;
  const int first = (int)get_group_id(0) * lanes * RUN;
  __local int *sums = (__local int *)tile;
  for (int i = lane; i < pitch; i += lanes) {
    const int at = y * size.x + clamp(first - radius + i, 0, size.x - 1);
    const int4 four = columns4[at];
    sums[i] = four.x;
    sums[pitch + i] = four.y;
    sums[2 * pitch + i] = four.z;
    sums[3 * pitch + i] = four.w;
    sums[4 * pitch + i] = columns1[at];
  }
  barrier(CLK_LOCAL_MEM_FENCE);

  const int x = first + RUN * lane, whole = (2 * radius + 1) / 4;
  if (x >= size.x) return;
  long window[5][RUN];
#pragma unroll
  for (int k = 0; k < 5; k++) {
    __local const int4 *words = tile + k * quads + lane;
    __local const int *word = (__local const int *)words;
    long4 four = 0;
    for (int q = 0; q < whole; q++) four += convert_long4(words[q]);
    long sum = four.x + four.y + four.z + four.w;
    for (int i = 4 * whole; i <= 2 * radius; i++) sum += word[i];
    window[k][0] = sum;
#pragma unroll
    for (int j = 1; j < RUN; j++) window[k][j] = sum += word[2 * radius + j] - word[j - 1];
  }
  float3 v[RUN];
#pragma unroll
  for (int j = 0; j < RUN; j++) {
    v[j] = solution(window[0][j], window[1][j], window[2][j], window[3][j], window[4][j], alpha, half_sure);
    v[j].xy *= scale;
    if (on_rim((int2)(x + j, y), size, radius)) v[j] = 0.0f;
  }
  const int to = y * size.x + x;
  if (size.x % RUN == 0) {
    stream_store4((float4)(v[0].xy, v[1].xy), (__global float4 *)(vectors + to));
    stream_store4((float4)(v[2].xy, v[3].xy), (__global float4 *)(vectors + to + 2));
    stream_store4((float4)(v[0].z, v[1].z, v[2].z, v[3].z), (__global float4 *)(confidence + to));
  } else {
    for (int j = 0; j < RUN && x + j < size.x; j++) {
      vectors[to + j] = v[j].xy;
      confidence[to + j] = v[j].z;
    }
  }
}
