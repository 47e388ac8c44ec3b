// SPDX-License-Identifier: LGPL-2.1-or-later
// Bilateral filter for GPUs: a work-group keeps its pixels and a border of `radius` in local memory, as
// many rows at a time as fit; a work-item filters ROWS (-DROWS=n) rows of one column, so that a tap is
// loaded once for all of them. -DUNROLL=n is how many taps of a row a turn of the loop does.
//
// With -DRADIUS=r, -DGROUP_X=x, -DGROUP_Y=y and -DKIND=k the program is one kernel, for one radius, group
// and weight, and its tile is whole: no loop needs a counter. The results are the same.
#include "bilateral/image.clh"
#include "bilateral/weights.clh"
#include "common/dot.clh"

#define SOFT_COLOR 3  // COLOR for a sigma_range of at least 0.07

#define PRAGMA(text) _Pragma(#text)
#define UNROLL_BY(n) PRAGMA(unroll n)
#ifdef RADIUS
#define FIXED(value, otherwise) (value)
#define TAPS UNROLL_BY(64)
#define GROUP __attribute__((reqd_work_group_size(GROUP_X, GROUP_Y, 1)))
#else
#define RADIUS 0
#define GROUP_X 0
#define GROUP_Y 0
#define FIXED(value, otherwise) (otherwise)
#define TAPS UNROLL_BY(UNROLL)
#define GROUP
#endif
#if RADIUS > 0 && RADIUS <= 4
#define LINES UNROLL_BY(64)
#else
#define LINES UNROLL_BY(1)
#endif
#if RADIUS > 10  // instructions are cached too
#define EDGE_TAPS UNROLL_BY(3)
#else
#define EDGE_TAPS TAPS
#endif

// The products of colours that SOFT_COLOR needs, each SOFT_BIAS more than it is. With DOT4, w of a
// texel is the same colour in bytes, else |q|².
#ifdef DOT4
#define SOFT_BIAS DOT4_BIAS
#define SOFT_PRODUCT(p, q) dot4(as_uint((p).w), as_uint((q).w))
#define SOFT_SQUARE(q) SOFT_PRODUCT(q, q)
#else
#define SOFT_BIAS 0.0f
#define SOFT_PRODUCT(p, q) dot((p).xyz, (q).xyz)
#define SOFT_SQUARE(q) (q).w
#endif

// Levels in x, y, z, 128 less for SOFT_COLOR; in w what the weight needs: |q|², the intensity, or bytes.
inline float4 tile_texel(const int kind, float4 colour) {
  float4 q;
  if (kind == SOFT_COLOR) {
    q = 255.0f * colour - 128.0f;
#ifdef DOT4
    const uint4 bytes = as_uint4(q + DOT4_BIAS) & 255;
    q.w = as_float(bytes.x | bytes.y << 8 | bytes.z << 16);
#else
    q.w = dot(q.xyz, q.xyz);
#endif
  } else {
    q = rint(255.0f * colour);
    q.w = kind == COLOR ? dot(q.xyz, q.xyz) : dot(q.xyz, intensity_percent);
  }
  return q;
}

// What a work-item knows of one of its pixels.
struct output {
  float4 p;                    // its texel
  float3 sum, weight;          // of weighted levels, of weights
  float3 row_sum, row_weight;  // the same along the row at hand
};

// The part of a tap's exponent that all pixels of the column share.
inline float tap_exponent(const int kind, float4 q, float range, float column) {
  return kind == SOFT_COLOR ? SOFT_SQUARE(q) * range + column : column;
}

inline void add_tap(const int kind, struct output *o, float4 q, float range, float column) {
  if (kind == PER_CHANNEL) {
    const float3 d = q.xyz - o->p.xyz;
    const float3 w = weight_exp2_3(d * d * range + column);
    o->row_sum += w * q.xyz;
    o->row_weight += w;
    return;
  }
  float exponent;
  if (kind == SOFT_COLOR) {
    // |p - q|² multiplied out, without |p|²: that factor of all weights of a pixel cancels, and stays
    // below 2^110.
    exponent = SOFT_PRODUCT(o->p, q) * (-2.0f * range) + column;
  } else {
    float square;  // of the difference
    if (kind == COLOR) {
      // Multiplied out too: whole numbers below 2^24 all the way, so this is exact.
      const float3 p2 = -2.0f * o->p.xyz;
      square = p2.x * q.x + q.w;
      square = p2.y * q.y + square;
      square = p2.z * q.z + square;
      square += o->p.w;
    } else {
      const float di = q.w - o->p.w;
      square = di * di;
    }
    exponent = square * range + column;
  }
  const float w = weight_exp2(exponent);
  o->row_sum += w * q.xyz;
  o->row_weight.x += w;
}

