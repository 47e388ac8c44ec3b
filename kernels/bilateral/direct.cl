// SPDX-License-Identifier: LGPL-2.1-or-later
// Bilateral filter without a tile: every tap is read through the sampler. It is for radii whose
// tile exceeds local memory, and for devices whose caches are faster. A work-item has one pixel.
#include "bilateral/image.clh"
#include "bilateral/interface.h"

// Colours stay 0..1 here, which saves a multiplication and a rounding per tap; equal codes are
// equal floats.
IMAGE_FUNCTION void filter_direct(const int kind, __read_only image2d_t in,
                                  __read_only image2d_t original, __write_only image2d_t out,
                                  int4 region, float range, float space, int radius, int split) {
  const int2 at = region.xy + (int2)(get_global_id(0), get_global_id(1));
  if (any(at >= region.xy + region.zw)) return;
  const float4 source = read_imagef(original, pixel_sampler, at);
  if (at.x < split) {
    write_imagef(out, at, source);
    return;
  }

  const float3 p = read_imagef(in, pixel_sampler, at).xyz;
  float3 sum = 0.0f, weight = 0.0f;  // sums of weighted differences, of weights
  for (int dy = -radius; dy <= radius; dy++) {
    float3 row_sum = 0.0f, row_weight = 0.0f;
    float x = -radius;  // a float copy of dx, because converting dx would cost more than the rest
                        // of `column`
    for (int dx = -radius; dx <= radius; dx++, x += 1.0f) {
      const float3 d = read_imagef(in, pixel_sampler, at + (int2)(dx, dy)).xyz - p;
      const float column = space * x * x;
      if (kind == PER_CHANNEL) {
        const float3 w = weight_exp2_3(d * d * range + column);
        row_sum += w * d;
        row_weight += w;
      } else {
        // Intensity in hundredths of a code is an integer. Rounding makes equal intensities equal.
        const float di = rint(dot(d, FULL_SCALE * intensity_percent));
        const float w = weight_exp2((kind == COLOR ? dot(d, d) : di * di) * range + column);
        row_sum += w * d;
        row_weight.x += w;
      }
    }
    const float row = weight_exp2(space * (float)(dy * dy));
    sum += row * row_sum;
    weight += row * row_weight;
  }
  const float3 mean = p + (kind == PER_CHANNEL ? sum / weight : sum / weight.x);
  write_imagef(out, at,
               filtered_pixel(FULL_SCALE * mean, source.w, at.x, get_image_width(in), split));
}

// One kernel per weight. `range`: factor of the squared difference of colours 0..1 in the exponent
// of 2, or of hundredths of a code for intensity. `original` gives alpha and the unfiltered side
// of the split. A work-item per pixel of `region`: left, top, width, height.
#define BILATERAL(name, kind)                                                           \
  __kernel void name(__read_only image2d_t in, __read_only image2d_t original,          \
                     __write_only image2d_t out, int4 region, float range, float space, \
                     int radius, int split) {                                           \
    filter_direct(kind, in, original, out, region, range, space, radius, split);        \
  }
BILATERAL(bilateral_direct_intensity, INTENSITY)
BILATERAL(bilateral_direct_color, COLOR)
BILATERAL(bilateral_direct_per_channel, PER_CHANNEL)
