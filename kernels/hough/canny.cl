// SPDX-License-Identifier: LGPL-2.1-or-later
// Before and after the edge search (Canny 1986): the thresholds, and the connection of edges.
#include "hough/edge.clh"
#include "hough/join.clh"
#include "noise/bands.clh"

#define LEVELS 256
#define UNIT 256.0f        // of a gradient: a level per px
#define NOISE_GAIN 0.1014f // the gradient's standard deviation along an axis, by that of white noise
#define ABOVE_NOISE 4.0f   // of these deviations is the upper threshold
#define LEAST 3.0f         // levels per px: below, shading is no edge
#define LOWER 0.5f         // the lower threshold, by the upper one

// The squares of both thresholds for every level. `low`, `high`: levels per px; below 0 they follow the noise.
__kernel void canny_thresholds(__global const float *noise, float low, float high, __global uint2 *thresholds) {
  const int level = get_global_id(0);
  if (level >= LEVELS) return;
  const float variance = noise_variance_at(noise, level) * CORRELATION + coding_variance(noise);
  const float upper = high < 0.0f ? fmin(fmax(ABOVE_NOISE * NOISE_GAIN * sqrt(variance), LEAST), 127.0f) : high;
  const float lower = low < 0.0f ? LOWER * upper : fmin(low, upper);
  const uint2 whole = convert_uint2_rte(UNIT * (float2)(lower, upper));
  thresholds[level] = whole * whole;
}

// Calls for each weak edge among the `span` pixels of an item. Work-items: one per span.
#define EACH_WEAK(span, i)                                                                                         \
  const int from = span * (int)get_global_id(0), end = min(from + span, size.x * size.y);                          \
  if (from >= end || (end - from == span && !any(vload##span(0, edges + from) != (ushort##span)(0)))) return;      \
  for (int i = from; i < end; i++)                                                                                 \
    if (edges[i] && !(edges[i] & EDGE_STRONG))

// For tiles of a size.
__kernel void canny_join(__global const ushort *restrict edges, int2 size, int2 tile, volatile __global uint *labels) {
  EACH_WEAK(2, i) {
    const int2 at = (int2)(i % size.x, i / size.x), in = at % tile;
    if (any(in == 0) || any(in == tile - 1)) join_across(edges, size, at, labels);
  }
}

// Drops weak edges that are connected with none that is strong.
__kernel void canny_keep(__global ushort *edges, int2 size, volatile __global uint *labels) {
  EACH_WEAK(8, i)
    if (least_global(labels, i + 1) != KEPT) edges[i] = 0;
}
