// SPDX-License-Identifier: LGPL-2.1-or-later
// Bilateral filter for GPUs: a work-group keeps its pixels and a border of `radius` in local memory; a
// work-item filters ROWS (-DROWS=n) rows of one column, so that a tap is loaded once for all of them.
#include "bilateral/image.clh"
#include "bilateral/weights.clh"

// Levels 0..255 in x, y, z; in w what the weight needs of the texel: |q|² or the intensity.
inline float4 tile_texel(const int kind, float4 colour) {
  float4 q = rint(255.0f * colour);
  q.w = kind == COLOR ? dot(q.xyz, q.xyz) : dot(q.xyz, intensity_percent);
  return q;
}

inline void load_tile(const int kind, __read_only image2d_t in, __local float4 *tile, int2 origin,
                      int2 side) {
  for (int y = get_local_id(1); y < side.y; y += get_local_size(1))
    for (int x = get_local_id(0); x < side.x; x += get_local_size(0))
      tile[y * side.x + x] =
          tile_texel(kind, read_imagef(in, pixel_sampler, origin + (int2)(x, y)));
}

inline void filter_tile(const int kind, __read_only image2d_t in, __read_only image2d_t original,
                        __write_only image2d_t out, float range, float space, int radius, int split,
                        __local float4 *tile) {
  const int2 size = get_image_dim(in);
  const int2 group = (int2)(get_local_size(0), get_local_size(1) * ROWS);
  const int2 first = (int2)(get_group_id(0), get_group_id(1)) * group;
  const int2 local_at = (int2)(get_local_id(0), get_local_id(1) * ROWS);
  const int2 side = group + 2 * radius;
  load_tile(kind, in, tile, first - radius, side);
  barrier(CLK_LOCAL_MEM_FENCE);

  float4 p[ROWS];
  float3 sum[ROWS], weight[ROWS];
#pragma unroll
  for (int o = 0; o < ROWS; o++) {
    p[o] = tile[(local_at.y + o + radius) * side.x + local_at.x + radius];
    sum[o] = weight[o] = 0.0f;
  }
  for (int j = 0; j < 2 * radius + ROWS; j++) {
    __local const float4 *line = tile + (local_at.y + j) * side.x + local_at.x + radius;
    float3 row_sum[ROWS], row_weight[ROWS];
#pragma unroll
    for (int o = 0; o < ROWS; o++) row_sum[o] = row_weight[o] = 0.0f;
    float x = -radius;  // beside dx: converting every dx would cost more than all of the rest of `column`
    for (int dx = -radius; dx <= radius; dx++, x += 1.0f) {
      const float4 q = line[dx];
      const float column = space * x * x;
#pragma unroll
      for (int o = 0; o < ROWS; o++) {
        if (kind == PER_CHANNEL) {
          const float3 d = q.xyz - p[o].xyz;
          const float3 w = weight_exp2_3(d * d * range + column);
          row_sum[o] += w * q.xyz;
          row_weight[o] += w;
        } else {
          float square;  // of the difference
          if (kind == COLOR) {
            // |p - q|² multiplied out: whole numbers below 2^24 all the way, so this is exact.
            const float3 p2 = -2.0f * p[o].xyz;
            square = p2.x * q.x + q.w;
            square = p2.y * q.y + square;
            square = p2.z * q.z + square;
            square += p[o].w;
          } else {
            const float di = q.w - p[o].w;
            square = di * di;
          }
          const float w = weight_exp2(square * range + column);
          row_sum[o] += w * q.xyz;
          row_weight[o].x += w;
        }
      }
    }
#pragma unroll
    for (int o = 0; o < ROWS; o++) {
      const int dy = j - o - radius;  // the other outputs' rows come by as well, and weigh nothing
      const float row = abs(dy) <= radius ? weight_exp2(space * (float)(dy * dy)) : 0.0f;
      sum[o] += row * row_sum[o];
      weight[o] += row * row_weight[o];
    }
  }

#pragma unroll
  for (int o = 0; o < ROWS; o++) {
    const int2 at = first + local_at + (int2)(0, o);
    if (any(at >= size)) continue;
    float4 source = read_imagef(original, pixel_sampler, at);
    if (at.x >= split) {
      const float3 mean = kind == PER_CHANNEL ? sum[o] / weight[o] : sum[o] / weight[o].x;
      source = filtered_pixel(mean, source.w, at.x, size.x, split);
    }
    write_imagef(out, at, source);
  }
}

// One kernel per weight. `range`: exponent of 2 per squared difference in levels (in hundredths of a
// level for intensity). `original` gives alpha and the unfiltered side of the split. `tile`:
// (group + 2 radius)² texels, where a group is get_local_size(1) * ROWS px high.
#define BILATERAL(name, kind)                                                                    \
  __kernel void name(__read_only image2d_t in, __read_only image2d_t original,                   \
                     __write_only image2d_t out, float range, float space, int radius,           \
                     int split, __local float4 *tile) {                                          \
    filter_tile(kind, in, original, out, range, space, radius, split, tile);                     \
  }
BILATERAL(bilateral_tile_intensity, INTENSITY)
BILATERAL(bilateral_tile_color, COLOR)
BILATERAL(bilateral_tile_per_channel, PER_CHANNEL)
