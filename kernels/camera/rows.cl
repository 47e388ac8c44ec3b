// SPDX-License-Identifier: LGPL-2.1-or-later
// Measures the brightness of rows. Build with -DITEMS=n, the items of a group: 1 or at least
// RATIO_COUNTERS.
#include "camera/rows.clh"
#include "camera/sample.clh"
#include "camera/similarity.clh"
#include "camera/tuned.clh"

#define LEAST_RATIO (0.75f - 0.5f * RATIO)

#define FIXED_ONE 65536.0f

// Measures the ratio of each band as the median over every second pixel along both axes. Unknown
// pixels and the foreground of the previous frame are left out. `background`, `history`,
// `foreground`: see camera_align. `before`: rows of the previous frame. A work-group per band.
__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void camera_rows(
    __global const float *current, __global const float2 *background,
    __global const PixelHistory *history, __global const uchar *foreground,
    __global const CameraState *state, __global const float *before, __global float *rows,
    __global volatile RowTally *tally, RowMeasurement measurement) {
  __local uint counts[RATIO_COUNTERS];
  const int item = get_local_id(0), band = get_group_id(0);
  const FrameGeometry frame = measurement.frame;
  const int bands = measurement.bands, before_alignment = measurement.before_alignment;
  const int2 size = frame.size;
  for (int i = item; i < RATIO_COUNTERS; i += ITEMS) counts[i] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  const float4 vectors = measurement.use_vectors && state->reliable
                             ? scaled(state->vector_motion, 1.0f / frame.reduction)
                             : (float4)(0.0f);
  const float4 back =
      inverse(before_alignment ? after(state->from_frame, vectors) : state->fit.motion);
  const float2 bend = before_alignment ? state->bend_frame : state->fit.bend;
  const float gain = before_alignment ? 1.0f : state->fit.gain,
              offset = before_alignment ? 0.0f : state->fit.offset;
  const bool counts_at_all = before_alignment ? before[ROLL_PART] > 0.0f : !state->model_empty;
  const int columns = (size.x + 1) / 2, count = counts_at_all ? columns * (ROW_BAND / 2) : 0;
  for (int i = item; i < count; i += ITEMS) {
    const int x = i % columns * 2, y = band * ROW_BAND + i / columns * 2;
    if (y >= size.y) continue;
    const float2 from = unbent(back, bend, (float2)(x, y) - frame.centre) + frame.centre;
    if (!inside(from, size)) continue;
    const int2 nearest = clamp(convert_int2_rte(from), (int2)(0), size - 1);
    const int at = nearest.y * size.x + nearest.x;
    const float level = gain * background[at].x + offset;
    if (!history[at].ages.x || foreground[at] || level < DARKEST) continue;
    const float place = (current[y * size.x + x] / level - LEAST_RATIO) / RATIO;
    if (place >= 0.0f && place < RATIO_COUNTERS) atomic_inc(&counts[(int)place]);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  // Counts become cumulative.
#if ITEMS == 1
  for (int i = 1; i < RATIO_COUNTERS; i++) counts[i] += counts[i - 1];
#else
  for (int distance = 1; distance < RATIO_COUNTERS; distance *= 2) {
    const uint below = item >= distance && item < RATIO_COUNTERS ? counts[item - distance] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item < RATIO_COUNTERS) counts[item] += below;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
#endif
  if (item) return;
  const uint all = counts[RATIO_COUNTERS - 1];
  int least = 0, most = RATIO_COUNTERS - 1;  // binary search for the counter of the median
  while (least < most) {
    const int middle = (least + most) / 2;
    if (2 * counts[middle] < all)
      least = middle + 1;
    else
      most = middle;
  }
  const uint below = least ? counts[least - 1] : 0;
  const float ratio = all ? LEAST_RATIO +
                                RATIO * (least + (0.5f * all - below) / (counts[least] - below))
                          : 1.0f,
              roll = fabs(ratio - 1.0f);
  rows[RATIOS + band] = ratio;
  // Sums of integers do not depend on the order.
  atomic_add(&tally->rolling, (roll > LEAST_ROLL) + (roll > MOST_ROLL));
  atomic_add(&tally->ratios, convert_int_rte((ratio - 1.0f) * FIXED_ONE));
  atomic_add(&tally->changes, convert_int_rte(roll * FIXED_ONE));
  mem_fence(CLK_GLOBAL_MEM_FENCE);
  if (atomic_inc(&tally->finished_groups) != bands - 1) return;
  const int rolling = atomic_xchg(&tally->rolling, 0), ratios = atomic_xchg(&tally->ratios, 0),
            changes = atomic_xchg(&tally->changes, 0);
  tally->finished_groups = 0;
  if (before_alignment) {
    rows[ROLL_PART] = before[ROLL_PART];
    rows[SWING] = before[SWING];
  } else {
    const float part = bands < FEWEST ? 0.0f : clamp(2.0f * rolling / bands - 1.0f, 0.0f, 1.0f);
    const float kept = DECAY * before[ROLL_PART];
    rows[ROLL_PART] = state->model_empty ? 0.0f : fmax(part, kept < LEAST_PART ? 0.0f : kept);
    rows[SWING] = state->model_empty
                      ? 0.0f
                      : fmax(part * (changes - (int)abs(ratios)) / (FIXED_ONE * bands),
                             DECAY * before[SWING]);
  }
}