inline void filter_tile(const int kind, __read_only image2d_t in, __read_only image2d_t original,
                        __write_only image2d_t out, float range, float space, int any_radius,
                        int split, int chunk_rows, __local float4 *tile,
                        __local float *row_weights) {
  const int radius = FIXED(RADIUS, any_radius);
  const int2 size = get_image_dim(in);
  const int2 lanes = FIXED((int2)(GROUP_X, GROUP_Y), (int2)(get_local_size(0), get_local_size(1)));
  const int2 group = (int2)(lanes.x, lanes.y * ROWS);
  const int2 first = (int2)(get_group_id(0), get_group_id(1)) * group;
  const int2 local_at = (int2)(get_local_id(0), get_local_id(1) * ROWS);
  const int2 side = group + 2 * radius;
  const int chunk = FIXED(side.y, chunk_rows);

  for (int dy = get_local_id(1) * lanes.x + get_local_id(0); dy <= radius; dy += lanes.x * lanes.y)
    row_weights[dy] = weight_exp2(space * (float)(dy * dy));

  const float bias = kind == SOFT_COLOR ? range * SOFT_BIAS : 0.0f;  // of the product and the square

  struct output outputs[ROWS];
#pragma unroll
  for (int o = 0; o < ROWS; o++) {
    if (FIXED(false, true))
      outputs[o].p =
          tile_texel(kind, read_imagef(in, pixel_sampler, first + local_at + (int2)(0, o)));
    outputs[o].sum = outputs[o].weight = 0.0f;
  }

  for (int from = 0; from < side.y; from += chunk) {
    const int end = min(from + chunk, side.y);
    if (from > 0) barrier(CLK_LOCAL_MEM_FENCE);
    for (int y = from + get_local_id(1); y < end; y += lanes.y)
      for (int x = get_local_id(0); x < side.x; x += lanes.x)
        tile[(y - from) * side.x + x] =
            tile_texel(kind, read_imagef(in, pixel_sampler, first - radius + (int2)(x, y)));
    barrier(CLK_LOCAL_MEM_FENCE);

    // Row j of what the item's pixels need: row j - o of the window of pixel o.
    __local const float4 *window = tile + (local_at.y - from) * side.x + local_at.x;
    if (FIXED(true, false))
#pragma unroll
      for (int o = 0; o < ROWS; o++) outputs[o].p = window[(o + radius) * side.x + radius];
    const int j_first = FIXED(0, max(from - local_at.y, 0));
    const int j_end = FIXED(2 * radius + ROWS, min(end - local_at.y, 2 * radius + ROWS));
    LINES
    for (int j = j_first; j < j_end; j++) {
      __local const float4 *line = window + j * side.x;
#pragma unroll
      for (int o = 0; o < ROWS; o++) outputs[o].row_sum = outputs[o].row_weight = 0.0f;
      float x = -radius;  // beside i: converting every i would cost more than all of the rest of `column`
      if (j >= ROWS - 1 && j <= 2 * radius) {
        TAPS
        for (int i = 0; i <= 2 * radius; i++, x += 1.0f) {
          const float4 q = line[i];
          const float column = tap_exponent(kind, q, range, space * x * x + bias);
#pragma unroll
          for (int o = 0; o < ROWS; o++) add_tap(kind, &outputs[o], q, range, column);
        }
      } else {
#pragma unroll
        for (int o = 0; o < ROWS; o++)
          if (j >= o && j <= o + 2 * radius) {
            x = -radius;
            EDGE_TAPS
            for (int i = 0; i <= 2 * radius; i++, x += 1.0f)
              add_tap(kind, &outputs[o], line[i], range,
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
    if (any(at >= size)) continue;
    float4 source = read_imagef(original, pixel_sampler, at);
    if (at.x >= split) {
      float3 mean = kind == PER_CHANNEL ? outputs[o].sum / outputs[o].weight
                                        : outputs[o].sum * (1.0f / outputs[o].weight.x);
      if (kind == SOFT_COLOR) mean += 128.0f;
      source = filtered_pixel(mean, source.w, at.x, size.x, split);
    }
    write_imagef(out, at, source);
  }
}

// One kernel per weight. `range`: exponent of 2 per squared difference in levels (in hundredths of a
// level for intensity). `original` gives alpha and the unfiltered side of the split. `tile`: `chunk`
// rows of get_local_size(0) + 2 radius texels; `row_weights`: radius + 1.
#define BILATERAL(name, kind)                                                                    \
  GROUP __kernel void name(__read_only image2d_t in, __read_only image2d_t original,             \
                           __write_only image2d_t out, float range, float space, int radius,     \
                           int split, int chunk, __local float4 *tile,                           \
                           __local float *row_weights) {                                         \
    filter_tile(kind, in, original, out, range, space, radius, split, chunk, tile, row_weights); \
  }
#ifdef KIND
BILATERAL(bilateral_tile, KIND)
#else
BILATERAL(bilateral_tile_intensity, INTENSITY)
BILATERAL(bilateral_tile_color, COLOR)
BILATERAL(bilateral_tile_per_channel, PER_CHANNEL)
BILATERAL(bilateral_tile_soft_color, SOFT_COLOR)
#endif
