// SPDX-License-Identifier: LGPL-2.1-or-later
// The steps of Canny's edge detector (1986) before and after the edge search: thresholds, and
// hysteresis.
#include "hough/edge.clh"
#include "hough/join.clh"
#include "hough/tuned.clh"
#include "noise/bands.clh"

#define LEVELS 256
#define UNIT 256.0f  // units of a gradient per level per px

// Computes the squares of both thresholds for every grey level. `low`, `high`: levels per px; a
// negative threshold follows the noise. A work-item per level.
__kernel void canny_thresholds(__global const float *noise, float low, float high,
                               __global uint2 *thresholds) {
  const int level = get_global_id(0);
  if (level >= LEVELS) return;
  const float variance = noise_variance_at(noise, level) * CORRELATION + coding_variance(noise);
  const float upper =
      high < 0.0f ? fmin(fmax(ABOVE_NOISE * NOISE_GAIN * sqrt(variance), LEAST_EDGE), 127.0f)
                  : high;
  const float lower = low < 0.0f ? LOWER_PART * upper : fmin(low, upper);
  const uint2 whole = convert_uint2_rte(UNIT * (float2)(lower, upper));
  thresholds[level] = whole * whole;
}

// Runs the following statement for each weak edge `i` among the `span` pixels of an item.
#define EACH_WEAK(span, i)                                                                \
  const int from = span * (int)get_global_id(0), end = min(from + span, size.x * size.y); \
  if (from >= end ||                                                                      \
      (end - from == span && !any(vload##span(0, edges + from) != (ushort##span)(0))))    \
    return;                                                                               \
  for (int i = from; i < end; i++)                                                        \
    if (edges[i] && !(edges[i] & EDGE_STRONG))

// Joins weak edges across the borders of tiles. A work-item has two pixels.
__kernel void canny_join(__global const ushort *restrict edges, int2 size, int2 tile,
                         volatile __global uint *labels) {
  EACH_WEAK(2, i) {
    const int2 at = (int2)(i % size.x, i / size.x), in = at % tile;
    if (any(in == 0) || any(in == tile - 1)) join_across(edges, size, at, labels);
  }
}

// Removes the weak edges without connection to a strong one. A work-item has eight pixels.
__kernel void canny_keep(__global ushort *edges, int2 size, volatile __global uint *labels) {
  EACH_WEAK(8, i)
  if (least_global(labels, i + 1) != STRONG_LABEL) edges[i] = 0;
}
