// SPDX-License-Identifier: LGPL-2.1-or-later
// Statistics of a field. Build with -DITEMS=n, the size of the work-group, a power of two.
#include "opticalflow/flowfield.clh"
#include "opticalflow/tuned.clh"

// Returns to every item the sum over the group. `most` becomes the group's maximum.
inline float8 group_sum(float8 value, float *most, __local float8 *sums, __local float *maxima) {
  const int item = get_local_id(0);
  sums[item] = value;
  maxima[item] = *most;
  for (int reach = ITEMS / 2; reach > 0; reach /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item < reach) {
      sums[item] += sums[item + reach];
      maxima[item] = fmax(maxima[item], maxima[item + reach]);
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  *most = maxima[0];
  return sums[0];
}

// Each group sums a part of the field: x, y, magnitude, its square, moving pixels, confidence, 0,
// and the maximum magnitude.
__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void flow_sums(
    __global const float2 *vectors, __global const float *confidence, int pixels,
    float min_confidence, __global float8 *parts) {
  __local float8 sums[ITEMS];
  __local float maxima[ITEMS];
  float8 sum = 0.0f;
  float most = 0.0f;
  for (int i = get_global_id(0); i < pixels; i += get_global_size(0)) {
    const FlowSample motion = sample_at(vectors, confidence, i, min_confidence);
    const float magnitude = length(motion.vector);
    sum += (float8)(motion.vector, magnitude, magnitude * magnitude, magnitude > 0.5f ? 1.0f : 0.0f,
                    motion.confidence, 0.0f, 0.0f);
    most = fmax(most, magnitude);
  }
  sum = group_sum(sum, &most, sums, maxima);
  sum.s7 = most;
  if (get_local_id(0) == 0) parts[get_group_id(0)] = sum;
}

// One group adds the parts. `gain`: px per frame at full brightness. If it is 0, the gain follows
// three times the root mean square magnitude, at least 1 px. It jumps there if `fresh`; otherwise
// it moves by a tenth of the difference.
__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void flow_summary(
    __global const float8 *parts, int count, int pixels, float gain, int fresh,
    __global const float *noise, __global FlowSummary *summary) {
  __local float8 sums[ITEMS];
  __local float maxima[ITEMS];
  float8 sum = 0.0f;
  float most = 0.0f;
  for (int i = get_local_id(0); i < count; i += ITEMS) {
    sum += parts[i];
    most = fmax(most, parts[i].s7);
  }
  sum = group_sum(sum, &most, sums, maxima) / pixels;
  if (get_local_id(0) == 0) {
    const float rms = sqrt(sum.s3), wanted = fmax(FULL_COLOUR * rms, LEAST_FULL_COLOUR),
                before = summary->gain;
    const FlowSummary result = {sum.s0,
                                sum.s1,
                                sum.s2,
                                most,
                                sum.s4,
                                sum.s5,
                                gain > 0.0f ? gain
                                : fresh     ? wanted
                                            : before + GAIN_FOLLOWS * (wanted - before),
                                rms,
                                noise[0] < 0.0f ? -1.0f : sqrt(noise[0])};
    *summary = result;
  }
}

// Samples the field in the centres of cells of `grid` px. `result` gets all vectors, then all
// confidences. Where the confidence is below `min_confidence`, both components are `unknown`. A
// work-item per cell.
__kernel void flow_grid(__global const float2 *vectors, __global const float *confidence, int2 size,
                        float min_confidence, int grid, float unknown, __global float *result,
                        int2 cells) {
  const int2 cell = (int2)(get_global_id(0), get_global_id(1));
  if (any(cell >= cells)) return;
  const int2 at = min(cell * grid + grid / 2, size - 1);
  const int index = at.y * size.x + at.x, i = cell.y * cells.x + cell.x;
  const FlowSample motion = sample_at(vectors, confidence, index, min_confidence);
  vstore2(confidence[index] < min_confidence ? (float2)unknown : motion.vector, i, result);
  result[2 * cells.x * cells.y + i] = motion.confidence;
}
