// SPDX-License-Identifier: LGPL-2.1-or-later
// Before and after the search for edges (Canny 1986): by what thresholds, and which are connected.
#include "hough/edge.clh"
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

// The label of an edge names one that it is connected with, and counts from WEAK where that one is weak: so the least label of
// all that are connected is a strong edge's if there is any among them. It names itself and stands for all of them.
#define NAMED(label) ((label) & ~WEAK)
inline uint least_label(volatile __global uint *labels, uint i) {
  uint label = labels[i];
  for (uint next = labels[NAMED(label)]; next != label; next = labels[NAMED(label)]) {
    labels[i] = next;  // a shorter way for those that come after
    i = NAMED(label), label = next;
  }
  return label;
}

inline void join(volatile __global uint *labels, uint a, uint b) {
  while (true) {
    a = least_label(labels, NAMED(a)), b = least_label(labels, NAMED(b));
    if (a == b) return;
    const uint high = max(a, b), low = min(a, b);
    a = atomic_min(labels + NAMED(high), low), b = low;
    if (a == high) return;
  }
}

// Both kernels' items look at SPAN pixels each, most of which are no edges. Work-items: as many as that takes.
#define SPAN 8
#define EACH_EDGE(i)                                                                                    \
  const int from = SPAN * (int)get_global_id(0), end = min(from + SPAN, size.x * size.y);               \
  if (from >= end || (end - from == SPAN && !any(vload8(0, edges + from) != (ushort8)(0)))) return;     \
  for (int i = from; i < end; i++)                                                                      \
    if (edges[i])

// Joins edges with those of their neighbours before them that are not connected by another of these.
__kernel void canny_join(__global const ushort *restrict edges, int2 size, volatile __global uint *labels) {
  EACH_EDGE(i) {
    const int x = i % size.x, above = i - size.x;
    const bool left = x > 0, upper = above >= 0;
    if (upper && edges[above]) {
      join(labels, i, above);
      continue;
    }
    if (upper && left && edges[above - 1]) join(labels, i, above - 1);
    else if (left && edges[i - 1]) join(labels, i, i - 1);
    if (upper && x + 1 < size.x && edges[above + 1]) join(labels, i, above + 1);
  }
}

// Weak edges stay that are connected with a strong one.
__kernel void canny_keep(__global ushort *edges, int2 size, volatile __global uint *labels) {
  EACH_EDGE(i)
    if (!(edges[i] & EDGE_STRONG) && (least_label(labels, i) & WEAK)) edges[i] = 0;
}
