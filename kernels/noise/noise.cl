// SPDX-License-Identifier: LGPL-2.1-or-later
// Measures the noise of a camera in a kernel of its own. Build with -DTEXEL=float or uchar.
#include "noise/measure.clh"

__attribute__((reqd_work_group_size(NOISE_ITEMS, 1, 1))) __kernel void noise_measure(
    __global const TEXEL *before, __global const TEXEL *after, Squares squares,
    __global NoiseTally *tally, __global NoiseState *noise) {
  __local MeasurementMemory memory;
  measure_noise(before, after, squares, get_group_id(0), get_num_groups(0), tally, noise, &memory);
}
