// SPDX-License-Identifier: LGPL-2.1-or-later
// Bilateral filter for GPUs, for one radius and weight. Results equal those of tile.cl. All sizes
// are constants, so loops along x need no counter. A work-item filters a block of ROWS rows and
// COLUMNS columns. It loads each tap once for all of them, and computes the common part of its
// weights once.
//   -DRADIUS     1 or more
//   -DGROUP_X, -DGROUP_Y, -DROWS, -DCOLUMNS
//   -DKIND       the weight
#include "bilateral/tile.clh"

#define ITEMS (GROUP_X * GROUP_Y)
#define SIDE (2 * RADIUS + 1)
#define TILE_X (GROUP_X * COLUMNS + 2 * RADIUS)
#define TILE_Y (GROUP_Y * ROWS + 2 * RADIUS)
// The index of column x in a row of the tile. Neighbouring items read neighbouring texels.
#define STRIDE ((TILE_X + COLUMNS - 1) / COLUMNS)
#define PITCH (STRIDE * COLUMNS)
#define AT_COLUMN(x) ((x) % COLUMNS * STRIDE + (x) / COLUMNS)

#define LOADS ((TILE_X * TILE_Y + ITEMS - 1) / ITEMS)  // texels that an item loads
#define BATCH 8                                        // loads of an item in flight
#define WHOLE_ROW UNROLL_BY(300)                       // more than a row of the largest tile has

// A work-item's state of its pixels.
struct block {
  float4 p[ROWS][COLUMNS];                                   // texels of the pixels
  float3 sum[ROWS][COLUMNS], weight[ROWS][COLUMNS];          // sums of weighted codes, of weights
  float3 row_sum[ROWS][COLUMNS], row_weight[ROWS][COLUMNS];  // the same for the current row
};

// Adds row j of the item's input. For the pixels in row o it is row j - o of their window. o is
// `from` to `to`.
inline void add_row(struct block *block, __local const float4 *row,
                    __local const float *row_weights, float range, float space, float bias, int j,
                    const int from, const int to) {
#pragma unroll
  for (int o = from; o <= to; o++)
#pragma unroll
    for (int c = 0; c < COLUMNS; c++) block->row_sum[o][c] = block->row_weight[o][c] = 0.0f;
  WHOLE_ROW
  for (int i = 0; i < SIDE + COLUMNS - 1; i++) {
    const float4 q = row[AT_COLUMN(i)];
    const float shared = tap_exponent(KIND, q, range, bias);
#pragma unroll
    for (int c = 0; c < COLUMNS; c++) {
      const int dx = i - c - RADIUS;
      if (dx < -RADIUS || dx > RADIUS) continue;
      const float column = space * (float)(dx * dx) + shared;
#pragma unroll
      for (int o = from; o <= to; o++)
        add_tap(KIND, &block->row_sum[o][c], &block->row_weight[o][c], block->p[o][c], q, range,
                column);
    }
  }
#pragma unroll
  for (int o = from; o <= to; o++) {
    const float weight = row_weights[abs(j - o - RADIUS)];
#pragma unroll
    for (int c = 0; c < COLUMNS; c++) {
      block->sum[o][c] += weight * block->row_sum[o][c];
      block->weight[o][c] += weight * block->row_weight[o][c];
    }
  }
}

// The same arguments as bilateral_tile_… in tile.cl.
__kernel __attribute__((reqd_work_group_size(GROUP_X, GROUP_Y, 1))) void bilateral_block(
    __read_only image2d_t in, __read_only image2d_t original, __write_only image2d_t out,
    int4 region, float range, float space, int split) {
  __local float4 tile[TILE_Y * PITCH];
  __local float row_weights[RADIUS + 1];
  const int2 end = region.xy + region.zw;
  const int2 local_at = (int2)(get_local_id(0) * COLUMNS, get_local_id(1) * ROWS);
  const int2 first = region.xy + (int2)(get_group_id(0) * GROUP_X * COLUMNS,
                                        (get_global_id(1) - get_local_id(1)) * ROWS);
  const int item = get_local_id(1) * GROUP_X + get_local_id(0);
  const float bias = soft_bias(KIND, range), unit = level_unit(KIND, range);

  for (int dy = item; dy <= RADIUS; dy += ITEMS)
    row_weights[dy] = weight_exp2(space * (float)(dy * dy));
  WHOLE_ROW
  for (int n = 0; n < LOADS; n += BATCH) {
    float4 colours[BATCH];
#pragma unroll
    for (int k = 0; k < BATCH; k++) {
      const int i = item + (n + k) * ITEMS;
      if (n + k < LOADS)
        colours[k] =
            read_imagef(in, pixel_sampler, first - RADIUS + (int2)(i % TILE_X, i / TILE_X));
    }
#pragma unroll
    for (int k = 0; k < BATCH; k++) {
      const int i = item + (n + k) * ITEMS, x = i % TILE_X, y = i / TILE_X;
      if (n + k < LOADS && y < TILE_Y)
        tile[y * PITCH + AT_COLUMN(x)] = tile_texel(KIND, colours[k], unit);
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);

  __local const float4 *window = tile + local_at.y * PITCH + get_local_id(0);
  struct block block;
#pragma unroll
  for (int o = 0; o < ROWS; o++)
#pragma unroll
    for (int c = 0; c < COLUMNS; c++) {
      block.p[o][c] = window[(o + RADIUS) * PITCH + AT_COLUMN(c + RADIUS)];
      block.sum[o][c] = block.weight[o][c] = 0.0f;
    }
#pragma unroll
  for (int j = 0; j < ROWS - 1; j++)
    add_row(&block, window + j * PITCH, row_weights, range, space, bias, j, max(j - 2 * RADIUS, 0),
            j);
  UNROLL_BY(1)
  for (int j = ROWS - 1; j <= 2 * RADIUS; j++)
    add_row(&block, window + j * PITCH, row_weights, range, space, bias, j, 0, ROWS - 1);
#pragma unroll
  for (int j = max(2 * RADIUS + 1, ROWS - 1); j < SIDE + ROWS - 1; j++)
    add_row(&block, window + j * PITCH, row_weights, range, space, bias, j, j - 2 * RADIUS,
            ROWS - 1);

#pragma unroll
  for (int o = 0; o < ROWS; o++)
#pragma unroll
    for (int c = 0; c < COLUMNS; c++) {
      const int2 at = first + local_at + (int2)(c, o);
      if (any(at >= end)) continue;
      float4 source = read_imagef(original, pixel_sampler, at);
      if (at.x >= split)
        source = filtered_pixel(tile_mean(KIND, block.sum[o][c], block.weight[o][c], unit),
                                source.w, at.x, get_image_width(in), split);
      write_imagef(out, at, source);
    }
}
