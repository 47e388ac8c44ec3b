// SPDX-License-Identifier: LGPL-2.1-or-later
// Bilateral filter for GPUs, for any radius. A work-group keeps its pixels and a border of `radius`
// in local memory, as many rows at a time as fit. A work-item filters ROWS (-DROWS=n) rows of one
// column, so it loads each tap once for all of them. -DUNROLL=n: taps of a row per iteration of the
// loop.
#include "bilateral/tile.clh"

#define TAPS UNROLL_BY(UNROLL)

// A work-item's state of one of its pixels.
struct output {
  float4 p;                    // texel of the pixel
  float3 sum, weight;          // sums of weighted codes, of weights
  float3 row_sum, row_weight;  // the same for the current row
};

inline void add_output_tap(const int kind, struct output *o, float4 q, float range, float column) {
  add_tap(kind, &o->row_sum, &o->row_weight, o->p, q, range, column);
}

IMAGE_FUNCTION void filter_tile(const int kind, __read_only image2d_t in,
                                __read_only image2d_t original, __write_only image2d_t out,
                                int4 region, float range, float space, int radius, int split,
                                int chunk, __local float4 *tile, __local float *row_weights) {
  const int2 end = region.xy + region.zw;
  const int2 lanes = (int2)(get_local_size(0), get_local_size(1));
  const int2 group = (int2)(lanes.x, lanes.y * ROWS);
  const int2 first =
      region.xy + (int2)(get_group_id(0) * lanes.x, (get_global_id(1) - get_local_id(1)) * ROWS);
  const int2 local_at = (int2)(get_local_id(0), get_local_id(1) * ROWS);
  const int2 side = group + 2 * radius;

  for (int dy = get_local_id(1) * lanes.x + get_local_id(0); dy <= radius; dy += lanes.x * lanes.y)
    row_weights[dy] = weight_exp2(space * (float)(dy * dy));

  const float bias = soft_bias(kind, range), unit = level_unit(kind, range);

  struct output outputs[ROWS];
#pragma unroll
  for (int o = 0; o < ROWS; o++) {
    outputs[o].p =
        tile_texel(kind, read_imagef(in, pixel_sampler, first + local_at + (int2)(0, o)), unit);
    outputs[o].sum = outputs[o].weight = 0.0f;
  }

  for (int from = 0; from < side.y; from += chunk) {
    const int end = min(from + chunk, side.y);
    if (from > 0) barrier(CLK_LOCAL_MEM_FENCE);
    for (int y = from + get_local_id(1); y < end; y += lanes.y)
      for (int x = get_local_id(0); x < side.x; x += lanes.x)
        tile[(y - from) * side.x + x] =
            tile_texel(kind, read_imagef(in, pixel_sampler, first - radius + (int2)(x, y)), unit);
    barrier(CLK_LOCAL_MEM_FENCE);

    // Row j of the item's input. It is row j - o of the window of pixel o.
    __local const float4 *window = tile + (local_at.y - from) * side.x + local_at.x;
    const int j_first = max(from - local_at.y, 0);
    const int j_end = min(end - local_at.y, 2 * radius + ROWS);
    UNROLL_BY(1)
    for (int j = j_first; j < j_end; j++) {
      __local const float4 *line = window + j * side.x;
#pragma unroll
      for (int o = 0; o < ROWS; o++) outputs[o].row_sum = outputs[o].row_weight = 0.0f;
      float x = -radius;  // a float copy of i, because converting i would cost more than the rest
                          // of `column`
      if (j >= ROWS - 1 && j <= 2 * radius) {
        TAPS for (int i = 0; i <= 2 * radius; i++, x += 1.0f) {
          const float4 q = line[i];
          const float column = tap_exponent(kind, q, range, space * x * x + bias);
#pragma unroll
          for (int o = 0; o < ROWS; o++) add_output_tap(kind, &outputs[o], q, range, column);
        }
      } else {
#pragma unroll
        for (int o = 0; o < ROWS; o++)
          if (j >= o && j <= o + 2 * radius) {
            x = -radius;
            TAPS for (int i = 0; i <= 2 * radius; i++, x += 1.0f)
                add_output_tap(kind, &outputs[o], line[i], range,
                               tap_exponent(kind, line[i], range, space * x * x + bias));
          }
      }
#pragma unroll
      for (int o = 0; o < ROWS; o++)
        if (j >= o && j <= o + 2 * radius) {
          const float row = row_weights[abs(j - o - radius)];
          outputs[o].sum += row * outputs[o].row_sum;
          outputs[o].weight += row * outputs[o].row_weight;
        }
    }
  }

#pragma unroll
  for (int o = 0; o < ROWS; o++) {
    const int2 at = first + local_at + (int2)(0, o);
    if (any(at >= end)) continue;
    float4 source = read_imagef(original, pixel_sampler, at);
    if (at.x >= split) {
      const float3 mean = tile_mean(kind, outputs[o].sum, outputs[o].weight, unit);
      source = filtered_pixel(mean, source.w, at.x, get_image_width(in), split);
    }
    write_imagef(out, at, source);
  }
}

// One kernel per weight. It writes the pixels of `region`: left, top, width, height. `range`:
// factor of the squared difference in codes in the exponent of 2, or of hundredths of a code for
// intensity. `original` gives alpha and the unfiltered side of the split. Local memory: `tile` has
// `chunk` rows of get_local_size(0) + 2 radius texels; `row_weights` radius + 1 floats. A work-item
// has ROWS pixels along y.
#define BILATERAL(name, kind)                                                              \
  __kernel void name(__read_only image2d_t in, __read_only image2d_t original,             \
                     __write_only image2d_t out, int4 region, float range, float space,    \
                     int radius, int split, int chunk, __local float4 *tile,               \
                     __local float *row_weights) {                                         \
    filter_tile(kind, in, original, out, region, range, space, radius, split, chunk, tile, \
                row_weights);                                                              \
  }
BILATERAL(bilateral_tile_intensity, INTENSITY)
BILATERAL(bilateral_tile_color, COLOR)
BILATERAL(bilateral_tile_per_channel, PER_CHANNEL)
BILATERAL(bilateral_tile_soft_color, SOFT_COLOR)
